# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the Python code in pages: pages.py ROOT PAGE...

The blocks of a page are one program. A block that imports PyTorch is left out where PyTorch is not there.
"""

import importlib.util
import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    has_torch = importlib.util.find_spec("torch") is not None
    for page in sys.argv[2:]:
        text = (root / page).read_text(encoding="utf-8")
        names, run, left_out = {"__name__": page}, 0, 0
        for match in re.finditer(r"(?ms)^```python\n(.*?)^```$", text):
            if "import torch" in match[1] and not has_torch:
                left_out += 1
                continue
            # With the lines of the page, for what is wrong.
            exec(compile("\n" * text.count("\n", 0, match.start(1)) + match[1], page, "exec"), names)
            run += 1
        print(f"{page}: {run} blocks run, {left_out} left out")


if __name__ == "__main__":
    main()
