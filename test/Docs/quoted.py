# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the code in a page is what the file behind it contains.

  quoted.py ROOT PAGE

A block of code after the line <!-- quoted from FILE --> stands in FILE (under ROOT) word for word.
"""

import re
import sys


def main():
    root, page = sys.argv[1:]
    with open(f"{root}/{page}", encoding="utf-8") as file:
        quotes = re.findall(r"<!-- quoted from (\S+) -->\n```\w+\n(.*?)```", file.read(), re.S)
    wrong = 0
    for path, block in quotes:
        with open(f"{root}/{path}", encoding="utf-8") as file:
            if block not in file.read():
                print(f"{page}: the code quoted from {path} is not in it")
                wrong += 1
    print(f"{len(quotes)} quotes, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
