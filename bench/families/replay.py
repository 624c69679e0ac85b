#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the launcher would choose among members of a product, C = A·Bᵀ, that were timed before: the score of the model, without a GPU.

  tilec bench/families/products.mlir --members=bench/families/products.members --emit=json -o all.json
  replay.py all.json bench/results/products.json [--among CONTRACT.json] [--list]     # or products-random.json

The first file is a contract with predicted times (`cost`), the second one what was measured. --among leaves only the members that another contract has
(tilec examples/gemm.mlir --members=8 --emit=json). Rows of operands begin at multiples of 16 bytes here, so a launch takes the variant `lines` or `aligned`.
"""

import argparse
import json
import math
import os
import statistics
import sys

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
from contract_cost import evaluate  # noqa: E402

SMS = 132


def costs_of(path):
    """{(member, variant): the expression of its predicted nanoseconds}."""
    with open(path, encoding="utf-8") as file:
        variants = json.load(file)["kernels"][0]["variants"]
    return {(v["member"], v["name"].split("/")[-1]): v["cost"] for v in variants}


def predicted(costs, member, m, n, k):
    """Nanoseconds. Without a variant `lines` the two are one."""
    variant = "lines" if k % 64 == 0 and (member, "lines") in costs else "aligned"
    return evaluate(costs[member, variant], {(0, 0): m, (0, 1): k, (1, 0): n, (1, 1): k, (2, 0): m, (2, 1): n}, SMS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("contract")
    parser.add_argument("times")
    parser.add_argument("--among", metavar="CONTRACT")
    parser.add_argument("--list", action="store_true", help="a line a shape")
    options = parser.parse_args()
    costs = costs_of(options.contract)
    among = {member for member, _ in (costs_of(options.among) if options.among else costs)}
    with open(options.times, encoding="utf-8") as file:
        cards = json.load(file)["cards"]
    for card, rows in cards.items():
        lost, ratios, best = [], [], []
        for row in rows:
            times, shape = row["us"], row["shape"]
            members = [member for member in times if member in among]
            if not members:
                sys.exit(f"none of the members was timed at {shape}")
            taken, fastest = min(members, key=lambda member: predicted(costs, member, *shape)), min(members, key=times.get)
            lost.append(times[taken] / times[fastest] - 1)
            ratios.append(times["torch"] / times[taken])
            best.append(times["torch"] / min(us for member, us in times.items() if member != "torch"))
            if options.list:
                print(f"{'x'.join(map(str, shape))}: {taken} {times[taken]:.2f} us (predicted {predicted(costs, taken, *shape) / 1e3:.2f}), "
                      f"best {fastest} {times[fastest]:.2f} us, {lost[-1]:.1%} lost, {ratios[-1]:.3f} x torch")
        mean = lambda values: math.exp(statistics.mean(map(math.log, values)))
        print(f"{card}: {len(rows)} shapes; the choice loses {statistics.mean(lost):.1%} on average, {max(lost):.1%} at most; {mean(ratios):.3f} x torch, "
              f"{statistics.mean(ratio >= 0.93 for ratio in ratios):.0%} at least 0.93; the best of all that were timed {mean(best):.3f}")


if __name__ == "__main__":
    main()
