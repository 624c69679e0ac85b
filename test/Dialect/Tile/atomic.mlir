// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --canonicalize --cse --loop-invariant-code-motion | FileCheck %s
// RUN: tile-opt %s --tile-expand-ops | FileCheck %s --check-prefix=EXPAND

// CHECK-LABEL: tile.kernel @words
tile.kernel @words(%X: memref<?xi32>, %F: memref<?x?xf16>, %B: memref<?xindex>, %v: i32, %w: i32, %f: f16) {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) {
    // The defaults are not printed.
    // CHECK: tile.atomic add %v, %X[%i] : i32 -> memref<?xi32>
    tile.atomic add relaxed device %v, %X[%i] : i32 -> memref<?xi32>
    // CHECK: tile.atomic min system %v, %X[%i] : i32 -> memref<?xi32>
    tile.atomic min system %v, %X[%i] : i32 -> memref<?xi32>
    // CHECK: tile.atomic max returning %v, %X[%i] : i32 -> memref<?xi32>
    %0 = tile.atomic max returning %v, %X[%i] : i32 -> memref<?xi32>
    // CHECK: tile.atomic umin acquire %v, %X[%i] : i32 -> memref<?xi32>
    tile.atomic umin acquire %v, %X[%i] : i32 -> memref<?xi32>
    // CHECK: tile.atomic umax release system returning %v, %X[%i] : i32 -> memref<?xi32>
    %1 = tile.atomic umax release system returning %v, %X[%i] : i32 -> memref<?xi32>
    // CHECK: tile.atomic and acq_rel returning %v, %X[%i] : i32 -> memref<?xi32>
    %2 = tile.atomic and acq_rel returning %v, %X[%i] : i32 -> memref<?xi32>
    // CHECK: tile.atomic or %v, %X[%i] mask = %{{.*}} {note = 1 : i64} : i32 -> memref<?xi32>
    %on = arith.constant dense<false> : tensor<i1>
    tile.atomic or %v, %X[%i] mask = %on on [] {note = 1} : i32 -> memref<?xi32>
    // CHECK: tile.atomic xor %v, %X[%i] : i32 -> memref<?xi32>
    tile.atomic xor %v, %X[%i] : i32 -> memref<?xi32>
    // CHECK: tile.atomic exchange %f, %F[%i, %j] : f16 -> memref<?x?xf16>
    tile.atomic exchange %f, %F[%i, %j] : f16 -> memref<?x?xf16>
    // CHECK: tile.atomic cas %v, %w, %X[%i] : i32 -> memref<?xi32>
    tile.atomic cas %v, %w, %X[%i] : i32 -> memref<?xi32>
    // CHECK: tile.atomic cas release system returning %v, %w, %X[%i] : i32 -> memref<?xi32>
    %3 = tile.atomic cas release system returning %v, %w, %X[%i] : i32 -> memref<?xi32>
    // CHECK: tile.atomic add %j, %B[%i] : index -> memref<?xindex>
    tile.atomic add %j, %B[%i] : index -> memref<?xindex>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @tiles
// EXPAND-LABEL: tile.kernel @tiles
tile.kernel @tiles(%H: memref<?xi32>, %A: memref<?x?xf32>, %V: memref<?x?xf32>, %I: memref<?xi32>, %end: index, %m: memref<?xi1>) {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) {
    %c0 = arith.constant 0 : index
    %ones = arith.constant dense<1> : tensor<1024xi32>
    %bins = tile.load %I[%c0] : memref<?xi32> -> tensor<1024xi32>
    %rows = tile.load %I[%c0] : memref<?xi32> -> tensor<16xi32>
    %few = tile.load %m[%c0] : memref<?xi1> -> tensor<16xi1>
    %v = tile.load %V[%c0, %c0] : memref<?x?xf32> -> tensor<16x32xf32>
    // CHECK: tile.atomic add %{{.*}}, %H[%{{.*}} : tensor<1024xi32>] : tensor<1024xi32> -> memref<?xi32>
    // EXPAND: tile.atomic add %{{.*}}, %H[%{{.*}} : tensor<1024xi32>] : tensor<1024xi32> -> memref<?xi32>
    tile.atomic add %ones, %H[%bins : tensor<1024xi32>] : tensor<1024xi32> -> memref<?xi32>
    // CHECK: tile.atomic add %[[V:.*]], %A[%[[R:.*]] : tensor<16xi32>, %j] limit = [%end, _] mask = %{{.*}} on [0] : tensor<16x32xf32> -> memref<?x?xf32>
    tile.atomic add %v, %A[%rows : tensor<16xi32>, %j] limit = [%end, _] mask = %few on [0] : tensor<16x32xf32> -> memref<?x?xf32>
    // A box stays one.
    // CHECK: tile.atomic max returning %[[V]], %A[%i, %j] dims = [1, 0] : tensor<16x32xf32> -> memref<?x?xf32>
    // EXPAND: tile.atomic max returning %[[V:.*]], %A[%i, %j] dims = [1, 0] : tensor<16x32xf32> -> memref<?x?xf32>
    %0 = tile.atomic max returning %v, %A[%i, %j] dims = [1, 0] : tensor<16x32xf32> -> memref<?x?xf32>
    // Steps become an index tile; the result goes on being used.
    // CHECK: %[[OLD:.*]] = tile.atomic exchange returning %[[V]], %A[%i, %j] strides = [1, 2] : tensor<16x32xf32> -> memref<?x?xf32>
    // CHECK: tile.store %[[OLD]], %A
    // EXPAND: %[[OLD:.*]] = tile.atomic exchange returning %[[V]], %A[%i, %{{.*}} : tensor<32xindex>] : tensor<16x32xf32> -> memref<?x?xf32>
    // EXPAND: tile.store %[[OLD]], %A
    %1 = tile.atomic exchange returning %v, %A[%i, %j] strides = [1, 2] : tensor<16x32xf32> -> memref<?x?xf32>
    tile.store %1, %A[%i, %j] : tensor<16x32xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Atomics are not moved out of loops, nor joined, nor dropped where nobody reads their results; loads do not pass those that order.
// CHECK-LABEL: tile.kernel @order
// CHECK: scf.for
// CHECK-NEXT: tile.atomic add returning
// CHECK-NEXT: tile.atomic add returning
// CHECK: memref.load %Y
// CHECK-NEXT: tile.atomic add acquire
// CHECK-NEXT: %[[AGAIN:.*]] = memref.load %Y
// CHECK-NEXT: memref.store %[[AGAIN]]
tile.kernel @order(%X: memref<?xi32>, %Y: memref<?xi32>, %Z: memref<?xi32>, %v: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %k = %c0 to %c8 step %c1 {
      %a = tile.atomic add returning %v, %X[%c0] : i32 -> memref<?xi32>
      %b = tile.atomic add returning %v, %X[%c0] : i32 -> memref<?xi32>
    }
    %c = memref.load %Y[%i] : memref<?xi32>
    tile.atomic add acquire %c, %X[%c0] : i32 -> memref<?xi32>
    %d = memref.load %Y[%i] : memref<?xi32>
    memref.store %d, %Z[%i] : memref<?xi32>
  }
  tile.return
}
