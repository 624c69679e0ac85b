# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which kernels of a kit are matrix products, and of which kind: read from their contracts.

The arrays a kernel reads are A, B and then the epilogue's (M numbers called rowscale and N called colscale are factors of rows and
columns, another row of N numbers is a bias, an M x N array a residual), what it writes is C. The symbols of the shapes say what lies transposed; where a contract has none,
the name does (gemm-nt). An activation has no trace in a contract: the name says gelu, gelu_erf, relu or silu.
C = activation(alpha rowscale colscale A B + bias) + residual.
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "test", "GPU"))

from contract import arrays, read_contract, reads, writes  # noqa: E402

FLOAT_ELEMENTS = ("bf16", "f16", "f32", "f64")
SCALARS = ("alpha",)
SCALES = {"rowscale": -2, "colscale": -1} # the dimension of C along which it lies


class NoProduct(Exception):
    """This is no matrix product, or one for which the scripts cannot make operands."""


class Program:
    """One kernel of one artifact. roles: per argument A, B, rowscale, colscale, bias, residual, C or a scalar's name."""

    def __init__(self, path, example, contract, roles, layout, element, result, batched, activation):
        self.path, self.example, self.contract, self.roles = path, example, contract, roles
        self.layout, self.element, self.result, self.batched, self.activation = layout, element, result, batched, activation

    @property
    def name(self):
        return f"{self.example}/{self.contract['name']}"

    @property
    def epilogue(self):
        """'', 'bias', 'bias+gelu', 'gelu', 'rowscale+colscale', 'bias+gelu+residual', …"""
        present = [role for role in (*SCALES, "bias", "activation", "residual") if role in self.roles or role == "activation" and self.activation]
        return "+".join(self.activation if role == "activation" else role for role in present)

    def kind(self):
        """A key that is equal for kernels that compute the same."""
        return (self.layout, self.element, self.result, self.epilogue, self.batched)


def activation_of(name):
    words = re.split(r"[-_]", name)
    for word in ("gelu", "relu", "silu"):
        if word in words:
            return "gelu_erf" if word == "gelu" and "erf" in words else word
    return ""


def _orientation(array, extent, row):
    """'n' if dimension `row` of the last two has the extent, 't' if the other one has; None if neither is known."""
    last = array["shape"][-2:]
    if extent is None or last[0] == last[1]:
        return None
    return "n" if last[row] == extent else "t" if last[1 - row] == extent else None


def layout_of(names, a, b, c):
    m, n = c["shape"][-2:]
    found = re.search(r"(?:^|[-_])(nn|nt|tn|tt)(?:[-_]|$)", " ".join(names).replace(" ", "-"))
    said = found.group(1) if found else (None, None)
    letters = _orientation(a, m, 0) or said[0], _orientation(b, n, 1) or said[1]
    if None in letters:
        raise NoProduct("neither its contract nor its name says how A and B lie in memory")
    return "".join(letters)


def classify(path, example, contract):
    everything = arrays(contract)
    inputs, outputs = [a for a in everything if not writes(a)], [a for a in everything if writes(a)]
    if len(outputs) != 1 or len(inputs) < 2 or reads(outputs[0]):
        raise NoProduct("not two inputs or more and one output that is only written")
    (a, b), extras, (c,) = inputs[:2], inputs[2:], outputs
    ranks = {len(array["shape"]) for array in (a, b, c)}
    if ranks not in ({2}, {3}):
        raise NoProduct("A, B and C are not all of rank 2 or all of rank 3")
    if a["element"] != b["element"] or a["element"] not in FLOAT_ELEMENTS or c["element"] not in FLOAT_ELEMENTS:
        raise NoProduct(f"elements {a['element']}, {b['element']} and {c['element']}")
    layout = layout_of((example, contract["name"]), a, b, c)
    named = {id(a): "A", id(b): "B", id(c): "C"}
    for extra in extras:
        rank, along = len(extra["shape"]), SCALES.get(extra["name"], -1)
        role = extra["name"] if rank == 1 and extra["name"] in SCALES else {1: "bias", len(c["shape"]): "residual"}.get(rank)
        if role is None or role in named.values() or extra["shape"][-1] != c["shape"][along]:
            raise NoProduct(f"argument {extra['name']} is neither a row of N numbers (rowscale: of M) nor an array like C")
        if role == "residual" and extra["shape"] != c["shape"]:
            raise NoProduct(f"argument {extra['name']} has not the shape of C")
        named[id(extra)] = role
    roles = []
    for argument in contract["args"]:
        if argument["kind"] == "memref":
            roles.append(named[id(argument)])
        elif argument["name"] in SCALARS:
            roles.append(argument["name"])
        else:
            raise NoProduct(f"nobody knows what the scalar {argument['name']} means")
    return Program(path, example, contract, roles, layout, a["element"], c["element"], ranks == {3},
                   activation_of(example) or activation_of(contract["name"]))


def is_derived(program):
    """Whether the compiler derived its plan: it is an example, or a product of make_gemms.py whose name ends with the tile."""
    return os.path.basename(os.path.dirname(program.path)) == "examples" or re.search(r"-\d+x\d+x\d+t?$", program.example) is not None


def load(kit, suffix=".cubin"):
    """(programs, {name: why it is no matrix product}) of the artifacts in a kit's examples/ and products/ whose name says gemm."""
    programs, others = [], {}
    for folder in (os.path.join(kit, name) for name in ("examples", "products")):
        for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if not file.endswith(suffix) or "gemm" not in file:
                continue
            example, path = file[:-len(suffix)], os.path.join(folder, file)
            for contract in read_contract(path)["kernels"]:
                try:
                    programs.append(classify(path, example, contract))
                except NoProduct as reason:
                    others[f"{example}/{contract['name']}"] = str(reason)
    return programs, others
