# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program's graph as MLIR."""

from . import printer_memory
from .elements import INDEX
from .printer_memory import constant_text, list_text, types_text


class Printer:
    def __init__(self, demands=False):
        self.demands = demands
        self.lines, self.names, self.depth, self.count = [], {}, 1, 0

    def name(self, value):
        return self.names[value]

    def fresh(self, value, letter="v"):
        self.names[value] = f"%{letter}{self.count}"
        self.count += 1
        return self.names[value]

    def uses(self, values):
        return ", ".join(self.names[value] for value in values)

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def results(self, op):
        """`%v1, %v2 = `."""
        if not op.results:
            return ""
        return ", ".join(self.fresh(result) for result in op.results) + " = "

    def mixed(self, entries, operands):
        """Numbers, and names where there is none."""
        return ", ".join(self.names[next(operands)] if entry is None else str(entry) for entry in entries)

    def region(self, region, terminator):
        """The ops of a region, and its end if it yields something or has to."""
        self.depth += 1
        for op in region.ops:
            self.op(op)
        if terminator is not None:
            self.line(terminator(region))
        self.depth -= 1

    def op(self, op):
        handler = _HANDLERS.get(op.name)
        if handler is not None:
            return handler(self, op)
        operands = self.uses(op.operands)
        self.line(f"{self.results(op)}{op.name} {operands}{_flags(op)} : {op.results[0].type}")


def _flags(op):
    """Fast-math flags and what else stands after the operands."""
    text = f" fastmath<{op.attrs['fastmath']}>" if "fastmath" in op.attrs else ""
    text += f" overflow<{op.attrs['overflow']}>" if "overflow" in op.attrs else ""
    text += " exact" if "exact" in op.attrs else ""
    return text + (" {user.mark}" if "mark" in op.attrs else "")


# --- scalars, arith, math --------------------------------------------------------------------------------------------------


def _constant(p, op):
    p.line(f"{p.results(op)}arith.constant {constant_text(op.result.type, op.attrs['value'])}")


def _compare(p, op):
    p.line(f"{p.results(op)}{op.name} {op.attrs['predicate']}, {p.uses(op.operands)} : {op.operands[0].type}")


def _select(p, op):
    condition, type = op.operands[0].type, op.result.type
    types = str(type) if condition.is_scalar else f"{condition}, {type}"
    p.line(f"{p.results(op)}arith.select {p.uses(op.operands)} : {types}")


def _cast(p, op):
    mode = f" {op.attrs['mode']}" if "mode" in op.attrs else ""
    saturate = " {tile.saturate}" if op.attrs.get("saturate") else ""
    p.line(f"{p.results(op)}{op.name} {p.uses(op.operands)}{mode}{_flags(op)}{saturate} : {op.operands[0].type} to {op.result.type}")


def _rounded(p, op):
    words = "".join(f" {op.attrs[name]}" for name in ("mode", "flush_to_zero", "afn") if name in op.attrs)
    types = f"{op.operands[0].type} to {op.result.type}" if op.attrs["kind"].endswith("itofp") else op.result.type
    p.line(f"{p.results(op)}tile.rounded {op.attrs['kind']} {p.uses(op.operands)}{words} : {types}")


def _with_carry(p, op):
    p.line(f"{p.results(op)}{op.name} {p.uses(op.operands)} : {types_text(op.results)}")


def _classify(p, op):
    p.line(f"{p.results(op)}{op.name} {p.uses(op.operands)} : {op.operands[0].type}")


def _fpowi(p, op):
    p.line(f"{p.results(op)}{op.name} {p.uses(op.operands)} : {types_text(op.operands)}")


def _clamp(p, op):
    x, low, high = (p.name(operand) for operand in op.operands)
    p.line(f"{p.results(op)}math.clampf {x} to [{low}, {high}] : {op.result.type}")


def _affine(p, op):
    exprs = []
    for coefficients, constant, what, divisor in op.attrs["exprs"]:
        total = " + ".join([f"d{i} * {c}" for i, c in enumerate(coefficients)] + [str(constant)])
        exprs.append(f"({total}) {what} {divisor}" if what else total)
    dims = ", ".join(f"d{i}" for i in range(len(op.operands)))
    p.line(f"{p.results(op)}{op.name} affine_map<({dims}) -> ({', '.join(exprs)})>({p.uses(op.operands)})")


# --- shapes, reductions, products ------------------------------------------------------------------------------------------


def _broadcast(p, op):
    p.line(f"{p.results(op)}tile.broadcast {p.uses(op.operands)} dims = {list_text(op.attrs['dims'])} : {op.operands[0].type} -> {op.result.type}")


def _iota(p, op):
    start = f" from {p.uses(op.operands)}" if op.operands else ""
    p.line(f"{p.results(op)}tile.iota dim = {op.attrs['dim']}{start} : {op.result.type}")


def _reshape(p, op):
    groups = list_text(list_text(group) for group in op.attrs["groups"])
    shape = f" output_shape {list_text(op.result.type.shape)}" if "expand" in op.name else ""
    p.line(f"{p.results(op)}{op.name} {p.uses(op.operands)} {groups}{shape} : {op.operands[0].type} into {op.result.type}")


def _concat(p, op):
    p.line(f"{p.results(op)}tensor.concat dim({op.attrs['dim']}) {p.uses(op.operands)} : ({types_text(op.operands)}) -> {op.result.type}")


def _extract_slice(p, op):
    places = " ".join(list_text(op.attrs[name]) for name in ("offsets", "sizes", "strides"))
    p.line(f"{p.results(op)}tensor.extract_slice {p.uses(op.operands)}{places} : {op.operands[0].type} to {op.result.type}")


def _extract(p, op):
    p.line(f"{p.results(op)}tensor.extract {p.uses(op.operands)}[] : {op.operands[0].type}")


def _reduce(p, op):
    dims = list_text(op.attrs["dims"])
    if "kind" in op.attrs:
        p.line(f"{p.results(op)}tile.reduce {op.attrs['kind']} {p.uses(op.operands)} dims = {dims} : {op.operands[0].type} -> {op.result.type}")
        return
    count = len(op.results)
    names = p.results(op)
    _combiner(p, op, f"{names}tile.reduce ({p.uses(op.operands[:count])}) dims = {dims} init({p.uses(op.operands[count:])})", count)


def _combiner(p, op, head, count):
    """An op of `count` inputs, from its combiner on."""
    region = op.regions[0]
    p.line(f"{head} {{")
    arguments = ", ".join(f"{p.fresh(argument, 'a')}: {argument.type}" for argument in region.args)
    p.line(f"^bb0({arguments}):")
    p.region(region, lambda r: f"tile.yield {p.uses(r.yields)} : {types_text(r.yields)}")
    p.line(f"}} : {types_text(op.operands[:count])} -> {types_text(op.results)}")


def _argreduce(p, op):
    attrs = op.attrs
    unsigned = " unsigned" if attrs.get("unsigned") else ""
    p.line(f"{p.results(op)}tile.argreduce {attrs['kind']} {p.uses(op.operands)} dim = {attrs['dim']}{unsigned} : {op.operands[0].type} -> {types_text(op.results)}")


def _scan(p, op):
    attrs = op.attrs
    words = "".join(f" {word}" for word in ("exclusive", "reverse") if attrs.get(word))
    if "kind" not in attrs:
        count, names = len(op.results) // 2, p.results(op)
        carry = f" carry({p.uses(op.operands[2 * count:])})" if len(op.operands) > 2 * count else ""
        _combiner(p, op, f"{names}tile.scan ({p.uses(op.operands[:count])}) dim = {attrs['dim']} init({p.uses(op.operands[count:2 * count])}){words}{carry}", count)
        return
    carry = f" carry({p.name(op.operands[1])})" if len(op.operands) > 1 else ""
    p.line(f"{p.results(op)}tile.scan {attrs['kind']} {p.name(op.operands[0])} dim = {attrs['dim']}{words}{carry} : "
           f"{op.operands[0].type} -> {types_text(op.results)}")


def _zip(p, op):
    """tile.zip and tile.unzip."""
    p.line(f"{p.results(op)}{op.name} {p.uses(op.operands)} : {op.operands[0].type} -> {op.results[0].type}")


def _take(p, op):
    types = f"{types_text(op.operands)} -> {op.result.type}"
    p.line(f"{p.results(op)}tile.take {p.name(op.operands[0])} at {p.name(op.operands[1])} dim = {op.attrs['dim']} : {types}")


def _at_places(p, op):
    """tile.extract and tile.insert."""
    first = 2 if op.name == "tile.insert" else 1
    tiles = " into ".join(p.name(operand) for operand in op.operands[:first])
    p.line(f"{p.results(op)}{op.name} {tiles}[{p.uses(op.operands[first:])}] : {op.operands[0].type} -> {op.result.type}")


def _bits(p, op):
    """tile.unpack and tile.pack."""
    words = f" bits = {op.attrs['bits']}" if "bits" in op.attrs else ""
    words += " signed" if op.attrs.get("signed") else ""
    p.line(f"{p.results(op)}{op.name} {p.uses(op.operands)}{words} : {op.operands[0].type} -> {op.result.type}")


def _mma(p, op):
    attrs, text = op.attrs, ""
    for name, clause in (("lhs_unsigned", " lhs = unsigned"), ("rhs_unsigned", " rhs = unsigned")):
        text += clause if attrs.get(name) else ""
    if "precision" in attrs:
        text += f" precision = {attrs['precision']}"
    if "accumulate_every" in attrs:
        text += f" accumulate_every = {attrs['accumulate_every']}"
    if "transposed" in attrs:
        text += f" {{tile.transposed = {'true' if attrs['transposed'] else 'false'}}}"
    elif p.demands and "require" in attrs:
        text += " require = [wgmma]"
    p.line(f"{p.results(op)}tile.mma {p.uses(op.operands)}{text} : {types_text(op.operands[:2])} -> {op.result.type}")


# --- control flow ----------------------------------------------------------------------------------------------------------


def _yield(p):
    return lambda region: f"scf.yield {p.uses(region.yields)} : {types_text(region.yields)}" if region.yields else "scf.yield"


def _named_results(p, op):
    """Ops with regions name all results at once."""
    if not op.results:
        return ""
    name = f"%r{p.count}"
    p.count += 1
    for number, result in enumerate(op.results):
        p.names[result] = f"{name}#{number}" if len(op.results) > 1 else name
    return f"{name}:{len(op.results)} = " if len(op.results) > 1 else f"{name} = "


def _for(p, op):
    region = op.regions[0]
    results = _named_results(p, op)
    lower, upper, step = (p.name(operand) for operand in op.operands[:3])
    unsigned = "unsigned " if op.attrs.get("unsigned") else ""
    text = f"{results}scf.for {unsigned}{p.fresh(region.args[0], 'k')} = {lower} to {upper} step {step}"
    if op.results:
        carried = ", ".join(f"{p.fresh(argument, 'c')} = {p.name(init)}" for argument, init in zip(region.args[1:], op.operands[3:]))
        text += f" iter_args({carried}) -> ({types_text(op.results)})"
    type = region.args[0].type
    p.line(text + (" {" if type.element is INDEX else f" : {type} {{"))
    p.region(region, _yield(p) if op.results else None)
    p.line("}")


def _rare(p, op):
    results, need = _named_results(p, op), op.operands[0]
    superset = " superset" if op.attrs["superset"] else ""
    p.line(f"{results}tile.rare {p.name(need)} passing({p.uses(op.operands[1:])}){superset} {{")
    p.region(op.regions[0], lambda r: f"tile.yield {p.uses(r.yields)} : {types_text(r.yields)}")
    p.line(f"}} : {need.type}, {types_text(op.operands[1:])}")


def _if(p, op):
    results = _named_results(p, op)
    types = f" -> ({types_text(op.results)})" if op.results else ""
    p.line(f"{results}scf.if {p.name(op.operands[0])}{types} {{")
    for number, region in enumerate(op.regions):
        if number:
            p.line("} else {")
        p.region(region, _yield(p) if op.results else None)
    p.line("}")


def _while(p, op):
    before, after = op.regions
    results = _named_results(p, op)
    carried = ", ".join(f"{p.fresh(argument, 'c')} = {p.name(init)}" for argument, init in zip(before.args, op.operands))
    p.line(f"{results}scf.while{f' ({carried})' if carried else ''} : ({types_text(op.operands)}) -> ({types_text(op.results)}) {{")
    p.region(before, lambda r: f"scf.condition({p.name(r.yields[0])})" + (f" {p.uses(r.yields[1:])} : {types_text(r.yields[1:])}" if r.yields[1:] else ""))
    p.line("} do {")
    if after.args:
        p.line("^bb0(" + ", ".join(f"{p.fresh(argument, 'd')}: {argument.type}" for argument in after.args) + "):")
    p.region(after, _yield(p))
    p.line("}")


def _switch(p, op):
    results = _named_results(p, op)
    types = f" -> {types_text(op.results)}" if op.results else ""
    p.line(f"{results}scf.index_switch {p.name(op.operands[0])}{types}")
    for number, region in enumerate(op.regions):
        cases = op.attrs["cases"]
        p.line((f"case {cases[number]}" if number < len(cases) else "default") + " {")
        p.region(region, _yield(p))
        p.line("}")


def _call(p, op):
    arrow = f"({types_text(op.results)})" if len(op.results) != 1 else str(op.result.type)
    p.line(f"{_named_results(p, op)}func.call @{op.attrs['callee'].attrs['name']}({p.uses(op.operands)}) : ({types_text(op.operands)}) -> {arrow}")


def _grid(p, op):
    region, operands = op.regions[0], iter(op.operands)
    bounds = [p.mixed(op.attrs[name], operands) for name in ("lower", "upper", "step")]
    coordinates = ", ".join(p.fresh(argument, "i") for argument in region.args)
    order = f" order = <{op.attrs['order']}>" if "order" in op.attrs else ""
    p.line(f"tile.grid ({coordinates}) = ({bounds[0]}) to ({bounds[1]}) step ({bounds[2]}){order} {{")
    p.region(region, None)
    p.line("}")


_HANDLERS = {
    "arith.constant": _constant, "arith.cmpf": _compare, "arith.cmpi": _compare, "arith.select": _select,
    **{f"arith.{name}": _cast for name in ("extf", "truncf", "extsi", "extui", "trunci", "sitofp", "uitofp", "fptosi", "fptoui", "bitcast",
                                           "index_cast", "index_castui")},
    "arith.addui_extended": _with_carry, "math.isnan": _classify, "math.isfinite": _classify, "math.isinf": _classify, "math.isnormal": _classify,
    "math.fpowi": _fpowi, "math.clampf": _clamp, "affine.apply": _affine, "affine.min": _affine, "affine.max": _affine,
    "tile.broadcast": _broadcast, "tile.iota": _iota, "tile.transpose": _broadcast, "tensor.expand_shape": _reshape,
    "tensor.collapse_shape": _reshape, "tensor.concat": _concat, "tensor.extract_slice": _extract_slice, "tensor.extract": _extract,
    "tile.reduce": _reduce, "tile.argreduce": _argreduce, "tile.rounded": _rounded, "tile.scan": _scan, "tile.zip": _zip, "tile.unzip": _zip,
    "tile.take": _take, "tile.extract": _at_places, "tile.insert": _at_places, "tile.unpack": _bits, "tile.pack": _bits, "tile.mma": _mma,
    "tile.rare": _rare, "scf.for": _for, "scf.if": _if, "scf.while": _while,
    "scf.index_switch": _switch, "func.call": _call, "tile.grid": _grid, **printer_memory.HANDLERS,
    "tile.dim": lambda p, op: p.line(f'{p.results(op)}tile.dim "{op.attrs["name"]}" : index'),
    "tile.num_cores": lambda p, op: p.line(f"{p.results(op)}tile.num_cores : index"),
}
# tile.transpose has the form of tile.broadcast.
_HANDLERS["tile.transpose"] = lambda p, op: p.line(
    f"{p.results(op)}tile.transpose {p.uses(op.operands)} dims = {list_text(op.attrs['dims'])} : {op.operands[0].type} -> {op.result.type}")


def _facts_text(argument):
    facts, found = argument.facts, []
    if "shape" in facts:
        names = ("unit" if name is None else f'"{name}"' if isinstance(name, str) else str(name) for name in facts["shape"])
        found.append(f"tile.shape = [{', '.join(names)}]")
    for name in ("align", "divisible"):
        if name in facts:
            found.append(f"tile.{name} = {facts[name]}")
    for name in ("size_divisible", "stride_divisible", "size_max"):
        if name in facts:
            found.append(f"tile.{name} = array<i64: {', '.join(map(str, facts[name]))}>")
    for name in ("alias", "name"):
        if name in facts:
            found.append(f'tile.{name} = "{facts[name]}"')
    if "user" in facts:
        found.append(f"user.note = {facts['user']}")
    return f" {{{', '.join(found)}}}" if found else ""


_ATTRIBUTES = {"fp_contract": "#tile.switch<{}>", "reassoc": "#tile.switch<{}>", "warpgroups": "{} : i64"}


def print_program(program, kernel="k", demands=False, plan=None):
    """The MLIR text; functions and the kernel carry `kernel` in their names. With `demands` ops have those that the program has: they change nothing but what
    the GPU target refuses."""
    p = Printer(demands)
    for function in program.functions:
        region = function.regions[0]
        function.attrs["name"] = f"{kernel}_{function.attrs['number']}"
        arguments = ", ".join(f"{p.fresh(argument, 'x')}: {argument.type}" for argument in region.args)
        p.lines.append(f"func.func private @{function.attrs['name']}({arguments}) -> ({types_text(region.yields)}) {{")
        p.depth = 0
        p.region(region, lambda r: f"return {p.uses(r.yields)} : {types_text(r.yields)}")
        p.lines.append("}")
    arguments = []
    for argument in program.args:
        p.names[argument.value] = f"%{argument.name}"
        arguments.append(f"%{argument.name}: {argument.value.type}{_facts_text(argument)}")
    attributes = [f"{name} = {_ATTRIBUTES[name].format(value)}" for name, value in program.attrs.items() if name in _ATTRIBUTES]
    if demands and "require" in program.attrs:
        attributes.append(f"require = #tile.require<{list_text(program.attrs['require'])}>")
    if plan is not None:
        attributes.append(f"plan = #cta.plan<{plan}>")
    suffix = f" attributes {{{', '.join(attributes)}}}" if attributes else ""
    p.lines.append(f"tile.kernel @{kernel}({', '.join(arguments)}){suffix} {{")
    p.depth = 0
    p.region(program.body, lambda r: "tile.return")
    p.lines.append("}")
    return "\n".join(p.lines) + "\n"
