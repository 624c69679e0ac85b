# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""divided_cost.py TILEC PROGRAM: the predicted time of a product with stream-K (tile.cost, as the launch contract has it) is that of the division which
StreamK.cpp makes, computed here. test/Simulator/simulate_stream_k.py compares the same rule with what launches do. The tile of the product is 128x256x64."""
import json
import os
import re
import subprocess
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 4, "bench")]
from contract_cost import evaluate  # noqa: E402

TILEC, PROGRAM = sys.argv[1:3]
BM, BN, BK, MOST_PARTS = 128, 256, 64, 8


def compile_to(*options):
    return subprocess.run([TILEC, PROGRAM, "--members=2", "--variants=lines", "-o", "-", *options], capture_output=True, text=True, check=True).stdout


def last_wave(rows, columns, trips, cores, least):
    """The iterations of the last wave, how often a block of it waits for partial sums or hands them on, and how many whole waves are ahead of it."""
    full, rest = divmod(rows * columns, cores)
    if not rest:
        return 0, 0, full
    possible = cores // rest
    parts = max(1, min(possible, MOST_PARTS, trips // least))
    longest = -(-trips // parts)
    extra = 0
    if possible < 2 and 1 in (rows, columns):
        longest, extra = -(-rest * trips // cores), 1
    if trips - longest < least:
        return trips, 0, full
    return longest, -(-trips // longest) + extra, full


planned = compile_to("--emit=planned")
prediction = {name: int(value) for name, value in re.findall(r"(\w+) = (\d+) : i64", re.search(r"cta\.prediction = \{([^}]*hand_over[^}]*)\}", planned).group(1))}
cost = next(v["cost"] for v in json.loads(compile_to("--emit=json"))["kernels"][0]["variants"] if v["member"] == "stream-k")
iteration = max(prediction["iteration"], prediction["lines"])
divided = checked = 0
for m, n, k, cores in [(m, n, k, cores) for m in (1, 128, 129, 1000, 4096, 12800) for n in (256, 257, 5000) for k in (64, 1000, 4096, 65536) for cores in (1, 78, 132)]:
    sizes = {(0, 0): m, (0, 1): k, (1, 0): n, (1, 1): k, (2, 0): m, (2, 1): n}
    rows, columns, trips = -(-m // BM), -(-n // BN), -(-k // BK)
    longest, hand_overs, full = last_wave(rows, columns, trips, cores, prediction["stream_k"])
    waves = -(-rows * columns // cores)
    of_sms = 64 * (waves * prediction["lines_round"] + (full * trips + longest) * iteration + hand_overs * prediction["hand_over"])
    # Memory moves each array once, or what the tiles read and write of it; 18.7 bytes a cycle for each SM. SMs
    # without an output tile leave their shares unused. A fifth of the shorter time is not hidden.
    tiles = rows * columns
    moved = sum(min(tiles * times * 2 * tile, 2 * array) for times, tile, array in ((trips, BM * BK, m * k), (trips, BN * BK, n * k), (1, BM * BN, m * n)))
    memory = -(-moved * 64 * 16 // (cores * 299))
    least = -(-moved * 64 * 16 // ((cores if hand_overs else min(tiles, cores)) * 299))
    cycles = prediction["launch"] + (max(of_sms, least) + -(-min(of_sms, memory) // 5)) / 64
    expected = int(cycles * 546 / 1000) # 1.83 cycles a nanosecond
    found = evaluate(cost, sizes, cores)
    checked += 1
    divided += hand_overs > 0
    if abs(found - expected) > 1:
        print(f"{m}x{n}x{k} on {cores} SMs: {found} ns, but the division takes {expected}")
print(f"{checked} sizes, {divided} of them divided")
