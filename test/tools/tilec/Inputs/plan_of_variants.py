# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plan_of_variants.py SOURCE OUT: the plans that --report=json prints, given back for each variant, make the same cubin."""

import json
import subprocess
import sys

source, out = sys.argv[1:]


def tilec(path, *options):
    run = subprocess.run(["tilec", source, "-j1", "-o", path, *options], capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{source}: {run.stderr}")
    with open(path, "rb") as file:
        return file.read(), run.stderr


derived, report = tilec(out + ".cubin", "--report=json")
options = []
for kernel in json.loads(report)["kernels"]:
    for variant in kernel["variants"]:
        plans = {launch["plan"]["text"] for launch in variant["launches"] if "plan" in launch}
        if len(plans) > 1:
            sys.exit(f"{kernel['name']}/{variant['name']}: one plan is what --plan takes, not {plans}")
        options += [f"--plan={kernel['name']}/{variant['name']}={plan}" for plan in plans]
given, _ = tilec(out + ".given.cubin", *options)
print(f"{len(options)} plans, {'the same' if derived == given else 'another'} cubin")
