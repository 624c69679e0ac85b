#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the operators of tessera.torch beside PyTorch's own, by the burst protocol of docs/Performance.md: operators.py [--filter PATTERN] [--json FILE]

Each row is an operator with its sizes. The first call compiles what it needs; that time is in the table, too, with an empty cache. Results are compared with a
computation in f32. The last lines have the geometric mean of the ratios of each operator. Exit code 1 if something was wrong.
The package is found as Python finds it: PYTHONPATH=build/dev/python TESSERA_LIBRARY_DIR=build/dev/lib.
"""

import argparse
import fnmatch
import functools
import itertools
import json
import math
import os
import statistics
import sys
import tempfile
import time

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# bench/tessera.py is the launcher of the other benchmarks, and timing.py beside this file another one.
sys.path = [path for path in sys.path if os.path.abspath(path or ".") not in (BENCH, os.path.join(BENCH, "package"))]
os.environ.setdefault("TESSERA_CACHE_DIR", tempfile.mkdtemp())
import torch  # noqa: E402
from torch.nn.attention import varlen  # noqa: E402

import tessera.torch as ours  # noqa: E402

sys.path.append(BENCH)
import timing  # noqa: E402

PRODUCTS = [(1000, 1000, 1000), (3000, 3000, 3000), (4096, 4096, 4096), (8192, 8192, 8192), (2560, 10240, 2560), (5000, 5000, 5000), (300, 5000, 2000),
            (1, 4096, 14336), (16, 4096, 4096), (64, 14336, 4096), (128, 4096, 14336), (512, 4096, 4096), (1000, 777, 5001)]
ATTENTION = [(32, 32, 512), (16, 32, 1024), (8, 32, 2048), (4, 16, 4096), (1, 16, 16384), (2, 16, 300)]
TRAINING = [(8, 32, 2048), (4, 16, 4096), (1, 16, 16384), (8, 16, 1001)]
PACKED = [(16, 4096), (64, 1024), (4, 16384), (8, 2048)]  # sequences, and the longest of them; the others have 1/n, 2/n … of it
SHARED = [(2, 32, 8, 4096), (1, 32, 8, 16384), (2, 32, 1, 4096)]
ROWS = [(524288, 128), (223696, 300), (67108, 1000), (65536, 1024), (16384, 4096), (8192, 8192), (2048, 32768), (523, 128256)]


def rows():
    """(operator, name of the row, arguments, ours, PyTorch's, relative error)"""
    bf16, f32 = torch.bfloat16, torch.float32

    def normal(*shape, dtype=bf16):
        return torch.randn(*shape, device="cuda").to(dtype)

    for layout in ("nn", "nt", "tn"):
        for m, n, k in PRODUCTS:
            def make(m=m, n=n, k=k, layout=layout):
                a = normal(m, k) if layout[0] == "n" else normal(k, m).t()
                return a, (normal(k, n) if layout[1] == "n" else normal(n, k).t())
            yield f"mm {layout}", f"{m}x{n}x{k}", make, ours.mm, torch.mm
    for m, n, k in ((1000, 1000, 1000), (4096, 4096, 4096), (16, 4096, 4096), (512, 4096, 4096), (300, 5000, 2000)):
        yield "linear with bias", f"{m}x{n}x{k}", lambda m=m, n=n, k=k: (normal(n), normal(m, k), normal(n, k).t()), ours.addmm, torch.addmm
        yield "addmm", f"{m}x{n}x{k}", lambda m=m, n=n, k=k: (normal(m, n), normal(m, k), normal(k, n)), ours.addmm, torch.addmm
    for z, m, n, k in ((8, 1024, 1024, 1024), (64, 512, 512, 512), (256, 128, 128, 64), (100, 200, 300, 400)):
        yield "bmm", f"{z}x{m}x{n}x{k}", lambda z=z, m=m, n=n, k=k: (normal(z, m, k), normal(z, k, n)), ours.bmm, torch.bmm
    for size, sizes in ((64, ATTENTION), (128, ATTENTION), (96, ATTENTION[2:5]), (192, ATTENTION[2:5]), (256, ATTENTION[2:5])):
        for causal in (False, True):
            own, theirs = attention(causal)
            name = f"{size}{' causal' if causal else ''}"
            for b, h, s in sizes:
                def make(b=b, h=h, s=s, size=size):
                    # As they come from one projection: rows of three times all heads.
                    return tuple(normal(b, s, 3, h, size).permute(2, 0, 3, 1, 4).unbind(0))
                yield f"attention {name}", f"{b}x{h}x{s}", make, own, theirs
            for b, h, s in TRAINING:
                def make(b=b, h=h, s=s, size=size):
                    return *normal(b, s, 3, h, size).permute(2, 0, 3, 1, 4).unbind(0), normal(b, h, s, size)
                yield f"training {name}", f"{b}x{h}x{s}", make, training(own), training(theirs)
    for size, causal in itertools.product((64, 96, 128), (False, True)):
        for count, longest in PACKED:
            # 5 rows less, so that they end inside of tiles.
            starts = [longest * part * (part + 1) // (2 * count) - 5 * part for part in range(count + 1)]
            own, theirs = packed(torch.tensor(starts, dtype=torch.int32, device="cuda"), longest, causal)

            def make(tensors, rows=starts[-1], size=size):
                return tuple(normal(rows, 16, size) for _ in range(tensors))
            name, sizes = f"packed {size}{' causal' if causal else ''}", f"{count}x{longest}"
            yield name, sizes, functools.partial(make, 3), own, theirs
            yield f"training {name}", sizes, functools.partial(make, 4), training(own), training(theirs)
    for b, h, g, s in SHARED:
        own, theirs = attention(True, enable_gqa=True)
        yield ("shared heads 128 causal", f"{b}x{h}/{g}x{s}",
               lambda b=b, h=h, g=g, s=s: (normal(b, h, s, 128), normal(b, g, s, 128), normal(b, g, s, 128)), own, theirs)
    for dtype in (f32, bf16):
        for m, n in ROWS:
            yield f"softmax {str(dtype)[6:]}", f"{m}x{n}", lambda m=m, n=n, t=dtype: (normal(m, n, dtype=t),), ours.softmax, lambda x: torch.softmax(x, -1)
    for m, n in ROWS:
        yield "rms_norm", f"{m}x{n}", lambda m=m, n=n: (normal(m, n), normal(n)), ours.rms_norm, norm
    for m, n in ROWS:
        yield "training rms_norm", f"{m}x{n}", lambda m=m, n=n: (normal(m, n), normal(n), normal(m, n)), training(ours.rms_norm), training(norm)
        yield "training softmax", f"{m}x{n}", lambda m=m, n=n: (normal(m, n), normal(m, n)), training(ours.softmax), training(lambda x: torch.softmax(x, -1))


def norm(x, weight):
    return torch.nn.functional.rms_norm(x, weight.shape, weight, 1e-6)


def attention(causal, **more):
    """Ours and PyTorch's, as functions of q, k and v."""
    return (lambda q, k, v: ours.attention(q, k, v, is_causal=causal),
            lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, **more))


def packed(places, longest, causal):
    """The same for sequences that lie one after the other; PyTorch's goes by FlashAttention-2, which takes no f32."""
    def theirs(q, k, v):
        if q.dtype != torch.float32:
            return varlen.varlen_attn(q, k, v, places, places, longest, longest, window_size=(-1, 0) if causal else (-1, -1))
        parts = [torch.nn.functional.scaled_dot_product_attention(*(x[a:b].transpose(0, 1)[None] for x in (q, k, v)), is_causal=causal)
                 for a, b in itertools.pairwise(places.tolist())]
        return torch.cat([part[0].transpose(0, 1) for part in parts])
    return lambda q, k, v: ours.attention_varlen(q, k, v, places, places, longest, longest, is_causal=causal), theirs


def training(function):
    """The function and its gradients."""
    def step(*args):
        with torch.enable_grad():
            inputs = [arg.detach().requires_grad_() for arg in args[:-1]]
            return torch.autograd.grad(function(*inputs), inputs, args[-1])
    return step


def error_of(result, args, theirs):
    """The largest error of a result, relative to its largest element."""
    results, expected = result, theirs(*(arg.float() for arg in args))
    if isinstance(result, torch.Tensor):
        results, expected = (result,), (expected,)
    return max((x.float() - y).abs().max().item() / (y.abs().max().item() or 1.0) for x, y in zip(results, expected))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="*", help="patterns of operators, separated by commas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no row after this time")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    torch.manual_seed(0)
    # PyTorch's sums of products of 16-bit floats in f32, as ours.
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    device = timing.Gpu()
    began, found, bad = time.monotonic(), [], 0
    print(f"{'operator':22}{'sizes':20}{'ours us':>10}{'torch us':>10}{'ratio':>8}{'first s':>9}{'error':>10}")
    for operator, name, make, own, theirs in rows():
        if not any(fnmatch.fnmatch(operator, pattern) for pattern in options.filter.split(",")):
            continue
        if time.monotonic() - began > options.seconds:
            print("no more time")
            break
        args = make()
        with torch.no_grad():
            start = time.monotonic()
            result = own(*args)
            torch.cuda.synchronize()
            first = time.monotonic() - start
            error = error_of(result, args, theirs)
            if not error < 2e-2:
                bad += 1
                print(f"{operator} {name}: WRONG, error {error}")
            candidates = [timing.Candidate("ours", lambda i: own(*args), "ours"), timing.Candidate("torch", lambda i: theirs(*args), "peer")]
            for candidate in candidates:
                candidate.estimate(device, 2)
            timing.interleave(device, candidates, options.rounds, 0)
        us, peer = (timing.median(candidate.burst) * 1e3 for candidate in candidates)
        ratio = timing.median(timing.ratios(candidates[0].burst, candidates[1].burst))
        found.append({"operator": operator, "sizes": name, "us": us, "torch_us": peer, "ratio": ratio, "first_s": first, "error": error})
        print(f"{operator:22}{name:20}{us:10.1f}{peer:10.1f}{ratio:8.3f}{first:9.2f}{error:10.1e}", flush=True)
        del args, result
        torch.cuda.empty_cache()
    for operator in dict.fromkeys(row["operator"] for row in found):
        ratios = [row["ratio"] for row in found if row["operator"] == operator]
        print(f"{operator}: geometric mean {statistics.geometric_mean(ratios):.3f}, least {min(ratios):.3f}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
    return 1 if bad or not found else 0


if __name__ == "__main__":
    sys.exit(main())
