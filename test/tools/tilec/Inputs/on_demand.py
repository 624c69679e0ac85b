# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles variants of members alone, as a host on demand does, and compares with the contract of all: on_demand.py TILEC SCRATCH [--every=N] PROGRAM...

SCRATCH is a file for a list of members. Of each member, or of every Nth one, the first and the last variant are compiled. The names of symbols differ, and what is a guard of a
variant in the contract of all is a demand on arguments, or an assumption, of one that is alone. Prints how many there were.
"""

import json
import os
import subprocess
import sys


def contract_of(tilec, program, *options):
    done = subprocess.run([tilec, program, "-o", "-", *options], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{program} {' '.join(options)}\n{done.stderr}")
    return json.loads(done.stdout)["kernels"]


def launched(variant, workspaces):
    """What a launch of the variant is, without names."""
    launches = [{key: value for key, value in launch.items() if key != "symbol"} for launch in variant["launches"]]
    # Of a kernel some variants have workspaces that others do not use.
    uses = "workspace" in json.dumps(launches)
    return {"launches": launches, "workspaces": (variant.get("workspaces") or workspaces) if uses else []}


def signature(kernel):
    return [{key: arg.get(key) for key in ("name", "kind", "type", "element", "shape", "access", "strided", "alias")} for arg in kernel["args"]]


def main():
    tilec, scratch, *programs = [word for word in sys.argv[1:] if not word.startswith("--every=")]
    every = next((int(word.removeprefix("--every=")) for word in sys.argv if word.startswith("--every=")), 1)
    same = differ = 0
    for program in programs:
        for kernel in contract_of(tilec, program, "--emit=contract"):
            members = {}
            for variant in kernel["variants"]:
                members.setdefault(variant.get("member"), []).append(variant)
            for member, variants in list(members.items())[::every]:
                for variant in {variant["name"]: variant for variant in (variants[0], variants[-1])}.values():
                    options = ["--kernel=" + kernel["name"], "--variants=" + variant["name"].rpartition("/")[2], "--emit=json"]
                    if member is not None:
                        with open(scratch, "w", encoding="utf-8") as file:
                            file.write(f"{kernel['name']}: {member}\n")
                        options.append("--members=" + scratch)
                    (alone,) = contract_of(tilec, program, *options)
                    (only,) = alone["variants"]
                    expected, found = launched(variant, kernel.get("workspaces")), launched(only, alone.get("workspaces"))
                    if signature(alone) == signature(kernel) and expected == found:
                        same += 1
                        continue
                    differ += 1
                    print(f"{os.path.basename(program)}: {kernel['name']}, {variant['name']}")
                    for key in expected:
                        if expected[key] != found[key]:
                            print(f"  {key}: {json.dumps(expected[key])[:600]}\n  alone: {json.dumps(found[key])[:600]}")
    print(f"{same} variants as in the contract, {differ} differ")


if __name__ == "__main__":
    main()
