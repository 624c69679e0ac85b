# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grids whose bounds and steps are in memory: every output tile runs once, also where blocks wait, on any number of threads."""

import numpy as np
from tile_cpu import *

rng = np.random.default_rng(41)
program = Program("""
// Counts how often each point is visited, and where the coordinates are.
tile.kernel @visits(%b: memref<6xi64>, %V: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %a0 = memref.load %b[%c0] : memref<6xi64>
  %a1 = memref.load %b[%c1] : memref<6xi64>
  %a2 = memref.load %b[%c2] : memref<6xi64>
  %a3 = memref.load %b[%c3] : memref<6xi64>
  %a4 = memref.load %b[%c4] : memref<6xi64>
  %a5 = memref.load %b[%c5] : memref<6xi64>
  %l0 = arith.index_cast %a0 : i64 to index
  %l1 = arith.index_cast %a1 : i64 to index
  %u0 = arith.index_cast %a2 : i64 to index
  %u1 = arith.index_cast %a3 : i64 to index
  %s0 = arith.index_cast %a4 : i64 to index
  %s1 = arith.index_cast %a5 : i64 to index
  tile.grid (%i, %j) = (%l0, %l1) to (%u0, %u1) step (%s0, %s1) {
    %one = arith.constant 1 : i32
    tile.atomic add %one, %V[%i, %j] : i32 -> memref<?x?xi32>
  }
  tile.return
}

// An earlier grid counts; blocks of the later one wait for those with lower numbers.
tile.kernel @in_order(%x: memref<?xi32>, %n: memref<1xi32>, %next: memref<1xi32>, %sum: memref<1xi64>, %order: memref<?xi64>) {
  %z = arith.constant 0 : index
  %size = memref.dim %x, %z : memref<?xi32>
  tile.grid (%i) = (0) to (%size) step (64) {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%i] : memref<?xi32> -> tensor<64xi32>
    %zero = arith.constant dense<0> : tensor<64xi32>
    %positive = arith.cmpi sgt, %t, %zero : tensor<64xi32>
    %ones = arith.extui %positive : tensor<64xi1> to tensor<64xi32>
    %count = tile.reduce addi %ones dims = [0] : tensor<64xi32> -> tensor<i32>
    %c = tensor.extract %count[] : tensor<i32>
    tile.atomic add %c, %n[%c0] : i32 -> memref<1xi32>
  }
  %n32 = memref.load %n[%z] : memref<1xi32>
  %blocks = arith.index_cast %n32 : i32 to index
  tile.grid (%i) = (0) to (%blocks) step (1) {
    %c0 = arith.constant 0 : index
    %me = arith.index_cast %i : index to i32
    %nothing = arith.constant 0 : i32
    scf.while : () -> () {
      %turn = tile.atomic add acquire returning %nothing, %next[%c0] : i32 -> memref<1xi32>
      %wait = arith.cmpi ne, %turn, %me : i32
      scf.condition(%wait)
    } do {
      scf.yield
    }
    %old = memref.load %sum[%c0] : memref<1xi64>
    %three = arith.constant 3 : i64
    %scaled = arith.muli %old, %three : i64
    %wide = arith.extsi %me : i32 to i64
    %new = arith.addi %scaled, %wide : i64
    memref.store %new, %sum[%c0] : memref<1xi64>
    memref.store %old, %order[%i] : memref<?xi64>
    %one = arith.constant 1 : i32
    tile.atomic add release %one, %next[%c0] : i32 -> memref<1xi32>
  }
  tile.return
}

// The rows of a product are as many as memory says; a scale from memory is used by two grids.
tile.kernel @product(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %count: memref<1xi32>, %scale: memref<f32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n32 = memref.load %count[%c0] : memref<1xi32>
  %n = arith.index_cast %n32 : i32 to index
  %s = memref.load %scale[] : memref<f32>
  %N = memref.dim %B, %c1 : memref<?x?xf32>
  tile.grid (%i, %j) = (0, 0) to (%n, %N) step (16, 16) {
    %z = arith.constant 0 : index
    %one = arith.constant 1 : index
    %K = memref.dim %A, %one : memref<?x?xf32>
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %acc = scf.for %k = %z to %K step %c8 iter_args(%c = %zero) -> (tensor<16x16xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf32> -> tensor<16x8xf32>
      %b = tile.load %B[%k, %j] : memref<?x?xf32> -> tensor<8x16xf32>
      %d = tile.mma %a, %b, %c : tensor<16x8xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
      scf.yield %d : tensor<16x16xf32>
    }
    %factor = tensor.splat %s : tensor<16x16xf32>
    %out = arith.mulf %acc, %factor : tensor<16x16xf32>
    tile.store %out, %C[%i, %j] limit = [%n, _] : tensor<16x16xf32> -> memref<?x?xf32>
  }
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %t = arith.addf %s, %one : f32
    memref.store %t, %C[%n, %z] : memref<?x?xf32>
  }
  tile.return
}
""", "--check")

for l0, l1, u0, u1, s0, s1 in [(0, 0, 5, 7, 1, 1), (2, 1, 9, 40, 3, 7), (3, 0, 3, 5, 1, 1), (5, 2, 1, 9, 2, 2), (0, 0, 1, 40, 1, 1), (4, 4, 10, 10, 100, 1)]:
    want = np.zeros((12, 41), np.int32)
    for i in range(l0, u0, s0):
        want[i, l1:u1:s1] += 1
    for threads in (1, 3):
        got = program.run("visits", np.array([l0, l1, u0, u1, s0, s1]), np.zeros_like(want), out=[1], threads=threads)
        same(f"visits of ({l0}, {l1}) to ({u0}, {u1}) step ({s0}, {s1}), {threads} threads", got, want)

x = rng.integers(-5, 6, 160).astype(np.int32)
blocks = int((x > 0).sum())
want, sums = 0, np.full(160, -1)
for block in range(blocks):
    sums[block] = np.uint64(want).astype(np.int64)
    want = (want * 3 + block) % 2**64
for threads in (1, 2, 7):
    n, order = program.run("in_order", x, np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int64), np.full(160, -1), out=[1, 4],
                           threads=threads)
    same(f"blocks counted, {threads} threads", n, np.array([blocks], np.int32))
    same(f"blocks in order, {threads} threads", order, sums)

a, b = rng.standard_normal((50, 21)).astype(np.float32), rng.standard_normal((21, 35)).astype(np.float32)
for n in (0, 1, 16, 33, 49):
    got = program.run("product", a, b, np.array([n], np.int32), np.array(2.5, np.float32), np.full((50, 35), 9, np.float32), out=[4])
    want = np.full((50, 35), 9.0)
    want[:n] = 2.5 * (a[:n].astype(np.float64) @ b)
    want[n, 0] = 3.5
    check(f"a product of {n} rows", got, want, 1e-5, 1e-5)
finish()
