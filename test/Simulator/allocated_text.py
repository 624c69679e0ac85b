# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of an allocated kernel as a tree of ops, for changes that lines alone do not tell: who makes a value, what stands in which
loop, and what a value is called behind or in front of a loop.

The text is what tile-opt prints with --mlir-print-unique-ssa-ids: an op a line, names that no other region uses again.
"""
import re

NAME = r"%[\w$.-]+"
USE = re.compile(rf"{NAME}(?:#\d+)?")
OP = re.compile(rf"^\s*(?:({NAME}(?::\d+)?(?:, {NAME}(?::\d+)?)*) = )?\"?([\w]+\.[\w.]+|\w+)\"?")
# Ops that do not belong to the protocol and do not change the contents of tiles. Another op may stand on either side of them.
TRANSPARENT = ("arith.", "math.", "tile.dim", "tile.num_cores", "cta.slot", "cta.ring", "cta.view", "cta.replica", "cta.block_id",
               "cta.num_blocks", "cta.cluster_place", "cta.ready", "cta.broadcast", "cta.iota", "cta.slice", "cta.reshape", "cta.convert_layout",
               "cta.reduce", "memref.dim", "memref.cast")


class Op:
    def __init__(self, begin, text, parent, region):
        self.begin = self.end = begin
        self.parent, self.region = parent, region
        self.regions = []
        found = OP.match(text)
        self.name = found.group(2) if found else "?"
        self.text = text
        self.indent = text[: len(text) - len(text.lstrip())]
        self.results = []  # names, with their numbers
        behind = text.strip()
        if found and found.group(1):
            behind = text[found.end(1) + 3:]
            for result in found.group(1).split(", "):
                name, colon, count = result.partition(":")
                self.results += [f"{name}#{i}" for i in range(int(count))] if colon else [name]
        self.operands = USE.findall(behind)
        self.arguments = []  # of a loop: what it carries
        self.inits, self.induction = [], None
        loop = re.search(rf"scf\.for (?:unsigned )?({NAME}) = ", text)
        if loop:
            self.induction = loop.group(1)
            carried = re.search(r"iter_args\(([^)]*)\)", text)
            if carried:
                for pair in carried.group(1).split(", "):
                    argument, init = pair.split(" = ")
                    self.arguments.append(argument)
                    self.inits.append(init)
            self.operands = [x for x in self.operands if x != self.induction and x not in self.arguments]

    @property
    def siblings(self):
        return self.parent.regions[self.region]

    @property
    def terminator(self):
        """Of each region: what it yields."""
        return [region[-1] if region and region[-1].name.endswith(".yield") else None for region in self.regions]

    def walk(self):
        yield self
        for region in self.regions:
            for op in region:
                yield from op.walk()

    def ancestors(self):
        op = self.parent
        while op:
            yield op
            op = op.parent

    @property
    def is_transparent(self):
        if self.name in ("scf.if", "scf.for", "scf.while"):
            return all(op.is_transparent or op.name == "scf.yield" for region in self.regions for op in region)
        return self.name.startswith(TRANSPARENT)


class Text:
    def __init__(self, text):
        self.lines = text.rstrip("\n").split("\n")
        self.root = Op(-1, "", None, 0)
        self.root.regions = [[]]
        stack = [self.root]
        self.makers = {}  # a value: the op that makes it, and which of its results; or (loop, "argument", which), (loop, "induction", 0)
        for number, line in enumerate(self.lines):
            bare = line.strip()
            if not bare or bare.startswith(("//", "^", "#")):
                continue
            if bare.startswith("}"):
                if bare.endswith("{"):
                    stack[-1].regions.append([])
                else:
                    stack.pop().end = number
                continue
            op = Op(number, line, stack[-1], len(stack[-1].regions) - 1)
            op.siblings.append(op)
            for i, result in enumerate(op.results):
                self.makers[result] = (op, "result", i)
            for i, argument in enumerate(op.arguments):
                self.makers[argument] = (op, "argument", i)
            if op.induction:
                self.makers[op.induction] = (op, "induction", 0)
            if bare.endswith("{"):
                op.regions.append([])
                stack.append(op)
        assert len(stack) == 1, "regions that do not end"
        self.ops = [op for op in self.root.walk() if op is not self.root]
        self.users = {}
        for op in self.ops:
            for operand in op.operands:
                self.users.setdefault(operand, []).append(op)

    def with_edits(self, replaced, before):
        """`replaced`: lines by number, None: without it; `before`: lines before the line of a number."""
        result = []
        for number, line in enumerate(self.lines):
            result += before.get(number, [])
            line = replaced.get(number, line)
            if line is not None:
                result.append(line)
        return "\n".join(result) + "\n"

    def slice_of(self, values):
        """The ops that compute the values: arithmetic, through conditions and what loops carry."""
        ops, seen, work = [], set(), list(values)
        while work:
            value = work.pop()
            if value in seen or value not in self.makers:
                continue
            seen.add(value)
            op, what, which = self.makers[value]
            if what == "induction":
                continue
            if op.name.startswith("arith.") or op.name == "cta.replica":
                ops.append(op)
                work += op.operands
            elif op.name in ("scf.for", "scf.if"):
                for yielded in op.terminator:
                    if yielded and which < len(yielded.operands):
                        work.append(yielded.operands[which])
                if op.inits:
                    work.append(op.inits[which])
        return sorted({op.begin: op for op in ops}.values(), key=lambda op: op.begin)

    def constant(self, value):
        """The number that a value always has, if it is computed from constants only."""
        op, what, _ = self.makers.get(value, (None, None, None))
        if what != "result":
            return None
        number = re.search(r"arith\.constant (-?\d+) : ", op.text)
        if number:
            return int(number.group(1))
        if op.name != "arith.xori":
            return None
        of = [self.constant(operand) for operand in op.operands]
        return None if None in of else of[0] ^ of[1]

    # --- moving ---

    def visible(self, value, line, block):
        """Whether a value may be used before a line of a block (an op and the number of its region)."""
        op, what, _ = self.makers.get(value, (None, None, None))
        if op is None:
            return True  # of the kernel's head
        place = (op, 0) if what != "result" else (op.parent, op.region)
        around = [block] + [(a.parent, a.region) for a in [block[0], *block[0].ancestors()] if a.parent]
        return place in around and (what != "result" or op.end < line)

    def moved(self, op, line, block, leaves=None, after=False):
        """The lines of `op` as they must be before `line` of `block`, with what it needs computed again; None if that is impossible.

        `leaves`: the loop that it leaves; what that carries is there its first value, or, `after`, its last."""
        made, names = [], {}

        def name_of(value):
            if value in names:
                return names[value]
            op, what, which = self.makers.get(value, (None, None, None))
            if what == "argument" and op is leaves:
                value = op.results[which] if after else op.inits[which]
                op, what, which = self.makers.get(value, (None, None, None))
            if self.visible(value, line, block):
                names[value] = value
            elif what == "result" and not op.regions and (op.name.startswith("arith.") or op.name in ("cta.slot", "cta.replica")) and len(op.results) == 1:
                text = rewrite(op)
                if text is None:
                    return None
                fresh = f"%again{len(made)}"
                made.append(text.replace(value, fresh, 1))
                names[value] = fresh
            else:
                names[value] = None
            return names[value]

        def rewrite(op):
            named = {operand: name_of(operand) for operand in op.operands}
            if None in named.values():
                return None
            begin = op.text.index(" = ") if op.results else 0
            return op.text[:begin] + USE.sub(lambda use: named.get(use.group(), use.group()), op.text[begin:])

        text = rewrite(op)
        return None if text is None else made + [text]
