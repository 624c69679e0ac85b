# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of small tiles compile in every variant: small_products.py DIR [--every=N]

Operand tiles of less than 4 elements a thread, of one row or column, with odd extents. All variants, and those by name of which a launch may be the
first. With --every=N every Nth tile, other ones from layout to layout. Prints what does not compile and the last line `N compile`.
"""
import os
import subprocess
import sys

PROGRAM = """tile.kernel @{name}(%A: memref<{A}> {{tile.shape = [{sa}]}}, %B: memref<{B}> {{tile.shape = [{sb}]}}, %C: memref<?x?xf32> {{tile.shape = ["M", "N"]}}) {{
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step ({m}, {n}) {{
    %c0 = arith.constant 0 : index
    %step = arith.constant {k} : index
    %zero = arith.constant dense<0.0> : tensor<{m}x{n}xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<{m}x{n}xf32>) {{
      %a = tile.load %A[{ca}]{da} : memref<{A}> -> tensor<{m}x{k}x{e}>
      %b = tile.load %B[{cb}]{db} : memref<{B}> -> tensor<{k}x{n}x{e}>
      %d = tile.mma %a, %b, %c : tensor<{m}x{k}x{e}>, tensor<{k}x{n}x{e}> -> tensor<{m}x{n}xf32>
      scf.yield %d : tensor<{m}x{n}xf32>
    }}
    tile.store %acc, %C[%i, %j] : tensor<{m}x{n}xf32> -> memref<?x?xf32>
  }}
  tile.return
}}
"""
TILES = [(16, 16, 16), (64, 8, 16), (8, 8, 8), (16, 8, 16), (64, 16, 16), (16, 256, 16), (128, 8, 16), (24, 40, 16), (64, 8, 8), (1, 1, 1), (3, 5, 7), (1, 64, 16), (64, 24, 4)]


def source(tile, layout, element):
    m, n, k = tile
    array = f"?x?x{element}"
    a, b = (("M", "K"), "%i, %k", "") if layout[0] == "n" else (("K", "M"), "%k, %i", " dims = [1, 0]"), \
           (("K", "N"), "%k, %j", "") if layout[1] == "n" else (("N", "K"), "%j, %k", " dims = [1, 0]")
    shape_a, shape_b = ('"%s", "%s"' % operand[0] for operand in (a, b))
    return PROGRAM.format(name=f"g{m}x{n}x{k}", A=array, B=array, sa=shape_a, sb=shape_b, m=m, n=n, k=k, e=element, ca=a[1], da=a[2], cb=b[1], db=b[2])


folder, count = sys.argv[1], 0
every = next((int(word.removeprefix("--every=")) for word in sys.argv if word.startswith("--every=")), 1)
os.makedirs(folder, exist_ok=True)
for first, layout in enumerate(("nn", "nt", "tn")):
    tiles = TILES[first % every::every]
    path = os.path.join(folder, f"{layout}.mlir")
    with open(path, "w") as file:
        file.writelines(source(tile, layout, ("f16", "bf16")[(number + first) % 2]) for number, tile in enumerate(tiles))
    for variants in ("auto", "aligned", "cp_async"):
        run = subprocess.run(["tilec", path, f"--variants={variants}", "--emit=ptx", "-o", os.devnull], capture_output=True, text=True)
        count += len(tiles) if run.returncode == 0 else 0
        if run.returncode:
            print(f"{layout} --variants={variants}: {run.stderr.strip()}")
print(count, "compile")
