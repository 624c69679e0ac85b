# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""simulate_clusters.py TILE-OPT EXAMPLES [--every=N]: runs cta-simulate on examples in clusters. With --every=N every Nth size of each plan is run, other ones from plan to plan."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Examples"))
from simulate import simulate
from with_plan import with_plan

PASSES = "builtin.module(tessera-to-allocated{variants=aligned derive-plans=%s})"
# Output tiles of a column of the grid: fewer than blocks of a cluster, as many as there are blocks, no multiple of them; tiles are 128 rows.
ROWS = {2: (100, 256, 600), 4: (300, 512, 600), 8: (700, 1024, 1100)}
# Extents of K, in addition to those that follow from the depth: no iteration and one.
STEP = 64


def cases():
    for cluster in (2, 4, 8):
        for depth in (1, 2, 3, 4):
            trips = sorted({0, 1, depth - 1, depth, depth + 1})
            yield "gemm-nn-128x128x64", f"stages = {depth}, persistent = 1, cluster = {cluster}", [
                f"M={rows},N=200,K={STEP * k}" for rows in ROWS[cluster] for k in trips]
    # A remainder, which makes clusters along the other dimension: for two one, which has an odd number of output tiles across; for four one and two,
    # and three, which does not. Both dimensions.
    for along, rows, columns in ((0, "M", "N"), (1, "N", "M")):
        plan = f"persistent = 1, cluster_dim = {along}, cluster = "
        yield "gemm-nn-128x128x64", f"stages = 3, {plan}2", [f"{rows}={r},{columns}={c},K={STEP * k}" for r, c in ((100, 300), (300, 300), (600, 392)) for k in (0, 1, 2, 3, 4)]
        yield "gemm-nn-128x128x64", f"stages = 2, {plan}4", [f"{rows}={r},{columns}=640,K={STEP * k}" for r in (100, 600, 768, 896) for k in (0, 1, 2, 3)]
    yield "gemm-nn-128x128x64", "stages = 2, producers = 0, persistent = 1, cluster = 2", [f"M=600,N=200,K={STEP * k}" for k in range(4)]
    yield "gemm-nn-128x128x64", "stages = 3, pending = 1, persistent = 1, cluster = 4", [f"M=600,N=200,K={STEP * k}" for k in range(5)]
    yield "gemm-nn-128x128x64", "replicate = blocks, stages = 3, persistent = 1, cluster = 2", [f"M=600,N=520,K={STEP * k}" for k in (0, 1, 4)]
    yield "gemm-bias-gelu", "stages = 2, persistent = 1, cluster = 2", ["M=600,N=300,K=192"]
    # What is derived: ping-pong in clusters, more output tiles than warpgroups; no iteration, one, fewer than slots, as many, more.
    for name in ("gemm-bias-gelu", "gemm-scales-silu", "gemm-residual"):
        yield name, None, [f"M={rows},N=520,K={STEP * k}" for rows in (100, 1300) for k in (0, 1, 5, 6)]


failed = False
every = next((int(word.removeprefix("--every=")) for word in sys.argv if word.startswith("--every=")), 1)
for number, (name, plan, sizes) in enumerate(cases()):
    sizes = sizes[number % min(every, len(sizes))::every]
    program = (pathlib.Path(sys.argv[2]) / f"{name}.mlir").read_text()
    passes = PASSES % ("false" if plan else "true")
    made = subprocess.run([sys.argv[1], "-", f"--pass-pipeline={passes}"], input=with_plan(program, plan) if plan else program, capture_output=True, text=True, check=True)
    assert "multicast = " in made.stdout, f"{name}, {plan}: nothing is shared"
    assert "multicast_if" in made.stdout, f"{name}, {plan}: points left over share nothing"
    assert plan or "replicas(2)" in made.stdout, f"{name}: no ping-pong is derived"
    for size, (clean, printed) in zip(sizes, simulate(sys.argv[1], made.stdout, [f"sizes={size} timings=16 cores=8" for size in sizes])):
        if not clean:
            print(f"{name}, {plan}, {size}: failed\n{printed}")
            failed = True
print("some failed" if failed else "all clean")
sys.exit(failed)
