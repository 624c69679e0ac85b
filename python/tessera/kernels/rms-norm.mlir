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

// Its gradients: DX of X and DG of the weights G, where D is the gradient of Y.
//
//   r = 1 / sqrt(mean(x²) + eps);  s = sum(d · g · x);  c = s · r² / N          (of each row)
//   DX = r · d · g − x · r · c;  DG = sum over rows of d · x · r
//
// Up to four blocks for each core share the rows: each takes one row, or group of R rows, in so many, and leaves its sum of DG in P; a last grid
// adds those, on one device always in the same order. Rows that do not fit the registers (WAY = 2) are read twice: for r and c, and by blocks of W columns. With SUMS = 1 nobody wants DG.
tile.kernel @rms_norm_backward(%X: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]}, %G: memref<?xbf16> {tile.shape = ["N"]},
                               %eps: f32,
                               %D: memref<?x?xbf16, strided<[?, 1]>> {tile.shape = ["M", "N"]},
                               %DX: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %DG: memref<?xbf16>) {
  %SUMS = tile.param "SUMS" [2, 1] : index
  %WAY = tile.param "WAY" [1, 2] : index
  %R = tile.param "R" [1, 2, 4, 8, 16, 32] : index
  %W = tile.param "W" [4096, 2048, 1024, 512, 3072, 1536, 768, 384, 256, 128] : index
  // A tile is 8 to 16 KiB of f32: less leaves threads without work, and four of more do not fit the registers.
  %elements = arith.muli %R, %W : index
  tile.assume %elements {min = 2048, max = 4096} : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %wanted = arith.cmpi eq, %SUMS, %two : index
  %cores = tile.num_cores : index
  %four = arith.constant 4 : index
  %most = arith.muli %cores, %four : index
  %groups = arith.ceildivsi %M, %R : index
  %parts = arith.minsi %groups, %most : index
  %stride = arith.muli %parts, %R : index
  %c0k = arith.constant 0 : index
  %stored = arith.select %wanted, %parts, %c0k : index
  %P = memref.alloc(%stored, %N) : memref<?x?xf32>
  scf.if %wanted {
    %columns = memref.dim %DG, %c0k : memref<?xbf16>
    %fit = arith.cmpi eq, %columns, %N : index
    tile.assume %fit, "DG has an element for each column" : i1
  }
  %n = arith.index_cast %N : index to i64
  %nf = arith.sitofp %n : i64 to f32
  %whole = arith.cmpi eq, %WAY, %one : index
  scf.if %whole {
    %fits = arith.cmpi sle, %N, %W : index
    tile.assume %fits, "a row has at most W columns" : i1
    tile.grid (%p) = (0) to (%parts) step (1) {
      %c0 = arith.constant 0 : index
      %none = arith.constant 0.0 : f32
      %zero = tensor.splat %none[%R, %W] : tensor<?x?xf32>
      %weights = tile.load %G[%c0] tile(%W) : memref<?xbf16> -> tensor<?xbf16>
      %g = arith.extf %weights : tensor<?xbf16> to tensor<?xf32>
      %gs = tile.broadcast %g dims = [1] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      %count = tensor.splat %nf[%R] : tensor<?xf32>
      %small = tensor.splat %eps[%R] : tensor<?xf32>
      %nothing = tensor.splat %none[%R] : tensor<?xf32>
      %m = arith.index_cast %M : index to i64
      %rows = tensor.splat %m[%R] : tensor<?xi64>
      %first = arith.muli %p, %R : index
      %dg = scf.for %i = %first to %M step %stride iter_args(%before = %zero) -> (tensor<?x?xf32>) {
        %xn = tile.load %X[%i, %c0] tile(%R, %W) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
        %dn = tile.load %D[%i, %c0] tile(%R, %W) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
        %x = arith.extf %xn : tensor<?x?xbf16> to tensor<?x?xf32>
        %d = arith.extf %dn : tensor<?x?xbf16> to tensor<?x?xf32>
        %square = arith.mulf %x, %x : tensor<?x?xf32>
        %sum = tile.reduce addf %square dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
        %dw = arith.mulf %d, %gs : tensor<?x?xf32>
        %dwx = arith.mulf %dw, %x : tensor<?x?xf32>
        %s = tile.reduce addf %dwx dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
        %mean = arith.divf %sum, %count : tensor<?xf32>
        %shifted = arith.addf %mean, %small : tensor<?xf32>
        // A row behind the last one has r = 0: ∞ would make all of DG NaN.
        %i64 = arith.index_cast %i : index to i64
        %row = tile.iota dim = 0 from %i64 extents(%R) : tensor<?xi64>
        %exists = arith.cmpi slt, %row, %rows : tensor<?xi64>
        %root = math.rsqrt %shifted : tensor<?xf32>
        %r = arith.select %exists, %root, %nothing : tensor<?xi1>, tensor<?xf32>
        %sn = arith.divf %s, %count : tensor<?xf32>
        // Not r³, which overflows for a row of zeros.
        %snr = arith.mulf %sn, %r : tensor<?xf32>
        %c = arith.mulf %snr, %r : tensor<?xf32>
        %rs = tile.broadcast %r dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
        %cs = tile.broadcast %c dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
        %direct = arith.mulf %dw, %rs : tensor<?x?xf32>
        %xr = arith.mulf %x, %rs : tensor<?x?xf32>
        %shared = arith.mulf %xr, %cs : tensor<?x?xf32>
        %dx = arith.subf %direct, %shared : tensor<?x?xf32>
        %out = arith.truncf %dx : tensor<?x?xf32> to tensor<?x?xbf16>
        tile.store %out, %DX[%i, %c0] : tensor<?x?xbf16> -> memref<?x?xbf16>
        %dxr = arith.mulf %d, %xr : tensor<?x?xf32>
        %sum_of_rows = arith.addf %before, %dxr : tensor<?x?xf32>
        %after = arith.select %wanted, %sum_of_rows, %before : tensor<?x?xf32>
        scf.yield %after : tensor<?x?xf32>
      }
      scf.if %wanted {
        %column = tile.reduce addf %dg dims = [0] : tensor<?x?xf32> -> tensor<?xf32>
        tile.store %column, %P[%p, %c0] : tensor<?xf32> -> memref<?x?xf32>
      }
    }
  } else {
    tile.assume %R {max = 1} : index
    tile.assume %W {min = 4096, max = 4096} : index
    %RS = memref.alloc(%M) : memref<?xf32>
    %CS = memref.alloc(%M) : memref<?xf32>
    tile.grid (%i) = (0) to (%M) step (%R) {
      %c0 = arith.constant 0 : index
      %none = arith.constant 0.0 : f32
      %zero = tensor.splat %none[%R, %W] : tensor<?x?xf32>
      %squares, %products = scf.for %j = %c0 to %N step %W iter_args(%square0 = %zero, %product0 = %zero) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
        %xn = tile.load %X[%i, %j] tile(%R, %W) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
        %dn = tile.load %D[%i, %j] tile(%R, %W) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
        %weights = tile.load %G[%j] tile(%W) : memref<?xbf16> -> tensor<?xbf16>
        %x = arith.extf %xn : tensor<?x?xbf16> to tensor<?x?xf32>
        %d = arith.extf %dn : tensor<?x?xbf16> to tensor<?x?xf32>
        %g = arith.extf %weights : tensor<?xbf16> to tensor<?xf32>
        %gs = tile.broadcast %g dims = [1] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
        %square = arith.mulf %x, %x : tensor<?x?xf32>
        %dw = arith.mulf %d, %gs : tensor<?x?xf32>
        %dwx = arith.mulf %dw, %x : tensor<?x?xf32>
        %square1 = arith.addf %square0, %square : tensor<?x?xf32>
        %product1 = arith.addf %product0, %dwx : tensor<?x?xf32>
        scf.yield %square1, %product1 : tensor<?x?xf32>, tensor<?x?xf32>
      }
      %sum = tile.reduce addf %squares dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
      %s = tile.reduce addf %products dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
      %count = tensor.splat %nf[%R] : tensor<?xf32>
      %small = tensor.splat %eps[%R] : tensor<?xf32>
      %mean = arith.divf %sum, %count : tensor<?xf32>
      %shifted = arith.addf %mean, %small : tensor<?xf32>
      %r = math.rsqrt %shifted : tensor<?xf32>
      %sn = arith.divf %s, %count : tensor<?xf32>
      %snr = arith.mulf %sn, %r : tensor<?xf32>
      %c = arith.mulf %snr, %r : tensor<?xf32>
      tile.store %r, %RS[%i] : tensor<?xf32> -> memref<?xf32>
      tile.store %c, %CS[%i] : tensor<?xf32> -> memref<?xf32>
    }
    tile.grid (%p, %j) = (0, 0) to (%parts, %N) step (1, %W) {
      %c0 = arith.constant 0 : index
      %none = arith.constant 0.0 : f32
      %zero = tensor.splat %none[%R, %W] : tensor<?x?xf32>
      %weights = tile.load %G[%j] tile(%W) : memref<?xbf16> -> tensor<?xbf16>
      %g = arith.extf %weights : tensor<?xbf16> to tensor<?xf32>
      %gs = tile.broadcast %g dims = [1] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      %first = arith.muli %p, %R : index
      %dg = scf.for %i = %first to %M step %stride iter_args(%before = %zero) -> (tensor<?x?xf32>) {
        %xn = tile.load %X[%i, %j] tile(%R, %W) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
        %dn = tile.load %D[%i, %j] tile(%R, %W) : memref<?x?xbf16, strided<[?, 1]>> -> tensor<?x?xbf16>
        %r = tile.load %RS[%i] tile(%R) : memref<?xf32> -> tensor<?xf32>
        %c = tile.load %CS[%i] tile(%R) : memref<?xf32> -> tensor<?xf32>
        %x = arith.extf %xn : tensor<?x?xbf16> to tensor<?x?xf32>
        %d = arith.extf %dn : tensor<?x?xbf16> to tensor<?x?xf32>
        %rs = tile.broadcast %r dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
        %cs = tile.broadcast %c dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
        %dw = arith.mulf %d, %gs : tensor<?x?xf32>
        %direct = arith.mulf %dw, %rs : tensor<?x?xf32>
        %xr = arith.mulf %x, %rs : tensor<?x?xf32>
        %shared = arith.mulf %xr, %cs : tensor<?x?xf32>
        %dx = arith.subf %direct, %shared : tensor<?x?xf32>
        %out = arith.truncf %dx : tensor<?x?xf32> to tensor<?x?xbf16>
        tile.store %out, %DX[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
        %dxr = arith.mulf %d, %xr : tensor<?x?xf32>
        %sum_of_rows = arith.addf %before, %dxr : tensor<?x?xf32>
        %after = arith.select %wanted, %sum_of_rows, %before : tensor<?x?xf32>
        scf.yield %after : tensor<?x?xf32>
      }
      scf.if %wanted {
        %column = tile.reduce addf %dg dims = [0] : tensor<?x?xf32> -> tensor<?xf32>
        tile.store %column, %P[%p, %j] : tensor<?xf32> -> memref<?x?xf32>
      }
    }
  }
  scf.if %wanted {
    tile.grid (%j) = (0) to (%N) step (64) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %sums = scf.for %p = %c0 to %parts step %c64 iter_args(%before = %zero) -> (tensor<64x64xf32>) {
        %part = tile.load %P[%p, %j] : memref<?x?xf32> -> tensor<64x64xf32>
        %after = arith.addf %before, %part : tensor<64x64xf32>
        scf.yield %after : tensor<64x64xf32>
      }
      %dg = tile.reduce addf %sums dims = [0] : tensor<64x64xf32> -> tensor<64xf32>
      %out = arith.truncf %dg : tensor<64xf32> to tensor<64xbf16>
      tile.store %out, %DG[%j] : tensor<64xbf16> -> memref<?xbf16>
    }
  }
  tile.return
}
