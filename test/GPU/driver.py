#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks every example of a kit (scripts/gpu-kit.sh) on the device against the CPU target.

Each case runs the CPU artifact once, then the cubin with poisoned outputs, guarded buffers and
repeated runs that must be bitwise equal, and compares. Whatever variant a case selects, the last
one (no assumptions) runs too. compute-sanitizer then sees each kernel once with each tool, as long as there is time.

  driver.py [--kit DIR] [--filter PATTERN] [--budget SECONDS] ...

Prints a table and, as the last line, "N passed, N failed, N skipped"; exit code 1 if something
failed or nothing passed. With $OUT set, gpu-results.json and gpu-failures.txt are written there.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import cases as case_lists
from contract import ContractError, read_contract, variant_names

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# This file is either in a kit or in the source tree.
KIT = ROOT if os.path.exists(os.path.join(ROOT, "kit.txt")) else os.path.join(ROOT, "build", "gpu-kit")
PASS, FAIL, SKIP = "passed", "failed", "skipped"


class Settings:
    """The command line, and what follows from it."""

    def __init__(self):
        parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
        parser.add_argument("--kit", default=KIT, help="folder with tile-run and examples/")
        parser.add_argument("--shapes", default=os.path.join(HERE, "shapes.json"))
        parser.add_argument("--filter", default="*", help="pattern of example names; several with commas")
        parser.add_argument("--kernel", default="*", help="pattern of kernel names; several with commas")
        parser.add_argument("--jobs", type=int, default=min(10, os.cpu_count() or 1), help="cases at a time")
        parser.add_argument("--budget", type=float, default=330, help="seconds for everything")
        parser.add_argument("--timeout", type=float, default=25, help="seconds a launch may hang")
        parser.add_argument("--oracle-timeout", type=float, default=120, help="seconds for one run on the CPU")
        parser.add_argument("--max-cost", type=float, default=6e11, help="skip cases that are too much for the CPU")
        parser.add_argument("--no-sanitizer", action="store_true")
        parser.add_argument("--sanitizer-time", type=float, default=150, help="seconds for compute-sanitizer, of the budget")
        parser.add_argument("--self-test", action="store_true", help="the CPU artifacts stand in for the cubins")
        parser.add_argument("--list", action="store_true", help="print the cases and their commands, run nothing")
        parser.add_argument("-v", "--verbose", action="store_true", help="a line for each case")
        self.options = parser.parse_args()
        self.start = time.monotonic()
        self.tile_run = os.path.join(self.options.kit, "tile-run")
        if not os.path.exists(self.tile_run):
            self.tile_run = shutil.which("tile-run") or sys.exit(f"driver: error: no tile-run in {self.options.kit}")
        self.scratch = tempfile.mkdtemp(prefix="tessera-gpu-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)

    def left(self):
        return self.options.budget - (time.monotonic() - self.start)


def run(command, timeout):
    """(exit code, stdout, stderr); the code is None after a timeout. Ends the process and its children."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               errors="replace", start_new_session=True)
    try:
        out, err = process.communicate(timeout=timeout)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        out, err = process.communicate()
        return None, out, err


def message(code, err, timeout):
    if code is None:
        return f"no answer in {timeout:g} s"
    lines = [line for line in err.splitlines() if "error:" in line] or err.strip().splitlines() or ["no message"]
    text = lines[0].replace("tile-run: error: ", "")
    return f"signal {-code}: {text}" if code < 0 else text


class Result:
    def __init__(self, case, what="check"):
        self.case, self.what, self.state, self.text = case, what, SKIP, ""
        self.variant, self.worst, self.frobenius, self.seconds, self.command = "", 0.0, 0.0, 0.0, ""

    def end(self, state, text=""):
        self.state, self.text = state, text
        return self

    def record(self):
        return {"example": self.case.example, "kernel": self.case.kernel["name"], "what": self.what,
                "case": self.case.title, "variant": self.variant, "state": self.state, "text": self.text,
                "max_rel": self.worst, "frobenius": self.frobenius, "seconds": round(self.seconds, 2),
                "command": self.command}


class Tester:
    def __init__(self, settings):
        self.settings, self.options = settings, settings.options
        self.lock, self.hung, self.count = threading.Lock(), {}, 0

    def artifact(self, example, suffix):
        return os.path.join(self.options.kit, "examples", example + suffix)

    def device_artifact(self, example):
        return self.artifact(example, ".so" if self.options.self_test else ".cubin")

    def tile_run(self, artifact, case, *more):
        return [self.settings.tile_run, artifact, f"--kernel={case.kernel['name']}", *case.arguments(), *more]

    def oracle(self, case, folder):
        """Runs the CPU artifact; {output: file}, or a message."""
        files = {arg["name"]: os.path.join(folder, f"{i}.npy") for i, arg in enumerate(case.outputs())}
        threads = 4 if case.cost < 1e9 else max(4, (os.cpu_count() or 4) // 2)
        command = self.tile_run(self.artifact(case.example, ".so"), case, f"--threads={threads}",
                                f"--timeout={self.options.oracle_timeout:g}",
                                *(f"--out={name}={file}" for name, file in files.items()))
        limit = min(self.options.oracle_timeout + 10, max(1, self.settings.left()))
        code, _, err = run(command, limit)
        return files if code == 0 else message(code, err, limit)

    def check(self, case):
        """All results of one case."""
        first = Result(case)
        if self.settings.left() < 3:
            return [first.end(SKIP, "out of time")]
        if case.cost > self.options.max_cost:
            return [first.end(SKIP, "too much for the CPU")]
        with self.lock:
            self.count += 1
            folder = os.path.join(self.settings.scratch, str(self.count))
        os.mkdir(folder)
        try:
            files = self.oracle(case, folder)
            if isinstance(files, str):
                # The contract may refuse sizes of the automatic shapes.
                refused = case.entry.get("auto") or case.layout
                return [first.end(SKIP if refused else FAIL, f"on the CPU: {files}")]
            results = [self.compare(case, files)]
            last = case_lists.last_variant(case.kernel)
            if results[0].variant and results[0].variant != last and results[0].state == PASS:
                results.append(self.compare(case.with_variant(last), files))
            return results
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def compare(self, case, files):
        result, began = Result(case), time.monotonic()
        with self.lock:
            if self.hung.get(case.example, 0) >= 2:
                return result.end(SKIP, "hung or crashed twice before")
        checks, limits = [], {}
        for arg in case.outputs():
            tolerance = case.tolerance(arg["element"])
            text = f"--check={arg['name']}={files[arg['name']]}"
            if tolerance:
                text += f":rtol={tolerance[0]:.6g}:atol={tolerance[1]:.6g}"
                limits[arg["name"]] = tolerance[2]
            checks.append(text)
        more = ["--guard", f"--repeat={case.repeat}", "--json", f"--timeout={self.options.timeout:g}", *checks]
        if case.variant:
            more.append(f"--variant={case.variant}")
        command = self.tile_run(self.device_artifact(case.example), case, *more)
        result.command = " ".join(command)
        timeout = self.options.timeout + 60
        code, out, err = run(command, timeout)
        result.seconds = time.monotonic() - began
        try:
            report = json.loads(out)
        except ValueError:
            report = {}
        result.variant = report.get("variant", case.variant)
        for check in report.get("checks", []):
            number = lambda key: float("inf") if check.get(key) is None else check[key]
            result.worst = max(result.worst, number("max_rel"))
            result.frobenius = max(result.frobenius, number("frobenius"))
            limit = limits.get(check["arg"])
            if limit is not None and check["good"] and number("frobenius") > limit:
                return result.end(FAIL, f"{check['arg']}: relative Frobenius error {number('frobenius'):.3g} > {limit:.3g}")
        if code == 0:
            return result.end(PASS)
        text = message(code, err, timeout)
        if code is None or code < 0 or "hangs" in text or "CUDA_ERROR" in text:
            with self.lock:
                self.hung[case.example] = self.hung.get(case.example, 0) + 1
        return result.end(FAIL, text)

    def sanitize(self, case, tool, deadline):
        result, began = Result(case, tool), time.monotonic()
        limit = min(90, deadline - began)
        if limit < 5:
            return result.end(SKIP, "out of time")
        if self.hung.get(case.example, 0) >= 2:
            return result.end(SKIP, "hung or crashed before")
        command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "86", "--print-limit", "5"]
        command += self.tile_run(self.device_artifact(case.example), case, "--timeout=80")
        result.command = " ".join(command)
        code, out, err = run(command, limit)
        result.seconds = time.monotonic() - began
        if code == 0:
            return result.end(PASS)
        if code is None:
            return result.end(SKIP, f"not done in {limit:.0f} s")
        lines = [line for line in (out + "\n" + err).splitlines() if line.startswith("=========")]
        if any("not supported" in line for line in lines) and code != 86:
            return result.end(SKIP, "compute-sanitizer does not support this device")
        told = [line.strip("= ") for line in lines if "COMPUTE-SANITIZER" not in line and line.strip("= ")]
        return result.end(FAIL, f"{tool}: " + " | ".join(told[:6] or [message(code, err, limit)]))


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns.split(","))


def collect(settings, tester):
    """(example, kernel, cases, sanitizer's case) of every kernel, and results for what cannot run."""
    options, found, broken = settings.options, [], []
    folder = os.path.join(options.kit, "examples")
    names = sorted({name.rsplit(".", 1)[0] for name in os.listdir(folder) if name.endswith((".so", ".cubin"))})
    data = case_lists.load_shapes(options.shapes)

    class Stub:  # a result without a case
        def __init__(self, example, title=""):
            self.example, self.kernel, self.title = example, {"name": example}, title

    for example in names:
        if not matches(example, options.filter):
            continue
        missing = [path for path in (tester.artifact(example, ".so"), tester.device_artifact(example))
                   if not os.path.exists(path)]
        if missing:
            broken.append(Result(Stub(example)).end(SKIP, f"no {os.path.basename(missing[0])} in the kit (failed.txt)"))
            continue
        try:
            # Variants and facts are those of the artifact for the device.
            for kernel in read_contract(tester.device_artifact(example))["kernels"]:
                if not matches(kernel["name"], options.kernel):
                    continue
                listed, sanitized = case_lists.cases_of(data, example, kernel)
                found.append((example, kernel, listed, sanitized))
        except (ContractError, case_lists.CaseError) as error:
            broken.append(Result(Stub(example)).end(FAIL, str(error)))
    return found, broken


def print_list(tester, found):
    for example, kernel, listed, _ in found:
        for case in listed:
            print(f"{example}: {case.title} (variants {', '.join(variant_names(kernel))})")
            print("   ", " ".join(tester.tile_run(tester.device_artifact(example), case)))


def print_table(results):
    rows = {}
    for result in results:
        rows.setdefault(result.case.example, []).append(result)
    width = max([len(name) for name in rows] + [7])
    print(f"{'example':<{width}}  {'checks':>8}  {'variants':<20} {'worst rel':>9}  {'Frobenius':>9}  sanitizer")
    for name, row in sorted(rows.items()):
        checks = [r for r in row if r.what == "check"]
        ran = [r for r in checks if r.state != SKIP]
        good = sum(r.state == PASS for r in ran)
        variants = {}
        for r in ran:
            if r.variant:
                variants[r.variant] = variants.get(r.variant, 0) + 1
        tools = " ".join(f"{r.what}:{ {PASS: 'ok', FAIL: 'FAILED', SKIP: '-'}[r.state]}" for r in row if r.what != "check")
        text = " ".join(f"{v}:{n}" for v, n in sorted(variants.items()))
        worst = max((r.worst for r in ran), default=0)
        norm = max((r.frobenius for r in ran), default=0)
        mark = "" if good == len(ran) else "  <-- FAILED"
        skipped = f" +{len(checks) - len(ran)} skipped" if len(checks) > len(ran) else ""
        print(f"{name:<{width}}  {good:>3}/{len(ran):<4}  {text:<20} {worst:>9.2e}  {norm:>9.2e}  {tools}{skipped}{mark}")


def main():
    settings = Settings()
    options = settings.options
    tester = Tester(settings)
    results = []
    try:
        found, broken = collect(settings, tester)
        results += broken
        for result in broken:
            print(f"{result.state.upper()} {result.case.example}: {result.text}", flush=True)
        if options.list:
            print_list(tester, found)
            return int(any(result.state == FAIL for result in broken))

        def done(result):
            results.append(result)
            if options.verbose or result.state == FAIL:
                line = f"{result.state.upper()} {result.case.example}: {result.case.title} [{result.what}] {result.text}"
                print(line, flush=True)

        everything = sorted((case for _, _, listed, _ in found for case in listed), key=lambda case: case.cost)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for future in concurrent.futures.as_completed([pool.submit(tester.check, case) for case in everything]):
                for result in future.result():
                    done(result)
        print(f"checks done after {time.monotonic() - settings.start:.0f} s", flush=True)
        if not options.no_sanitizer and not options.self_test and shutil.which("compute-sanitizer"):
            deadline = time.monotonic() + min(options.sanitizer_time, settings.left())
            with concurrent.futures.ThreadPoolExecutor(min(6, options.jobs)) as pool:
                futures = [pool.submit(tester.sanitize, case, tool, deadline)
                           for tool in ("memcheck", "racecheck") for _, _, _, case in found]
                for future in concurrent.futures.as_completed(futures):
                    done(future.result())
            print(f"compute-sanitizer done after {time.monotonic() - settings.start:.0f} s", flush=True)
    finally:
        shutil.rmtree(settings.scratch, ignore_errors=True)
    results.sort(key=lambda r: (r.case.example, r.what, r.case.title))
    print_table(results)
    counts = {state: sum(r.state == state for r in results) for state in (PASS, FAIL, SKIP)}
    out = os.environ.get("OUT")
    if out:
        with open(os.path.join(out, "gpu-results.json"), "w") as file:
            json.dump({"counts": counts, "seconds": time.monotonic() - settings.start,
                       "results": [r.record() for r in results]}, file, indent=1)
        with open(os.path.join(out, "gpu-failures.txt"), "w") as file:
            for r in results:
                if r.state == FAIL:
                    file.write(f"{r.case.example}: {r.case.title} [{r.what}] {r.text}\n    {r.command}\n")
    print(f"{counts[PASS]} passed, {counts[FAIL]} failed, {counts[SKIP]} skipped")
    return 1 if counts[FAIL] or not counts[PASS] else 0


if __name__ == "__main__":
    sys.exit(main())
