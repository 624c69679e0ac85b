# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks bench/timelines.py on a small trace: timeline_checks.py BENCH."""

import sys
import xml.dom.minidom

sys.path.insert(0, sys.argv[1])
import timelines  # noqa: E402


def name(pid, tid, text):
    return {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": text}}


def bar(pid, tid, begin, cycles, category, iteration):
    return {"ph": "X", "name": "cta.x:1", "cat": category, "pid": pid, "tid": tid, "ts": begin, "dur": cycles, "args": {"iteration": iteration}}


DATA = {"traceEvents": [name(1, 2, "tensor cores"), name(1, 1, "@math"), name(2, 1, "of another block"), bar(1, 1, 0, 400, "wait", 41), bar(1, 1, 400, 1, "issue", 42),
                        bar(1, 2, 500, 500, "product", 43), bar(2, 1, 0, 1000, "product", 44)]}

assert [text for text, _ in timelines.tracks_of(DATA)] == ["@math", "tensor cores"]
drawn = timelines.picture(DATA)
texts = [node.firstChild.data for node in xml.dom.minidom.parseString(drawn).getElementsByTagName("text")]
assert "@math" in texts and "tensor cores" in texts and "of another block" not in texts
assert "43" in texts, "a long bar has its iteration"
assert not {"41", "42", "44"} & set(texts), "waits, short bars and other blocks have none"
assert timelines.picture(DATA) == drawn
print("checked")
