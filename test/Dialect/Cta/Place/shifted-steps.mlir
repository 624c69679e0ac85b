// RUN: tile-opt %s --tessera-to-placed=variants=any | FileCheck %s
// RUN: tilec %s --variants=any --emit=ptx -o /dev/null
// Pieces of rows that begin anywhere are shifted into place where the begin of the array cuts none. That is known of the induction variable of a loop
// whose step is a constant, also when later passes have peeled its first iteration.

// CHECK-LABEL: tile.kernel @constant_any(
// CHECK: cta.copy %A[{{.*}}mechanism = #cta.mechanism<shifted>
// CHECK: cta.copy %B[{{.*}}mechanism = #cta.mechanism<shifted>
tile.kernel @constant(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xf16> -> tensor<64x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// The sum of a step that is not known and the lower bound may overflow: what is left of a loop whose first iteration was peeled may begin below zero.
// CHECK-LABEL: tile.kernel @open_any(
// CHECK-NOT: cta.copy
// CHECK: cta.load %A[{{.*}}not shifted: the coordinate along contiguous memory comes from a loop whose step is not known, and is not known to be a multiple of 16 bytes
tile.kernel @open(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %s: i32) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %step = arith.index_cast %s : i32 to index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xf16> -> tensor<64x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// No begin of the array cuts a piece whose coordinate is a multiple of it.
// CHECK-LABEL: tile.kernel @whole_any(
// CHECK: cta.copy %A[{{.*}}mechanism = #cta.mechanism<shifted>
tile.kernel @whole(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %s: i32) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %eighth = arith.index_cast %s : i32 to index
  %c8 = arith.constant 8 : index
  %step = arith.muli %eighth, %c8 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xf16> -> tensor<64x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}
