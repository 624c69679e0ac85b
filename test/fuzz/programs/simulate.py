# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The protocol of the allocated kernel on the host: cta-simulate runs it under several timings, cta-serialize-trace writes down what one of them
computed, as a program that the CPU can run (docs/Debugging.md, "A race, a hang")."""

TIMINGS = 4
FUEL = 200_000  # events and scalar ops of a block
BACK = "builtin.module(tile.kernel(convert-cta-to-tile))"


def argument_options(program):
    """Sizes, scalars and the number of cores for the passes. With few cores a block of a persistent launch has several output tiles."""
    sizes, scalars = {}, []
    for arg in program.args:
        known_as = arg.facts.get("name", arg.name)
        if not arg.is_array:
            value = arg.scalar
            scalars.append(f"{known_as}={abs(value) if arg.value.type.element.bits == 1 else value}")
            continue
        names = arg.facts.get("shape", (None,) * len(arg.sizes))
        for d, (size, name) in enumerate(zip(arg.sizes, names)):
            sizes[name if isinstance(name, str) else f"{known_as}.{d}"] = size
    text = []
    if sizes:
        text.append("sizes=" + ",".join(f"{name}={size}" for name, size in sizes.items()))
    if scalars:
        text.append("scalars=" + ",".join(scalars))
    return " ".join(text + [f"cores={(132, 1, 2, 3, 132)[program.seed % 5]}"])


def steps():
    """As those of erase.py. cta-simulate runs several timings, the trace is that of one."""
    return [("", "builtin.module(tessera-to-allocated)"), ("", f"builtin.module(cta-simulate{{%SIZES% timings={TIMINGS} fuel={FUEL}}})"),
            ("trace", "builtin.module(cta-serialize-trace{%SIZES% timing=%TIMING%})")]
