# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the loader looks for libraries of a build tree's programs and libraries: loader-paths.py BUILD. Every directory is
absolute, or relative to the program; an empty one is the current directory."""

import os
import re
import subprocess
import sys

BUILD = sys.argv[1]
seen = 0
for folder in ("bin", "lib"):
    for name in sorted(os.listdir(os.path.join(BUILD, folder))):
        path = os.path.join(BUILD, folder, name)
        if os.path.islink(path) or not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            if file.read(4) != b"\x7fELF":
                continue
        text = subprocess.run(["llvm-readelf", "-d", path], capture_output=True, text=True, check=True).stdout
        for paths in re.findall(r"(?:RUNPATH|RPATH)\).*\[(.*)\]", text):
            seen += 1
            for directory in paths.split(":"):
                if not directory.startswith(("/", "$ORIGIN/")):
                    sys.exit(f"{path}: the loader looks in '{directory}': {paths}")
print(f"{seen} lists of directories are good")
