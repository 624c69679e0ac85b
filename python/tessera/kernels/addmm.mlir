// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = beta · R + alpha · op(A) · op(B) for tessera.torch.addmm. R is a matrix, or a vector that is added to each row (addmm_bias).
// As examples/gemm-residual.mlir and examples/gemm-bias-gelu.mlir, with the extents of examples/gemm.mlir.

// Which extents of an output tile and of a step in K go together. Few rows have few columns: they are for few output tiles, of which many blocks read B. Tiles
// with few accumulators take longer steps in K.
func.func private @tiles(%BM: index, %BN: index, %BK: index) {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %isLow = arith.cmpi slt, %BM, %c64 : index
  %isHigh = arith.cmpi sgt, %BM, %c128 : index
  %least = arith.select %isHigh, %c128, %c64 : index
  %most = arith.select %isLow, %c64, %c256 : index
  %isAbove = arith.cmpi sge, %BN, %least : index
  %isBelow = arith.cmpi sle, %BN, %most : index
  %isWithin = arith.andi %isAbove, %isBelow : i1
  tile.assume %isWithin, "16 rows have 64 columns, more than 128 rows 128 or 256" : i1
  %area = arith.muli %BM, %BN : index
  tile.assume %area {max = 38912} : index
  %small = arith.constant 4096 : index
  %isSmall = arith.cmpi eq, %area, %small : index
  %stepOfMost = arith.select %isSmall, %c256, %c64 : index
  %step = arith.select %isLow, %c128, %stepOfMost : index
  %steps = arith.cmpi eq, %BK, %step : index
  tile.assume %steps, "16 rows have steps of 128 in K, tiles of 64x64 of 256, all others of 64" : i1
  return
}

tile.kernel @addmm_nn(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "K"]},
                      %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "N"]},
                      %R: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]},
                      %beta: f32,
                      %alpha: f32,
                      %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 64, 152] : index
  %BN = tile.param "BN" [128, 64, 256] : index
  %BK = tile.param "BK" [64, 128, 256] : index
  func.call @tiles(%BM, %BN, %BK) : (index, index, index) -> ()
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (%BM, %BN) {
    %c0 = arith.constant 0 : index
    %empty = arith.constant 0.0 : f32
    %zero = tensor.splat %empty[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %x = tile.load %A[%i, %k] tile(%BM, %BK) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %y = tile.load %B[%k, %j] tile(%BK, %BN) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %next = tile.mma %x, %y, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %r = tile.load %R[%i, %j] tile(%BM, %BN) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
    %wide = arith.extf %r : tensor<?x?xbf16> to tensor<?x?xf32>
    %betas = tensor.splat %beta[%BM, %BN] : tensor<?x?xf32>
    %scaled = arith.mulf %wide, %betas : tensor<?x?xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %without = arith.cmpf oeq, %beta, %none : f32
    %bias = arith.select %without, %zero, %scaled : tensor<?x?xf32>
    %alphas = tensor.splat %alpha[%BM, %BN] : tensor<?x?xf32>
    %product = arith.mulf %acc, %alphas : tensor<?x?xf32>
    %total = arith.addf %product, %bias : tensor<?x?xf32>
    %c = arith.truncf %total : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_nt(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "K"]},
                      %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["N", "K"]},
                      %R: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]},
                      %beta: f32,
                      %alpha: f32,
                      %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 64, 152] : index
  %BN = tile.param "BN" [128, 64, 256] : index
  %BK = tile.param "BK" [64, 128, 256] : index
  func.call @tiles(%BM, %BN, %BK) : (index, index, index) -> ()
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (%BM, %BN) {
    %c0 = arith.constant 0 : index
    %empty = arith.constant 0.0 : f32
    %zero = tensor.splat %empty[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %x = tile.load %A[%i, %k] tile(%BM, %BK) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %y = tile.load %B[%j, %k] tile(%BK, %BN) dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %next = tile.mma %x, %y, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %r = tile.load %R[%i, %j] tile(%BM, %BN) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
    %wide = arith.extf %r : tensor<?x?xbf16> to tensor<?x?xf32>
    %betas = tensor.splat %beta[%BM, %BN] : tensor<?x?xf32>
    %scaled = arith.mulf %wide, %betas : tensor<?x?xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %without = arith.cmpf oeq, %beta, %none : f32
    %bias = arith.select %without, %zero, %scaled : tensor<?x?xf32>
    %alphas = tensor.splat %alpha[%BM, %BN] : tensor<?x?xf32>
    %product = arith.mulf %acc, %alphas : tensor<?x?xf32>
    %total = arith.addf %product, %bias : tensor<?x?xf32>
    %c = arith.truncf %total : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_tn(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "M"]},
                      %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "N"]},
                      %R: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]},
                      %beta: f32,
                      %alpha: f32,
                      %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 64, 152] : index
  %BN = tile.param "BN" [128, 64, 256] : index
  %BK = tile.param "BK" [64, 128, 256] : index
  func.call @tiles(%BM, %BN, %BK) : (index, index, index) -> ()
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (%BM, %BN) {
    %c0 = arith.constant 0 : index
    %empty = arith.constant 0.0 : f32
    %zero = tensor.splat %empty[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %x = tile.load %A[%k, %i] tile(%BM, %BK) dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %y = tile.load %B[%k, %j] tile(%BK, %BN) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %next = tile.mma %x, %y, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %r = tile.load %R[%i, %j] tile(%BM, %BN) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
    %wide = arith.extf %r : tensor<?x?xbf16> to tensor<?x?xf32>
    %betas = tensor.splat %beta[%BM, %BN] : tensor<?x?xf32>
    %scaled = arith.mulf %wide, %betas : tensor<?x?xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %without = arith.cmpf oeq, %beta, %none : f32
    %bias = arith.select %without, %zero, %scaled : tensor<?x?xf32>
    %alphas = tensor.splat %alpha[%BM, %BN] : tensor<?x?xf32>
    %product = arith.mulf %acc, %alphas : tensor<?x?xf32>
    %total = arith.addf %product, %bias : tensor<?x?xf32>
    %c = arith.truncf %total : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_tt(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "M"]},
                      %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["N", "K"]},
                      %R: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]},
                      %beta: f32,
                      %alpha: f32,
                      %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 64, 152] : index
  %BN = tile.param "BN" [128, 64, 256] : index
  %BK = tile.param "BK" [64, 128, 256] : index
  func.call @tiles(%BM, %BN, %BK) : (index, index, index) -> ()
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (%BM, %BN) {
    %c0 = arith.constant 0 : index
    %empty = arith.constant 0.0 : f32
    %zero = tensor.splat %empty[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %x = tile.load %A[%k, %i] tile(%BM, %BK) dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %y = tile.load %B[%j, %k] tile(%BK, %BN) dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %next = tile.mma %x, %y, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %r = tile.load %R[%i, %j] tile(%BM, %BN) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
    %wide = arith.extf %r : tensor<?x?xbf16> to tensor<?x?xf32>
    %betas = tensor.splat %beta[%BM, %BN] : tensor<?x?xf32>
    %scaled = arith.mulf %wide, %betas : tensor<?x?xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %without = arith.cmpf oeq, %beta, %none : f32
    %bias = arith.select %without, %zero, %scaled : tensor<?x?xf32>
    %alphas = tensor.splat %alpha[%BM, %BN] : tensor<?x?xf32>
    %product = arith.mulf %acc, %alphas : tensor<?x?xf32>
    %total = arith.addf %product, %bias : tensor<?x?xf32>
    %c = arith.truncf %total : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_bias_nn(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "K"]},
                           %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "N"]},
                           %R: memref<?xbf16> {tile.shape = ["N"]},
                           %beta: f32,
                           %alpha: f32,
                           %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 64, 152] : index
  %BN = tile.param "BN" [128, 64, 256] : index
  %BK = tile.param "BK" [64, 128, 256] : index
  func.call @tiles(%BM, %BN, %BK) : (index, index, index) -> ()
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (%BM, %BN) {
    %c0 = arith.constant 0 : index
    %empty = arith.constant 0.0 : f32
    %zero = tensor.splat %empty[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %x = tile.load %A[%i, %k] tile(%BM, %BK) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %y = tile.load %B[%k, %j] tile(%BK, %BN) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %next = tile.mma %x, %y, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %r = tile.load %R[%j] tile(%BN) : memref<?xbf16> -> tensor<?xbf16>
    %wide = arith.extf %r : tensor<?xbf16> to tensor<?xf32>
    %betas = tensor.splat %beta[%BN] : tensor<?xf32>
    %scaled = arith.mulf %wide, %betas : tensor<?xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %nothing = tensor.splat %empty[%BN] : tensor<?xf32>
    %without = arith.cmpf oeq, %beta, %none : f32
    %row = arith.select %without, %nothing, %scaled : tensor<?xf32>
    %bias = tile.broadcast %row dims = [1] extents(%BM, %BN) : tensor<?xf32> -> tensor<?x?xf32>
    %alphas = tensor.splat %alpha[%BM, %BN] : tensor<?x?xf32>
    %product = arith.mulf %acc, %alphas : tensor<?x?xf32>
    %total = arith.addf %product, %bias : tensor<?x?xf32>
    %c = arith.truncf %total : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_bias_nt(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "K"]},
                           %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["N", "K"]},
                           %R: memref<?xbf16> {tile.shape = ["N"]},
                           %beta: f32,
                           %alpha: f32,
                           %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 64, 152] : index
  %BN = tile.param "BN" [128, 64, 256] : index
  %BK = tile.param "BK" [64, 128, 256] : index
  func.call @tiles(%BM, %BN, %BK) : (index, index, index) -> ()
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (%BM, %BN) {
    %c0 = arith.constant 0 : index
    %empty = arith.constant 0.0 : f32
    %zero = tensor.splat %empty[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %x = tile.load %A[%i, %k] tile(%BM, %BK) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %y = tile.load %B[%j, %k] tile(%BK, %BN) dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %next = tile.mma %x, %y, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %r = tile.load %R[%j] tile(%BN) : memref<?xbf16> -> tensor<?xbf16>
    %wide = arith.extf %r : tensor<?xbf16> to tensor<?xf32>
    %betas = tensor.splat %beta[%BN] : tensor<?xf32>
    %scaled = arith.mulf %wide, %betas : tensor<?xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %nothing = tensor.splat %empty[%BN] : tensor<?xf32>
    %without = arith.cmpf oeq, %beta, %none : f32
    %row = arith.select %without, %nothing, %scaled : tensor<?xf32>
    %bias = tile.broadcast %row dims = [1] extents(%BM, %BN) : tensor<?xf32> -> tensor<?x?xf32>
    %alphas = tensor.splat %alpha[%BM, %BN] : tensor<?x?xf32>
    %product = arith.mulf %acc, %alphas : tensor<?x?xf32>
    %total = arith.addf %product, %bias : tensor<?x?xf32>
    %c = arith.truncf %total : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_bias_tn(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "M"]},
                           %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "N"]},
                           %R: memref<?xbf16> {tile.shape = ["N"]},
                           %beta: f32,
                           %alpha: f32,
                           %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 64, 152] : index
  %BN = tile.param "BN" [128, 64, 256] : index
  %BK = tile.param "BK" [64, 128, 256] : index
  func.call @tiles(%BM, %BN, %BK) : (index, index, index) -> ()
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (%BM, %BN) {
    %c0 = arith.constant 0 : index
    %empty = arith.constant 0.0 : f32
    %zero = tensor.splat %empty[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %x = tile.load %A[%k, %i] tile(%BM, %BK) dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %y = tile.load %B[%k, %j] tile(%BK, %BN) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %next = tile.mma %x, %y, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %r = tile.load %R[%j] tile(%BN) : memref<?xbf16> -> tensor<?xbf16>
    %wide = arith.extf %r : tensor<?xbf16> to tensor<?xf32>
    %betas = tensor.splat %beta[%BN] : tensor<?xf32>
    %scaled = arith.mulf %wide, %betas : tensor<?xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %nothing = tensor.splat %empty[%BN] : tensor<?xf32>
    %without = arith.cmpf oeq, %beta, %none : f32
    %row = arith.select %without, %nothing, %scaled : tensor<?xf32>
    %bias = tile.broadcast %row dims = [1] extents(%BM, %BN) : tensor<?xf32> -> tensor<?x?xf32>
    %alphas = tensor.splat %alpha[%BM, %BN] : tensor<?x?xf32>
    %product = arith.mulf %acc, %alphas : tensor<?x?xf32>
    %total = arith.addf %product, %bias : tensor<?x?xf32>
    %c = arith.truncf %total : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @addmm_bias_tt(%A: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["K", "M"]},
                           %B: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["N", "K"]},
                           %R: memref<?xbf16> {tile.shape = ["N"]},
                           %beta: f32,
                           %alpha: f32,
                           %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 64, 152] : index
  %BN = tile.param "BN" [128, 64, 256] : index
  %BK = tile.param "BK" [64, 128, 256] : index
  func.call @tiles(%BM, %BN, %BK) : (index, index, index) -> ()
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (%BM, %BN) {
    %c0 = arith.constant 0 : index
    %empty = arith.constant 0.0 : f32
    %zero = tensor.splat %empty[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %x = tile.load %A[%k, %i] tile(%BM, %BK) dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %y = tile.load %B[%j, %k] tile(%BK, %BN) dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %next = tile.mma %x, %y, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %r = tile.load %R[%j] tile(%BN) : memref<?xbf16> -> tensor<?xbf16>
    %wide = arith.extf %r : tensor<?xbf16> to tensor<?xf32>
    %betas = tensor.splat %beta[%BN] : tensor<?xf32>
    %scaled = arith.mulf %wide, %betas : tensor<?xf32>
    // beta = 0 says that R does not count, whatever is in it.
    %none = arith.constant 0.0 : f32
    %nothing = tensor.splat %empty[%BN] : tensor<?xf32>
    %without = arith.cmpf oeq, %beta, %none : f32
    %row = arith.select %without, %nothing, %scaled : tensor<?xf32>
    %bias = tile.broadcast %row dims = [1] extents(%BM, %BN) : tensor<?xf32> -> tensor<?x?xf32>
    %alphas = tensor.splat %alpha[%BM, %BN] : tensor<?x?xf32>
    %product = arith.mulf %acc, %alphas : tensor<?x?xf32>
    %total = arith.addf %product, %bias : tensor<?x?xf32>
    %c = arith.truncf %total : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
