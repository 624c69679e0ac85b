// RUN: tile-opt %s --tessera-to-planned=variants=lines | FileCheck %s
// Copies that leave out rows outside of arrays: `trimmed` says what of `lines` is for them, by the dimension of the grid. What is outside is computed from the
// grid, so it counts only where the grid begins at 0 and ends where the array does.

// CHECK-LABEL: tile.kernel @whole_lines
// CHECK: lines = 608 : i64, {{.*}}trimmed = array<i64: 113, 113>}
tile.kernel @whole(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]},
               %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @some_rows_lines
// CHECK: lines = 608 : i64, {{.*}}trimmed = array<i64: 0, 113>}
tile.kernel @some_rows(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]},
               %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %rows: index) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%rows, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @not_from_0_lines
// CHECK: lines = 608 : i64, {{.*}}trimmed = array<i64: 0, 113>}
tile.kernel @not_from_0(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]},
               %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (128, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
