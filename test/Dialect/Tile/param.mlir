// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// What is not bound must not fold as if its extents were known.
// RUN: tile-opt %s -canonicalize -cse | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: tile.kernel @family
// CANON-LABEL: tile.kernel @family
tile.kernel @family(%x: memref<?x?xf32>, %n: index) {
  // CHECK: %BM = tile.param "BM" [64, 128, 256] : index
  %BM = tile.param "BM" [64, 128, 256] : index
  // CHECK: %_N1 = tile.param "_N1" {note} : index
  %b = tile.param "_N1" {note} : index
  // CHECK: tile.grid (%i) = (0) to (%n) step (%BM)
  tile.grid (%i) = (0) to (%n) step (%BM) {
    %c0 = arith.constant 0 : index
    %f = arith.constant 0.0 : f32
    // CHECK: tile.load %x[%i, %c0] tile(%BM, %_N1) dims = [1, 0] : memref<?x?xf32> -> tensor<?x?xf32>
    // CANON: tile.load %x[%i, %c0] tile(%BM, %_N1) dims = [1, 0]
    %t = tile.load %x[%i, %c0] dims = [1, 0] tile(%BM, %b) : memref<?x?xf32> -> tensor<?x?xf32>
    // CHECK: tile.load %x[%i, %c0] tile(%BM) : memref<?x?xf32> -> tensor<?x8xf32>
    %u = tile.load %x[%i, %c0] tile(%BM) : memref<?x?xf32> -> tensor<?x8xf32>
    // CHECK: tile.iota dim = 1 from %i extents(%BM) {note} : tensor<?x8xindex>
    %j = tile.iota dim = 1 from %i extents(%BM) {note} : tensor<?x8xindex>
    // CHECK: tile.iota dim = 0 extents(%BM) : tensor<?xi32>
    %k = tile.iota dim = 0 extents(%BM) : tensor<?xi32>
    // CHECK: tile.broadcast %{{.*}} dims = [] extents(%BM, %_N1) {note} : f32 -> tensor<?x?xf32>
    // CANON: tile.broadcast %{{.*}} dims = [] extents(%BM, %_N1)
    %z = tile.broadcast %f dims = [] extents(%BM, %b) {note} : f32 -> tensor<?x?xf32>
    // CHECK: tile.extract %{{.*}}[%c0, %c0] extents(%_N1) : tensor<?x8xf32> -> tensor<?x8xf32>
    // CANON: tile.extract %{{.*}}[%c0, %c0] extents(%_N1)
    %e = tile.extract %u[%c0, %c0] extents(%b) : tensor<?x8xf32> -> tensor<?x8xf32>
    // CANON: tile.insert
    %in = tile.insert %e into %u[%c0, %c0] : tensor<?x8xf32> -> tensor<?x8xf32>
    // CANON: tile.transpose
    %tr = tile.transpose %t dims = [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
    // CANON: tensor.collapse_shape
    %flat = tensor.collapse_shape %z [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
    // CANON: tile.take
    %two = arith.constant dense<2> : tensor<4xi32>
    %taken = tile.take %u at %two dim = 0 : tensor<?x8xf32>, tensor<4xi32> -> tensor<4x8xf32>
    tile.store %tr, %x[%i, %c0] : tensor<?x?xf32> -> memref<?x?xf32>
    tile.store %in, %x[%i, %c0] : tensor<?x8xf32> -> memref<?x?xf32>
    tile.store %flat, %x[%i, %c0] dims = [0] : tensor<?xf32> -> memref<?x?xf32>
    tile.store %taken, %x[%i, %c0] : tensor<4x8xf32> -> memref<?x?xf32>
  }
  tile.return
}
