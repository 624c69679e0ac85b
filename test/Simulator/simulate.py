# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs cta-simulate on one kernel with several options."""
import os
import re
import subprocess


def run(tile_opt, text, *options):
    """(exit code, what was printed) of tile-opt."""
    done = subprocess.run([tile_opt, "-", "-o", os.devnull, *options], input=text, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stderr


def simulate(tile_opt, text, runs):
    """(whether it is clean, what was printed) for each of the options in `runs`. Where all are clean, they are passes of one process, which is most of what they
    would cost alone."""
    runs = [f"{options} verbose" for options in runs]
    code, printed = run(tile_opt, text, f"--pass-pipeline=builtin.module({','.join(f'cta-simulate{{{options}}}' for options in runs)})")
    remarks = re.findall(r"remark: .*no violation.*", printed)
    if code == 0 and remarks and len(remarks) % len(runs) == 0:
        launches = len(remarks) // len(runs)
        return [(True, "\n".join(remarks[i * launches:(i + 1) * launches])) for i in range(len(runs))]
    results = []
    for options in runs:
        code, printed = run(tile_opt, text, f"--cta-simulate={options}")
        results.append((code == 0 and bool(re.search("remark: .*no violation", printed)), printed))
    return results
