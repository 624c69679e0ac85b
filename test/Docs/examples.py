# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses and verifies the ```mlir examples of all op descriptions.

  examples.py TILE_OPT INCLUDE_FOLDER CONVENTIONS

CONVENTIONS (Inputs/examples.txt) says what an example may take for granted. Its sections begin with [name]:
  [aliases]   aliases of attributes and types, for all examples
  [values]    "%a: type" for all examples
  [op] or [op n]   the same for the examples of one op, or for its n-th one; they hide those of [values]. Besides,
              "in: PLACE" says where the example stands (a section [place PLACE], in which EXAMPLE is replaced;
              [place DIALECT] is what an op of the dialect has otherwise), and "not: REASON" that it is not parsed.
A value is declared if the example uses it and does not define it: memrefs and scalars as arguments of the kernel, a
tile in registers as the result of ub.poison, everything else as that of an op of no dialect.

In an example a line that is only … stands for other code, and { … } for a region; both are left out.
Examples of the dialect tile are checked by --tile-verify, too.
"""

import glob
import os
import re
import subprocess
import sys

ARGUMENT = re.compile(r"memref<|[if]\d+$|bf16$|index$")


def read_conventions(path):
    sections, current = {}, None
    with open(path) as file:
        for line in file:
            if header := re.match(r"\[(.*)\]$", line.strip()):
                current = sections.setdefault(header.group(1), [])
            elif line.strip() and not line.startswith("//"):
                current.append(line.rstrip())
    return sections


def examples_of(path):
    """(op, n, text) of all examples of the op definitions of a .td file."""
    with open(path) as file:
        text = file.read()
    for definition in re.split(r"\n(?=def |class )", text):
        name = re.match(r'def (Tile|Cta)_\w+Op : \w+<"(\w+)"', definition)
        if not name:
            continue
        blocks = re.findall(r"```mlir\n(.*?)```", definition.replace("\\n", "\n"), re.S)
        for n, block in enumerate(blocks, 1):
            lines = [line.removeprefix("    ") for line in block.rstrip().split("\n")]
            yield f"{name.group(1).lower()}.{name.group(2)}", n, "\n".join(lines)


def names_defined(text):
    """What the example defines: results, arguments of blocks, coordinates of a grid."""
    names = set()
    for line in text.split("\n"):
        if results := re.match(r"\s*((?:%\w+(?::\d+)?(?:, )?)+) = ", line):
            names.update(re.findall(r"%\w+", results.group(1)))
        if re.match(r"\s*\^bb|\s*tile\.grid|\s*tile\.kernel|\s+%\w+: ", line):
            names.update(re.findall(r"%\w+(?=:)", line))
        if grid := re.match(r"\s*tile\.grid \((.*?)\)", line):
            names.update(re.findall(r"%\w+", grid.group(1)))
    return names


def complete(sections, op, n, text):
    """The module around an example, or the reason why there is none."""
    own = sections.get(op, []) + sections.get(f"{op} {n}", [])
    place = op.split(".")[0]
    aliases, values = {}, {}
    for line in sections["aliases"] + own:
        if line.startswith(("#", "!")):
            aliases[line.split(" ")[0]] = line
    for line in sections["values"] + own:
        if line.startswith("%"):
            name, kind = line.split(": ", 1)
            values[name] = kind
        elif line.startswith("in: "):
            place = line[4:]
        elif line.startswith("not: "):
            return None, line[5:]
    text = "\n".join(line for line in text.split("\n") if line.strip() != "…").replace("{ … }", "{ }")
    frame = "\n".join(sections["place " + place])
    whole = frame + "\n" + text
    used = set(re.findall(r"%\w+", whole)) - names_defined(whole)
    arguments, made = [], []
    for name, kind in values.items():
        if name not in used:
            continue
        if ARGUMENT.match(kind):
            arguments.append(f"{name}: {kind}")
        elif kind.startswith("tensor"):
            made.append(f"{name} = ub.poison : {kind}")
        else:
            made.append(f'{name} = "example.value"() : () -> ({kind})')
    frame = frame.replace("ARGUMENTS", ", ".join(arguments))
    frame = frame.replace("VALUES", "\n".join(made)).replace("EXAMPLE", text)
    # In the order of the file, because an alias may name those before it. An unused alias may name one that is replaced now.
    lines, mentioned = [], frame
    for name, line in reversed(aliases.items()):
        if re.search(name + r"\b", mentioned):
            lines.insert(0, line)
            mentioned += line.split("=", 1)[1]
    return "\n".join(lines) + "\n" + frame + "\n", None


def main():
    tile_opt, include, conventions = sys.argv[1:]
    sections = read_conventions(conventions)
    seen, failed, left_out = set(), 0, []
    for path in sorted(glob.glob(os.path.join(include, "tessera/Dialect/**/*Ops.td"), recursive=True)):
        for op, n, text in examples_of(path):
            seen.update((op, f"{op} {n}"))
            module, reason = complete(sections, op, n, text)
            if reason:
                left_out.append(f"{op} {n}: {reason}")
                continue
            checks = ["--tile-verify"] if op.startswith("tile.") else []
            run = subprocess.run([tile_opt, "--allow-unregistered-dialect", *checks, "-o", os.devnull],
                                 input=module, capture_output=True, text=True)
            if run.returncode:
                failed += 1
                print(f"example {n} of {op} in {os.path.basename(path)}:\n{run.stderr}\n{module}")
    known = {name for name in sections if re.match(r"(tile|cta)\.", name)}
    for name in sorted(known - seen):
        failed += 1
        print(f"[{name}] is about no example")
    for line in left_out:
        print("left out:", line)
    number = len({name for name in seen if " " in name})
    print(f"{number - len(left_out)} examples parsed, {len(left_out)} left out, {failed} wrong")
    sys.exit(1 if failed else 0)


main()
