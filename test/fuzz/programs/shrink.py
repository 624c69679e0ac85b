#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing program small: drops outputs and ops, puts constants for results, unrolls and empties control flow, forgets clauses and facts, as
long as the program stays valid and fails in the same way.

  shrink.py SEED [--erase PHASE | --trace | --gpu-compile] [-O N] [-o SMALL.mlir]

Prints the small program, its arguments and what is wrong. How a program fails is its outcome: differs (in whatever element), is refused or
crashes with the same message but for numbers.
"""

import sys
import tempfile

import run_cpu
import toolchain
from language import draw, evaluate, graph, printer
from language.graph import Op, Tile
from language.memory import Invalid

# --- steps: each takes a copy of the program and a position, and says whether there was such a position ------------------------


def _regions(program):
    return list(graph.all_regions(program))


def _ops(program):
    """(region, op), the last ones first."""
    return [(region, op) for region in _regions(program) for op in region.ops][::-1]


def _free_ops(program):
    """Those that are no part of a combiner, which must stay associative."""
    combiners = {id(region) for _, op in _ops(program) if op.name in ("tile.reduce", "tile.scan") for region in op.regions}
    return [(region, op) for region, op in _ops(program) if id(region) not in combiners]


def _replace(program, old, new):
    for region in _regions(program):
        for op in region.ops:
            op.operands = [new if value is old else value for value in op.operands]
        region.yields = [new if value is old else value for value in region.yields]


def clean(program):
    """Drops what nothing uses."""
    while True:
        used = graph.uses(program)
        dead = [(region, op) for region, op in _ops(program) if op.results and not any(result in used for result in op.results)
                and not any(inner.name in ("tile.store", "memref.store", "tile.atomic") for inside in op.regions for inner in graph.walk(inside))]
        if not dead:
            break
        for region, op in dead:
            region.ops.remove(op)
    called = {op.attrs["callee"] for op in graph.all_ops(program) if op.name == "func.call"}
    program.functions = [function for function in program.functions if function in called]
    named = {f"{op.attrs['name']}" for op in graph.all_ops(program) if op.name == "tile.dim"}
    program.args = [arg for arg in program.args if arg.value in used or named & set(arg.facts.get("shape", ()))]
    return program


def drop_effect(program, at):
    effects = [(region, op) for region, op in _ops(program) if not op.results and op.name != "tile.yield"]
    if at >= len(effects):
        return False
    region, op = effects[at]
    region.ops.remove(op)
    return True


def drop_half(program, at):
    """Half of the stores at a time: 0 the first, 1 the last."""
    stores = [(region, op) for region, op in _ops(program) if op.name in ("tile.store", "memref.store", "tile.atomic")]
    if at >= 2 or len(stores) < 4:
        return False
    half = stores[:len(stores) // 2] if at else stores[len(stores) // 2:]
    for region, op in half:
        region.ops.remove(op)
    return True


def to_operand(program, at):
    """A result becomes an operand of the same type."""
    found = [(op, operand) for _, op in _free_ops(program) if len(op.results) == 1 and not op.regions for operand in op.operands if operand.type == op.result.type]
    if at >= len(found):
        return False
    op, operand = found[at]
    _replace(program, op.result, operand)
    return True


def to_constant(program, at):
    found = [(region, op, result) for region, op in _free_ops(program) for result in op.results
             if isinstance(result.type, Tile) and op.name != "arith.constant" and result in graph.uses(program)]
    if at >= len(found):
        return False
    region, op, result = found[at]
    constant = Op("arith.constant", (), [result.type], {"value": 1 if result.type.element.bits > 1 else 0})
    region.ops.insert(region.ops.index(op), constant)
    _replace(program, result, constant.result)
    return True


def flatten(program, at):
    """A branch becomes one of its arms, a loop its body, once with its first values."""
    found = [(region, op, arm) for region, op in _ops(program) if op.name in ("scf.if", "scf.index_switch", "scf.for") for arm in op.regions]
    if at >= len(found):
        return False
    region, op, arm = found[at]
    place = region.ops.index(op)
    if op.name == "scf.for":
        for argument, value in zip(arm.args, [op.operands[0]] + op.operands[3:]):
            _replace(program, argument, value)
    for result, value in zip(op.results, arm.yields):
        _replace(program, result, value)
    region.ops[place:place + 1] = arm.ops
    return True


def drop_carried(program, at):
    """A result of control flow that nobody uses."""
    used = graph.uses(program)
    found = [(op, i) for _, op in _ops(program) if op.name in ("scf.if", "scf.index_switch", "scf.for") for i, result in enumerate(op.results)
             if result not in used and (len(op.results) > 1 or op.name == "scf.for")]
    if at >= len(found):
        return False
    op, i = found[at]
    if op.name == "scf.for":
        argument = op.regions[0].args.pop(i + 1)
        _replace(program, argument, op.operands.pop(i + 3))
    for arm in op.regions:
        arm.yields.pop(i)
    op.results.pop(i)
    return True


def plain_clause(program, at):
    """Hints, pads and flags."""
    found = [(op, name) for _, op in _ops(program) for name in ("stages", "cache", "pad", "fastmath", "order", "precision", "accumulate_every", "unsigned", "saturate")
             if name in op.attrs]
    found += [(op, "strides") for _, op in _ops(program) if op.name in ("tile.load", "tile.atomic") and "strides" in op.attrs]
    found += [(op, name) for _, op in _ops(program) if op.name == "tile.scan" for name in ("exclusive", "reverse") if op.attrs.get(name)]
    found += [(program, name) for name in program.attrs]
    if at >= len(found):
        return False
    op, name = found[at]
    if op.attrs.pop(name) == "tile":  # a pad that is an operand, after the limits
        op.operands.pop(1 + op.operands[0].type.rank + sum(op.attrs["limited"]))
    return True


def drop_mask(program, at):
    found = []
    for _, op in _ops(program):
        if op.name in ("tile.load", "tile.store", "tile.atomic"):
            first = 1 if op.name == "tile.load" else 2
            rank = op.operands[first - 1].type.rank
            limits = sum(op.attrs["limited"])
            if len(op.operands) > first + rank + limits + (op.attrs.get("pad") == "tile"):
                found.append((op, len(op.operands) - 1, None))
            found += [(op, first + rank + sum(op.attrs["limited"][:t]), t) for t, has in enumerate(op.attrs["limited"]) if has]
    if at >= len(found):
        return False
    op, operand, limit = found[at]
    op.operands.pop(operand)
    if limit is None:
        op.attrs["on"] = None
    else:
        op.attrs["limited"] = tuple(has and t != limit for t, has in enumerate(op.attrs["limited"]))
    return True


def drop_fact(program, at):
    found = [(arg, name) for arg in program.args for name in arg.facts]
    if at >= len(found):
        return False
    arg, name = found[at]
    del arg.facts[name]
    return True


def one_block(program, at):
    """A dimension of a grid gets one block."""
    found = [(op, d) for op in graph.grids(program) for d, (l, u, s) in enumerate(zip(op.attrs["lower"], op.attrs["upper"], op.attrs["step"]))
             if None not in (l, u, s) and u - l > s]
    if at >= len(found):
        return False
    op, d = found[at]
    upper = list(op.attrs["upper"])
    upper[d] = op.attrs["lower"][d] + op.attrs["step"][d]
    op.attrs["upper"] = tuple(upper)
    return True


STEPS = (drop_half, drop_effect, to_operand, to_constant, flatten, drop_carried, drop_mask, plain_clause, drop_fact, one_block, to_operand)


def shrink(program, fails, note=lambda text: None):
    """The smallest program found for which `fails` holds."""
    def valid(candidate):
        try:
            evaluate.evaluate(candidate)
            return True
        except Invalid:
            return False
        except Exception:  # a step went too far, such as a value that is used before its definition
            return False
    size = sum(1 for _ in graph.all_ops(program)) + 1
    while True:
        before = size
        for step in STEPS:
            at = 0
            while True:
                candidate = program.copy()
                if not step(candidate, at):
                    break
                clean(candidate)
                if valid(candidate) and fails(candidate):
                    program = candidate
                    note(f"{step.__name__}: {sum(1 for _ in graph.all_ops(program))} ops")
                else:
                    at += 1
        size = sum(1 for _ in graph.all_ops(program))
        if size >= before:
            return program


# --- how a program fails -----------------------------------------------------------------------------------------------------


class Checker:
    """The outcome of a program: ("differ" | "refused" | "crashed" | "agree", message)."""

    def __init__(self, options, folder, seed):
        self.seed, self.options, self.runner = seed, options, run_cpu.Runner(options, folder)
        self.folder = folder
        self.gpu = getattr(options, "gpu_compile", False)

    def __call__(self, program):
        if self.gpu:
            outcome = toolchain.compile_text(printer.print_program(program, "k0"), f"{self.folder}/small.cubin", "sm_90a", self.options.timeout)
            return ("agree", "") if outcome else (outcome.state, outcome.message)
        # The manner hangs on the seed.
        (_, state, message, _), = self.runner.judge({self.seed: (program, evaluate.evaluate(program))})
        return state, message


def same_failure(wanted, found):
    if wanted[0] == "differ":
        return found[0] == "differ"
    return found[0] == wanted[0] and toolchain.normalised(found[1]) == toolchain.normalised(wanted[1])


def main():
    arguments, out, gpu = sys.argv[1:], None, "--gpu-compile" in sys.argv
    arguments = [argument for argument in arguments if argument != "--gpu-compile"]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 2
    if "-o" in arguments:
        out = arguments[arguments.index("-o") + 1]
        del arguments[arguments.index("-o"):arguments.index("-o") + 2]
    seed = int(arguments[0])
    options = run_cpu.parse_options(arguments[1:])
    options.gpu_compile = gpu
    program = draw.draw(seed, profile=options.profile, include=options.include)
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(options, folder, seed)
        wanted = checker(program)
        print(f"seed {seed}: {wanted[0]}: {wanted[1]}", flush=True)
        if wanted[0] == "agree":
            return 1
        if not same_failure(wanted, checker(program)):
            raise SystemExit("it does not fail again")
        small = shrink(program, lambda candidate: same_failure(wanted, checker(candidate)), lambda text: print(text, file=sys.stderr, flush=True))
        found = checker(small)
    text = f"// {found[0]}: {found[1]}\n" + "".join(f"// {line}\n" for line in run_cpu.arguments_text(small)) + printer.print_program(small)
    print(text)
    if out:
        with open(out, "w") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
