# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler as a function: text and options in, artifact and report out."""

import copy
import os
import warnings

from tessera import _libraries
from tessera._errors import CompileError, CompileTimeoutError, CompileWarning, parse_diagnostics

_TIMED_OUT = 3  # a tessera_status

# Options that say what is made, which methods of a module do.
_OF_MODULES = {"target", "emit", "stop_after", "cache_dir"}


class Result:
    """What one compilation gave: artifact (bytes), report, report_json, both text."""

    def __init__(self, artifact, report, report_json):
        self.artifact, self.report, self.report_json = artifact, report, report_json


def cache_directory(cache):
    """The directory that `cache` names, or None: True is $TESSERA_CACHE_DIR, or ~/.cache/tessera (under
    $XDG_CACHE_HOME, if that is set)."""
    if cache is None or cache is False:
        return None
    if cache is not True:
        return os.fspath(cache)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get("TESSERA_CACHE_DIR") or os.path.join(home, "tessera")


def _text_of(value):
    if isinstance(value, bool):
        return "on" if value else "off"
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _text_of_sizes(launch):
    """Of {"M": 64, "N": range(1, 129)} the text M=64,N=1..128."""
    if not isinstance(launch, dict):
        return launch
    return ",".join(f"{name}={size.start}..{size.stop - 1}" if isinstance(size, range) else f"{name}={size}" for name, size in launch.items())


class Options:
    """The options of compilations, as tilec has them: `fp_contract=False`, `require=["tma"]`, `variants="lines"`."""

    def __init__(self, options, cache, source_name):
        self.pairs = []
        native = _libraries.compiler()
        for name, value in options.items():
            if name in _OF_MODULES:
                raise TypeError(f"compile() has no option {name}: a module compiles for each target and stage that it is asked for")
            if name == "define" and isinstance(value, dict):
                value = [f"{parameter}={number}" for parameter, number in value.items()]
            if name == "sizes" and value is not None:
                value = [_text_of_sizes(one) for one in (value if isinstance(value, (list, tuple)) else [value])]
            for one in value if isinstance(value, (list, tuple)) else [] if value is None else [value]:
                self.pairs.append((name.replace("_", "-"), _text_of(one)))
        if source_name is not None:
            self.pairs.append(("source-name", os.fspath(source_name)))
        if "ptxas" not in options and (ptxas := _libraries.find_tool("ptxas")):
            self.pairs.append(("ptxas", ptxas))
        if "nvdisasm" not in options and (nvdisasm := _libraries.find_tool("nvdisasm")):
            self.pairs.append(("nvdisasm", nvdisasm))
        directory = cache_directory(cache)
        # A library without a cache compiles each time.
        if directory is not None and native.accepts_option("cache-dir", directory):
            self.pairs.append(("cache-dir", directory))

    def without(self, *names):
        """The same without these options."""
        rest = copy.copy(self)
        rest.pairs = [pair for pair in self.pairs if pair[0] not in names]
        return rest


def run(source, options, **more):
    """Compiles `source` (bytes) with Options and single options more. Warnings go to Python's `warnings`. CompileError if
    it does not compile; TypeError, ValueError for an option that the compiler does not have or take."""
    native = _libraries.compiler()
    pairs = options.pairs + [(name.replace("_", "-"), value) for name, value in more.items()]
    try:
        status, artifact, diagnostics, report, report_json, reproducer = native.compile(source, pairs)
    except ValueError as error:
        name, value, why = error.args
        raise ValueError(f"the compiler does not take the option {name} = {value!r}: {why}") from None
    if status:
        raise (CompileTimeoutError if status == _TIMED_OUT else CompileError)(diagnostics, reproducer)
    for diagnostic in parse_diagnostics(diagnostics):
        if diagnostic.severity == "warning":
            warn(str(diagnostic))
    return Result(artifact, report, report_json)


def warn(text):
    """A CompileWarning for the caller of the function of the package that led here."""
    warnings.warn(CompileWarning(text), stacklevel=_outside())


def _outside():
    """How far up the stack, from the function that asks, the first frame outside of this package is."""
    import sys
    here = os.path.dirname(os.path.abspath(__file__))
    level, frame = 1, sys._getframe(1)
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == here:
        level, frame = level + 1, frame.f_back
    return level
