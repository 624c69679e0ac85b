# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the contract that an artifact carries (docs/Contract.md), without loading the artifact."""

import json
import struct

MAGIC = b"TESSERA-CTR-0001"

ELEMENT_BYTES = {
    "f64": 8, "f32": 4, "f16": 2, "bf16": 2, "f8E4M3FN": 1, "f8E5M2": 1,
    "i64": 8, "i32": 4, "i16": 2, "i8": 1, "i1": 1, "index": 8,
}
FLOATS = {"f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2"}


class ContractError(Exception):
    pass


def read_contract(path):
    """The JSON object of the artifact at `path`."""
    with open(path, "rb") as file:
        data = file.read()
    at = data.find(MAGIC)
    while at >= 0:
        start = at + len(MAGIC) + 8
        if start <= len(data):
            (length,) = struct.unpack_from("<Q", data, at + len(MAGIC))
            if length <= len(data) - start:
                try:
                    return json.loads(data[start:start + length])
                except ValueError:
                    pass  # the magic number alone, say in a table of strings
        at = data.find(MAGIC, at + 1)
    raise ContractError(f"{path}: no contract in it")


def arrays(kernel):
    return [arg for arg in kernel["args"] if arg["kind"] == "memref"]


def access(arg):
    return arg.get("access", "readwrite")


def reads(arg):
    return access(arg) in ("read", "readwrite")


def writes(arg):
    return access(arg) in ("write", "readwrite")


def symbol_of(arg, dim):
    """The name under which the size of a dimension is chosen: the contract's symbol, or
    "arg.dim" for one that may be anything. None for a constant."""
    extent = arg["shape"][dim]
    if isinstance(extent, int):
        return None
    return f"{arg['name']}.{dim}" if extent is None else extent


def symbols(kernel):
    """All such names, in order, each with the number its value must be a multiple of."""
    found = {}
    for arg in arrays(kernel):
        divisors = arg.get("size_divisible") or [1] * len(arg["shape"])
        for dim in range(len(arg["shape"])):
            name = symbol_of(arg, dim)
            if name is not None:
                found[name] = max(found.get(name, 1), divisors[dim])
    return found


def variant_names(kernel):
    return [v.get("name", f"variant{i}") for i, v in enumerate(kernel["variants"])]
