# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutation tests of cta-simulate on copies by threads: products as the compiler makes them are clean, each change below must be caught.

    python3 copies.py tile-opt [-v]

The product is one of make_gemms.py whose operands TMA cannot fetch: as it is without stages, with all threads as producers, and with a warpgroup that produces. `shifted` is the
last one with rows that begin anywhere.
"""
import os
import re
import subprocess
import sys
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "Examples"), os.path.join(HERE, "..", "GPU")]
from make_gemms import Product
from with_plan import with_plan

TILE_OPT = sys.argv[1]
PASSES = "builtin.module(tessera-to-allocated{variants=any derive-plans=false})"
SYNC, TOGETHER, WARPGROUP, PENDING, MIXED, SHIFTED = "sync", "together", "warpgroup", "pending", "mixed", "shifted"
PLANS = {SYNC: "stages = 0", TOGETHER: "producers = 0, stages = 3", WARPGROUP: "producers = 4, stages = 4, persistent = 1",
         PENDING: "producers = 4, stages = 3, persistent = 1, pending = 1", MIXED: "producers = 4, stages = 3, persistent = 1",
         SHIFTED: "producers = 4, stages = 3, persistent = 1"}
ROWS = {MIXED: (16, 4), SHIFTED: (2, 2)}
SIZES = [f"M=300,N=260,K={k}" for k in (640, 192, 64, 0)]
ANY = r"[^\n]*\n"
AWAIT, FENCE, BARRIER = r" *cta\.await_copies\n", r" *cta\.fence_async\n", r" *cta\.barrier\n"
OLDEST = r" *cta\.await_copies pending = \d\n"
COPIES = r"( *%\d+ = cta\.copy %A" + ANY + r" *%\d+ = cta\.copy %B" + ANY + ")"

# what, kind, name, a part of the message, pattern, replacement (of its first match)
MUTATIONS = [
    (SYNC, "wait", "no wait", "while a copy may still write it", AWAIT, ""),
    (SYNC, "wait", "waits behind the barrier", "while a copy may still write it", f"({AWAIT})({FENCE})({BARRIER})", r"\2\3\1"),
    (SYNC, "fence", "no fence", "without a cta.fence_async", FENCE, ""),
    (SYNC, "fence", "fences before the wait", "without a cta.fence_async", f"({AWAIT})({FENCE})", r"\2\1"),
    (SYNC, "fence", "fences behind the barrier", "without a cta.fence_async", f"({FENCE})({BARRIER})", r"\2\1"),
    (SYNC, "barrier", "no barrier behind the wait", "", f"({FENCE}){BARRIER}", r"\1"),
    (SYNC, "barrier", "no barrier before the copies", "overwrites", f"{BARRIER}({COPIES})", r"\1"),
    (SYNC, "wait", "waits before the copies", "", f"{COPIES}({AWAIT})", r"\2\1"),
    (TOGETHER, "arrive", "nobody arrives in the loop", "", r"(scf\.if[\s\S]*?) *cta\.arrive \d\[%\w+\] copies\n", r"\1"),
    (TOGETHER, "arrive", "warps arrive at once", "while a copy may still write it", "array<i64: 256, 256, 256,", "array<i64: 8, 8, 8,"),
    (TOGETHER, "arrive", "arrives before the copies", "", COPIES + r"( *cta\.arrive \d\[%\w+\] copies\n)", r"\2\1"),
    (TOGETHER, "count", "a thread is not counted", "", "array<i64: 256, 256, 256,", "array<i64: 255, 255, 255,"),
    (TOGETHER, "count", "a thread too many", "deadlock", "array<i64: 256, 256, 256,", "array<i64: 257, 257, 257,"),
    (TOGETHER, "count", "warps are counted", "", "array<i64: 256, 256, 256,", "array<i64: 8, 8, 8,"),
    (TOGETHER, "wait", "does not wait for the slot to be full", "", r" *cta\.await 0\[%\w+\] parity %\w+\n", ""),
    (TOGETHER, "wait", "does not wait for a free slot", "", r"(scf\.if[\s\S]*?) *cta\.await 3\[%\w+\] parity %\w+\n", r"\1"),
    (TOGETHER, "fence", "no fence", "without a cta.fence_async", FENCE, ""),
    (TOGETHER, "fence", "fences before the wait", "without a cta.fence_async", rf"( *cta\.await 0{ANY})({FENCE})", r"\2\1"),
    (TOGETHER, "barrier", "no barrier behind the fence", "without a cta.fence_async", f"({FENCE}){BARRIER}", r"\1"),
    (WARPGROUP, "wait", "the oldest is not waited for", "while a copy may still write it", OLDEST, ""),
    (WARPGROUP, "wait", "one group too many may be on its way", "while a copy may still write it", "pending = 2", "pending = 3"),
    (WARPGROUP, "wait", "the rest is not waited for", "while a copy may still write it", f"{AWAIT}({FENCE})", r"\1"),
    (WARPGROUP, "wait", "does not wait for a free slot", "", r" *cta\.await 4\[%\w+\] parity %\w+\n", ""),
    (WARPGROUP, "wait", "consumers do not wait", "", r" *cta\.await 0\[%\w+\] parity %\w+\n", ""),
    (WARPGROUP, "fence", "the oldest is not fenced", "without a cta.fence_async", f"({OLDEST}){FENCE}", r"\1"),
    (WARPGROUP, "fence", "the rest is not fenced", "without a cta.fence_async", f"({AWAIT}){FENCE}", r"\1"),
    (WARPGROUP, "fence", "the oldest is fenced before the wait", "without a cta.fence_async", f"({OLDEST})({FENCE})", r"\2\1"),
    (WARPGROUP, "fence", "the oldest is fenced behind the arrival", "without a cta.fence_async", rf"({OLDEST})({FENCE})([\s\S]*?per_warp\n)", r"\1\3\2"),
    (WARPGROUP, "group", "no groups", "while a copy may still write it", r" *cta\.commit_copies\n", ""),
    (WARPGROUP, "group", "a group in front of the copies", "while a copy may still write it", COPIES + r"( *cta\.commit_copies\n)", r"\2\1"),
    (WARPGROUP, "arrive", "the oldest is not announced", "", rf"({OLDEST}[\s\S]*?) *cta\.arrive 0\[%\w+\] per_warp\n", r"\1"),
    (WARPGROUP, "arrive", "the rest is not announced", "", rf"({AWAIT}[\s\S]*?) *cta\.arrive 0\[%\w+\] per_warp\n", r"\1"),
    (WARPGROUP, "arrive", "the slot just filled is announced", "", rf"({OLDEST}[\s\S]*?cta\.arrive 0\[)%\w+\]", r"\1%arg4]"),
    (WARPGROUP, "arrive", "one arrival a warpgroup", "deadlock", rf"({OLDEST}[\s\S]*?cta\.arrive 0\[%\w+\]) per_warp", r"\1"),
    (WARPGROUP, "arrive", "every thread arrives", "", rf"({OLDEST}[\s\S]*?cta\.arrive 0\[%\w+\]) per_warp", r"\1 copies"),
    (WARPGROUP, "count", "a warp is not counted", "", "array<i64: 4, 4, 4, 4,", "array<i64: 3, 3, 3, 3,"),
    (WARPGROUP, "count", "a warp too many", "deadlock", "array<i64: 4, 4, 4, 4,", "array<i64: 5, 5, 5, 5,"),
    (WARPGROUP, "count", "one arrival, as for TMA", "", "array<i64: 4, 4, 4, 4,", "array<i64: 1, 1, 1, 1,"),
    (WARPGROUP, "lag", "the oldest is announced one iteration later", "deadlock", rf"(%\w+ = arith\.cmpi eq, %arg6, )%\w+( : i32\n *scf\.if[\s\S]*?{OLDEST})", r"\1%never\2"),
    (PENDING, "wait", "the oldest is not waited for", "while a copy may still write it", OLDEST, ""),
    (PENDING, "fence", "the peeled copy is not fenced", "without a cta.fence_async", f"({AWAIT}){FENCE}", r"\1"),
    (MIXED, "fence", "the oldest is not fenced", "without a cta.fence_async", f"({OLDEST}){FENCE}", r"\1"),
    (MIXED, "wait", "the rest is not waited for", "while a copy may still write it", f"{AWAIT}({FENCE})", r"\1"),
    (SHIFTED, "wait", "announced before it is waited for", "while a copy may still write it", AWAIT, ""),
    (SHIFTED, "wait", "does not wait for a free slot", "", r" *cta\.await 3\[%\w+\] parity %\w+\n", ""),
    (SHIFTED, "wait", "consumers do not wait", "", r" *cta\.await 0\[%\w+\] parity %\w+\n", ""),
    (SHIFTED, "fence", "no fence", "without a cta.fence_async", FENCE, ""),
    (SHIFTED, "fence", "fences behind the arrival", "without a cta.fence_async", rf"({FENCE})( *cta\.arrive 0\[%\w+\] per_warp\n)", r"\2\1"),
    (SHIFTED, "arrive", "nobody arrives", "", r" *cta\.arrive 0\[%\w+\] per_warp\n", ""),
    (SHIFTED, "arrive", "arrives before the copies", "", COPIES + rf"([\s\S]*?)( *cta\.arrive 0\[%\w+\] per_warp\n)", r"\3\1\2"),
    (SHIFTED, "count", "a warp is not counted", "", "array<i64: 4, 4, 4,", "array<i64: 3, 3, 3,"),
]


def run(text, *options):
    done = subprocess.run([TILE_OPT, "-", *options], input=text, text=True, capture_output=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def simulate(text, sizes, timings):
    return run(text, f"--cta-simulate=sizes={sizes} timings={timings} cores=3", "-o", os.devnull)


failures, caught, texts = [], Counter(), {}
for what, plan in PLANS.items():
    product = Product("nn", rows=ROWS.get(what, (8, 4)))
    code, texts[what], errors = run(with_plan(product.source((128, 128, 64)), plan), f"--pass-pipeline={PASSES}")
    assert not code, errors
    mechanism = "shifted" if what == SHIFTED else "cp_async"
    assert texts[what].count(f"#cta.mechanism<{mechanism}>") >= (1 if what == MIXED else 2), f"{what}: no copies by threads"
    assert ("cta.ring" in texts[what]) == (what != SYNC), what
    for sizes in SIZES + [f"M=300,N=260,K={k}" for k in (1, 128, 256, 320)]:
        code, _, errors = simulate(texts[what], sizes, 60)
        if code:
            failures.append(f"unmutated {what}, {sizes}: {errors}")
for what, kind, name, expect, pattern, replacement in MUTATIONS:
    mutated, count = re.subn(pattern, replacement, texts[what], count=1)
    assert count == 1, f"{what}, {name}: no match"
    if "%never" in mutated:  # 4, where the lag is 3
        mutated = re.sub(r"(cta\.role @producer[^\n]*\n)", r"\1 %never = arith.constant 4 : i32\n", mutated, count=1)
        mutated = re.sub(r"arith\.minsi (%\w+), %\w+ : i32", r"arith.minsi \1, %never : i32", mutated, count=1)
        mutated = mutated.replace("pending = 2", "pending = 3")
    if name == "warps arrive at once":
        mutated = mutated.replace("] copies", "] per_warp")
    assert mutated != texts[what], f"{what}, {name}: changes nothing"
    code, _, errors = run(mutated, "-o", os.devnull)
    if code:
        failures.append(f"{what}, {name}: not legal IR: {errors[:500]}")
        continue
    messages = []
    for sizes in SIZES:
        code, _, errors = simulate(mutated, sizes, 24)
        if code not in (0, 1):
            failures.append(f"{what}, {name}: crash: {errors[:2000]}")
        messages += re.findall(r"error: (.*)", errors)
        if any(expect in message for message in messages):
            break
    if not any(expect in message for message in messages):
        failures.append(f"{what}, {name}: " + (f"expected '{expect}', got {messages}" if messages else "not caught"))
        continue
    caught[what] += 1
    if "-v" in sys.argv:
        print(f"{what:9} {name:50} {messages[0][:150]}")
for what in PLANS:
    print(f"{what:9} {caught[what]:3} of {sum(m[0] == what for m in MUTATIONS)}")
print(f"caught {sum(caught.values())} of {len(MUTATIONS)} mutations")
for failure in failures:
    print("FAILED", failure)
sys.exit(1 if failures else 0)
