# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""serialize.py TILE-OPT TILEC EXAMPLES INPUTS WORK alone|clusters PART/PARTS [--every=N [--every=M]]: what roles and rings compute, on the CPU.

Allocated kernels, by the pipeline and by hand, become straight code in the order of one timing (cta-serialize-trace), go back to L0 and to
the CPU, and are compared with numpy. With --every=N every Nth timing of a case is taken, the first one among them, and with
--every=M every Mth case of the part.
"""
import os
import pathlib
import subprocess
import sys
import types

import numpy as np

HERE = pathlib.Path(__file__).parent
TILE_OPT, TILEC, EXAMPLES_DIR, INPUTS, WORK, BLOCKS = sys.argv[1:7]
# Several tests share the cases: 0/2 is the first half.
PART, PARTS = (int(x) for x in sys.argv[7].split("/"))
EVERY, EVERY_CASE, *_ = [int(word.removeprefix("--every=")) for word in sys.argv[8:]] + [1, 1]
sys.path[:0] = [str(HERE.parent / "Examples"), str(HERE.parent / "GPU"), EXAMPLES_DIR]
from check import run_case
from make_gemms import Product
from reference import EXAMPLES, Case, bf16, gemm_bias_gelu, gemm_nn
from variants import alone, variants
from with_plan import with_plan

ALLOCATE = "builtin.module(tessera-to-allocated{derive-plans=%s})"


def scores(q, k, v):
    # two-channels.mlir: the sum over tiles of 64 keys of scores times the elements of V at the same coordinates.
    rows, result = q.shape[0], np.zeros((q.shape[0], 64))
    for t in range(0, k.shape[0], 64):
        s = np.zeros((rows, 64))
        part = q @ k[t:t + 64].T
        s[:, :part.shape[1]] = part
        tile = np.zeros((64, 64))
        tile[:v[t:t + 64].shape[0]] = v[t:t + 64]
        whole = np.tile(tile, (-(-rows // 64), 1))[:rows]
        result += s * whole
    return result


RING = Case("gemm", gemm_nn, [("A", bf16, ["M", "K"]), ("B", bf16, ["K", "N"])], ("C", bf16, ["M", "N"]), [], rtol=2e-2, atol=2e-2)
SCORES = Case("scores", scores, [("Q", bf16, ["S", 64]), ("K", bf16, ["T", 64]), ("V", np.float32, ["T", 64])], ("O", np.float32, ["S", 64]), [],
              rtol=1e-4, atol=1e-3)

# A residual of 128x256, whose subtiles take turns in one channel.
RESIDUAL = Product("nn", "bf16", epilogue=("residual",))
ADDED = Case(RESIDUAL.name.replace("-", "_"), lambda a, b, r: a @ b + r, [("A", bf16, ["M", "K"]), ("B", bf16, ["K", "N"]), ("R", bf16, ["M", "N"])],
             ("C", bf16, ["M", "N"]), [], rtol=2e-2, atol=2e-2)

# 128x256 tiles, which the warpgroups of a block share.
GELU = Product("nn", "bf16", epilogue=("bias", "gelu"))
FUSED = Case(GELU.name.replace("-", "_"), gemm_bias_gelu, [("A", bf16, ["M", "K"]), ("B", bf16, ["K", "N"]), ("bias", bf16, ["N"])],
             ("C", bf16, ["M", "N"]), [], rtol=2e-2, atol=2e-2)

# TMA cannot fetch the operands as they are, or one of them.
PIECES, MIXED = Product("nn", rows=(8, 4)), Product("nn", rows=(16, 4))


def multiplied(product):
    return Case(product.name.replace("-", "_"), gemm_nn, [("A", bf16, ["M", "K"]), ("B", bf16, ["K", "N"])], ("C", bf16, ["M", "N"]), [], rtol=2e-2, atol=2e-2)


# The same with results and residuals that threads move, in subtiles that take turns in one scratch tile.
WIDE, SCATTERED = Product("nn", result="f32", rows=(8, 4)), Product("nn", epilogue=("residual",), rows=(8, 4))

PRODUCTS = {RESIDUAL: ADDED, GELU: FUSED, PIECES: multiplied(PIECES), MIXED: multiplied(MIXED),
            WIDE: Case(WIDE.name.replace("-", "_"), gemm_nn, ADDED.inputs[:2], ("C", np.float32, ["M", "N"]), [], rtol=1e-4, atol=1e-3),
            SCATTERED: Case(SCATTERED.name.replace("-", "_"), ADDED.function, ADDED.inputs, ADDED.output, [], rtol=2e-2, atol=2e-2)}
LARGE = RESIDUAL, GELU, WIDE, SCATTERED

# both-ways.mlir, a program: one product reads a tile straight, and another one reads it transposed.
TWICE = Case("both_ways", lambda q, k: np.asarray(q @ k.T).astype(bf16).astype(np.float64) @ k, [("Q", bf16, ["S", 128]), ("K", bf16, ["T", 128])],
             ("O", np.float32, ["S", 128]), [], rtol=2e-2, atol=2e-1)

# name or file, plan (None: allocated by hand; "derived": by cta-plan-replicas and cta-plan), shape, timings
CASES = [
    ("gemm-ring.mlir", None, dict(M=300, N=200, K=200), (0, 9)),
    ("gemm-ring.mlir", None, dict(M=300, N=130, K=0), (0,)),
    ("two-channels.mlir", None, dict(S=200, T=200, D=64), (3, 10)),
    ("two-channels.mlir", None, dict(S=200, T=0, D=64), (1,)),
    ("both-ways.mlir", "derived", dict(S=200, T=328, D=128), (3, 6)),
    ("both-ways.mlir", "stages = 0", dict(S=200, T=200, D=128), (1,)),
    ("gemm-nn-128x128x64", "stages = 0", dict(M=200, N=264, K=200), (0,)),
    ("gemm-nn-128x128x64", "stages = 3, persistent = 1", dict(M=200, N=264, K=328), (0, 2, 9)),
    ("gemm-nn-128x128x64", "stages = 3, persistent = 1", dict(M=200, N=264, K=0), (0,)),
    ("gemm-nn-128x128x64", "stages = 2, producers = 0", dict(M=136, N=136, K=200), (7,)),
    ("gemm-tn", "stages = 3, pending = 1, persistent = 1", dict(M=136, N=264, K=200), (8,)),
    # Epilogues in subtiles: several output tiles for each block.
    ("gemm-nn-128x128x64", "stages = 3, persistent = 1, epilogue = 64", dict(M=300, N=264, K=264), (0, 5)),
    ("gemm-nn-128x128x64", "stages = 2, persistent = 1, epilogue = 64, pending = 1", dict(M=300, N=264, K=200), (3,)),
    ("gemm-tn", "stages = 3, pending = 1", dict(M=136, N=136, K=64), (3,)),
    ("gemm-tn", "stages = 3, pending = 1", dict(M=136, N=136, K=0), (0,)),
    ("gemm-tn", "stages = 3, producers = 0, pending = 1", dict(M=136, N=136, K=200), (2,)),
    ("gemm-tn", "stages = 4, producers = 0, persistent = 1", dict(M=136, N=264, K=136), (4,)),
    ("attention", "stages = 2, producers = 4, registers = 232, pending = 1", dict(B=1, H=2, S=136, T=400), (6,)),
    ("attention-guarded", "stages = 2, producers = 4, registers = 232, pending = 1", dict(B=1, H=2, S=136, T=400), (6,)),
    ("attention", "stages = 3, producers = 0, pending = 1", dict(B=1, H=1, S=136, T=128), (2,)),
    ("attention", "stages = 3, producers = 0", dict(B=1, H=1, S=136, T=400), (1,)),
    ("gemm-bias-gelu", "stages = 3, persistent = 1", dict(M=264, N=136, K=136), (6,)),
    ("attention", "stages = 2, persistent = 1", dict(B=1, H=2, S=136, T=264), (9,)),
    ("attention", "stages = 2, persistent = 1", dict(B=1, H=1, S=264, T=0), (5,)),
    ("gemm-nt", "derived", dict(M=264, N=264, K=264), (0, 5)),
    (GELU, "derived", dict(M=264, N=264, K=136), (3,)),
    ("batched-gemm", "derived", dict(Z=2, M=136, N=264, K=136), (4,)),
    (RESIDUAL, "derived", dict(M=264, N=520, K=136), (0, 6)),
    (RESIDUAL, "derived", dict(M=136, N=264, K=0), (1,)),
    (RESIDUAL, "stages = 2, epilogue = 128, persistent = 1", dict(M=264, N=264, K=136), (2,)),
    (RESIDUAL, "stages = 2, producers = 0, epilogue = 64, persistent = 1", dict(M=264, N=264, K=136), (2, 5)),
    # Ping-pong; a residual has turns of its own.
    ("gemm-nn-128x128x64", "replicate = blocks, persistent = 1, stages = 3", dict(M=400, N=300, K=200), (0, 5)),
    ("gemm-nn-128x128x64", "replicate = blocks, persistent = 1, stages = 3, pending = 1, epilogue = 64", dict(M=400, N=300, K=136), (4,)),
    ("gemm-nn-128x128x64", "replicate = blocks, persistent = 1, stages = 3, pending = 1", dict(M=400, N=300, K=0), (1,)),
    (RESIDUAL, "replicate = blocks, warpgroups = 3, persistent = 1, stages = 2, epilogue = 64", dict(M=264, N=264, K=136), (2, 6)),
    # cp.async: synchronous, by all threads, by a warpgroup, together with TMA; rows and columns that end within pieces.
    (PIECES, "stages = 0", dict(M=131, N=262, K=100), (0,)),
    (PIECES, "stages = 3, producers = 0", dict(M=131, N=262, K=228), (0, 7)),
    (PIECES, "stages = 3, producers = 0, persistent = 1, pending = 1", dict(M=131, N=262, K=196), (4,)),
    (PIECES, "stages = 3, producers = 4, persistent = 1", dict(M=264, N=262, K=228), (0, 5, 8)),
    (PIECES, "stages = 2, producers = 4, persistent = 1, pending = 1", dict(M=264, N=262, K=60), (3,)),
    (PIECES, "stages = 2, producers = 4", dict(M=131, N=130, K=0), (1,)),
    (MIXED, "stages = 3, producers = 4, persistent = 1", dict(M=131, N=262, K=232), (2, 6)),
    (MIXED, "stages = 2, producers = 0", dict(M=131, N=130, K=136), (9,)),
    (PIECES, "derived", dict(M=131, N=262, K=228), (3,)),
    (WIDE, "derived", dict(M=264, N=262, K=228), (4,)),
    (SCATTERED, "derived", dict(M=264, N=262, K=228), (5,)),
    # Stream-K on four blocks: three output tiles, one, two waves and a half; an output tile that three blocks share.
    ("gemm-nn-128x128x64", "stages = 3, persistent = 1, stream_k = 2", dict(M=264, N=128, K=648), (0, 5)),
    ("gemm-nn-128x128x64", "stages = 2, persistent = 1, pending = 1, stream_k = 2", dict(M=72, N=72, K=520), (9,)),
    ("gemm-bias-gelu", "stages = 2, persistent = 1, stream_k = 1", dict(M=264, N=264, K=456), (3,)),
    ("gemm-nn-128x128x64", "stages = 2, producers = 0, persistent = 1, stream_k = 1", dict(M=264, N=128, K=264), (7,)),
    ("gemm-nn-128x128x64", "stages = 3, persistent = 1, stream_k = 2", dict(M=136, N=72, K=0), (1,)),
    ("stream-k.mlir", None, dict(M=264, N=130, K=456), (3,)),
    # On eight SMs: three and five output tiles spread over the TPCs, a last wave of five in one row; two blocks on an SM.
    ("gemm-nn-128x128x64", "stages = 3, persistent = 1, spread = 1", dict(M=264, N=128, K=136), (0, 5)),
    ("gemm-nn-128x128x64", "stages = 2, persistent = 1, spread = 1", dict(M=136, N=264, K=72), (3,)),
    ("gemm-nn-128x128x64", "stages = 2, persistent = 1, spread = 1", dict(M=72, N=1600, K=72), (4,)),
    ("gemm-nn-128x128x64", "stages = 2, persistent = 1, blocks_per_sm = 2, spread = 1", dict(M=1400, N=72, K=72), (7,)),
    ("column-sum", "stages = 0", dict(M=257, N=132), (0,)),
    # Clusters: fewer output tiles than blocks, as many, some beyond the end; tiles of which several blocks fetch parts.
    ("cluster-ring.mlir", None, dict(M=300, N=200, K=200), (9,)),
    ("cluster-ring.mlir", None, dict(M=100, N=130, K=0), (1,)),
    # A remainder makes clusters along the other dimension: a row, a column, two rows next to clusters of four.
    ("cluster-rest.mlir", None, dict(M=264, N=264, K=72), (9,)),
    ("gemm-nn-128x128x64", "stages = 2, persistent = 1, cluster = 2, cluster_dim = 1", dict(M=136, N=264, K=136), (7,)),
    ("gemm-nn-128x128x64", "stages = 2, persistent = 1, cluster = 4", dict(M=136, N=392, K=72), (2,)),
    ("gemm-nn-128x128x64", "stages = 2, persistent = 1, cluster = 2, epilogue = 64", dict(M=264, N=136, K=136), (4,)),
    ("gemm-nn-128x128x64", "stages = 3, persistent = 1, cluster = 2, cluster_dim = 1, stream_k = 2", dict(M=136, N=264, K=264), (6,)),
    ("gemm-nn-128x128x64", "stages = 3, persistent = 1, cluster = 2", dict(M=264, N=136, K=200), (11,)),
    ("gemm-nn-128x128x64", "stages = 2, persistent = 1, cluster = 4", dict(M=520, N=72, K=72), (7,)),
    ("gemm-nn-128x128x64", "stages = 2, persistent = 1, cluster = 8", dict(M=136, N=72, K=136), (10,)),
    ("gemm-nt", "stages = 2, persistent = 1, pending = 1, cluster = 2", dict(M=136, N=136, K=136), (8,)),
    ("gemm-bias-gelu", "stages = 2, persistent = 1, cluster = 2", dict(M=264, N=136, K=136), (6,)),
    ("gemm-nn-128x128x64", "stages = 3, persistent = 1, cluster = 2, stream_k = 2", dict(M=520, N=72, K=456), (6,)),
    # Ping-pong in clusters, which is what is derived: more output tiles than warpgroups, output tiles beyond the end.
    ("gemm-bias-gelu", "derived: clusters", dict(M=392, N=264, K=136), (3,)),
    ("gemm-scales-silu", "derived: clusters", dict(M=264, N=264, K=200), (5,)),
    ("gemm-residual", "derived: clusters", dict(M=392, N=264, K=136), (2, 7)),
    ("gemm-residual", "derived: clusters", dict(M=136, N=264, K=0), (1,)),
]


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr[:4000]}")
    return done.stdout


def run_taken(case, straight, shape, seed, file):
    """Compiles and runs the variant that the launcher would take of them all: the first whose guards hold."""
    # A scalar has no extents.
    arguments = [what[1] if len(what) > 1 else [] for _, *what in case.inputs] + [names for _, _, names, *_ in case.outputs]
    shapes = [[shape.get(name, name) for name in names] for names in arguments]
    for variant in variants(straight):
        if variant.kernel != case.kernel or not variant.may_take(shapes):
            continue
        pathlib.Path(file + ".mlir").write_text(alone(straight, variant))
        run([TILEC, file + ".mlir", "-o", file + ".so", "--target=cpu", "-O0"], "")
        problem = run_case(types.SimpleNamespace(tile_run="tile-run", artifact=file + ".so"), case, shape, seed)
        if not problem or "no variant of kernel" not in problem:
            return problem
    return "no variant takes these arguments"


failures = 0
for number, (name, plan, shape, timings) in enumerate(CASES):
    if ("cluster" in f"{name} {plan}") != (BLOCKS == "clusters") or number % PARTS != PART or number // PARTS % EVERY_CASE:
        continue
    if plan is None:
        allocated = (pathlib.Path(INPUTS) / name).read_text()
        cases = [SCORES if "channels" in name else RING]
    else:
        tile = (64, 128, 64) if "replicate" in plan else (128, 256, 64) if name in LARGE else (128, 128, 64)
        file = pathlib.Path(INPUTS) / name if str(name).endswith(".mlir") else pathlib.Path(EXAMPLES_DIR) / f"{name}.mlir"
        program = name.source(tile) if name in PRODUCTS else file.read_text()
        derived = plan.startswith("derived")
        allocated = run([TILE_OPT, "-", f"--pass-pipeline={ALLOCATE % str(derived).lower()}"],
                        program if derived else with_plan(program, plan))
        cases = [PRODUCTS[name]] if name in PRODUCTS else [TWICE] if name == "both-ways.mlir" else EXAMPLES[name]
    sizes = ",".join(f"{key}={value}" for key, value in shape.items())
    cores = 4 if "stream" in f"{name} {plan}" else 8 if "spread" in str(plan) else 2
    for timing in timings[::EVERY]:
        file = os.path.join(WORK, f"serialized-{number}-{timing}")
        straight = run([TILE_OPT, "-", f"--cta-serialize-trace=sizes={sizes} cores={cores} timing={timing}", "--cta-verify",
                        "--convert-cta-to-tile", "--tile-verify"], allocated)
        for case in cases:
            problem = run_taken(case, straight, shape, number, f"{file}-{case.kernel}")
            print(f"{getattr(name, 'name', name)} {plan} {sizes} timing {timing}, {case.kernel}: {problem or 'ok'}")
            failures += problem is not None
print("some differ" if failures else "all agree")
sys.exit(failures != 0)
