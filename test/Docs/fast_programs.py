# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the programs of docs/FastPrograms.md, and looks for what the page says that tilec prints.

  fast_programs.py TILEC PAGE FRAMES SCRATCH [--until=PHASE]

A block ```mlir stands below <!-- FRAME WORD...; OPTION... -->. It is put in place of BODY into the frame of that name in FRAMES, and the words in place of
$1, $2, …; then it is compiled with --report=full and the options (--variants=aligned, if there are none). What stands in a line after "// tilec:" has to be
in one line of the output, white space aside, where … stands for anything. With --until=PHASE no machine code is made, for pages of which something else is asked. Compiling fails if, and only if, one of them begins with "error:".
"""

import os
import re
import subprocess
import sys

PROGRAM = re.compile(r"(?:<!-- ([^\n]*) -->\n)?```mlir\n(.*?)```\n", re.S)


def quoted(line, output):
    pattern = ".*".join(re.escape(" ".join(part.split())) for part in line.split("…"))
    return any(re.search(pattern, " ".join(found.split())) for found in output.split("\n"))


def main():
    tilec, page, frames, scratch, *until = sys.argv[1:]
    artifact = ["-o", os.devnull, until[0].replace("--until=", "--stop-after=")] if until else ["-o", scratch + ".cubin"]
    with open(frames, encoding="utf-8") as file:
        frames = dict(re.findall(r"^\[(\w+)\]\n(.*?)(?=^\[|\Z)", file.read(), re.M | re.S))
    with open(page, encoding="utf-8") as file:
        text = file.read()
    programs, wrong, used = 0, 0, set()
    for place in PROGRAM.finditer(text):
        line = text[: place.start(2)].count("\n") + 1
        programs += 1
        lines = re.findall(r"^ *// tilec: (.*)$", place[2], re.M)
        if not place[1] or not lines:
            print(f"line {line}: no frame, or nothing that tilec says")
            wrong += 1
            continue
        (name, *words), options = place[1].partition(";")[0].split(), place[1].partition(";")[2].split()
        used.add(name)
        source = frames[name].replace("BODY", place[2])
        for i, word in enumerate(words, 1):
            source = source.replace(f"${i}", word)
        with open(scratch + ".mlir", "w", encoding="utf-8") as file:
            file.write(source)
        command = [tilec, scratch + ".mlir", *artifact, "--report=full", *(options or ["--variants=aligned"])]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        missing = [quote for quote in lines if not quoted(quote, done.stderr)]
        if missing or (done.returncode != 0) != any(quote.startswith("error:") for quote in lines):
            wrong += 1
            print(f"line {line}: exit code {done.returncode}, not there: {missing}\n{done.stderr}")
    for name in sorted(frames.keys() - used):
        wrong += 1
        print(f"no program uses the frame {name}")
    print(f"{programs} programs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
