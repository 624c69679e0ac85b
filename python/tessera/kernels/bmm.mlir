// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One product for each batch, C[b] = op(A[b]) · op(B[b]), for tessera.torch.bmm. As examples/batched-gemm.mlir.

tile.kernel @bmm_nn(%A: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "M", "K"]},
                    %B: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "K", "N"]},
                    %C: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "N"]}) {
  %Z = tile.dim "Z" : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%Z, %M, %N) step (1, 128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %A[%b, %i, %k] : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<128x64xbf16>
      %y = tile.load %B[%b, %k, %j] : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<64x256xbf16>
      %next = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%b, %i, %j] : tensor<128x256xbf16> -> memref<?x?x?xbf16>
  }
  tile.return
}

tile.kernel @bmm_nt(%A: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "M", "K"]},
                    %B: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "N", "K"]},
                    %C: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "N"]}) {
  %Z = tile.dim "Z" : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%Z, %M, %N) step (1, 128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %A[%b, %i, %k] : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<128x64xbf16>
      %y = tile.load %B[%b, %j, %k] dims = [2, 1] : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<64x256xbf16>
      %next = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%b, %i, %j] : tensor<128x256xbf16> -> memref<?x?x?xbf16>
  }
  tile.return
}

tile.kernel @bmm_tn(%A: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "K", "M"]},
                    %B: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "K", "N"]},
                    %C: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "N"]}) {
  %Z = tile.dim "Z" : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%Z, %M, %N) step (1, 128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %A[%b, %k, %i] dims = [2, 1] : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<128x64xbf16>
      %y = tile.load %B[%b, %k, %j] : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<64x256xbf16>
      %next = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%b, %i, %j] : tensor<128x256xbf16> -> memref<?x?x?xbf16>
  }
  tile.return
}

tile.kernel @bmm_tt(%A: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "K", "M"]},
                    %B: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "N", "K"]},
                    %C: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "N"]}) {
  %Z = tile.dim "Z" : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%Z, %M, %N) step (1, 128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %A[%b, %k, %i] dims = [2, 1] : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<128x64xbf16>
      %y = tile.load %B[%b, %j, %k] dims = [2, 1] : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<64x256xbf16>
      %next = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%b, %i, %j] : tensor<128x256xbf16> -> memref<?x?x?xbf16>
  }
  tile.return
}
