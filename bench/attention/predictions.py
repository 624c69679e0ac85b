# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what the compiler predicts for the rows of docs/performance/attention.md with what was measured there.

  predictions.py [--filter PATTERN] [--tilec PATH] [--cores N] [--page FILE] [--bar R]

Compiles each row's text with `tilec --predict --emit=contract`, computes the time of the first variant for the row's sizes on a chip with --cores SMs, and
divides the measured time by it: above 1 the kernel took longer than predicted. Measured are the rates of the tables of --page; of a rate of bytes the row
names them. Rows without a prediction say why: their bounds are in memory, or the page has no time. With --bar R the exit code is 1 if a ratio is further from 1 than R.
"""

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = importlib.util.spec_from_file_location("attention_run", os.path.join(HERE, "run.py"))
attention_run = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(attention_run)
from contract_cost import evaluate as evaluate_expression  # noqa: E402
from sizes import evaluate, sizes_of  # noqa: E402

UNITS = {"TFLOP/s": ("flops", 1e12), "TB/s": ("bytes", 1e12)}


def measured_rates(page):
    """{row and sizes: (what is counted, a second)} of the tables of a page."""
    rates = {}
    with open(page, encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.split("|")]
            found = re.match(r"([0-9.]+) (TFLOP/s|TB/s)", cells[3]) if len(cells) > 5 else None
            if found:
                what, unit = UNITS[found.group(2)]
                rates[cells[1]] = what, float(found.group(1)) * unit
    return rates


def contract_of(row, tilec, folder):
    source = attention_run.write_source(row, folder)
    command = [tilec, source, "--predict", "--emit=contract", "-o", "-"] + ([f"--plan=#cta.plan<{row['plan']}>"] if "plan" in row else [])
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)


def predicted(row, contract, sizes, cores):
    """Nanoseconds. A KeyError names what the prediction needs and the row does not have."""
    kernel = next(k for k in contract["kernels"] if k["name"] == row.get("kernel", k["name"]))
    numbers, scalars = {}, {}
    for i, argument in enumerate(kernel["args"]):
        if argument["kind"] == "memref":
            for d, size in enumerate(argument["shape"]):
                # The row names the sizes that its text does.
                numbers[i, d] = sizes[size] if isinstance(size, str) and size in sizes else size
        elif argument["name"] in {**sizes, **row.get("inputs", {})}:
            scalars[i] = evaluate({**row.get("inputs", {}), **sizes}[argument["name"]], sizes)
    return evaluate_expression(kernel["variants"][0]["predicted"], numbers, cores, scalars=scalars)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", default=os.path.join(HERE, "rows.json"))
    parser.add_argument("--filter", default="*", help="pattern of row names; several with commas")
    parser.add_argument("--tilec", default=shutil.which("tilec") or os.path.join(attention_run.ROOT, "build", "dev", "bin", "tilec"))
    parser.add_argument("--cores", type=int, default=132)
    parser.add_argument("--page", default=os.path.join(attention_run.ROOT, "docs", "performance", "attention.md"))
    parser.add_argument("--bar", type=float)
    options = parser.parse_args()
    rates, contracts, ratios = measured_rates(options.page), {}, []
    with tempfile.TemporaryDirectory() as folder:
        for group in attention_run.load_groups(options):
            row, name = group["row"], group["name"]
            if name not in rates:
                print(f"{name}: not in the page")
                continue
            key = attention_run.artifact_of(row)
            if key not in contracts:
                contracts[key] = contract_of(row, options.tilec, folder)
            sizes = sizes_of(group["sizes"])
            what, rate = rates[name]
            try:
                cost = predicted(row, contracts[key], sizes, options.cores)
            except KeyError as missing:
                print(f"{name}: no prediction without {missing}")
                continue
            took = evaluate(row[what], sizes) / rate * 1e9
            ratios.append(took / cost)
            print(f"{name}: predicted {cost / 1e3:.1f} us, took {took / 1e3:.1f} us, {took / cost:.2f}")
    worst = max((abs(ratio - 1) for ratio in ratios), default=0)
    print(f"{len(ratios)} rows, {sum(abs(ratio - 1) <= 0.1 for ratio in ratios)} of them within 10 %, the worst by {100 * worst:.0f} %")
    return 1 if not ratios or (options.bar is not None and worst > options.bar) else 0


if __name__ == "__main__":
    sys.exit(main())
