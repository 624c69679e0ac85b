# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows that cta-verify takes each kernel of a file, and refuses it after a small change.

  refused.py TILE_OPT FILE [OPTIONS...]

Kernels are separated by // -----. Each has at least one line

  // REFUSED: /PATTERN/TEXT/ MESSAGE

PATTERN is a regular expression that matches the kernel in one place, TEXT takes its place (\\n is a new line), and
MESSAGE is in the error. So the file fails if the verifier takes everything, and if it refuses everything.
OPTIONS go to tile-opt in front of --cta-verify for the kernels that are taken.
"""

import os
import re
import subprocess
import sys


def verify(tile_opt, text, options=()):
    run = subprocess.run([tile_opt, *options, "--cta-verify", "-o", os.devnull], input=text, capture_output=True, text=True)
    return run.returncode, run.stderr


def main():
    tile_opt, path, *options = sys.argv[1:]
    with open(path) as file:
        sections = file.read().split("\n// -----\n")
    wrong = mutations = 0
    for section in sections:
        kernel = re.search(r"tile\.kernel @(\w+)", section).group(1)
        mutated = re.findall(r"^// REFUSED: /(.*?)(?<!\\)/(.*?)/ (.*)$", section, re.M)
        text = re.sub(r"^//.*\n", "", section, flags=re.M)
        code, said = verify(tile_opt, text, options)
        if code:
            wrong += 1
            print(f"@{kernel} is refused: {said}")
        if not mutated:
            wrong += 1
            print(f"@{kernel} has no REFUSED line")
        for pattern, replacement, message in mutated:
            mutations += 1
            other, places = re.subn(pattern, replacement.replace("\\n", "\n"), text)
            code, said = verify(tile_opt, other)
            if places != 1 or not code or message not in said:
                wrong += 1
                print(f"@{kernel}, /{pattern}/ matches {places} times, exit code {code}: {said or 'taken'}\n")
    print(f"{len(sections)} kernels taken, {mutations} changes refused, {wrong} wrong")
    sys.exit(1 if wrong else 0)


main()
