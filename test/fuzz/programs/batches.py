# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles many programs at once, and says of each what became of it, also where one of them ends the compiler.

Starting a compiler and a linker takes longer than compiling a small program, and verifying the IR after each pass as long as the passes. So a batch is one
module of one process (batch-compile), and most are verified at the end only. The seed decides what is done with its batch: see `Manner`.
"""

import os

import erase
import launch
import simulate
import toolchain
from language import printer
from language.drawing.draw_base import Chance

SIZE = 64  # seeds of a batch, from a multiple of this number on: they have the same manner
MOST_OPS = 5000  # of a kernel after passes: upstream's one-shot-bufferize is quadratic, and takes minutes for a trace of 10 000
_LEVELS = {0: 94, 1: 2, 2: 1, 3: 3}


class Manner:
    """How the programs of a batch are compiled: LLVM's level of optimisation (mostly none), whether the IR is verified after each pass, whether tilec
    does all of it, as for a user, whether it is for this machine or for a portable one, and whether what is undefined is tested at run time: no test may
    fail."""

    def __init__(self, seed, level=None):
        chance = Chance(f"manner {seed // SIZE}")
        self.level = chance.weighted(_LEVELS)
        self.verifies = chance(0.06)
        self.tilec = chance(0.06)
        self.native = chance(0.06)
        self.check = chance(0.04)
        if level is not None:
            self.level = level

    def __str__(self):
        return f"-O{self.level}" + (" --verify-each" if self.verifies else "") + (" --mcpu=native" if self.native else "") + (" --check" if self.check else "")

    def flags(self):
        return [f"-O{self.level}"] + (["--mcpu=native"] if self.native else []) + (["--check"] if self.check else [])


class Way:
    """What is done with programs before they are compiled for the CPU: nothing, or the steps of batch-compile."""

    def __init__(self, name="cpu", phases=()):
        self.name, self.phases = name, phases
        self.steps, self.back = [], None
        if name == "erase":
            self.steps, self.back = erase.steps(phases), erase.BACK
        if name == "trace":
            self.steps, self.back = simulate.steps(), simulate.BACK

    def prints(self, kernel):
        """Whether a kernel prints as the program does: traces do not print, and from phase lowered on grids have other coordinates."""
        return self.name == "cpu" or kernel.rpartition(".")[2] in erase.PRINTING

    def text(self, seed, program):
        if not self.steps:
            return printer.print_program(program, f"k{seed}", demands=True)
        text = printer.print_program(program, f"k{seed}", plan=plan_of(seed))
        return f"// ARGUMENTS: {launch.describe_arguments(program)}\n// SIZES: {simulate.argument_options(program)}\n// TIMING: {program.seed % 7}\n" + text


# Entries of #cta.plan: values, and how often one is given.
_PLAN = (("producers", (0, 1, 1, 4), 0.6), ("stages", (0, 1, 2, 3, 3, 4), 0.8), ("persistent", (0, 1, 1), 0.7), ("group", (0, 1, 3, 8), 0.3),
         ("blocks_per_sm", (1, 2), 0.2), ("pending", (0, 1), 0.4), ("epilogue", (0, 16, 32, 64), 0.4), ("stream_k", (1, 2, 4), 0.2))


def random_plan(seed):
    chance = Chance(f"plan {seed}")
    entries = [f"{name} = {chance.choice(values)}" for name, values, often in _PLAN if chance(often)]
    return ", ".join(entries) or "stages = 2"


def plan_of(seed):
    """Of one program of eight; many plans cannot work, and are refused."""
    return random_plan(seed) if Chance(f"planned {seed}")(0.125) else None


class Batch:
    """The outcomes of programs that are not compiled, and shared objects with the others: [(path, seeds)]."""

    def __init__(self, way, manner, folder, timeout):
        self.way, self.manner, self.folder, self.timeout = way, manner, folder, timeout
        self.outcomes, self.objects = {}, []

    def compile(self, programs):
        left = dict(programs)
        while left:
            if not self._compile_once(left):
                break

    def _compile_once(self, left):
        """Compiles what is left, or takes a program out of it that does not let the others be compiled; whether to try again."""
        path = os.path.join(self.folder, f"{min(left)}_{len(left)}_{len(self.objects)}.so")
        if self.manner.tilec and not self.way.steps:
            outcome = toolchain.compile_text("\n".join(self.way.text(*item) for item in left.items()), path, "cpu", self.timeout, self.manner.flags())
            return self._divide(left, outcome) if not outcome else self._done(path, left)
        source = path[:-3] + ".mlir"
        with open(source, "w") as file:
            file.write("\n// -----\n".join(self.way.text(*item) for item in left.items()))
        command = ["batch-compile", source, "-o", path, *self.manner.flags(), f"--verify-each={int(self.manner.verifies)}"]
        command += [f"--step={name}={pipeline}" for name, pipeline in self.way.steps] + ([f"--back={self.way.back}", f"--most-ops={MOST_OPS}"] if self.way.steps else [])
        outcome, output = _run(command, self.timeout)
        os.remove(source)
        name, what, text = output[-1] if output else ("", "", "")
        for kernel, state, message in output:
            if state == "refused" and kernel:
                self.outcomes[int(kernel[1:])] = toolchain.Outcome(toolchain.REFUSED, message)
                del left[int(kernel[1:])]
        if what == "compiled":
            return self._done(path, left)
        if what == "begins":  # this one ended the compiler
            seed = int(name[1:])
            self.outcomes[seed] = outcome
            del left[seed]
            return True
        if what == "refused":  # of all of them
            outcome = toolchain.Outcome(toolchain.REFUSED, text)
        return self._divide(left, outcome)

    def _done(self, path, left):
        if left:
            self.objects.append((path, list(left)))
        return False

    def _divide(self, left, outcome):
        """One of several is to blame; the halves are compiled by themselves."""
        if len(left) == 1:
            self.outcomes[next(iter(left))] = outcome
            return False
        entries = list(left.items())
        for half in entries[:len(entries) // 2], entries[len(entries) // 2:]:
            self.compile(dict(half))
        return False


def _run(command, timeout):
    """(outcome, lines of three parts)."""
    outcome, text = toolchain.run_printing(command, timeout)
    lines = [line.split("\t") for line in text.splitlines()]
    return outcome, [line for line in lines if len(line) == 3]
