// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: tile.kernel @transposes
tile.kernel @transposes() {
  tile.grid () = () to () step () {
    %x = arith.constant dense<1.0> : tensor<2x3x4xf32>
    %s = arith.constant dense<1.0> : tensor<f32>
    // CHECK: tile.transpose %{{.*}} dims = [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
    %0 = tile.transpose %x dims = [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
    // CHECK: tile.transpose %{{.*}} dims = [] : tensor<f32> -> tensor<f32>
    %1 = tile.transpose %s dims = [] : tensor<f32> -> tensor<f32>
  }
  tile.return
}

// FOLD-LABEL: tile.kernel @folds
tile.kernel @folds(%A: memref<?x?x?xf32>, %end: index, %M: memref<?x?xi1>, %v: memref<?xi1>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = tile.load %A[%i, %i, %i] : memref<?x?x?xf32> -> tensor<2x3x4xf32>
    // The identity, and the inverse after the permutation.
    // FOLD: %[[X:.*]] = tile.load
    // FOLD-NEXT: tile.store %[[X]]
    %0 = tile.transpose %x dims = [0, 1, 2] : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
    tile.store %0, %A[%i, %i, %i] : tensor<2x3x4xf32> -> memref<?x?x?xf32>
    // FOLD-NEXT: tile.store %[[X]]
    %1 = tile.transpose %x dims = [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
    %2 = tile.transpose %1 dims = [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
    tile.store %2, %A[%i, %i, %i] : tensor<2x3x4xf32> -> memref<?x?x?xf32>
    // Two that are no identity are one.
    // FOLD-NEXT: %[[T:.*]] = tile.transpose %[[X]] dims = [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
    // FOLD-NEXT: tile.store %[[T]]
    %3 = tile.transpose %1 dims = [2, 0, 1] : tensor<4x2x3xf32> -> tensor<3x4x2xf32>
    tile.store %3, %A[%i, %i, %i] : tensor<3x4x2xf32> -> memref<?x?x?xf32>
  }
  tile.return
}

// A transposed load is a load with other dims; limits, masks and everything else follow.
// FOLD-LABEL: tile.kernel @loads
tile.kernel @loads(%A: memref<?x?xf32>, %C: memref<?x?xf32>, %end: index, %M: memref<?x?xi1>, %v: memref<?xi1>) {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) {
    // FOLD: %[[V:.*]] = tile.load %v[%i]
    // FOLD: %[[M:.*]] = tile.load %M[%i, %j] dims = [1, 0] : memref<?x?xi1> -> tensor<3x2xi1>
    %row = tile.load %v[%i] : memref<?xi1> -> tensor<2xi1>
    %mask = tile.load %M[%i, %j] : memref<?x?xi1> -> tensor<2x3xi1>
    // FOLD: tile.load %A[%i, %j] dims = [1, 0] limit = [_, %end] pad = nan mask = %[[V]] on [1] cache = last {note} : memref<?x?xf32> -> tensor<3x2xf32>
    %a = tile.load %A[%i, %j] limit = [%end, _] pad = nan mask = %row on [0] cache = last {note} : memref<?x?xf32> -> tensor<2x3xf32>
    %0 = tile.transpose %a dims = [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    tile.store %0, %C[%i, %j] : tensor<3x2xf32> -> memref<?x?xf32>
    // FOLD: tile.load %A[%i, %j] dims = [1, 0] mask = %[[M]] : memref<?x?xf32> -> tensor<3x2xf32>
    %b = tile.load %A[%i, %j] mask = %mask : memref<?x?xf32> -> tensor<2x3xf32>
    %1 = tile.transpose %b dims = [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    tile.store %1, %C[%i, %j] : tensor<3x2xf32> -> memref<?x?xf32>
    // Two users: the load stays as it is, and is read once.
    // FOLD: %[[L:.*]] = tile.load %A[%i, %j] : memref<?x?xf32> -> tensor<2x3xf32>
    // FOLD: tile.transpose %[[L]]
    %c = tile.load %A[%i, %j] : memref<?x?xf32> -> tensor<2x3xf32>
    %2 = tile.transpose %c dims = [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    tile.store %2, %C[%i, %j] : tensor<3x2xf32> -> memref<?x?xf32>
    tile.store %c, %C[%i, %j] : tensor<2x3xf32> -> memref<?x?xf32>
    // What the load sees of memory does not change: it stays above the store.
    // FOLD: %[[D:.*]] = tile.load %C[%i, %j] dims = [1, 0]
    // FOLD: tile.store
    // FOLD: tile.store %[[D]]
    %d = tile.load %C[%i, %j] : memref<?x?xf32> -> tensor<2x3xf32>
    tile.store %c, %C[%i, %j] : tensor<2x3xf32> -> memref<?x?xf32>
    %3 = tile.transpose %d dims = [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    tile.store %3, %C[%j, %i] : tensor<3x2xf32> -> memref<?x?xf32>
  }
  tile.return
}

// FOLD-LABEL: tile.kernel @splat
tile.kernel @splat(%C: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // FOLD: %[[S:.*]] = arith.constant dense<1.000000e+00> : tensor<3x2xf32>
    // FOLD-NEXT: tile.store %[[S]]
    %s = arith.constant dense<1.0> : tensor<2x3xf32>
    %0 = tile.transpose %s dims = [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    tile.store %0, %C[%i, %i] : tensor<3x2xf32> -> memref<?x?xf32>
  }
  tile.return
}
