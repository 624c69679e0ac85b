# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The headings of a Markdown page and their anchors, as GitHub and most renderers make them."""

import re


def headings(lines):
    """(number of the line from 0, depth, text, anchor) of each heading outside listings."""
    times, fenced = {}, False
    for number, line in enumerate(lines):
        fenced ^= line.startswith("```")
        found = None if fenced else re.match(r"(#+) (.*?) *$", line)
        if not found:
            continue
        shown = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", found[2])
        anchor = re.sub(r"[^\w -]", "", shown.lower()).replace(" ", "-")
        times[anchor] = times.get(anchor, -1) + 1
        yield number, len(found[1]), found[2], f"{anchor}-{times[anchor]}" if times[anchor] else anchor
