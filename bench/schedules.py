# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records what cta-schedule=print-problems prints for a loop, and reads it for bench/charts.py (the format: lib/Schedule/TextFormat.cpp).

The file names the commands that made it. The words of the format are explained in include/tessera/Schedule/Problem.h.
"""

import os
import subprocess
from types import SimpleNamespace

# The passes between phase placed and cta-schedule, as lib/Pipelines has them.
PASSES = ("cta-split-epilogue{derive=true},cta-decompose,cta-plan,cta-hint-caches,cta-lower-grid{dependent=true},cta-stream-k,"
          "cta-pipeline-copies,cta-defer-sums,cta-peel-masks,cta-schedule{print-problems=true}")


def record(build, root, example, variant):
    """The text for one example: the commands as comments, then what the compiler prints."""
    first = ["tilec", f"examples/{example}.mlir", f"--variants={variant}", "--stop-after=placed", "-o", "-"]
    second = ["tile-opt", "--mlir-disable-threading", f"--pass-pipeline=builtin.module(tile.kernel({PASSES}))", "-o", "/dev/null"]
    tool = lambda command: [os.path.join(build, "bin", command[0]), *command[1:]]
    placed = subprocess.run(tool(first), cwd=root, capture_output=True, text=True, check=True).stdout
    printed = subprocess.run(tool(second), cwd=root, input=placed, capture_output=True, text=True, check=True).stderr
    said = " ".join(first) + " | \\\n#   " + " ".join(f"'{word}'" if "(" in word else word for word in second)
    return f"# {said}\n{printed}"


def parse(text):
    """A list of loops, each with its name, operations, channels, edges, replicas and the schedule that was found."""
    loops = []
    for line in text.splitlines():
        if line.startswith("# @"):
            name, _, rest = line[3:].partition(", bound by ")
            loops.append(SimpleNamespace(name=name, bound=rest, replicas=1, ii=None, operations={}, channels={}, through=[]))
        words = line.split("#")[0].replace(",", " ").split()
        if not words or not loops:
            continue
        loop, keyword = loops[-1], words[0]
        if keyword in ("replicas", "ii"):
            setattr(loop, keyword, int(words[1]))
        elif keyword == "channel":
            loop.channels[words[1]] = SimpleNamespace(bytes=int(words[3]), shared="shared" in words, depth=0)
        elif keyword == "op":
            loop.operations[words[1]] = _operation(words)
        elif keyword == "through":
            loop.through.append((words[1], words[2], words[4]))
        elif keyword == "start":
            loop.operations[words[1]].start = int(words[2])
        elif keyword == "depth":
            loop.channels[words[1]].depth = int(words[2])
    return [loop for loop in loops if loop.ii and all(op.start is not None for op in loop.operations.values())]


def _operation(words):
    value = lambda key: int(words[words.index(key) + 1]) if key in words else 0
    at = words.index("uses") + 1 if "uses" in words else len(words)
    uses = {unit: int(cycles) for unit, cycles in zip(words[at::2], words[at + 1::2])}
    return SimpleNamespace(load="load" in words[2:3], asynchronous=words[2] in ("load", "async"), issue=value("issue"), latency=value("latency"),
                           uses=uses, start=None)


def residences(loop):
    """[(channel, load, filled, first read, end of the last read)] of iteration 0: when a slot is used, and for what."""
    found = []
    for channel in loop.channels:
        edges = [(source, reader) for name, source, reader in loop.through if name == channel]
        loads = [loop.operations[source] for source, _ in edges]
        readers = [loop.operations[reader] for _, reader in edges]
        last = max(op.start + (op.latency if op.asynchronous else op.issue) for op in readers)
        if loop.channels[channel].shared:
            last += (loop.replicas - 1) * loop.ii // loop.replicas
        found.append((channel, min(op.start for op in loads), max(op.start + op.latency for op in loads), min(op.start for op in readers), last))
    return found
