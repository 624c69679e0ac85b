// Upstream's passes leave a legal program legal: grids of one block, of none and of rank 0 stay as they are,
// constants of tiles stay inside, helpers are inlined.

// RUN: tile-opt %s --pass-pipeline='builtin.module(inline,symbol-dce,tile.kernel(tile-verify),canonicalize,tile.kernel(tile-verify),cse,tile.kernel(tile-verify),loop-invariant-code-motion,tile.kernel(tile-verify),sccp,tile.kernel(tile-verify),canonicalize,cse,tile.kernel(tile-verify))' | FileCheck %s
// RUN: tile-opt %s --pass-pipeline='builtin.module(inline,tile.kernel(sccp,tile-verify,loop-invariant-code-motion,tile-verify,cse,tile-verify,canonicalize{max-iterations=20},tile-verify))' -o /dev/null

// CHECK-NOT: func.func
func.func private @scale(%x: tensor<4x4xf32>, %i: index) -> (tensor<4x4xf32>, index) {
  %c = arith.constant dense<2.0> : tensor<4x4xf32>
  %two = arith.constant 2 : index
  %y = arith.mulf %x, %c : tensor<4x4xf32>
  %j = arith.muli %i, %two : index
  return %y, %j : tensor<4x4xf32>, index
}

// A helper with control flow, called from a loop in a grid.
func.func private @relu(%x: tensor<4x4xf32>, %c: i1) -> tensor<4x4xf32> {
  %r = scf.if %c -> tensor<4x4xf32> {
    %zero = arith.constant dense<0.0> : tensor<4x4xf32>
    %y = arith.maximumf %x, %zero : tensor<4x4xf32>
    scf.yield %y : tensor<4x4xf32>
  } else {
    scf.yield %x : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// CHECK-LABEL: tile.kernel @grids
// CHECK-NOT:   dense
tile.kernel @grids(%A: memref<?x?xf32> {tile.shape = ["M", "N"]}, %B: memref<?x?xf32>, %flag: i1) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = arith.addi %c1, %c3 : index
  %M = tile.dim "M" : index
  // Rank 0.
  // CHECK:      tile.grid () = () to () step () {
  // CHECK-DAG:    arith.constant dense<1.000000e+00> : tensor<4x4xf32>
  // CHECK-DAG:    arith.constant dense<2.000000e+00> : tensor<4x4xf32>
  // CHECK:        scf.for
  // CHECK-NOT:    dense
  // CHECK:        scf.if
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %z = arith.constant dense<1.0> : tensor<4x4xf32>
    %again = arith.constant dense<1.0> : tensor<4x4xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (tensor<4x4xf32>) {
      %two = arith.constant dense<2.0> : tensor<4x4xf32>
      %invariant = arith.mulf %z, %two : tensor<4x4xf32>
      %b = tile.load %A[%i, %c0] : memref<?x?xf32> -> tensor<4x4xf32>
      %h, %j = func.call @scale(%b, %i) : (tensor<4x4xf32>, index) -> (tensor<4x4xf32>, index)
      %b2 = tile.load %A[%j, %c0] : memref<?x?xf32> -> tensor<4x4xf32>
      %s = arith.addf %a, %h : tensor<4x4xf32>
      %s1 = arith.addf %s, %b2 : tensor<4x4xf32>
      %s2 = arith.addf %s1, %invariant : tensor<4x4xf32>
      %s3 = func.call @relu(%s2, %flag) : (tensor<4x4xf32>, i1) -> tensor<4x4xf32>
      scf.yield %s3 : tensor<4x4xf32>
    }
    tile.store %r, %B[%c0, %c0] : tensor<4x4xf32> -> memref<?x?xf32>
    tile.store %again, %B[%c3, %c0] : tensor<4x4xf32> -> memref<?x?xf32>
  }
  // One block: not inlined, its coordinate not replaced.
  // CHECK:      tile.grid (%i) = (0) to (1) step (1) {
  // CHECK-NEXT:   %[[ONE:.*]] = arith.constant dense<1.000000e+00>
  // CHECK-NEXT:   tile.store %[[ONE]], %B[%i, %i]
  tile.grid (%i) = (0) to (1) step (1) {
    %z = arith.constant dense<1.0> : tensor<4x4xf32>
    tile.store %z, %B[%i, %i] : tensor<4x4xf32> -> memref<?x?xf32>
  }
  // None: not erased.
  // CHECK:      tile.grid (%i, %j) = (0, 0) to (0, %M) step (4, 4) {
  tile.grid (%i, %j) = (0, 0) to (0, %M) step (4, 4) {
    %z = arith.constant dense<1.0> : tensor<4x4xf32>
    tile.store %z, %B[%i, %j] : tensor<4x4xf32> -> memref<?x?xf32>
  }
  // Unit dimensions stay; constants become integers; a constant that only a combiner uses stays in the grid.
  // CHECK:      tile.grid (%i, %j) = (0, 0) to (16, 4) step (1, 4) {
  // CHECK-DAG:    %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-DAG:    %[[ID:.*]] = arith.constant dense<1.000000e+00> : tensor<4x4xf32>
  // CHECK:        tile.reduce (%[[ID]]) dims = [0] init(%[[ZERO]])
  %c16 = arith.constant 16 : index
  tile.grid (%i, %j) = (0, 0) to (%c16, %n) step (%c1, 4) {
    %z = arith.constant dense<1.0> : tensor<4x4xf32>
    %in = arith.constant 0.0 : f32
    %r = tile.reduce (%z) dims = [0] init(%in) {
    ^bb0(%a: f32, %b: f32):
      %three = arith.constant 3.0 : f32
      %q = arith.addf %a, %b : f32
      %q1 = arith.mulf %q, %three : f32
      tile.yield %q1 : f32
    } : tensor<4x4xf32> -> tensor<4xf32>
    tile.store %r, %B[%i, %j] : tensor<4xf32> -> memref<?x?xf32>
  }
  // Two equal grids are two phases.
  // CHECK: tile.grid (%i) = (0) to (%M) step (4) {
  // CHECK: tile.grid (%i) = (0) to (%M) step (4) {
  tile.grid (%i) = (0) to (%M) step (4) {
    %z = tile.load %A[%i, %i] : memref<?x?xf32> -> tensor<4x4xf32>
    tile.store %z, %B[%i, %i] : tensor<4x4xf32> -> memref<?x?xf32>
  }
  tile.grid (%i) = (0) to (%M) step (4) {
    %z = tile.load %A[%i, %i] : memref<?x?xf32> -> tensor<4x4xf32>
    tile.store %z, %B[%i, %i] : tensor<4x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Loads are not moved across stores, equal loads with a store between are two.
// CHECK-LABEL: tile.kernel @memory
// CHECK: scf.for
// CHECK:   tile.load
// CHECK:   tile.store
// CHECK:   tile.load
// CHECK:   tile.store
tile.kernel @memory(%A: memref<?xf32>) {
  tile.grid (%i) = (0) to (8) step (8) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %k = %c0 to %c8 step %c1 {
      %a = tile.load %A[%i] : memref<?xf32> -> tensor<4xf32>
      %b = arith.addf %a, %a : tensor<4xf32>
      tile.store %b, %A[%i] : tensor<4xf32> -> memref<?xf32>
      %c = tile.load %A[%i] : memref<?xf32> -> tensor<4xf32>
      %d = arith.addf %c, %c : tensor<4xf32>
      tile.store %d, %A[%k] : tensor<4xf32> -> memref<?xf32>
    }
  }
  tile.return
}

// Workspace with an initial value keeps it, and workspace that is only written is not removed.
// CHECK-LABEL: tile.kernel @workspace
// CHECK: memref.alloc(%M) {tile.init = 0.000000e+00 : f32} : memref<?xf32>
// CHECK: memref.alloc() {tile.init = 0.000000e+00 : f32} : memref<8xf32>
// CHECK: memref.alloc(%M) {alignment = 64 : i64, tile.init = 1.000000e+00 : f32} : memref<8x?xf32>
// CHECK: memref.alloc(%M)[%M] {tile.init = 2.000000e+00 : f32} : memref<?x3xf32, strided<[?, 1]>>
tile.kernel @workspace(%A: memref<?xf32> {tile.shape = ["M"]}) {
  %M = tile.dim "M" : index
  %w = memref.alloc(%M) {tile.init = 0.0 : f32} : memref<?xf32>
  %v = memref.alloc() {tile.init = 0.0 : f32} : memref<8xf32>
  %eight = arith.constant 8 : index
  %three = arith.constant 3 : index
  %c0 = arith.constant 0 : index
  %x = memref.alloc(%eight, %M) {alignment = 64 : i64, tile.init = 1.0 : f32} : memref<?x?xf32>
  %y = memref.alloc(%M, %three)[%M] {tile.init = 2.0 : f32} : memref<?x?xf32, strided<[?, 1]>>
  tile.grid (%i) = (0) to (%M) step (4) {
    %z = tile.load %A[%i] : memref<?xf32> -> tensor<4xf32>
    tile.store %z, %w[%i] : tensor<4xf32> -> memref<?xf32>
    tile.store %z, %v[%i] : tensor<4xf32> -> memref<8xf32>
    tile.store %z, %x[%c0, %i] : tensor<4xf32> -> memref<?x?xf32>
    tile.store %z, %y[%c0, %i] : tensor<4xf32> -> memref<?x?xf32, strided<[?, 1]>>
  }
  tile.return
}
