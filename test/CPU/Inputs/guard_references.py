# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tile-guard-references: loops over logits compute what they did, and what numpy does. Logits that grow along the loop, that jump by 2^10 in one block, rows and
beginnings of rows of -inf, +inf and NaN; scales of both signs, zero, infinite and NaN. NaNs stand exactly where the plain program has them."""

import subprocess

import numpy as np
from tile_cpu import *

ROWS, BLOCK, D = 8, 16, 4
rng = np.random.default_rng(161)


def attention(name, element, power, floor, rows=ROWS, lse=False):
    """o = Σ p · v / l over blocks of logits, and what exponents are relative to: by rows. `power`: exp, exp2, or exp2 with one factor."""
    s, r, o, a = tensor([rows, BLOCK], element), tensor([rows], element), tensor([rows, D], element), memref(2, element)
    log = "math.log2" if "2" in power else "math.log"
    exp = "math." + power.split("-")[0]
    if power == "exp2-fused":  # one factor of both, multiplied before
        exponent = f"""      %sf = arith.mulf %s, %fs : {s}
      %mf = arith.mulf %m1, %fr : {r}
      %top = tile.broadcast %mf dims = [0] : {r} -> {s}
      %d = arith.subf %sf, %top : {s}"""
    else:
        exponent = f"""      %top = tile.broadcast %m1 dims = [0] : {r} -> {s}
      %ds = arith.subf %s, %top : {s}
      %d = arith.mulf %ds, %fs : {s}"""
    return f"""
tile.kernel @{name}(%S: {a}, %V: {a}, %f: {element}, %O: {a}, %L: memref<?x{element}>) {{
  %c0 = arith.constant 0 : index
  %n = memref.dim %V, %c0 : {a}
  tile.grid () = () to () step () {{
    %step = arith.constant {BLOCK} : index
    %fs = tensor.splat %f : {s}
    %fr = tensor.splat %f : {r}
    %floor = arith.constant dense<{floor}> : {r}
    %zero = arith.constant dense<0.0> : {r}
    %one = arith.constant dense<1.0> : {r}
    %nothing = arith.constant dense<0.0> : {o}
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> ({r}, {r}, {o}) {{
      %s = tile.load %S[%c0, %j] pad = neg_inf : {a} -> {s}
      %t = tile.reduce maximumf %s dims = [1] : {s} -> {r}
      %m1 = arith.maximumf %t, %m0 : {r}
{exponent}
      %p = {exp} %d : {s}
      %fall = arith.subf %m0, %m1 : {r}
      %fallf = arith.mulf %fall, %fr : {r}
      %a = {exp} %fallf : {r}
      %part = tile.reduce addf %p dims = [1] : {s} -> {r}
      %l1 = math.fma %l0, %a, %part : {r}
      %as = tile.broadcast %a dims = [0] : {r} -> {o}
      %scaled = arith.mulf %as, %o0 : {o}
      %v = tile.load %V[%j, %c0] : {a} -> {tensor([BLOCK, D], element)}
      %o1 = tile.mma %p, %v, %scaled : {s}, {tensor([BLOCK, D], element)} -> {o}
      scf.yield %m1, %l1, %o1 : {r}, {r}, {o}
    }}
    %empty = arith.cmpf oeq, %l, %zero : {r}
    %divisor = arith.select %empty, %one, %l : {tensor([rows], "i1")}, {r}
    %inverse = arith.divf %one, %divisor : {r}
    %is = tile.broadcast %inverse dims = [0] : {r} -> {o}
    %q = arith.mulf %o, %is : {o}
    tile.store %q, %O[%c0, %c0] : {o} -> {a}
    // log Σ exp(f · s), to base 2 or e.
    %log = {log} %l : {r}
    %mf1 = arith.mulf %m, %fr : {r}
    %lse = arith.addf %mf1, %log : {r}
    tile.store %lse, %L[%c0] : {r} -> memref<?x{element}>
  }}
  tile.return
}}"""


def row(name, reference):
    """Log-sum-exp and softmax of each row by itself: the reference is a tile of rank 0, a tile of one element, or a scalar."""
    s = tensor([1, BLOCK] if reference == "tensor<1xf32>" else [BLOCK], "f32")
    dims, load = (1, "%i, %j") if reference == "tensor<1xf32>" else (0, "%i, %j")
    spread = {"f32": "tensor.splat %{} : " + s, "tensor<f32>": "tile.broadcast %{} dims = [] : tensor<f32> -> " + s,
              "tensor<1xf32>": "tile.broadcast %{} dims = [0] : tensor<1xf32> -> " + s}[reference]
    reduced = "tensor<f32>" if reference == "f32" else reference

    def reduce(result, kind, what):
        if reference != "f32":
            return f"      %{result} = tile.reduce {kind} %{what} dims = [{dims}] : {s} -> {reduced}"
        return f"      %{result}0 = tile.reduce {kind} %{what} dims = [0] : {s} -> tensor<f32>\n      %{result} = tensor.extract %{result}0[] : tensor<f32>"

    constant = lambda text: f"arith.constant {text} : f32" if reference == "f32" else f"arith.constant dense<{text}> : {reference}"
    store = {"f32": "memref.store %lse, %L[%i] : memref<?xf32>",
             "tensor<f32>": "%lse0 = tensor.extract %lse[] : tensor<f32>\n    memref.store %lse0, %L[%i] : memref<?xf32>",
             "tensor<1xf32>": "tile.store %lse, %L[%i] : tensor<1xf32> -> memref<?xf32>"}[reference]
    return f"""
tile.kernel @{name}(%S: memref<?x?xf32>, %Y: memref<?x?xf32>, %L: memref<?xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %S, %c0 : memref<?x?xf32>
  %n = memref.dim %S, %c1 : memref<?x?xf32>
  tile.grid (%i) = (0) to (%rows) step (1) {{
    %step = arith.constant {BLOCK} : index
    %floor = {constant("-1.0e30")}
    %zero = {constant("0.0")}
    %m, %l = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero) -> ({reference}, {reference}) {{
      %s = tile.load %S[{load}] pad = neg_inf : memref<?x?xf32> -> {s}
{reduce("t", "maximumf", "s")}
      %m1 = arith.maximumf %m0, %t : {reference}
      %top = {spread.format("m1")}
      %d = arith.subf %s, %top : {s}
      %p = math.exp %d : {s}
{reduce("part", "addf", "p")}
      %fall = arith.subf %m0, %m1 : {reference}
      %a = math.exp %fall : {reference}
      %kept = arith.mulf %l0, %a : {reference}
      %l1 = arith.addf %kept, %part : {reference}
      scf.yield %m1, %l1 : {reference}, {reference}
    }}
    %log = math.log %l : {reference}
    %lse = arith.addf %m, %log : {reference}
    {store}
    %ms = {spread.format("m")}
    %ls = {spread.format("l")}
    scf.for %j = %c0 to %n step %step {{
      %s = tile.load %S[{load}] : memref<?x?xf32> -> {s}
      %d = arith.subf %s, %ms : {s}
      %p = math.exp %d : {s}
      %y = arith.divf %p, %ls : {s}
      tile.store %y, %Y[{load}] : {s} -> memref<?x?xf32>
    }}
  }}
  tile.return
}}"""


ATTENTION = [("natural", "f32", "exp", "-1.0e30"), ("binary", "f32", "exp2", "-1.0e30"), ("fused", "f32", "exp2-fused", "-1.0e30"),
             ("wide", "f64", "exp", "-1.0e30"), ("open", "f32", "exp2", "0xFF800000")]
ROW = [("scalar", "f32"), ("rank0", "tensor<f32>"), ("rank1", "tensor<1xf32>")]
text = "\n".join([attention(*arguments) for arguments in ATTENTION] + [row(*arguments) for arguments in ROW])
done = subprocess.run(["tile-opt", "-", "--pass-pipeline=builtin.module(canonicalize,cse,tile.kernel(tile-guard-references))"], input=text, capture_output=True, text=True)
if done.returncode or done.stdout.count("tile.rare") != len(ATTENTION) + len(ROW):
    sys.exit(f"not all loops are guarded:\n{done.stdout}\n{done.stderr}")
plain, guarded = Program(text, "-O0", placed=False), Program("module {\n" + done.stdout + "\n}" if "module" not in done.stdout else done.stdout, "-O0")


def logits(kind, n):
    s = rng.standard_normal((ROWS, n))
    column = np.arange(n)
    if kind == "grow":
        s = s + 0.7 * column
    elif kind == "fall":
        s = s - 0.7 * column
    elif kind == "jump":
        s = s + 1024.0 * (column >= n // 2)
    elif kind == "far":
        s = s * 3e4
    elif kind == "masked":  # rows, beginnings and ends
        s[0] = -np.inf
        s[1, : BLOCK + 3] = -np.inf
        s[2, n - BLOCK :] = -np.inf
        s[3, 1:] = -np.inf
    elif kind == "special":
        s = s + 0.3 * column
        for i, (at, value) in enumerate([(0, np.nan), (n - 1, np.nan), (n // 2, np.inf), (n - 1, np.inf), (0, np.inf)]):
            s[i, at] = value
        s[5, 3], s[5, n - 2] = np.inf, np.nan
        s[6], s[6, n // 3] = -np.inf, 2.0
    return s


def reference(s, v, f, base):
    """Finite scales above zero, in f64."""
    with np.errstate(all="ignore"):
        x = s.astype(np.float64) * np.float64(f)
        top = np.maximum(x.max(axis=1, keepdims=True), -1e30)
        p = base ** (x - top)
        l = p.sum(axis=1, keepdims=True)
        o = np.where(l == 0, 0, p @ v.astype(np.float64) / np.where(l == 0, 1, l))
        lse = (top + np.log(l) / np.log(base))[:, 0]
        return o, lse, p / l


for kind in ("even", "grow", "fall", "jump", "far", "masked", "special"):
    for n in (BLOCK, 5 * BLOCK, 9 * BLOCK):
        for name, element, power, floor in ATTENTION:
            dtype = np.float64 if element == "f64" else np.float32
            s, v = logits(kind, n).astype(dtype), rng.standard_normal((n, D)).astype(dtype)
            for f in (1.0, 0.25, -0.5, 0.0, np.inf, np.nan) if n > BLOCK else (1.0,):
                nothing = [np.full((ROWS, D), np.nan, dtype), np.full(ROWS, np.nan, dtype)]
                arguments = [s, v, float(f), *nothing]
                was, now = (program.run(name, *arguments, out=[3, 4]) for program in (plain, guarded))
                what = f"{name}, {kind}, {n} logits, f = {f}"
                # The plain program overflows for some rows with a negative scale: what was finite must be.
                tolerance = dict(rtol=1e-4, atol=1e-5) if dtype == np.float32 else dict(rtol=1e-11, atol=1e-12)
                if kind == "far" or f * 1024 == np.inf:
                    tolerance["atol"] *= 1e3
                for part, a, b in zip("OL", was, now):
                    kept = np.isfinite(a) if f < 0 else np.ones(a.shape, bool)
                    check(f"{what}, {part}, as before", np.where(kept, b, 0), np.where(kept, a, 0), **tolerance)
                if f > 0 and np.isfinite(f) and kind != "special" and floor == "-1.0e30":
                    o, lse, _ = reference(s, v, f, 2 if "2" in power else np.e)
                    check(f"{what}, O", now[0], o.astype(dtype), rtol=1e-3 if kind != "far" else 1e-2, atol=1e-4)
                    seen = np.isfinite(lse) & (lse > -1e29)
                    check(f"{what}, L", np.where(seen, now[1], 0), np.where(seen, lse, 0).astype(dtype), rtol=1e-4, atol=1e-4)
        for name, _ in ROW:
            s = logits(kind, n).astype(np.float32)
            nothing = [np.full((ROWS, n), np.nan, np.float32), np.full(ROWS, np.nan, np.float32)]
            was, now = (program.run(name, s, *nothing, out=[1, 2]) for program in (plain, guarded))
            for part, a, b in zip("YL", was, now):
                check(f"{name}, {kind}, {n} logits, {part}, as before", b, a, rtol=1e-4, atol=1e-5)
            if kind in ("even", "grow", "fall", "jump"):
                _, lse, y = reference(s, np.zeros((n, 1)), 1.0, np.e)
                check(f"{name}, {kind}, {n} logits, Y", now[0], y.astype(np.float32), rtol=1e-3, atol=1e-6)
                check(f"{name}, {kind}, {n} logits, L", now[1], lse.astype(np.float32), rtol=1e-5, atol=1e-5)
finish()
