#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what drawn programs are made of: coverage.py [--seed 0] [--count 2000] [--least 5] [--language].

A line for each op, clause, type and fact with the number of programs that have it, the rarest last. What a program could have and fewer than --least have is
marked. With --language instead what the language has and no program had, with a reason or without: the exit status is 1 if there is something without
(language_parts.py). That takes some ten thousand programs.
"""

import argparse
import collections
import sys

import batches
import language_parts
from language import draw, elements, evaluate_atomics, graph
from language.arithmetic import floats, functions, scans
from language.drawing import draw_products
from language.graph import Tile


def features(program):
    """Names of everything that a program has."""
    yield f"profile {program.profile}"
    for name, value in program.attrs.items():
        if name == "require":
            yield from (f"demand {text}{word}" for word in value for text in ("", "of the kernel "))
        else:
            yield f"attribute {name} = {value}"
    if batches.plan_of(program.seed) is not None:
        yield "a plan"
    yield f"grids {len(graph.grids(program))}"
    for arg in program.args:
        for fact in arg.facts:
            yield f"fact tile.{fact}"
        if arg.is_array:
            yield f"array of rank {len(arg.sizes)}"
            yield f"array of {arg.value.type.element}"
            yield "array identity" if arg.is_identity else "array strided"
            if 0 in arg.sizes:
                yield "array without elements"
            if not arg.is_identity and 0 in arg.strides:
                yield "array stride 0"
        else:
            yield f"scalar of {arg.value.type.element}"
    if len(program.roots()) < sum(arg.is_array for arg in program.args):
        yield "arrays that share memory"
    for function in program.functions:
        yield f"function with {len(function.regions[0].yields)} results"
    for op in graph.all_ops(program):
        yield from _op(op)


def _op(op):
    yield f"op {op.name}"
    attrs = op.attrs
    yield from (f"attr {op.name} {name}" for name in attrs)
    for element in {value.type.element for value in op.operands or op.results if isinstance(value.type, Tile)}:
        yield f"pair {op.name} {element}"
    for value in op.results:
        if isinstance(value.type, Tile) and value.type.is_scalar:
            yield f"scalar of {value.type.element}"
    for word in attrs.get("require", ()):
        yield f"demand {op.name} {word}"
        yield f"demand {word}"
    if "overflow" in attrs:
        yield from (f"overflow {word}" for word in attrs["overflow"].split(", "))
    if op.name == "arith.truncf" and "mode" in attrs:
        yield f"arith.truncf {attrs['mode']}"
    if op.name == "tile.rounded":
        yield f"tile.rounded {attrs['kind']}"
    if op.name in ("arith.cmpf", "arith.cmpi"):
        yield f"{op.name} {attrs['predicate']}"
    types = [value.type for value in op.results + op.operands if isinstance(value.type, Tile)]
    if op.name.startswith(("arith.", "math.")) and types:
        yield f"{op.name} on {'scalars' if types[0].is_scalar else 'tiles'}"
        yield f"{op.name.split('.')[0]} on {types[0].element}"
    for type in types:
        if not type.is_scalar:
            yield f"tile of rank {len(type.shape)}"
            yield f"tile of {type.element}"
    if op.name == "tile.atomic":
        yield f"tile.atomic {attrs['kind']}"
        yield f"tile.atomic of {op.operands[0].type.element}"
        yield f"tile.atomic of a {'scalar' if op.operands[0].type.is_scalar else 'tile'}" + (" returning" if op.results else "")
        for order in ("relaxed", "acquire", "release", "acq_rel", "device", "system"):
            if order in attrs["words"].split():
                yield f"tile.atomic {order}"
    if op.name in ("tile.load", "tile.store", "tile.atomic"):
        yield from _access(op)
    if op.name == "tile.mma":
        a, out = op.operands[0].type, op.result.type
        yield f"mma {a.element} to {out.element}"
        yield f"mma {a.element} {'with' if len(op.operands) == 3 else 'without'} accumulator"
        yield f"mma rank {len(a.shape)}"
        for name in ("lhs_unsigned", "rhs_unsigned", "precision", "accumulate_every"):
            if name in attrs:
                yield f"mma {name}" + (f" = {attrs[name]}" if name == "precision" else "")
        m, n = out.shape[-2:]
        if m % 64 == 0 and n % 8 == 0 and a.element.bits == 16:
            yield "mma for tensor cores"
        if isinstance(op.operands[0].op, graph.Op) and op.operands[0].op.name == "tile.transpose":
            yield "mma of a transposed tile"
    if op.name in ("tile.reduce", "tile.argreduce"):
        yield f"{op.name} {attrs.get('kind', 'with a combiner')}"
        yield f"{op.name} on {op.operands[0].type.element}"
        if op.result.type.shape == ():
            yield f"{op.name} to rank 0"
    if op.name == "tile.scan":
        yield f"tile.scan {attrs.get('kind', 'with a combiner')}"
        yield f"tile.scan on {op.operands[0].type.element}"
        for word in ("exclusive", "reverse"):
            if attrs[word]:
                yield f"tile.scan {word}"
        if len(op.operands) > (1 if "kind" in attrs else len(op.results)):
            yield "tile.scan with a carry"
        if op.results[-1].type.shape == ():
            yield "tile.scan to rank 0"
    if op.name == "tile.assert":
        yield f"tile.assert of {'a scalar' if op.operands[0].type.is_scalar else 'a tile'}"
    if attrs.get("saturate"):
        yield f"{op.name} to the nearest"
    if op.name == "scf.for" and attrs.get("unsigned"):
        yield "scf.for unsigned"
    if op.name.startswith("scf.") or op.name == "func.call":
        yield f"{op.name} with {min(len(op.results), 4)} results"
        if any(not result.type.is_scalar for result in op.results):
            yield f"{op.name} with tiles as results"
        yield from _yields(op)
    if op.name == "tensor.extract_slice" and any(s > 1 for s in attrs["strides"]):
        yield "tensor.extract_slice with strides"
    if "fastmath" in attrs:
        yield from (f"fastmath {word}" for word in attrs["fastmath"].split(","))
    if op.name == "memref.alloc":
        yield "workspace filled" if "init" in attrs else "workspace as it comes"
        if op.result.type.strides is not None:
            yield "workspace with strides"
    if op.name == "tile.grid":
        yield f"grid of rank {len(op.regions[0].args)}"
        for word in attrs.get("order", "").split(", ") if "order" in attrs else ():
            yield f"grid order {word.split()[0]}"
        if op.operands:
            yield "grid with computed bounds"
    if op.name == "tile.assume":
        yield "tile.assume as a precondition" if "message" in attrs else "tile.assume as a promise"


def _yields(op):
    """Where values that control flow yields come from."""
    for region in op.regions:
        inside = {result for inner in region.ops for result in inner.results}
        for value in region.yields:
            if value in region.args:
                yield f"{op.name} yields its own argument"
            elif value not in inside:
                yield f"{op.name} yields a value from outside"
    if any(inner.name.startswith("scf.") for region in op.regions for inner in graph.walk(region)):
        yield f"{op.name} with control flow inside"


def _access(op):
    attrs = op.attrs
    at = 0 if op.name == "tile.load" else 2 if attrs.get("kind") == "cas" else 1
    memref, first = op.operands[at], at + 1
    for name in ("dims", "stages", "cache"):
        if attrs.get(name) is not None:
            yield f"{op.name} {name}" + (f" = {attrs[name]}" if name == "cache" else "")
    dims = attrs.get("dims")
    if dims and tuple(sorted(dims)) != tuple(dims):
        yield f"{op.name} transposed"
    if any(attrs["limited"]):
        yield f"{op.name} limit"
    if "pad" in attrs:
        yield f"{op.name} pad = {attrs['pad'] if isinstance(attrs['pad'], str) else 'literal'}"
    coords = op.operands[first:first + memref.type.rank]
    if any(not coord.type.is_scalar for coord in coords):
        shape = (op.results or op.operands)[0].type.shape
        yield f"{op.name} with " + ("an index tile of its own shape" if len(coords) < len(shape) else "an index tile")
    if "strides" in attrs:
        yield f"{op.name} strides"
    if len(op.operands) > first + memref.type.rank + sum(attrs["limited"]) + (attrs.get("pad") == "tile"):
        yield f"{op.name} mask" + (" on some dimensions" if attrs.get("on") is not None else "")
    if memref.op is not None:
        yield f"{op.name} through {memref.op.name}"


def expected():
    """What has to occur."""
    names = [f"arith.{name}" for name in ("addf subf mulf divf remf negf maximumf minimumf maxnumf minnumf addi subi muli divsi divui remsi remui floordivsi "
                                          "ceildivsi ceildivui andi ori xori shli shrsi shrui maxsi minsi maxui minui cmpf cmpi select extf truncf extsi extui "
                                          "trunci sitofp uitofp fptosi fptoui bitcast index_cast index_castui addui_extended mulsi_extended mului_extended").split()]
    names += [f"math.{name}" for name in functions.UNARY + functions.EXACT_UNARY + ("fma", "powf", "fpowi", "ipowi", "atan2", "copysign", "clampf", "sincos",
                                                                                "isnan", "isinf", "isfinite", "isnormal", "absi", "ctlz", "cttz", "ctpop")]
    names += [f"tile.{name}" for name in "load store mma reduce argreduce scan broadcast iota transpose zip unzip take extract insert unpack pack grid dim num_cores assume assert".split()]
    names += [f"tensor.{name}" for name in "expand_shape collapse_shape concat extract_slice splat from_elements extract".split()]
    names += [f"memref.{name}" for name in "load store subview cast expand_shape collapse_shape reinterpret_cast dim alloc".split()]
    names += ["scf.for", "scf.if", "scf.while", "scf.index_switch", "func.call", "affine.apply", "affine.min", "affine.max"]
    found = [f"op {name}" for name in names]
    found += [f"arith.cmpf {p}{c}" for p in "ou" for c in floats.COMPARISONS]
    found += [f"mma {a} to {c}" for a, c in draw_products.TYPES]
    found += [f"tile of {element}" for element in elements.ALL] + [f"array of {element}" for element in elements.ALL]
    found += [f"tile.load pad = {pad}" for pad in ("zero", "any", "neg_inf", "pos_inf", "nan", "literal", "tile")]
    found += [f"tile.atomic {kind}" for kind in evaluate_atomics.ALL_KINDS] + ["tile.atomic with an index tile"]
    found += [f"tile.atomic {order}" for order in ("acquire", "release", "acq_rel")] + [f"tile.atomic of a {what}{r}" for what in ("scalar", "tile") for r in ("", " returning")]
    found += ["tile.store with an index tile", "tile.store with an index tile of its own shape", "tile.store strides"]
    found += ["tile.load with an index tile", "tile.load with an index tile of its own shape", "tile.load strides"]
    found += ["tile.load mask", "tile.load limit", "tile.load transposed", "tile.store mask", "tile.store limit", "tile.store transposed"]
    found += [f"tile.scan {kind}" for kind in (*scans.IDENTITIES, "maxsi", "minsi")] + ["tile.scan with a combiner", "tile.scan exclusive", "tile.scan reverse", "tile.scan with a carry", "tile.scan to rank 0"]
    found += ["tile.assert of a scalar", "tile.assert of a tile", "scf.for unsigned"] + [f"arith.{name} to the nearest" for name in ("truncf", "fptosi", "fptoui")]
    found += [f"grid order {word}" for word in ("group", "slowest", "reverse", "section", "shared", "dynamic")]
    found += [f"fact tile.{fact}" for fact in ("shape", "align", "size_divisible", "stride_divisible", "size_max", "divisible", "alias")]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--least", type=int, default=5)
    parser.add_argument("--language", action="store_true", help="print what the language has and no program had")
    parser.add_argument("--rare", action="store_true", help="print only what is rare")
    options = parser.parse_args()
    counts, attempts = collections.Counter(), 0
    for seed in range(options.seed, options.seed + options.count):
        program = draw.draw(seed)
        attempts += program.attempt
        counts.update(set(features(program)))
    if options.language:
        return 1 if language_parts.report(counts) else 0
    for name in expected():
        counts[name] += 0
    for name, count in counts.most_common():
        if count < options.least or not options.rare:
            print(f"{count:7} {name}{'  RARE' if count < options.least else ''}")
    missing = sum(counts[name] < options.least for name in expected())
    print(f"{options.count} programs, {attempts} drawn again, {len(counts)} features, {missing} expected ones in fewer than {options.least} programs")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
