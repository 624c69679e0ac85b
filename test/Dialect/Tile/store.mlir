// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: tile.kernel @stores
tile.kernel @stores(%C: memref<?x?x?xf32>, %s: memref<4x?xf32, strided<[?, 1]>>, %end: index) {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) {
    %t = arith.constant dense<1.0> : tensor<4x8xf32>
    %p = arith.constant dense<1.0> : tensor<f32>
    %m = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
    // CHECK: tile.store %{{.*}}, %C[%i, %i, %j] : tensor<4x8xf32> -> memref<?x?x?xf32>
    tile.store %t, %C[%i, %i, %j] : tensor<4x8xf32> -> memref<?x?x?xf32>
    // CHECK: tile.store %{{.*}}, %C[%i, %i, %j] dims = [2, 0] limit = [_, %end] mask = %{{.*}} on [0] cache = first require = [tma] {note} : tensor
    tile.store %t, %C[%i, %i, %j] dims = [2, 0] limit = [_, %end] mask = %m on [0] require = [tma] cache = first {note}
        : tensor<4x8xf32> -> memref<?x?x?xf32>
    // CHECK: tile.store %{{.*}}, %s[%i, %j] : tensor<f32> -> memref<4x?xf32, strided<[?, 1]>>
    tile.store %p, %s[%i, %j] : tensor<f32> -> memref<4x?xf32, strided<[?, 1]>>
  }
  tile.return
}

// FOLD-LABEL: tile.kernel @folds
tile.kernel @folds(%A: memref<16x16xf32>) {
  %c = memref.cast %A : memref<16x16xf32> to memref<?x?xf32>
  tile.grid (%i) = (0) to (16) step (1) {
    %t = arith.constant dense<1.0> : tensor<4x8xf32>
    %true = arith.constant dense<true> : tensor<4x8xi1>
    // FOLD: tile.store %{{.*}}, %A[%i, %i] : tensor<4x8xf32> -> memref<16x16xf32>
    tile.store %t, %c[%i, %i] mask = %true : tensor<4x8xf32> -> memref<?x?xf32>
    // Nothing is written, but the op stays: only masks of one kind fold.
    // FOLD: tile.store %{{.*}}, %A[%i, %i] mask = %{{.*}} : tensor<4x8xf32> -> memref<16x16xf32>
    %false = arith.constant dense<false> : tensor<4x8xi1>
    tile.store %t, %c[%i, %i] mask = %false : tensor<4x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Clauses stand in any order, and are printed in one.
// CHECK-LABEL: tile.kernel @any_order
// CHECK: tile.store %{{.+}}, %A[%i, %i] dims = [1, 0] limit = [%i, _] mask = %{{.+}} on [0] cache = stream require = [tma] : tensor
tile.kernel @any_order(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %t = arith.constant dense<0.0> : tensor<4x4xf32>
    %m = arith.constant dense<true> : tensor<4xi1>
    tile.store %t, %A[%i, %i] cache = stream mask = %m on [0] limit = [%i, _] require = [tma] dims = [1, 0] : tensor<4x4xf32> -> memref<?x?xf32>
  }
  tile.return
}
