#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows whether a change of the compiler changes generated code.

  scripts/same-ptx.py save DIR       before the change: writes the PTX of all programs to DIR
  scripts/same-ptx.py compare DIR    after the change: compiles again, prints what differs

The programs are examples/*.mlir and the matrix products of bench/gemm_plans*.txt (test/GPU/make_gemms.py).
PATTERNs at the end choose some of them. Exit code: 0 if nothing differs, 1 if something does or fails.
The last line is "N same, N differ, N failed".
"""

import argparse
import concurrent.futures
import difflib
import fnmatch
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The products to which the plans of each file belong.
PLANS = {"gemm_plans.txt": ["gemm-nt-bf16", "gemm-nn-bf16"],
         "gemm_plans_epilogue.txt": ["gemm-nt-bf16-residual", "gemm-nt-bf16-bias-gelu"]}


def programs(folder):
    """{name: file} of all programs; products are written to `folder`."""
    found = {os.path.splitext(name)[0]: os.path.join(ROOT, "examples", name)
             for name in sorted(os.listdir(os.path.join(ROOT, "examples"))) if name.endswith(".mlir")}
    for plans, products in PLANS.items():
        made = os.path.join(folder, plans)
        subprocess.run([sys.executable, os.path.join(ROOT, "test/GPU/make_gemms.py"), made, "--plans",
                        os.path.join(ROOT, "bench", plans), *products], check=True, stdout=subprocess.DEVNULL)
        for name in sorted(os.listdir(made)):
            if name.endswith(".mlir"):
                found[os.path.splitext(name)[0]] = os.path.join(made, name)
    return found


def compile_ptx(tilec, source):
    """(PTX, "") or ("", message)."""
    run = subprocess.run([tilec, source, "--emit=ptx", "-o", "-"], capture_output=True, text=True)
    return (run.stdout, "") if run.returncode == 0 else ("", run.stderr.strip() or f"exit code {run.returncode}")


def first_difference(old, new):
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "before", "after", n=1, lineterm="")
    return "\n".join("    " + line[:160] for line in list(lines)[2:12])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("save", "compare"))
    parser.add_argument("folder")
    parser.add_argument("patterns", nargs="*", default=["*"])
    parser.add_argument("--build", default=os.path.join(ROOT, "build", os.environ.get("TESSERA_PRESET", "dev")))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    tilec = os.path.join(options.build, "bin", "tilec")
    if not os.path.exists(tilec):
        sys.exit(f"same-ptx: error: no {tilec}: scripts/build.sh dev tilec")
    os.makedirs(options.folder, exist_ok=True)
    counts = {"same": 0, "differ": 0, "failed": 0}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        chosen = {name: source for name, source in programs(scratch).items()
                  if any(fnmatch.fnmatch(name, pattern) for pattern in options.patterns)}
        if not chosen:
            sys.exit("same-ptx: error: no program has such a name")
        compiled = dict(zip(chosen, pool.map(lambda source: compile_ptx(tilec, source), chosen.values())))
    for name, (ptx, message) in compiled.items():
        path = os.path.join(options.folder, name + ".ptx")
        if message:
            counts["failed"] += 1
            print(f"FAILED {name}: {message.splitlines()[0]}")
        elif options.action == "save":
            with open(path, "w") as file:
                file.write(ptx)
            counts["same"] += 1
        elif not os.path.exists(path):
            counts["failed"] += 1
            print(f"FAILED {name}: {path} does not exist")
        else:
            with open(path) as file:
                old = file.read()
            counts["same" if old == ptx else "differ"] += 1
            if old != ptx:
                print(f"DIFFERS {name}\n{first_difference(old, ptx)}")
    print(", ".join(f"{number} {what}" for what, number in counts.items()))
    sys.exit(1 if counts["differ"] or counts["failed"] else 0)


if __name__ == "__main__":
    main()
