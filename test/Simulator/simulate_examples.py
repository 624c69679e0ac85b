# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""simulate_examples.py TILE-OPT EXAMPLES [--every=N] [--with=NAME,...]: runs cta-simulate on every example, as the pipeline allocates it with derived plans and
without any. With --every=N on every Nth example, half as many of them without plans, and both ways on those of --with. Its timeline must be sound (timeline.py)."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import timeline

SIZES = dict(M=300, N=520, K=200, B=2, H=2, S=300, T=300, Z=2, C=72, E=3, F=4, G=2, P=3, Q=35, R=600, W=70, X=4)
# Other names; and sizes that go together in one example only.
OTHER_SIZE = 40
OWN_SIZES = {"pooling": dict(H=6), "block-sparse": dict(P=6), "gemm-i4": dict(B=100, G=2), "gemm-i4-tiles": dict(B=100, G=2), "gemm-fp8-blocks": dict(KB=2, NB=5)}
# Random numbers would not meet what these kernels assume.
SCALARS = {"attention-decode": dict(tokens=2, splits=3), "attention-varlen": dict(longest=200),
           "attention-backward-varlen": dict(longest_q=200, longest_k=200), "attention-window": dict(window=150)}

failed = False
option = lambda name, default: next((a.removeprefix(f"--{name}=") for a in sys.argv if a.startswith(f"--{name}=")), default)
every, always = int(option("every", 1)), option("with", "").split(",")
file = os.path.join(tempfile.mkdtemp(), "timeline.json")
for number, path in enumerate(sorted(pathlib.Path(sys.argv[2]).glob("*.mlir"))):
    if number % every and path.stem not in always:
        continue
    # The pass refuses names that the program does not have.
    names = set(re.findall(r'"(\w+)"', "".join(re.findall(r"tile\.shape = \[(.*?)\]", path.read_text()))))
    sizes = SIZES | OWN_SIZES.get(path.stem, {})
    scalars = ",".join(f"{name}={value}" for name, value in SCALARS.get(path.stem, {}).items())
    simulate = f"--cta-simulate=sizes={','.join(f'{name}={sizes.get(name, OTHER_SIZE)}' for name in sorted(names))} timings=16 verbose timeline={file}"
    simulate += f" scalars={scalars}" if scalars else ""
    for plans in ("derived", "none") if number % (2 * every) == 0 or every == 1 or path.stem in always else ("derived",):
        allocate = f"--tessera-to-allocated=derive-plans={str(plans == 'derived').lower()}"
        done = subprocess.run([sys.argv[1], path, "--tile-bind-params", allocate, simulate, "-o", os.devnull], capture_output=True, text=True, timeout=120)
        launches = len(re.findall("remark: .*no violation", done.stderr))
        if done.returncode or not launches:
            print(f"{path.stem}, plans {plans}: failed\n{done.stderr}")
            failed = True
        else:
            print(f"{path.stem}, plans {plans}: {launches} launches clean")
            for text in timeline.check(file)[-1]:
                print(f"{path.stem}, plans {plans}: {text}")
                failed = True
os.remove(file)
os.rmdir(os.path.dirname(file))
sys.exit(failed)
