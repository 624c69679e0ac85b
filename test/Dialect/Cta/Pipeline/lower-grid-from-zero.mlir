// RUN: tile-opt %s --tessera-to-scheduled=variants=any | FileCheck %s
// RUN: tilec %s --variants=any --emit=ptx -o /dev/null
// Coordinates lie between the bounds of a grid, which arithmetic with a step that is no constant does not show. Pieces of rows that begin anywhere
// need it: the begin of the array would cut one otherwise.

// CHECK-LABEL: tile.kernel @step_any(
// CHECK: cta.for_output_tiles
// CHECK: %[[FROM_ZERO:.*]] = arith.maxsi %{{.*}}, %c0{{.*}} : index
// CHECK: cta.copy %B[%{{.*}}, %[[FROM_ZERO]]]{{.*}}shifted
tile.kernel @step(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]},
                  %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %s: i64) {
  %step = arith.index_cast %s : i64 to index
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, %step) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// A constant step shows it by itself.
// CHECK-LABEL: tile.kernel @constant_any(
// CHECK: cta.for_output_tiles
// CHECK-NOT: arith.maxsi
// CHECK: cta.copy %B[{{.*}}shifted
tile.kernel @constant(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]},
                  %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// A grid that may begin below zero has negative coordinates. Loads along them do not come in shifted pieces.
// CHECK-LABEL: tile.kernel @below_any(
// CHECK: cta.launch
// CHECK-NOT: arith.maxsi
// CHECK-NOT: cta.copy %B
// CHECK: cta.store
tile.kernel @below(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]},
                  %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %s: i64, %from: i64) {
  %step = arith.index_cast %s : i64 to index
  %first = arith.index_cast %from : i64 to index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, %first) to (%M, %N) step (64, %step) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%c0, %j] : memref<?x?xf16> -> tensor<64x64xf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = tile.mma %a, %b, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}
