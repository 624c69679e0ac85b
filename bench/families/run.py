#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times families: the member that the launcher takes, each other member, and PyTorch, by the burst protocol of docs/Performance.md.

  run.py --compile-only DIR [--tilec TILEC] [--members N]    on a machine with the compiler
  run.py --cubins DIR [--filter PATTERN] [--rounds N]        on a machine with a GPU

rows.json has a row for each family: the example, the work (WORK below) and its shapes. They are listed, or drawn (`random`: sizes that are evenly spread on a
logarithmic scale, a third of them odd), or `columns` with as many rows as make arrays of `bytes` bytes. For each shape every member (with `taken` only the one
that the launcher takes) is checked against fp32 on outputs of NaN, then all are timed interleaved. The last lines say how much slower the members taken were
than the best ones by timing, and than PyTorch. With $OUT set, families.json is written there. Exit code 1 if a member was wrong, or none was timed.
"""

import argparse
import fnmatch
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.dirname(HERE)
ROOT = os.path.dirname(BENCH)
sys.path[:0] = [BENCH]
import tessera  # noqa: E402
import timing  # noqa: E402


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", default=os.path.join(HERE, "rows.json"))
    parser.add_argument("--filter", default="*", help="pattern of the names of rows")
    parser.add_argument("--compile-only", metavar="DIR")
    parser.add_argument("--cubins", metavar="DIR")
    parser.add_argument("--tilec", default=shutil.which("tilec") or os.path.join(ROOT, "build", "dev", "bin", "tilec"))
    parser.add_argument("--members", type=int, default=0, help="for tilec; 0: its default")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--budget", type=float, default=400, help="seconds for everything")
    options = parser.parse_args()
    if bool(options.compile_only) == bool(options.cubins):
        parser.error("one of --compile-only and --cubins")
    with open(options.rows, encoding="utf-8") as file:
        options.rows = [row for row in json.load(file)["rows"] if fnmatch.fnmatch(row["name"], options.filter)]
    return options


def compile_rows(options):
    os.makedirs(options.compile_only, exist_ok=True)
    for row in options.rows:
        began = time.monotonic()
        command = [options.tilec, os.path.join(ROOT, "examples", row["example"] + ".mlir"), "-o", os.path.join(options.compile_only, row["example"] + ".cubin"),
                   "--report=full"]
        if options.members or "members" in row:
            command.append(f"--members={options.members or row['members']}")
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
        with open(os.path.join(options.compile_only, row["example"] + ".txt"), "w", encoding="utf-8") as file:
            file.write(done.stdout + done.stderr)
        if done.returncode:
            sys.exit(f"{row['example']}: {done.stderr[:2000]}")
        print(f"{row['example']}: {time.monotonic() - began:.2f} s")
    runtime = os.path.join(os.path.dirname(os.path.dirname(options.tilec)), "lib", "libtessera_runtime.so")
    shutil.copyfile(runtime, os.path.join(options.compile_only, "libtessera_runtime.so"))


def shapes_of(row):
    shapes = list(row.get("shapes", []))
    if "random" in row:
        drawn = random.Random(row["random"]["seed"])
        for _ in range(row["random"]["count"]):
            shape = {}
            for name in ("M", "N", "K"):
                least, most = row["random"][name]
                size = int(round(math.exp(drawn.uniform(math.log(least), math.log(most)))))
                # Rows of 16 bytes, which TMA can fetch; a third are as they come.
                shape[name] = size if name == "M" or drawn.random() < 1 / 3 else max(8, size // 8 * 8)
            shapes.append(shape)
    for columns in row.get("columns", []):
        item = 4 if row["work"] == "softmax" else 2
        shapes.append({"M": max(1, row["bytes"] // (columns * item)), "N": columns})
    return shapes


class Work:
    """The arrays of a launch, what they should become, and PyTorch's way to compute it. `unit` is TFLOP/s or TB/s, `amount` the operations or bytes."""

    def __init__(self, torch, kind, shape):
        self.torch = torch
        f = torch.nn.functional
        make = lambda *sizes, dtype=torch.bfloat16: torch.randn(*sizes, device="cuda", dtype=torch.float32).to(dtype)
        m, n, k = shape.get("M"), shape.get("N"), shape.get("K")
        empty = lambda *sizes: torch.full(sizes, math.nan, device="cuda", dtype=torch.bfloat16)
        self.arguments = lambda s: s
        if kind == "batched":
            z = shape["Z"]
            sets = max(1, min(8, 200_000_000 // (2 * z * (m * k + n * k + m * n)) + 1))
            self.sets = [(make(z, m, k), make(z, k, n), empty(z, m, n)) for _ in range(sets)]
            self.unit, self.amount, self.tolerance = "TFLOP/s", 2.0 * z * m * n * k, 1e-2
            self.peer = lambda s: torch.bmm(s[0], s[1], out=s[2])
            self.reference = lambda s: torch.bmm(s[0].float(), s[1].float())
        elif kind in ("conv", "conv-stride2"):
            b, h, w, c = (shape[name] for name in "BHWC")
            step = 2 if kind == "conv-stride2" else 1
            p, q = -(-h // step), -(-w // step)
            # The peer has the same array in its own words: BxCxHxW whose channels lie together.
            images = [make(b, h, w, c) for _ in range(max(1, min(8, 200_000_000 // (2 * b * (h * w * c + p * q * k)) + 1)))]
            weights = make(3, 3, c, k) * 0.03
            filters = weights.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
            self.sets = [(x, weights, empty(b, p, q, k)) for x in images]
            self.unit, self.amount, self.tolerance = "TFLOP/s", 18.0 * b * p * q * c * k, 1e-2
            torch.backends.cudnn.benchmark = True
            self.peer = lambda s: f.conv2d(s[0].permute(0, 3, 1, 2), filters, stride=step, padding=1)
            self.reference = lambda s: f.conv2d(s[0].permute(0, 3, 1, 2).float(), filters.float(), stride=step, padding=1).permute(0, 2, 3, 1)
        elif kind == "gemm":
            # As many sets of operands as do not fit L2.
            sets = max(1, min(8, 200_000_000 // (2 * (m * k + n * k + m * n)) + 1))
            self.sets = [(make(m, k), make(n, k), torch.full((m, n), math.nan, device="cuda", dtype=torch.bfloat16)) for _ in range(sets)]
            self.unit, self.amount, self.tolerance = "TFLOP/s", 2.0 * m * n * k, 1e-2
            self.peer = lambda s: torch.matmul(s[0], s[1].t(), out=s[2])
            self.reference = lambda s: s[0].float() @ s[1].float().t()
        elif kind == "gemm-nn":
            sets = max(1, min(8, 200_000_000 // (2 * (m * k + n * k + m * n)) + 1))
            self.sets = [(make(m, k), make(k, n), empty(m, n)) for _ in range(sets)]
            self.unit, self.amount, self.tolerance = "TFLOP/s", 2.0 * m * n * k, 1e-2
            self.peer = lambda s: torch.matmul(s[0], s[1], out=s[2])
            self.reference = lambda s: s[0].float() @ s[1].float()
        elif kind in ("gemm-i4", "gemm-w8"):
            bits = 4 if kind == "gemm-i4" else 8
            weights = lambda: torch.randint(-128, 128, (n, k * bits // 8), device="cuda", dtype=torch.int8)
            sets = max(2, 200_000_000 // (n * k * bits // 8) + 1)
            x, c, scales = make(m, k), empty(m, n), make(k // 128, n) if bits == 4 else make(n)
            self.sets = [(x, weights(), scales, c) for _ in range(sets)]
            if bits == 4:
                self.reference = lambda s: s[0].float() @ (self.unpacked(s[1]) * s[2].float().t().repeat_interleave(128, 1)).t()
            else:
                self.reference = lambda s: s[0].float() @ (s[1].float() * s[2].float().unsqueeze(1)).t()
            self.tolerance = 1e-2
            if m > 128:  # the peer multiplies by weights of bf16
                self.unit, self.amount, wide = "TFLOP/s", 2.0 * m * n * k, make(n, k)
                self.peer = lambda s: torch.matmul(s[0], wide.t(), out=s[3])
            else:  # it reads as many bytes of weights: it sums them
                self.unit, self.amount = "TB/s", n * k * bits / 8.0
                self.peer = lambda s: s[1].view(torch.float16).sum()
        else:
            dtype = torch.float32 if kind == "softmax" else torch.bfloat16
            x, y = make(m, n, dtype=dtype), torch.full((m, n), math.nan, device="cuda", dtype=dtype)
            gain, bias = make(n), make(n)
            self.sets = [(x, y)]
            self.unit, self.amount, self.tolerance = "TB/s", 2.0 * m * n * x.element_size(), 1e-5 if kind == "softmax" else 2e-2
            if kind == "softmax":
                self.peer = lambda s: torch.softmax(s[0], 1, out=s[1])
                self.reference = lambda s: torch.softmax(s[0], 1)
            elif kind == "rms-norm":
                self.arguments = lambda s: (s[0], gain, 1e-5, s[1])
                self.peer = lambda s: f.rms_norm(s[0], (n,), gain, 1e-5)
                self.reference = lambda s: f.rms_norm(s[0].float(), (n,), gain.float(), 1e-5)
            else:
                self.arguments = lambda s: (s[0], gain, bias, 1e-5, s[1])
                self.peer = lambda s: f.layer_norm(s[0], (n,), gain, bias, 1e-5)
                self.reference = lambda s: f.layer_norm(s[0].float(), (n,), gain.float(), bias.float(), 1e-5)
        self.out = self.sets[0][-1]

    def unpacked(self, packed):
        """Two signed numbers of 4 bits in each byte, the low ones first."""
        low = (packed << 4) >> 4
        return self.torch.stack([low, packed >> 4], 2).flatten(1).float()

    def error(self, expected):
        """Relative, in the norm of all elements. NaN if an element was not written."""
        return ((self.out.float() - expected).norm() / expected.norm()).item()


def launches_of(kernel, work):
    """The variant that a launch takes, and {member: variant}: that one, and of each other member the first variant that takes the arguments."""
    def prepare():
        return [kernel.prepare(*work.arguments(s)) for s in work.sets]

    taken = kernel.variants[prepare()[0].variant()]
    found = {taken.split("/")[0]: taken}
    for variant in kernel.variants:
        member = variant.split("/")[0]
        if member in found:
            continue
        kernel.force_variant(variant)
        launches = prepare()
        try:
            launches[0].variant()
        except tessera.Error:
            continue
        found[member] = variant
    kernel.force_variant(None)
    return taken, found


def run_shape(options, device, kernel, row, shape):
    torch = device.torch
    torch.manual_seed(1)
    work = Work(torch, row["work"], shape)
    expected = work.reference(work.sets[0])
    taken, variants = launches_of(kernel, work)
    if row.get("taken"):
        variants = {taken.split("/")[0]: taken}
    candidates, wrong = [], []
    launches = {member: [kernel.prepare(*work.arguments(s)) for s in work.sets] for member in variants}

    def call_member(member):
        of = launches[member]

        def call(i):
            if i == 0:  # a burst begins
                kernel.force_variant(variants[member])
            of[i % len(of)]()
        return call

    for member in variants:
        work.out.fill_(math.nan)
        call_member(member)(0)
        device.wait(member)
        error = work.error(expected)
        if not error < work.tolerance:
            wrong.append(f"{row['name']} {shape} {variants[member]}: error {error}")
        else:
            candidates.append(timing.Candidate(member, call_member(member), "ours"))
    del expected
    candidates.append(timing.Candidate("torch", lambda i: work.peer(work.sets[i % len(work.sets)]), "peer"))
    for candidate in candidates:
        candidate.estimate(device, len(work.sets))
    for _ in range(options.rounds):
        for candidate in random.sample(candidates, len(candidates)):
            candidate.run_burst(device)
    kernel.force_variant(None)
    times = {c.name: statistics.median(c.burst) for c in candidates}
    return {"row": row["name"], "shape": shape, "taken": taken, "times": times, "unit": work.unit, "amount": work.amount}, wrong


def main():
    options = parse_options()
    if options.compile_only:
        return compile_rows(options)
    tessera.library(os.path.join(options.cubins, "libtessera_runtime.so"))
    device, end = timing.Gpu(), time.monotonic() + options.budget
    print(device.describe())
    results, wrong = [], []
    for row in options.rows:
        kernel = tessera.Module(os.path.join(options.cubins, row["example"] + ".cubin")).kernel()
        for shape in shapes_of(row):
            if time.monotonic() > end:
                print("no time is left")
                break
            result, bad = run_shape(options, device, kernel, row, shape)
            wrong += bad
            times = result["times"]
            ours = {name: ms for name, ms in times.items() if name != "torch"}
            member = result["taken"].split("/")[0]
            if member not in ours:
                continue
            best = min(ours, key=ours.get)
            result["lost"], result["ratio"] = ours[member] / ours[best] - 1, times["torch"] / ours[member]
            rate = result["amount"] / ours[member] / 1e9
            result["rate"] = rate
            results.append(result)
            told = " ".join(f"{name}={size}" for name, size in shape.items())
            print(f"{row['name']} {told}: {rate:.4g} {result['unit']} with {result['taken']}, {result['ratio']:.3f} x torch; best {best}, {result['lost']:.1%} lost", flush=True)
    for name in dict.fromkeys(result["row"] for result in results):
        mine = [result for result in results if result["row"] == name]
        mean = math.exp(statistics.mean(math.log(r["ratio"]) for r in mine))
        lost = sorted(r["lost"] for r in mine)
        above = statistics.mean(r["ratio"] >= 0.93 for r in mine)
        print(f"{name}: {len(mine)} shapes, {mean:.3f} x torch in the mean, least {min(r['ratio'] for r in mine):.3f}, {above:.0%} of them at least 0.93; the choice loses {statistics.mean(lost):.1%} on average, {lost[-1]:.1%} at most")
    print(*wrong, sep="\n")
    if os.environ.get("OUT"):
        with open(os.path.join(os.environ["OUT"], "families.json"), "w", encoding="utf-8") as file:
            json.dump({"device": device.describe(), "results": results, "wrong": wrong}, file, indent=1)
    return 1 if wrong or not results else 0


if __name__ == "__main__":
    sys.exit(main())
