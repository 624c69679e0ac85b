# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gemm_checks.py BENCH: checks what bench/gemm.py decides without a GPU. Prints one line if nothing is wrong."""

import random
import sys
import types

sys.path.insert(0, sys.argv[1])
import cuda_tile  # noqa: E402
import gemm  # noqa: E402
import gemm_programs  # noqa: E402
import gemm_report  # noqa: E402
import run  # noqa: E402
import timing  # noqa: E402


def equal(found, wanted):
    if found != wanted:
        raise SystemExit(f"{found!r} instead of {wanted!r}")


# Ratios are taken round by round, so a disturbance of a whole round cancels.
equal(timing.ratios([1.0, 2.0, 4.0], [1.5, 3.0, 6.0]), [1.5, 1.5, 1.5])
equal(timing.bootstrap([]), (None, None))
equal(timing.bootstrap([1.0] * 7), (1.0, 1.0))
generator = random.Random(3)
covered = 0
for _ in range(100):
    low, high = timing.bootstrap([generator.gauss(1, 0.01) for _ in range(15)], resamples=300)
    covered += low <= 1 <= high
equal(covered >= 85, True)


def candidate(name, role, burst, sustained=()):
    found = timing.Candidate(name, None, role)
    found.burst, found.sustained, found.worst = list(burst), list(sustained), 0.5
    return found


slow, fast = candidate("gemm/slow", "tessera", [2.0, 2.2, 2.1]), candidate("gemm/fast", "tessera", [1.0, 1.2, 1.1], [1.3])
mm, lt = candidate("torch.mm (cuBLAS)", "peer", [1.1, 1.3, 1.2], [1.2]), candidate("cuBLASLt #3", "peer", [0.996, 1.1952, 1.0956])
tile = candidate("CUDA Tile x", "peer", [5.0, 5.0, 5.0])
everyone = [slow, fast, mm, lt, tile]
found = gemm_report.compare(everyone, "burst", 1.0)
equal((found["ours"], found["peer"], round(found["ratio"], 3), found["pass"]), ("gemm/fast", "cuBLASLt #3", 0.996, True))
equal(round(found["versus"]["cuBLAS"], 3), round(1.2 / 1.1, 3))
equal(gemm_report.compare(everyone, "burst", 1.02)["pass"], False)
equal(gemm_report.compare(everyone, "sustained", 1.0)["peer"], "torch.mm (cuBLAS)")
equal(gemm_report.compare([slow], "burst", 1.0), None)
equal([c.name for c in gemm_report.finalists([slow, fast, mm, candidate("x", "peer", [1.14, 1.24, 1.25]), tile])],
      ["gemm/fast", "torch.mm (cuBLAS)", "x", "CUDA Tile x"])
equal([c.name for c in gemm_report.finalists([fast, mm])], ["gemm/fast", "torch.mm (cuBLAS)"])
# What the compiler derives alone, compared with the best of all plans.
slow.derived = True
equal(round(gemm_report.compare(everyone, "burst", 1.0)["versus"]["derived"], 3), round(1.0956 / 2.1, 3))
equal("derived" in gemm_report.compare([fast, mm], "burst", 1.0)["versus"], False)
example = lambda path, name: type("Program", (), {"path": path, "example": name})
equal([gemm_programs.is_derived(example(*entry)) for entry in (
    ("kit/examples/gemm-nt.cubin", "gemm-nt"), ("kit/products/x.cubin", "gemm-nt-bf16-152x256x64"), ("kit/products/x.cubin", "gemm-nn-bf16-bias-192x128x64t"),
    ("kit/products/x.cubin", "gemm-nt-bf16-152x256x64-stages3"), ("kit/products/x.cubin", "gemm-nt-bf16-128x256x64k"))], [True, True, True, False, False])



# Screening keeps the fastest kernels, and the report has what it measured of the others.
class FakeBench(gemm.Bench):
    def __init__(self):
        pass

    def short_burst(self, candidate, ms):
        return candidate.ms


several = [candidate(f"gemm/{number}", "tessera", [number]) for number in range(1, 9)]
for one in several:
    one.ms = one.burst[0]
kept = FakeBench().screen(reversed(several), 2, [])
equal([c.name for c in kept], ["gemm/1", "gemm/2"])
equal([c.screened for c in several], [float(number) for number in range(1, 9)])
for one in kept:
    one.error = 0.0
told = gemm_report.result({"name": "row"}, kept, [], 2e9, {}, {c.name: c.screened for c in several})
equal([told["screened"]["gemm/1"], told["screened"]["gemm/8"]], [2.0, 0.25])
screened = [line for line in gemm_report.markdown([told], {}) if "screened only" in line]
equal(screened[0], "| row | gemm/3 | (0.7) | | | | screened only |")
equal(len(screened), 6)

# More of our kernels cost more; those that are not in the kit cost nothing.
sizes = {"M": 4096, "N": 4096, "K": 4096}
asked = types.SimpleNamespace(ours=30, algorithms=8, rounds=3, sustained=0)
equal(gemm.cost(sizes, asked, 2) < gemm.cost(sizes, asked, 30) < gemm.cost(sizes, asked, 60), True)
equal(gemm.cost(sizes, asked, 2) < gemm.cost(sizes, asked), True)

# What a contract states about a product.


def contract(a, b, c, extras=(), name="k", element="bf16"):
    array = lambda n, shape, access: {"name": n, "kind": "memref", "element": element, "shape": shape, "access": access}
    return {"name": name, "args": [array("x", a, "read"), array("y", b, "read"), *(array(n, s, "read") for n, s in extras), array("z", c, "write")]}


def classified(*arguments, example="gemm", **more):
    try:
        return gemm_programs.classify("p", example, contract(*arguments, **more)).kind()
    except gemm_programs.NoProduct as reason:
        return str(reason)


equal(classified(["M", "K"], ["N", "K"], ["M", "N"]), ("nt", "bf16", "bf16", "", False))
equal(classified(["K", "M"], ["K", "N"], ["M", "N"]), ("tn", "bf16", "bf16", "", False))
equal(classified(["Z", "K", "M"], ["Z", "N", "K"], ["Z", "M", "N"]), ("tt", "bf16", "bf16", "", True))
equal(classified([None, None], [None, None], [None, None], example="gemm-nt-64"), ("nt", "bf16", "bf16", "", False))
equal(classified([None, None], [None, None], [None, None]), "neither its contract nor its name says how A and B lie in memory")
extras = (("b", ["N"]), ("r", ["M", "N"]))
equal(classified(["M", "K"], ["K", "N"], ["M", "N"], extras, name="gemm_bias_gelu"), ("nn", "bf16", "bf16", "bias+gelu+residual", False))
equal(classified(["M", "K"], ["K", "N"], ["M", "N"], (("b", ["M"]),)), "argument b is neither a row of N numbers (rowscale: of M) nor an array like C")
scales = (("colscale", ["N"]), ("bias", ["N"]), ("rowscale", ["M"]))
equal(classified(["M", "K"], ["K", "N"], ["M", "N"], scales, name="gemm_silu"), ("nn", "bf16", "bf16", "rowscale+colscale+bias+silu", False))
equal(classified(["M", "K"], ["K", "N"], ["M", "N"], (("rowscale", ["N"]),)), "argument rowscale is neither a row of N numbers (rowscale: of M) nor an array like C")
equal(classified(["M", "K"], ["K", "N"], ["M", "N"], element="i8"), "elements i8, i8 and i8")
equal(gemm_programs.activation_of("gemm-gelu-erf"), "gelu_erf")

# Which cubins of CUDA Tile can compute on which arrays.
row = {"layout": "nt", "element": "bf16", "M": 4096, "N": 4096, "K": 4096}
entry = lambda facts, tile=(256, 256, 64), **more: {"name": facts, "kernel": "gemm", "layout": "nt", "element": "bf16", "facts": facts, "tile": tile, **more}
entries = [entry("any"), entry("whole"), entry("ragged"), entry("whole", (64, 64, 64)), entry("whole", layout="nn")]
names = lambda **sizes: [e["name"] for e in cuda_tile.entries_for(entries, {**row, **sizes})]
equal(names(), ["whole"])
equal(names(M=5000), ["ragged"])
equal(names(K=1001), ["any"])
equal(names(epilogue="bias"), [])
equal([e["tile"] for e in cuda_tile.entries_for(entries, {**row, "M": 16, "N": 512})], [(64, 64, 64)])


# The supervisor begins nothing for which there is no time, and leaves out what has ended the process twice.
class FakeWorker:
    def __init__(self):
        self.process, self.asked = None, []

    def start(self):
        self.process = 1
        return {"ready": 1}

    def stop(self):
        self.process = None

    def run(self, group, skip, timeout):
        self.asked.append((group["name"], sorted(skip)))
        if "bad" not in skip:
            self.stop()
            return {"culprit": "bad", "error": "hangs"}
        return {"result": {"group": group["name"], "rows": [], "notes": []}}


fake, after = FakeWorker(), []
options = types.SimpleNamespace(budget=60, group_timeout=5)
results = run.run_groups(options, [{"name": "a"}, {"name": "b"}, {"name": "c", "cost": 100}, {"name": "d"}], {}, fake, lambda r: after.append(len(r)))
equal(fake.asked, [("a", []), ("a", ["bad"]), ("b", []), ("b", ["bad"]), ("d", ["bad"])])
equal([note["text"] for result in results for note in result["notes"]], ["out of time"])
equal(after, [1, 2, 3, 4])
print("checked")
