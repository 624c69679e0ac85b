# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with all kinds of names: names.py FOLDER. One artifact for each target has all of them; each is found by its name, and
those on the CPU run. Functions have names that PTX and ELF know."""

import json
import os
import subprocess
import sys

FOLDER = sys.argv[1]
os.makedirs(FOLDER, exist_ok=True)
NAMES = ["plain", "a b", "a_b", "a$20b", "1abc", "a.b", "%x", "$", "_", "schön ☃", 'say "x"', "back\\slash", "main", "add",
         "__tessera_contract", "x" * 5000, "x" * 4999 + "y", "ret;", "a b_0", "plain_0", "%", "-1", "--list"]


def quoted(name):
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in name.encode())


def kernel(name, factor):
    return f"""tile.kernel @"{quoted(name)}"(%x: memref<?xf32>, %y: memref<?xf32>) {{
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %f = arith.constant {factor}.0 : f32
  tile.grid (%i) = (0) to (%n) step (128) {{
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<128xf32>
    %b = tensor.splat %f : tensor<128xf32>
    %c = arith.mulf %a, %b : tensor<128xf32>
    tile.store %c, %y[%i] : tensor<128xf32> -> memref<?xf32>
  }}
  tile.return
}}
"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)[:300]}\nfails: {done.stderr[:1000]}")
    return done.stdout


source = os.path.join(FOLDER, "names.mlir")
with open(source, "w") as file:
    file.write("".join(kernel(name, i + 2) for i, name in enumerate(NAMES)))
for artifact, options in (("names.so", ["--target=cpu"]), ("names.cubin", [])):
    if artifact.endswith(".cubin") and sys.argv[2] != "ptxas":
        continue
    path = os.path.join(FOLDER, artifact)
    run("tilec", source, "-o", path, *options, "--report=full")
    listed = json.loads(run("tile-run", path, "--list", "--json"))
    assert [kernel["name"] for kernel in listed["kernels"]] == NAMES, listed
    symbols = [launch["symbol"] for kernel in listed["kernels"] for variant in kernel["variants"]
               for launch in variant["launches"]]
    assert len(set(symbols)) == len(symbols), symbols
    for symbol in symbols:
        assert len(symbol) <= 1000 and all(c.isascii() and (c.isalnum() or c in "_$") for c in symbol) and not symbol[0].isdigit(), symbol
    exported = run("llvm-nm", "-D", path) if artifact.endswith(".so") else run("llvm-nm", path)
    for symbol in symbols:
        assert f" {symbol}\n" in exported, symbol
for i, name in enumerate(NAMES):
    text = run("tile-run", os.path.join(FOLDER, "names.so"), f"--kernel={name}", "ones:100xf32", "nan:100xf32",
               "--check", f"1=ones:100xf32:scale={i + 2}")
    assert "0 of 100 elements differ" in text, text
# PTX as the output needs no ptxas.
run("tilec", source, "--emit=ptx", "-o", os.path.join(FOLDER, "names.ptx"))
print("good")
