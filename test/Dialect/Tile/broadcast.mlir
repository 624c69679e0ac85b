// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: tile.kernel @broadcasts
tile.kernel @broadcasts(%x: f32, %n: index) {
  tile.grid () = () to () step () {
    %v = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %row = arith.constant dense<1.0> : tensor<1x8xf32>
    %zero = arith.constant dense<1.0> : tensor<f32>
    // CHECK: tile.broadcast %{{.*}} dims = [0] : tensor<2xf32> -> tensor<2x4xf32>
    %0 = tile.broadcast %v dims = [0] : tensor<2xf32> -> tensor<2x4xf32>
    // CHECK: tile.broadcast %{{.*}} dims = [1] : tensor<2xf32> -> tensor<4x2xf32>
    %1 = tile.broadcast %v dims = [1] : tensor<2xf32> -> tensor<4x2xf32>
    // An extent of 1 repeats too.
    // CHECK: tile.broadcast %{{.*}} dims = [0, 1] : tensor<1x8xf32> -> tensor<4x8xf32>
    %2 = tile.broadcast %row dims = [0, 1] : tensor<1x8xf32> -> tensor<4x8xf32>
    // From scalars and from rank 0.
    // CHECK: tile.broadcast %x dims = [] : f32 -> tensor<4x8xf32>
    %3 = tile.broadcast %x dims = [] : f32 -> tensor<4x8xf32>
    // CHECK: tile.broadcast %n dims = [] : index -> tensor<4xindex>
    %4 = tile.broadcast %n dims = [] : index -> tensor<4xindex>
    // CHECK: tile.broadcast %{{.*}} dims = [] : tensor<f32> -> tensor<4xf32>
    %5 = tile.broadcast %zero dims = [] : tensor<f32> -> tensor<4xf32>
  }
  tile.return
}

// FOLD-LABEL: tile.kernel @folds
tile.kernel @folds(%A: memref<?x?xf32>, %x: f32, %B: memref<?xindex>, %M: memref<?xi1>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // FOLD-DAG: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<4x8xf32>
    // FOLD-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<4x8xf32>
    // FOLD-DAG: %[[SEVEN:.*]] = arith.constant dense<7> : tensor<4xindex>
    // FOLD-DAG: %[[TRUE:.*]] = arith.constant dense<true> : tensor<4xi1>
    // FOLD-DAG: %[[LIST:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
    %splat = arith.constant dense<1.0> : tensor<4xf32>
    %two = arith.constant 2.0 : f32
    %seven = arith.constant 7 : index
    %true = arith.constant true
    %list = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    // FOLD: tile.store %[[ONE]]
    %0 = tile.broadcast %splat dims = [0] : tensor<4xf32> -> tensor<4x8xf32>
    tile.store %0, %A[%i, %i] : tensor<4x8xf32> -> memref<?x?xf32>
    // FOLD: tile.store %[[TWO]]
    %1 = tile.broadcast %two dims = [] : f32 -> tensor<4x8xf32>
    tile.store %1, %A[%i, %i] : tensor<4x8xf32> -> memref<?x?xf32>
    // FOLD: tile.store %[[SEVEN]]
    %2 = tile.broadcast %seven dims = [] : index -> tensor<4xindex>
    tile.store %2, %B[%i] : tensor<4xindex> -> memref<?xindex>
    // FOLD: tile.store %[[TRUE]]
    %3 = tile.broadcast %true dims = [] : i1 -> tensor<4xi1>
    tile.store %3, %M[%i] : tensor<4xi1> -> memref<?xi1>
    // Into the same type.
    // FOLD: %[[L:.*]] = tile.load
    // FOLD-NEXT: tile.store %[[L]]
    %l = tile.load %A[%i, %i] : memref<?x?xf32> -> tensor<4x8xf32>
    %4 = tile.broadcast %l dims = [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
    tile.store %4, %A[%i, %i] : tensor<4x8xf32> -> memref<?x?xf32>
    // Not a splat: stays.
    // FOLD: tile.broadcast %[[LIST]] dims = [0]
    %5 = tile.broadcast %list dims = [0] : tensor<2xf32> -> tensor<2x4xf32>
    tile.store %5, %A[%i, %i] : tensor<2x4xf32> -> memref<?x?xf32>
  }
  tile.return
}
