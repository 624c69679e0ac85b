#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what a launch costs the host: with tile-run --bench=overhead on kernels of a kit, with the Python binding, and with PyTorch.

  launch_overhead.py [--kit DIR] [--cpu | --fake-driver]

A launch is repeated (same), or alternates between two sets of arrays, whose addresses and tensor maps it exchanges (other arrays); both also with
DLPack tensors. With --fake-driver the driver is one that does nothing (test/Runtime/Inputs/fake-cuda.c), so what is left is the launcher's part,
and no GPU is needed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
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


KINDS = ("other_arrays", "tensors", "other_tensors")


def build_fake_driver(folder):
    """Makes libcuda.so.1 in `folder`, and returns an environment in which it is found first."""
    compiler = shutil.which("cc") or shutil.which("clang") or shutil.which("gcc")
    if not compiler:
        sys.exit("launch_overhead: --fake-driver needs a C compiler (cc, clang or gcc)")
    source = os.path.join(ROOT, "test", "Runtime", "Inputs", "fake-cuda.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-w", source, "-o", os.path.join(folder, "libcuda.so.1")], check=True)
    return {**os.environ, "LD_LIBRARY_PATH": folder + os.pathsep + os.environ.get("LD_LIBRARY_PATH", "")}


def tool(kit, environment, example, kernel, args, suffix):
    """The row of a kernel, or None if the kit lacks it. The second value says whether it failed."""
    path = os.path.join(kit, "examples", example + suffix)
    if not os.path.exists(path):
        return None, False
    command = [os.path.join(kit, "tile-run"), path, f"--kernel={kernel}", *args.split(), "--bench=overhead", "--json"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    except subprocess.TimeoutExpired:
        return (f"tile-run, {example}: it took more than a minute",), True
    try:
        report = json.loads(run.stdout)["bench"]
        return (f"tile-run, {example}", report["median_us"], *(report["kinds"][kind] for kind in KINDS)), False
    except (ValueError, KeyError) as error:
        return (f"tile-run, {example}: {type(error).__name__} {run.stderr.strip()[:120]}",), True


def add_python(rows, options, suffix):
    """Adds what launches from Python take, with PyTorch's tensors. Returns whether it went well."""
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
                rows.append((name, host_us(call, synchronize)))
    except Exception as error:
        rows.append((f"Python: {error}",))
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kit", default=ROOT if os.path.exists(os.path.join(ROOT, "kit.txt")) else os.path.join(ROOT, "build", "gpu-kit"))
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--cpu", action="store_true", help="the CPU artifact of vector-add; its launches take as long as the kernel")
    where.add_argument("--fake-driver", action="store_true", help="cubins, with a driver that does nothing")
    options = parser.parse_args()
    suffix = ".so" if options.cpu else ".cubin"
    rows, failed = [], False
    with tempfile.TemporaryDirectory() as folder:
        environment = build_fake_driver(folder) if options.fake_driver else None
        for launch in LAUNCHES[:1] if options.cpu else LAUNCHES:
            row, bad = tool(options.kit, environment, *launch, suffix)
            rows += [row] if row else []
            failed |= bad
    if not options.fake_driver:
        failed |= not add_python(rows, options, suffix)
    print("| launch, median us of host time | same | other arrays | DLPack, same | DLPack, other tensors |\n|---|---|---|---|---|")
    for name, *times in rows:
        print(f"| {name} | " + " | ".join(f"{times[i]:.2f}" if i < len(times) else "-" for i in range(4)) + " |")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
