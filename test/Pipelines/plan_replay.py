# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plan_replay.py EXAMPLES VARIANT NAME...: with --plan= the plan that --report=full prints, tilec writes the PTX that it writes without."""

import json
import os
import subprocess
import sys


def tilec(source, variant, *options):
    run = subprocess.run(["tilec", source, f"--variants={variant}", "--emit=ptx", "-o", "-", *options], capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{source}: {run.stderr}")
    return run


folder, variant, *names = sys.argv[1:]
for name in names:
    source = os.path.join(folder, name + ".mlir")
    derived = tilec(source, variant, "--report=json")
    kernels = json.loads(derived.stderr)["kernels"]
    plans = {launch["plan"]["text"] for kernel in kernels for v in kernel["variants"] for launch in v["launches"] if "plan" in launch}
    assert len(plans) == 1, f"{name}: one plan is what --plan takes, not {plans}"
    given = tilec(source, variant, f"--plan={plans.pop()}")
    same = derived.stdout == given.stdout
    print(f"{name} {variant}: {'same' if same else 'different'} PTX, {derived.stdout.count(chr(10))} lines")
