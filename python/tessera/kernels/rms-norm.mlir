// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RMS normalisation of the rows of a matrix for tessera.torch.rms_norm: 16-bit floats in memory, f32 in between. Rows may lie apart. As
// examples/rms-norm-rows.mlir: a family, of whose members a call takes the one for its sizes.

tile.kernel @rms_norm(%X: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]}, %G: memref<?xbf16> {tile.shape = ["N"]},
                      %eps: f32, %Y: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %WAY = tile.param "WAY" [1, 2] : index
  %R = tile.param "R" [1, 2, 4, 8, 16, 32] : index
  %W = tile.param "W" [8192, 4096, 2048, 1024, 512, 6144, 5120, 3072, 1536, 768, 384, 256, 128, 12288, 16384, 32768] : index
  // A tile is 16 to 32 KiB of f32: less leaves threads without work. Of wider ones one row fits the registers.
  %elements = arith.muli %R, %W : index
  %widest = arith.constant 8192 : index
  %narrow = arith.cmpi sle, %W, %widest : index
  scf.if %narrow {
    tile.assume %elements {min = 4096, max = 8192} : index
  } else {
    tile.assume %R {max = 1} : index
  }
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %one = arith.constant 1 : index
  %whole = arith.cmpi eq, %WAY, %one : index
  scf.if %whole {
    %fits = arith.cmpi sle, %N, %W : index
    tile.assume %fits, "a row has at most W columns" : i1
    tile.grid (%i) = (0) to (%M) step (%R) {
      %c0 = arith.constant 0 : index
      %in = tile.load %X[%i, %c0] tile(%R, %W) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
      %weights = tile.load %G[%c0] tile(%W) : memref<?xbf16> -> tensor<?xbf16>
      %x = arith.extf %in : tensor<?x?xbf16> to tensor<?x?xf32>
      %square = arith.mulf %x, %x : tensor<?x?xf32>
      %sum = tile.reduce addf %square dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
      // The mean over the N columns there are, not over the tile.
      %n = arith.index_cast %N : index to i32
      %nf = arith.sitofp %n : i32 to f32
      %count = tensor.splat %nf[%R] : tensor<?xf32>
      %mean = arith.divf %sum, %count : tensor<?xf32>
      %small = tensor.splat %eps[%R] : tensor<?xf32>
      %shifted = arith.addf %mean, %small : tensor<?xf32>
      %scale = math.rsqrt %shifted : tensor<?xf32>
      %scales = tile.broadcast %scale dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      %scaled = arith.mulf %x, %scales : tensor<?x?xf32>
      %w = arith.extf %weights : tensor<?xbf16> to tensor<?xf32>
      %ws = tile.broadcast %w dims = [1] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      %y = arith.mulf %scaled, %ws : tensor<?x?xf32>
      %out = arith.truncf %y : tensor<?x?xf32> to tensor<?x?xbf16>
      tile.store %out, %Y[%i, %c0] : tensor<?x?xbf16> -> memref<?x?xbf16>
    }
  } else {
    // Rows that come in pieces are long: one at a time is enough.
    tile.assume %R {max = 1} : index
    tile.assume %W {min = 8192, max = 8192} : index
    tile.grid (%i) = (0) to (%M) step (%R) {
      %c0 = arith.constant 0 : index
      %none = arith.constant 0.0 : f32
      %zero = tensor.splat %none[%R, %W] : tensor<?x?xf32>
      // Column j of the sums is that of columns j, j + W, j + 2W, …
      %squares = scf.for %j = %c0 to %N step %W iter_args(%s = %zero) -> (tensor<?x?xf32>) {
        %in = tile.load %X[%i, %j] tile(%R, %W) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
        %x = arith.extf %in : tensor<?x?xbf16> to tensor<?x?xf32>
        %square = arith.mulf %x, %x : tensor<?x?xf32>
        %next = arith.addf %s, %square : tensor<?x?xf32>
        scf.yield %next : tensor<?x?xf32>
      }
      %sum = tile.reduce addf %squares dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
      %n = arith.index_cast %N : index to i64
      %nf = arith.sitofp %n : i64 to f32
      %count = tensor.splat %nf[%R] : tensor<?xf32>
      %mean = arith.divf %sum, %count : tensor<?xf32>
      %small = tensor.splat %eps[%R] : tensor<?xf32>
      %shifted = arith.addf %mean, %small : tensor<?xf32>
      %scale = math.rsqrt %shifted : tensor<?xf32>
      %scales = tile.broadcast %scale dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      scf.for %j = %c0 to %N step %W {
        %in = tile.load %X[%i, %j] tile(%R, %W) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
        %weights = tile.load %G[%j] tile(%W) : memref<?xbf16> -> tensor<?xbf16>
        %x = arith.extf %in : tensor<?x?xbf16> to tensor<?x?xf32>
        %scaled = arith.mulf %x, %scales : tensor<?x?xf32>
        %w = arith.extf %weights : tensor<?xbf16> to tensor<?xf32>
        %ws = tile.broadcast %w dims = [1] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
        %y = arith.mulf %scaled, %ws : tensor<?x?xf32>
        %out = arith.truncf %y : tensor<?x?xf32> to tensor<?x?xbf16>
        tile.store %out, %Y[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
      }
    }
  }
  tile.return
}
