#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which kernel Inductor's autotuning takes for matrix products, once tessera.torch.register_inductor() was called: inductor_share.py [--json FILE]

For each of 20 shapes in bf16 torch.compile(mode="max-autotune") times its choices: cuBLAS (aten), Triton's templates, and ours with output tiles
of several sizes. The table has the best time of each, the best of our tiles, and whom Inductor took. Then the compiled function is run and compared with a product in f32. The shapes are linear layers
x @ w.t() of Llama 3 8B (K to N: 4096 to 6144, 4096, 28672; 14336 to 4096) for 128 to 8192 tokens, and square products a @ b.
Inductor times the choices itself, on warm buffers: its numbers decide what it takes, and are no benchmark.
"""

import argparse
import json
import math
import os
import re
import sys
import tempfile
import time

# tessera.py beside this file is another one: the launcher of the other benchmarks.
sys.path = [path for path in sys.path if os.path.abspath(path or ".") != os.path.dirname(os.path.abspath(__file__))]

LAYERS = ((4096, 6144), (4096, 4096), (4096, 28672), (14336, 4096))
SHAPES = [(tokens, n, k, "nt") for tokens in (128, 1024, 4096, 8192) for k, n in LAYERS]
SHAPES += [(size, size, size, "nn") for size in (1024, 2048, 4096, 8192)]


def owner(name):
    """Whose kernel a choice of Inductor's is."""
    if "tessera" in name:
        return "tessera"
    return "triton" if name.startswith("triton") else "aten"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no shape after this time")
    options = parser.parse_args()
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", tempfile.mkdtemp())

    import torch
    import tessera.torch
    from torch._inductor import config, select_algorithm
    if not torch.cuda.is_available():
        sys.exit("inductor_share: error: PyTorch sees no GPU")
    tessera.torch.register_inductor()
    config.autotune_in_subproc = False
    found, best = {}, {}  # by owner: milliseconds, and the name of that choice

    # Inductor prints what it measured, and has no other way to get at it.
    log = select_algorithm.AlgorithmSelectorCache.log_results

    def remember(name, nodes, timings, *rest, **more):
        for choice, milliseconds in timings.items():
            key, value = owner(choice.name), float(milliseconds)
            if value < found.get(key, math.inf):
                found[key], best[key] = value, choice.name
    select_algorithm.AlgorithmSelectorCache.log_results = staticmethod(remember)

    rows, began = [], time.monotonic()
    print(f"{'M x N x K':>20}  {'tessera':>9} {'aten':>9} {'triton':>9} us  taken    others/ours  error    our tile", flush=True)
    for m, n, k, layout in SHAPES:
        if time.monotonic() - began > options.seconds:
            print(f"stopped after {len(rows)} of {len(SHAPES)} shapes: --seconds")
            break
        a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        b = torch.randn(n, k, device="cuda", dtype=torch.bfloat16).t() if layout == "nt" else \
            torch.randn(k, n, device="cuda", dtype=torch.bfloat16)
        found.clear(), best.clear()
        torch._dynamo.reset()
        c = torch.compile(torch.mm, mode="max-autotune-no-cudagraphs")(a, b)
        want = a.float() @ b.float()
        error = float((c.float() - want).norm() / want.norm())
        taken = min(found, key=found.get) if found else "nobody was tried"
        ours, others = found.get("tessera", math.inf), min([v for key, v in found.items() if key != "tessera"], default=math.inf)
        tile = re.search(r"\d+x\d+$", best.get("tessera", ""))
        tile = tile[0] if tile else "128x256" if "tessera" in best else "-"
        rows.append({"our_tile": tile, "m": m, "n": n, "k": k, "layout": layout, "us": {key: 1000 * value for key, value in found.items()}, "taken": taken, "error": error})
        times = " ".join(f"{1000 * found.get(key, math.nan):9.2f}" for key in ("tessera", "aten", "triton"))
        print(f"{f'{m}x{n}x{k} {layout}':>20}  {times}     {taken:8} {others / ours:8.3f}  {error:9.1e}  {tile}", flush=True)
        if not error < 1e-2:
            print(f"inductor_share: error: the product of {m}x{n}x{k} is wrong", file=sys.stderr)
            return 1
    share = sum(row["taken"] == "tessera" for row in rows)
    print(f"{torch.cuda.get_device_name()}: Inductor takes ours for {share} of {len(rows)} shapes")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "shapes": rows}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
