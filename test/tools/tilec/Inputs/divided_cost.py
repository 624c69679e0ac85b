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
    """The iterations of the last wave, how often a block of it waits for partial sums or hands them on, how many whole waves are ahead of it, and how many
    partial sums there are."""
    full, rest = divmod(rows * columns, cores)
    if not rest:
        return 0, 0, full, 0
    possible = cores // rest
    parts = max(1, min(possible, MOST_PARTS, trips // least))
    longest = -(-trips // parts)
    extra, handed_on = 0, rest * (parts - 1)
    if possible < 2 and 1 in (rows, columns):
        longest, extra, handed_on = -(-rest * trips // cores), 1, cores
    if trips - longest < least:
        return trips, 0, full, 0
    return longest, -(-trips // longest) + extra, full, handed_on


planned = compile_to("--emit=planned")
text = re.search(r"cta\.prediction = \{([^}]*hand_over[^}]*)\}", planned).group(1)
prediction = {name: int(value) for name, value in re.findall(r"(\w+) = (\d+) : i64", text)}
trimmed = [int(value) for value in re.search(r"trimmed = array<i64: ([^>]*)>", text).group(1).split(",")]
cost = next(v["cost"] for v in json.loads(compile_to("--emit=json"))["kernels"][0]["variants"] if v["member"] == "stream-k")
assert prediction["sums"] == 4 * BM * BN and len(trimmed) == 2 and min(trimmed) > 0
divided = checked = 0
for m, n, k, cores in [(m, n, k, cores) for m in (1, 128, 129, 1000, 4096, 12800) for n in (256, 257, 5000) for k in (64, 1000, 4096, 65536) for cores in (1, 78, 132)]:
    sizes = {(0, 0): m, (0, 1): k, (1, 0): n, (1, 1): k, (2, 0): m, (2, 1): n}
    rows, columns, trips = -(-m // BM), -(-n // BN), -(-k // BK)
    longest, hand_overs, full, handed_on = last_wave(rows, columns, trips, cores, prediction["stream_k"])
    waves = -(-rows * columns // cores)
    # Rows and columns outside of the arrays are not fetched.
    lines = 64 * prediction["lines"]
    for cycles, size, extent in zip(trimmed, (m, n), (rows * BM, columns * BN)):
        lines -= 64 * cycles * (extent - size) // extent
    iteration = max(64 * prediction["iteration"], lines, 64 * prediction["lines_alone"] if prediction["lines_alone"] != prediction["lines"] else 0)
    of_sms = 64 * (waves * prediction["lines_round"] + hand_overs * prediction["hand_over"]) + (full * trips + longest) * iteration
    # Memory moves each array once, or what the tiles read and write of it, and partial sums twice; 18.7 bytes a cycle for each SM, and 34 for one
    # if others have no output tile. A fifth of the shorter time is not hidden.
    tiles = rows * columns
    moved = sum(min(tiles * times * 2 * tile, 2 * array) for times, tile, array in ((trips, BM * BK, m * k), (trips, BN * BK, n * k), (1, BM * BN, m * n)))
    moved += 2 * prediction["sums"] * handed_on
    memory = -(-moved * 64 * 16 // (cores * 299))
    least = memory if hand_overs else max(memory, -(-moved * 64 * 16 // (min(tiles, cores) * 544)))
    cycles = prediction["launch"] + (max(of_sms, least) + -(-min(of_sms, memory) // 5)) / 64
    expected = int(cycles * 546 / 1000) # 1.83 cycles a nanosecond
    found = evaluate(cost, sizes, cores)
    checked += 1
    divided += hand_overs > 0
    if abs(found - expected) > 1:
        print(f"{m}x{n}x{k} on {cores} SMs: {found} ns, but the division takes {expected}")
print(f"{checked} sizes, {divided} of them divided")
