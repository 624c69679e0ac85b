// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of batches of matrices for tessera.torch.bmm, C = op(A) · op(B): the letters are those of mm.mlir. As
// examples/batched-gemm-tiles.mlir, with the tiles of mm.mlir.

// Which extents of an output tile and of a step in K go together. Tiles of 16 rows are narrow: many blocks then share the reading of B. Of the others some
// extent fills the last wave well at most sizes. Tiles with few accumulators take longer steps in K.
// 112 columns divide N = 14336 and 7168. Beside 64 rows they are for A · Bᵀ (%isNt); they are slow where rows of B lie along N, and were not timed for Aᵀ · Bᵀ.
func.func private @tiles(%BM: index, %BN: index, %BK: index, %isNt: i1) {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c152 = arith.constant 152 : index
  %c256 = arith.constant 256 : index
  %isLow = arith.cmpi slt, %BM, %c64 : index
  %is64 = arith.cmpi eq, %BM, %c64 : index
  %is128 = arith.cmpi eq, %BM, %c128 : index
  %is152 = arith.cmpi eq, %BM, %c152 : index
  %mostOfOthers = arith.select %isLow, %c64, %c128 : index
  %hasMany = arith.ori %is128, %is152 : i1
  %most = arith.select %hasMany, %c256, %mostOfOthers : index
  %leastOfOthers = arith.select %is152, %c256, %c128 : index
  %hasSome = arith.ori %is64, %is128 : i1
  %hasFew = arith.ori %isLow, %hasSome : i1
  %least = arith.select %hasFew, %c64, %leastOfOthers : index
  %isAbove = arith.cmpi sge, %BN, %least : index
  %isBelow = arith.cmpi sle, %BN, %most : index
  %isWithin = arith.andi %isAbove, %isBelow : i1
  tile.assume %isWithin, "16 rows have 64 columns, 64 rows at most 128, 128 rows any, 152 rows 256, all others 128" : i1
  %odd = arith.remui %BN, %c32 : index
  %c0 = arith.constant 0 : index
  %isEven = arith.cmpi eq, %odd, %c0 : index
  %c112 = arith.constant 112 : index
  %is112 = arith.cmpi eq, %BN, %c112 : index
  %isTall = arith.andi %is64, %is112 : i1
  %mayBeTall = arith.andi %isTall, %isNt : i1
  %mayBeOdd = arith.ori %is128, %mayBeTall : i1
  %isFine = arith.ori %isEven, %mayBeOdd : i1
  tile.assume %isFine, "only 128 rows have 80 or 112 columns, and in A · Bᵀ 64 rows 112" : i1
  %area = arith.muli %BM, %BN : index
  %small = arith.constant 4096 : index
  %isSmall = arith.cmpi eq, %area, %small : index
  %isLong = arith.ori %isLow, %isSmall : i1
  %step = arith.select %isLong, %c128, %c64 : index
  %steps = arith.cmpi eq, %BK, %step : index
  tile.assume %steps, "16 rows and tiles of 64x64 have steps of 128 in K, all others of 64" : i1
  return
}

tile.kernel @bmm_nn(%A: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "M", "K"]},
                    %B: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "K", "N"]},
                    %C: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 64, 80, 144, 152, 192, 208] : index
  %BN = tile.param "BN" [256, 64, 80, 96, 112, 128] : index
  %BK = tile.param "BK" [64, 128] : index
  %isNt = arith.constant false
  func.call @tiles(%BM, %BN, %BK, %isNt) : (index, index, index, i1) -> ()
  %Z = tile.dim "Z" : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%Z, %M, %N) step (1, %BM, %BN) {
    %c0 = arith.constant 0 : index
    %empty = arith.constant 0.0 : f32
    %zero = tensor.splat %empty[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %x = tile.load %A[%b, %i, %k] tile(%BM, %BK) : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<?x?xbf16>
      %y = tile.load %B[%b, %k, %j] tile(%BK, %BN) : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<?x?xbf16>
      %next = tile.mma %x, %y, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %c = arith.truncf %acc : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%b, %i, %j] : tensor<?x?xbf16> -> memref<?x?x?xbf16>
  }
  tile.return
}

tile.kernel @bmm_nt(%A: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "M", "K"]},
                    %B: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "N", "K"]},
                    %C: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 64, 80, 144, 152, 192, 208] : index
  %BN = tile.param "BN" [256, 64, 80, 96, 112, 128] : index
  %BK = tile.param "BK" [64, 128] : index
  %isNt = arith.constant true
  func.call @tiles(%BM, %BN, %BK, %isNt) : (index, index, index, i1) -> ()
  %Z = tile.dim "Z" : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%Z, %M, %N) step (1, %BM, %BN) {
    %c0 = arith.constant 0 : index
    %empty = arith.constant 0.0 : f32
    %zero = tensor.splat %empty[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %x = tile.load %A[%b, %i, %k] tile(%BM, %BK) : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<?x?xbf16>
      %y = tile.load %B[%b, %j, %k] tile(%BK, %BN) dims = [2, 1] : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<?x?xbf16>
      %next = tile.mma %x, %y, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %c = arith.truncf %acc : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%b, %i, %j] : tensor<?x?xbf16> -> memref<?x?x?xbf16>
  }
  tile.return
}

tile.kernel @bmm_tn(%A: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "K", "M"]},
                    %B: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "K", "N"]},
                    %C: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 64, 80, 144, 152, 192, 208] : index
  %BN = tile.param "BN" [256, 64, 80, 96, 112, 128] : index
  %BK = tile.param "BK" [64, 128] : index
  %isNt = arith.constant false
  func.call @tiles(%BM, %BN, %BK, %isNt) : (index, index, index, i1) -> ()
  %Z = tile.dim "Z" : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%Z, %M, %N) step (1, %BM, %BN) {
    %c0 = arith.constant 0 : index
    %empty = arith.constant 0.0 : f32
    %zero = tensor.splat %empty[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %x = tile.load %A[%b, %k, %i] tile(%BM, %BK) dims = [2, 1] : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<?x?xbf16>
      %y = tile.load %B[%b, %k, %j] tile(%BK, %BN) : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<?x?xbf16>
      %next = tile.mma %x, %y, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %c = arith.truncf %acc : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%b, %i, %j] : tensor<?x?xbf16> -> memref<?x?x?xbf16>
  }
  tile.return
}

tile.kernel @bmm_tt(%A: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "K", "M"]},
                    %B: memref<?x?x?xbf16, strided<[?, ?, 1]>> {tile.shape = ["Z", "N", "K"]},
                    %C: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 64, 80, 144, 152, 192, 208] : index
  %BN = tile.param "BN" [256, 64, 80, 96, 112, 128] : index
  %BK = tile.param "BK" [64, 128] : index
  %isNt = arith.constant false
  func.call @tiles(%BM, %BN, %BK, %isNt) : (index, index, index, i1) -> ()
  %Z = tile.dim "Z" : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%Z, %M, %N) step (1, %BM, %BN) {
    %c0 = arith.constant 0 : index
    %empty = arith.constant 0.0 : f32
    %zero = tensor.splat %empty[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %x = tile.load %A[%b, %k, %i] tile(%BM, %BK) dims = [2, 1] : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<?x?xbf16>
      %y = tile.load %B[%b, %j, %k] tile(%BK, %BN) dims = [2, 1] : memref<?x?x?xbf16, strided<[?, ?, 1]>> -> tensor<?x?xbf16>
      %next = tile.mma %x, %y, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %c = arith.truncf %acc : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%b, %i, %j] : tensor<?x?xbf16> -> memref<?x?x?xbf16>
  }
  tile.return
}
