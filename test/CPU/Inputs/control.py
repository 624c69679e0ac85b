# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow over tiles, order of memory, grids, workspace, scalars, views, helper functions."""

import numpy as np
from tile_cpu import *

PROGRAM = """
// A load is a copy: the swap of two halves works in place, and a loop sees its own stores.
tile.kernel @swap(%x: memref<?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %a = tile.load %x[%c0] : memref<?xf32> -> tensor<8xf32>
    %b = tile.load %x[%c8] : memref<?xf32> -> tensor<8xf32>
    tile.store %b, %x[%c0] : tensor<8xf32> -> memref<?xf32>
    tile.store %a, %x[%c8] : tensor<8xf32> -> memref<?xf32>
  }
  tile.return
}
tile.kernel @running(%x: memref<?xf32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %n step %c4 {
      %j = arith.addi %i, %c4 : index
      %a = tile.load %x[%i] : memref<?xf32> -> tensor<4xf32>
      %b = tile.load %x[%j] : memref<?xf32> -> tensor<4xf32>
      %c = arith.addf %a, %b : tensor<4xf32>
      tile.store %c, %x[%j] : tensor<4xf32> -> memref<?xf32>
    }
  }
  tile.return
}
// Two loop-carried tiles that change places, and one that is used after the loop's first value is overwritten.
tile.kernel @fibonacci(%y: memref<?xi32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %a = arith.constant dense<0> : tensor<8xi32>
    %b = tile.iota dim = 0 : tensor<8xi32>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (tensor<8xi32>, tensor<8xi32>) {
      %s = arith.addi %p, %q : tensor<8xi32>
      scf.yield %q, %s : tensor<8xi32>, tensor<8xi32>
    }
    tile.store %r#0, %y[%c0] : tensor<8xi32> -> memref<?xi32>
    tile.store %r#1, %y[%c8] : tensor<8xi32> -> memref<?xi32>
    tile.store %b, %y[%c16] : tensor<8xi32> -> memref<?xi32>
  }
  tile.return
}
tile.kernel @branches(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}, %flag: i1, %which: index) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (8) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<8xf32>
    %two = arith.constant dense<2.0> : tensor<8xf32>
    %r = scf.if %flag -> (tensor<8xf32>) {
      %d = arith.mulf %a, %two : tensor<8xf32>
      scf.yield %d : tensor<8xf32>
    } else {
      scf.yield %a : tensor<8xf32>
    }
    %s = scf.index_switch %which -> tensor<8xf32>
    case 0 {
      scf.yield %r : tensor<8xf32>
    }
    case 3 {
      %m = arith.negf %r : tensor<8xf32>
      scf.yield %m : tensor<8xf32>
    }
    default {
      scf.yield %two : tensor<8xf32>
    }
    %t = arith.select %flag, %s, %a : tensor<8xf32>
    tile.store %t, %y[%i] : tensor<8xf32> -> memref<?xf32>
  }
  tile.return
}
// What a switch yields outlives what is computed after it: from a region, from outside, from a loop, from a switch in a switch.
tile.kernel @switched(%x: memref<8xf32>, %y: memref<8xi32>, %out: memref<4x8xf32>, %which: index, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %a = tile.load %x[%c0] : memref<8xf32> -> tensor<8xf32>
    %two = arith.constant dense<2.0> : tensor<8xf32>
    %b = arith.mulf %a, %two : tensor<8xf32>
    %r:2 = scf.index_switch %which -> tensor<8xf32>, tensor<8xf32>
    case 0 {
      %d = arith.subf %b, %a : tensor<8xf32>
      scf.yield %d, %b : tensor<8xf32>, tensor<8xf32>
    }
    case 5 {
      %d = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> (tensor<8xf32>) {
        %q = scf.index_switch %i -> tensor<8xf32>
        case 1 {
          %e = arith.addf %s, %b : tensor<8xf32>
          scf.yield %e : tensor<8xf32>
        }
        default {
          scf.yield %s : tensor<8xf32>
        }
        %u = arith.addf %q, %two : tensor<8xf32>
        scf.yield %u : tensor<8xf32>
      }
      scf.yield %a, %d : tensor<8xf32>, tensor<8xf32>
    }
    default {
      scf.yield %two, %a : tensor<8xf32>, tensor<8xf32>
    }
    %i = tile.load %y[%c0] : memref<8xi32> -> tensor<8xi32>
    %f = arith.sitofp %i : tensor<8xi32> to tensor<8xf32>
    %g = arith.addf %f, %b : tensor<8xf32>
    tile.store %r#0, %out[%c0, %c0] : tensor<8xf32> -> memref<4x8xf32>
    tile.store %r#1, %out[%c1, %c0] : tensor<8xf32> -> memref<4x8xf32>
    tile.store %f, %out[%c2, %c0] : tensor<8xf32> -> memref<4x8xf32>
    tile.store %g, %out[%c3, %c0] : tensor<8xf32> -> memref<4x8xf32>
  }
  tile.return
}
// Doubles until the maximum passes a bound.
tile.kernel @until(%x: memref<?xf32>, %y: memref<?xf32>, %bound: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0] : memref<?xf32> -> tensor<8xf32>
    %two = arith.constant dense<2.0> : tensor<8xf32>
    %r = scf.while (%t = %a) : (tensor<8xf32>) -> tensor<8xf32> {
      %m = tile.reduce maximumf %t dims = [0] : tensor<8xf32> -> tensor<f32>
      %s = tensor.extract %m[] : tensor<f32>
      %go = arith.cmpf olt, %s, %bound : f32
      scf.condition(%go) %t : tensor<8xf32>
    } do {
    ^bb0(%t: tensor<8xf32>):
      %d = arith.mulf %t, %two : tensor<8xf32>
      scf.yield %d : tensor<8xf32>
    }
    tile.store %r, %y[%c0] : tensor<8xf32> -> memref<?xf32>
  }
  tile.return
}
// Column sums through workspace: the second grid sees what the first wrote.
tile.kernel @phases(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %c16 = arith.constant 16 : index
  %parts = arith.ceildivsi %M, %c16 : index
  %partial = memref.alloc(%parts, %N) : memref<?x?xf32>
  %seed = memref.alloc() {tile.init = 10.0 : f32} : memref<1xf32>
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (16, 32) {
    %a = tile.load %x[%i, %j] : memref<?x?xf32> -> tensor<16x32xf32>
    %s = tile.reduce addf %a dims = [0] : tensor<16x32xf32> -> tensor<32xf32>
    %sixteen = arith.constant 16 : index
    %p = arith.divui %i, %sixteen : index
    tile.store %s, %partial[%p, %j] dims = [1] : tensor<32xf32> -> memref<?x?xf32>
  }
  tile.grid (%j) = (0) to (%N) step (32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %init = memref.load %seed[%c0] : memref<1xf32>
    %zero = tile.broadcast %init dims = [] : f32 -> tensor<32xf32>
    %r = scf.for %p = %c0 to %parts step %c1 iter_args(%c = %zero) -> (tensor<32xf32>) {
      %a = tile.load %partial[%p, %j] dims = [1] : memref<?x?xf32> -> tensor<32xf32>
      %d = arith.addf %c, %a : tensor<32xf32>
      scf.yield %d : tensor<32xf32>
    }
    tile.store %r, %y[%j] : tensor<32xf32> -> memref<?xf32>
  }
  tile.return
}
// Numbers its blocks. Lower bounds, steps that are arguments, rank 3.
tile.kernel @grid3(%y: memref<?x?x?xi32>, %a: index, %b: index, %c: index, %lo: index, %step: index) {
  tile.grid (%i, %j, %k) = (%lo, 0, 0) to (%a, %b, %c) step (%step, 1, 2) {
    %c100 = arith.constant 100 : index
    %c10 = arith.constant 10 : index
    %p = arith.muli %i, %c100 : index
    %q = arith.muli %j, %c10 : index
    %r = arith.addi %p, %q : index
    %s = arith.addi %r, %k : index
    %v = arith.index_cast %s : index to i32
    memref.store %v, %y[%i, %j, %k] : memref<?x?x?xi32>
  }
  tile.return
}
// Every scalar type reaches the block.
tile.kernel @scalars(%y: memref<?xf64>, %a: f64, %b: f32, %c: f16, %d: bf16, %e: i64, %f: i32, %g: i16, %h: i8, %i: i1, %j: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %b1 = arith.extf %b : f32 to f64
    %c2 = arith.extf %c : f16 to f64
    %d1 = arith.extf %d : bf16 to f64
    %e1 = arith.sitofp %e : i64 to f64
    %f1 = arith.sitofp %f : i32 to f64
    %g1 = arith.sitofp %g : i16 to f64
    %h1 = arith.sitofp %h : i8 to f64
    %i1 = arith.uitofp %i : i1 to f64
    %jj = arith.index_cast %j : index to i64
    %j1 = arith.sitofp %jj : i64 to f64
    %t = tensor.from_elements %a, %b1, %c2, %d1, %e1, %f1, %g1, %h1, %i1, %j1 : tensor<10xf64>
    tile.store %t, %y[%c0] : tensor<10xf64> -> memref<?xf64>
  }
  tile.return
}
// Views of an argument.
tile.kernel @views(%x: memref<?x?xf32>, %y: memref<?xf32>, %z: memref<?x?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : memref<?x?xf32>
    %n = memref.dim %x, %c1 : memref<?x?xf32>
    %m1 = arith.subi %m, %c1 : index
    // Rows from 1, every second column.
    %c2 = arith.constant 2 : index
    %half = arith.ceildivui %n, %c2 : index
    %v = memref.subview %x[1, 0] [%m1, %half] [1, 2] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 2], offset: ?>>
    %a = tile.load %v[%c0, %c0] pad = nan : memref<?x?xf32, strided<[?, 2], offset: ?>> -> tensor<4x4xf32>
    tile.store %a, %z[%c0, %c0] : tensor<4x4xf32> -> memref<?x?xf32>
    // All elements as one dimension.
    %flat = memref.collapse_shape %x [[0, 1]] : memref<?x?xf32> into memref<?xf32>
    %b = tile.load %flat[%c1] pad = nan : memref<?xf32> -> tensor<32xf32>
    tile.store %b, %y[%c0] : tensor<32xf32> -> memref<?xf32>
  }
  tile.return
}
func.func private @twice(%t: tensor<8xf32>) -> tensor<8xf32> {
  %two = arith.constant dense<2.0> : tensor<8xf32>
  %r = arith.mulf %t, %two : tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func private @copy_twice(%x: memref<?xf32>, %y: memref<?xf32>, %i: index) {
  %a = tile.load %x[%i] : memref<?xf32> -> tensor<8xf32>
  %b = func.call @twice(%a) : (tensor<8xf32>) -> tensor<8xf32>
  tile.store %b, %y[%i] : tensor<8xf32> -> memref<?xf32>
  return
}
tile.kernel @helpers(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  tile.grid (%i) = (0) to (%n) step (8) {
    func.call @copy_twice(%x, %y, %i) : (memref<?xf32>, memref<?xf32>, index) -> ()
  }
  tile.return
}
// Strides that are not those of the sizes; a row repeated by stride 0; an offset in the type.
tile.kernel @strided(%x: memref<4x6xf32, strided<[?, ?]>>, %row: memref<4x6xf32, strided<[0, 1]>>, %y: memref<4x6xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : memref<4x6xf32, strided<[?, ?]>> -> tensor<4x6xf32>
    %b = tile.load %row[%c0, %c0] : memref<4x6xf32, strided<[0, 1]>> -> tensor<4x6xf32>
    %c = arith.addf %a, %b : tensor<4x6xf32>
    tile.store %c, %y[%c0, %c0] : tensor<4x6xf32> -> memref<4x6xf32>
  }
  tile.return
}
tile.kernel @offset(%x: memref<8xf32, strided<[1], offset: 3>>, %y: memref<8xf32, strided<[1], offset: ?>>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0] : memref<8xf32, strided<[1], offset: 3>> -> tensor<8xf32>
    tile.store %a, %y[%c0] : tensor<8xf32> -> memref<8xf32, strided<[1], offset: ?>>
  }
  tile.return
}
// Exactly one product fuses; a*b - c*d with equal products is exactly 0.
tile.kernel @contract(%x: memref<?xf32>, %y: memref<?xf32>, %d: memref<?xf32>, %f: memref<?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0] : memref<?xf32> -> tensor<64xf32>
    %b = tile.load %y[%c0] : memref<?xf32> -> tensor<64xf32>
    %p = arith.mulf %a, %b : tensor<64xf32>
    %q = arith.mulf %b, %a : tensor<64xf32>
    %r = arith.subf %p, %q : tensor<64xf32>
    tile.store %r, %d[%c0] : tensor<64xf32> -> memref<?xf32>
    %u = arith.mulf %a, %b : tensor<64xf32>
    %v = arith.addf %u, %b : tensor<64xf32>
    tile.store %v, %f[%c0] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}
// One rounding of a*b + c in narrow types.
tile.kernel @narrow_fma(%a: memref<?xf16>, %b: memref<?xf16>, %c: memref<?xf16>, %d: memref<?xf16>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf16>
  tile.grid (%i) = (0) to (%n) step (64) {
    %x = tile.load %a[%i] : memref<?xf16> -> tensor<64xf16>
    %y = tile.load %b[%i] : memref<?xf16> -> tensor<64xf16>
    %z = tile.load %c[%i] : memref<?xf16> -> tensor<64xf16>
    %p = arith.mulf %x, %y : tensor<64xf16>
    %r = arith.addf %p, %z : tensor<64xf16>
    tile.store %r, %d[%i] : tensor<64xf16> -> memref<?xf16>
  }
  tile.return
}
"""

rng = np.random.default_rng(7)
p = Program(PROGRAM)
x = floats(rng, 16, "f32", False)
same("swap", p.run("swap", x, out=[0]), np.concatenate([x[8:], x[:8]]))
x = floats(rng, 24, "f32", False)
same("running", p.run("running", x, 20, out=[0]), np.add.accumulate(x.reshape(6, 4)).reshape(-1).astype(np.float32))
for n in [0, 1, 2, 9]:
    a, b = np.zeros(8, np.int32), np.arange(8, dtype=np.int32)
    for _ in range(n):
        a, b = b, a + b
    same(f"fibonacci {n}", p.run("fibonacci", np.zeros(24, np.int32), n, out=[0]),
         np.concatenate([a, b, np.arange(8)]).astype(np.int32))
x = floats(rng, 21, "f32", False)
for flag, which, want in [(1, 0, 2 * x), (0, 0, x), (1, 3, -2 * x), (0, 3, x), (1, 1, np.full_like(x, 2))]:
    same(f"branches {flag} {which}", p.run("branches", x, "nan:21xf32", flag, which, out=[1]), want)
x, y, two = np.arange(1, 9, dtype=np.float32) / 4, np.arange(30, 38, dtype=np.int32), np.full(8, 2, np.float32)
for which, n in [(0, 0), (5, 0), (5, 1), (5, 4), (1, 3)]:
    looped = x
    for i in range(n):
        looped = looped + (2 * x if i == 1 else 0) + two
    rows = {0: (x, 2 * x), 5: (x, looped)}.get(which, (two, x))
    same(f"switched {which} {n}", p.run("switched", x, y, "nan:4x8xf32", which, n, out=[2]), np.stack([*rows, y.astype(np.float32), y + 2 * x]).astype(np.float32))
x = np.abs(floats(rng, 8, "f32", False)) + np.float32(0.1)
want = x.copy()
while want.max() < 1000:
    want *= 2
same("until", p.run("until", x, "nan:8xf32", 1000.0, out=[1]), want)
for m, n in [(1, 1), (16, 32), (50, 70), (0, 40), (33, 0)]:
    x = floats(rng, (m, n), "f32", False)
    check(f"phases {m} {n}", p.run("phases", x, np.full(n, np.nan, np.float32), out=[1]),
          10 + x.sum(0, dtype=np.float32), 1e-4, 1e-4)
for a, b, c, lo, step in [(5, 3, 4, 1, 2), (6, 1, 1, 0, 1), (0, 3, 4, 0, 1), (3, 3, 4, 5, 1), (4, 0, 4, 0, 1)]:
    want = np.zeros((6, 3, 5), np.int32)
    for i in range(lo, a, step):
        for j in range(b):
            for k in range(0, c, 2):
                want[i, j, k] = 100 * i + 10 * j + k
    same(f"grid3 {a} {b} {c} {lo} {step}", p.run("grid3", np.zeros_like(want), a, b, c, lo, step, out=[0]), want)
got = p.run("scalars", np.zeros(10), -1.25, 0.1, 2.5, -0.375, -(2**40), -7, 300, -100, 1, 12345678901, out=[0])
same("scalars", got, np.array([-1.25, np.float32(0.1), 2.5, -0.375, -(2.0**40), -7, 300, -100, 1, 12345678901]))
x = floats(rng, (4, 7), "f32", False)
y, z = p.run("views", x, np.full(40, 5, np.float32), np.zeros((4, 4), np.float32), out=[1, 2])
want = np.full((4, 4), np.nan, np.float32)
want[:3] = x[1:, ::2]
same("subview", z, want)
same("collapse", y, np.concatenate([x.reshape(-1)[1:], np.full(5, np.nan), np.full(8, 5)]).astype(np.float32))
x = floats(rng, 19, "f32", False)
same("helpers", p.run("helpers", x, "nan:19xf32", out=[1]), 2 * x)
grid = np.arange(24, dtype=np.float32).reshape(4, 6)
for strides in ["6,1", "1,4", "100,3"]:
    got = p.run("strided", f"arange:4x6xf32:strides={strides}", "ones:4x6xf32:strides=0,1", "nan:4x6xf32", out=[2])
    same(f"strided {strides}", got, grid + 1)
got = p.run("offset", "arange:8xf32:offset=3", "nan:8xf32:offset=5", out=[1])
same("offset", got, np.arange(8, dtype=np.float32))

x, y = floats(rng, 64, "f32", False), floats(rng, 64, "f32", False)
exact = x.astype(np.float64) * y + y  # the product is exact in f64
unfused = (x * y + y).astype(np.float32)
d, f = p.run("contract", x, y, "nan:64xf32", "nan:64xf32", out=[2, 3])
same("difference of products", d, np.zeros(64, np.float32))
same("fused", f, exact.astype(np.float32))
off = Program(PROGRAM[PROGRAM.index("tile.kernel @contract"):].replace(
    "%f: memref<?xf32>) {", "%f: memref<?xf32>) attributes {fp_contract = #tile.switch<off>} {"), "-mcpu=native")
d, f = off.run("contract", x, y, "nan:64xf32", "nan:64xf32", out=[2, 3])
same("not fused", f, unfused)
a, b, c = (floats(rng, 5000, "f16", False) for _ in range(3))
want = a.astype(np.float64) * b + c
same("narrow fma", p.run("narrow_fma", a, b, c, "nan:5000xf16", out=[3]), want.astype(np.float16))
check("fusing matters", np.array([(unfused != exact.astype(np.float32)).sum() > 5]), np.array([True]), 0, 0)
finish()
