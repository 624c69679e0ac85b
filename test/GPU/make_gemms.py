#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes matrix products in many forms as tile programs, one a file: make_gemms.py DIR [--tile MxNxK] [--plan TEXT | --sweep | --plans FILE] [PATTERN...]

Elements bf16 and f16 in, those and f32 out; A and B as they are or transposed in memory; a scalar factor, a factor a row and one a
column (f32), bias, GELU, SiLU, ReLU, a residual; batches; views with row strides; rows of A and B that lie at multiples of so many bytes only (rows8-4: cp.async
where TMA cannot). test/GPU/random_gemm.py and bench/gemm.py find what they are from the contracts.
A PATTERN is one of their names (gemm-nt-bf16*), or the whole name of a product that is not among them (gemm-nn-f16-bias-relu).
--sweep writes each with the tiles and plans of SWEEP instead, --plans with those of a file, for scripts/gpu-kit.sh --sources:
bench/gemm.py times the best. Lines of such a file are `TILES: PLAN`, where a|b stands for two of either, # begins a comment:

  128x256x64 | 128x128x64: stages = 3|4, persistent = 1, group = 16, epilogue = 0|64

`64x64x128:` leaves the plan to the compiler. `160x128x64t` computes the transposed tile, Cᵀ = Bᵀ·Aᵀ: its rows, multiples of 64, are columns of C,
as tile-transpose-products does with 160x128x64 by itself.
`128x256x64k` tells the L2 cache to keep A, whose rows the blocks of a group read again, before B (hints of the loads), `128x256x64d` that
both are as all else (the default); else cta-hint-caches decides.
"""

import argparse
import fnmatch
import itertools
import os
import re
import sys

ABOUT = "// Made by test/GPU/make_gemms.py.\n"
# (tile, plan): variations of what was fastest in experiments on an H200.
SWEEP = [((128, 256, 64), f"stages = {stages}, persistent = {persistent}, group = {group}")
         for stages, persistent, group in ((3, 1, 16), (3, 1, 8), (4, 1, 16), (4, 1, 8), (3, 0, 16), (4, 0, 8))]
SWEEP += [((128, 256, 64), f"stages = 4, persistent = 1, group = 8, epilogue = {columns}") for columns in (64, 128)]
SWEEP += [((256, 128, 64), "stages = 4, persistent = 1, group = 8"), ((128, 128, 64), "stages = 4, persistent = 1, group = 8, blocks_per_sm = 2"),
          ((128, 256, 64), "stages = 4, persistent = 1, group = 8, cluster = 2"), ((64, 256, 64), "stages = 4, persistent = 1, group = 16"),
          ((64, 128, 64), "stages = 6, persistent = 1, group = 16"), ((64, 64, 128), "stages = 4, persistent = 1, group = 16"),
          ((128, 256, 64), "stages = 4, persistent = 1, group = 8, replicate = blocks")]


EPILOGUE = ("alpha", "rowscale", "colscale", "bias", "relu", "gelu", "silu", "residual")  # in the order in which they are computed


class Product:
    def __init__(self, layout, element="bf16", result=None, epilogue=(), batched=False, strided=False, rows=None):
        self.layout, self.element, self.result, self.epilogue = layout, element, result or element, epilogue
        self.batched, self.strided, self.rows = batched, strided, rows

    @property
    def name(self):
        words = ["batched"] * self.batched + ["gemm", self.layout, self.element] + [self.result] * (self.result != self.element)
        words += list(self.epilogue) + ["strided"] * self.strided
        return "-".join(words + (["rows%d-%d" % self.rows] if self.rows else []))

    def _array(self, name, sizes, element, batched=None):
        sizes = (["Z"] if (self.batched if batched is None else batched) else []) + sizes
        shape = "x".join(["?"] * len(sizes))
        at = self.rows["AB".index(name)] if self.rows and name in "AB" else 0
        strides = f", strided<[{', '.join(['?'] * (len(sizes) - 1) + ['1'])}]>" if (self.strided or at) and len(sizes) > 1 else ""
        text = f"memref<{shape}x{element}{strides}>"
        quoted = ", ".join(f'"{size}"' for size in sizes)
        facts = f"tile.shape = [{quoted}]"
        if at:
            rank = len(sizes)
            facts += f", tile.align = {at} : i64, tile.stride_divisible = array<i64: {', '.join([str(at // 2)] * (rank - 1) + ['1'])}>"
            facts += f", tile.size_max = array<i64: {', '.join(['2147483647'] * rank)}>"
        return text, f"%{name}: {text} {{{facts}}}"

    def source(self, tile, plan=""):
        """`tile` is M, N, K[, "t"][, "k" or "d"]; `plan` the inside of a #cta.plan, which also says how blocks are ordered."""
        tm, tn, tk = tile[:3]
        swapped = "t" in tile[3:]
        a_cache, b_cache = (" cache = last", " cache = first") if "k" in tile[3:] else (" cache = no_alloc",) * 2 if "d" in tile[3:] else ("", "")
        a_type, a = self._array("A", ["M", "K"] if self.layout[0] == "n" else ["K", "M"], self.element)
        b_type, b = self._array("B", ["K", "N"] if self.layout[1] == "n" else ["N", "K"], self.element)
        c_type, c = self._array("C", ["M", "N"], self.result)
        bias_type, bias = self._array("bias", ["N"], self.element, batched=False)
        r_type, r = self._array("R", ["M", "N"], self.element)
        rows_type, rows = self._array("rowscale", ["M"], "f32", batched=False)
        columns_type, columns = self._array("colscale", ["N"], "f32", batched=False)
        operands = {"rowscale": rows, "colscale": columns, "bias": bias, "residual": r, "alpha": "%alpha: f32"}
        arguments = [a, b] + [text for word, text in operands.items() if word in self.epilogue] + [c]
        at, grid, z = ("%z, ", "(%z, %i, %j) = (0, 0, 0) to (%Z, %M, %N)", "1, ") if self.batched else ("", "(%i, %j) = (0, 0) to (%M, %N)", "")
        # The tiles of a batched product have rank 2. The batch is only a coordinate.
        dims = lambda as_it_is: "" if as_it_is else " dims = [2, 1]" if self.batched else " dims = [1, 0]"
        shape = f"{tn}x{tm}" if swapped else f"{tm}x{tn}"
        wide, out = f"tensor<{shape}xf32>", f"tensor<{shape}x{self.result}>"
        a_tile, b_tile = (f"tensor<{rows}x{columns}x{self.element}>"
                          for rows, columns in (((tk, tm), (tn, tk)) if swapped else ((tm, tk), (tk, tn))))
        a_straight, b_straight = ((letter == "n") != swapped for letter in self.layout)
        a_at, b_at = ("%i, %k" if self.layout[0] == "n" else "%k, %i"), ("%k, %j" if self.layout[1] == "n" else "%j, %k")
        body, value = self._epilogue(tm, tn, wide, at, {"rowscale": rows_type, "colscale": columns_type, "bias": bias_type, "residual": r_type},
                                     swapped, dims)
        factors = ("%b", "%a", b_tile, a_tile) if swapped else ("%a", "%b", a_tile, b_tile)
        if self.result != "f32":
            body.append(f"%out = arith.truncf {value} : {wide} to {out}")
            value = "%out"
        group = "" if self.batched or plan else " order = <group = 16>"
        attributes = f" attributes {{plan = #cta.plan<{plan}>}}" if plan else ""
        sizes = (["Z"] if self.batched else []) + ["M", "N", "K"]
        lines = [f"tile.kernel @{self.name.replace('-', '_')}({', '.join(arguments)}){attributes} {{"]
        lines += [f'  %{size} = tile.dim "{size}" : index' for size in sizes]
        lines += [f"  tile.grid {grid} step ({z}{tm}, {tn}){group} {{",
                  "    %c0 = arith.constant 0 : index", f"    %step = arith.constant {tk} : index",
                  f"    %zero = arith.constant dense<0.0> : {wide}",
                  f"    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> ({wide}) {{",
                  f"      %a = tile.load %A[{at}{a_at}]{dims(a_straight)}{a_cache} : {a_type} -> {a_tile}",
                  f"      %b = tile.load %B[{at}{b_at}]{dims(b_straight)}{b_cache} : {b_type} -> {b_tile}",
                  f"      %next = tile.mma {factors[0]}, {factors[1]}, %sum : {factors[2]}, {factors[3]} -> {wide}",
                  f"      scf.yield %next : {wide}", "    }"]
        lines += ["    " + line for line in body]
        lines += [f"    tile.store {value}, %C[{at}%i, %j]{dims(not swapped)} : {out} -> {c_type}", "  }", "  tile.return", "}"]
        return ABOUT + "\n".join(lines) + "\n"

    def _epilogue(self, tm, tn, wide, at, types, swapped, dims):
        """Lines and the value that they leave in f32."""
        lines, value = [], "%acc"
        constant = lambda name, number: lines.append(f"%{name} = arith.constant dense<{number}> : {wide}")
        step = lambda name, op, *operands: lines.append(f"%{name} = {op} {', '.join(operands)} : {wide}")
        narrow = lambda kind, shape: f"tensor<{shape}x{kind}>"
        if "alpha" in self.epilogue:
            lines.append(f"%alphas = tile.broadcast %alpha dims = [] : f32 -> {wide}")
            step("scaled", "arith.mulf", value, "%alphas")
            value = "%scaled"
        for word, coordinate, extent, dim in (("rowscale", "%i", tm, 0), ("colscale", "%j", tn, 1)):
            if word in self.epilogue:
                lines += [f"%{word}s = tile.load %{word}[{coordinate}] : {types[word]} -> {narrow('f32', extent)}",
                          f"%{word}_wide = tile.broadcast %{word}s dims = [{dim ^ swapped}] : {narrow('f32', extent)} -> {wide}"]
                step(f"{word}d", "arith.mulf", value, f"%{word}_wide")
                value = f"%{word}d"
        if "bias" in self.epilogue:
            lines += [f"%row = tile.load %bias[%j] : {types['bias']} -> {narrow(self.element, tn)}",
                      f"%row32 = arith.extf %row : {narrow(self.element, tn)} to {narrow('f32', tn)}",
                      f"%rows = tile.broadcast %row32 dims = [{1 ^ swapped}] : {narrow('f32', tn)} -> {wide}"]
            step("biased", "arith.addf", value, "%rows")
            value = "%biased"
        if "relu" in self.epilogue:
            step("positive", "arith.maximumf", value, "%zero")
            value = "%positive"
        if "gelu" in self.epilogue:
            for name, number in (("half", 0.5), ("one", 1.0), ("cubic", 0.044715), ("scale", 0.797884561)):
                constant(name, number)
            step("square", "arith.mulf", value, value)
            step("g0", "arith.mulf", "%square", "%cubic")
            step("g1", "arith.addf", "%g0", "%one")
            step("g2", "arith.mulf", value, "%g1")
            step("g3", "arith.mulf", "%g2", "%scale")
            lines.append(f"%g4 = math.tanh %g3 : {wide}")
            step("g5", "arith.addf", "%g4", "%one")
            step("g6", "arith.mulf", value, "%half")
            step("gelu", "arith.mulf", "%g6", "%g5")
            value = "%gelu"
        if "silu" in self.epilogue:
            constant("ones", 1.0)
            lines.append(f"%s0 = arith.negf {value} : {wide}")
            lines.append(f"%s1 = math.exp %s0 : {wide}")
            step("s2", "arith.addf", "%s1", "%ones")
            step("silu", "arith.divf", value, "%s2")
            value = "%silu"
        if "residual" in self.epilogue:
            kind = narrow(self.element, f"{tn}x{tm}" if swapped else f"{tm}x{tn}")
            lines += [f"%r = tile.load %R[{at}%i, %j]{dims(not swapped)} : {types['residual']} -> {kind}", f"%r32 = arith.extf %r : {kind} to {wide}"]
            step("total", "arith.addf", value, "%r32")
            value = "%total"
        return lines, value


def products():
    for element in ("bf16", "f16"):
        for layout in ("nn", "nt", "tn", "tt"):
            yield Product(layout, element)
        for layout in ("nn", "nt"):
            yield Product(layout, element, "f32")
    yield Product("nt", "bf16", "f16")
    yield Product("tn", "f16", "bf16")
    for layout, element, epilogue in (("nn", "bf16", ("bias",)), ("nt", "bf16", ("bias", "gelu")), ("nn", "f16", ("bias", "gelu")),
                                      ("nn", "bf16", ("residual",)), ("nt", "bf16", ("residual",)), ("tt", "f16", ("residual",)),
                                      ("tn", "bf16", ("bias", "relu", "residual")), ("nt", "f16", ("relu",)), ("nn", "bf16", ("alpha",)),
                                      ("nn", "bf16", ("bias", "gelu")), ("nn", "bf16", ("silu",)), ("nt", "bf16", ("bias", "silu")),
                                      ("nn", "bf16", ("rowscale",)), ("nt", "bf16", ("colscale",)), ("nn", "bf16", ("rowscale", "colscale")),
                                      ("nt", "bf16", ("rowscale", "colscale")), ("tn", "f16", ("rowscale", "colscale", "bias", "silu", "residual"))):
        yield Product(layout, element, epilogue=epilogue)
    yield Product("nt", "bf16", "f32", ("alpha", "bias"))
    for layout, element in (("nn", "bf16"), ("nt", "f16")):
        yield Product(layout, element, batched=True)
    for layout, element in (("nn", "bf16"), ("nt", "bf16"), ("tn", "f16")):
        yield Product(layout, element, strided=True)
    yield Product("nt", "bf16", epilogue=("bias", "residual"), strided=True)
    for layout, rows in (("nt", (8, 8)), ("nn", (8, 4)), ("tn", (4, 16)), ("tt", (16, 8)), ("nt", (2, 2)), ("nn", (2, 2)), ("tt", (2, 16))):
        yield Product(layout, rows=rows)


def product_of(name):
    """The product that has this name, or None."""
    found = re.fullmatch(r"(batched-)?gemm-([nt]{2})-(bf16|f16)(?:-(bf16|f16|f32))?((?:-(?:%s))*)(-strided)?(?:-rows(2|4|8|16)-(2|4|8|16))?" % "|".join(EPILOGUE), name)
    if not found:
        return None
    batched, layout, element, result, epilogue, strided, *rows = found.groups()
    words = epilogue.split("-")[1:]
    product = Product(layout, element, result, tuple(word for word in EPILOGUE if word in words), bool(batched), bool(strided),
                      tuple(map(int, rows)) if all(rows) else None)
    return product if product.name == name else None  # each word once, in their order


def chosen_products(patterns):
    listed = list(products())
    for pattern in patterns:
        found = [product for product in listed if fnmatch.fnmatchcase(product.name, pattern)] or [product_of(pattern)]
        if found == [None]:
            sys.exit(f"make_gemms.py: no product matches {pattern}")
        yield from found


def read_plans(path):
    """(tile, plan) of all alternatives of a file's lines, each once."""
    found = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            tiles, colon, plan = line.partition(":")
            entries = [entry.partition("=") for entry in plan.split(",") if entry.strip()]
            tiles = [re.fullmatch(r"(\d+)x(\d+)x(\d+)(t?[kd]?)", tile.strip()) for tile in tiles.split("|")]
            if not colon or None in tiles or not all(value.strip() for _, _, value in entries):
                sys.exit(f"{path}:{number}: not 'MxNxK[t][k or d] | …: entry = value|…, …': {line}")
            values = [[value.strip() for value in text.split("|")] for _, _, text in entries]
            for tile in tiles:
                for choice in itertools.product(*values):
                    plan = ", ".join(f"{entry.strip()} = {value}" for (entry, _, _), value in zip(entries, choice))
                    found[(*map(int, tile.groups()[:3]), *tile.group(4)), plan] = None
    return list(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("pattern", nargs="*", default=["*"])
    parser.add_argument("--tile", default="128x256x64", help="of most products; those with a residual or alpha and another operand have half the columns")
    parser.add_argument("--plan", default="", help="the inside of a #cta.plan, as in 'stages = 4, persistent = 1, group = 8'")
    parser.add_argument("--sweep", action="store_true", help="all plans of SWEEP; the file says which: gemm-nt-bf16-128x256x64-stages4-…")
    parser.add_argument("--plans", default="", help="the tiles and plans of a file")
    options = parser.parse_intermixed_args()
    tm, tn, tk = (int(size) for size in options.tile.split("x"))
    many = read_plans(options.plans) if options.plans else SWEEP if options.sweep else []
    os.makedirs(options.out, exist_ok=True)
    for product in chosen_products(options.pattern):
        # Two operands next to the accumulators of 128x256 do not fit the registers, if one is as large or the variants for all arrays are wanted.
        whole = len({"alpha", "bias", "residual"} & set(product.epilogue)) < 2
        for tile, plan in many or [((tm, tn if whole else tn // 2, tk), options.plan)]:
            words = ["x".join(map(str, tile[:3])) + "".join(tile[3:])] + [entry.replace(" = ", "").replace("_", "") for entry in plan.split(", ") if entry]
            suffix = "-" + "-".join(words) if many else ""
            with open(os.path.join(options.out, product.name + suffix + ".mlir"), "w") as file:
                file.write(product.source(tile, plan))


if __name__ == "__main__":
    main()
