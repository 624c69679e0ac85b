#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the charts of docs/Performance.md and writes its tables, from the measurements in bench/results.

  charts.py                                     write docs/images/*.svg and the tables between the markers of docs/Performance.md
  charts.py --check                             write nothing; say what differs from the results
  charts.py --reduce FOLDER --commit C --date D   first replace bench/results/{gemm,bench}.json by the measurements of the run in FOLDER
  charts.py --schedules                         first let the compiler make bench/results/{iteration.txt,timeline.json} again (needs a build)

A table stands between `<!-- table: NAME -->` and `<!-- end -->`. The same results give the same bytes. Exit code 1 if --check finds a
difference, 2 if a file is missing or cannot be read.
"""

import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)

import gemm_report  # noqa: E402
import results  # noqa: E402
import schedules  # noqa: E402
import svg  # noqa: E402
import timelines  # noqa: E402

EXAMPLES = (("gemm-nt", "lines"), ("attention", "lines"))  # of iteration.txt
SIGN = {"burst": svg.BLUE, "sustained": svg.ORANGE, "derived": svg.GREEN}


# ---------------------------------------------------------------- tables


def interval(found):
    return f"{found['ratio']:.3f} ({found['low']:.3f}–{found['high']:.3f})"


def gemm_table(rows):
    lines = ["| M×N×K | layout | TFLOP/s: burst, sustained | best peer | ratio, burst | ratio, sustained | plan derived | bound by |",
             "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        burst, sustained = row["burst"], row["sustained"]
        peers = list(dict.fromkeys(found["family"] for found in (burst, sustained) if found))
        derived = f"{burst['derived']:.3f}" + ("†" if burst["generated"] else "") if burst["derived"] else "–"
        if sustained and sustained["derived"]:
            derived += f", {sustained['derived']:.3f}"
        rates = f"{burst['tflops']:.0f}" + (f", {sustained['tflops']:.0f}" if sustained else "")
        lines.append(f"| {row['extents']} | {row['kind']} | {rates} | {', '.join(peers)} | {interval(burst)} | {interval(sustained) if sustained else ''} "
                     f"| {derived} | {row['bound']} |")
    return lines


def summary(rows, made):
    compared = [found for row in rows for found in (row["burst"], row["sustained"]) if found]
    bursts = [row["burst"] for row in rows]
    count = lambda ratios, least: sum(ratio >= least for ratio in ratios)
    ratios, derived = [found["ratio"] for found in compared], [found["derived"] for found in bursts if found["derived"]]
    worst = min(compared, key=lambda found: found["ratio"])
    where = next(row for row in rows if worst in (row["burst"], row["sustained"]))
    return [f"Measured {made['date']} at commit {made['commit']} on one {made['device']['device']}: {len(rows)} shapes, {len(compared)} comparisons. Our best "
            f"program is at {gemm_report.ALLOWANCE} of the best peer or more in {count(ratios, gemm_report.ALLOWANCE)} of them, at 1.000 or more in "
            f"{count(ratios, 1.0)}; the lowest is {worst['ratio']:.3f} ({where['extents']} {where['kind']}). Of the {len(derived)} burst rows with a derived plan, "
            f"{count(derived, gemm_report.ALLOWANCE)} are at {gemm_report.ALLOWANCE} or more."]


def kernel_table(rows):
    lines = ["| kernel | shape | ours: burst, sustained | best peer | ratio, burst | ratio, sustained | of the copy ceiling |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        burst, sustained = row["burst"], row["sustained"]
        digits = 2 if row["unit"] == "TB/s" else 0
        rate = lambda value: f"{value:.{digits}f}"
        copy = f"{100 * burst['of_copy']:.0f} %" if burst["of_copy"] else ""
        lines.append(f"| {row['name']} | {row['shape']} | {rate(burst['rate'])}, {rate(sustained['rate'])} {row['unit']} | {burst['peer']}, "
                     f"{rate(burst['peer_rate'])} | {interval(burst)} | {sustained['ratio']:.3f} | {copy} |")
    return lines


def tables(gemm, bench):
    rows = results.gemm_rows(gemm)
    return {"summary": summary(rows, gemm["made"]), "gemm": gemm_table(rows), "kernels": kernel_table(results.kernel_rows(bench))}


def replaced(page, contents):
    """Returns the page with its tables. A marker without an end, or a table without a marker, is an error."""
    for name, lines in contents.items():
        page, times = re.subn(rf"(<!-- table: {name} -->\n).*?(<!-- end -->)", lambda m: m.group(1) + "\n".join(lines) + "\n" + m.group(2), page, flags=re.S)
        if times != 1:
            raise ValueError(f"the page has {times} tables '{name}', not one")
    return page


# ---------------------------------------------------------------- charts of measurements


def legend(picture, x, y, entries):
    for shape, colour, text in entries:
        if shape == "circle":
            picture.circle(x, y - 4, 4, colour)
        elif shape == "square":
            picture.square(x, y - 4, 3.5, svg.BACKGROUND, colour)
        elif shape == "diamond":
            picture.diamond(x, y - 4, 4.5, svg.BACKGROUND, colour)
        else:
            picture.rect(x - 5, y - 9, 10, 10, colour)
        picture.text(x + 10, y, text, fill=svg.MUTED)
        x += 24 + 6.6 * len(text)


def ratio_chart(rows, made):
    """One line for each shape: our rate divided by the best peer's in both protocols, with 95 % intervals, and the same for the derived plan."""
    left, right, top, step, low, high = 272, 64, 84, 24, 0.965, 1.065
    width, bottom = 900, top + step * len(rows)
    picture = svg.Svg(width, bottom + 40, "Matrix products: rate over the best peer's",
                      "For each shape the rate of our best kernel divided by that of the fastest of cuBLAS, cuBLASLt and CUDA Tile, in bursts and sustained, with 95 % "
                      "intervals, and the ratio of the kernel whose plan the compiler derived. The same numbers are in the table of docs/Performance.md.")
    at = lambda value: left + (value - low) / (high - low) * (width - left - right)
    picture.text(16, 26, "Matrix products: our rate over the best peer's", size=16, bold=True)
    picture.text(16, 44, f"bf16, {made['device']['device']}, {made['date']}, commit {made['commit']}; peers: cuBLAS, cuBLASLt, CUDA Tile", fill=svg.MUTED)
    legend(picture, 22, 66, [("circle", SIGN["burst"], "burst"), ("square", SIGN["sustained"], "sustained"),
                             ("diamond", SIGN["derived"], "plan derived by the compiler, burst")])
    picture.text(width - right + 8, 66, "burst", size=11, fill=svg.MUTED)
    for percent in range(97, 107):
        x = at(percent / 100)
        picture.line(x, top - 8, x, bottom, svg.TEXT if percent == 100 else svg.GRID, 1.5 if percent == 100 else 1)
        picture.text(x, bottom + 18, f"{percent / 100:.2f}", "middle", 11, svg.MUTED)
    for index, row in enumerate(rows):
        y = top + step * (index + 0.5)
        if index % 2:
            picture.rect(8, y - step / 2, width - 16, step, svg.TEXT, 0.03)
        picture.text(16, y + 4, row["extents"])
        picture.text(left - 12, y + 4, row["kind"], "end", 11, svg.MUTED)
        derived = row["burst"]["derived"]
        if derived and derived < low:
            picture.arrow(left - 2, y + 7, -1, SIGN["derived"])
            picture.text(left + 4, y + 11, f"{derived:.2f}", size=10, fill=SIGN["derived"])
        elif derived and derived <= high:
            picture.diamond(at(derived), y, 4.5, svg.BACKGROUND, SIGN["derived"])
        for protocol, offset in (("burst", -4), ("sustained", 5)):
            found = row[protocol]
            if found and found["ratio"] > high:
                picture.arrow(width - right - 6, y + offset, 1, SIGN[protocol])
            elif found:
                picture.whisker(at(max(found["low"], low)), at(min(found["high"], high)), y + offset, SIGN[protocol])
                if protocol == "burst":
                    picture.circle(at(found["ratio"]), y + offset, 4, SIGN[protocol])
                else:
                    picture.square(at(found["ratio"]), y + offset, 3.5, svg.BACKGROUND, SIGN[protocol])
        picture.text(width - right + 8, y + 4, f"{row['burst']['ratio']:.3f}", bold=row["burst"]["ratio"] < 1)
    picture.text(left, bottom + 34, "Whiskers: 95 % interval of the median ratio. Triangles: beyond the axis.", size=11, fill=svg.MUTED)
    return str(picture)


def memory_chart(rows, made):
    """Bars: rates of memory-bound kernels, ours and the best peer's, in percent of a copy of as many bytes."""
    rows = [row for row in rows if row["burst"]["ceiling"]]
    left, right, top, step = 190, 40, 84, 40
    width, bottom = 900, top + step * len(rows)
    picture = svg.Svg(width, bottom + 40, "Memory-bound kernels against a copy",
                      "For each memory-bound kernel our rate and the best peer's, in percent of the rate of the faster of two copies that move as many bytes. "
                      "The same numbers are in the table of docs/Performance.md.")
    at = lambda percent: left + percent / 110 * (width - left - right)
    picture.text(16, 26, "Memory-bound kernels: rate in percent of a copy of as many bytes", size=16, bold=True)
    picture.text(16, 44, f"{made['device']['device']}, {made['date']}, commit {made['commit']}, burst protocol; 100 % is the faster of copy_ and torch.mul", fill=svg.MUTED)
    legend(picture, 22, 66, [("bar", svg.BLUE, "ours"), ("bar", "#b4bac2", "best peer")])
    picture.text(width - 16, 66, "ours", "end", 11, svg.MUTED)
    for percent in range(0, 101, 20):
        picture.line(at(percent), top - 8, at(percent), bottom, svg.GRID)
        picture.text(at(percent), bottom + 18, f"{percent} %", "middle", 11, svg.MUTED)
    for index, row in enumerate(rows):
        y, burst = top + step * index, row["burst"]
        picture.text(16, y + 17, row["name"])
        picture.text(16, y + 31, row["shape"], size=11, fill=svg.MUTED)
        for offset, height, rate, colour, name, ink in ((6, 15, burst["rate"], svg.BLUE, f"{burst['rate']:.2f} TB/s", "#ffffff"),
                                                        (22, 11, burst["peer_rate"], "#b4bac2", f"{burst['peer']}, {burst['peer_rate']:.2f}", svg.TEXT)):
            picture.rect(left, y + offset, at(100 * rate / burst["ceiling"]) - left, height, colour, radius=2)
            picture.text(left + 6, y + offset + height - 3, name, size=11 if height == 15 else 10, fill=ink)
        picture.text(width - 16, y + 18, f"{100 * burst['of_copy']:.0f} %", "end", bold=True)
    picture.line(at(100), top - 8, at(100), bottom, svg.TEXT, 1.5)
    return str(picture)


# ---------------------------------------------------------------- the timeline of one iteration


COLOURS = {"load": svg.SKY, "mma": svg.BLUE, "function": svg.ORANGE}
UNITS = {"tensor": "tensor cores", "sfu": "special functions"}


def lanes_of(loop):
    """[(lane, [(begin, end, label, colour, opacity)])] of iteration 0."""
    colour = lambda name: COLOURS.get(name.rstrip("0123456789"), svg.GREEN)
    lanes = [("producer warp: issue", [(op.start, op.start + op.issue, "", colour(name), 1) for name, op in loop.operations.items() if op.load])]
    for channel, load, filled, read, end in schedules.residences(loop):
        sizes = f"{loop.channels[channel].depth} slots of {loop.channels[channel].bytes // 1024} KiB"
        lanes.append((f"{channel}: {sizes}", [(load, filled, "filling", svg.SKY, 1), (filled, read, "full", svg.YELLOW, 0.6), (read, end, "read", svg.BLUE, 1)]))
    for replica in range(loop.replicas):
        shift = replica * loop.ii // loop.replicas
        lanes.append((f"warpgroup {replica}: instructions", [(op.start + shift, op.start + shift + op.issue, name, colour(name), 1)
                                                             for name, op in loop.operations.items() if not op.load]))
    for unit, name in UNITS.items():
        bars = [(op.start + replica * loop.ii // loop.replicas, op.start + replica * loop.ii // loop.replicas + op.uses[unit], f"{key}, {replica}", colour(key), 1)
                for replica in range(loop.replicas) for key, op in loop.operations.items() if op.uses.get(unit)]
        if bars:
            lanes.append((name, bars))
    return lanes


def timeline(loop, title):
    """Iteration 0 in full colour, its neighbours pale: the schedule that cta-schedule prints for a loop, in cycles."""
    lanes = lanes_of(loop)
    slots = {i: loop.channels[name.split(":")[0]].depth for i, (name, _) in enumerate(lanes) if name.split(":")[0] in loop.channels}
    begin = min(bar[0] for _, bars in lanes for bar in bars)
    end = max(bar[1] for _, bars in lanes for bar in bars)
    left, top, width, bar_height, gap = 190, 84, 900, 20, 12
    scale = (width - left - 24) / (end - begin)
    at = lambda cycle: left + (cycle - begin) * scale
    height = top + sum((slots.get(i, 1)) * (bar_height + 2) + gap for i in range(len(lanes))) + 42
    picture = svg.Svg(width, height, title, f"The schedule of {loop.name}: an iteration every {loop.ii} cycles, bound by {loop.bound}. Full colours are one "
                      "iteration, pale ones its neighbours. Printed by cta-schedule; see bench/results/iteration.txt for the commands.")
    picture.text(16, 26, title, size=16, bold=True)
    picture.text(16, 44, f"One iteration every {loop.ii} cycles, bound by the {UNITS.get(loop.bound, loop.bound)}. Full colours: one iteration; pale: its neighbours.", fill=svg.MUTED)
    picture.text(16, 60, "The compiler's schedule (cta-schedule=print-problems), not a trace of the device.", fill=svg.MUTED)
    bottom = height - 34
    first = -(-begin // loop.ii)
    for k in range(first, end // loop.ii + 1):
        x = at(k * loop.ii)
        picture.line(x, top - 8, x, bottom, svg.MUTED if k in (0, 1) else svg.GRID, 1, "4 3")
        picture.text(x, bottom + 16, f"{k * loop.ii}", "middle", 11, svg.MUTED)
    picture.text(left, height - 6, "cycles", size=11, fill=svg.MUTED)
    y = top
    for index, (name, bars) in enumerate(lanes):
        depth = slots.get(index, 1)
        middle = y + depth * (bar_height + 2) / 2
        picture.text(left - 12, middle + 3, name, "end", 11)
        for k in sorted(range(-8, 9), key=lambda k: k == 0):
            for low, high, label, colour, opacity in bars:
                low, high = max(low + k * loop.ii, begin), min(high + k * loop.ii, end)
                if low >= high:
                    continue
                line = y + (k % depth) * (bar_height + 2)
                picture.rect(at(low), line, (high - low) * scale, bar_height, colour, opacity if k == 0 else 0.22 * opacity, svg.BACKGROUND)
                if k == 0 and label and (high - low) * scale > 6.2 * len(label):
                    picture.text(at((low + high) / 2), line + 14, label, "middle", 11, "#ffffff" if colour in (svg.BLUE, svg.GREEN, svg.ORANGE) else svg.TEXT)
        y += depth * (bar_height + 2) + gap
    return str(picture)


# ---------------------------------------------------------------- files


def pictures(gemm, bench, printed, traced):
    loops = {loop.name: loop for loop in reversed(schedules.parse(printed))}  # of several loops in a kernel, the innermost one, which is printed first
    return {"gemm-ratio.svg": ratio_chart(results.gemm_rows(gemm), gemm["made"]), "memory-bound.svg": memory_chart(results.kernel_rows(bench), bench["made"]),
            "iteration.svg": timeline(loops["gemm_nt_lines_0"], "One iteration of a matrix product (128×256×64, examples/gemm-nt.mlir)"),
            "attention-iteration.svg": timeline(loops["attention_lines_0"], "One iteration of attention (examples/attention.mlir)"),
            "timeline.svg": timelines.picture(traced)}


def outputs(options):
    """{path: contents} of everything this script writes by default."""
    read = lambda name: results.load(options.results, name)
    gemm, bench = read("gemm.json"), read("bench.json")
    page = os.path.join(options.docs, "Performance.md")
    with open(page, encoding="utf-8") as file:
        found = {page: replaced(file.read(), tables(gemm, bench))}
    found.update((os.path.join(options.docs, "images", name), text) for name, text in pictures(gemm, bench, read("iteration.txt"), read("timeline.json")).items())
    return found


def save(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def stale(path, text):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read() != text
    except FileNotFoundError:
        return True


def refresh(options):
    """Replaces the results if --reduce or --schedules asks for it."""
    for kind in ("gemm", "bench"):
        path = os.path.join(options.reduce or "", kind + ".json")
        if options.reduce and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                data = results.reduced(kind, json.load(file), {"date": options.date, "commit": options.commit})
            save(os.path.join(options.results, kind + ".json"), results.text(data))
    if options.schedules:
        texts = [schedules.record(options.build, ROOT, example, variant) for example, variant in EXAMPLES]
        save(os.path.join(options.results, "iteration.txt"), "\n".join(texts))
        save(os.path.join(options.results, "timeline.json"), timelines.record(options.build, ROOT))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a picture or a table is not as the results give it")
    parser.add_argument("--reduce", metavar="FOLDER", help="replace bench/results by what is kept of the gemm.json and bench.json in FOLDER; needs --commit and --date")
    parser.add_argument("--commit", help="of the kit that was measured")
    parser.add_argument("--date", help="of the run, YYYY-MM-DD")
    parser.add_argument("--schedules", action="store_true", help="make iteration.txt and timeline.json again, with tilec and tile-opt of --build")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", os.environ.get("TESSERA_PRESET", "dev")))
    parser.add_argument("--results", default=os.path.join(HERE, "results"), metavar="DIR")
    parser.add_argument("--docs", default=os.path.join(ROOT, "docs"), metavar="DIR")
    options = parser.parse_args()
    if options.reduce and not (options.commit and options.date):
        parser.error("--reduce needs --commit and --date: tables say what was measured, and when")
    if options.check and (options.reduce or options.schedules):
        parser.error("--check writes nothing: it goes with neither --reduce nor --schedules")
    try:
        refresh(options)
        found = outputs(options)
    except (OSError, ValueError, KeyError, StopIteration, subprocess.CalledProcessError) as error:
        print(f"charts.py: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    differing = [path for path, text in found.items() if stale(path, text)]
    for path in differing:
        if not options.check:
            save(path, found[path])
        print(("stale: " if options.check else "wrote ") + os.path.relpath(path, os.path.dirname(options.docs)))
    if options.check and differing:
        print("run bench/charts.py", file=sys.stderr)
        return 1
    print(f"{len(found)} files, {len(differing)} {'stale' if options.check else 'written'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
