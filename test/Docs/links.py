# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the links of Markdown pages to files and to headings, without the network.

  links.py PAGE...

A link to a heading ends with the anchor that GitHub gives the heading. Listings are left out.
"""

import os
import re
import sys


def without_listings(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), file.read(), flags=re.S | re.M)


def anchors_of(path):
    anchors, times = set(), {}
    for text in re.findall(r"^#+ (.*?) *$", without_listings(path), re.M):
        text = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", text)
        anchor = re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-")
        times[anchor] = times.get(anchor, -1) + 1
        anchors.add(f"{anchor}-{times[anchor]}" if times[anchor] else anchor)
    return anchors


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
