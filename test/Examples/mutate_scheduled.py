# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks scheduled kernels in ways that cta-verify must see, one at a time.

  mutate_scheduled.py TILE_OPT KERNEL.mlir...

Each mutation edits lines of the text. One that the verifiers of the ops refuse says nothing about cta-verify and is not counted.
"""
import re
import subprocess
import sys


def lines_with(lines, op):
    return [i for i, line in enumerate(lines) if re.search(rf"(?<!!)\b{re.escape(op)}\b", line)]


def without(lines, i):
    return lines[:i] + lines[i + 1 :]


def again(lines, i):
    return lines[: i + 1] + lines[i:]


def mutations(lines):
    for op in ("cta.release", "cta.commit"):
        for i in lines_with(lines, op):
            yield f"line {i + 1}: no {op}", without(lines, i)
            yield f"line {i + 1}: {op} twice", again(lines, i)
    for i in lines_with(lines, "cta.release"):
        # Just after the wait that made the credit, before the reads; only if both are in one block.
        credit = re.search(r"cta\.release %\w+, (%\w+)", lines[i]).group(1)
        for w in lines_with(lines, "cta.wait"):
            indent = len(lines[w]) - len(lines[w].lstrip())
            if re.match(rf"\s*{re.escape(credit)}, ", lines[w]) and lines[i].startswith(" " * indent + "cta"):
                yield f"line {i + 1}: released at once", lines[: w + 1] + [lines[i]] + without(lines, i)[w + 1 :]
        after = re.search(r"after\([^)]*\)", lines[i])
        # The release before it may have waited for the same product.
        if after and after.group() not in lines[i - 1]:
            bare = re.sub(r" after\([^)]*\)", "", lines[i])
            yield f"line {i + 1}: nothing named", lines[:i] + [bare] + lines[i + 1 :]
    channels = [re.match(r"\s*(%\w+) =", lines[i]).group(1) for i in lines_with(lines, "cta.channel")]
    for i in lines_with(lines, "cta.release") + lines_with(lines, "cta.acquire"):
        for channel in channels:
            other = re.sub(r"(cta\.(?:release|acquire)) %\w+", rf"\1 {channel}", lines[i])
            if other != lines[i]:
                yield f"line {i + 1}: channel {channel}", lines[:i] + [other] + lines[i + 1 :]


def main():
    missed = seen = 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as kernel:
            lines = kernel.read().splitlines()
        for name, mutated in mutations(lines):
            done = subprocess.run([sys.argv[1], "--pass-pipeline=builtin.module(tile.kernel(cta-verify))", "-o", "/dev/null"],
                                  input="\n".join(mutated), capture_output=True, text=True)
            if "breaks phase" in done.stderr:
                seen += 1
            elif done.returncode == 0:
                missed += 1
                print(f"{path}: {name}: not seen")
            elif done.returncode < 0:
                missed += 1
                print(f"{path}: {name}: crashed")
    print(f"{seen} seen, {missed} missed")
    return 1 if missed or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
