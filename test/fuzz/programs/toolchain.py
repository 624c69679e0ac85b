# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the compiler's tools, and says what went wrong in a form that can be counted."""

import math
import os
import re
import resource
import signal
import subprocess

COMPILED, REFUSED, CRASHED, HUNG = "compiled", "refused", "crashed", "hung"


class Outcome:
    def __init__(self, state, message=""):
        self.state, self.message = state, message

    def __bool__(self):
        return self.state == COMPILED


def run(command, timeout):
    return run_printing(command, timeout)[0]


def run_printing(command, timeout):
    """(outcome, standard output) of a tool: compiled, refused (exit status 1 with an error), crashed (a signal, or an error without message), hung.
    `timeout` is in seconds of the processor; the machine may be busy with other things."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(timeout), math.ceil(timeout) + 5))
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60 * timeout, preexec_fn=limit)
    except subprocess.TimeoutExpired as error:
        output = error.stdout or ""
        return Outcome(HUNG, f"no end after {60 * timeout:g} s"), output.decode(errors="replace") if isinstance(output, bytes) else output
    return _outcome(done, timeout), done.stdout


def _outcome(done, timeout):
    if done.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
        return Outcome(HUNG, f"no end after {timeout:g} s of the processor")
    if done.returncode == 0:
        return Outcome(COMPILED, done.stdout)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    frames = [line for line in done.stderr.splitlines() if re.match(r" *#\d+ 0x", line)]
    if done.returncode < 0 or done.returncode > 128 or frames or not errors:
        return Outcome(CRASHED, crash_text(done, frames))
    return Outcome(REFUSED, errors[0].split("error:", 1)[1].strip())


def crash_text(done, frames):
    """The first frames that are nobody's handler of signals."""
    names = []
    for frame in frames:
        found = re.match(r" *#\d+ 0x[0-9a-f]+ (.*?)[( ]", frame)
        name = found.group(1) if found else ""
        if name and not name.startswith(("llvm::sys", "SignalHandler", "CleanupOnSignal", "_", "raise", "abort", "gsignal", "/", "(")):
            names.append(name)
    said = [line for line in done.stderr.splitlines() if "Assertion" in line or "LLVM ERROR" in line or "UNREACHABLE" in line]
    return f"signal {-done.returncode if done.returncode < 0 else done.returncode}: " + (said[0] if said else " < ".join(names[:3]))


def normalised(message):
    """A message without what differs from program to program: numbers, names, types."""
    message = re.sub(r'loc\("?[^)]*\): ', "", message)
    text = re.sub(r"<[^<>]*(<[^<>]*>[^<>]*)*>", "<…>", message)
    text = re.sub(r"'%?[\w.#-]+'", "'…'", text) if "op " not in text[:12] else text
    text = re.sub(r"%[\w#]+", "%…", text)
    text = re.sub(r"(tensor|memref)<…>", r"\1", text)
    text = re.sub(r"k\d*_\w+|@k\d*", "@k", text)
    return re.sub(r"-?\b\d[\d,.]*(x\d+)*", "N", text)[:200]


def compile_text(text, out, target="cpu", timeout=60, flags=()):
    """Compiles a program; its source stays next to the artifact."""
    source = os.path.splitext(out)[0] + ".mlir"
    with open(source, "w") as file:
        file.write(text)
    command = ["tilec", source, "-o", out, f"--target={target}", "-j", "1", *flags]
    return run(command, timeout)
