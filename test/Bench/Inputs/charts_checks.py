# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what bench/results.py and bench/schedules.py make of small inputs. Prints 'checked'."""

import json
import sys

sys.path.insert(0, sys.argv[1])
import results  # noqa: E402
import schedules  # noqa: E402
import svg  # noqa: E402


def close(found, expected):
    assert abs(found - expected) < 1e-9, (found, expected)


def line(name, role, burst, sustained=()):
    return {"name": name, "role": role, "error": 1e-3, "burst_ms": burst, "sustained_ms": list(sustained), "variant": "lines", "worst": 0.5}


# A run with three candidates. The second of ours has the plan of the examples; the fastest was given one.
shape = {"name": "gemm-nt 4096x4096x4096", "M": 4096, "N": 4096, "K": 4096, "layout": "nt", "element": "bf16", "epilogue": "", "cost": 1.0}
run = {"device": {"device": "chip", "ready": 1}, "options": {"rounds": 3, "sustained": 0, "budget": 1.0, "kit": "secret/path"},
       "results": [{"group": shape["name"], "row": shape, "rows": [
           line("gemm-nt-bf16-128x256x64-stages3/gemm_nt_bf16", "tessera", [0.1, 0.1, 0.2]), line("gemm-nt/gemm_nt", "tessera", [0.125, 0.125, 0.125]),
           line("cuBLASLt #3", "peer", [0.15, 0.11, 0.12])]}]}
data = json.loads(results.text(results.reduced("gemm", run, {"date": "2026-01-01", "commit": "c"})))
assert "secret" not in json.dumps(data) and data["made"]["commit"] == "c"
(row,) = results.gemm_rows(data)
close(row["burst"]["ratio"], 1.1)  # the median of 1.5, 1.1 and 0.6: round by round, not of medians
close(row["burst"]["derived"], 0.96)
close(row["burst"]["tflops"], 2 * 4096**3 / 0.1 * 1e-9)
assert row["burst"]["family"] == "cuBLASLt" and row["sustained"] is None and not row["burst"]["generated"]
assert (row["extents"], row["kind"], row["bound"]) == ("4096³", "NT", "tensor cores, power")

# What bounds a product.
of = lambda m, n, k, ms, variant="lines": results.bound({"M": m, "N": n, "K": k}, ms, variant)
assert of(16, 14336, 4096, 0.0316) == "memory"
assert of(1024, 1024, 1024, 0.0059) == "launch start, latency"
assert of(5000, 5000, 5000, 0.328) == "L2 (rows off cache lines), power"
assert of(4095, 4095, 4095, 0.2136, "repack") == "copies of the operands"
assert results.label({"Z": 16, "M": 2048, "N": 2048, "K": 2048, "layout": "nn", "epilogue": "residual"}) == ("16 × 2048³", "NN, residual")

# A loop in the text of lib/Schedule: a slot is used until the last warpgroup has read it.
printed = """# tilec x.mlir | tile-opt
# @k_0, bound by tensor
replicas 2
unit tensor
channel ch0 bytes 49168 shared
op load load issue 32 latency 1468 uses copy 768
op mma issue 544 latency 544 registers 128 uses tensor 512, smem 320
carried mma -> mma distance 1
through ch0 load -> mma
ii 1024
start load -2016 stage -2 order 0
start mma 0 stage 0 order 0
depth ch0 3
# @k_1, bound by issue
op mma issue 1 latency 1
"""
(loop,) = schedules.parse(printed)  # the second one has no schedule
assert (loop.name, loop.bound, loop.ii, loop.replicas, loop.channels["ch0"].depth) == ("k_0", "tensor", 1024, 2, 3)
assert loop.operations["mma"].uses == {"tensor": 512, "smem": 320} and loop.operations["load"].load
assert schedules.residences(loop) == [("ch0", -2016, -548, 0, 1056)]

# Text is escaped, numbers are short.
picture = svg.Svg(10, 10, "a < b", "c")
picture.text(1.04, -0.01, "x & y")
assert "a &lt; b" in str(picture) and 'x="1" y="0"' in str(picture) and "x &amp; y" in str(picture)
print("checked")
