# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cluster_rest.py TILE-OPT TILEC WORK: clusters take each output tile of a grid once, the remainder included.

Each output tile adds 1 to a tile of zeros. The grids that cta-lower-grid has divided go back to L0 and to the CPU.
"""
import itertools
import os
import subprocess
import sys

import launch
import numpy as np

TILE_OPT, TILEC, WORK = sys.argv[1:4]
PASSES = "builtin.module(canonicalize,cse,tile.kernel(convert-tile-to-cta,cta-assign-layouts,cta-select-copies,cta-trim-copies,cta-decompose,cta-plan{derive=false},cta-lower-grid%s))"
BACK = ",cta-verify,convert-cta-to-tile"
EXTENT = 4  # of a tile
KERNEL = """
tile.kernel @rest(%x: memref<{question}xf32> {{tile.shape = [{names}]}}) attributes {{plan = #cta.plan<persistent = 1, {plan}>}} {{
{dims}  tile.grid ({points}) = ({lower}) to ({upper}) step ({step}){order} {{
    %v = tile.load %x[{points}] dims = [{last}] : memref<{question}xf32> -> tensor<4x4xf32>
    %one = arith.constant dense<1.0> : tensor<4x4xf32>
    %w = arith.addf %v, %one : tensor<4x4xf32>
    tile.store %w, %x[{points}] dims = [{last}] : tensor<4x4xf32> -> memref<{question}xf32>
  }}
  tile.return
}}
"""
# rank, cluster, cluster_dim, group
CASES = [(2, 2, 0, 0), (2, 2, 1, 3), (2, 4, 0, 2), (2, 4, 1, 0), (2, 8, 0, 0), (3, 2, 1, 2), (3, 2, 2, 0), (3, 4, 1, 0), (3, 4, 2, 2), (3, 2, 0, 0), (3, 4, 0, 0)]


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr[:4000]}")
    return done.stdout


def kernel(rank, cluster, along, group):
    names = "ZMN"[-rank:]
    plan = f"cluster = {cluster}, cluster_dim = {along}" + (f", group = {group}" if group else "")
    return KERNEL.format(question="x".join("?" * rank), names=", ".join(f'"{n}"' for n in names), plan=plan,
                         dims="".join(f'  %{n.lower()} = tile.dim "{n}" : index\n' for n in names),
                         points=", ".join(f"%p{d}" for d in range(rank)), lower=", ".join("0" * rank),
                         upper=", ".join(f"%{n.lower()}" for n in names), step=", ".join(["1", "4", "4"][-rank:]), order="",
                         last=f"{rank - 2}, {rank - 1}")


failures = 0
for rank, cluster, along, group in CASES:
    name = f"rank {rank}, cluster = {cluster}, cluster_dim = {along}, group = {group}"
    text = kernel(rank, cluster, along, group)
    lowered = run(TILE_OPT, "-", f"--pass-pipeline={PASSES % ''}", text=text)
    assert f"cluster = {cluster} : i64" in lowered and "arith.cmpi ult" in lowered, f"{name}: no clusters"
    file = os.path.join(WORK, f"rest-{rank}-{cluster}-{along}-{group}")
    with open(file + ".mlir", "w", encoding="utf-8") as out:
        out.write(run(TILE_OPT, "-", f"--pass-pipeline={PASSES % BACK}", text=text))
    run(TILEC, file + ".mlir", "-o", file + ".so", "--target=cpu")
    wide = range(cluster + 2) if rank == 2 or cluster == 2 else (0, 1, 3, 5)
    for counts in itertools.product(*([(0, 1, 3)] if rank == 3 else []), wide, (0, 1, 2, 3, 4, 5, 9)):
        shape = [*counts[:-2], *(n * EXTENT for n in counts[-2:])]
        if min(counts) > 0:
            shape[-1] -= 1  # The last tiles end after the array.
        (found,) = launch.launch(file + ".so", "rest", [np.zeros(shape, np.float32)], [0], threads=1 + sum(counts) % 5)
        if found.shape != tuple(shape) or (found != 1).any():
            print(f"{name}, {counts} points: failed, times {np.unique(found)}")
            failures += 1
print("some failed" if failures else "each point once")
sys.exit(failures != 0)
