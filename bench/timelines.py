# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records what cta-simulate=timeline writes for an example, and draws it for bench/charts.py (the format: docs/Debugging.md, A timeline)."""

import os
import subprocess

import svg

EXAMPLE, VARIANT, SIZES = "gemm-nt", "lines", "sizes=M=512,N=512,K=512 cores=4 blocks=0 timings=1"
COLOURS = {"copy": svg.SKY, "store": svg.PURPLE, "product": svg.BLUE, "filling": svg.SKY, "full": svg.YELLOW, "read": svg.BLUE, "issue": svg.GREEN,
           "wait": "#dcdfe4", "stuck": svg.ORANGE}
LEGEND = (("issue", "instructions"), ("wait", "waits"), ("copy", "bytes arrive"), ("product", "product, slot is read"), ("full", "full"), ("store", "store"))
LEAST = 2  # the width of the narrowest bar


def record(build, root):
    """The JSON text for the example, as the simulator writes it."""
    tool = lambda name: os.path.join(build, "bin", name)
    first = [tool("tilec"), f"examples/{EXAMPLE}.mlir", f"--variants={VARIANT}", "--emit=allocated", "-o", "-"]
    allocated = subprocess.run(first, cwd=root, capture_output=True, text=True, check=True).stdout
    second = [tool("tile-opt"), f"--cta-simulate={SIZES} timeline=-", "-o", os.devnull]
    return subprocess.run(second, cwd=root, input=allocated, capture_output=True, text=True, check=True).stdout


def tracks_of(data):
    """[(name, [slice])] of the first block, in the order of its tracks."""
    names = {event["tid"]: event["args"]["name"] for event in data["traceEvents"] if event["name"] == "thread_name" and event["pid"] == 1}
    return [(name, [event for event in data["traceEvents"] if event["ph"] == "X" and event["pid"] == 1 and event["tid"] == thread])
            for thread, name in sorted(names.items())]


def picture(data):
    """The tracks of the first block as rows of bars, with the iteration in the bars that have room for it."""
    tracks = tracks_of(data)
    end = max(event["ts"] + event["dur"] for _, slices in tracks for event in slices)
    left, top, width, bar, gap = 190, 92, 900, 20, 6
    height = top + len(tracks) * (bar + gap) + 36
    at = lambda cycle: left + cycle * (width - left - 24) / end
    title = "A timeline of a matrix product (512³, one block of examples/gemm-nt.mlir)"
    drawn = svg.Svg(width, height, title, f"What the warpgroups, TMA, the tensor cores and the ring slots of a block do in {end} cycles, as the timed run of "
                    "cta-simulate predicts it. Numbers in bars are iterations. The data are in bench/results/timeline.json.")
    drawn.text(16, 26, title, size=16, bold=True)
    drawn.text(16, 44, "Predicted by cta-simulate=timeline, not measured. Numbers are iterations; the same file opens in Perfetto.", fill=svg.MUTED)
    x = 16
    for category, text in LEGEND:
        drawn.rect(x, 56, 10, 10, COLOURS[category])
        drawn.text(x + 15, 65, text, fill=svg.MUTED)
        x += 32 + 6.6 * len(text)
    bottom = height - 30
    for cycle in range(0, end + 1, 1000 if end < 10000 else 2000 if end < 20000 else 5000):
        drawn.line(at(cycle), top - 6, at(cycle), bottom, svg.GRID)
        drawn.text(at(cycle), bottom + 16, str(cycle), "middle", 11, svg.MUTED)
    drawn.text(16, bottom + 16, "cycles", size=11, fill=svg.MUTED)
    for row, (name, slices) in enumerate(tracks):
        y = top + row * (bar + gap)
        drawn.text(left - 12, y + 14, name, "end", 11)
        for event in slices:
            colour, wide = COLOURS[event["cat"]], max(at(event["ts"] + event["dur"]) - at(event["ts"]), LEAST)
            drawn.rect(at(event["ts"]), y, wide, bar, colour, stroke=svg.BACKGROUND if wide > LEAST else None)
            label = str(event["args"]["iteration"])
            if event["cat"] != "wait" and wide > 6.2 * len(label) + 6:
                drawn.text(at(event["ts"]) + wide / 2, y + 14, label, "middle", 11, "#ffffff" if colour in (svg.BLUE, svg.GREEN) else svg.TEXT)
    return str(drawn)
