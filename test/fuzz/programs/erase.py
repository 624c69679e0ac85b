# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes programs down the GPU's pipeline and back to L0: layouts, copies, channels and orders are decisions, not meaning, so that the CPU must compute
the same of what is left (test/Examples/erased*.test do that with the examples)."""

import functools
import re
import subprocess

# The passes after which a copy of the kernel is turned back.
LAST = {"placed": "cta-trim-copies", "decomposed": "cta-form-tables", "planned": "cta-hint-caches", "lowered": "cta-lower-grid",
        "pipelined": "cta-pipeline-copies", "scheduled": "cta-schedule", "rotated": "cta-defer-waits"}
BACK = "builtin.module(tile.kernel(cta-verify,convert-cta-to-tile))"
# Whose blocks print with the coordinates of the program's own grid.
PRINTING = ("placed", "decomposed", "planned")


@functools.cache
def passes():
    """(scope, pass) of the pipeline of lib/Pipelines to phase scheduled, as the tool itself writes it down."""
    done = subprocess.run(["tile-opt", "-", "--tessera-to-scheduled", "--dump-pass-pipeline", "-o", "/dev/null"], input="module {}", capture_output=True, text=True)
    found, scope = [], None
    for line in done.stderr.splitlines()[2:]:
        text = line.strip().rstrip(",")
        if text.endswith("(") and scope is None:
            scope = text[:-1]
        elif text == ")":
            scope = None
        elif text:
            found.append((scope, re.sub(r"\{ *\}", "", text)))
    names = [re.match(r"[\w-]+", text).group() for _, text in found]
    missing = [name for name in LAST.values() if name not in names]
    if missing:
        raise RuntimeError(f"tile-opt's pipeline to phase scheduled has no pass {missing[0]}: {done.stderr[-400:]}")
    return list(zip(names, *zip(*found)))


def steps(phases=tuple(LAST)):
    """[(phase or "", pipeline)] of what leads from one phase to the next."""
    left, found = passes(), []
    for phase, last in LAST.items():
        at = max(i for i, (name, _, _) in enumerate(left) if name == last) + 1
        found.append((phase if phase in phases else "", _pipeline(left[:at])))
        left = left[at:]
    while not found[-1][0]:
        found.pop()
    return found


def _pipeline(entries):
    return f"builtin.module({','.join(text if scope is None else f'{scope}({text})' for _, scope, text in entries)})"


def pipeline(phase):
    """Down to a phase and back, as one."""
    inner = [text[len("builtin.module("):-1] for _, text in steps((phase,))]
    return f"builtin.module({','.join(inner)},{BACK[len('builtin.module('):-1]})"
