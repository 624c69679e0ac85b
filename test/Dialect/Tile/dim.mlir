// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @dims
tile.kernel @dims(%A: memref<?x?xf32> {tile.shape = ["M", "K"]}, %B: memref<4x?xf32> {tile.shape = ["rows of B", "K"]}) {
  // Results are named after the dimension, in the body and in grids.
  // CHECK: %M = tile.dim "M" : index
  %0 = tile.dim "M" : index
  // CHECK: %rows_of_B = tile.dim "rows of B" : index
  %1 = tile.dim "rows of B" : index
  tile.grid (%i) = (0) to (%0) step (%1) {
    // CHECK: %K = tile.dim "K" {note} : index
    %2 = tile.dim "K" {note} : index
  }
  tile.return
}
