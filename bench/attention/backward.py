# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The texts of examples/attention-backward.mlir (`add`) and attention-backward-ordered.mlir with other tiles and head sizes."""


def tensor(*shape, element="f32"):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def backward(d=128, keys=128, queries=64, rows=128, columns=64, causal=False, add=False, apart=False, element="bf16", name=None):
    """A kernel for head size `d`.

    Gradients of keys and values: output tiles of `keys` keys, `queries` queries an iteration; if `apart`, in a grid each, so that heads of more than 128
    fit the registers. The gradient of queries: if `add`, blocks add their parts of it in memory; else it has a grid of its own, output tiles of `rows`
    queries, `columns` keys an iteration.
    """
    name = name or "attention_backward" + ("_causal" if causal else "") + ("_add" if add else "")
    wide, rowwise, sums = f"memref<?x?x?x{d}x{element}>", "memref<?x?x?xf32>", f"memref<?x?x?x{d}xf32>"
    of_queries, of_keys = f'{{tile.shape = ["B", "H", "S", {d}]}}', f'{{tile.shape = ["B", "G", "T", {d}]}}'
    text = f"""
tile.kernel @{name}(
    %Q: {wide} {of_queries}, %K: {wide} {of_keys}, %V: {wide} {of_keys},
    %O: {wide} {of_queries}, %DO: {wide} {of_queries},
    %LSE: {rowwise} {{tile.shape = ["B", "H", "S"]}}, %scale: f32,
    %DQ: {wide} {of_queries}, %DK: {wide} {of_keys}, %DV: {wide} {of_keys}) {{
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %G = tile.dim "G" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  // No division by 0 where there are no heads.
  %c1 = arith.constant 1 : index
  %heads = arith.maxsi %G, %c1 : index
  %R = arith.divui %H, %heads : index
  %product = arith.muli %R, %G : index
  %whole = arith.cmpi eq, %product, %H : index
  tile.assume %whole, "each head of keys has as many query heads" : i1
  %L = memref.alloc(%B, %H, %S) : {rowwise}
  %E = memref.alloc(%B, %H, %S) : {rowwise}
"""
    if add and apart:
        raise ValueError("what blocks add to the gradient of queries is a third sum of the grid, which `apart` has no room for")
    if add:
        text += f"  %A = memref.alloc(%B, %H, %S) : {sums}\n"
    text += _before(d, element, wide, rowwise, sums, add)
    for parts in (("v",), ("k",)) if apart else (("k", "v"),):
        text += _keys(d, keys, queries, causal, element, wide, rowwise, sums, add, parts)
    text += _convert(d, element, wide, sums) if add else _queries(d, rows, columns, causal, element, wide, rowwise)
    return text + "  tile.return\n}\n"


def _before(d, element, wide, rowwise, sums, add):
    narrow, whole, row = tensor(64, d, element=element), tensor(64, d), tensor(64)
    text = f"""  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 64) {{
    %c0 = arith.constant 0 : index
    %o = tile.load %O[%b, %h, %i, %c0] : {wide} -> {narrow}
    %g = tile.load %DO[%b, %h, %i, %c0] : {wide} -> {narrow}
    %ow = arith.extf %o : {narrow} to {whole}
    %gw = arith.extf %g : {narrow} to {whole}
    %og = arith.mulf %ow, %gw : {whole}
    %e = tile.reduce addf %og dims = [1] : {whole} -> {row}
    tile.store %e, %E[%b, %h, %i] : {row} -> {rowwise}
    %lse = tile.load %LSE[%b, %h, %i] : {rowwise} -> {row}
    %log2e = arith.constant dense<1.44269504> : {row}
    %none = arith.constant dense<0xFF800000> : {row}
    %never = arith.constant dense<0x7F800000> : {row}
    %l2 = arith.mulf %lse, %log2e : {row}
    %blind = arith.cmpf oeq, %lse, %none : {row}
    %l = arith.select %blind, %never, %l2 : {tensor(64, element="i1")}, {row}
    tile.store %l, %L[%b, %h, %i] : {row} -> {rowwise}
"""
    if add:
        text += f"""    %zero = arith.constant dense<0.0> : {whole}
    tile.store %zero, %A[%b, %h, %i, %c0] : {whole} -> {sums}
"""
    return text + "  }\n"


def _constants(step, s, acc):
    return f"""    %c0 = arith.constant 0 : index
    %step = arith.constant {step} : index
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : {s}
    %nothing = arith.constant dense<0.0> : {acc}
"""


def _keys(d, keys, queries, causal, element, wide, rowwise, sums, add, parts):
    tall, flat, turned = tensor(keys, d, element=element), tensor(queries, d, element=element), tensor(d, queries, element=element)
    s, p, acc, row = tensor(keys, queries), tensor(keys, queries, element=element), tensor(keys, d), tensor(queries)
    bits, ints = tensor(keys, queries, element="i1"), tensor(keys, queries, element="i32")
    text = f"""  tile.grid (%b, %g, %j) = (0, 0, 0) to (%B, %G, %T) step (1, 1, {keys}) {{
{_constants(queries, s, acc)}    %k = tile.load %K[%b, %g, %j, %c0] : {wide} -> {tall}
"""
    if "k" in parts:
        text += f"    %v = tile.load %V[%b, %g, %j, %c0] : {wide} -> {tall}\n"
    start, mask, exponent = "%c0", "", "%x"
    if add and not causal:
        exponent = "%y"
        text += f"""    // A key that does not exist has k = 0, but p = exp2(−l): 0 · ∞ would be NaN in the gradient of queries.
    %j32 = arith.index_cast %j : index to i32
    %end32 = arith.index_cast %T : index to i32
    %key = tile.iota dim = 0 from %j32 : {ints}
    %keys = tensor.splat %end32 : {ints}
    %exists = arith.cmpi slt, %key, %keys : {ints}
    %never = arith.constant dense<0xFF800000> : {s}
"""
        mask = f"      %y = arith.select %exists, %x, %never : {bits}, {s}\n"
    if causal:
        start, exponent = "%start", "%y"
        text += f"""    // Key j is seen by the queries from j + S − T on.
    %shift = arith.subi %S, %T : index
    %first = arith.addi %j, %shift : index
    %some = arith.maxsi %first, %c0 : index
    %block = arith.divui %some, %step : index
    %start = arith.muli %block, %step : index
    %first32 = arith.index_cast %first : index to i32
    %own = tile.iota dim = 0 from %first32 : {ints}
    %never = arith.constant dense<0xFF800000> : {s}
"""
        mask = f"""      %i32 = arith.index_cast %i : index to i32
      %query = tile.iota dim = 1 from %i32 : {ints}
      %seen = arith.cmpi sge, %query, %own : {ints}
      %y = arith.select %seen, %x, %never : {bits}, {s}
"""
    both = ", ".join
    types = both([acc] * len(parts))

    def carried(before, after):
        return both(f"%d{part}{before} = %{f'd{part}{after}' if after else 'nothing'}" for part in parts)

    text += f"""    %head = arith.muli %g, %R : index
    %after = arith.addi %head, %R : index
    %last = arith.minsi %after, %H : index
    {both(f"%d{part}" for part in parts)} = scf.for %h = %head to %last step %c1 iter_args({carried(2, 0)}) -> ({types}) {{
      {both(f"%d{part}s" for part in parts)} = scf.for %i = {start} to %S step %step iter_args({carried(0, 2)}) -> ({types}) {{
      %q = tile.load %Q[%b, %h, %i, %c0] : {wide} -> {flat}
      %qt = tile.transpose %q dims = [1, 0] : {flat} -> {turned}
      %s = tile.mma %k, %qt : {tall}, {turned} -> {s}
      %do = tile.load %DO[%b, %h, %i, %c0] : {wide} -> {flat}
"""
    if "k" in parts:
        text += f"""      %dot = tile.transpose %do dims = [1, 0] : {flat} -> {turned}
      %dp = tile.mma %v, %dot : {tall}, {turned} -> {s}
"""
    text += f"""      %l = tile.load %L[%b, %h, %i] : {rowwise} -> {row}
      %scaled = arith.mulf %s, %factors : {s}
      %ls = tile.broadcast %l dims = [1] : {row} -> {s}
      %x = arith.subf %scaled, %ls : {s}
{mask}      %p = math.exp2 {exponent} fastmath<afn> : {s}
"""
    if "v" in parts:
        text += f"      %pn = arith.truncf %p : {s} to {p}\n"
    if "k" in parts:
        text += f"""      %e = tile.load %E[%b, %h, %i] : {rowwise} -> {row}
      %es = tile.broadcast %e dims = [1] : {row} -> {s}
      %above = arith.subf %dp, %es : {s}
      %ds = arith.mulf %p, %above : {s}
      %dsn = arith.truncf %ds : {s} to {p}
"""
    if "v" in parts:
        text += f"      %dv1 = tile.mma %pn, %do, %dv0 : {p}, {flat} -> {acc}\n"
    if "k" in parts:
        text += f"      %dk1 = tile.mma %dsn, %q, %dk0 : {p}, {flat} -> {acc}\n"
    if add and d % 64 == 0:
        text += f"""      %kt = tile.transpose %k dims = [1, 0] : {tall} -> {tensor(d, keys, element=element)}
      %dqt = tile.mma %kt, %dsn : {tensor(d, keys, element=element)}, {p} -> {tensor(d, queries)}
      tile.atomic add %dqt, %A[%b, %h, %i, %c0] dims = [3, 2] : {tensor(d, queries)} -> {sums}
"""
    elif add:  # the rows of a product on the tensor cores are multiples of 64
        text += f"""      %dst = tile.transpose %dsn dims = [1, 0] : {p} -> {tensor(queries, keys, element=element)}
      %dq = tile.mma %dst, %k : {tensor(queries, keys, element=element)}, {tall} -> {tensor(queries, d)}
      tile.atomic add %dq, %A[%b, %h, %i, %c0] : {tensor(queries, d)} -> {sums}
"""
    text += f"""      scf.yield {both(f"%d{part}1" for part in parts)} : {types}
      }}
      scf.yield {both(f"%d{part}s" for part in parts)} : {types}
    }}
"""
    if "k" in parts:
        text += f"""    %scales = tensor.splat %scale : {acc}
    %dkw = arith.mulf %dk, %scales : {acc}
    %dkn = arith.truncf %dkw : {acc} to {tall}
"""
    if "v" in parts:
        text += f"    %dvn = arith.truncf %dv : {acc} to {tall}\n"
    for part in parts:
        text += f"    tile.store %d{part}n, %D{part.upper()}[%b, %g, %j, %c0] : {tall} -> {wide}\n"
    return text + "  }\n"


def _queries(d, rows, columns, causal, element, wide, rowwise):
    tall, flat, turned = tensor(rows, d, element=element), tensor(columns, d, element=element), tensor(d, columns, element=element)
    s, p, acc, row = tensor(rows, columns), tensor(rows, columns, element=element), tensor(rows, d), tensor(rows)
    bits, ints = tensor(rows, columns, element="i1"), tensor(rows, columns, element="i32")
    text = f"""  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, {rows}) {{
{_constants(columns, s, acc)}    %never = arith.constant dense<0xFF800000> : {s}
    %g = arith.divui %h, %R : index
    %q = tile.load %Q[%b, %h, %i, %c0] : {wide} -> {tall}
    %do = tile.load %DO[%b, %h, %i, %c0] : {wide} -> {tall}
    %l = tile.load %L[%b, %h, %i] : {rowwise} -> {row}
    %e = tile.load %E[%b, %h, %i] : {rowwise} -> {row}
    %ls = tile.broadcast %l dims = [0] : {row} -> {s}
    %es = tile.broadcast %e dims = [0] : {row} -> {s}
"""
    end, mask, seen = "%T", "", "%exists"
    if causal:
        end, seen = "%end", "%seen"
        text += f"""    // A query at row r sees the keys up to r + T − S.
    %tall = arith.constant {rows} : index
    %shift = arith.subi %T, %S : index
    %first = arith.addi %i, %shift : index
    %last = arith.addi %first, %tall : index
    %end = arith.minsi %last, %T : index
    %first32 = arith.index_cast %first : index to i32
    %own = tile.iota dim = 0 from %first32 : {ints}
"""
        mask = f"""      %before = arith.cmpi sle, %key, %own : {ints}
      %seen = arith.andi %exists, %before : {bits}
"""
    return text + f"""    %end32 = arith.index_cast {end} : index to i32
    %keys = tensor.splat %end32 : {ints}
    %dq = scf.for %j = %c0 to {end} step %step iter_args(%dq0 = %nothing) -> ({acc}) {{
      %k = tile.load %K[%b, %g, %j, %c0] : {wide} -> {flat}
      %kt = tile.transpose %k dims = [1, 0] : {flat} -> {turned}
      %s = tile.mma %q, %kt : {tall}, {turned} -> {s}
      %scaled = arith.mulf %s, %factors : {s}
      %x = arith.subf %scaled, %ls : {s}
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 : {ints}
      %exists = arith.cmpi slt, %key, %keys : {ints}
{mask}      %y = arith.select {seen}, %x, %never : {bits}, {s}
      %p = math.exp2 %y fastmath<afn> : {s}
      %v = tile.load %V[%b, %g, %j, %c0] dims = [3, 2] : {wide} -> {turned}
      %dp = tile.mma %do, %v : {tall}, {turned} -> {s}
      %above = arith.subf %dp, %es : {s}
      %ds = arith.mulf %p, %above : {s}
      %dsn = arith.truncf %ds : {s} to {p}
      %dq1 = tile.mma %dsn, %k, %dq0 : {p}, {flat} -> {acc}
      scf.yield %dq1 : {acc}
    }}
    %scales = tensor.splat %scale : {acc}
    %dqs = arith.mulf %dq, %scales : {acc}
    %dqn = arith.truncf %dqs : {acc} to {tall}
    tile.store %dqn, %DQ[%b, %h, %i, %c0] : {tall} -> {wide}
  }}
"""


def _convert(d, element, wide, sums):
    whole, narrow = tensor(64, d), tensor(64, d, element=element)
    return f"""  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 64) {{
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%b, %h, %i, %c0] : {sums} -> {whole}
    %scales = tensor.splat %scale : {whole}
    %y = arith.mulf %x, %scales : {whole}
    %z = arith.truncf %y : {whole} to {narrow}
    tile.store %z, %DQ[%b, %h, %i, %c0] : {narrow} -> {wide}
  }}
"""
