# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""f8E4M3FN and f8E5M2: conversions of all bit patterns and on both sides of every boundary, arithmetic on all pairs, and every kind of op
that moves or combines elements. Arrays of f8 are arrays of bytes here."""

import ml_dtypes
import numpy as np
from tile_cpu import *

F8 = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}
EVERY = np.arange(256, dtype=np.uint8)
DTYPES.update({name: np.uint8 for name in F8})


def wide(bits, element):
    return bits.view(F8[element]).astype(np.float64)


def rounded(x, element, saturate=False):
    """f64 to f8 with one rounding, as bytes; NaN is 0x7f."""
    x = np.asarray(x, np.float64)
    numbers = wide(EVERY[:128], element)
    table = numbers[np.isfinite(numbers)]
    a = np.abs(x)
    with np.errstate(all="ignore"):
        at = np.clip(np.searchsorted(table, a, side="right") - 1, 0, len(table) - 2)
        down, up = a - table[at], table[at + 1] - a
        code = at + ((up < down) | ((up == down) & (at % 2 == 1)))
        beyond = table[-1] + (table[-1] - table[-2]) / 2
        # Half way is rounded to the even code: up in f8E5M2, whose largest number is 0x7b, down in f8E4M3FN.
        large = (a > beyond) | ((a == beyond) & (len(table) % 2 == 0))
        code = np.where(large, len(table) - 1 if saturate else len(table), code)
    code = np.where(np.isnan(x), 0x7F, code | np.where(np.signbit(x), 0x80, 0))
    return code.astype(np.uint8)


ROUNDED = ("truncf", "sitofp", "uitofp", "addf", "subf", "mulf", "divf", "maximumf", "minimumf", "remf", "sqrt", "fma")


def agree(what, got, want, element):
    """The same bytes; any NaN is any NaN, unless a rounding makes it."""
    if what.startswith(ROUNDED):
        same(what, got.reshape(want.shape).view(np.uint8), want)
        return
    if element in F8:
        got, want = (x.reshape(want.shape).view(np.uint8).view(F8[element]).astype(np.float32) for x in (got, want))
    same(what, typed(got, element).reshape(want.shape) if element not in F8 else got, want)


kernels, runs = [], []


def kernel(body, *arguments):
    """`body` computes %r from %a, %b, … of (shape, element); the last argument is the result's."""
    name = f"k{len(kernels)}"
    text = "".join(f"%A{i}: {memref(len(shape), e)}, " for i, (shape, e) in enumerate(arguments))[:-2]
    text = f"tile.kernel @{name}({text}) {{\n  tile.grid () = () to () step () {{\n    %c0 = arith.constant 0 : index\n"
    for i, (shape, e) in enumerate(arguments[:-1]):
        zeros = ", ".join(["%c0"] * len(shape))
        text += f"    %{'abcd'[i]} = tile.load %A{i}[{zeros}] : {memref(len(shape), e)} -> {tensor(shape, e)}\n"
    shape, e = arguments[-1]
    zeros = ", ".join(["%c0"] * len(shape))
    text += f"    {body}\n    tile.store %r, %A{len(arguments) - 1}[{zeros}] : {tensor(shape, e)} -> {memref(len(shape), e)}\n  }}\n  tile.return\n}}"
    kernels.append(text)
    return name


def add(what, body, inputs, want, element):
    """`inputs` are pairs of an array and its element type."""
    arguments = [(array.shape, e) for array, e in inputs] + [(want.shape, element)]
    runs.append((what, kernel(body, *arguments), [array for array, _ in inputs], want, element))


def boundaries(element, dtype):
    numbers = np.unique(wide(EVERY, element)[np.isfinite(wide(EVERY, element))])
    middles = (numbers[:-1] + numbers[1:]) / 2
    beyond = numbers[-1] + (numbers[-1] - numbers[-2]) / 2
    points = np.concatenate([numbers, middles, [beyond, -beyond, 0.0, -0.0]]).astype(dtype)
    points = np.concatenate([points, np.nextafter(points, dtype(np.inf)), np.nextafter(points, dtype(-np.inf))])
    return np.concatenate([points, np.array([np.nan, np.inf, -np.inf, 3e4, -7e4, 1e38 if dtype != np.float16 else 6e4], dtype)])


rng = np.random.default_rng(8)
left, right = np.repeat(EVERY, 256), np.tile(EVERY, 256)
with np.errstate(all="ignore"):
    for e in F8:
        t = lambda shape, element=e: tensor(shape, element)
        x = wide(EVERY, e)
        for to in ["f64", "f32", "f16", "bf16"]:
            add(f"extf {e} {to}", f"%r = arith.extf %a : {t([256])} to {t([256], to)}", [(EVERY, e)], x.astype(DTYPES[to]), to)
            y = boundaries(e, np.float64 if to == "f64" else np.float16 if to == "f16" else np.float32).astype(DTYPES[to])
            n = [len(y)]
            for saturate in (False, True):
                mark = "{tile.saturate} " if saturate else ""
                add(f"truncf {to} {e} {mark}", f"%r = arith.truncf %a {mark}: {t(n, to)} to {t(n)}", [(y, to)], rounded(y.astype(np.float64), e, saturate), e)
        # ml_dtypes' own opinion.
        y = boundaries(e, np.float32)
        agree("ml_dtypes", rounded(y.astype(np.float64), e), y.astype(F8[e]).view(np.uint8), e)
        for i in ["i8", "i16", "i32", "i64"]:
            y = ints(rng, 2000, i)
            near = np.concatenate([np.arange(-600, 600), np.arange(57300, 61500, 7)]) if i != "i8" else np.arange(-128, 128)
            y = np.concatenate([y, near.astype(DTYPES[i])])
            add(f"sitofp {i} {e}", f"%r = arith.sitofp %a : {t([len(y)], i)} to {t([len(y)])}", [(y, i)], rounded(y.astype(np.float64), e), e)
            unsigned = y.view(np.dtype(f"u{y.dtype.itemsize}")).astype(np.float64)
            add(f"uitofp {i} {e}", f"%r = arith.uitofp %a : {t([len(y)], i)} to {t([len(y)])}", [(y, i)], rounded(unsigned, e), e)
        fits = EVERY[np.abs(x) < 128]
        n = [len(fits)]
        add(f"fptosi {e}", f"%r = arith.fptosi %a : {t(n)} to {t(n, 'i8')}", [(fits, e)], np.trunc(wide(fits, e)).astype(np.int8), "i8")
        clipped = np.where(np.isnan(x), 0, np.clip(np.trunc(x), -128, 127)).astype(np.int8)
        add(f"fptosi saturate {e}", f"%r = arith.fptosi %a {{tile.saturate}} : {t([256])} to {t([256], 'i8')}", [(EVERY, e)], clipped, "i8")
        add(f"bitcast {e}", f"%r = arith.bitcast %a : {t([256])} to {t([256], 'i8')}", [(EVERY, e)], EVERY.view(np.int8), "i8")
        add(f"bitcast to {e}", f"%r = arith.bitcast %a : {t([256], 'i8')} to {t([256])}", [(EVERY.view(np.int8), "i8")], EVERY, e)

        # Arithmetic and comparisons on all pairs.
        a, b = wide(left, e), wide(right, e)
        all_pairs, inputs = t([65536]), [(left, e), (right, e)]
        for op, value in [("addf", a + b), ("subf", a - b), ("mulf", a * b), ("divf", a / b), ("maximumf", np.maximum(a, b)), ("minimumf", np.minimum(a, b)),
                          ("remf", np.fmod(a, b))]:
            if "imum" in op:  # numpy does not order zeros
                value = np.where((a == 0) & (b == 0), np.where(np.signbit(a) & np.signbit(b) if "max" in op else np.signbit(a) | np.signbit(b), -0.0, 0.0), value)
            add(f"{op} {e}", f"%r = arith.{op} %a, %b : {all_pairs}", inputs, rounded(value, e), e)
        for predicate, value in [("olt", a < b), ("oeq", a == b), ("une", a != b), ("uno", np.isnan(a) | np.isnan(b)), ("uge", ~(a < b))]:
            add(f"cmpf {predicate} {e}", f"%r = arith.cmpf {predicate}, %a, %b : {all_pairs}", inputs, value, "i1")
        add(f"select {e}", f"%m = arith.cmpf ogt, %a, %b : {all_pairs}\n    %r = arith.select %m, %a, %b : {t([65536], 'i1')}, {all_pairs}", inputs,
            np.where(a > b, left, right), e)
        add(f"negf {e}", f"%r = arith.negf %a : {t([256])}", [(EVERY, e)], EVERY ^ 0x80, e)
        add(f"absf {e}", f"%r = math.absf %a : {t([256])}", [(EVERY, e)], EVERY & 0x7F, e)
        add(f"sqrt {e}", f"%r = math.sqrt %a : {t([256])}", [(EVERY, e)], rounded(np.sqrt(x), e), e)
        add(f"isnan {e}", f"%r = math.isnan %a : {t([256])}", [(EVERY, e)], np.isnan(x), "i1")
        least = float(ml_dtypes.finfo(F8[e]).smallest_normal)
        add(f"isnormal {e}", f"%r = math.isnormal %a : {t([256])}", [(EVERY, e)], np.isfinite(x) & (np.abs(x) >= least), "i1")
        add(f"isinf {e}", f"%r = math.isinf %a : {t([256])}", [(EVERY, e)], np.isinf(x), "i1")
        add(f"fma {e}", f"%r = math.fma %a, %b, %b : {all_pairs}", inputs, rounded(a * b + b, e), e)

        # Sums are in f32 and rounded once; the largest and smallest are numbers of the type, NaN wins.
        tile = EVERY[(np.isfinite(x)) & (np.abs(x) < 4)][rng.integers(0, 100, (24, 40))]
        v = wide(tile, e)
        add(f"reduce addf {e}", f"%r = tile.reduce addf %a dims = [1] : {t([24, 40])} -> {t([24])}", [(tile, e)], rounded(v.sum(axis=1), e), e)
        add(f"reduce maximumf {e}", f"%r = tile.reduce maximumf %a dims = [0] : {t([24, 40])} -> {t([40])}", [(tile, e)], rounded(v.max(axis=0), e), e)
        lowest = np.full((3, 5), rounded(-1e30, e, saturate=True), np.uint8)
        add(f"reduce of least {e}", f"%r = tile.reduce maximumf %a dims = [1] : {t([3, 5])} -> {t([3])}", [(lowest, e)], lowest[:, 0], e)
        add(f"reduce minimumf {e}", f"%r = tile.reduce minimumf %a dims = [0, 1] : {t([24, 40])} -> {t([])}\n    %c = tensor.expand_shape %r [] output_shape [1] : {t([])} into {t([1])}"
            .replace("%r", "%q").replace("%c", "%r"), [(tile, e)], rounded(v.min(), e).reshape(1), e)
        add(f"argreduce {e}", f"%v, %r = tile.argreduce max %a dim = 1 : {t([24, 40])} -> {t([24])}, {t([24], 'i32')}", [(tile, e)], v.argmax(axis=1).astype(np.int32), "i32")
        combiner = f"""%lowest = arith.constant -0.0 : {e}
    %r = tile.reduce (%a) dims = [1] init(%lowest) {{
    ^bb0(%p: {e}, %q: {e}):
      %s = arith.maximumf %p, %q : {e}
      tile.yield %s : {e}
    }} : {t([24, 40])} -> {t([24])}"""
        add(f"general reduce {e}", combiner, [(tile, e)], rounded(np.maximum(v.max(axis=1), 0), e), e)

        # Ops that move elements.
        add(f"transpose {e}", f"%r = tile.transpose %a dims = [1, 0] : {t([24, 40])} -> {t([40, 24])}", [(tile, e)], tile.T.copy(), e)
        add(f"broadcast {e}", f"%r = tile.broadcast %a dims = [1] : {t([40])} -> {t([24, 40])}", [(tile[0].copy(), e)], np.broadcast_to(tile[0], (24, 40)).copy(), e)
        add(f"concat {e}", f"%r = tensor.concat dim(0) %a, %a : ({t([24, 40])}, {t([24, 40])}) -> {t([48, 40])}", [(tile, e)], np.concatenate([tile, tile]), e)
        add(f"slice {e}", f"%r = tensor.extract_slice %a[3, 2] [20, 30] [1, 1] : {t([24, 40])} to {t([20, 30])}", [(tile, e)], tile[3:23, 2:32].copy(), e)
        # Scans. Sums are in f32 and rounded once; an exclusive scan begins with the identity. f8E4M3FN has no infinity: its largest numbers serve.
        for kind, function, first in [("addf", np.add, -0.0), ("maximumf", np.maximum, -np.inf), ("minimumf", np.minimum, np.inf)]:
            every = function.accumulate(v, axis=1)
            scan = f"%r, %t = tile.scan {kind} %a dim = 1"
            types = f" : {t([24, 40])} -> {t([24, 40])}, {t([24])}"
            add(f"scan {kind} {e}", scan + types, [(tile, e)], rounded(every, e), e)
            shifted = np.concatenate([rounded(np.full((24, 1), first), e, saturate=True) if e == "f8E4M3FN" else rounded(np.full((24, 1), first), e),
                                      rounded(every[:, :-1], e)], axis=1)
            add(f"scan exclusive {kind} {e}", scan + " exclusive" + types, [(tile, e)], shifted, e)
        # Elements that move to places that are computed: all bits.
        every = rng.integers(0, 256, (24, 40)).astype(np.uint8)
        chosen = rng.integers(0, 40, (24, 40)).astype(np.int32)
        add(f"take {e}", f"%r = tile.take %a at %b dim = 1 : {t([24, 40])}, {t([24, 40], 'i32')} -> {t([24, 40])}", [(every, e), (chosen, "i32")],
            np.take_along_axis(every, chosen, 1), e)
        add(f"extract {e}", f"%c2 = arith.constant 2 : index\n    %r = tile.extract %a[%c2, %c0] : {t([24, 40])} -> {t([8, 20])}", [(every, e)], every[16:, :20].copy(), e)
        whole = every.copy()
        whole[8:16, :20] = every[:8, 20:]
        add(f"insert {e}", f"""%c1 = arith.constant 1 : index
    %s = tile.extract %a[%c0, %c1] : {t([24, 40])} -> {t([8, 20])}
    %r = tile.insert %s into %a[%c1, %c0] : {t([8, 20])} -> {t([24, 40])}""", [(every, e)], whole, e)
        words = every.view(np.int32)
        add(f"pack {e}", f"%r = tile.pack %a : {t([24, 40])} -> {t([24, 10], 'i32')}", [(every, e)], words, "i32")
        add(f"unpack {e}", f"%r = tile.unpack %a : {t([24, 10], 'i32')} -> {t([24, 40])}", [(words, "i32")], every, e)
        rows = rng.integers(0, 24, 16).astype(np.int32)
        add(f"gather {e}", f"%r = tile.load %A0[%b : {t([16], 'i32')}, %c0] : {memref(2, e)} -> {t([16, 40])}", [(every, e), (rows, "i32")], every[rows], e)
        places = rng.integers(-3, 260, (5, 7)).astype(np.int32)
        flat = EVERY.copy()
        add(f"gather of places {e}", f"%r = tile.load %A0[%b : {t([5, 7], 'i32')}] pad = 1.5 : {e} : {memref(1, e)} -> {t([5, 7])}", [(flat, e), (places, "i32")],
            np.where((places >= 0) & (places < 256), places, int(rounded(1.5, e))).astype(np.uint8), e)
        order = rng.permutation(24).astype(np.int32)
        scattered = np.empty_like(every)
        scattered[order] = every
        add(f"scatter {e}", f"""tile.store %a, %A2[%b : {t([24], 'i32')}, %c0] : {t([24, 40])} -> {memref(2, e)}
    %r = tile.load %A2[%c0, %c0] : {memref(2, e)} -> {t([24, 40])}""", [(every, e), (order, "i32")], scattered, e)
        table = np.arange(32, dtype=np.uint8) * 3
        numbers = ", ".join(repr(float(number)) for number in wide(table, e))
        add(f"table {e}", f"%t = arith.constant dense<[{numbers}]> : {t([32])}\n    %r = arith.select %a, %t, %t : {t([32], 'i1')}, {t([32])}", [(np.ones(32, np.bool_), "i1")], table, e)
        pads = [("zero", 0), ("nan", 0x7F), ("1.5 : " + e, int(rounded(1.5, e)))] + ([("neg_inf", 0xFC)] if e == "f8E5M2" else [])
        for pad, code in pads:
            body = f"%c1 = arith.constant 1 : index\n    %r = tile.load %A0[%c1, %c0] pad = {pad} : {memref(2, e)} -> {t([24, 48])}"
            padded = np.full((24, 48), code, np.uint8)
            padded[:23, :40] = tile[1:]
            add(f"pad {pad} {e}", body, [(tile, e)], padded, e)
        loop = f"""%c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %a) -> ({t([24, 40])}) {{
      %x = memref.load %A0[%i, %i] : {memref(2, e)}
      %y = tensor.splat %x : {t([24, 40])}
      %z = arith.maximumf %s, %y : {t([24, 40])}
      scf.yield %z : {t([24, 40])}
    }}"""
        add(f"loop {e}", loop, [(tile, e)], rounded(np.maximum(v, np.diag(v)[:5].max()), e), e)

    # Products, of both types and mixed; sums of few small numbers are exact in f32.
    for ea in F8:
        for eb in F8:
            p = rng.integers(0, 256, (64, 96)).astype(np.uint8) & 0xBF
            q = rng.integers(0, 256, (96, 40)).astype(np.uint8) & 0xBF
            p[(p & 0x7F) >= 0x7C] = q[(q & 0x7F) >= 0x7C] = 0
            want = wide(p, ea) @ wide(q, eb)
            for clause, to in [("", "f32"), ("accumulate_every = 32 ", "f32"), ("", "f16")]:
                add(f"mma {ea} {eb} {clause}", f"%r = tile.mma %a, %b {clause}: {tensor([64, 96], ea)}, {tensor([96, 40], eb)} -> {tensor([64, 40], to)}", [(p, ea), (q, eb)],
                    want.astype(DTYPES[to]), to)

program = Program("\n".join(kernels))
for what, name, inputs, want, element in runs:
    got = program.run(name, *inputs, np.zeros_like(want), out=[len(inputs)])
    if what.startswith("mma"):
        check(what, typed(got, element), want, 1e-3 if element == "f16" else 1e-5, 1e-3)
    else:
        agree(what, got, want, element)
finish()
