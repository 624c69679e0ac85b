#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the layouts of the documentation with tile-layout.

  scripts/pictures.py BIN            write docs/images/layout-*.svg; BIN is the folder of the tools
  scripts/pictures.py BIN --check    write nothing; say which differ from what tile-layout draws, exit code 1 if one does

The other pictures are made by bench/charts.py from recorded data. Exit code 2 if tile-layout fails.
"""

import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PICTURES = {"layout-wgmma-acc.svg": ["--shape=16x16", "#cta.frag<wgmma_acc, wg = 1>"],
            "layout-swizzle-128.svg": ["!cta.smem<16x64xbf16, #cta.swizzle<128, dim = 1>>"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("bin", help="the folder of the tools")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a picture is not what tile-layout draws")
    parser.add_argument("--images", default=os.path.join(ROOT, "docs", "images"), metavar="DIR")
    options = parser.parse_args()
    differing = 0
    for name, arguments in PICTURES.items():
        try:
            drawn = subprocess.run([os.path.join(options.bin, "tile-layout"), "--svg", *arguments], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"pictures.py: {error}\n{getattr(error, 'stderr', '')}", file=sys.stderr)
            return 2
        path = os.path.join(options.images, name)
        try:
            with open(path, encoding="utf-8", newline="") as file:
                same = file.read() == drawn
        except FileNotFoundError:
            same = False
        if same:
            continue
        differing += 1
        print(("stale: " if options.check else "wrote ") + name)
        if not options.check:
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(drawn)
    print(f"{len(PICTURES)} pictures, {differing} {'stale' if options.check else 'written'}")
    if options.check and differing:
        print("run scripts/pictures.py", file=sys.stderr)
    return 1 if options.check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
