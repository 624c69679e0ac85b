# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""simulate_pipelined.py TILE-OPT EXAMPLES: runs cta-simulate on examples under several plans and sizes."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Examples"))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "GPU"))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "bench", "attention"))
import programs
from make_gemms import Product
from simulate import simulate
from with_plan import with_plan

# Extents of K: no iteration, one, one less than the depth, the depth, one more.
CASES = [
    ("gemm-nn-128x128x64", ["stages = 3, persistent = 1", "stages = 3", "stages = 1, persistent = 1", "stages = 2, producers = 0, persistent = 1",
      "stages = 4, producers = 0", "stages = 3, persistent = 1, pending = 1", "stages = 2, pending = 1", "stages = 3, producers = 0, persistent = 1, pending = 1"],
     [f"M=300,N=520,K={k}" for k in (0, 1, 128, 192, 256)]),
    # Ping-pong: several output tiles for each warpgroup, so that the ring wraps between its turns.
    ("gemm-nn-128x128x64", ["replicate = blocks, persistent = 1, stages = 3", "replicate = blocks, persistent = 1, stages = 4, epilogue = 64, pending = 1",
      "replicate = blocks, persistent = 1, stages = 1"],
     [f"M=700,N=520,K={k}" for k in (0, 1, 128, 192, 256, 640)]),
    ("attention", ["stages = 2, persistent = 1", "stages = 2, producers = 0, persistent = 1", "stages = 3, producers = 0, pending = 1",
                   "stages = 2, producers = 4, registers = 232, persistent = 1, pending = 1"],
     [f"B=1,H=2,S=600,T={t}" for t in (0, 1, 128, 256, 384)]),
    # Votes of warps, and branches of which one is in the next iteration.
    ("attention-guarded", ["stages = 2, persistent = 1", "stages = 2, producers = 4, registers = 232, persistent = 1, pending = 1"],
     [f"B=1,H=2,S=600,T={t}" for t in (0, 1, 128, 256, 384)]),
    # Three warpgroups that issue two products in turn: two output tiles, so that turns go on from one to the next; also with masks.
    ("heads-64-192-128", ["warpgroups = 3, stages = 4, producers = 4, registers = 160, persistent = 1, pending = 1", "warpgroups = 3, stages = 2, producers = 4, registers = 160, persistent = 1, pending = 1"],
     [f"B=1,H=2,S=600,T={t}" for t in (0, 1, 128, 256, 384, 800)]),
    # Several products with whose results an iteration computes, two of which read from registers, and one a tile that the iteration stages.
    ("attention-backward", ["stages = 2, producers = 4, registers = 232, persistent = 1, pending = 1", "stages = 2, producers = 0, persistent = 1, pending = 1"],
     [f"B=1,H=2,G=1,S={s},T=300" for s in (0, 1, 128, 192, 256)]),
    ("gemm-bias-gelu", ["stages = 2, persistent = 1"], [f"M=300,N=520,K={k}" for k in (0, 64, 192)]),
    # An epilogue in subtiles: one output tile for each block and many.
    ("gemm-nn-128x128x64", ["stages = 3, persistent = 1, epilogue = 64", "stages = 2, persistent = 1, epilogue = 64, pending = 1"],
     [f"M={m},N=520,K={k}" for m in (100, 700) for k in (0, 1, 192, 640)]),
    # Loads that go ahead of their subtiles; loads of a channel within subtiles.
    ("nn-bias-gelu", ["stages = 2, persistent = 1, epilogue = 32"], [f"M={m},N=520,K={k}" for m in (100, 700) for k in (0, 256, 320)]),
    ("nt-residual", ["stages = 3, persistent = 1, epilogue = 32", "stages = 1, persistent = 1, epilogue = 64"],
     [f"M={m},N=520,K={k}" for m in (100, 700) for k in (0, 64, 192, 256, 640)]),
]
PASSES = "builtin.module(tessera-to-allocated{variants=aligned derive-plans=false})"


def program_of(name):
    """An example, attention with that head size and extents of tiles, or a product of make_gemms.py with 128x128 tiles."""
    if name.startswith("heads-"):
        return programs.forward(*(int(extent) for extent in name.split("-")[1:]))
    example = pathlib.Path(sys.argv[2]) / f"{name}.mlir"
    layout, *epilogue = name.split("-")
    return example.read_text() if example.exists() else Product(layout, epilogue=tuple(epilogue)).source((128, 128, 64))


failed = False
for name, plans, sizes in CASES:
    program = program_of(name)
    for plan in plans:
        made = subprocess.run([sys.argv[1], "-", f"--pass-pipeline={PASSES}"], input=with_plan(program, plan), capture_output=True, text=True, check=True)
        assert "cta.ring" in made.stdout, f"{name}, {plan}: no channel"
        assert "warpgroups = 3" not in plan or "{in_turn}" in made.stdout, f"{name}, {plan}: no product in turn"
        assert "pending = 1" not in plan or ") pending = 1" in made.stdout, f"{name}, {plan}: nothing stays in flight"
        for size, (clean, printed) in zip(sizes, simulate(sys.argv[1], made.stdout, [f"sizes={size} timings=16 cores=3" for size in sizes])):
            if not clean:
                print(f"{name}, {plan}, {size}: failed\n{printed}")
                failed = True
print("some failed" if failed else "all clean")
sys.exit(failed)
