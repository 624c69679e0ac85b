# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What straight code (cta-serialize-trace, convert-cta-to-tile) stores, as expressions: two texts with equal ones compute equal values, in whatever
order they do it, so that most mutants need not be compiled for the CPU.
"""
import hashlib
import re

from allocated_text import NAME, USE, Text


def digest(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


class Expressions:
    def __init__(self, straight):
        self.text = Text(straight)
        self.values = {}
        self.written = {}  # an array: how many stores to it have been seen
        self.stored = []

    def value(self, name):
        return self.values.get(name, name)

    def root(self, name):
        """The array of which this is a view."""
        op, what, _ = self.text.makers.get(name, (None, None, None))
        while op is not None and what == "result" and op.name.startswith("memref.") and op.name != "memref.alloc":
            name = op.operands[0]
            op, what, _ = self.text.makers.get(name, (None, None, None))
        return name

    def whole(self, op):
        """The op with its regions, names replaced: what it computes."""
        local = {}

        def rename(use):
            name = use.group()
            if name in self.values:
                return self.values[name]
            maker = self.text.makers.get(name)
            inside = any(name == x for other in op.walk() for x in other.results) or not maker
            return local.setdefault(name, f"%{len(local)}") if inside and name not in op.operands else name

        lines = self.text.lines[op.begin:op.end + 1]
        if op.results:
            lines = [lines[0][lines[0].index(" = ") + 3:]] + lines[1:]
        return digest(*(USE.sub(rename, line.strip()) for line in lines))

    def run(self, op):
        arrays = [self.root(x) for x in op.operands if re.search(rf"{re.escape(x)}\[", op.text)]
        value = self.whole(op)
        if op.name in ("tile.store", "memref.store") or not op.results:
            if arrays:
                self.written[arrays[-1]] = self.written.get(arrays[-1], 0) + 1
            if value not in self.stored[-1:] or op.name == "tile.atomic":  # The same stored once more; what is added once more counts.
                self.stored.append(value)
            return
        # The contents of an array that the program writes depend on the stores before.
        value = digest(value, *(str(self.written[x]) for x in arrays if x in self.written))
        for i, result in enumerate(op.results):
            self.values[result] = digest(value, str(i))

    def of_kernels(self):
        """{kernel: what it stores, in order}"""
        result = {}
        for kernel in self.text.ops:
            if kernel.name != "tile.kernel":
                continue
            self.stored, self.written = [], {}
            for op in kernel.regions[0]:
                if op.name == "tile.grid":
                    for inner in op.regions[0]:
                        self.run(inner)
                else:
                    self.run(op)
            result[re.search(r"@(\w+)", kernel.text).group(1)] = self.stored
        return result


def expressions(straight):
    """Equal for texts that compute the same: all orders of stores count as the same if each is there once."""
    return {kernel: (sorted(stored), len(set(stored)) == len(stored) or stored) for kernel, stored in Expressions(straight).of_kernels().items()}
