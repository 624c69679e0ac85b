#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what a launch costs the host: with tile-run --bench=overhead on kernels of a kit, with the Python binding, and with PyTorch.

  launch_overhead.py [--kit DIR] [--cpu]
"""

import argparse
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

# Example, kernel and arguments: one array, three arrays, TMA descriptors.
LAUNCHES = [
    ("vector-add", "vector_add", "randn:1024xf32 randn:1024xf32 nan:1024xf32"),
    ("gemm-nt", "gemm_nt", "randn:256x256xbf16 randn:256x256xbf16 nan:256x256xbf16"),
    ("rms-norm", "rms_norm", "randn:64x1024xbf16 randn:1024xbf16 1e-5 nan:64x1024xbf16"),
]


def median(values):
    return sorted(values)[len(values) // 2]


def host_us(call, synchronize, batch=200, rounds=30):
    samples = []
    for _ in range(rounds):
        began = time.perf_counter()
        for _ in range(batch):
            call()
        samples.append((time.perf_counter() - began) * 1e6 / batch)
        synchronize()
    return median(samples)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kit", default=ROOT if os.path.exists(os.path.join(ROOT, "kit.txt")) else os.path.join(ROOT, "build", "gpu-kit"))
    parser.add_argument("--cpu", action="store_true", help="CPU artifacts: tests the script")
    options = parser.parse_args()
    suffix = ".so" if options.cpu else ".cubin"
    rows, failed = [], False
    for example, kernel, args in LAUNCHES:
        path = os.path.join(options.kit, "examples", example + suffix)
        if not os.path.exists(path):
            continue
        command = [os.path.join(options.kit, "tile-run"), path, f"--kernel={kernel}", *args.split(), "--bench=overhead", "--json"]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=60)
            report = json.loads(run.stdout)["bench"]
            rows.append((f"tile-run, {example}", report["median_us"], report["min_us"]))
        except (subprocess.TimeoutExpired, ValueError, KeyError) as error:
            rows.append((f"tile-run, {example}: {type(error).__name__} {run.stderr.strip()[:120]}", None, None))
            failed = True
    try:
        import torch
        sys.path.insert(0, HERE)
        import tessera
        tessera.library(os.path.join(options.kit, "libtessera_runtime.so"))
        device = "cpu" if options.cpu else "cuda"
        x, y, z = (torch.randn(1024, device=device) for _ in range(3))
        synchronize = (lambda: None) if options.cpu else torch.cuda.synchronize
        path = os.path.join(options.kit, "examples", "vector-add" + suffix)
        if os.path.exists(path):
            add = tessera.Module(path).kernel("vector_add")
            prepared = add.prepare(x, y, z)
            for name, call in (("Python, prepared launch of vector-add", prepared), ("Python, vector-add", lambda: add(x, y, z)),
                               ("torch.add(out=)", lambda: torch.add(x, y, out=z))):
                call()
                synchronize()
                rows.append((name, host_us(call, synchronize), None))
    except Exception as error:
        rows.append((f"Python: {error}", None, None))
        failed = True
    print("| launch | host time, median us | min us |\n|---|---|---|")
    for name, mid, low in rows:
        print(f"| {name} | {'-' if mid is None else f'{mid:.2f}'} | {'-' if low is None else f'{low:.2f}'} |")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
