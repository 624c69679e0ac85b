#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the rules of the source tree (CONTRIBUTING.md, "The tree").

  scripts/check-house.py [--root DIR] [--list]

  * A file includes files of its own room and of lower floors only; FLOORS has the rooms.
  * No file of code has 600 lines or more, no folder more than 25 files of code.
  * Every file of code begins with the licence.

With --list: prints each room, lowest first, with the rooms that it includes. Exit code 1 if a rule is broken.
"""

import argparse
import os
import re
import subprocess
import sys

MAX_LINES, MAX_FILES = 600, 25
CODE = (".cpp", ".h", ".td", ".c", ".py", ".sh", ".cmake")
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
# The rooms from the ground up. Rooms in one line do not include each other. The name of a room is a path under lib and include/tessera; `tools` is
# the folder of that name.
FLOORS = """
Machine
Layout Schedule Plan Runtime
Dialect/Tile
Dialect/Tile/Transforms
Dialect/Cta/IR
Dialect/Cta/Analysis
Dialect/Cta/Verify Dialect/Cta/Place Dialect/Cta/Plan Dialect/Cta/Pipeline Dialect/Cta/Specialize Dialect/Cta/Allocate Dialect/Cta/Erase
Dialect/Cta
Contract
Conversion
Target Simulate
Pipelines
Compiler
CAPI InitAll
tools
"""
# Headers directly under include/tessera belong to one room each. So do files that all rooms of a dialect share.
ROOM_OF = {
    "include/tessera/Pipelines.h": "Pipelines",
    "include/tessera/Compiler.h": "Compiler",
    "include/tessera/Report.h": "Compiler",
    "include/tessera/InitAll.h": "InitAll",
    "include/tessera/Leftovers.h": "Target",
    "include/tessera/StopCondition.h": "Target",
    "include/tessera/Dialect/Cta/PassBase.td": "Dialect/Cta/Analysis",
}


def floors():
    """{room: floor}"""
    return {room: floor for floor, line in enumerate(FLOORS.strip().split("\n")) for room in line.split()}


def room_of(path, known):
    """The room of a file: of all rooms with which its folder's path begins, the longest."""
    if path in ROOM_OF:
        return ROOM_OF[path]
    parts = path.split("/")
    if parts[0] == "tools":
        return "tools"
    if path.startswith("include/tessera-c/"):
        return "CAPI"
    folder = parts[1:-1] if parts[0] == "lib" else parts[2:-1]
    for length in range(len(folder), 0, -1):
        if "/".join(folder[:length]) in known:
            return "/".join(folder[:length])
    return None


def included(root, path):
    """[(line number, file)] of the files of this tree that it includes. Generated files belong to the room of their folder."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = re.match(r'\s*#?\s*include "([^"]+)"', line)
            if not match:
                continue
            name = match[1]
            if name.startswith(("tessera/", "tessera-c/")):
                yield number, "include/" + name
            else:
                beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
                if os.path.exists(os.path.join(root, beside)):
                    yield number, beside


def check(root, files):
    """Messages about broken rules, and {room: rooms that it includes}."""
    known, broken, uses = floors(), [], {}
    folders = {}
    for path in files:
        folders.setdefault(os.path.dirname(path), []).append(path)
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = file.read().splitlines()
        if len(lines) >= MAX_LINES:
            broken.append(f"{path}: {len(lines)} lines; a file has less than {MAX_LINES}: give its parts files of their own")
        if not any(SPDX in line for line in lines[:4]):
            broken.append(f"{path}: does not begin with the licence: {SPDX}")
        if not path.startswith(("lib/", "include/", "tools/")):
            continue
        room = room_of(path, known)
        if room is None:
            broken.append(f"{path}: is in no room; scripts/check-house.py lists them")
            continue
        uses.setdefault(room, set())
        for number, name in included(root, path):
            other = room_of(name, known)
            if other is None:
                broken.append(f"{path}:{number}: includes {name}, which is in no room")
            elif other != room:
                uses[room].add(other)
                if known[other] >= known[room]:
                    broken.append(f"{path}:{number}: {room} includes {name} of {other}, which is no lower floor")
    for folder, held in sorted(folders.items()):
        if len(held) > MAX_FILES:
            broken.append(f"{folder}: {len(held)} files of code; a folder has at most {MAX_FILES}")
    return broken, uses


def main():
    parser = argparse.ArgumentParser(description="Checks the rules of the source tree.")
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--list", action="store_true", help="print the rooms and what they include")
    options = parser.parse_args()
    listed = subprocess.run(["git", "-C", options.root, "ls-files", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True, check=False)
    if listed.returncode:
        parser.exit(2, f"check-house: error: {listed.stderr.strip()}\n")
    files = sorted({path for path in listed.stdout.split("\n")
                    if path.endswith(CODE) and os.path.isfile(os.path.join(options.root, path))})
    broken, uses = check(options.root, files)
    if options.list:
        for room in floors():
            print(room, "->", " ".join(sorted(uses.get(room, ()), key=floors().get)) or "(nothing)")
    for message in broken:
        print("check-house: error:", message, file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
