// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = beta · R + alpha · op(A) · op(B) for tessera.torch.addmm. R is a matrix, or a vector that is added to each row (addmm_bias).
// As examples/gemm-residual.mlir and examples/gemm-bias-gelu.mlir.

tile.kernel @addmm_nn(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "K"]},
                      %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "N"]},
                      %R: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]},
                      %beta: f32,
                      %alpha: f32,
                      %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %A[%i, %k] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x64xbf16>
      %y = tile.load %B[%k, %j] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<64x128xbf16>
      %next = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %r = tile.load %R[%i, %j] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x128xbf16>
    %wide = arith.extf %r : tensor<128x128xbf16> to tensor<128x128xf32>
    %betas = tensor.splat %beta : tensor<128x128xf32>
    %scaled = arith.mulf %wide, %betas : tensor<128x128xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %without = arith.cmpf oeq, %beta, %none : f32
    %bias = arith.select %without, %zero, %scaled : tensor<128x128xf32>
    %alphas = tensor.splat %alpha : tensor<128x128xf32>
    %product = arith.mulf %acc, %alphas : tensor<128x128xf32>
    %total = arith.addf %product, %bias : tensor<128x128xf32>
    %c = arith.truncf %total : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_nt(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "K"]},
                      %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["N", "K"]},
                      %R: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]},
                      %beta: f32,
                      %alpha: f32,
                      %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %A[%i, %k] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x64xbf16>
      %y = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<64x128xbf16>
      %next = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %r = tile.load %R[%i, %j] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x128xbf16>
    %wide = arith.extf %r : tensor<128x128xbf16> to tensor<128x128xf32>
    %betas = tensor.splat %beta : tensor<128x128xf32>
    %scaled = arith.mulf %wide, %betas : tensor<128x128xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %without = arith.cmpf oeq, %beta, %none : f32
    %bias = arith.select %without, %zero, %scaled : tensor<128x128xf32>
    %alphas = tensor.splat %alpha : tensor<128x128xf32>
    %product = arith.mulf %acc, %alphas : tensor<128x128xf32>
    %total = arith.addf %product, %bias : tensor<128x128xf32>
    %c = arith.truncf %total : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_tn(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "M"]},
                      %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "N"]},
                      %R: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]},
                      %beta: f32,
                      %alpha: f32,
                      %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %A[%k, %i] dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x64xbf16>
      %y = tile.load %B[%k, %j] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<64x128xbf16>
      %next = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %r = tile.load %R[%i, %j] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x128xbf16>
    %wide = arith.extf %r : tensor<128x128xbf16> to tensor<128x128xf32>
    %betas = tensor.splat %beta : tensor<128x128xf32>
    %scaled = arith.mulf %wide, %betas : tensor<128x128xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %without = arith.cmpf oeq, %beta, %none : f32
    %bias = arith.select %without, %zero, %scaled : tensor<128x128xf32>
    %alphas = tensor.splat %alpha : tensor<128x128xf32>
    %product = arith.mulf %acc, %alphas : tensor<128x128xf32>
    %total = arith.addf %product, %bias : tensor<128x128xf32>
    %c = arith.truncf %total : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_tt(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "M"]},
                      %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["N", "K"]},
                      %R: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]},
                      %beta: f32,
                      %alpha: f32,
                      %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %A[%k, %i] dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x64xbf16>
      %y = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<64x128xbf16>
      %next = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %r = tile.load %R[%i, %j] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x128xbf16>
    %wide = arith.extf %r : tensor<128x128xbf16> to tensor<128x128xf32>
    %betas = tensor.splat %beta : tensor<128x128xf32>
    %scaled = arith.mulf %wide, %betas : tensor<128x128xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %without = arith.cmpf oeq, %beta, %none : f32
    %bias = arith.select %without, %zero, %scaled : tensor<128x128xf32>
    %alphas = tensor.splat %alpha : tensor<128x128xf32>
    %product = arith.mulf %acc, %alphas : tensor<128x128xf32>
    %total = arith.addf %product, %bias : tensor<128x128xf32>
    %c = arith.truncf %total : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_bias_nn(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "K"]},
                           %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "N"]},
                           %R: memref<?xbf16> {tile.shape = ["N"]},
                           %beta: f32,
                           %alpha: f32,
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
    %r = tile.load %R[%j] : memref<?xbf16> -> tensor<256xbf16>
    %wide = arith.extf %r : tensor<256xbf16> to tensor<256xf32>
    %betas = tensor.splat %beta : tensor<256xf32>
    %scaled = arith.mulf %wide, %betas : tensor<256xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %nothing = arith.constant dense<0.0> : tensor<256xf32>
    %without = arith.cmpf oeq, %beta, %none : f32
    %row = arith.select %without, %nothing, %scaled : tensor<256xf32>
    %bias = tile.broadcast %row dims = [1] : tensor<256xf32> -> tensor<128x256xf32>
    %alphas = tensor.splat %alpha : tensor<128x256xf32>
    %product = arith.mulf %acc, %alphas : tensor<128x256xf32>
    %total = arith.addf %product, %bias : tensor<128x256xf32>
    %c = arith.truncf %total : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_bias_nt(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "K"]},
                           %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["N", "K"]},
                           %R: memref<?xbf16> {tile.shape = ["N"]},
                           %beta: f32,
                           %alpha: f32,
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
    %r = tile.load %R[%j] : memref<?xbf16> -> tensor<256xbf16>
    %wide = arith.extf %r : tensor<256xbf16> to tensor<256xf32>
    %betas = tensor.splat %beta : tensor<256xf32>
    %scaled = arith.mulf %wide, %betas : tensor<256xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %nothing = arith.constant dense<0.0> : tensor<256xf32>
    %without = arith.cmpf oeq, %beta, %none : f32
    %row = arith.select %without, %nothing, %scaled : tensor<256xf32>
    %bias = tile.broadcast %row dims = [1] : tensor<256xf32> -> tensor<128x256xf32>
    %alphas = tensor.splat %alpha : tensor<128x256xf32>
    %product = arith.mulf %acc, %alphas : tensor<128x256xf32>
    %total = arith.addf %product, %bias : tensor<128x256xf32>
    %c = arith.truncf %total : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_bias_tn(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "M"]},
                           %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "N"]},
                           %R: memref<?xbf16> {tile.shape = ["N"]},
                           %beta: f32,
                           %alpha: f32,
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
    %r = tile.load %R[%j] : memref<?xbf16> -> tensor<256xbf16>
    %wide = arith.extf %r : tensor<256xbf16> to tensor<256xf32>
    %betas = tensor.splat %beta : tensor<256xf32>
    %scaled = arith.mulf %wide, %betas : tensor<256xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %nothing = arith.constant dense<0.0> : tensor<256xf32>
    %without = arith.cmpf oeq, %beta, %none : f32
    %row = arith.select %without, %nothing, %scaled : tensor<256xf32>
    %bias = tile.broadcast %row dims = [1] : tensor<256xf32> -> tensor<128x256xf32>
    %alphas = tensor.splat %alpha : tensor<128x256xf32>
    %product = arith.mulf %acc, %alphas : tensor<128x256xf32>
    %total = arith.addf %product, %bias : tensor<128x256xf32>
    %c = arith.truncf %total : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_bias_tt(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "M"]},
                           %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["N", "K"]},
                           %R: memref<?xbf16> {tile.shape = ["N"]},
                           %beta: f32,
                           %alpha: f32,
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
    %r = tile.load %R[%j] : memref<?xbf16> -> tensor<256xbf16>
    %wide = arith.extf %r : tensor<256xbf16> to tensor<256xf32>
    %betas = tensor.splat %beta : tensor<256xf32>
    %scaled = arith.mulf %wide, %betas : tensor<256xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %nothing = arith.constant dense<0.0> : tensor<256xf32>
    %without = arith.cmpf oeq, %beta, %none : f32
    %row = arith.select %without, %nothing, %scaled : tensor<256xf32>
    %bias = tile.broadcast %row dims = [1] : tensor<256xf32> -> tensor<128x256xf32>
    %alphas = tensor.splat %alpha : tensor<128x256xf32>
    %product = arith.mulf %acc, %alphas : tensor<128x256xf32>
    %total = arith.addf %product, %bias : tensor<128x256xf32>
    %c = arith.truncf %total : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
