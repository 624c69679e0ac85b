# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The last step of drawing: numbers of the program become expressions that the launcher evaluates, arguments get facts and share memory."""

from .. import graph
from ..elements import I1, I32, I64, INDEX
from ..graph import Op, Tile
from . import draw_memory
from .draw_base import Note


def finish(b):
    program, chance = b.program, b.chance
    prologue = Prologue(b)
    # A store to an array of an address may write every argument.
    anywhere = any(op.name == "tile.array_at" for op in graph.all_ops(program))
    if chance(0.12):
        share_memory(b)
    for op in program.body.ops:
        if op.name == "memref.alloc":
            numbers = op.attrs.pop("numbers")
            op.operands = [prologue.value(n) for n in numbers]
        elif op.name == "tile.grid":
            prints = any(inner.name == "tile.print" for inner in graph.walk(op.regions[0]))
            reads = not prints and not anywhere and b.may("read-bounds", 0.06)  # they print other coordinates
            _express_bounds(op, prologue, 0.35 if reads or chance(0.6) else 0.0, reads)
            _launder(b, op.regions[0], prologue, 0.08 if chance(0.6) else 0.0)
            if b.may("inner-sizes", 0.3):
                _measure(b, op.regions[0], prologue)
    if chance(0.06):
        prologue.condition()
    names = prologue.names | ({n for arg in arrays(program) for n in arg.sizes} if chance(0.3) else set())
    for arg in program.args:
        facts(chance, arg, names)
    program.body.ops[:0] = prologue.ops


def arrays(program):
    return [arg for arg in program.args if arg.is_array]


class Prologue:
    """Scalar code before everything else."""

    def __init__(self, b):
        self.b, self.ops, self.names, self.known = b, [], set(), {}
        self.affine = "affine" in b.include

    def op(self, name, operands=(), attrs=None, type=None):
        op = Op(name, operands, [type or Tile(INDEX)], attrs)
        op.result.note = Note()
        self.ops.append(op)
        return op.result

    def constant(self, n):
        return self.op("arith.constant", attrs={"value": n})

    def value(self, n):
        """A value equal to n."""
        chance = self.b.chance
        if n in self.known and chance(0.4):
            return chance.choice(self.known[n])
        how = chance.weighted({"argument": 4, "dim": 6, "name": 5, "constant": 3, "sum": 2, "product": 1.5, "quotient": 1.5, "least": 1,
                               "cores": 0.5 if n > 0 else 0, "select": 0.6, "bits": 0.5 if 0 <= n < 1 << 20 else 0})
        found = getattr(self, "_" + how)(n) if how not in ("argument", "constant") else None
        if how == "constant":
            found = self.constant(n)
        if found is None:
            found = self._argument(n)
        self.known.setdefault(n, []).append(found)
        return found

    def from_memory(self, n):
        """A number that the host does not know."""
        element = self.b.chance.choice((I32, I32, I64, INDEX))
        place = self.b.array(element, (self.b.chance.int(1, 3),), ("integers", n, n), plain=True)
        value = self.op("memref.load", [place.value, self.constant(self.b.chance.int(0, place.sizes[0] - 1))], type=Tile(element))
        return value if element is INDEX else self.op("arith.index_cast", [value])

    def _argument(self, n):
        element = self.b.chance.choice((INDEX, INDEX, I64, I32))
        value = self.b.scalar_argument(element, n)
        return value if element is INDEX else self.op("arith.index_cast", [value])

    def _dimensions(self, n):
        return [(arg, d) for arg in arrays(self.b.program) for d, size in enumerate(arg.sizes) if size == n]

    def _dim(self, n):
        found = self._dimensions(n)
        if not found:
            return None
        arg, d = self.b.chance.choice(found)
        return self.op("memref.dim", [arg.value, self.constant(d)])

    def _name(self, n):
        if not self._dimensions(n):
            return None
        self.names.add(n)
        return self.op("tile.dim", attrs={"name": f"D{n}"})

    def _leaf(self, n):
        for found in (self._name(n) if self.b.chance(0.5) else None, self._dim(n)):
            if found is not None:
                return found
        return self._argument(n)

    def _sum(self, n):
        c = self.b.chance.int(-5, 20)
        if self.b.chance(0.3):
            return self.op("arith.subi", [self._leaf(n + c), self.constant(c)])
        return self.op("arith.addi", [self._leaf(n - c), self.constant(c)])

    def _product(self, n):
        c = self.b.chance.choice((2, 3, 4, 8))
        if n % c and not self.affine:
            return None
        if n % c:
            return self.op("affine.apply", [self._leaf(n // c)], {"exprs": (((c,), n % c, "", 1),)})
        return self.op("arith.muli", [self._leaf(n // c), self.constant(c)])

    def _quotient(self, n):
        c = self.b.chance.choice((2, 4, 8, 16))
        name = self.b.chance.choice(("arith.floordivsi", "arith.ceildivsi", "arith.divsi", "arith.divui", "affine.apply"))
        if n < 0:
            return None
        if name == "affine.apply" and self.affine:
            return self.op(name, [self._leaf(n * c)], {"exprs": (((1,), self.b.chance.int(0, c - 1), "floordiv", c),)})
        rest = self.b.chance.int(0, c - 1)
        name = "arith.floordivsi" if name == "affine.apply" else name
        x = n * c - rest if name == "arith.ceildivsi" else n * c + rest
        return self.op(name, [self._leaf(x) if x >= 0 else self._argument(x), self.constant(c)])

    def _least(self, n):
        how = self.b.chance.choice(("minsi", "maxsi", "remsi"))
        if how == "remsi" and n >= 0:
            return self.op("arith.remsi", [self._leaf(n), self.constant(n + self.b.chance.int(1, 9))])
        how = "minsi" if how == "remsi" else how
        other = n + self.b.chance.int(0, 9) * (1 if how == "minsi" else -1)
        return self.op(f"arith.{how}", [self._leaf(n), self.constant(other)])

    def _cores(self, n):
        """There is at least one."""
        one = self.op("arith.minsi", [self.op("tile.num_cores"), self.constant(1)])
        return self.op("arith.muli", [one, self._leaf(n)])

    def _select(self, n):
        x = self._leaf(n)
        yes = self.op("arith.cmpi", [x, self.constant(n + 1)], {"predicate": "slt"}, Tile(I1))
        return self.op("arith.select", [yes, x, self.constant(7)])

    def _bits(self, n):
        if self.b.chance(0.5):
            return self.op("arith.shrsi", [self._argument(n * 4 + 1), self.constant(2)])
        return self.op("arith.xori", [self._argument(n ^ 5), self.constant(5)])

    def condition(self):
        """A launch precondition that holds."""
        args = arrays(self.b.program)
        if not args:
            return
        n = self.b.chance.choice(self.b.chance.choice(args).sizes or (1,))
        predicate, other = self.b.chance.choice((("eq", n), ("sge", n - 1), ("slt", n + 1), ("ne", n + 3)))
        holds = self.op("arith.cmpi", [self._leaf(n), self.constant(other)], {"predicate": predicate}, Tile(I1))
        op = Op("tile.assume", [holds], (), {"message": "the sizes must be those"})
        self.ops.append(op)


def _express_bounds(op, prologue, often, reads):
    operands = []
    for name in ("lower", "upper", "step"):
        entries = []
        for n in op.attrs[name]:
            if prologue.b.chance(often if name != "step" else often / 2):
                memory = reads and abs(n) < 1 << 31 and prologue.b.chance(0.6)
                operands.append(prologue.from_memory(n) if memory else prologue.value(n))
                n = None
            entries.append(n)
        op.attrs[name] = tuple(entries)
    op.operands = operands


def _regions(region):
    """A region and those in it but for combiners, which see nothing from outside."""
    yield region
    for op in region.ops:
        if op.name not in ("tile.reduce", "tile.scan"):
            for inner in op.regions:
                yield from _regions(inner)


def _launder(b, region, prologue, often):
    """Some constants of a grid become values that the compiler does not know."""
    replaced = {}
    for op in (op for inner in _regions(region) for op in inner.ops):
        if op.name == "arith.constant" and op.result.type == Tile(INDEX) and b.chance(often) and 0 <= op.attrs["value"] < 1 << 30:
            replaced[op.result] = prologue.value(op.attrs["value"])
    for inner in graph.walk_regions(region):
        for op in inner.ops:
            op.operands = [replaced.get(value, value) for value in op.operands]
        inner.yields = [replaced.get(value, value) for value in inner.yields]


def _measure(b, region, prologue):
    """Some constants of a grid become sizes of arguments that are asked for in the grid, or the number of cores, of which there is at least one."""
    for inner in _regions(region):
        for at in reversed(range(len(inner.ops))):
            op = inner.ops[at]
            if op.name != "arith.constant" or op.result.type != Tile(INDEX) or not b.chance(0.1):
                continue
            n, dimensions = op.attrs["value"], prologue._dimensions(op.attrs["value"])
            if dimensions and b.chance(0.5):
                op.name, op.attrs = "tile.dim", {"name": f"D{n}"}
                prologue.names.add(n)
            elif dimensions:
                arg, d = b.chance.choice(dimensions)
                which = Op("arith.constant", (), [Tile(INDEX)], {"value": d})
                which.result.note = Note(d, d, True, True)
                op.name, op.operands, op.attrs = "memref.dim", [arg.value, which.result], {}
                inner.ops.insert(at, which)
            elif n == 1:
                cores, one = Op("tile.num_cores", (), [Tile(INDEX)]), Op("arith.constant", (), [Tile(INDEX)], {"value": 1})
                cores.result.note, one.result.note = Note(), Note(1, 1, True, True)
                op.name, op.operands, op.attrs = "arith.minsi", [cores.result, one.result], {}
                inner.ops[at:at] = [cores, one]


# --- facts -----------------------------------------------------------------------------------------------------------------


def facts(chance, arg, names):
    found = arg.facts
    if not arg.is_array:
        element = arg.value.type.element
        if not element.is_float and element.bits > 1 and chance(0.15):
            found["divisible"] = _divisor(chance, arg.scalar)
        return
    if any(size in names for size in arg.sizes) or chance(0.15):
        entries = []
        for size, static in zip(arg.sizes, arg.value.type.sizes):
            if size in names:  # equal names are equal sizes
                entries.append(f"D{size}")
            else:
                entries.append(chance.choice((None, size)))
        found["shape"] = tuple(entries)
    address = arg.offset * arg.value.type.element.bytes
    if chance(0.3):
        most = min(256, address & -address if address else 256)
        align = chance.choice([n for n in (1, 2, 4, 8, 16, 32, 64, 128, 256) if n <= most])
        if align >= arg.value.type.element.bytes:
            found["align"] = align
    if arg.sizes and chance(0.2):
        found["size_divisible"] = tuple(_divisor(chance, n) for n in arg.sizes)
    if arg.sizes and chance(0.2):
        found["stride_divisible"] = tuple(_divisor(chance, n) for n in arg.strides)
    if arg.sizes and chance(0.15):
        found["size_max"] = tuple(max(1, n + chance.choice((0, 1, 100, 1 << 20))) for n in arg.sizes)


def _divisor(chance, n):
    fits = [d for d in (1, 2, 3, 4, 5, 8, 16, 32, 64) if n % d == 0]
    return chance.choice(fits) if chance(0.5) else fits[-1]


# --- memory that arguments share ---------------------------------------------------------------------------------------------


def share_memory(b):
    """An output in the memory of an input of the same form, or two inputs that overlap; or only the permission to."""
    chance, program = b.chance, b.program
    stored = {id(place.argument) for place in b.places if place.argument is not None and place.stored_in}
    tables = [root for root in program.roots() if root.init[0] == "addresses"]
    pinned = {id(root) for table in tables for root in [table] + [target for target, _ in table.init[3]]}
    inputs = [arg for arg in arrays(program) if id(arg) not in stored and 0 not in arg.sizes and id(arg.root) not in pinned]
    # The evaluator does not judge what a protocol orders, so it would not see that a load beside the protocol races.
    pinned |= {id(place.argument.root) for place in b.places if place.argument is not None and place.guarded}
    outputs = [arg for arg in arrays(program) if id(arg) in stored and id(arg.root) not in pinned]
    how = chance.choice(("in place", "overlap", "permission"))
    if how == "in place":
        pairs = [(x, y) for x in inputs for y in outputs if x.value.type.element is y.value.type.element and x.sizes == y.sizes]
        if pairs:
            x, y = chance.choice(pairs)
            if draw_memory.MOST_ELEMENTS > x.root.count >= y.offset + x.root.count - x.offset or x.strides == y.strides:
                if x.strides == y.strides:
                    y.root, y.offset = x.root, x.offset
                    x.facts["alias"] = y.facts["alias"] = "m"
        return
    if how == "overlap":
        for x in inputs:
            for y in inputs:
                if x is not y and x.root is not y.root and x.value.type.element is y.value.type.element and y.root.count <= x.root.count and y.root.init == x.root.init:
                    y.root = x.root
                    if chance(0.5):
                        x.facts["alias"] = y.facts["alias"] = "m"
                    return
    some = chance.sample(arrays(program), min(len(arrays(program)), 2))
    for arg in some:
        arg.facts["alias"] = "m"
