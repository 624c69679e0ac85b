# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The measurements in bench/results: makes them from the files of a run, and the tables and charts of docs/Performance.md from them.

A run of bench/gemm.py and of bench/run.py leaves a gemm.json and a bench.json of several hundred kilobytes. `reduced` keeps of them what the
tables need: for each row and candidate the milliseconds of every round. Ratios and intervals are computed from those, never stored.
"""

import json
import os
import re
from types import SimpleNamespace

import gemm_report
import timing

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(os.path.dirname(HERE), "examples")
SMS = 132
READ_TB_S = 4.53  # the most that the memory of the chip delivers

# The rows of the table of other kernels: name, group of bench/run.py, our kernel, its peers.
KERNELS = [("vector add, f32", "add f32 8192x8192", "vector_add", "*"), ("GELU, tanh form", "gelu 8192x8192", "gelu_tanh", "torch gelu tanh"),
           ("GELU, erf form", "gelu 8192x8192", "gelu_erf", "torch gelu|Triton gelu"), ("softmax, f32", "softmax f32 8192x8192", "softmax_8192", "*"),
           ("softmax, f32, short rows", "softmax f32 65536x1024", "softmax_1024", "*"), ("softmax, bf16", "softmax 8192x8192", "softmax_bf16", "*"),
           ("transpose, f32", "transpose f32 8192x8192", "transpose", "*"), ("RMS norm", "rms_norm 8192x8192", "rms_norm", "*"),
           ("layer norm", "layer_norm 8192x8192", "layer_norm", "*"), ("column sum", "column sum 16384x8192", "column_sum", "*"),
           ("attention, D = 128", "attention 4x16x4096", "attention", "*"), ("causal attention, D = 128", "attention causal 4x16x4096", "attention_causal", "*")]


# ---------------------------------------------------------------- from a run to bench/results


def _short(value):
    """Rounds to seven digits, which are more than a timer has."""
    return float(f"{value:.7g}") if isinstance(value, float) else value


def _derived(line):
    """'example': a file of examples/, whose plan is derived; 'generated': a product without a plan, with another tile; '': its plan was given, or it is a peer."""
    stem = line["name"].split("/")[0]
    if line["role"] != "tessera":
        return ""
    if os.path.exists(os.path.join(EXAMPLES, stem + ".mlir")):
        return "example"
    return "generated" if re.search(r"-\d+x\d+x\d+t?$", stem) else ""


def _candidate(line, burst, sustained):
    kept = {"name": line["name"], "role": line["role"], "derived": _derived(line), "variant": line.get("variant"), "registers": line.get("registers"),
            "error": _short(line["error"]), "burst_ms": [_short(ms) for ms in line[burst]], "sustained_ms": [_short(ms) for ms in line[sustained]]}
    return {key: value for key, value in kept.items() if value not in ("", None, [])}


def reduced(kind, run, made):
    """The part that is kept of the gemm.json ('gemm') or bench.json ('bench') of a run."""
    options = {key: run["options"][key] for key in ("rounds", "sustained", "budget")}
    made = {**made, "device": {key: value for key, value in run["device"].items() if key != "ready"}, "options": options}
    burst, sustained = ("burst_ms", "sustained_ms") if kind == "gemm" else ("bursts_ms", "sustained_all_ms")
    rows = []
    for record in run["results"]:
        row = {"group": record["group"], "candidates": [_candidate(line, burst, sustained) for line in record["rows"] if line.get(burst)]}
        if kind == "gemm":
            row["shape"] = {key: value for key, value in record["row"].items() if key not in ("name", "sustained", "cost", "plain")}
        else:
            # All candidates of a group do the same work, which is rate times time.
            line = next(line for line in record["rows"] if line.get(burst))
            row["unit"], row["work"] = line["unit"], _short(line["burst"] * line["burst_ms"])
        rows.append(row)
    return {"made": made, "rows": rows}


def text(data):
    """Writes one candidate per line, so that the diff of a new run can be read."""
    lines = []
    for row in data["rows"]:
        head = json.dumps({key: value for key, value in row.items() if key != "candidates"}, ensure_ascii=False)[:-1]
        lines.append(" " + head + ', "candidates": [\n  ' + ",\n  ".join(json.dumps(c, ensure_ascii=False) for c in row["candidates"]) + "]}")
    return '{"made": ' + json.dumps(data["made"], ensure_ascii=False) + ',\n"rows": [\n' + ",\n".join(lines) + "\n]}\n"


# ---------------------------------------------------------------- from bench/results to rows of tables


def _candidates(row):
    """The rounds in the form that gemm_report.compare takes."""
    kinds = {c.get("derived") for c in row["candidates"]}
    counted = "example" if "example" in kinds else "generated"
    return [SimpleNamespace(name=c["name"], role=c["role"], burst=c.get("burst_ms", []), sustained=c.get("sustained_ms", []), variant=c.get("variant", ""),
                            derived=c.get("derived") == counted, how=c.get("derived", "")) for c in row["candidates"]]


def family(peer):
    """The name of a peer in a table."""
    for start, name in (("torch.", "cuBLAS"), ("cuBLASLt", "cuBLASLt"), ("CUDA Tile", "CUDA Tile"), ("eager", "PyTorch eager")):
        if peer.startswith(start):
            return name
    return peer


def label(shape):
    """(extents, the other properties of the product)"""
    m, n, k = shape["M"], shape["N"], shape["K"]
    extents = f"{m}³" if m == n == k else f"{m}×{n}×{k}"
    extents = f"{shape['Z']} × {extents}" if shape.get("Z") else extents
    epilogue = {"": "", "bias+gelu": ", bias + GELU", "residual": ", residual"}.get(shape["epilogue"], ", " + shape["epilogue"])
    return extents, shape["layout"].upper() + epilogue


def bound(shape, ms, variant):
    """What limits a product: rules that follow the measurements in docs/performance/experiments.md ("What bounds which row").

    Operands whose rows TMA cannot fetch are copied first (variant repack). Then memory, if the arrays read and written once at the speed of memory
    take two thirds of the time. One wave of 128x256 output tiles or less is mostly the start of a launch. Rows that are no multiple of 64 elements
    straddle the cache lines of L2. Everything else keeps the tensor cores busy, at the clock that the power limit of the chip leaves.
    """
    m, n, k, z = shape["M"], shape["N"], shape["K"], shape.get("Z") or 1
    if (variant or "").split("/")[-1] == "repack": # of a family: BM=128,…/repack
        return "copies of the operands"
    if 2 * z * (m * k + k * n + m * n) / READ_TB_S * 1e-9 > 0.66 * ms:
        return "memory"
    waves = z * -(-m // 128) * -(-n // 256) / SMS
    if waves <= 1:
        return "launch start, latency"
    return "L2 (rows off cache lines), power" if k % 64 or n % 64 else "tensor cores, power"


def gemm_rows(data):
    """A row for each shape: [{extents, kind, bound, burst: {...}, sustained: {...} or None}]"""
    rows = []
    for row in data["rows"]:
        candidates, shape = _candidates(row), row["shape"]
        flops = 2.0 * (shape.get("Z") or 1) * shape["M"] * shape["N"] * shape["K"]
        extents, kind = label(shape)
        found = {"group": row["group"], "extents": extents, "kind": kind}
        for protocol in gemm_report.PROTOCOLS:
            compared = gemm_report.compare(candidates, protocol, shape.get("bar", 1.0))
            if compared:
                own = next(c for c in candidates if c.name == compared["ours"])
                ms = timing.median(getattr(own, protocol))
                hows = {c.how for c in candidates if c.derived}
                compared.update(tflops=flops / ms * 1e-9, ms=ms, family=family(compared["peer"]), derived=compared["versus"].get("derived"),
                                generated="generated" in hows, variant=own.variant)
            found[protocol] = compared
        found["bound"] = bound(shape, found["burst"]["ms"], found["burst"]["variant"])
        rows.append(found)
    return rows


def kernel_rows(data):
    """A row for each of KERNELS: rates and ratios, against the fastest peer and against the faster copy."""
    rows = []
    for name, group, ours, peers in KERNELS:
        row = next((row for row in data["rows"] if row["group"] == group), None)
        if not row:
            continue
        everything = {c["name"]: c for c in row["candidates"]}
        own = next(c for c in row["candidates"] if c["role"] == "tessera" and c["name"].endswith("/" + ours))
        rivals = [c for c in row["candidates"] if c["role"] == "peer" and (peers == "*" or c["name"] in peers.split("|"))]
        ceilings = [c for c in row["candidates"] if c["role"] == "ceiling"]
        fastest = lambda group, key: min((c for c in group if c.get(key)), key=lambda c: timing.median(c[key]), default=None)
        found = {"name": name, "shape": re.sub(r"(?<=\d)x(?=\d)", "×", group.split()[-1]), "unit": row["unit"]}
        for protocol in gemm_report.PROTOCOLS:
            key = protocol + "_ms"
            rate = lambda c: row["work"] / timing.median(c[key]) if c and c.get(key) else None
            peer, ceiling = fastest(rivals, key), fastest(ceilings, key)
            ratios = timing.ratios(own[key], everything[peer["name"]][key])
            low, high = timing.bootstrap(ratios)
            found[protocol] = {"rate": rate(own), "peer": peer["name"], "peer_rate": rate(peer), "ceiling": rate(ceiling), "ratio": timing.median(ratios),
                               "low": low, "high": high, "of_copy": rate(own) / rate(ceiling) if ceiling else None}
        rows.append(found)
    return rows


def load(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file) if name.endswith(".json") else file.read()
