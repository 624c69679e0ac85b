#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts an index in place of the line [TOC] of a dialect's reference: each family of ops, its ops, the summary of each.

  mlir-tblgen -gen-dialect-doc … | scripts/op-index.py

It reads the page from stdin and writes it to stdout. An op without a family (`opDocGroup` in its .td) is an error.
"""

import re
import sys

from headings import headings


def index(lines):
    rows, others, chapter, family, shown = [], [], "", None, None
    for number, depth, text, anchor in headings(lines):
        op = re.match(r"`(\w+\.\w+)`", text)
        if depth == 2:
            chapter = text
        elif op:
            if not family or depth != 4:
                sys.exit(f"op-index: error: {op[1]} has no family: its .td needs `let opDocGroup = …;`")
            summary = next((m[1] for line in lines[number + 1 : number + 4] if (m := re.match(r"_(.*)_$", line))), "")
            rows.append(f"| {family if family != shown else ' '} | [`{op[1]}`](#{anchor}) | {summary.replace('|', chr(92) + '|')} |")
            shown = family
        elif chapter == "Operations" and depth == 3:
            family = f"[{text}](#{anchor})"
        elif depth == 3:
            others.append((chapter, f"[{text}](#{anchor})"))
    text = ["## Index", "", "| family | op | summary |", "|---|---|---|", *rows]
    for chapter in dict.fromkeys(chapter for chapter, _ in others):
        text += ["", f"{chapter}: " + " · ".join(link for of, link in others if of == chapter)]
    return text


lines = sys.stdin.read().split("\n")
if lines.count("[TOC]") != 1:
    sys.exit("op-index: error: the page has no line [TOC], or several")
place = lines.index("[TOC]")
lines[place : place + 1] = index(lines)
sys.stdout.write("\n".join(lines))
