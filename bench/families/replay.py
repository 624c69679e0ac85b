#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the launcher would choose among members of a product that were timed before: the score of the model, without a GPU.

  tilec bench/families/products.mlir --members=bench/families/products.members --emit=json -o all.json
  replay.py all.json bench/results/products.json [--among CONTRACT.json] [--list]     # or products-random.json
  tilec python/tessera/kernels/mm.mlir --emit=contract -o mm.json
  replay.py mm.json bench/results/products-layouts.json

The first file is a contract with predicted times (`cost`), the second one what was measured: of C = A·Bᵀ, or in the layout that a row names, for which the
contract has a kernel whose name ends with it (mm_nt). Members that the contract lacks are left out, with --among those that another contract lacks, too
(tilec examples/gemm.mlir --members=8 --emit=json). The last line also says at how many sizes a member that was not timed is predicted to be faster
than all that were. Rows of operands begin at multiples of 16 bytes here, so a launch takes the variant `lines` or `aligned`.
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


LAYOUTS = ("nt", "nn", "tn", "tt")


def costs_of(path):
    """{(layout, member): [(guards, the expression of the predicted nanoseconds)]}, in the order in which a launch tries the variants."""
    costs, kernels = {}, {}
    with open(path, encoding="utf-8") as file:
        for kernel in json.load(file)["kernels"]:
            name = kernel["name"].rsplit("_", 1)[-1]
            layout = name if name in LAYOUTS else "nt"
            if kernels.setdefault(layout, kernel["name"]) != kernel["name"]:
                sys.exit(f"{path} has two kernels for {layout}, {kernels[layout]} and {kernel['name']}: compile one of them (--kernel)")
            for v in kernel["variants"]:
                if v["name"].split("/")[-1] in ("lines", "aligned"):
                    costs.setdefault((layout, v["member"]), []).append((v.get("guards", []), v["cost"]))
    return costs


def holds(guard, sizes):
    """Whether contiguous operands, aligned as those of PyTorch are, have the fact. Of the result nothing is asked."""
    if guard["fact"] not in ("size_divisible", "stride_divisible") or guard["arg"] == 2:
        return True
    number = sizes[guard["arg"], guard["dim"]] if guard["fact"] == "size_divisible" else 1 if guard["dim"] else sizes[guard["arg"], 1]
    return number % guard["value"] == 0


def predicted(costs, layout, member, m, n, k, must=True):
    """Nanoseconds; those of the variant of the member that takes the launch. None if there is none, which is an error if there must be one."""
    a, b = (m, k) if layout[0] == "n" else (k, m), (k, n) if layout[1] == "n" else (n, k)
    sizes = {(0, 0): a[0], (0, 1): a[1], (1, 0): b[0], (1, 1): b[1], (2, 0): m, (2, 1): n}
    for guards, cost in costs[layout, member]:
        if all(holds(guard, sizes) for guard in guards):
            return evaluate(cost, sizes, SMS)
    if not must:
        return None
    sys.exit(f"{member} takes no launch of {m}x{n}x{k} {layout} whose rows begin at multiples of 16 bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("contract")
    parser.add_argument("times")
    parser.add_argument("--among", metavar="CONTRACT")
    parser.add_argument("--list", action="store_true", help="a line a shape")
    options = parser.parse_args()
    costs = costs_of(options.contract)
    among = costs.keys() & costs_of(options.among).keys() if options.among else costs.keys()
    with open(options.times, encoding="utf-8") as file:
        cards = json.load(file)["cards"]
    for card, rows in cards.items():
        lost, ratios, best, untimed = [], [], [], 0
        for row in rows:
            times, shape, layout = row["us"], row["shape"], row.get("layout", "nt")
            members = [member for member in times if (layout, member) in among]
            if not members:
                sys.exit(f"none of the members was timed at {shape}, {layout}")
            of = {member: predicted(costs, layout, member, *shape) for member in members}
            others = [predicted(costs, layout, member, *shape, must=False) for at, member in among if at == layout and member not in times]
            untimed += any(time is not None and time < min(of.values()) for time in others)
            taken, fastest = min(members, key=of.get), min(members, key=times.get)
            lost.append(times[taken] / times[fastest] - 1)
            ratios.append(times["torch"] / times[taken])
            best.append(times["torch"] / min(us for member, us in times.items() if member != "torch"))
            if options.list:
                print(f"{'x'.join(map(str, shape))}{' ' + layout if 'layout' in row else ''}: {taken} {times[taken]:.2f} us (predicted {of[taken] / 1e3:.2f}), "
                      f"best {fastest} {times[fastest]:.2f} us, {lost[-1]:.1%} lost, {ratios[-1]:.3f} x torch")
        mean = lambda values: math.exp(statistics.mean(map(math.log, values)))
        print(f"{card}: {len(rows)} shapes; the choice loses {statistics.mean(lost):.1%} on average, {max(lost):.1%} at most; {mean(ratios):.3f} x torch, "
              f"{statistics.mean(ratio >= 0.93 for ratio in ratios):.0%} at least 0.93; the best of all that were timed {mean(best):.3f}"
              + (f"; at {untimed} shapes a member that was not timed is predicted to be faster than all of these" if untimed else ""))


if __name__ == "__main__":
    main()
