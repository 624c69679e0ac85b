#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes matrix products whose operands an index tile gathers, as tile programs, one a file: make_gathers.py DIR [PATTERN...]

A PATTERN is one of their names (gather-a*). test/Simulator/gathers.py checks them without a GPU.
"""
import fnmatch
import os
import sys

ABOUT = "// Made by test/GPU/make_gathers.py.\n"
WIDTH = {"bf16": 2, "f16": 2, "f32": 4, "f8E4M3FN": 1, "f8E5M2": 1, "i8": 1}


class Gathered:
    """C = A * B, where `of` ("a", "b", "ab") are operands of which an index tile says where the rows are.

    `along` is the dimension of the index: "rows" (those of A, the columns of B), loaded once an output tile, or "k", loaded in each iteration. `pages`: an index is for
    so many successive rows, which the tile has as a dimension of its own. `index` is the type of the indices and `chain` what computes them: they are loaded, at
    places that are loaded, multiplied and added to, or are steps without memory. `masked` elements are not loaded, nor those at the limits of `limits` ("index", "k").
    """

    def __init__(self, name, of="a", along="rows", element="bf16", tile=(128, 128, 64), index="i32", chain="load", pages=0, masked=False, limits=(), pad="", hints="",
                 layout="nt"):
        self.name, self.of, self.along, self.element, self.tile, self.index = name, of, along, element, tile, index
        self.chain, self.pages, self.masked, self.limits, self.pad, self.hints, self.layout = chain, pages, masked, limits, pad, hints, layout

    @property
    def result(self):
        return "i32" if self.element == "i8" else "f32"

    def indices(self, name, extent, at):
        """Lines that compute the index tile %`name` of `extent` elements from coordinate `at` on, and a mask %m`name`."""
        kind, lines = f"tensor<{extent}x{self.index}>", []
        array = f"%R{name}"
        load = lambda to, where: f"%{to} = tile.load {array}[{where}] pad = -1 : {self.index} : memref<?x{self.index}> -> {kind}"
        if self.chain == "load":
            lines.append(load(name, at) if self.index != "index" else load(name, at).replace(" pad = -1 : index", ""))
        elif self.chain == "nested":
            lines += [load(f"{name}0", at), load(name, f"%{name}0 : {kind}")]
        elif self.chain == "arith":
            lines += [load(f"{name}0", at), f"%{name}two = arith.constant dense<2> : {kind}", f"%{name}1 = arith.muli %{name}0, %{name}two : {kind}",
                      f"%{name}none = arith.constant dense<-1> : {kind}", f"%{name}is = arith.cmpi sgt, %{name}0, %{name}none : {kind}",
                      f"%{name} = arith.select %{name}is, %{name}1, %{name}0 : tensor<{extent}xi1>, {kind}"]
        elif self.chain == "steps":
            lines += [f"%{name}at = arith.index_cast {at} : index to {self.index}", f"%{name}0 = tile.iota dim = 0 from %{name}at : {kind}",
                      f"%{name}two = arith.constant dense<2> : {kind}", f"%{name} = arith.muli %{name}0, %{name}two : {kind}"]
        elif self.chain == "reduced":
            wide = f"tensor<{extent}x2x{self.index}>"
            lines += [load(f"{name}0", at), f"%{name}1 = tile.broadcast %{name}0 dims = [0] : {kind} -> {wide}",
                      f"%{name} = tile.reduce maxsi %{name}1 dims = [1] : {wide} -> {kind}"]
        if self.masked:
            lines += [f"%{name}odd = arith.constant dense<1> : {kind}", f"%{name}bit = arith.andi %{name}, %{name}odd : {kind}",
                      f"%m{name} = arith.cmpi ne, %{name}bit, %{name}odd : {kind}"]
        return lines

    def source(self, plan=""):
        tm, tn, tk = self.tile
        types = {"a": [("M", tm), ("K", tk)], "b": [("N", tn), ("K", tk)]}
        arguments, outside, inside, operands = [], [], [], {}
        for operand in "ab":
            (free, t_free), (_, t_k) = types[operand]
            at_free = {"a": "%i", "b": "%j"}[operand]
            gathered = operand in self.of
            # Stored with K contiguous (n for A, t for B), or with the other dimension.
            k_inner = self.layout["ab".index(operand)] == {"a": "n", "b": "t"}[operand]
            outer, inner = (free, "K") if k_inner else ("K", free)
            shape = [outer, inner]
            array, sizes = operand.upper(), list(shape)
            if gathered:
                sizes[0] = f"T{operand}"
            if self.pages and gathered:
                sizes[1:1] = [str(self.pages)]
            memref = "memref<" + "x".join(s if s.isdigit() else "?" for s in sizes) + f"x{self.element}>"
            quoted = ", ".join(s if s.isdigit() else f'"{s}"' for s in sizes)
            arguments.append(f"%{array}: {memref} {{tile.shape = [{quoted}]}}")
            extents = {free: t_free, "K": t_k}
            coordinates = {free: at_free, "K": "%k"}
            tile = f"tensor<{t_free}x{t_k}x{self.element}>" if operand == "a" else f"tensor<{t_k}x{t_free}x{self.element}>"
            turned = (outer, inner) != ((free, "K") if operand == "a" else ("K", free))
            lines = inside
            if not gathered:
                lines.append(f"%{operand} = tile.load %{array}[{coordinates[outer]}, {coordinates[inner]}]{' dims = [1, 0]' if turned else ''} : {memref} -> {tile}")
                operands[operand] = (f"%{operand}", tile)
                continue
            count = extents[outer] // (self.pages or 1)
            place = coordinates[outer]
            chain = self.indices(operand + "x", count, f"%{operand}page" if self.pages else place)
            if self.pages:
                chain = [f"%{operand}of = arith.constant {self.pages} : index", f"%{operand}page = arith.divui {place}, %{operand}of : index"] + chain
            (inside if outer == "K" else outside).extend(chain)
            if self.chain != "steps":
                arguments.append(f"%R{operand}x: memref<?x{self.index}> {{tile.shape = [\"X{operand}\"]}}")
            index = f"%{operand}x : tensor<{count}x{self.index}>"
            clauses = ""
            if self.pages:
                part = f"tensor<{count}x{self.pages}x{extents[inner]}x{self.element}>"
                where = f"{index}, %c0, {coordinates[inner]}"
            else:
                part = f"tensor<{extents[outer]}x{extents[inner]}x{self.element}>" if not turned else tile
                where = f"{index}, {coordinates[inner]}"
                clauses += " dims = [1, 0]" if turned else ""
            order = [outer, inner] if not turned or self.pages else [inner, outer]
            if self.limits:
                bound = {outer: "%three" if "index" in self.limits else "_", inner: "%cut" if "k" in self.limits else "_"}
                listed = [bound[d] for d in order]
                if self.pages:
                    listed[1:1] = ["_"]
                clauses += f" limit = [{', '.join(listed)}]"
            clauses += self.pad and f" pad = {self.pad}"
            clauses += f" mask = %m{operand}x on [{order.index(outer)}]" if self.masked else ""
            name = f"{operand}3" if self.pages else operand
            lines.append(f"%{name} = tile.load %{array}[{where}]{clauses}{self.hints} : {memref} -> {part}")
            if self.pages:
                flat = f"tensor<{extents[outer]}x{extents[inner]}x{self.element}>"
                lines.append(f"%{operand}{'2' if turned else ''} = tensor.collapse_shape %{name} [[0, 1], [2]] : {part} into {flat}")
                if turned:
                    lines.append(f"%{operand} = tile.transpose %{operand}2 dims = [1, 0] : {flat} -> {tile}")
            operands[operand] = (f"%{operand}", tile)
        sums = f"tensor<{tm}x{tn}x{self.result}>"
        precision = " precision = tf32" if self.element == "f32" else ""
        zero = "0" if self.result == "i32" else "0.0"
        arguments.append(f"%C: memref<?x?x{self.result}> {{tile.shape = [\"M\", \"N\"]}}")
        attributes = f" attributes {{plan = #cta.plan<{plan}>}}" if plan else ""
        m_of, n_of, k_of = "M", "N", "K"
        lines = [f"tile.kernel @{self.name.replace('-', '_')}({', '.join(arguments)}){attributes} {{"]
        lines += [f'  %{size} = tile.dim "{size}" : index' for size in (m_of, n_of)]
        # K is a size of an operand, or of the indices of it.
        known = "".join(arguments)
        lines.append(f'  %K = tile.dim "K" : index' if '"K"' in known else f'  %X = tile.dim "Xa" : index')
        if '"K"' not in known:
            lines += [f"  %pages = arith.constant {self.pages or 1} : index", "  %K = arith.muli %X, %pages : index"]
        lines += [f"  tile.grid (%i, %j) = (0, 0) to (%M, %N) step ({tm}, {tn}) {{", "    %c0 = arith.constant 0 : index", "    %three = arith.constant 3 : index",
                  "    %eight = arith.constant 8 : index", "    %cut = arith.subi %K, %eight : index",
                  f"    %step = arith.constant {tk} : index", f"    %zero = arith.constant dense<{zero}> : {sums}"]
        lines += ["    " + line for line in outside]
        lines.append(f"    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> ({sums}) {{")
        lines += ["      " + line for line in inside]
        lines += [f"      %next = tile.mma %a, %b, %sum{precision} : {operands['a'][1]}, {operands['b'][1]} -> {sums}", f"      scf.yield %next : {sums}", "    }",
                  f"    tile.store %acc, %C[%i, %j] : {sums} -> memref<?x?x{self.result}>", "  }", "  tile.return", "}"]
        return ABOUT + "\n".join(lines) + "\n"


def products():
    yield Gathered("gather-a")
    yield Gathered("gather-a-wide", tile=(128, 256, 64))
    yield Gathered("gather-b", of="b")
    yield Gathered("gather-ab", of="ab")
    yield Gathered("gather-a-k", layout="tt")  # rows of K x M
    yield Gathered("gather-b-k", of="b", layout="nn")
    yield Gathered("gather-ab-k", of="ab", layout="tn")
    for element, k in (("f16", 64), ("f8E4M3FN", 128), ("f8E5M2", 128), ("i8", 128), ("f32", 32)):
        yield Gathered(f"gather-ab-{element.lower()}", of="ab", element=element, tile=(128, 128, k))
    for index in ("i8", "i16", "i64", "index"):
        yield Gathered(f"gather-a-{index}s", index=index)
    for chain in ("nested", "arith", "steps", "reduced"):
        yield Gathered(f"gather-a-{chain}", chain=chain)
    yield Gathered("gather-a-masked", masked=True)
    yield Gathered("gather-a-limit", limits=("index",))
    yield Gathered("gather-a-limits", limits=("index", "k"), pad="any")
    yield Gathered("gather-a-pad", pad="1.0 : bf16")
    yield Gathered("gather-a-tma", tile=(64, 128, 64), hints=" require = [tma]")
    yield Gathered("pages-a", pages=16)
    yield Gathered("pages-b", of="b", pages=8, index="i64", limits=("index",))
    yield Gathered("pages-b-k", of="b", layout="nn", pages=16, masked=True)
    yield Gathered("pages-a-k", layout="tt", pages=16)
    yield Gathered("pages-b-f8", of="b", element="f8E4M3FN", tile=(128, 128, 128), pages=16)
    yield Gathered("pages-b-limit", of="b", pages=16, limits=("k",))  # by cp.async


def main():
    folder, patterns = sys.argv[1], sys.argv[2:] or ["*"]
    os.makedirs(folder, exist_ok=True)
    for product in products():
        if any(fnmatch.fnmatch(product.name, pattern) for pattern in patterns):
            with open(os.path.join(folder, product.name + ".mlir"), "w", encoding="utf-8") as file:
                file.write(product.source())


if __name__ == "__main__":
    main()
