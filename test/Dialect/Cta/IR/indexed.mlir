// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -cta-verify -o /dev/null
// RUN: tile-opt %s -convert-cta-to-tile | FileCheck %s --check-prefix=ERASED

// Accesses at places that index tiles give, and atomics: text, and what they are at L0.

#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#at = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
#one = #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>

// CHECK-LABEL: tile.kernel @accesses(
// CHECK: %[[G:.*]] = cta.gather %X[%[[I:.*]] : tensor<16xi32, #{{.*}}>, %c0] limit = [%end, _] pad = neg_inf mask = %[[M:.*]] on [0] {vector = 4 : i64, why = "x"} : memref<?x?xf32> -> tensor<16x32xf32, #{{.*}}>
// CHECK: cta.gather %F[%[[P:.*]] : tensor<16x32xi64, #{{.*}}>] : memref<?xf32> -> tensor<16x32xf32, #{{.*}}>
// CHECK: cta.scatter %[[G]], %X[%[[I]] : tensor<16xi32, #{{.*}}>, %c0] mask = %[[M]] on [0] {vector = 4 : i64} : tensor<16x32xf32, #{{.*}}> -> memref<?x?xf32>
// CHECK: cta.atomic add %[[G]], %X[%[[I]] : tensor<16xi32, #{{.*}}>, %c0] {vector = 4 : i64} : tensor<16x32xf32, #{{.*}}> -> memref<?x?xf32>
// CHECK: cta.atomic max system returning %[[G]], %F[%[[P]] : tensor<16x32xi64, #{{.*}}>] : tensor<16x32xf32, #{{.*}}> -> memref<?xf32>
// CHECK: cta.atomic exchange %[[G]], %X[%c0, %c0] : tensor<16x32xf32, #{{.*}}> -> memref<?x?xf32>
// ERASED-LABEL: tile.kernel @accesses(
// ERASED: %[[G:.*]] = tile.gather %X[%[[I:.*]] : tensor<16xi32>, %c0] limit = [%end, _] pad = neg_inf mask = %[[M:.*]] on [0] : memref<?x?xf32> -> tensor<16x32xf32>
// ERASED: tile.gather %F[%[[P:.*]] : tensor<16x32xi64>] : memref<?xf32> -> tensor<16x32xf32>
// ERASED: tile.scatter %[[G]], %X[%[[I]] : tensor<16xi32>, %c0] mask = %[[M]] on [0] : tensor<16x32xf32> -> memref<?x?xf32>
// ERASED: tile.atomic add %[[G]], %X[%[[I]] : tensor<16xi32>, %c0] : tensor<16x32xf32> -> memref<?x?xf32>
// ERASED: tile.atomic max system returning %[[G]], %F[%[[P]] : tensor<16x32xi64>] : tensor<16x32xf32> -> memref<?xf32>
// ERASED: tile.atomic exchange %[[G]], %X[%c0, %c0] : tensor<16x32xf32> -> memref<?x?xf32>
tile.kernel @accesses(%X: memref<?x?xf32>, %F: memref<?xf32>, %R: memref<?xi32>, %P: memref<?x?xi64>, %B: memref<?xi1>, %end: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %i = cta.load %R[%c0] : memref<?xi32> -> tensor<16xi32, #at>
    %m = cta.load %B[%c0] : memref<?xi1> -> tensor<16xi1, #at>
    %p = cta.load %P[%c0, %c0] : memref<?x?xi64> -> tensor<16x32xi64, #rows>
    %0 = cta.gather %X[%i : tensor<16xi32, #at>, %c0] limit = [%end, _] pad = neg_inf mask = (%m : tensor<16xi1, #at>) on [0] {vector = 4 : i64, why = "x"} : memref<?x?xf32> -> tensor<16x32xf32, #rows>
    %1 = cta.gather %F[%p : tensor<16x32xi64, #rows>] : memref<?xf32> -> tensor<16x32xf32, #rows>
    cta.scatter %0, %X[%i : tensor<16xi32, #at>, %c0] mask = (%m : tensor<16xi1, #at>) on [0] {vector = 4 : i64} : tensor<16x32xf32, #rows> -> memref<?x?xf32>
    cta.atomic add relaxed device %0, %X[%i : tensor<16xi32, #at>, %c0] {vector = 4 : i64} : tensor<16x32xf32, #rows> -> memref<?x?xf32>
    %2 = cta.atomic max system returning %0, %F[%p : tensor<16x32xi64, #rows>] : tensor<16x32xf32, #rows> -> memref<?xf32>
    cta.atomic exchange %0, %X[%c0, %c0] : tensor<16x32xf32, #rows> -> memref<?x?xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @orders(
// CHECK: cta.atomic add acq_rel returning %{{.*}}, %X[%c0] : tensor<i32, #{{.*}}> -> memref<?xi32>
// CHECK: cta.atomic cas acquire system returning %[[V:.*]], %[[V]], %X[%c0] : tensor<i32, #{{.*}}> -> memref<?xi32>
// CHECK: cta.atomic exchange release %[[V]], %X[%c0] : tensor<i32, #{{.*}}> -> memref<?xi32>
// ERASED-LABEL: tile.kernel @orders(
// ERASED: tile.atomic add acq_rel returning %{{.*}}, %X[%c0] : tensor<i32> -> memref<?xi32>
// ERASED: tile.atomic cas acquire system returning %[[V:.*]], %[[V]], %X[%c0] : tensor<i32> -> memref<?xi32>
// ERASED: tile.atomic exchange release %[[V]], %X[%c0] : tensor<i32> -> memref<?xi32>
tile.kernel @orders(%X: memref<?xi32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<7> : tensor<i32, #one>
    %0 = cta.atomic add acq_rel returning %v, %X[%c0] : tensor<i32, #one> -> memref<?xi32>
    %1 = cta.atomic cas acquire system returning %v, %v, %X[%c0] : tensor<i32, #one> -> memref<?xi32>
    cta.atomic exchange release %v, %X[%c0] : tensor<i32, #one> -> memref<?xi32>
  }
  tile.return
}
