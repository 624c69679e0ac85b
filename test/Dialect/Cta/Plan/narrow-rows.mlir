// RUN: tile-opt %s --tessera-to-planned=variants=lines | FileCheck %s
// B is contiguous along its columns. 96 of them are three panels of 32, whose rows of half a cache line take L2 nine tenths of the time of whole lines each.
// 80 are five panels of 16, whose rows are a quarter of a line and take eight tenths.

// CHECK-LABEL: tile.kernel @columns_96_lines
// CHECK: lines = 645 : i64, lines_alone = 497 : i64
// CHECK-SAME: whole_lines = {{{.*}}lines = 497 : i64
// CHECK-LABEL: tile.kernel @columns_80_lines
// CHECK: lines = 820 : i64, lines_alone = 671 : i64
// CHECK-SAME: whole_lines = {{{.*}}lines = 671 : i64
// CHECK-LABEL: tile.kernel @columns_192_lines
// CHECK: lines = 685 : i64
// CHECK-LABEL: tile.kernel @columns_64_lines
// CHECK: lines = 269 : i64, lines_alone = 269 : i64
tile.kernel @columns_96(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                         %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 96) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x96xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x96xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x96xbf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xbf16>, tensor<64x96xbf16> -> tensor<64x96xf32>
      scf.yield %next : tensor<64x96xf32>
    }
    %c = arith.truncf %acc : tensor<64x96xf32> to tensor<64x96xbf16>
    tile.store %c, %C[%i, %j] : tensor<64x96xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @columns_80(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                         %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 80) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x80xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x80xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x80xbf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xbf16>, tensor<64x80xbf16> -> tensor<64x80xf32>
      scf.yield %next : tensor<64x80xf32>
    }
    %c = arith.truncf %acc : tensor<64x80xf32> to tensor<64x80xbf16>
    tile.store %c, %C[%i, %j] : tensor<64x80xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @columns_192(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                         %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 192) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x192xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x192xbf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xbf16>, tensor<64x192xbf16> -> tensor<64x192xf32>
      scf.yield %next : tensor<64x192xf32>
    }
    %c = arith.truncf %acc : tensor<64x192xf32> to tensor<64x192xbf16>
    tile.store %c, %C[%i, %j] : tensor<64x192xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @columns_64(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                         %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %c = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %c, %C[%i, %j] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
