# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases that are run for every kernel, from its contract and shapes.json.

shapes.json is {"auto": [...], "examples": [entry...]}. The first entry whose "match" (patterns of
file names without suffix; optional "kernel" patterns too) fits a kernel says how to test it:

  shapes      list of {symbol: size}; a symbol of the contract that a shape does not name is an error
  reduction   expression over the symbols: how many products or summands an output element has
  inputs      {argument: generator of tile-run}, "@" stands for shape and type, {N-1} for a number
  scalars     {argument: text}, {M*N} for a number
  outputs     {name: element type} of arrays that the kernel writes, but whose addresses are in a table: "T[1]"
  rtol, atol, frobenius   {element type: number} where the defaults do not fit
  summand_atol  {element type: number}: what atol is for each summand of the reduction, where sums keep fewer digits than f32
  repeat      runs that must be bitwise equal (1 where atomics make the order matter)
  layouts     false: no padded strides, none of 0, and no misaligned addresses
  sanitize    the shape compute-sanitizer gets

A kernel that no entry fits gets the "auto" lists: each is a cycle of sizes for its symbols.
"""

import fnmatch
import json
import re

from contract import ELEMENT_BYTES, FLOATS, arrays, reads, symbol_of, symbols, variant_names, writes

# |found - expected| <= atol + rtol |expected|, and |found - expected|_F <= frobenius |expected|_F;
# atol is times the length of the reduction. Both sides round their results to the type.
RTOL = {"f64": 1e-12, "f32": 2.0**-16, "f16": 2.0**-10, "bf16": 2.0**-7, "f8E4M3FN": 2.0**-3, "f8E5M2": 2.0**-2}
ATOL = {"f64": 1e-14, "f32": 2.0**-20, "f16": 2.0**-18, "bf16": 2.0**-18, "f8E4M3FN": 2.0**-9, "f8E5M2": 2.0**-9}
FROBENIUS = {"f64": 1e-12, "f32": 2.0**-15, "f16": 2.0**-11, "bf16": 2.0**-8, "f8E4M3FN": 2.0**-4, "f8E5M2": 2.0**-3}

# Sizes for which 20 repetitions would only cost time.
MANY_BYTES, HUGE_BYTES = 8 << 20, 64 << 20


class CaseError(Exception):
    pass


def evaluate(text, sizes):
    """Replaces {expression} in a text; with numbers only."""
    names = {re.sub(r"\W", "_", name): size for name, size in sizes.items()}

    def number(match):
        try:
            return str(eval(match.group(1), {"__builtins__": {}, "min": min, "max": max}, names))
        except Exception as error:
            raise CaseError(f"'{text}': {error}") from error

    return re.sub(r"\{([^{}]*)\}", number, str(text))


def repeats(arg):
    """Whether all along the first dimension of an array may be the same memory, with a stride of 0, as what NumPy and PyTorch broadcast has."""
    dynamic = arg.get("layout", "identity") == "strided" and len(arg["shape"]) > 1 and (arg.get("strides") or [None])[0] is None
    return dynamic and reads(arg) and not writes(arg)


class Case:
    """One launch: the words of tile-run's command line."""

    def __init__(self, example, kernel, entry, sizes, number, layout="", variant=""):
        self.example, self.kernel, self.entry = example, kernel, entry
        self.sizes, self.number, self.layout, self.variant = sizes, number, layout, variant
        self.shapes = [self._shape(arg) for arg in arrays(kernel)]

    @property
    def title(self):
        words = [self.kernel["name"]] if self.kernel["name"] != self.example else []
        words += [f"{name}={size}" for name, size in self.sizes.items()]
        words += [word for word in (self.layout, self.variant and f"variant={self.variant}") if word]
        return " ".join(words)

    def _shape(self, arg):
        return [extent if isinstance(extent, int) else self.sizes[symbol_of(arg, dim)]
                for dim, extent in enumerate(arg["shape"])]

    @property
    def bytes(self):
        total = 0
        for arg, shape in zip(arrays(self.kernel), self.shapes):
            count = 1
            for size in shape:
                count *= size
            total += count * ELEMENT_BYTES[arg["element"]]
        return total

    @property
    def reduction(self):
        return max(1, int(float(evaluate("{" + str(self.entry.get("reduction", 1)) + "}", self.sizes))))

    @property
    def cost(self):
        """A number that grows with the time that the CPU needs."""
        return self.bytes * self.reduction

    @property
    def repeat(self):
        most = self.entry.get("repeat", 20)
        return min(most, 3 if self.bytes > HUGE_BYTES else 8 if self.bytes > MANY_BYTES else 20)

    def _layout_of(self, arg, shape):
        """":strides=...:offset=..." of an array in this case's layout."""
        text = ""
        if self.layout in ("padded", "odd", "repeated") and arg.get("layout", "identity") == "strided" and shape:
            wanted = arg.get("strides") or [None] * len(shape)
            divisors = arg.get("stride_divisible") or [1] * len(shape)
            strides, stride = [0] * len(shape), 1
            for dim in reversed(range(len(shape))):
                if wanted[dim] is not None:
                    stride = wanted[dim]
                elif dim != len(shape) - 1:
                    # 16 bytes at least keep rows aligned; one element does not.
                    stride += 1 if self.layout == "odd" else 16
                    step = max(divisors[dim], 1 if self.layout == "odd" else 16)
                    stride = -(-stride // step) * step
                    if self.layout == "odd" and step == 1:
                        stride |= 1
                strides[dim] = stride
                stride *= max(1, shape[dim])
            if self.layout == "repeated" and repeats(arg):
                strides[0] = 0
            text += ":strides=" + ",".join(map(str, strides))
        if self.layout == "misaligned" and arg.get("align", 1) <= ELEMENT_BYTES[arg["element"]]:
            text += ":offset=1"
        return text

    def arguments(self):
        words, index = [], 0
        for position, arg in enumerate(self.kernel["args"]):
            if arg["kind"] != "memref":
                words.append(self._scalar(arg))
                continue
            shape = self.shapes[index]
            index += 1
            kind = "x".join(map(str, shape + [arg["element"]]))
            words.append(self._generator(arg, kind, 1000 * self.number + position) + self._layout_of(arg, shape))
        return words

    def _scalar(self, arg):
        text = self.entry.get("scalars", {}).get(arg["name"])
        if text is not None:
            return evaluate(text, self.sizes)
        return "0.5" if arg["type"] in FLOATS else "true" if arg["type"] == "i1" else "3"

    def _generator(self, arg, kind, seed):
        text = self.entry.get("inputs", {}).get(arg["name"])
        if text is not None:
            text = evaluate(text, self.sizes).replace("@", kind)
        elif not reads(arg):
            text = f"nan:{kind}" if writes(arg) else f"zeros:{kind}"
        elif arg["element"] in FLOATS or arg["element"] == "i1":
            text = f"randn:{kind}"
        else:
            text = f"randint:{kind}:low=-4:high=4"
        if text.startswith("rand") and ":seed=" not in text:
            text += f":seed={seed}"
        return text

    def outputs(self):
        tables = [{"name": name, "element": element} for name, element in self.entry.get("outputs", {}).items()]
        return [arg for arg in arrays(self.kernel) if writes(arg)] + tables

    def tolerance(self, element):
        """rtol, atol, frobenius; None for integers, which must be equal."""
        if element not in FLOATS:
            return None
        pick = lambda name, table: self.entry.get(name, {}).get(element, table[element])
        table = {**ATOL, **self.entry.get("summand_atol", {})}
        atol = pick("atol", table) * (1 if element in self.entry.get("atol", {}) else self.reduction)
        return pick("rtol", RTOL), atol, pick("frobenius", FROBENIUS)

    def with_variant(self, name):
        return Case(self.example, self.kernel, self.entry, self.sizes, self.number, self.layout, name)


def load_shapes(path):
    with open(path) as file:
        data = json.load(file)
    known = {"match", "kernel", "shapes", "reduction", "inputs", "scalars", "rtol", "atol", "frobenius", "summand_atol",
             "outputs", "repeat", "layouts", "sanitize", "comment"}
    for entry in data["examples"]:
        unknown = set(entry) - known
        if unknown or not entry.get("match") or not entry.get("shapes"):
            raise CaseError(f"{path}: entry {entry.get('match')}: needs match and shapes, unknown: {sorted(unknown)}")
    return data


def entry_for(data, example, kernel):
    for entry in data["examples"]:
        if any(fnmatch.fnmatchcase(example, pattern) for pattern in entry["match"]) and any(
                fnmatch.fnmatchcase(kernel["name"], pattern) for pattern in entry.get("kernel", ["*"])):
            return entry
    return None


def auto_sizes(kernel, cycle):
    """Sizes for the symbols of a kernel for which shapes.json has no entry. They satisfy its facts."""
    found = symbols(kernel)
    return {name: -(-cycle[i % len(cycle)] // divisor) * divisor for i, (name, divisor) in enumerate(found.items())}


def cases_of(data, example, kernel):
    """The cases of one kernel, and the one for compute-sanitizer."""
    entry = entry_for(data, example, kernel)
    names = list(symbols(kernel))
    if entry is None:
        entry = {"auto": True}
        shapes = [auto_sizes(kernel, cycle) for cycle in data["auto"]]
    else:
        shapes = []
        for shape in entry["shapes"]:
            missing = [name for name in names if name not in shape]
            if missing:
                raise CaseError(f"shapes.json has no size for {', '.join(missing)} of kernel '{kernel['name']}'")
            shapes.append({name: shape[name] for name in names})
    unique = [shape for i, shape in enumerate(shapes) if shape not in shapes[:i]]
    cases = [Case(example, kernel, entry, shape, i) for i, shape in enumerate(unique)]
    small = [case for case in cases if 0 < case.bytes <= MANY_BYTES] or cases
    if entry.get("layouts", True):
        picked = [small[len(small) // 2]] + ([small[-1]] if len(small) > 2 else [])
        strided = any(arg.get("layout", "identity") == "strided" and len(arg["shape"]) > 1 for arg in arrays(kernel))
        for case in picked:
            repeated = any(repeats(arg) for arg in arrays(kernel))
            for layout in (["padded", "odd"] if strided else []) + (["repeated"] if repeated else []) + ["misaligned"]:
                cases.append(Case(example, kernel, entry, case.sizes, case.number, layout))
    if "sanitize" in entry:
        sanitized = Case(example, kernel, entry, {name: entry["sanitize"][name] for name in names}, 0)
    else:
        sanitized = min(small, key=lambda case: abs(case.bytes - (96 << 10)))
    return cases, sanitized


def last_variant(kernel):
    """The last variant that assumes nothing, of any member of a family; if there is none, the last one."""
    names = variant_names(kernel)
    return next((name for name in reversed(names) if re.fullmatch("(.*[/_])?any", name)), names[-1])
