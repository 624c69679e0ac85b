// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: tile.kernel @grids
tile.kernel @grids(%A: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %c = arith.constant 64 : index
  // CHECK: tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %t = tile.load %A[%i, %j] : memref<?x?xf32> -> tensor<4x4xf32>
    tile.store %t, %A[%i, %j] : tensor<4x4xf32> -> memref<?x?xf32>
  // CHECK-NOT: tile.yield
  // CHECK: }
  }
  // CHECK: tile.grid (%i, %j) = (%{{.*}}, -4) to (10, %N) step (%{{.*}}, 1) order = <group = 8> {
  // FOLD:  tile.grid (%i, %j) = (64, -4) to (10, %N) step (64, 1) order = <group = 8> {
  tile.grid (%a, %b) = (%c, -4) to (10, %N) step (%c, 1) order = <group = 8> {
    %t = tile.load %A[%a, %b] : memref<?x?xf32> -> tensor<4x4xf32>
    tile.store %t, %A[%a, %b] : tensor<4x4xf32> -> memref<?x?xf32>
  }
  // One block.
  // CHECK: tile.grid () = () to () step () {
  // FOLD:  tile.grid () = () to () step () {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tile.load %A[%c0, %c0] : memref<?x?xf32> -> tensor<4x4xf32>
    tile.store %t, %A[%c0, %c0] : tensor<4x4xf32> -> memref<?x?xf32>
  }
  // CHECK: tile.grid (%i, %j, %k, %l, %m, %i_{{.*}}) = (0, 0, 0, 0, 0, 0) to (1, 2, 3, 4, 5, 6) step (1, 1, 1, 1, 1, 1) order = <group = 0> attributes {note = "x"} {
  tile.grid (%a, %b, %d, %e, %f, %g) = (0, 0, 0, 0, 0, 0) to (1, 2, 3, 4, 5, 6) step (1, 1, 1, 1, 1, 1)
      order = <group = 0> attributes {note = "x"} {
    tile.yield
  }
  // CHECK: tile.grid (%i) = (0) to (8) step (1) order = <slowest = 0, reverse, section = 4, dynamic> {
  tile.grid (%i) = (0) to (8) step (1) order = <dynamic, section = 4, slowest = 0, reverse> {
  }
  // CHECK: tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = <slowest = 1, shared = 65536> {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = #tile.order<slowest = 1, shared = 65536> {
  }
  // CHECK: tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = <group = 0, dynamic> {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = <dynamic> {
  }
  tile.return
}

// A step that is not positive is no integer of the op: it stays a value, and fails when it is evaluated.
// FOLD-LABEL: tile.kernel @bad_step
// FOLD: %[[C:.*]] = arith.constant 0 : index
// FOLD: tile.grid (%i) = (0) to (8) step (%[[C]]) {
tile.kernel @bad_step(%A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  tile.grid (%i) = (0) to (8) step (%c0) {
    %t = arith.constant dense<1.0> : tensor<4xf32>
    tile.store %t, %A[%i] : tensor<4xf32> -> memref<?xf32>
  }
  tile.return
}
