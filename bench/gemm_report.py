# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports what bench/gemm.py has measured: ratios with intervals, tables, files."""

import csv
import json
import os

import timing

PROTOCOLS = ("burst", "sustained")
PEERS = {"cuBLAS": ("torch", "eager"), "cuBLASLt": ("cuBLASLt",), "CUDA Tile": ("CUDA Tile",)}
FACTS = {"variant": "{}", "registers": "{} registers", "local_bytes": "{} B local"}
ALLOWANCE = 0.995  # two equal kernels differ by half a percent from run to run


def finalists(candidates):
    """The candidates for a sustained measurement: our best one (two if they are close), the peers close to the best one, and
    CUDA Tile, with which we are compared separately."""
    chosen = []
    for role, most, margin in (("tessera", 2, 1.015), ("peer", 4, 1.05)):
        group = sorted((c for c in candidates if c.role == role), key=lambda c: timing.median(c.burst))
        chosen += [c for c in group[:most] if timing.median(c.burst) <= margin * timing.median(group[0].burst)]
    tiles = fastest([c for c in candidates if c.role == "peer" and c.name.startswith("CUDA Tile")], "burst")
    return chosen + [tiles] * (tiles is not None and tiles not in chosen)


def fastest(candidates, protocol):
    timed = [c for c in candidates if getattr(c, protocol)]
    return min(timed, key=lambda c: timing.median(getattr(c, protocol)), default=None)


def compare(candidates, protocol, bar):
    """Compares our fastest kernel with the fastest peer, round by round; None if one of them is missing."""
    ours = fastest([c for c in candidates if c.role == "tessera"], protocol)
    peer = fastest([c for c in candidates if c.role == "peer"], protocol)
    if not ours or not peer:
        return None
    against = lambda other: timing.ratios(getattr(ours, protocol), getattr(other, protocol))
    found = against(peer)
    low, high = timing.bootstrap(found)
    versus = {}
    for family, words in PEERS.items():
        other = fastest([c for c in candidates if c.role == "peer" and c.name.startswith(words)], protocol)
        if other:
            versus[family] = timing.median(against(other))
    plain = fastest([c for c in candidates if c.role == "plain"], protocol)
    if plain:
        versus["plain"] = timing.median(against(plain))
    derived = fastest([c for c in candidates if c.role == "tessera" and getattr(c, "derived", False)], protocol)
    if derived:
        versus["derived"] = timing.median(timing.ratios(getattr(derived, protocol), getattr(peer, protocol)))
    ratio = timing.median(found)
    return {"ours": ours.name, "peer": peer.name, "ratio": ratio, "low": low, "high": high, "min": min(found), "max": max(found),
            "rounds": found, "bar": bar, "pass": ratio >= ALLOWANCE * bar, "versus": versus}


def result(row, candidates, notes, flops, seconds, screened=None):
    """The record of a row, which is everything that the files hold. `screened`: milliseconds of our kernels in the last short burst of each."""
    lines = []
    for candidate in candidates:
        line = {"name": candidate.name, "role": candidate.role, "error": candidate.error, "worst": candidate.worst,
                "host_us": candidate.host_us, "saved": getattr(candidate, "saved", {}), **candidate.facts}
        for protocol in PROTOCOLS:
            times = getattr(candidate, protocol)
            ms = timing.median(times)
            line[protocol + "_ms"] = times
            line[protocol] = flops / ms * 1e-9 if ms else None
            line[protocol + "_us"] = 1e3 * ms if ms else None
        lines.append(line)
    comparisons = {protocol: compare(candidates, protocol, row.get("bar", 1.0)) for protocol in PROTOCOLS}
    return {"group": row["name"], "row": row, "rows": lines, "comparisons": comparisons, "notes": notes,
            "screened": {name: flops / ms * 1e-9 for name, ms in (screened or {}).items()},
            "seconds": {key: round(value, 2) for key, value in seconds.items()}}


def _number(value, digits=3):
    return "" if value is None else f"{value:.{digits}f}"


def markdown(results, told):
    lines = ["Device: " + ", ".join(f"{key} {value}" for key, value in told.items() if key != "ready"), "",
             "| row | protocol | ours | TFLOP/s | µs | of cuBLAS | of cuBLASLt | of CUDA Tile | of plain | plan derived | of best peer (95 %) | best peer | |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|---|"]
    passed = compared = 0
    for record in results:
        for protocol in PROTOCOLS:
            found = record.get("comparisons", {}).get(protocol)
            if not found:
                continue
            own = next(line for line in record["rows"] if line["name"] == found["ours"])
            compared, passed = compared + 1, passed + found["pass"]
            versus = [_number(found["versus"].get(family)) for family in (*PEERS, "plain", "derived")]
            lines.append("| " + " | ".join([record["group"], protocol, found["ours"], _number(own[protocol], 1), _number(own[protocol + "_us"], 1), *versus,
                                            f"**{found['ratio']:.3f}** ({found['low']:.3f}-{found['high']:.3f})", found["peer"],
                                            "pass" if found["pass"] else "BELOW"]) + " |")
    lines += ["", f"{passed} of {compared} comparisons at {ALLOWANCE} of their bar or better.", "",
              "| row | candidate | burst TFLOP/s | sustained | error | worst / allowed | facts |", "|---|---|---|---|---|---|---|"]
    for record in results:
        for line in sorted(record["rows"], key=lambda line: -line["burst"]):
            facts = ", ".join(template.format(line[key]) for key, template in FACTS.items() if line.get(key))
            lines.append("| " + " | ".join([record["group"], line["name"], _number(line["burst"], 1), _number(line["sustained"], 1), f"{line['error']:.2e}",
                                            f"{line['worst']:.2f}", facts]) + " |")
        timed = {line["name"] for line in record["rows"]}
        for name, rate in sorted(record.get("screened", {}).items(), key=lambda item: -item[1]):
            if name not in timed:
                lines.append(f"| {record['group']} | {name} | ({_number(rate, 1)}) | | | | screened only |")
        for note in record["notes"]:
            lines.append(f"| {record['group']} | {note['name']} | {'**FAILED** ' if note['bad'] else ''}{note['text']} | | | | |")
        if not any(line["role"] == "tessera" for line in record["rows"]) and not record["notes"]:
            lines.append(f"| {record['group']} | - | the kit has no kernel for it | | | | |")
    return lines


def write(folder, results, told, options):
    """gemm.md, gemm.csv, gemm.json, and what screening chose for the next run."""
    versions = {key: value for key, value in told.items() if key not in ("ready", "nvidia-smi")}
    chosen = {}
    for record in results:
        for line in record["rows"]:
            chosen.setdefault(record["group"], {}).update(line["saved"])
    contents = {"gemm.json": json.dumps({"device": told, "options": options, "results": results}, indent=1),
                "gemm-screen.json": json.dumps({"versions": versions, "rows": chosen}, indent=0),
                "gemm.md": "\n".join(markdown(results, told)) + "\n"}
    for name, text in contents.items():
        # The file is replaced in one step, so that a run that is stopped leaves the last complete file.
        with open(os.path.join(folder, name + ".part"), "w") as file:
            file.write(text)
        os.replace(file.name, os.path.join(folder, name))
    with open(os.path.join(folder, "gemm.csv"), "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["row", "candidate", "role", "burst_tflops", "sustained_tflops", "burst_us", "sustained_us", "error", "worst", "registers",
                       "best_ours_burst_ratio", "best_ours_sustained_ratio"])
        for record in results:
            found = record.get("comparisons", {})
            for line in record["rows"]:
                ratio = [found[p]["ratio"] if found.get(p) and found[p]["ours"] == line["name"] else "" for p in PROTOCOLS]
                rows.writerow([record["group"], line["name"], line["role"], line["burst"], line["sustained"], line["burst_us"], line["sustained_us"],
                               line["error"], line["worst"], line.get("registers", ""), *ratio])
