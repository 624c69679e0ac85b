# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the language has, as the sources and the op reference say it, by the names of the features of coverage.py; and why a part is never drawn.

Ops are those that tile-verify accepts, those of the op reference (docs/dialects/Tile.md) and all of upstream's arith and math (LLVM's .td files); attributes
and the words of enumerations are those of the op reference. So what is new in the language is missing here until somebody draws it, or says why not.
"""

import glob
import os
import re

from language import elements

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
_FLOATS = [e.name for e in elements.FLOATS]
_INTEGERS = [e.name for e in elements.INTEGERS] + ["i1", "index"]

# Attributes of the op reference that the graph has by another name: feature, or None where each program has it.
_ATTRIBUTES = {
    "tile.mma require": "demand tile.mma wgmma", "tile.load require": "demand tile.load tma", "tile.store require": "demand tile.store tma",
    "tile.kernel require": "demand of the kernel no_spills", "tile.array_at staticSizes": "op tile.array_at", "tile.array_at staticStrides": "attr tile.array_at strides",
    "tile.atomic order": "tile.atomic acq_rel", "tile.atomic scope": "tile.atomic system", "tile.grid order": "grid order group", "tile.kernel plan": "a plan",
    "tile.rounded roundingmode": "attr tile.rounded mode", "tile.argreduce is_unsigned": "attr tile.argreduce unsigned", "tile.unpack is_signed": "attr tile.unpack signed",
    "tile.kernel fp_contract": "attribute fp_contract = off", "tile.kernel reassoc": "attribute reassoc = off", "tile.kernel warpgroups": "attribute warpgroups = 1",
    **{f"tile.grid {name}": "grids 1" for name in ("staticLower", "staticUpper", "staticStep")}, "tile.load stages": "tile.load stages", "tile.load cache": "tile.load cache = first",
    **{f"tile.{op} {name}": f"tile.{op} {feature}" for op in ("load", "store", "atomic") for name, feature in
       (("dims", "dims"), ("limited", "limit"), ("maskDims", "mask on some dimensions"), ("indexed", "with an index tile"), ("strides", "strides"))},
    "tile.store cache": "tile.store cache = first", "tile.load pad": "tile.load pad = zero",
}
# The words of enumerations: what stands before them in a feature.
_WORDS = {"CmpFPredicate": "arith.cmpf ", "CmpIPredicate": "arith.cmpi ", "IntegerOverflowFlags": "overflow ", "RoundingMode": "arith.truncf ", "FastMathFlags": "fastmath ",
          "ArgReduceKind": "tile.argreduce ", "AtomicKind": "tile.atomic ", "Cache": "tile.load cache = ", "MemoryOrder": "tile.atomic ", "MemoryScope": "tile.atomic ",
          "Pad": "tile.load pad = ", "Precision": "mma precision = ", "ReduceKind": "tile.reduce ", "RoundedKind": "tile.rounded ", "Requirement": "demand "}

# Why a part is not drawn: a pattern of its name, and the reason.
REASONS = (
    (r"op (ub\.poison|cf\.assert)", "passes make it"),
    (r"op (tile\.(return|yield)|scf\.(yield|condition))", "ends a region: part of the op around it"),
    (r"op tile\.kernel", "each program is one"),
    (r"op tile\.(gather|scatter|array_from)|attr tile\.(gather|scatter|array_from) .*", "passes make it of tile.load, tile.store and tile.array_at, which are drawn"),
    (r"attr tile\.kernel (sym_name|function_type|sym_visibility|arg_attrs|res_attrs)", "the syntax of a kernel"),
    (r"attr tile\.kernel (phase|variant_of|variant|guards)|attr tile\.assume guard", "passes set it; in a source it is an error"),
    (r"word (overflow|fastmath) none", "no flag is none"),
    (r"word fastmath (reassoc|afn|fast)", "the language gives no bound for what they permit, so that nothing could be compared; tile.rounded has afn in a form that is bounded"),
    (r"pair arith\.\w*(div|rem)\w* i1", "the only divisor that is not 0 is 1, or -1, whose quotient overflows"),
    (r"pair arith\.sh\w+ i1", "the only shift that is defined is by 0"),
    (r"pair (arith\.mul[su]i_extended|math\.ipowi) i1", "as arith.muli, which is drawn"),
    (r"pair arith\.(extsi|extui|trunci|bitcast|sitofp|uitofp) (index|i1)|pair arith\.fpto[su]i index|pair arith\.index_cast(ui)? i1", "upstream has no such conversion, or only the other way round"),
    (r"pair arith\.(extf f64|(extsi|extui) i64)|pair arith\.truncf f8E(4M3FN|5M2)", "the widest, and the narrowest, type"),
    (r"pair math\.fpowi i(1|8|16|64)|pair math\.fpowi index", "exponents are i32"),
    (r"pair tile\.rounded (i64|index|i1)", "the evaluator has integers as f64 there, which holds 32 bits; i1 is refused"),
    (r"pair tile\.rounded (f64|f8E4M3FN|f8E5M2)", "the evaluator has no more digits than f64; types of 8 bits are computed in f32"),
)


def _read(*parts):
    with open(os.path.join(ROOT, *parts)) as file:
        return file.read()


def upstream(dialect):
    """Ops of arith or math; none where LLVM's .td files are not installed."""
    for path in sorted(glob.glob(f"/usr/lib/llvm-*/include/mlir/Dialect/{dialect}/IR/{dialect}Ops.td")):
        with open(path) as file:
            return [f"{dialect.lower()}.{name}" for name in re.findall(r'^def \w+ *: *\w+<(?:\w+, *)?"(\w+)"', file.read(), re.M)]
    return []


def parts():
    """{name: feature that shows it}."""
    found = {}
    verifier = _read("lib", "Dialect", "Tile", "Transforms", "VerifyTile.cpp")
    reference = _read("docs", "dialects", "Tile.md")
    ops = upstream("Arith") + upstream("Math")
    for name in ("kGridOps", "kBodyOps"):
        text = verifier[verifier.index(f"{name} = "):]
        ops += re.findall(r'"(\w+\.\w+)"', text[:text.index("};")])
    for section in re.finditer(r"^#### `(tile\.\w+)`.*?(?=^#### |^## |\Z)", reference, re.M | re.S):
        ops.append(section.group(1))
        for attribute in re.findall(r"<tr><td><code>(\w+)</code></td>", section.group(0)):
            name = f"{section.group(1)} {attribute}"
            found[f"attr {name}"] = _ATTRIBUTES.get(name, f"attr {name}")
    found |= {f"op {op}": f"op {op}" for op in ops}
    enums = reference[reference.index("\n## Enums"):]
    for section in re.finditer(r"^### (\w+)\n.*?(?=^### |\Z)", enums, re.M | re.S):
        for word in re.findall(r"^\| \w+ \| `[^`]*` \| (\S+) \|", section.group(0), re.M):
            if section.group(1) in _WORDS:
                found[f"word {_WORDS[section.group(1)].split()[0]} {word}"] = _WORDS[section.group(1)] + word
    for element in elements.ALL:
        found |= {f"{what} of {element}": f"{what} of {element}" for what in ("tile", "array", "scalar")}
    found |= {f"tile of rank {rank}": f"tile of rank {rank}" for rank in range(5)} | {f"array of rank {rank}": f"array of rank {rank}" for rank in range(6)}
    return found


def pairs(counts):
    """{name: feature} of each op of arith and math, and tile.rounded, with each element type of operands: floats if it has one of these, integers if it has one
    of those."""
    found = {}
    for op in sorted({name[3:] for name in counts if name.startswith("op ")}):
        kinds = {name.rsplit(" ", 1)[1] for name in counts if name.startswith(f"pair {op} ")}
        if not op.startswith(("arith.", "math.", "tile.rounded")):
            continue
        for group in (_FLOATS, _INTEGERS):
            if kinds & set(group):
                found |= {f"pair {op} {element}": f"pair {op} {element}" for element in group}
    return found


def report(counts):
    """Prints what was never drawn, and why; returns how much of it has no reason."""
    known = parts() | pairs(counts)
    missing, reasons = [], {}
    for name, feature in known.items():
        if counts.get(feature):
            continue
        reason = next((reason for pattern, reason in REASONS if re.fullmatch(pattern, name)), None)
        if reason is None:
            missing.append(name)
        else:
            reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        print(f"not drawn, since {reason}: {', '.join(names)}")
    for name in missing:
        print(f"NEVER DRAWN: {name}")
    print(f"{len(known)} parts of the language: {len(known) - len(missing) - sum(map(len, reasons.values()))} drawn, {sum(map(len, reasons.values()))} not drawn for a reason, "
          f"{len(missing)} never drawn")
    return len(missing)
