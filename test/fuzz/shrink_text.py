#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a text that tile-fuzz complains about small: shrink_text.py EXAMPLES SEED [--cpu] [-o SMALL.mlir], or shrink_text.py FILE.

Drops lines, then words and signs, as long as tile-fuzz says the same of what is left (signal, hang, silence, another program when it is printed). That works
for texts that no parser reads; tile-reduce is for those that it does.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile


def complaint(tool, text, flags, folder):
    """What tile-fuzz says of a text without its seed, or None."""
    path = os.path.join(folder, "text.mlir")
    with open(path, "wb") as file:
        file.write(text)
    done = subprocess.run([tool, path, "--as-is", "--seed=0", "--count=1", *flags], capture_output=True, text=True, errors="replace")
    found = re.search(r"^seed 0: ([^;]*);", done.stderr, re.M)
    return found.group(1) if found else None


def smaller(parts, fails):
    """Without as many of the parts as can go, large pieces first."""
    size = len(parts) // 2
    while size:
        at = 0
        while at < len(parts):
            rest = parts[:at] + parts[at + size:]
            if fails(rest):
                parts = rest
            else:
                at += size
        size //= 2
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source")
    parser.add_argument("seed", nargs="?")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("-o", dest="out")
    parser.add_argument("--tile-fuzz", dest="tool", default="tile-fuzz")
    options = parser.parse_args()
    if options.seed is None:
        with open(options.source, "rb") as file:
            text = file.read()
    else:
        text = subprocess.run([options.tool, options.source, "--print", "--count=1", f"--seed={options.seed}"], capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        for deep in ("0", "1"):
            flags = [f"--deep={deep}"] + (["--cpu"] if options.cpu else [])
            wanted = complaint(options.tool, text, flags, folder)
            if wanted:
                break
        else:
            sys.exit("shrink_text: tile-fuzz has nothing against this text")
        print(f"// {wanted}", file=sys.stderr)

        def fails(parts):
            return complaint(options.tool, b"".join(parts), flags, folder) == wanted
        while True:
            before = len(text)
            text = b"".join(smaller(text.splitlines(keepends=True), fails))
            text = b"".join(smaller(re.findall(rb"\w+|\s+|.", text, re.S), fails))
            if len(text) == before:
                break
    sys.stdout.buffer.write(text + b"\n")
    if options.out:
        with open(options.out, "wb") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
