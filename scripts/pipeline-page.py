#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/passes/Pipeline.md: the passes that take a kernel from phase to phase, as tile-opt runs them.

  scripts/pipeline-page.py [--tile-opt PATH] [--check]

With --check: changes nothing, exit code 1 if the page is out of date.
"""

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "passes", "Pipeline.md")
PHASES = ["tile", "raw", "placed", "planned", "scheduled", "specialized", "allocated", "nvvm", "llvm"]
REFERENCES = ["Tile.md", "Cta.md", "Conversion.md"]


def run(tile_opt, *arguments):
    done = subprocess.run([tile_opt, *arguments], input="module {}", capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"pipeline-page: error: {tile_opt} {' '.join(arguments)}: {done.stderr.strip()}")
    return done


def passes_to(tile_opt, phase):
    """[(op that the pass works on, pass)] up to a phase, in the order in which they run."""
    text = run(tile_opt, f"--tessera-to-{phase}=check=true", "--dump-pass-pipeline").stderr
    found, anchors = [], []
    for line in (line.strip() for line in text.split("\n")):
        name = re.match(r"[\w.-]+", line)
        if line.endswith("(") and name:
            anchors.append(name[0])
        elif line.startswith(")"):
            anchors.pop()
        elif name and anchors:
            found.append((anchors[-1], name[0]))
    return found


def summaries(tile_opt):
    """{pass: its line in --help}"""
    return dict(re.findall(r"^\s+--([\w-]+)(?:=<\w+>)?\s+-\s+(\S.*)$", run(tile_opt, "--help").stdout, re.M))


def design_pages():
    """{pass: the page of docs/design that explains it}, from the line "<!-- passes: NAME... -->" of each page."""
    folder, pages = os.path.join(ROOT, "docs", "design"), {}
    for page in sorted(os.listdir(folder)):
        with open(os.path.join(folder, page), encoding="utf-8") as file:
            for names in re.findall(r"^<!-- passes: (.*) -->$", file.read(), re.M):
                pages.update({name: page for name in names.split()})
    return pages


def reference(name):
    """The generated page that documents a pass; None for upstream's."""
    for page in REFERENCES:
        with open(os.path.join(ROOT, "docs", "passes", page), encoding="utf-8") as file:
            if re.search(rf"^### `-{re.escape(name)}`$", file.read(), re.M):
                return f"{page}#-{name}"
    return None


def make_page(tile_opt):
    lines = ["<!-- Made by scripts/pipeline-page.py from the pipelines of tile-opt. -->", "# The passes, in order", "",
             "These are the passes that `tilec` runs, phase by phase (`tile-opt --tessera-to-PHASE`, `tilec --stop-after=PHASE`).",
             "`tile-insert-checks` runs with `tilec --check` alone.", ""]
    told, designs, before = summaries(tile_opt), design_pages(), []
    for phase in PHASES:
        until = passes_to(tile_opt, phase)
        if until[:len(before)] != before:
            sys.exit(f"pipeline-page: error: the pipeline to {phase} does not begin with the one before it")
        lines += [f"## To *{phase}*", "", "| pass | what it does | works on | design |", "|---|---|---|---|"]
        for anchor, name in until[len(before):]:
            documented, design = reference(name), designs.get(name)
            label = f"[`{name}`]({documented})" if documented else f"`{name}` (upstream)"
            page = f"[{design[:-3]}](../design/{design})" if design else ""
            lines.append(f"| {label} | {told.get(name, '')} | `{anchor}` | {page} |".replace("|  |", "| |"))
        lines.append("")
        before = until
    if unknown := set(designs) - {name for _, name in before}:
        sys.exit(f"pipeline-page: error: docs/design names passes that no pipeline has: {' '.join(sorted(unknown))}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="Writes docs/passes/Pipeline.md.")
    parser.add_argument("--tile-opt", default=shutil.which("tile-opt") or os.path.join(ROOT, "build", "dev", "bin", "tile-opt"))
    parser.add_argument("--check", action="store_true", help="change nothing; fail if the page is out of date")
    options = parser.parse_args()
    page = make_page(options.tile_opt)
    if not options.check:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)
        return 0
    with open(PAGE, encoding="utf-8") as file:
        old = file.read()
    if old == page:
        return 0
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), page.splitlines(True), "docs/passes/Pipeline.md", "what it should be"))
    print("pipeline-page: error: docs/passes/Pipeline.md is out of date: run scripts/pipeline-page.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
