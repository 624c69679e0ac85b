# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong, as exceptions and warnings."""

import re


class Error(Exception):
    """What all errors of this package are."""


class Diagnostic:
    """One message of the compiler: severity ("error", "warning", "remark", "note"), message, file, line and column
    (None if it has no place), and its notes, which are diagnostics."""

    def __init__(self, severity, message, file=None, line=None, column=None):
        self.severity, self.message, self.file, self.line, self.column = severity, message, file, line, column
        self.text = ""  # as clang prints it, with the source's line and a caret, and the notes
        self.notes = []

    def __repr__(self):
        place = f"{self.file}:{self.line}:{self.column}: " if self.file is not None else ""
        return f"<tessera.Diagnostic {place}{self.severity}: {self.message}>"

    def __str__(self):
        return self.text.rstrip("\n")


_HEADLINE = re.compile(r"(?:(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): )?(?P<severity>error|warning|remark|note): "
                       r"(?P<message>.*)$")


def parse_diagnostics(text):
    """The diagnostics in a text that is formatted as clang does it. Notes belong to what is above them."""
    found = []
    for line in text.splitlines():
        match = _HEADLINE.match(line)
        if match:
            number = (lambda key: int(match[key]) if match[key] else None)  # noqa: B023
            diagnostic = Diagnostic(match["severity"], match["message"], match["file"], number("line"), number("column"))
            if diagnostic.severity == "note" and found:
                found[-1].notes.append(diagnostic)
            else:
                found.append(diagnostic)
        if found:
            found[-1].text += line + "\n"
            if found[-1].notes:
                found[-1].notes[-1].text += line + "\n"
    return found


class CompileError(Error, ValueError):
    """A program that does not compile. `file`, `line` and `column` are those of the first error, None if it has no
    place; `diagnostics` has all messages; `reproducer` is a module for `tile-opt --run-reproducer` if a pass failed, else
    "". The text is what clang would print: each error with its source's line and a caret."""

    def __init__(self, text, reproducer=""):
        super().__init__(text.rstrip("\n") or "compilation failed without a message")
        self.diagnostics = parse_diagnostics(text)
        self.reproducer = reproducer
        errors = [diagnostic for diagnostic in self.diagnostics if diagnostic.severity == "error"]
        first = errors[0] if errors else Diagnostic("error", text)
        self.file, self.line, self.column = first.file, first.line, first.column

    def __reduce__(self):
        return type(self), (self.args[0], self.reproducer)


class CompileTimeoutError(CompileError, TimeoutError):
    """A compilation that took longer than its option `timeout` allows."""


class CompileWarning(UserWarning):
    """A warning of the compiler."""


class ArgumentError(Error, ValueError):
    """Arguments of a call that violate the kernel's contract. The text names the argument."""


class ArtifactError(Error, ValueError):
    """An artifact that cannot be used: damaged, or without a contract that this version reads."""


class DeviceError(Error, RuntimeError):
    """There is no GPU or no driver, or the driver has refused something."""


class OutOfMemoryError(Error, MemoryError):
    """There is no memory for an output or a workspace."""
