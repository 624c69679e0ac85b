#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the kernels of a kit (scripts/gpu-kit.sh) and their peers. docs/Performance.md has the protocols.

  run.py [--kit DIR] [--filter PATTERN] [--budget SECONDS] ...

Every group (one kind of work at one shape) runs in one process: each kernel is checked against fp32 and
then timed, interleaved with the peers and with copies of the same number of bytes. A kernel that hangs
or crashes ends that process; the group starts again without it. Prints a markdown table; with $OUT set,
bench.md and bench.json are written there. Exit code 1 if a kernel was wrong, hung or crashed, or nothing was timed.
"""

import argparse
import fnmatch
import json
import os
import queue
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, "test", "GPU")]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kit", default=ROOT if os.path.isdir(os.path.join(ROOT, "examples")) and
                        os.path.exists(os.path.join(ROOT, "kit.txt")) else os.path.join(ROOT, "build", "gpu-kit"))
    parser.add_argument("--shapes", default=os.path.join(HERE, "shapes.json"))
    parser.add_argument("--filter", default="*", help="pattern of group names such as 'gemm 4096*'; several with commas")
    parser.add_argument("--kernels", default="*", help="pattern of kernels, written example/kernel; several with commas")
    parser.add_argument("--variant", default="", help="time this variant instead of the one a launch would take")
    parser.add_argument("--rounds", type=int, default=7, help="bursts of each candidate")
    parser.add_argument("--sustained", type=int, default=2, help="sustained measurements of each candidate")
    parser.add_argument("--no-dependent-launch", action="store_true", help="our launches begin when the one before has ended")
    parser.add_argument("--no-places", action="store_true", help="clusters of our launches have the numbers that the hardware gives them")
    parser.add_argument("--budget", type=float, default=480, help="seconds for everything")
    parser.add_argument("--group-timeout", type=float, default=150, help="seconds for one group")
    parser.add_argument("--no-triton", action="store_true")
    parser.add_argument("--cpu", action="store_true", help="CPU artifacts, no GPU: tests the scripts, measures nothing")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns.split(","))


def load_groups(options):
    """[{name, kind, element, sizes, kernels, scalars, sustained}]"""
    with open(options.shapes) as file:
        data = json.load(file)
    groups = []
    for work in data["work"]:
        for shape in work["shapes"]:
            name = work["name"] + " " + "x".join(str(size) for size in shape.values())
            if matches(name, options.filter):
                groups.append({"name": name, "kind": work["kind"], "element": work.get("element", "bf16"), "sizes": shape,
                               "kernels": work["kernels"], "scalars": work.get("scalars", {}),
                               "sustained": work.get("sustained", True)})
    return groups


# ---------------------------------------------------------------- the process that measures


class Bench:
    def __init__(self, options):
        import tessera
        import timing
        import workloads
        self.options, self.tessera, self.timing, self.workloads = options, tessera, timing, workloads
        self.device = timing.Cpu() if options.cpu else timing.Gpu()
        self.modules = {}
        runtime = os.path.join(options.kit, "libtessera_runtime.so")
        tessera.library(runtime if os.path.exists(runtime) else None)
        self.triton = None
        if not options.cpu and not options.no_triton:
            try:
                import triton_peers
                self.triton = triton_peers
            except Exception as error:  # the other peers are enough
                print(f"no Triton: {error}", file=sys.stderr)

    def module(self, path):
        if path not in self.modules:
            from contract import read_contract
            module = self.tessera.Module(path)
            module.prepare()
            module.set_dependent_launch(not self.options.no_dependent_launch)
            module.set_places(not self.options.no_places)
            self.modules[path] = module, read_contract(path)
        return self.modules[path]

    def ours(self, group, workload, notes):
        """Candidates for the kernels of the kit that the group names."""
        folder, suffix = os.path.join(self.options.kit, "examples"), ".so" if self.options.cpu else ".cubin"
        for file in sorted(os.listdir(folder)):
            example = file[:-len(suffix)]
            if not file.endswith(suffix) or not any(fnmatch.fnmatchcase(example, p.split("/")[0]) for p in group["kernels"]):
                continue
            try:
                module, contract = self.module(os.path.join(folder, file))
            except Exception as error:
                notes.append({"name": example, "text": f"does not load: {error}", "bad": True})
                continue
            for kernel in contract["kernels"]:
                name = f"{example}/{kernel['name']}"
                wanted = any(fnmatch.fnmatchcase(name, p if "/" in p else p + "/*") for p in group["kernels"])
                if not wanted or not matches(name, self.options.kernels):
                    continue
                try:
                    yield self.candidate(module, kernel, name, group, workload)
                except (self.workloads.Unsupported, self.tessera.Error) as error:
                    # The contract may refuse a shape. The reader of the table sees that.
                    notes.append({"name": name, "text": str(error), "bad": False})

    def candidate(self, module, contract, name, group, workload):
        kernel = module.kernel(contract["name"])
        kernel.force_variant(self.options.variant or None)
        launches = [kernel.prepare(*values) for values in workload.bind(contract, group["scalars"])]
        number, count = launches[0].variant(), len(launches)
        found = self.timing.Candidate(name, lambda i: launches[i % count](), "tessera")
        found.facts = {"variant": kernel.variants[number]}
        if not self.options.cpu:
            resources = kernel.resources(number)
            found.facts.update(registers=max(r["registers"] for r in resources), launches=len(resources),
                               local_bytes=max(r["local_bytes"] for r in resources),
                               shared=max(r["shared"] for r in resources), threads=max(r["threads"] for r in resources))
        return found

    def peers(self, group, workload, notes):
        table = dict(workload.peers())
        if self.triton:
            table.update(self.triton.peers(group["kind"]))
        count = len(workload.sets)
        for name, call in table.items():
            yield self.timing.Candidate(name, lambda i, call=call: call(workload.sets[i % count]), "peer")

    def check(self, candidate, workload):
        """Runs the candidate once on poisoned output and sets its error. Its exceptions are not caught."""
        first = workload.sets[0]
        self.workloads.poison(first["out"])
        result = candidate.call(0)
        self.device.wait(candidate.name)
        out = result if result is not None and hasattr(result, "shape") else first["out"]
        candidate.error = self.workloads.difference(out, workload.reference)

    def run(self, group, skip):
        timing, workloads = self.timing, self.workloads
        notes = [{"name": name, "text": text, "bad": True} for name, text in skip.items()]
        torch = self.device.torch
        workload = workloads.KINDS[group["kind"]](group["sizes"], workloads.DTYPES[group["element"]], self.device.name)
        self.device.wait("inputs")
        candidates = []
        everything = list(self.ours(group, workload, notes)) + list(self.peers(group, workload, notes))
        for candidate in everything:
            if candidate.name in skip:
                continue
            timing.say(begin=candidate.name)
            try:
                self.check(candidate, workload)
                candidate.estimate(self.device, len(workload.sets))
            except Exception as error:
                timing.say(trouble=candidate.name, error=str(error)[:300])
                if self.device.is_dead():
                    timing.say(dead=1, culprit=candidate.name, error=str(error)[:300])
                    os._exit(98)
                notes.append({"name": candidate.name, "text": str(error)[:300], "bad": candidate.role == "tessera"})
                continue
            if not candidate.error <= workload.tolerance:
                notes.append({"name": candidate.name, "text": f"wrong result: relative error {candidate.error:.3g}",
                              "bad": candidate.role == "tessera"})
                continue
            candidates.append(candidate)
        timing.say(begin="copies of the same size")
        for name, call in (workloads.ceilings(workload) if workload.unit == "TB/s" else {}).items():
            candidate = timing.Candidate(f"copy ceiling ({name})", call, "ceiling")
            candidate.estimate(self.device, 2)
            candidates.append(candidate)
        timing.say(begin="timing")
        timing.interleave(self.device, candidates, self.options.rounds, self.options.sustained if group["sustained"] else 0)
        rows = [self.row(candidate, workload) for candidate in candidates]
        del workload, candidates, everything
        if not self.options.cpu:
            torch.cuda.empty_cache()
        return {"group": group["name"], "rows": rows, "notes": notes}

    def row(self, candidate, workload):
        timing = self.timing
        burst, sustained = timing.median(candidate.burst), timing.median(candidate.sustained)
        work = workload.moved() if candidate.role == "ceiling" else workload.work()
        unit, scale = ("TB/s", 1e-9) if candidate.role == "ceiling" else (workload.unit, workload.scale)
        rate = lambda ms: None if ms is None else work / ms * scale
        low, high = timing.quartiles(candidate.burst)
        return {"name": candidate.name, "role": candidate.role, "unit": unit, "burst_ms": burst, "sustained_ms": sustained,
                "burst": rate(burst), "burst_low": rate(high), "burst_high": rate(low), "sustained": rate(sustained),
                "tb_per_s": workload.moved() / burst * 1e-9, "error": candidate.error, "host_us": candidate.host_us,
                "bursts_ms": candidate.burst, "sustained_all_ms": candidate.sustained, **candidate.facts}


def worker(options, bench=None):
    bench = bench or Bench(options)
    bench.timing.say(ready=1, **bench.device.describe())
    for line in sys.stdin:
        task = json.loads(line)
        try:
            bench.timing.say(result=bench.run(task["group"], task["skip"]))
        except Exception as error:
            import traceback
            traceback.print_exc()
            bench.timing.say(failed=f"{type(error).__name__}: {error}"[:400])
            if bench.device.is_dead():
                os._exit(97)


# ---------------------------------------------------------------- the process that supervises


class Worker:
    """The process that measures. It is killed and started again if it does not answer or has ended."""

    def __init__(self, script=os.path.abspath(__file__)):
        self.script, self.process, self.lines, self.doing = script, None, queue.Queue(), ""

    def start(self):
        self.process = subprocess.Popen([sys.executable, self.script, "--worker", *sys.argv[1:]],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines = queue.Queue()
        lines, process = self.lines, self.process

        def read():
            for line in process.stdout:
                if line.startswith("R "):
                    lines.put(json.loads(line[2:]))
            lines.put({"ended": process.wait()})

        threading.Thread(target=read, daemon=True).start()
        answer = self.lines.get(timeout=180)
        if "ready" not in answer:
            raise RuntimeError(f"the measuring process does not start: {answer}")
        return answer

    def stop(self):
        if self.process:
            self.process.kill()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                pass # the driver does not let go of it, but a new process may still work
        self.process = None

    def run(self, group, skip, timeout):
        """Returns {"result"}, {"failed"}, or {"culprit", "error"} after a crash or a hang."""
        self.doing = ""
        self.process.stdin.write(json.dumps({"group": group, "skip": skip}) + "\n")
        self.process.stdin.flush()
        limit, last = time.monotonic() + timeout, None
        while True:
            try:
                answer = self.lines.get(timeout=max(0.1, limit - time.monotonic()))
            except queue.Empty:
                self.stop()
                return last or {"culprit": self.doing, "error": f"hangs: silent until {timeout:.0f} s were over"}
            if "begin" in answer:
                self.doing = answer["begin"]
            elif "dead" in answer:
                last, limit = answer, time.monotonic() + 15
            elif "ended" in answer:
                self.stop()
                return last or {"culprit": self.doing, "error": f"the process ended with {answer['ended']}"}
            elif "result" in answer or "failed" in answer:
                return answer


def run_groups(options, groups, told, worker_process=None, finished=lambda results: None):
    """Runs the groups that fit the budget (a group may say its "cost" in seconds); `finished` is called after each.
    Kernels that have ended the process twice are left out."""
    ended = {}
    began, results, worker_process = time.monotonic(), [], worker_process or Worker()
    for group in groups:
        skip = {name: errors[0] for name, errors in ended.items() if len(errors) > 1}
        for _ in range(8):
            left = options.budget - (time.monotonic() - began)
            if left < group.get("cost", 10):
                results.append({"group": group["name"], "rows": [], "notes": [{"name": "-", "text": "out of time", "bad": False}]})
                break
            try:
                if worker_process.process is None:
                    told.update(worker_process.start())
            except (RuntimeError, queue.Empty) as error:
                results.append({"group": group["name"], "rows": [], "notes": [{"name": "-", "text": str(error) or "no answer", "bad": True}]})
                return results
            answer = worker_process.run(group, skip, min(left, options.group_timeout))
            if "result" in answer:
                results.append(answer["result"])
                break
            if "failed" in answer:
                results.append({"group": group["name"], "rows": [], "notes": [{"name": "-", "text": answer["failed"], "bad": True}]})
                break
            print(f"{group['name']}: {answer['culprit']}: {answer['error']}", file=sys.stderr, flush=True)
            if not answer["culprit"] or answer["culprit"] in skip:
                results.append({"group": group["name"], "rows": [], "notes": [{"name": answer["culprit"], "text": answer["error"], "bad": True}]})
                break
            skip[answer["culprit"]] = answer["error"]
            ended.setdefault(answer["culprit"], []).append(answer["error"])
        print(f"[{time.monotonic() - began:5.0f} s] {group['name']}", file=sys.stderr, flush=True)
        finished(results)
    worker_process.stop()
    return results


# ---------------------------------------------------------------- the report


def report(results, told):
    """The lines of the markdown table. Ratios compare with the fastest peer of the group, and ceilings are those of the same run."""
    lines = ["Device: " + ", ".join(f"{key} {value}" for key, value in told.items() if key != "ready"), "",
             "| work | candidate | burst | quartiles | sustained | unit | of best peer | of copy | error | variant, registers |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    number = lambda value, digits=3: "-" if value is None else f"{value:.{digits}g}" if abs(value) < 100 else f"{value:.0f}"
    order = {"tessera": 0, "peer": 1, "ceiling": 2}
    for result in results:
        rows = result["rows"]
        peer = {key: max((r[key] or 0 for r in rows if r["role"] == "peer"), default=0) for key in ("burst", "sustained")}
        ceiling = max((r["burst"] for r in rows if r["role"] == "ceiling"), default=0)
        for row in sorted(rows, key=lambda r: (order[r["role"]], -r["burst"])):
            ratio = [f"{row[key] / peer[key]:.3f}" for key in ("burst", "sustained") if row[key] and peer[key]]
            facts = row.get("variant", "")
            if "registers" in row:
                facts += f", {row['registers']}" + (f", {row['local_bytes']} B local" if row["local_bytes"] else "")
 # many short kernels fit the queue of a burst; a sustained run of them is limited by the speed of Python
            late = " (host-bound)" if row["sustained_ms"] and row["host_us"] > 900 * row["burst_ms"] else ""
            memory = row["unit"] == "TB/s" and ceiling
            cells = [result["group"], row["name"] if row["role"] != "tessera" else f"**{row['name']}**", number(row["burst"], 4),
                     f"{number(row['burst_low'], 4)}-{number(row['burst_high'], 4)}", number(row["sustained"], 4) + late, row["unit"],
                     " / ".join(ratio) if row["role"] != "ceiling" else "", f"{100 * row['burst'] / ceiling:.0f} %" if memory else "",
                     "" if row["error"] is None else f"{row['error']:.2e}", facts]
            lines.append("| " + " | ".join(cells) + " |")
        for note in result["notes"]:
            lines.append(f"| {result['group']} | {note['name']} | {'**FAILED** ' if note['bad'] else ''}{note['text']} | | | | | | | |")
    return lines


def main():
    options = parse_options()
    if options.worker:
        return worker(options)
    groups = load_groups(options)
    told = {}
    try:
        smi = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.sm,power.draw,temperature.gpu", "--format=csv,noheader"],
                             capture_output=True, text=True, timeout=20)
        told["nvidia-smi"] = smi.stdout.strip().replace(", ", " ")
    except (OSError, subprocess.TimeoutExpired):
        pass
    results = run_groups(options, groups, told)
    lines = report(results, told)
    print("\n".join(lines), flush=True)
    out = os.environ.get("OUT")
    if out:
        with open(os.path.join(out, "bench.md"), "w") as file:
            file.write("\n".join(lines) + "\n")
        with open(os.path.join(out, "bench.json"), "w") as file:
            json.dump({"device": told, "options": vars(options), "results": results}, file, indent=1)
    bad = any(note["bad"] for result in results for note in result["notes"])
    timed = any(row["role"] == "tessera" for result in results for row in result["rows"])
    return 1 if bad or not timed else 0


if __name__ == "__main__":
    sys.exit(main())
