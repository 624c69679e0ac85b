# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""commands.py ROOT BIN SCRATCH PAGE...: the commands in the `sh` listings of the pages work, in the order of the page.

They run in a folder that looks like a checkout whose `build/dev` has the tested binaries, beside the programs that the pages speak of. NOT_RUN has the commands that are not run, each with the
reason, as patterns; one that is on no page is an error.
"""

import os
import re
import shutil
import subprocess
import sys

NOT_RUN = {
    "README.md": [
        (r"scripts/(check|demo)\.sh", "builds the whole project, and this test is a part of it"),
    ],
    "docs/Debugging.md": [
        (r"mutate_allocated\.py", "takes minutes; the test allocated-mutations runs a sample"),
    ],
}
PROGRAMS = {  # what the pages call the user's programs
    "x.mlir": "vector-add",
    "gemm.mlir": "gemm-nn-128x128x64",
}
MADE = {  # what the user has made before; by tilec, of which program
    "x.placed.mlir": ("x.mlir", ["--stop-after=placed"]),
    "allocated.mlir": ("gemm.mlir", ["--stop-after=allocated", "--variants=aligned"]),
    "edited.mlir": ("gemm.mlir", ["--stop-after=allocated", "--variants=aligned"]),
}


def commands(text):
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S):
        for line in block.replace("\\\n", " ").split("\n"):
            command = re.sub(r"\s+#\s.*$", "", line).strip()
            if command:
                yield command


def prepare(root, binaries, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    os.makedirs(os.path.join(scratch, "build"))
    os.symlink(os.path.dirname(binaries), os.path.join(scratch, "build", "dev"))
    for name in ("examples", "scripts", "test", "docs", ".venv"):
        if os.path.exists(os.path.join(root, name)):
            os.symlink(os.path.join(root, name), os.path.join(scratch, name))
    for name, example in PROGRAMS.items():
        shutil.copy(os.path.join(root, "examples", example + ".mlir"), os.path.join(scratch, name))


def run(command, scratch, env):
    return subprocess.run(["bash", "-c", "set -o pipefail; " + command], cwd=scratch, env=env, capture_output=True, text=True, check=False)


def main():
    root, binaries, scratch, *pages = sys.argv[1:]
    env = dict(os.environ, PATH=binaries + os.pathsep + os.environ["PATH"])
    prepare(root, os.path.abspath(binaries), scratch)
    for name, (source, options) in MADE.items():
        made = run(f"tilec {source} {' '.join(options)} > {name}", scratch, env)
        if made.returncode:
            print(f"error: {name}: {made.stderr}")
    for page in pages:
        with open(os.path.join(root, page), encoding="utf-8") as file:
            found = list(commands(file.read()))
        skipped = {pattern: 0 for pattern, _ in NOT_RUN.get(page, [])}
        count = 0
        for command in found:
            if patterns := [pattern for pattern in skipped if re.search(pattern, command)]:
                skipped[patterns[0]] += 1
                continue
            # The ellipsis stands for any passes.
            done = run(command.replace(" … ", " --tile-verify "), scratch, env)
            count += 1
            if done.returncode:
                print(f"error: {page}: {command}: exit code {done.returncode}\n{done.stdout[-1000:]}{done.stderr[-2000:]}")
        for pattern, times in skipped.items():
            if not times:
                print(f"error: {page} has no command like {pattern}; take it out of NOT_RUN")
        print(f"{page}: {count} commands ran, {sum(skipped.values())} did not")


main()
