# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The allocated kernels that mutate_allocated.py changes: every example with its derived plan, and plans for what derived ones do not have.

Sizes are small and ragged. Of products there are as many iterations as a ring has slots, one less, one more, one and none, with one point a
block and several; of clusters points that are left over.
"""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parent.parent / "examples"
sys.path[:0] = [str(HERE.parent / "Examples"), str(HERE.parent / "GPU")]
from make_gathers import products
from make_gemms import Product
from with_plan import with_plan


class Kernel:
    """`sizes` are for the protocol, `values` those of which values are compared, too; the output tiles are divided among `cores` SMs."""

    def __init__(self, name, program, plan, sizes, values, cores=2, variants="aligned"):
        self.name, self.program, self.plan = name, program, plan
        self.sizes, self.values, self.cores, self.variants = sizes, values, cores, variants

    def source(self):
        return with_plan(self.program, self.plan) if self.plan else self.program

    @property
    def pipeline(self):
        return f"builtin.module(tessera-to-allocated{{variants={self.variants} derive-plans={str(not self.plan).lower()}}})"


def text(shape):
    return ",".join(f"{name}={extent}" for name, extent in shape.items())


def of_product(name, program, plan, tile, depth, cores=2, variants="aligned", rows=3, columns=2, step=8, **more):
    """`rows` by `columns` output tiles, the last ones cut off; one column, and one output tile, of other sizes. Output tiles of depth - 1, depth + 1 and 2 depth - 1 iterations
    begin at each slot of the ring in turn, with both parities; twice around the ring and one iteration are more than any prologue has."""
    m, n, k = tile
    shape = lambda r, c, k: {"M": m * (r - 1) + step, "N": n * (c - 1) + 2 * step, "K": k, **more}
    trips = lambda count: k * (count - 1) + step if count else 0
    long = 2 * depth + 1
    sizes = [shape(rows, columns, trips(depth + 1)), shape(rows, columns, 1), shape(rows, columns, trips(max(depth - 1, 0))), shape(rows, columns, trips(2 * depth - 1)),
             shape(rows + 1, 1, trips(depth)), shape(rows + 2, 1, trips(long)), shape(rows + 2, 1, trips(long + 1)), shape(1, 1, trips(long)), shape(rows, columns, 0)]
    values = [shape(rows, columns, trips(depth + 1)), shape(rows, columns, trips(1))]
    return Kernel(name, program, plan, [text(s) for s in sizes], [text(s) for s in values], cores, variants)


def example(name):
    return (EXAMPLES / f"{name}.mlir").read_text()


def kernels():
    # --- what is derived ---
    # Tiles, slots, SMs: of clusters four, so that each has several output tiles.
    # The texts of gemm-nt and gemm-tn differ from that of gemm-nn by the coordinates of copies only.
    for name, tile, depth in (("gemm-nn", (128, 256, 64), 3), ("gemm-tt", (128, 256, 64), 3), ("gemm-nn-128x128x64", (128, 128, 64), 5),
                              ("gemm-nn-64x256x64", (64, 256, 64), 2)):
        yield of_product(name, example(name), None, tile, depth, cores=4, rows=5, columns=3)
    yield of_product("batched-gemm", example("batched-gemm"), None, (128, 256, 64), 3, cores=4, rows=3, columns=3, Z=2)
    for name, tile in (("gemm-bias-gelu", (192, 128, 64)), ("gemm-residual", (176, 128, 64)), ("gemm-scales-silu", (176, 128, 64))):
        yield of_product(name, example(name), None, tile, 5, cores=4, rows=5, columns=3)
    for name, tile, depth in (("gemm-nn", (128, 256, 64), 3), ("gemm-bias-gelu", (192, 128, 64), 4), ("gemm-residual", (176, 128, 64), 3)):
        yield of_product(name + ", cp_async", example(name), None, tile, depth, variants="cp_async", step=4)
    yield of_product("batched-gemm, cp_async", example("batched-gemm"), None, (128, 256, 64), 3, variants="cp_async", step=4, rows=2, Z=2)
    for name, tile in (("gemm-nn", (128, 256, 64)), ("gemm-residual", (176, 128, 64))):
        yield of_product(name + ", any", example(name), None, tile, 1, variants="any", step=5)
    # Keys for one to eight iterations of 128, with a remainder and without; as many queries where they are masked.
    attention = [f"B=1,H={heads},S={queries},T={keys}" for heads, queries, keys in
                 ((2, 300, 520), (3, 264, 384), (1, 136, 128), (2, 264, 300), (1, 900, 1000), (2, 300, 1), (2, 136, 0))]
    whole = example("attention")
    at = whole.index("tile.kernel @attention_causal")
    plain, causal = whole[:at], whole[at:]
    # Six output tiles a block and more: the slots of the numbers that come from a queue are filled again.
    queue = ["B=1,H=3,S=500,T=136", "B=1,H=2,S=900,T=8"]
    for name, program, variants in (("attention_causal", causal, "aligned"), ("attention, cp_async", plain, "cp_async"), ("attention_causal, any", causal, "any"),
                                    ("attention-guarded", example("attention-guarded"), "aligned")):
        yield Kernel(name, program, None, attention + queue * (name == "attention_causal"), ["B=1,H=2,S=136,T=264"], variants=variants)
    # Output tiles without iterations, where only the channel of their numbers keeps the roles together. Their values depend on data: only the protocol is checked.
    sparse = [f"M={rows},N={columns},K=256,P={(rows + 63) // 64 + 1},Z=8" for rows, columns in ((136, 264), (520, 256), (900, 300), (64, 128))]
    yield Kernel("block-sparse", example("block-sparse"), None, sparse, [])
    softmax = example("softmax")
    yield Kernel("softmax_any", softmax[softmax.index("tile.kernel @softmax_any"):], None, ["M=5,N=300", "M=3,N=5000"], ["M=5,N=3000"], variants="any")
    yield Kernel("softmax_2048", softmax[softmax.index("tile.kernel @softmax_2048"):softmax.index("tile.kernel @softmax_4096")], None, ["M=5,N=300", "M=3,N=1500"], ["M=5,N=300"], variants="any")
    for name, sizes in (("softmax-bf16", ["M=5,N=300", "M=3,N=3000"]), ("layer-norm", ["M=5,N=300", "M=3,N=3000"]),
                        ("rms-norm", ["M=5,N=300", "M=3,N=3000"]), ("column-sum", ["M=300,N=200", "M=20000,N=100"]), ("transpose", ["M=131,N=67", "M=64,N=200"])):
        yield Kernel(name, example(name), None, sizes, sizes[:1], variants="any")

    # --- other plans ---
    square = (128, 128, 64)
    for depth, plan in ((1, "stages = 0"), (3, "stages = 3, persistent = 1"), (3, "stages = 3"), (1, "stages = 1, persistent = 1"),
                        (2, "stages = 2, producers = 0, persistent = 1"), (3, "stages = 3, pending = 1, persistent = 1"),
                        (3, "stages = 3, producers = 0, pending = 1, persistent = 1"),
                        (3, "replicate = blocks, stages = 3, pending = 1, persistent = 1, epilogue = 64"), (3, "replicate = blocks, stages = 3, persistent = 1"),
                        (3, "stages = 3, persistent = 1, epilogue = 64")):
        yield of_product("gemm-nn-128x128x64: " + plan, example("gemm-nn-128x128x64"), plan, square, depth, rows=4)
    for depth, plan in ((3, "stages = 3, persistent = 1, cluster = 2, cluster_dim = 1"), (2, "stages = 2, persistent = 1, cluster = 4"),
                        (2, "stages = 2, producers = 0, persistent = 1, cluster = 2"), (3, "replicate = blocks, stages = 3, persistent = 1, cluster = 2, epilogue = 64")):
        yield of_product("gemm-nn-128x128x64: " + plan, example("gemm-nn-128x128x64"), plan, square, depth, cores=4, rows=5, columns=3)
    # Stream-K on four blocks or clusters: three output tiles, one, six; none divided; no iteration.
    for plan in ("stages = 3, persistent = 1, stream_k = 2", "stages = 2, producers = 0, persistent = 1, stream_k = 1", "stages = 2, persistent = 1, pending = 1, stream_k = 2"):
        yield Kernel("gemm-nn-128x128x64: " + plan, example("gemm-nn-128x128x64"), plan,
                     ["M=264,N=128,K=648", "M=72,N=72,K=520", "M=700,N=128,K=456", "M=512,N=128,K=200", "M=1500,N=128,K=136", "M=264,N=128,K=0"], ["M=264,N=128,K=648"], cores=4)
    yield Kernel("gemm-nn-128x128x64: clusters by iterations", example("gemm-nn-128x128x64"), "stages = 3, persistent = 1, cluster = 2, stream_k = 2",
                 ["M=520,N=72,K=456", "M=264,N=72,K=520", "M=700,N=128,K=264", "M=2100,N=128,K=136"], ["M=520,N=72,K=456"], cores=8)
    residual = Product("nn", "bf16", epilogue=("residual",))
    for tile, depth, rows, plan in (((128, 256, 64), 2, 3, "stages = 2, producers = 0, epilogue = 64, persistent = 1"),
                                    ((64, 128, 64), 2, 8, "replicate = blocks, warpgroups = 3, persistent = 1, stages = 2, epilogue = 64"),
                                    ((128, 128, 64), 3, 4, "stages = 3, persistent = 1, epilogue = 32"),
                                    ((128, 256, 64), 2, 3, "stages = 2, epilogue = 128, persistent = 1")):
        yield of_product("residual: " + plan, residual.source(tile), plan, tile, depth, rows=rows)
    yield of_product("bias, gelu, loads ahead", Product("nn", epilogue=("bias", "gelu")).source(square), "stages = 2, persistent = 1, epilogue = 32", square, 2)
    pieces, mixed = Product("nn", rows=(8, 4)), Product("nn", rows=(16, 4))
    for depth, plan in ((1, "stages = 0"), (3, "stages = 3, producers = 0, persistent = 1"), (3, "stages = 3, producers = 0, persistent = 1, pending = 1"),
                        (4, "stages = 4, producers = 4, persistent = 1"), (3, "stages = 3, producers = 4, persistent = 1, pending = 1")):
        yield of_product("cp.async: " + plan, pieces.source(square), plan, square, depth, variants="any", step=4)
    yield of_product("TMA and cp.async", mixed.source(square), "stages = 3, producers = 4, persistent = 1", square, 3, variants="any", step=8)
    wide = (128, 256, 64)
    yield of_product("f32 results by threads", Product("nn", result="f32", rows=(8, 4)).source(wide), None, wide, 3, variants="any", step=4)
    yield of_product("f32 results by TMA", Product("nn", result="f32").source(wide), None, wide, 3, cores=4, rows=3)
    # Rows that an index tile names, by cp.async; pages by TMA, of rows and of K.
    gathered = {product.name: product for product in products()}
    for name, depth, plan, more in (("gather-ab", 5, None, {"Ta": 9, "Tb": 7, "Xa": 400, "Xb": 400}),
                                    ("gather-ab", 3, "stages = 3, producers = 0, persistent = 1", {"Ta": 9, "Tb": 7, "Xa": 400, "Xb": 400}),
                                    ("pages-a", 5, None, {"Ta": 9, "Xa": 25}), ("pages-b-k", 5, None, {"Tb": 9, "Xb": 25})):
        yield of_product(f"{name}: {plan or 'derived'}", gathered[name].source(), plan, square, depth, cores=4, **more)
    for plan in ("stages = 3, producers = 0, pending = 1", "stages = 2, persistent = 1"):
        yield Kernel("attention_causal: " + plan, causal, plan, attention, ["B=1,H=2,S=136,T=264"])
    # A product that adds to memory by TMA.
    sums = Product("nn", result="f32").source(square).replace("tile.store", "tile.atomic add")
    for depth, plan in ((3, None), (3, "stages = 3, persistent = 1, epilogue = 64"), (2, "stages = 2, producers = 0, persistent = 1")):
        yield of_product(f"sums: {plan or 'derived'}", sums, plan, square, depth, rows=4)
