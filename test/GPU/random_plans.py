#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes matrix products with random tiles and plans: random_plans.py DIR [--count N] [--seed S].

Every entry of #cta.plan is drawn, tiles are plain, transposed and with hints for the cache; many plans cannot
work, which the compiler must say. scripts/gpu-kit.sh --sources DIR --variants aligned keeps those that it takes;
random_gemm.py --aligned --filter 'plan-*' runs them on random shapes.
"""

import argparse
import os
import random

import make_gemms

NAMES = ("gemm-nt-bf16", "gemm-nn-bf16", "gemm-tn-f16", "gemm-tt-bf16", "gemm-nn-bf16-residual", "gemm-nt-bf16-bias-gelu", "gemm-nn-bf16-rowscale-colscale",
         "gemm-nt-bf16-f32", "batched-gemm-nt-f16")
# Each entry of a plan: its values, and how often it is given.
ENTRIES = (("replicate", ("split", "blocks", "blocks"), 0.4), ("producers", (0, 1, 1, 4, 4), 0.7), ("stages", (1, 2, 3, 3, 4, 5, 6), 0.7),
           ("persistent", (0, 1, 1), 0.6), ("group", (0, 1, 3, 8, 12, 16), 0.5), ("blocks_per_sm", (1, 2), 0.2), ("cluster", (2, 2, 4), 0.4),
           ("cluster_dim", (0, 1), 0.3), ("pending", (0, 1), 0.4), ("epilogue", (0, 16, 32, 48, 64, 128), 0.5),
           ("stream_k", (1, 2, 4, 8), 0.25))


def draw(generator):
    """(name of the product, tile, plan)."""
    plan = {}
    for entry, values, often in ENTRIES:
        if generator.random() < often:
            plan[entry] = generator.choice(values)
    if plan.get("replicate") == "blocks":
        plan["warpgroups"] = generator.choice((2, 2, 3))
    if plan.get("producers") == 4 and generator.random() < 0.7:
        plan["registers"] = generator.choice((160, 200, 216, 232, 240))
    if "cluster" not in plan:
        plan.pop("cluster_dim", None)
    heights, widths = (64, 64, 128, 128, 192, 256), (32, 64, 96, 128, 160, 176, 192, 256)
    turned = generator.random() < 0.3
    tile = [generator.choice(heights), generator.choice(widths)]
    tile = (tile[::-1] if turned else tile) + [generator.choice((32, 64, 64, 64, 128))]
    letters = ["t"] * (turned and generator.random() < 0.5) + generator.choice(([], [], ["k"], ["d"]))
    return generator.choice(NAMES), (*tile, *letters), ", ".join(f"{entry} = {value}" for entry, value in plan.items()) or "stages = 2"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    os.makedirs(options.out, exist_ok=True)
    for number in range(options.count):
        name, tile, plan = draw(generator)
        with open(os.path.join(options.out, f"plan-{number:03d}-{name}.mlir"), "w") as file:
            file.write(make_gemms.product_of(name).source(tile, plan))


if __name__ == "__main__":
    main()
