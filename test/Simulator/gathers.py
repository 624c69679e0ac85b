# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks products with gathered operands (test/GPU/make_gathers.py) without a GPU: mechanisms, values of the phases, protocol, values of the roles.

  gathers.py TOOLS [--phases] [--plans] [--every N] [PATTERN...]

TOOLS is the folder of tile-opt, tilec and tile-run. Of each product: by what its gathers are done, which is what MECHANISMS says; with --phases what the phases placed
and scheduled are as tile programs (convert-cta-to-tile) computes the same as the program; with --plans the protocol of its allocated kernel is clean for 0 to depth + 2
iterations, and with --every=N so is every Nth plan, other ones from product to product; what the roles do in one order of events computes the same. Indices are from -2 to 2, of arrays with two rows or pages: some are out of bounds, many equal.
"""
import argparse
import fnmatch
import importlib.util
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "Examples"), str(HERE.parent / "GPU")]
from make_gathers import WIDTH, products
from with_plan import with_plan

SPEC = importlib.util.spec_from_file_location("check_protocol", HERE.parents[1] / "scripts" / "check-protocol.py")
check_protocol = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_protocol)

# The first that fits says by what gathers are done; "threads" is through registers.
MECHANISMS = (("gather-a-pad", "threads"), ("gather-a-reduced", "threads"), ("gather-a-tma", "tma"), ("pages-b-limit", "cp_async"), ("pages-*", "tma"), ("*", "cp_async"))
# With the depth of the rings; the derived plan first.
PLANS = (("", 4), ("stages = 3, producers = 4, persistent = 1", 3), ("stages = 3, producers = 0, persistent = 1", 3), ("stages = 2, producers = 0", 2), ("stages = 0", 0),
         ("stages = 3, producers = 4, persistent = 1, pending = 1, cluster = 2", 3), ("stages = 2, producers = 4, persistent = 1, stream_k = 1", 2),
         ("replicate = blocks, stages = 3, persistent = 1, epilogue = 64", 3))


def sizes_of(product, trips, ragged=True):
    """The last iteration, row and column are cut off."""
    tm, tn, tk = product.tile
    pages, text = product.pages or 1, product.source()
    aligned = 16 // min(WIDTH[product.element], 2)  # strides of 16 bytes
    free, k = {"a": tm + aligned, "b": tn + aligned}, max(tk * trips - max(aligned, pages) * ragged, 0)
    # What the arrays of indices are for: rows, or K where that is the outer dimension in memory.
    counts = {operand: (free[operand] if letter == straight else k) // pages for operand, letter, straight in zip("ab", product.layout, "nt")}
    sizes = {"M": free["a"], "N": free["b"], "K": k, "Ta": 2, "Tb": 2, "Xa": counts["a"], "Xb": counts["b"]}
    return ",".join(f"{name}={extent}" for name, extent in sizes.items() if f'"{name}"' in text)


def mechanism(placed):
    found = set(re.findall(r"cta\.copy %\w+\[[^]]*tensor<[^\n]*mechanism<(\w+)>", placed))
    if re.search(r"cta\.gather [^\n]*-> tensor<\d+x\d+x", placed):
        found.add("threads")
    return " and ".join(sorted(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tools")
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--phases", action="store_true")
    parser.add_argument("--plans", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_intermixed_args()
    tools, wrong = check_protocol.Tools(options.tools), 0

    def say(what, problem):
        nonlocal wrong
        wrong += bool(problem)
        if problem:
            print(f"FAILED {what}: {problem[:1500]}", flush=True)

    def passes(program, *names):
        return check_protocol.run([tools.tile_opt, "-", "--mlir-print-unique-ssa-ids", f"--pass-pipeline=builtin.module({','.join(names)})"], program)

    with tempfile.TemporaryDirectory() as folder:
        number = 0
        for product in products():
            if options.patterns and not any(fnmatch.fnmatch(product.name, pattern) for pattern in options.patterns):
                continue
            program, name = product.source(), product.name.replace("-", "_")
            try:
                reference = tools.for_cpu(program, os.path.join(folder, "program"))
                found = mechanism(passes(program, "tessera-to-placed{variants=aligned}"))
                wanted = next(what for pattern, what in MECHANISMS if fnmatch.fnmatch(product.name, pattern))
                say(f"{product.name}: mechanism", "" if found == wanted else f"{found} instead of {wanted}")
                print(f"{product.name}: {found}", flush=True)
                for phase in ("placed", "scheduled") if options.phases else ():
                    erased = passes(program, f"tessera-to-{phase}{{variants=aligned}}", "tile.kernel(convert-cta-to-tile)")
                    artifact = tools.for_cpu(erased, os.path.join(folder, phase))
                    kernel = next(k for k in tools.kernels(artifact))
                    for trips in (1, 3):
                        size = sizes_of(product, trips)
                        say(f"{product.name}: {phase}, {size}", tools.agree(reference, artifact, kernel, size, "", folder))
                chosen, number = PLANS[number % options.every::options.every], number + 1
                for plan, depth in chosen if options.plans else ():
                    # A producer of TMA copies is one warp; ping-pong has no other.
                    if wanted == "tma":
                        plan = plan.replace("producers = 4, ", "")
                    elif "replicate" in plan:
                        continue
                    try:
                        allocated = tools.allocate(with_plan(program, plan) if plan else program, derive=not plan)
                    except check_protocol.Failure as failure:
                        # Nothing is pipelined where the gather goes through registers and the plan is for threads that copy.
                        say(f"{product.name}: {plan}", str(failure))
                        continue
                    trips = [sizes_of(product, n, ragged) for n in range(depth + 3) for ragged in (True, False)]
                    say(f"{product.name}: {plan or 'derived'}: protocol", tools.protocol(allocated, trips, 20, 2) or "")
                    for timing, count in ((0, depth + 1), (9, 1)):
                        size = sizes_of(product, count)
                        artifact = tools.for_cpu(tools.straight(allocated, size, timing, 2), os.path.join(folder, "straight"))
                        for kernel in tools.kernels(artifact):
                            say(f"{product.name}: {plan or 'derived'}, {size}", tools.agree(reference, artifact, kernel, size, "", folder))
            except check_protocol.Failure as failure:
                say(product.name, str(failure))
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
