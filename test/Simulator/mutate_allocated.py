# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes allocated kernels everywhere in every way that allocated_mutations.py knows, and says who sees it.

  mutate_allocated.py TOOLS [--kernels PATTERN]... [--only TEXT]... [--every N]... [--jobs N] [--out FILE.json] [-v]
  mutate_allocated.py TOOLS --show FILE.json         the report again

TOOLS is the folder of tile-opt, tilec and tile-run. A mutant goes through the verifiers of its ops and cta-verify, then cta-simulate on all sizes of
its kernel, then its values are compared with those of the kernel itself. Who refuses it first has caught it. What is left does either what the
kernel does, for a reason that allocated_equivalent.py has a rule for, or is missed. Texts that are no IR (a value is used where it does not
exist) are not counted.
"""
import argparse
import concurrent.futures
import fnmatch
import importlib.util
import json
import math
import pathlib
import re
import shutil
import sys
import tempfile
from collections import Counter

from allocated_equivalent import reason
from allocated_kernels import kernels
from allocated_mutations import PROTOCOL, REGIONS, Mutator, mutations
from allocated_values import expressions

SPEC = importlib.util.spec_from_file_location("check_protocol", pathlib.Path(__file__).parents[2] / "scripts" / "check-protocol.py")
check_protocol = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_protocol)

# The timings for each size. Mutants that are clean are run again with more of them.
TIMINGS, MORE_TIMINGS = 12, 60
# The timings in whose order of events the values are computed.
ORDERS = (0, 9)
SCALARS = {"attention": "scale=0.02"}
NO_IR = re.compile(r"use of undeclared SSA|does not dominate|redefinition of SSA|expects different type|value used outside|expected .*(?:type|operand|to have)"
                   r"|dependent dialect|custom op|operand #\d+ does not|region entry argument")


class Original:
    """A kernel, its text, and what it computes."""

    def __init__(self, kernel, tools, folder):
        self.kernel, self.tools, self.folder = kernel, tools, pathlib.Path(folder)
        self.text = check_protocol.run([tools.tile_opt, "-", "--mlir-print-unique-ssa-ids", f"--pass-pipeline={kernel.pipeline}"], kernel.source())
        self.scalars = next((s for name, s in SCALARS.items() if kernel.name.startswith(name)), "")
        problem = tools.protocol(self.text, kernel.sizes, MORE_TIMINGS, kernel.cores, self.scalars)
        if problem:
            sys.exit(f"{kernel.name}: not clean before anything is changed\n{problem}")
        self.expected = {size: expressions(tools.straight(self.text, size, ORDERS[0], kernel.cores, self.scalars)) for size in kernel.values}
        self.mutator = Mutator(self.text)
        self.unreached, self.once = self.find_unreached()
        self.reference = None
        self.computed = {}  # what straight code of some expressions has been found to compute

    def find_unreached(self):
        """The blocks, as ranges of lines, that are run at no size, since there a parity of 2 is no error; and the loops that never have two iterations."""
        mutator, unreached, once = self.mutator, [], []
        zero, wrong = "%zero_m = arith.constant 0 : i32", ("%two_m = arith.constant 2 : i32", "cta.await 0[%zero_m] parity %two_m")

        def runs(op, *lines):
            text = mutator.text.with_edits({}, {op.begin: [op.indent + line for line in (zero, *lines)]})
            return self.tools.protocol(text, self.kernel.sizes, 1, self.kernel.cores, self.scalars) is not None

        for op in mutator.text.ops:
            for region in op.regions if op.name in REGIONS else ():
                if not any(inner.name in PROTOCOL or inner.name == "cta.stage" for inner in region):
                    continue
                if not runs(region[0], *wrong):
                    unreached.append((region[0].begin, region[-1].end))
                elif op.name == "scf.for" and not runs(region[0], *again(op), *(f"  {line}" for line in wrong), "}"):
                    once.append((op.begin, op.end))
        return unreached, once

    def values(self, mutated, number):
        """How the values differ, or nothing."""
        for size in self.kernel.values:
            for order in ORDERS:
                try:
                    straight = self.tools.straight(mutated, size, order, self.kernel.cores, self.scalars)
                except check_protocol.Failure as failure:
                    return str(failure)
                found = expressions(straight)
                different = [name for name, stored in self.expected[size].items() if found.get(name) != stored]
                key = size, str([found.get(name) for name in different])
                if different and key not in self.computed:
                    self.computed[key] = self.compute(straight, different, size, number)
                if different and self.computed[key]:
                    return self.computed[key]
        return None

    def compute(self, straight, different, size, number):
        """How the results of the straight code on the CPU differ from those of the program, or nothing."""
        folder = self.folder / f"mutant-{number}"
        folder.mkdir(exist_ok=True)
        try:
            if not self.reference:
                self.reference = self.tools.for_cpu(self.kernel.program, str(self.folder / "reference"))
            artifact = self.tools.for_cpu(straight, str(folder / "straight"))
            for name in self.tools.kernels(artifact):
                if any(other.startswith(name) for other in different):
                    problem = self.tools.agree(self.reference, artifact, name, size, self.scalars, str(folder))
                    if problem:
                        return f"{size}: {problem}"
        except check_protocol.Failure as failure:
            return str(failure)
        finally:
            shutil.rmtree(folder)
        return None


def again(loop):
    """The beginning of a condition that holds after the first iteration."""
    kind = "i32" if loop.text.endswith(" : i32 {") else "index"
    lower = re.search(r" = (%\S+) to ", loop.text).group(1)
    return f"%again_m = arith.cmpi ne, {loop.induction}, {lower} : {kind}", "scf.if %again_m {"


def first_error(message):
    found = re.search(r"error: (.*)", message)
    return found.group(1) if found else message.split("\n")[0]


def judge(original, mutation, number):
    """(the checker that has found it, its message)"""
    kernel, tools = original.kernel, original.tools
    problem = tools.protocol(mutation.text, kernel.sizes, TIMINGS, kernel.cores, original.scalars)
    if problem is None:
        problem = tools.protocol(mutation.text, kernel.sizes, MORE_TIMINGS, kernel.cores, original.scalars)
    if problem is None:
        wrong = original.values(mutation.text, number)
        return ("values", first_error(wrong)) if wrong else ("", "")
    said = first_error(problem)
    if "breaks phase" in said:
        return "verify", said
    if re.search(r"note: in (?:block|the cluster)|cannot be simulated", problem):
        return "simulate", said
    # From a pass, or was it never read?
    try:
        check_protocol.run([tools.tile_opt, "-", "-o", "/dev/null"], mutation.text)
    except check_protocol.Failure:
        return ("none", said) if NO_IR.search(said) else ("verify", said)
    if "error:" not in problem:
        return "crash", problem[:500]
    return "simulate", said


def run_kernel(original, mutants, pool):
    """Records of all mutants, in their order. What is never run cannot be seen, and is not counted."""
    never_run = lambda op: any(begin <= op.begin <= end for begin, end in original.unreached)
    users = original.mutator.text.users
    only_for = lambda op: [user for result in op.results for user in users.get(result, ())]
    mutants = [m for m in mutants if not never_run(m.op) and not (only_for(m.op) and all(map(never_run, only_for(m.op))))]
    verdicts = pool.map(lambda pair: judge(original, pair[1], pair[0]), enumerate(mutants))
    return [{"kernel": original.kernel.name, "who": who, "said": said, **mutation.record()} for mutation, (who, said) in zip(mutants, verdicts)]


def report(records, verbose):
    counted = [r for r in records if r["who"] != "none"]
    reasons = {id(r): reason(r) for r in counted if not r["who"]}
    kind = lambda r: r["who"] or ("equivalent" if reasons[id(r)] else "missed")
    columns = ("verify", "simulate", "values", "equivalent", "missed", "crash")
    print(f"{'':44} mutants " + " ".join(f"{c:>10}" for c in columns))
    for title, key in (("change", lambda r: r["kind"].split(",")[0]), ("op", lambda r: r["op"])):
        groups = {}
        for r in counted:
            groups.setdefault(key(r), Counter())[kind(r)] += 1
        for group, counts in sorted(groups.items()):
            print(f"{title} {group:{43 - len(title)}} {sum(counts.values()):7} " + " ".join(f"{counts[c]:10}" for c in columns))
    for text, number in Counter(reasons[id(r)] for r in counted if kind(r) == "equivalent").most_common():
        print(f"equivalent: {number:5} {text}")
    missed = [r for r in counted if kind(r) in ("missed", "crash")]
    for r in missed if verbose else []:
        print(f"{kind(r)}: {r['kernel']}, line {r['line']}: {r['op']} {r['kind']}, {r['detail']}: {r['text'][:100]}" + (f" | {r['crossed'][:80]}" if r["crossed"] else "") + f" {r['said'] if r['who'] else ''}")
    total = Counter(map(kind, counted))
    print(f"{len(counted)} mutants of {len({r['kernel'] for r in counted})} kernels: " + ", ".join(f"{total[c]} {c}" for c in columns if c != "crash" or total[c]))
    return len(missed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tools")
    parser.add_argument("--kernels", action="append", help="patterns of names; default: all")
    parser.add_argument("--only", action="append", help="what their names contain: 'cta.await parity'")
    parser.add_argument("--sizes", action="append", help="others than those of the kernels")
    parser.add_argument("--every", type=int, action="append", help="every Nth mutant of a kernel only; several are multiplied")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", help="what became of each mutant")
    parser.add_argument("--show", help="the report of such a file")
    parser.add_argument("-v", action="store_true", help="those that are missed")
    options = parser.parse_args()
    every = math.prod(options.every or [1])
    if options.show:
        return report(json.load(open(options.show)), options.v) != 0
    tools, records = check_protocol.Tools(options.tools), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, tempfile.TemporaryDirectory() as folder:
        for number, kernel in enumerate(kernels()):
            if options.kernels and not any(fnmatch.fnmatchcase(kernel.name, pattern) for pattern in options.kernels):
                continue
            if options.sizes:
                kernel.sizes = kernel.values = options.sizes
            original = Original(kernel, tools, tempfile.mkdtemp(dir=folder))
            for begin, end in original.unreached:
                print(f"{kernel.name}: no size runs lines {begin + 1} to {end + 1}")
            for begin, end in original.once:
                print(f"{kernel.name}: no size has two iterations of the loop of lines {begin + 1} to {end + 1}")
            # Of similar kernels, each has other changes.
            mutants = [m for m in mutations(original.text) if not options.only or any(text in m.name for text in options.only)]
            records += run_kernel(original, mutants[number % every:: every], pool)
            if options.out:
                json.dump(records, open(options.out, "w"), indent=1)
                print(f"{kernel.name}: {sum(r['kernel'] == kernel.name for r in records)}", file=sys.stderr, flush=True)
    return report(records, options.v) != 0


if __name__ == "__main__":
    sys.exit(main())
