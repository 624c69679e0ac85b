// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RMS normalisation of the rows of a matrix for tessera.torch.rms_norm: rms_norm_<n> for rows of up to <n> columns, rms_norm_any for
// all. As examples/rms-norm.mlir.

tile.kernel @rms_norm_1024(%X: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]}, %W: memref<?xbf16> {tile.shape = ["N"]}, %eps: f32,
                        %Y: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 1024 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "rms_norm_1024 is for rows of up to 1024 columns" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %in = tile.load %X[%i, %c0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<1x1024xbf16>
    %x = arith.extf %in : tensor<1x1024xbf16> to tensor<1x1024xf32>
    %squares = arith.mulf %x, %x : tensor<1x1024xf32>
    %sum = tile.reduce addf %squares dims = [1] : tensor<1x1024xf32> -> tensor<1xf32>
    %count = arith.index_cast %N : index to i64
    %countf = arith.sitofp %count : i64 to f32
    %counts = tensor.splat %countf : tensor<1xf32>
    %mean = arith.divf %sum, %counts : tensor<1xf32>
    %small = tensor.splat %eps : tensor<1xf32>
    %shifted = arith.addf %mean, %small : tensor<1xf32>
    %scale = math.rsqrt %shifted : tensor<1xf32>
    %scales = tile.broadcast %scale dims = [0] : tensor<1xf32> -> tensor<1x1024xf32>
    %weights = tile.load %W[%c0] : memref<?xbf16> -> tensor<1024xbf16>
    %scaled = arith.mulf %x, %scales : tensor<1x1024xf32>
    %w = arith.extf %weights : tensor<1024xbf16> to tensor<1024xf32>
    %ws = tile.broadcast %w dims = [1] : tensor<1024xf32> -> tensor<1x1024xf32>
    %y = arith.mulf %scaled, %ws : tensor<1x1024xf32>
    %out = arith.truncf %y : tensor<1x1024xf32> to tensor<1x1024xbf16>
    tile.store %out, %Y[%i, %c0] : tensor<1x1024xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @rms_norm_2048(%X: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]}, %W: memref<?xbf16> {tile.shape = ["N"]}, %eps: f32,
                        %Y: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 2048 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "rms_norm_2048 is for rows of up to 2048 columns" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %in = tile.load %X[%i, %c0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<1x2048xbf16>
    %x = arith.extf %in : tensor<1x2048xbf16> to tensor<1x2048xf32>
    %squares = arith.mulf %x, %x : tensor<1x2048xf32>
    %sum = tile.reduce addf %squares dims = [1] : tensor<1x2048xf32> -> tensor<1xf32>
    %count = arith.index_cast %N : index to i64
    %countf = arith.sitofp %count : i64 to f32
    %counts = tensor.splat %countf : tensor<1xf32>
    %mean = arith.divf %sum, %counts : tensor<1xf32>
    %small = tensor.splat %eps : tensor<1xf32>
    %shifted = arith.addf %mean, %small : tensor<1xf32>
    %scale = math.rsqrt %shifted : tensor<1xf32>
    %scales = tile.broadcast %scale dims = [0] : tensor<1xf32> -> tensor<1x2048xf32>
    %weights = tile.load %W[%c0] : memref<?xbf16> -> tensor<2048xbf16>
    %scaled = arith.mulf %x, %scales : tensor<1x2048xf32>
    %w = arith.extf %weights : tensor<2048xbf16> to tensor<2048xf32>
    %ws = tile.broadcast %w dims = [1] : tensor<2048xf32> -> tensor<1x2048xf32>
    %y = arith.mulf %scaled, %ws : tensor<1x2048xf32>
    %out = arith.truncf %y : tensor<1x2048xf32> to tensor<1x2048xbf16>
    tile.store %out, %Y[%i, %c0] : tensor<1x2048xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @rms_norm_4096(%X: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]}, %W: memref<?xbf16> {tile.shape = ["N"]}, %eps: f32,
                        %Y: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 4096 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "rms_norm_4096 is for rows of up to 4096 columns" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %in = tile.load %X[%i, %c0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<1x4096xbf16>
    %x = arith.extf %in : tensor<1x4096xbf16> to tensor<1x4096xf32>
    %squares = arith.mulf %x, %x : tensor<1x4096xf32>
    %sum = tile.reduce addf %squares dims = [1] : tensor<1x4096xf32> -> tensor<1xf32>
    %count = arith.index_cast %N : index to i64
    %countf = arith.sitofp %count : i64 to f32
    %counts = tensor.splat %countf : tensor<1xf32>
    %mean = arith.divf %sum, %counts : tensor<1xf32>
    %small = tensor.splat %eps : tensor<1xf32>
    %shifted = arith.addf %mean, %small : tensor<1xf32>
    %scale = math.rsqrt %shifted : tensor<1xf32>
    %scales = tile.broadcast %scale dims = [0] : tensor<1xf32> -> tensor<1x4096xf32>
    %weights = tile.load %W[%c0] : memref<?xbf16> -> tensor<4096xbf16>
    %scaled = arith.mulf %x, %scales : tensor<1x4096xf32>
    %w = arith.extf %weights : tensor<4096xbf16> to tensor<4096xf32>
    %ws = tile.broadcast %w dims = [1] : tensor<4096xf32> -> tensor<1x4096xf32>
    %y = arith.mulf %scaled, %ws : tensor<1x4096xf32>
    %out = arith.truncf %y : tensor<1x4096xf32> to tensor<1x4096xbf16>
    tile.store %out, %Y[%i, %c0] : tensor<1x4096xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @rms_norm_8192(%X: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]}, %W: memref<?xbf16> {tile.shape = ["N"]}, %eps: f32,
                        %Y: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 8192 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "rms_norm_8192 is for rows of up to 8192 columns" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %in = tile.load %X[%i, %c0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<1x8192xbf16>
    %x = arith.extf %in : tensor<1x8192xbf16> to tensor<1x8192xf32>
    %squares = arith.mulf %x, %x : tensor<1x8192xf32>
    %sum = tile.reduce addf %squares dims = [1] : tensor<1x8192xf32> -> tensor<1xf32>
    %count = arith.index_cast %N : index to i64
    %countf = arith.sitofp %count : i64 to f32
    %counts = tensor.splat %countf : tensor<1xf32>
    %mean = arith.divf %sum, %counts : tensor<1xf32>
    %small = tensor.splat %eps : tensor<1xf32>
    %shifted = arith.addf %mean, %small : tensor<1xf32>
    %scale = math.rsqrt %shifted : tensor<1xf32>
    %scales = tile.broadcast %scale dims = [0] : tensor<1xf32> -> tensor<1x8192xf32>
    %weights = tile.load %W[%c0] : memref<?xbf16> -> tensor<8192xbf16>
    %scaled = arith.mulf %x, %scales : tensor<1x8192xf32>
    %w = arith.extf %weights : tensor<8192xbf16> to tensor<8192xf32>
    %ws = tile.broadcast %w dims = [1] : tensor<8192xf32> -> tensor<1x8192xf32>
    %y = arith.mulf %scaled, %ws : tensor<1x8192xf32>
    %out = arith.truncf %y : tensor<1x8192xf32> to tensor<1x8192xbf16>
    tile.store %out, %Y[%i, %c0] : tensor<1x8192xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @rms_norm_any(%X: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]}, %W: memref<?xbf16> {tile.shape = ["N"]}, %eps: f32,
                        %Y: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 2048 : index
    %zero = arith.constant dense<0.0> : tensor<1xf32>
    %sum = scf.for %j = %c0 to %N step %step iter_args(%s = %zero) -> (tensor<1xf32>) {
      %in = tile.load %X[%i, %j] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<1x2048xbf16>
      %x = arith.extf %in : tensor<1x2048xbf16> to tensor<1x2048xf32>
      %squares = arith.mulf %x, %x : tensor<1x2048xf32>
      %part = tile.reduce addf %squares dims = [1] : tensor<1x2048xf32> -> tensor<1xf32>
      %new = arith.addf %s, %part : tensor<1xf32>
      scf.yield %new : tensor<1xf32>
    }
    %count = arith.index_cast %N : index to i64
    %countf = arith.sitofp %count : i64 to f32
    %counts = tensor.splat %countf : tensor<1xf32>
    %mean = arith.divf %sum, %counts : tensor<1xf32>
    %small = tensor.splat %eps : tensor<1xf32>
    %shifted = arith.addf %mean, %small : tensor<1xf32>
    %scale = math.rsqrt %shifted : tensor<1xf32>
    %scales = tile.broadcast %scale dims = [0] : tensor<1xf32> -> tensor<1x2048xf32>
    scf.for %j = %c0 to %N step %step {
      %in = tile.load %X[%i, %j] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<1x2048xbf16>
      %x = arith.extf %in : tensor<1x2048xbf16> to tensor<1x2048xf32>
      %weights = tile.load %W[%j] : memref<?xbf16> -> tensor<2048xbf16>
      %scaled = arith.mulf %x, %scales : tensor<1x2048xf32>
      %w = arith.extf %weights : tensor<2048xbf16> to tensor<2048xf32>
      %ws = tile.broadcast %w dims = [1] : tensor<2048xf32> -> tensor<1x2048xf32>
      %y = arith.mulf %scaled, %ws : tensor<1x2048xf32>
      %out = arith.truncf %y : tensor<1x2048xf32> to tensor<1x2048xbf16>
      tile.store %out, %Y[%i, %j] : tensor<1x2048xbf16> -> memref<?x?xbf16>
    }
  }
  tile.return
}
