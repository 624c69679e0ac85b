#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds out where a TMA box may begin. Tries loads and stores at random coordinates on the device and counts their outcomes.

  bench/tma_places.py [--cases 1500] [--seed 1] [--budget 200]

Needs a Hopper GPU and nvcc. Each coordinate that the device refuses ends a process (two seconds for the next one), so that the
budget, in seconds, decides how many are tried. Prints a table: is the coordinate along the contiguous dimension a multiple of 16 bytes, is one negative,
does a row end at a multiple of 16 bytes; and the outcome.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def draw(rng):
    """(kind, rank, bytes of an element, swizzle, sizes, box, coordinates), innermost first; boxes as this compiler makes them."""
    while True:
        each, swizzle = rng.choice((1, 2, 4, 8)), rng.choice((0, 32, 64, 128))
        row = swizzle or rng.choice((16, 32, 48, 80, 112, 128, 160, 256))
        box = (row // each, rng.choice((1, 2, 7, 8, 32, 64)), rng.choice((1, 1, 2, 4)))
        sizes = (rng.choice((row // each, 2 * row // each, rng.randint(1, 300 // each + 1))), rng.choice((1, 5, 64, 100)), rng.choice((1, 3, 8)))
        granule = max(1, 16 // each)
        coords = (rng.choice((0, granule * rng.randint(-3, 8), rng.randint(-box[0] - 3, sizes[0] + 3))),
                  rng.choice((0, rng.randint(-box[1] - 1, sizes[1] + 1))), rng.choice((0, rng.randint(-box[2] - 1, sizes[2] + 1))))
        if box[0] <= 256 and box[0] * box[1] * box[2] * each <= 100000:
            return rng.choice(("load", "store")), rng.choice((1, 2, 2, 3)), each, swizzle, sizes, box, coords


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", type=float, default=200)
    parser.add_argument("--jobs", type=int, default=8)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    cases = [draw(rng) for _ in range(options.cases)]
    results, start = {}, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "tma_places")
        subprocess.run(["nvcc", "-std=c++17", "-O1", "-gencode=arch=compute_90a,code=sm_90a", "-cudart", "static",
                        os.path.join(HERE, "tma_places.cu"), "-o", program], check=True)

        def work(numbers):
            while numbers and time.monotonic() - start < options.budget:
                lines = []
                for number in numbers:
                    kind, rank, each, swizzle, *rest = cases[number]
                    lines.append(" ".join(map(str, (number, kind, rank, each, swizzle, *(x for triple in rest for x in triple)))))
                try:
                    out = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=60).stdout
                except subprocess.TimeoutExpired as expired:
                    out = (expired.stdout or b"").decode()
                found = [line.split(" ", 1) for line in out.splitlines()]
                results.update((int(number), what) for number, what in found)
                if not found:
                    return
                numbers = numbers[numbers.index(int(found[-1][0])) + 1:]

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(work, [list(range(job, len(cases), options.jobs)) for job in range(options.jobs)]))

    table = collections.Counter()
    for number, what in results.items():
        kind, rank, each, _, sizes, _, coords = cases[number]
        table[(kind, "multiple of 16" if coords[0] * each % 16 == 0 else "no multiple", "negative" if min(coords[:rank]) < 0 else "not negative",
               "rows of 16 bytes" if sizes[0] * each % 16 == 0 else "rows end between", what)] += 1
    for key in sorted(table):
        print(f"{key[0]:6}{key[1]:16}{key[2]:14}{key[3]:18}{key[4]:36}{table[key]:6}")
    print(f"{len(results)} of {len(cases)} places tried in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
