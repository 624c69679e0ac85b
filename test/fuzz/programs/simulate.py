# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The protocol of the allocated kernel on the host: cta-simulate runs it under several timings, cta-serialize-trace writes down what one of them
computed, as a program that the CPU can run (docs/Debugging.md, "A race, a hang")."""

import toolchain

TIMINGS = 4


def argument_options(program):
    """`sizes=… scalars=…` of the passes."""
    sizes, scalars = {}, []
    for arg in program.args:
        if not arg.is_array:
            value = arg.scalar
            scalars.append(f"{arg.name}={abs(value) if arg.value.type.element.bits == 1 else value}")
            continue
        names = arg.facts.get("shape", (None,) * len(arg.sizes))
        for d, (size, name) in enumerate(zip(arg.sizes, names)):
            sizes[name if isinstance(name, str) else f"{arg.name}.{d}"] = size
    text = []
    if sizes:
        text.append("sizes=" + ",".join(f"{name}={size}" for name, size in sizes.items()))
    if scalars:
        text.append("scalars=" + ",".join(scalars))
    return " ".join(text)


def simulate(program, text, base, timeout):
    """Whether nothing goes wrong in any timing."""
    source, allocated = base + ".mlir", base + ".allocated.mlir"
    with open(source, "w") as file:
        file.write(text)
    outcome = toolchain.run(["tile-opt", source, "--tessera-to-allocated", "-o", allocated], timeout)
    if not outcome:
        return outcome
    options = argument_options(program)
    return toolchain.run(["tile-opt", allocated, f"--cta-simulate={options} timings={TIMINGS}", "-o", "/dev/null"], timeout)


def serialize(program, base, timeout):
    """After `simulate`: the outcome's message is the straight program of one timing."""
    options = f"{argument_options(program)} timing={program.seed % 7}"
    return toolchain.run(["tile-opt", base + ".allocated.mlir", f"--cta-serialize-trace={options}", "--convert-cta-to-tile"], timeout)
