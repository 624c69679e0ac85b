// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices for tessera.torch.mm, C = op(A) · op(B): the letters say whether A and B are as they are written (n) or
// transposed in memory (t). Rows may lie apart. As examples/gemm-nn.mlir.

tile.kernel @mm_nn(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "K"]},
                   %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "N"]},
                   %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %A[%i, %k] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x64xbf16>
      %y = tile.load %B[%k, %j] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<64x256xbf16>
      %next = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @mm_nt(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "K"]},
                   %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["N", "K"]},
                   %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %A[%i, %k] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x64xbf16>
      %y = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<64x256xbf16>
      %next = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @mm_tn(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "M"]},
                   %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "N"]},
                   %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %A[%k, %i] dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x64xbf16>
      %y = tile.load %B[%k, %j] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<64x256xbf16>
      %next = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @mm_tt(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "M"]},
                   %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["N", "K"]},
                   %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %A[%k, %i] dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x64xbf16>
      %y = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<64x256xbf16>
      %next = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
