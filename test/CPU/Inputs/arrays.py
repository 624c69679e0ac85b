# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays whose addresses are in tables: all element types, ragged sizes and strides, every kind of access, and arrays that overlap."""

import numpy as np
from tile_cpu import *

rng = np.random.default_rng(31)

# --- Copies of all types: sizes and row pitches from memory, and no access outside of them. ---

ELEMENTS = ["f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "i1"]
copies = "\n".join(f"""
tile.kernel @copy_{e}(%T: memref<?xi64>, %U: memref<?xi64>, %S: memref<?x3xi64>) {{
  %c0 = arith.constant 0 : index
  %n = memref.dim %T, %c0 : memref<?xi64>
  tile.grid (%g, %i) = (0, 0) to (%n, 24) step (1, 8) {{
    %z = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %m64 = memref.load %S[%g, %z] : memref<?x3xi64>
    %n64 = memref.load %S[%g, %one] : memref<?x3xi64>
    %l64 = memref.load %S[%g, %two] : memref<?x3xi64>
    %m = arith.index_cast %m64 : i64 to index
    %k = arith.index_cast %n64 : i64 to index
    %ld = arith.index_cast %l64 : i64 to index
    %a = tile.array_at %T[%g] sizes [%m, %k] strides [%ld, 1] : memref<?xi64> -> memref<?x?x{e}, strided<[?, 1]>>
    %b = tile.array_at %U[%g] sizes [%k, %m] : memref<?xi64> -> memref<?x?x{e}>
    %x = tile.load %a[%i, %z] : memref<?x?x{e}, strided<[?, 1]>> -> tensor<8x16x{e}>
    tile.store %x, %b[%z, %i] dims = [1, 0] : tensor<8x16x{e}> -> memref<?x?x{e}>
  }}
  tile.return
}}""" for e in ELEMENTS)
program = Program(copies, "--check")
SIZES = np.array([[1, 1, 1], [8, 16, 16], [7, 13, 40], [0, 5, 5], [24, 9, 9], [3, 0, 1]])


def save(name, array):
    np.save(program.path(name), array.view(np.uint16) if array.dtype.name == "bfloat16" else array)
    return program.path(name)


for e in ELEMENTS:
    arrays = [(rng.standard_normal((m, ld)) * 50).astype(DTYPES[e]) for m, _, ld in SIZES]
    table = "addresses:" + ",".join(save(f"{e}{i}.npy", a) for i, a in enumerate(arrays))
    results = "addresses:" + ",".join(f"zeros:{n}x{m}x{e}" for m, n, _ in SIZES)
    flags = [word for i in range(len(SIZES)) for word in ("--out", f"U[{i}]={program.path(f'r{i}.npy')}")]
    program.run(f"copy_{e}", table, results, SIZES, out=[2], flags=flags)
    for i, (a, (_, n, _)) in enumerate(zip(arrays, SIZES)):
        same(f"copy of {e}, array {i}", typed(np.load(program.path(f"r{i}.npy")), e), np.ascontiguousarray(a[:, :n].T))

# --- Every kind of access. ---

program = Program("""
tile.kernel @accesses(%T: memref<2xi64>, %at: memref<8xi32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %c9 = arith.constant 9 : index
    %a = tile.array_at %T[%c0] sizes [%n, 4] align = 4 : memref<2xi64> -> memref<?x4xf32>
    %b = tile.array_at %T[%c1] sizes [12, 4] : memref<2xi64> -> memref<12x4xf32>
    %rows = tile.load %at[%c0] : memref<8xi32> -> tensor<8xi32>
    // Rows by an index tile, some of them outside, a limit and a mask.
    %odd = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
    %g = tile.load %a[%rows : tensor<8xi32>, %c0] limit = [%c9, _] mask = %odd on [1] : memref<?x4xf32> -> tensor<8x4xf32>
    tile.store %g, %b[%c0, %c0] : tensor<8x4xf32> -> memref<12x4xf32>
    // Every second row, and a view.
    %s = tile.load %a[%c1, %c0] strides = [2, 1] : memref<?x4xf32> -> tensor<2x4xf32>
    %view = memref.subview %b[8, 0] [4, 4] [1, 1] : memref<12x4xf32> to memref<4x4xf32, strided<[4, 1], offset: 32>>
    tile.store %s, %view[%c0, %c0] : tensor<2x4xf32> -> memref<4x4xf32, strided<[4, 1], offset: 32>>
    // A scalar, and atomics, which see what was stored before.
    %x = memref.load %a[%c5, %c2] : memref<?x4xf32>
    memref.store %x, %view[%c2, %c0] : memref<4x4xf32, strided<[4, 1], offset: 32>>
    %ones = arith.constant dense<1.0> : tensor<8xf32>
    %zeros = arith.constant dense<0> : tensor<8xi32>
    tile.atomic add %ones, %view[%c2, %zeros : tensor<8xi32>] dims = [1] : tensor<8xf32> -> memref<4x4xf32, strided<[4, 1], offset: 32>>
    %half = arith.constant 0.5 : f32
    %old = tile.atomic exchange returning %half, %b[%c0, %c0] : f32 -> memref<12x4xf32>
    %c11 = arith.constant 11 : index
    memref.store %old, %b[%c11, %c0] : memref<12x4xf32>
    %d = memref.dim %a, %c0 : memref<?x4xf32>
    %d32 = arith.index_cast %d : index to i32
    %df = arith.sitofp %d32 : i32 to f32
    memref.store %df, %b[%c11, %c1] : memref<12x4xf32>
  }
  tile.return
}

// The table has the addresses of arguments: what one writes the other reads, in program order.
tile.kernel @overlap(%A: memref<32xf32>, %T: memref<?xi64>, %R: memref<32xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %a = tile.array_at %T[%c0] sizes [16] : memref<?xi64> -> memref<16xf32>
    %b = tile.array_at %T[%c1] sizes [16] : memref<?xi64> -> memref<16xf32>
    %one = arith.constant dense<1.0> : tensor<16xf32>
    %x = tile.load %a[%c0] : memref<16xf32> -> tensor<16xf32>
    %x1 = arith.addf %x, %one : tensor<16xf32>
    tile.store %x1, %A[%c0] : tensor<16xf32> -> memref<32xf32>
    // b begins at the middle of a.
    %y = tile.load %b[%c0] : memref<16xf32> -> tensor<16xf32>
    %y1 = arith.addf %y, %y : tensor<16xf32>
    tile.store %y1, %a[%c0] : tensor<16xf32> -> memref<16xf32>
    %z = tile.load %A[%c8] : memref<32xf32> -> tensor<16xf32>
    tile.store %z, %R[%c0] : tensor<16xf32> -> memref<32xf32>
    %w = tile.load %b[%c0] : memref<16xf32> -> tensor<16xf32>
    tile.store %w, %R[%c16] : tensor<16xf32> -> memref<32xf32>
  }
  tile.return
}

// A list: each node is the number of the next one and 3 numbers; the kernel writes the table that it reads. And two buffers that change
// places in each step.
tile.kernel @list(%N: memref<?xi64>, %T: memref<?xi64>, %steps: index, %R: memref<4xi64>, %buffers: memref<2xi64>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0> : tensor<4xi64>
    %first = memref.load %N[%c0] : memref<?xi64>
    memref.store %first, %T[%c0] : memref<?xi64>
    %hand = arith.constant dense<[0, 1, 1, 1]> : tensor<4xi64>
    %sum = scf.for %s = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<4xi64>) {
      %node = tile.array_at %T[%s] sizes [4] : memref<?xi64> -> memref<4xi64>
      %x = tile.load %node[%c0] : memref<4xi64> -> tensor<4xi64>
      %y = arith.muli %x, %hand : tensor<4xi64>
      %acc1 = arith.addi %acc, %y : tensor<4xi64>
      %number = memref.load %node[%c0] : memref<4xi64>
      %j = arith.index_cast %number : i64 to index
      %next = memref.load %N[%j] : memref<?xi64>
      %s1 = arith.addi %s, %c1 : index
      memref.store %next, %T[%s1] : memref<?xi64>
      %from = tile.array_at %buffers[%c0] sizes [8] : memref<2xi64> -> memref<8xi32>
      %to = tile.array_at %buffers[%c1] sizes [8] : memref<2xi64> -> memref<8xi32>
      %b = tile.load %from[%c0] : memref<8xi32> -> tensor<8xi32>
      %b1 = arith.addi %b, %b : tensor<8xi32>
      tile.store %b1, %to[%c0] : tensor<8xi32> -> memref<8xi32>
      %p = memref.load %buffers[%c0] : memref<2xi64>
      %q = memref.load %buffers[%c1] : memref<2xi64>
      memref.store %q, %buffers[%c0] : memref<2xi64>
      memref.store %p, %buffers[%c1] : memref<2xi64>
      scf.yield %acc1 : tensor<4xi64>
    }
    tile.store %sum, %R[%c0] : tensor<4xi64> -> memref<4xi64>
  }
  tile.return
}
""")
a = rng.standard_normal((10, 4)).astype(np.float32)
rows = np.array([3, -1, 0, 9, 8, 10, 3, 5], np.int32)
program.run("accesses", f"addresses:{save('a.npy', a)},zeros:12x4xf32", rows, 10, out=[1], flags=["--out", f"T[1]={program.path('b.npy')}"])
want = np.zeros((12, 4), np.float32)
for i, r in enumerate(rows):
    if 0 <= r < 9:
        want[i] = a[r] * [1, 0, 1, 1]
want[8:10] = a[1:5:2]
want[10, 0] = a[5, 2]
for _ in range(8):
    want[10, 0] += np.float32(1)
want[11, 0], want[0, 0], want[11, 1] = want[0, 0], 0.5, 10
check("accesses", np.load(program.path("b.npy")), want, 1e-6, 0)

x = np.arange(32, dtype=np.float32)
got, result = program.run("overlap", x, "addresses:@A,@0+8", np.zeros(32, np.float32), out=[0, 2])
x[:16] += 1
x[:16] = 2 * x[8:24]
same("overlap: the argument", got, x)
same("overlap: what was read", result, np.concatenate([x[8:24], x[8:24]]))

nodes = rng.integers(-99, 99, (5, 4))
nodes[:, 0] = rng.permutation(5)
table = "addresses:" + ",".join(save(f"node{i}.npy", node) for i, node in enumerate(nodes))
for steps in (0, 1, 7):
    total, b0, b1 = np.zeros(4, np.int64), np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    place = 0
    for _ in range(steps):
        total += nodes[place] * [0, 1, 1, 1]
        place = nodes[place][0]
        b0, b1 = 2 * b0, b0
    flags = [word for i in range(2) for word in ("--out", f"buffers[{i}]={program.path(f'b{i}.npy')}")]
    got = program.run("list", table, np.zeros(8, np.int64), steps, np.zeros(4, np.int64), "addresses:arange:8xi32,zeros:8xi32", out=[3], flags=flags)
    same(f"a list of {steps}", got, total)
    for i, want in enumerate((b0, b1) if steps % 2 == 0 else (b1, b0)):
        same(f"buffer {i} after {steps}", np.load(program.path(f"b{i}.npy")), want)
finish()
