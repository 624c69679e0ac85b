// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax of the rows of a matrix for tessera.torch.softmax, f32. Rows may lie apart. As examples/softmax-rows.mlir: a family, of whose members a
// call takes the one for its sizes.

tile.kernel @softmax(%X: memref<?x?xf32, strided<[?, 1]>> {tile.shape = ["M", "N"]},
                     %Y: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %WAY = tile.param "WAY" [1, 2] : index
  %R = tile.param "R" [1, 2, 4, 8] : index
  %W = tile.param "W" [1024, 2048, 4096, 8192, 512, 256, 128, 384, 768, 1536, 3072, 5120, 6144, 12288, 16384, 32768] : index
  // A tile is 4 to 32 KiB of f32: less leaves threads without work. Of wider ones one row fits the registers.
  %elements = arith.muli %R, %W : index
  %widest = arith.constant 8192 : index
  %narrow = arith.cmpi sle, %W, %widest : index
  scf.if %narrow {
    tile.assume %elements {min = 1024, max = 8192} : index
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
      %x = tile.load %X[%i, %c0] tile(%R, %W) pad = neg_inf : memref<?x?xf32, strided<[?, 1]>> -> tensor<?x?xf32>
      %max = tile.reduce maximumf %x dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
      %maxes = tile.broadcast %max dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      %d = arith.subf %x, %maxes : tensor<?x?xf32>
      %e = math.exp %d : tensor<?x?xf32>
      %sum = tile.reduce addf %e dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
      %unit = arith.constant 1.0 : f32
      %units = tensor.splat %unit[%R] : tensor<?xf32>
      %inverse = arith.divf %units, %sum : tensor<?xf32>
      %inverses = tile.broadcast %inverse dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      %y = arith.mulf %e, %inverses : tensor<?x?xf32>
      tile.store %y, %Y[%i, %c0] : tensor<?x?xf32> -> memref<?x?xf32>
    }
  } else {
    // Rows that come in pieces are long: one at a time is enough.
    tile.assume %R {max = 1} : index
    tile.assume %W {min = 2048, max = 4096} : index
    tile.grid (%i) = (0) to (%M) step (%R) {
      %c0 = arith.constant 0 : index
      // Not −∞: then m − m' would be NaN as long as every element is −∞.
      %least = arith.constant -1.0e30 : f32
      %floor = tensor.splat %least[%R] : tensor<?xf32>
      %none = arith.constant 0.0 : f32
      %zero = tensor.splat %none[%R] : tensor<?xf32>
      %max, %sum = scf.for %j = %c0 to %N step %W iter_args(%m = %floor, %s = %zero) -> (tensor<?xf32>, tensor<?xf32>) {
        %x = tile.load %X[%i, %j] tile(%R, %W) pad = neg_inf : memref<?x?xf32, strided<[?, 1]>> -> tensor<?x?xf32>
        %here = tile.reduce maximumf %x dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
        %next = arith.maximumf %m, %here : tensor<?xf32>
        %nexts = tile.broadcast %next dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
        %d = arith.subf %x, %nexts : tensor<?x?xf32>
        %e = math.exp %d : tensor<?x?xf32>
        %part = tile.reduce addf %e dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
        %drop = arith.subf %m, %next : tensor<?xf32>
        %factor = math.exp %drop : tensor<?xf32>
        %old = arith.mulf %s, %factor : tensor<?xf32>
        %new = arith.addf %old, %part : tensor<?xf32>
        scf.yield %next, %new : tensor<?xf32>, tensor<?xf32>
      }
      %maxes = tile.broadcast %max dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      %unit = arith.constant 1.0 : f32
      %units = tensor.splat %unit[%R] : tensor<?xf32>
      %inverse = arith.divf %units, %sum : tensor<?xf32>
      %inverses = tile.broadcast %inverse dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      scf.for %j = %c0 to %N step %W {
        %x = tile.load %X[%i, %j] tile(%R, %W) : memref<?x?xf32, strided<[?, 1]>> -> tensor<?x?xf32>
        %d = arith.subf %x, %maxes : tensor<?x?xf32>
        %e = math.exp %d : tensor<?x?xf32>
        %y = arith.mulf %e, %inverses : tensor<?x?xf32>
        tile.store %y, %Y[%i, %j] : tensor<?x?xf32> -> memref<?x?xf32>
      }
    }
  }
  tile.return
}

// Its gradient: DX = Y · (D − the sum of each row of D · Y), where D is the gradient of Y.
tile.kernel @softmax_backward(%Y: memref<?x?xf32, strided<[?, 1]>> {tile.shape = ["M", "N"]}, %D: memref<?x?xf32, strided<[?, 1]>> {tile.shape = ["M", "N"]},
                              %DX: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %WAY = tile.param "WAY" [1, 2] : index
  %R = tile.param "R" [1, 2, 4, 8] : index
  %W = tile.param "W" [1024, 2048, 4096, 8192, 512, 256, 128, 384, 768, 1536, 3072, 5120, 6144] : index
  // A tile is 4 to 32 KiB of f32: less leaves threads without work, and two of more do not fit the registers.
  %elements = arith.muli %R, %W : index
  tile.assume %elements {min = 1024, max = 8192} : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %one = arith.constant 1 : index
  %whole = arith.cmpi eq, %WAY, %one : index
  scf.if %whole {
    %fits = arith.cmpi sle, %N, %W : index
    tile.assume %fits, "a row has at most W columns" : i1
    tile.grid (%i) = (0) to (%M) step (%R) {
      %c0 = arith.constant 0 : index
      %y = tile.load %Y[%i, %c0] tile(%R, %W) : memref<?x?xf32, strided<[?, 1]>> -> tensor<?x?xf32>
      %d = tile.load %D[%i, %c0] tile(%R, %W) : memref<?x?xf32, strided<[?, 1]>> -> tensor<?x?xf32>
      %yd = arith.mulf %y, %d : tensor<?x?xf32>
      %sum = tile.reduce addf %yd dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
      %sums = tile.broadcast %sum dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      %above = arith.subf %d, %sums : tensor<?x?xf32>
      %x = arith.mulf %y, %above : tensor<?x?xf32>
      tile.store %x, %DX[%i, %c0] : tensor<?x?xf32> -> memref<?x?xf32>
    }
  } else {
    // Rows that come in pieces are long: one at a time is enough.
    tile.assume %R {max = 1} : index
    tile.assume %W {min = 2048, max = 4096} : index
    tile.grid (%i) = (0) to (%M) step (%R) {
      %c0 = arith.constant 0 : index
      %none = arith.constant 0.0 : f32
      %zero = tensor.splat %none[%R, %W] : tensor<?x?xf32>
      // Column j of the sums is that of columns j, j + W, j + 2W, …
      %parts = scf.for %j = %c0 to %N step %W iter_args(%before = %zero) -> (tensor<?x?xf32>) {
        %y = tile.load %Y[%i, %j] tile(%R, %W) : memref<?x?xf32, strided<[?, 1]>> -> tensor<?x?xf32>
        %d = tile.load %D[%i, %j] tile(%R, %W) : memref<?x?xf32, strided<[?, 1]>> -> tensor<?x?xf32>
        %yd = arith.mulf %y, %d : tensor<?x?xf32>
        %after = arith.addf %before, %yd : tensor<?x?xf32>
        scf.yield %after : tensor<?x?xf32>
      }
      %sum = tile.reduce addf %parts dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
      %sums = tile.broadcast %sum dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      scf.for %j = %c0 to %N step %W {
        %y = tile.load %Y[%i, %j] tile(%R, %W) : memref<?x?xf32, strided<[?, 1]>> -> tensor<?x?xf32>
        %d = tile.load %D[%i, %j] tile(%R, %W) : memref<?x?xf32, strided<[?, 1]>> -> tensor<?x?xf32>
        %above = arith.subf %d, %sums : tensor<?x?xf32>
        %x = arith.mulf %y, %above : tensor<?x?xf32>
        tile.store %x, %DX[%i, %j] : tensor<?x?xf32> -> memref<?x?xf32>
      }
    }
  }
  tile.return
}
