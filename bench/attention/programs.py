# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of examples/attention.mlir with other tiles and head sizes, and that of examples/mamba2-ssd.mlir with other states."""

import os

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


def ssd(state):
    """The kernel of examples/mamba2-ssd.mlir with a state of `state` x 64 for each head, a multiple of 64."""
    with open(os.path.join(EXAMPLES, "mamba2-ssd.mlir"), encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("//")]
    return "".join(lines).replace("128", str(state))


def forward(d, rows, keys, causal=False, d_v=None, element="bf16", name=None):
    """A kernel for head size `d` (of V and O: `d_v`), output tiles of `rows` queries, `keys` keys an iteration."""
    d_v = d_v or d
    name = name or ("attention_causal" if causal else "attention")
    q, k, v, o = f"tensor<{rows}x{d}x{element}>", f"tensor<{d}x{keys}x{element}>", f"tensor<{keys}x{d_v}x{element}>", f"tensor<{rows}x{d_v}xf32>"
    s, row, ints = f"tensor<{rows}x{keys}xf32>", f"tensor<{rows}xf32>", f"tensor<{rows}x{keys}xi32>"
    bits, p = f"tensor<{rows}x{keys}xi1>", f"tensor<{rows}x{keys}x{element}>"
    wide, wide_v = f"memref<?x?x?x{d}x{element}>", f"memref<?x?x?x{d_v}x{element}>"
    bound, seen = "%T", "%exists"
    before = mask = ""
    if causal:
        bound, seen = "%end", "%seen"
        before = f"""
    %shift = arith.subi %T, %S : index
    %first = arith.addi %i, %shift : index
    %tall = arith.constant {rows} : index
    %last = arith.addi %first, %tall : index
    %end = arith.minsi %last, %T : index
    %first32 = arith.index_cast %first : index to i32
    %own = tile.iota dim = 0 from %first32 : {ints}"""
        mask = f"""
      %before = arith.cmpi sle, %key, %own : {ints}
      %seen = arith.andi %exists, %before : {bits}"""
    return f"""
tile.kernel @{name}(%Q: {wide} {{tile.shape = ["B", "H", "S", {d}]}}, %K: {wide} {{tile.shape = ["B", "H", "T", {d}]}},
                    %V: {wide_v} {{tile.shape = ["B", "H", "T", {d_v}]}}, %scale: f32, %O: {wide_v} {{tile.shape = ["B", "H", "S", {d_v}]}}) {{
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, {rows}) {{
    %c0 = arith.constant 0 : index
    %step = arith.constant {keys} : index
    %q = tile.load %Q[%b, %h, %i, %c0] : {wide} -> {q}
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : {s}
    %rows = tensor.splat %factor : {row}
    %floor = arith.constant dense<-1.0e30> : {row}
    %zero = arith.constant dense<0.0> : {row}
    %nothing = arith.constant dense<0.0> : {o}
    %never = arith.constant dense<0xFF800000> : {s}{before}
    %end32 = arith.index_cast {bound} : index to i32
    %keys = tensor.splat %end32 : {ints}
    %m, %l, %o = scf.for %j = %c0 to {bound} step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> ({row}, {row}, {o}) {{
      %k = tile.load %K[%b, %h, %j, %c0] dims = [3, 2] : {wide} -> {k}
      %qk = tile.mma %q, %k : {q}, {k} -> {s}
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 : {ints}
      %exists = arith.cmpi slt, %key, %keys : {ints}{mask}
      %s = arith.select {seen}, %qk, %never : {bits}, {s}
      %here = tile.reduce maximumf %s dims = [1] : {s} -> {row}
      %m1 = arith.maximumf %m0, %here : {row}
      %scaled = arith.mulf %s, %factors : {s}
      %ms = arith.mulf %m1, %rows : {row}
      %top = tile.broadcast %ms dims = [0] : {row} -> {s}
      %d = arith.subf %scaled, %top : {s}
      %p = math.exp2 %d fastmath<afn> : {s}
      %drop = arith.subf %m0, %m1 : {row}
      %fall = arith.mulf %drop, %rows : {row}
      %a = math.exp2 %fall fastmath<afn> : {row}
      %part = tile.reduce addf %p dims = [1] : {s} -> {row}
      %kept = arith.mulf %l0, %a : {row}
      %l1 = arith.addf %kept, %part : {row}
      %as = tile.broadcast %a dims = [0] : {row} -> {o}
      %rescaled = arith.mulf %o0, %as : {o}
      %narrow = arith.truncf %p : {s} to {p}
      %v = tile.load %V[%b, %h, %j, %c0] : {wide_v} -> {v}
      %o1 = tile.mma %narrow, %v, %rescaled : {p}, {v} -> {o}
      scf.yield %m1, %l1, %o1 : {row}, {row}, {o}
    }}
    %empty = arith.cmpf oeq, %l, %zero : {row}
    %one = arith.constant dense<1.0> : {row}
    %divisor = arith.select %empty, %one, %l : tensor<{rows}xi1>, {row}
    %inverse = arith.divf %one, %divisor : {row}
    %inverses = tile.broadcast %inverse dims = [0] : {row} -> {o}
    %r = arith.mulf %o, %inverses : {o}
    %out = arith.truncf %r : {o} to tensor<{rows}x{d_v}x{element}>
    tile.store %out, %O[%b, %h, %i, %c0] : tensor<{rows}x{d_v}x{element}> -> {wide_v}
  }}
  tile.return
}}
"""
