# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the links of Markdown pages to files and to headings, without the network.

  links.py PAGE...

A link to a heading ends with the anchor that GitHub gives the heading. Listings are left out.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
from headings import headings


def without_listings(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), file.read(), flags=re.S | re.M)


def anchors_of(path):
    with open(path, encoding="utf-8") as file:
        return {anchor for _, _, _, anchor in headings(file.read().split("\n"))}


def main():
    known, links, wrong = {}, 0, 0
    for page in sys.argv[1:]:
        for number, line in enumerate(without_listings(page).split("\n"), 1):
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                if re.match(r"\w+:", target):
                    continue
                links += 1
                path, _, anchor = target.partition("#")
                path = os.path.join(os.path.dirname(page), path) if path else page
                if not os.path.exists(path):
                    problem = "there is no such file"
                elif anchor and anchor not in known.setdefault(os.path.realpath(path), anchors_of(path)):
                    problem = "the page has no such heading"
                else:
                    continue
                wrong += 1
                print(f"{page}:{number}: {target}: {problem}")
    print(f"{links} links, {wrong} wrong")
    sys.exit(1 if wrong else 0)


main()
