#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the RUN lines of a lit test that call tile-run, where there is neither lit nor FileCheck.

  run_lit.py [--kit DIR] [FILE.test]      default: the launcher's device test of the kit

Knows `not`, `2>&1`, and FileCheck with CHECK and CHECK-NEXT lines of text and {{regular expressions}}.
The last line is "N passed, N failed, N skipped".
"""

import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KIT = ROOT if os.path.exists(os.path.join(ROOT, "kit.txt")) else os.path.join(ROOT, "build", "gpu-kit")


def pattern(text):
    """A line of FileCheck as a regular expression; blanks match any blanks."""
    parts = re.split(r"\{\{(.*?)\}\}", text.strip())
    escaped = [re.sub(r"(\\ |\\\t)+", r"[ \\t]+", re.escape(part)) if i % 2 == 0 else f"(?:{part})" for i, part in enumerate(parts)]
    return re.compile("".join(escaped), re.MULTILINE)


def check(lines, prefix, output):
    """The check line that is missing in the output, or None."""
    wanted = []
    for line in lines:
        match = re.match(rf"//\s*{re.escape(prefix)}(-NEXT)?:(.*)", line)
        if match:
            wanted.append((bool(match.group(1)), match.group(2)))
    at = 0
    for is_next, text in wanted:
        found = pattern(text).search(output, at)
        if not found or is_next and output.count("\n", at, found.start()) != 1:
            return text.strip()
        at = found.end()
    return None if wanted else f"no lines of {prefix}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kit", default=KIT)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("file", nargs="?")
    options = parser.parse_args()
    kit = os.path.abspath(options.kit)
    path = options.file or os.path.join(kit, "runtime", "launcher.test")
    with open(path) as file:
        lines = file.read().splitlines()
    environment = dict(os.environ, PATH=kit + os.pathsep + os.environ["PATH"])
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for line in lines:
        match = re.match(r"//\s*RUN:\s*(.*)", line)
        if not match:
            continue
        stages = [stage.strip() for stage in match.group(1).replace("%t", os.path.join(kit, "runtime")).split("|")]
        words = stages[0].split()
        if "tile-run" not in words[:2] or len(stages) > 2 or (len(stages) == 2 and not stages[1].startswith("FileCheck")):
            counts["skipped"] += words[0] not in ("mkdir", "ptxas")
            continue
        inverted = words[0] == "not"
        # lit has pipefail off, so the status of a pipe is FileCheck's.
        command = " ".join(words[1:] if inverted else words)
        try:
            run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment, timeout=options.timeout)
            code, output, err = run.returncode, run.stdout, run.stderr
        except subprocess.TimeoutExpired:
            code, output, err = None, "", "timeout"
        problem = None
        if code is None or code < 0 or (code == 0) == inverted:
            problem = f"exit code {code}: {err.strip() or output.strip()}"
        elif len(stages) == 2:
            prefix = re.search(r"--check-prefix=(\S+)", stages[1])
            missing = check(lines, prefix.group(1) if prefix else "CHECK", output)
            problem = missing and f"expected '{missing}' in '{output.strip()}'"
        counts["failed" if problem else "passed"] += 1
        if problem:
            print(f"FAILED {line.strip()}\n    {problem[:500]}")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
