# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants, accesses and views as MLIR; the rest is in printer.py."""

import numpy as np

from . import graph
from .elements import I1


def number_text(element, value):
    """A constant as MLIR reads it."""
    if not element.is_float:
        if element is I1:
            return "true" if int(value) & 1 else "false"
        return str(int(element.wrap(np.int64(value))))
    with np.errstate(over="ignore"):
        value = float(element.round(np.asarray(value, np.float64)))
    if value != value or value in (float("inf"), float("-inf")):
        bits = int(element.bits_of(np.asarray(value))) & ((1 << element.bits) - 1)
        return f"0x{bits:0{element.bits // 4}X}"
    return f"{value:.17e}"


def _nested(element, values, shape):
    if not shape:
        return number_text(element, values)
    return "[" + ", ".join(_nested(element, part, shape[1:]) for part in values) + "]"


def constant_text(type, value):
    if type.is_scalar:
        text = number_text(type.element, value)
        return text if type.element is I1 else f"{text} : {type}"
    array = np.asarray(value)
    return f"dense<{number_text(type.element, value) if array.ndim == 0 else _nested(type.element, array.reshape(type.shape), type.shape)}> : {type}"


def list_text(values):
    return "[" + ", ".join(map(str, values)) + "]"


def types_text(values):
    return ", ".join(str(value.type) for value in values)


def _coordinate(p, value):
    """An index tile has its type with it."""
    return p.name(value) if value.type.is_scalar else f"{p.name(value)} : {value.type}"


def _clauses(p, op, memref, coords_at):
    """Coordinates and clauses of a load or store, up to the types."""
    attrs, operands = op.attrs, iter(op.operands[coords_at:])
    rank = op.operands[memref].type.rank
    text = "[" + ", ".join(_coordinate(p, next(operands)) for _ in range(rank)) + "]"
    if attrs.get("dims") is not None:
        text += f" dims = {list_text(attrs['dims'])}"
    if any(attrs["limited"]):
        text += " limit = [" + ", ".join(p.name(next(operands)) if has else "_" for has in attrs["limited"]) + "]"
    pad = attrs.get("pad")
    if "strides" in attrs:
        text += f" strides = {list_text(attrs['strides'])}"
    if pad == "tile":
        text += f" pad = {p.name(next(operands))}"
    elif pad is not None:
        element = op.result.type.element
        text += f" pad = {pad}" if isinstance(pad, str) else f" pad = {constant_text(graph.Tile(element), pad)}"
    mask = next(operands, None)
    if mask is not None:
        text += f" mask = {p.name(mask)}" + (f" on {list_text(attrs['on'])}" if attrs.get("on") is not None else "")
    for hint in ("stages", "cache"):
        if hint in attrs:
            text += f" {hint} = {attrs[hint]}"
    if p.demands and "require" in attrs:
        text += f" require = {list_text(attrs['require'])}"
    return text


def _load(p, op):
    clauses = _clauses(p, op, 0, 1)
    p.line(f"{p.results(op)}tile.load {p.name(op.operands[0])}{clauses} : {op.operands[0].type} -> {op.result.type}")


def _store(p, op):
    value, memref = op.operands[:2]
    p.line(f"tile.store {p.name(value)}, {p.name(memref)}{_clauses(p, op, 1, 2)} : {value.type} -> {memref.type}")


def _atomic(p, op):
    count = 2 if op.attrs["kind"] == "cas" else 1
    value, memref = op.operands[0], op.operands[count]
    words = op.attrs["words"] + (" returning" if op.results else "")
    clauses = _clauses(p, op, count, count + 1)
    p.line(f"{p.results(op)}tile.atomic {op.attrs['kind']}{words} {p.uses(op.operands[:count])}, {p.name(memref)}{clauses} : {value.type} -> {memref.type}")


def _memref_load(p, op):
    p.line(f"{p.results(op)}memref.load {p.name(op.operands[0])}[{p.uses(op.operands[1:])}] : {op.operands[0].type}")


def _memref_store(p, op):
    value, memref = op.operands[:2]
    p.line(f"memref.store {p.name(value)}, {p.name(memref)}[{p.uses(op.operands[2:])}] : {memref.type}")


def _memref_dim(p, op):
    p.line(f"{p.results(op)}memref.dim {p.uses(op.operands)} : {op.operands[0].type}")


def _alloc(p, op):
    sizes = sum(size is None for size in op.result.type.sizes)
    symbols = f"[{p.uses(op.operands[sizes:])}]" if len(op.operands) > sizes else ""
    init = ""
    if "init" in op.attrs:
        init = f" {{tile.init = {constant_text(graph.Tile(op.result.type.element), op.attrs['init'])}{', tile.restored' if 'restored' in op.attrs else ''}}}"
    p.line(f"{p.results(op)}memref.alloc({p.uses(op.operands[:sizes])}){symbols}{init} : {op.result.type}")


def _subview(p, op):
    operands = iter(op.operands[1:])
    places = " ".join(f"[{p.mixed(op.attrs[name], operands)}]" for name in ("offsets", "sizes", "strides"))
    p.line(f"{p.results(op)}memref.subview {p.name(op.operands[0])}{places} : {op.operands[0].type} to {op.result.type}")


def _array_at(p, op):
    attrs, rank = op.attrs, op.operands[0].type.rank
    operands = iter(op.operands[1 + rank:])
    text = f" sizes [{p.mixed(attrs['sizes'], operands)}]"
    text += f" strides [{p.mixed(attrs['strides'], operands)}]" if "strides" in attrs else ""
    text += f" align = {attrs['align']}" if "align" in attrs else ""
    text += f' alias = "{attrs["alias"]}"' if "alias" in attrs else ""
    p.line(f"{p.results(op)}tile.array_at {p.name(op.operands[0])}[{p.uses(op.operands[1:1 + rank])}]{text} : {op.operands[0].type} -> {op.result.type}")


def _memref_cast(p, op):
    p.line(f"{p.results(op)}memref.cast {p.uses(op.operands)} : {op.operands[0].type} to {op.result.type}")


def _memref_reshape(p, op):
    groups, operands = list_text(list_text(group) for group in op.attrs["groups"]), iter(op.operands[1:])
    shape = f" output_shape [{p.mixed(op.attrs['shape'], operands)}]" if "expand" in op.name else ""
    p.line(f"{p.results(op)}{op.name} {p.name(op.operands[0])} {groups}{shape} : {op.operands[0].type} into {op.result.type}")


def _reinterpret(p, op):
    operands = iter(op.operands[1:])
    offset, sizes, strides = (f"[{p.mixed(op.attrs[name], operands)}]" for name in ("offset", "sizes", "strides"))
    p.line(f"{p.results(op)}memref.reinterpret_cast {p.name(op.operands[0])} to offset: {offset}, sizes: {sizes}, strides: {strides}"
           f" : {op.operands[0].type} to {op.result.type}")


def _assume(p, op):
    attrs, type = op.attrs, op.operands[0].type
    if "message" in attrs:
        p.line(f"tile.assume {p.uses(op.operands)}, \"{attrs['message']}\" : {type}")
        return
    facts = ", ".join(f"{name} = {attrs[name]}" for name in ("min", "max", "divisible") if name in attrs)
    p.line(f"tile.assume {p.uses(op.operands)} {{{facts}}} : {type}")


def _assert(p, op):
    p.line(f"tile.assert {p.uses(op.operands)}, \"{op.attrs['message']}\" : {op.operands[0].type}")


def _print(p, op):
    message = op.attrs["message"].replace('"', '\\22')
    condition = f" if {p.name(op.operands[1])}" if len(op.operands) > 1 else ""
    p.line(f"tile.print \"{message}\" {p.name(op.operands[0])}{condition} : {op.operands[0].type}")


HANDLERS = {
    "tile.array_at": _array_at,
    "tile.load": _load, "tile.store": _store, "tile.atomic": _atomic, "memref.load": _memref_load, "memref.store": _memref_store, "memref.dim": _memref_dim,
    "memref.alloc": _alloc, "memref.subview": _subview, "memref.cast": _memref_cast, "memref.collapse_shape": _memref_reshape,
    "memref.expand_shape": _memref_reshape, "memref.reinterpret_cast": _reinterpret, "tile.assume": _assume,
    "tile.assert": _assert, "tile.print": _print,
}
