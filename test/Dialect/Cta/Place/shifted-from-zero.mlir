// RUN: tile-opt %s --tessera-to-placed=variants=any | FileCheck %s
// RUN: tilec %s --variants=any --emit=ptx -o /dev/null
// RUN: tilec %s --variants=any --plan='#cta.plan<producers = 4, pending = 1>' --emit=ptx -o /dev/null
// RUN: tilec %s --variants=any --plan='#cta.plan<producers = 0, stages = 3>' --emit=ptx -o /dev/null
// Pieces of rows that begin anywhere are shifted into place where the begin of the array cuts none. Placement knows that of coordinates that are not
// negative, and says so on the copy: later passes lower grids, peel loops and fetch ahead, which does not show it any more.

// CHECK-LABEL: tile.kernel @offset_any(
// CHECK: cta.copy %A[{{.*}}from_zero, mechanism = #cta.mechanism<shifted>
// CHECK: cta.copy %B[{{.*}}from_zero, mechanism = #cta.mechanism<shifted>
tile.kernel @offset(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %at = arith.addi %j, %c1 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %at] : memref<?x?xf16> -> tensor<64x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// A step that is no constant.
// CHECK-LABEL: tile.kernel @step_any(
// CHECK: cta.copy %B[{{.*}}from_zero, mechanism = #cta.mechanism<shifted>
tile.kernel @step(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %s: i64) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %step = arith.index_cast %s : i64 to index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, %step) {
    %at = arith.addi %j, %c1 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %at] : memref<?x?xf16> -> tensor<64x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// A lower bound that is none.
// CHECK-LABEL: tile.kernel @lower_any(
// CHECK: cta.copy %B[{{.*}}from_zero, mechanism = #cta.mechanism<shifted>
tile.kernel @lower(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %L: memref<?xf32> {tile.shape = ["L"]}) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %first = tile.dim "L" : index
  tile.grid (%i, %j) = (0, %first) to (%M, %N) step (64, 64) {
    %at = arith.addi %j, %c1 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %at] : memref<?x?xf16> -> tensor<64x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// A loop whose step is none.
// CHECK-LABEL: tile.kernel @loop_any(
// CHECK: cta.copy %A[{{.*}}from_zero, mechanism = #cta.mechanism<shifted>
tile.kernel @loop(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %s: i32) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %step = arith.index_cast %s : i32 to index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %at = arith.addi %j, %c0 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %at] : memref<?x?xf16> -> tensor<64x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// A coordinate that may be negative, but is a multiple of a piece.
// CHECK-LABEL: tile.kernel @whole_any(
// CHECK: cta.copy %A[{{.*}}from_zero
// CHECK: cta.copy %B[{{.*}}{mechanism = #cta.mechanism<shifted>
tile.kernel @whole(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %at = arith.subi %j, %c64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %at] : memref<?x?xf16> -> tensor<64x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// One that may be negative, and is none.
// CHECK-LABEL: tile.kernel @before_any(
// CHECK-NOT: cta.copy %B
// CHECK: cta.load %B[{{.*}}not shifted: the coordinate along contiguous memory may be negative, and is not known to be a multiple of 16 bytes
// CHECK-NOT: cta.copy %B
// CHECK: tile.return
tile.kernel @before(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %at = arith.subi %j, %c1 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %at] : memref<?x?xf16> -> tensor<64x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}
