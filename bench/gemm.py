#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the matrix products of a kit with cuBLAS, all of cuBLASLt's algorithms and CUDA Tile, in one process.

  gemm.py [--kit DIR] [--set quick|default|full] [--filter PATTERN] [--budget SECONDS]
  gemm.py --list                # the rows and the kernels each would use; needs no GPU and no PyTorch

Rows are those of gemm_rows.json; a row takes every kernel of the kit that computes it (gemm_programs.py), and
every kernel is checked against fp32 before and after it is timed. Candidates are screened, the best of each kind
are timed in interleaved rounds, and the ratio is the median over the rounds of best peer's time / our time.
Prints markdown; with $OUT set, gemm.md, gemm.csv, gemm.json and gemm-screen.json (what screening chose; put it
into the kit's peer-kit folder and the next run need not screen) are written there after every row.
Exit code 1 if a kernel of ours was wrong, hung or crashed, or nothing was timed.
"""

import argparse
import contextlib
import gc
import json
import math
import os
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, "test", "GPU")]

import cuda_tile  # noqa: E402
import gemm_programs  # noqa: E402
import gemm_report  # noqa: E402
import run  # noqa: E402
import timing  # noqa: E402

SETS = ("quick", "default", "full")
HANG_S = 6.0 # the longest single wait is for a sustained run


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    in_kit = os.path.exists(os.path.join(ROOT, "kit.txt"))
    parser.add_argument("--kit", default=ROOT if in_kit else os.path.join(ROOT, "build", "gpu-kit"))
    parser.add_argument("--peer-kit", default="", help="cubins of cuda_tile_kit.py; default: peer-kit in the kit")
    parser.add_argument("--rows", default=os.path.join(HERE, "gemm_rows.json"))
    parser.add_argument("--set", default="default", choices=SETS)
    parser.add_argument("--filter", default="*", help="pattern of row names such as 'gemm-nt 4096*'; several with commas")
    parser.add_argument("--programs", default="*", help="pattern of our kernels, written example/kernel; several with commas")
    parser.add_argument("--variant", default="", help="time this variant instead of the one a launch would take")
    parser.add_argument("--no-dependent-launch", action="store_true", help="our launches begin when the one before has ended")
    parser.add_argument("--no-places", action="store_true", help="clusters of our launches have the numbers that the hardware gives them")
    parser.add_argument("--budget", type=float, default=360, help="seconds for everything; a row that would not fit is not begun")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sustained", type=int, default=3, help="sustained measurements of each candidate; 0 for none")
    parser.add_argument("--ours", type=int, default=2, help="how many of our kernels are timed, after screening")
    parser.add_argument("--algorithms", type=int, default=32, help="how many of cuBLASLt's algorithms are screened")
    parser.add_argument("--quick", action="store_true", help="--set quick --rounds 3 --sustained 0 --algorithms 8")
    parser.add_argument("--torch-compile", action="store_true", help="a peer more for epilogues (compiling takes seconds)")
    parser.add_argument("--peers", action="store_true", help="time rows too for which the kit has no kernel")
    parser.add_argument("--list", "--dry", action="store_true", dest="list")
    parser.add_argument("--cpu", action="store_true", help="CPU artifacts, no GPU: tests the scripts, measures nothing")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.quick:
        options.set, options.rounds, options.sustained, options.algorithms = "quick", 3, 0, 8
    options.peer_kit = options.peer_kit or os.path.join(options.kit, "peer-kit")
    options.rounds, options.group_timeout = max(1, options.rounds), 90.0
    return options


# ---------------------------------------------------------------- rows


def load_rows(options):
    with open(options.rows) as file:
        data = json.load(file)
    rows = []
    for entry in data["rows"]:
        if SETS.index(entry.get("set", "default")) > SETS.index(options.set):
            continue
        for shape in entry["shapes"]:
            for layout in entry["layouts"]:
                sizes = dict(zip("ZMNK" if len(shape) == 4 else "MNK", shape))
                name = f"{entry['name']}-{layout} " + "x".join(map(str, shape))
                if run.matches(name, options.filter):
                    row = {key: value for key, value in entry.items() if key not in ("layouts", "shapes", "set")}
                    row.update(sizes, name=name, layout=layout, element=entry.get("element", "bf16"), epilogue=entry.get("epilogue", ""))
                    rows.append({**row, "cost": cost(row, options)})
    return rows


def cost(row, options, ours=math.inf):
    """An estimate of the seconds that a row takes if the kit has so many kernels for it. A row is not begun if less time is left."""
    ms = 2e-9 * max(1, row.get("Z", 0)) * row["M"] * row["N"] * row["K"] / 600 + 0.005
    candidates = min(options.ours, ours) + 3 + bool(row.get("plain"))
    burst = 0.06 + 1e-3 * max(4.0, 2 * ms)
    screening = 1e-3 * (options.algorithms + 12 + (0 if math.isinf(ours) else 2 * ours)) * (10 + max(3.0, 4 * ms))
    sustained = options.sustained * min(4, candidates) * 0.75 if row.get("sustained") else 0
    return round(1.5 + screening + (options.rounds + 3) * candidates * burst + sustained, 1)


def programs_for(programs, row, pattern="*"):
    kind = (row["layout"], row["element"], row["element"], row["epilogue"], bool(row.get("Z")))
    return [p for p in programs if p.kind() == kind and run.matches(p.name, pattern) and fits(p, row)]


def fits(program, row):
    """The sizes that are fixed in the contract."""
    letters = {"A": "MK" if row["layout"][0] == "n" else "KM", "B": "KN" if row["layout"][1] == "n" else "NK", "C": "MN", "residual": "MN",
               "bias": "N", "colscale": "N", "rowscale": "M"}
    for argument, role in zip(program.contract["args"], program.roles):
        if role in letters:
            wanted = letters[role] if not program.batched or len(letters[role]) == 1 else "Z" + letters[role]
            if any(isinstance(extent, int) and extent != row[letter] for extent, letter in zip(argument["shape"], wanted)):
                return False
    return True


def list_rows(options, rows):
    programs, others = gemm_programs.load(options.kit, ".so" if options.cpu else ".cubin")
    entries = cuda_tile.manifest(options.peer_kit)
    for row in rows:
        ours = [p.name for p in programs_for(programs, row, options.programs)]
        tiles = [entry["name"] for entry in cuda_tile.entries_for(entries, row)]
        print(f"{row['name']}: {row['element']}{' + ' + row['epilogue'] if row['epilogue'] else ''}, bar {row.get('bar', 1.0)}, "
              f"burst{', sustained' if row.get('sustained') and options.sustained else ''}, about {row['cost']} s")
        print("  ours:      " + (", ".join(ours) or "none"))
        print("  CUDA Tile: " + (f"{len(tiles)}, {tiles[0]} …" if tiles else "none"))
    for name, reason in others.items():
        print(f"not compared: {name}: {reason}")
    print(f"{len(rows)} rows, about {sum(row['cost'] for row in rows):.0f} s of {options.budget:.0f} s")


# ---------------------------------------------------------------- the process that measures


class Guard(threading.Thread):
    """Ends the process if the device does not answer, even if the host does not return from a launch."""

    def __init__(self):
        super().__init__(daemon=True)
        self.name_of_call, self.limit = "", math.inf
        self.start()

    def run(self):
        while True:
            time.sleep(0.2)
            if time.monotonic() > self.limit:
                timing.say(dead=1, culprit=self.name_of_call, error=f"hangs: no end after {HANG_S:g} s")
                os._exit(99)

    @contextlib.contextmanager
    def watch(self, name):
        self.name_of_call, self.limit = name, time.monotonic() + HANG_S
        try:
            yield
        finally:
            self.limit = math.inf


class Bench:
    def __init__(self, options):
        import gemm_work
        import tessera
        self.options, self.tessera, self.work_module = options, tessera, gemm_work
        timing.HANG_S, timing.SUSTAINED_IDLE_S = 2 * HANG_S, 0.055 # the guard prints its message first
        self.device = timing.Cpu() if options.cpu else timing.Gpu()
        self.guard = Guard()
        runtime = os.path.join(options.kit, "libtessera_runtime.so")
        tessera.library(runtime if os.path.exists(runtime) else None)
        self.programs, _ = gemm_programs.load(options.kit, ".so" if options.cpu else ".cubin")
        self.entries, self.driver, self.cublaslt, self.modules = cuda_tile.manifest(options.peer_kit), None, None, {}
        self.versions = self.device.describe()
        if not options.cpu:
            import cublaslt
            self.cublaslt = cublaslt
            self.versions["cublaslt"] = cublaslt.version()
            self.driver = cuda_tile.Driver(options.peer_kit) if self.entries else None
        self.chosen = self.read_screen()

    def read_screen(self):
        path = os.path.join(self.options.peer_kit, "gemm-screen.json")
        if not os.path.exists(path):
            return {}
        with open(path) as file:
            data = json.load(file)
        return data["rows"] if data["versions"] == self.versions else {}

    def module(self, path):
        if path not in self.modules:
            module = self.tessera.Module(path)
            module.prepare()
            module.set_dependent_launch(not self.options.no_dependent_launch)
            module.set_places(not self.options.no_places)
            self.modules[path] = module
        return self.modules[path]

    # Candidates.

    def ours(self, work, row, notes, role="tessera"):
        for program in programs_for(self.programs, row, self.options.programs):
            try:
                module = self.module(program.path)
            except self.tessera.Error as error:
                notes.append({"name": program.name, "text": f"does not load: {error}"[:300], "bad": True})
                continue
            try:
                kernel = module.kernel(program.contract["name"])
                kernel.force_variant(self.options.variant or None)
                launches = [kernel.prepare(*(1.0 if name in gemm_programs.SCALARS else s[name] for name in program.roles)) for s in work.sets]
                number, count = launches[0].variant(), len(launches)
            except self.tessera.Error as error:
                notes.append({"name": program.name, "text": str(error)[:300], "bad": False})
                continue
            found = timing.Candidate(program.name, lambda i, launches=launches, count=count: launches[i % count](), role)
            found.facts = {"variant": kernel.variants[number]}
            found.derived = gemm_programs.is_derived(program)
            if not self.options.cpu:
                resources = kernel.resources(number)
                found.facts.update(registers=max(r["registers"] for r in resources), local_bytes=max(r["local_bytes"] for r in resources),
                                   shared=max(r["shared"] for r in resources), threads=max(r["threads"] for r in resources))
            yield found

    def torch_peers(self, work, notes):
        calls = work.torch_peers()
        for name, call in (work.compiled_peers() if self.options.torch_compile else {}).items():
            try:
                timing.say(begin=name)
                call(work.sets[0]) # this compiles, so no time limit applies
                calls[name] = call
            except Exception as error:
                notes.append({"name": name, "text": str(error)[:300], "bad": False})
        count = len(work.sets)
        return [timing.Candidate(name, lambda i, call=call: call(work.sets[i % count]), "peer") for name, call in calls.items()]

    def cublaslt_peers(self, work, row, notes):
        try:
            product = self.cublaslt.Product(work)
            saved = self.chosen.get(row["name"], {}).get("cublaslt")
            algorithms = [bytes.fromhex(saved)] if saved else product.algorithms(self.options.algorithms)
        except self.cublaslt.Error as error:
            notes.append({"name": "cuBLASLt", "text": str(error), "bad": False})
            return
        for number, algorithm in enumerate(algorithms):
            candidate = timing.Candidate(f"cuBLASLt #{number}" if not saved else "cuBLASLt (chosen before)", product.launcher(algorithm), "peer")
            candidate.saved = {"cublaslt": algorithm.hex()}
            yield candidate

    def cuda_tile_peers(self, work, row, skip, notes):
        saved = self.chosen.get(row["name"], {}).get("cuda_tile")
        for entry in cuda_tile.entries_for(self.entries, row):
            name = "CUDA Tile " + entry["name"]
            if name in skip or saved and entry["name"] != saved:
                continue
            timing.say(begin=name)
            # Whether the grid counts tiles or CTAs where a tile takes a cluster: what gives the right result.
            for factor in (1,) if entry["ctas"] == 1 else (1, entry["ctas"]):
                try:
                    candidate = timing.Candidate(name, self.driver.launcher(entry, work, factor), "peer")
                    self.check(candidate, work)
                except (cuda_tile.Error, RuntimeError) as error:
                    self.exit_if_dead(name, error)
                    problem = str(error)
                    continue
                problem = None if candidate.error <= self.work_module.FROBENIUS else f"relative error {candidate.error:.3g}"
                if problem is None:
                    candidate.saved = {"cuda_tile": entry["name"]}
                    candidate.facts = {"registers": entry["registers"], "local_bytes": entry["stack"]}
                    yield candidate
                    break
            if problem:
                notes.append({"name": name, "text": problem[:300], "bad": False})

    # Checking and screening.

    def check(self, candidate, work):
        """Runs the candidate on poisoned output. Its exceptions are not caught."""
        first = work.sets[0]
        first["C"].fill_(float("nan"))
        with self.guard.watch(candidate.name):
            result = candidate.call(0)
            self.device.wait(candidate.name)
        candidate.error, candidate.worst = work.judge(result if hasattr(result, "shape") else first["C"])

    def sound(self, candidate, work, notes, when=""):
        """Whether the candidate runs and is correct; if not, with a note. For ours, a single element beyond the rounding error is wrong."""
        timing.say(begin=candidate.name)
        try:
            self.check(candidate, work)
        except Exception as error:
            self.exit_if_dead(candidate.name, error)
            notes.append({"name": candidate.name, "text": str(error)[:300], "bad": candidate.role != "peer"})
            return False
        right = candidate.error <= self.work_module.FROBENIUS and (candidate.role == "peer" or candidate.worst <= 1)
        if not right:
            text = f"wrong result{when}: relative error {candidate.error:.3g}, worst element {candidate.worst:.3g} times what is allowed"
            notes.append({"name": candidate.name, "text": text, "bad": candidate.role != "peer"})
        return right

    def exit_if_dead(self, name, error):
        """Raises an error after a fault of the device, because nothing can run in this process any more."""
        if self.device.is_dead():
            timing.say(dead=1, culprit=name, error=str(error)[:300])
            os._exit(98)

    def screen(self, candidates, keep, notes):
        """The fastest of many candidates: short bursts of all, then longer bursts of the best. Candidates that fail to launch are left out."""
        candidates = list(candidates)
        if len(candidates) <= keep:
            return candidates
        for ms, rounds, left in ((1.5, 1, max(keep + 2, 4)), (4.0, 2, keep)):
            times = []
            for candidate in candidates:
                timing.say(begin=candidate.name)
                try:
                    times.append((min(self.short_burst(candidate, ms) for _ in range(rounds)), len(times), candidate))
                except Exception as error:
                    self.exit_if_dead(candidate.name, error)
                    if candidate.role != "peer":
                        notes.append({"name": candidate.name, "text": str(error)[:300], "bad": True})
            for ms, _, candidate in times:
                candidate.screened = ms
            candidates = [candidate for _, _, candidate in sorted(times)[:left]]
        return candidates

    def short_burst(self, candidate, ms):
        with self.guard.watch(candidate.name):
            total, host = self.device.measure(candidate.name, candidate.call, 2, 50)
            count = min(max(2, math.ceil(ms / max(1e-4, total / 2))), timing.QUEUE)
            time.sleep(0.01 if self.device.name == "cuda" else 0)
            total, _ = self.device.measure(candidate.name, candidate.call, count, 50 + 1.3 * host * count)
        return total / count

    # One row.

    def candidates(self, work, row, skip, notes):
        keep = lambda group: [candidate for candidate in group if candidate.name not in skip]
        ours = [c for c in keep(self.ours(work, row, notes)) if self.sound(c, work, notes)]
        plain = []
        if row.get("plain"):
            bare = {**row, "epilogue": ""}
            plain = [c for c in keep(self.ours(work, bare, notes, "plain")) if self.sound_plain(c, work, notes)]
        peers = keep(self.torch_peers(work, notes))
        # A family of candidates that has ended two processes would end more of them.
        usable = lambda family: sum(name.startswith(family) for name in skip) < 2 and family not in skip
        if self.cublaslt and usable("cuBLASLt"):
            timing.say(begin="cuBLASLt")
            peers += self.screen(keep(self.cublaslt_peers(work, row, notes)), 1, notes)
        if self.driver and usable("CUDA Tile"):
            peers += self.screen(self.cuda_tile_peers(work, row, skip, notes), 1, notes)
        peers = [c for c in peers if self.sound(c, work, notes)]
        self.everyone = ours + plain
        chosen = self.screen(ours, self.options.ours, notes)
        if not any(c.derived for c in chosen):
            chosen += self.screen([c for c in ours if c.derived], 1, notes)
        return chosen + self.screen(plain, 1, notes) + peers

    def sound_plain(self, candidate, work, notes):
        """Our product without the epilogue, for comparison: it has another reference."""
        whole, s = work.reference, work.sets[0]
        work.reference = self.work_module.reference(work.a(s), work.b(s))
        right = self.sound(candidate, work, notes)
        work.reference = whole
        return right

    def run(self, row, skip):
        began, notes = time.monotonic(), [{"name": name, "text": text, "bad": not is_peer(name)} for name, text in skip.items()]
        work = self.work_module.Work(row, self.device.name)
        self.device.wait("inputs")
        made = time.monotonic()
        candidates = self.candidates(work, row, skip, notes)
        for candidate in candidates:
            self.guarded(candidate)
            candidate.estimate(self.device, len(work.sets))
        screened = time.monotonic()
        timing.interleave(self.device, candidates, self.options.rounds, 0)
        if row.get("sustained") and self.options.sustained:
            timing.interleave(self.device, gemm_report.finalists(candidates), 0, self.options.sustained)
        for candidate in candidates:
            if candidate.role == "tessera" and not self.sound(candidate, work, notes, " after timing"):
                candidate.burst.clear()
                candidate.sustained.clear()
        seconds = {"inputs": made - began, "screening": screened - made, "timing": time.monotonic() - screened}
        screened = {c.name: c.screened for c in self.everyone if hasattr(c, "screened")}
        result = gemm_report.result(row, [c for c in candidates if c.burst], notes, work.flops, seconds, screened)
        del work, candidates
        self.everyone = []
        gc.collect() # watched candidates are in a cycle of references and hold the operands
        if not self.options.cpu:
            self.device.torch.cuda.empty_cache()
        return result

    def guarded(self, candidate):
        """From now on every timing of the candidate is watched."""
        def watched(inner):
            def outer(*arguments):
                timing.say(begin=candidate.name)
                with self.guard.watch(candidate.name):
                    inner(*arguments)
            return outer

        for name in ("estimate", "run_burst", "run_sustained"):
            setattr(candidate, name, watched(getattr(candidate, name)))


def is_peer(name):
    return name.startswith(("torch", "eager", "cuBLASLt", "CUDA Tile")) or "/" not in name


def worker(options):
    bench = Bench(options)
    timing.say(ready=1, **bench.versions)
    for line in sys.stdin:
        task = json.loads(line)
        try:
            timing.say(result=bench.run(task["group"], task["skip"]))
        except Exception as error:
            import traceback
            traceback.print_exc()
            timing.say(failed=f"{type(error).__name__}: {error}"[:400])
            if bench.device.is_dead():
                os._exit(97)


# ---------------------------------------------------------------- the process that supervises


def main():
    options = parse_options()
    rows = load_rows(options)
    if options.list:
        list_rows(options, rows)
        return 0
    if options.worker:
        return worker(options)
    programs, _ = gemm_programs.load(options.kit, ".so" if options.cpu else ".cubin")
    missing = [row["name"] for row in rows if not programs_for(programs, row, options.programs)]
    if missing and not options.peers:
        print("No kernel of the kit computes: " + ", ".join(missing), file=sys.stderr, flush=True)
        rows = [row for row in rows if row["name"] not in missing]
    for row in rows:  # the number of kernels to time is known now, so the cost can be estimated better
        row["cost"] = cost(row, options, len(programs_for(programs, row, options.programs)))
    told, out = {}, os.environ.get("OUT")
    try:
        smi = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.sm,power.draw,temperature.gpu", "--format=csv,noheader"],
                             capture_output=True, text=True, timeout=20)
        told["nvidia-smi"] = smi.stdout.strip().replace(", ", " ")
    except (OSError, subprocess.TimeoutExpired):
        pass
    write = lambda results: gemm_report.write(out, results, told, vars(options)) if out else None
    results = run.run_groups(options, rows, told, run.Worker(os.path.abspath(__file__)), write)
    print("\n".join(gemm_report.markdown(results, told)), flush=True)
    write(results)
    bad = any(note["bad"] for result in results for note in result["notes"])
    timed = any(line["role"] == "tessera" for result in results for line in result["rows"])
    return 1 if bad or not timed else 0


if __name__ == "__main__":
    sys.exit(main())
