// RUN: tilec %s --variants=aligned --emit=ptx -o - 2>/dev/null | FileCheck %s
// Loops that would have an empty part: LLVM would delete it, and leave a test of a barrier that nobody looks at, which tile-ptx-check refuses.

// A mask that holds from the beginning on.
// CHECK: .entry holds_aligned_0
// One that never holds.
// CHECK: .entry fails_aligned_0
tile.kernel @holds(%A: memref<?x128xbf16> {tile.shape = ["S", 128]}, %B: memref<?x128xbf16> {tile.shape = ["S", 128]}, %K: memref<?x128xbf16> {tile.shape = ["T", 128]}, %V: memref<?x128xbf16> {tile.shape = ["T", 128]}, %L: memref<?xf32> {tile.shape = ["S"]}, %Z: memref<?x4xf32> {tile.shape = ["H", 4]},
  %O0: memref<?x128xf32> {tile.shape = ["T", 128]}, %O1: memref<?x128xf32> {tile.shape = ["T", 128]}, %ACC: memref<?x128xf32> {tile.shape = ["S", 128]}, %ACC2: memref<?x64xf32> {tile.shape = ["T", 64]}, %OUT3: memref<?x?xf32> {tile.shape = ["T", "S"]}) {
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  %H = tile.dim "H" : index
  tile.grid (%j) = (0) to (%T) step (128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %z = arith.constant dense<0.0> : tensor<128x128xf32>
    %one = arith.constant dense<1.0> : tensor<128x64xf32>
    %lowc = arith.constant dense<-2.0> : tensor<128x64xf32>
    %highc = arith.constant dense<2.0> : tensor<128x64xf32>
    %cb = arith.constant dense<0> : tensor<128x64xi32>
    %shift = arith.subi %S, %T : index
    %jf = arith.addi %j, %shift : index
    %some = arith.maxsi %jf, %c0 : index
    %blk = arith.divui %some, %c64 : index
    %lo = arith.muli %blk, %c64 : index
    %j32 = arith.index_cast %jf : index to i32
    %own = tile.iota dim = 0 from %j32 : tensor<128x64xi32>
    %bs = tensor.splat %j32 : tensor<128x64xi32>
    %k = tile.load %K[%j, %c0] : memref<?x128xbf16> -> tensor<128x128xbf16>
    %v = tile.load %V[%j, %c0] : memref<?x128xbf16> -> tensor<128x128xbf16>
    %r0 = scf.for %i = %c0 to %c256 step %c64 iter_args(%acc0 = %z) -> (tensor<128x128xf32>) {
      %x1 = tile.load %A[%i, %c0] : memref<?x128xbf16> -> tensor<64x128xbf16>
      %x2 = tile.transpose %x1 dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %x3 = tile.mma %k, %x2 : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      tile.store %x3, %OUT3[%j, %i] : tensor<128x64xf32> -> memref<?x?xf32>
      %x4 = arith.subf %x3, %x3 : tensor<128x64xf32>
      %x5 = tile.load %B[%i, %c0] : memref<?x128xbf16> -> tensor<64x128xbf16>
      %x6 = tile.transpose %x5 dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %x7 = tile.mma %k, %x6 : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      %x8 = arith.addf %x4, %x4 : tensor<128x64xf32>
      %x9 = arith.cmpi sge, %i, %c64 : index
      %x10 = scf.if %x9 -> (tensor<128x64xf32>) {
        %x11 = arith.addf %x8, %one : tensor<128x64xf32>
        scf.yield %x11 : tensor<128x64xf32>
      } else {
        scf.yield %x8 : tensor<128x64xf32>
      }
      %x12 = arith.index_cast %i : index to i32
      %ox14 = arith.constant 5 : i32
      %x14 = arith.addi %x12, %ox14 : i32
      %x13 = tile.iota dim = 1 from %x14 : tensor<128x64xi32>
      %x15 = arith.cmpi sge, %x13, %cb : tensor<128x64xi32>
      %x16 = arith.select %x15, %x7, %one : tensor<128x64xi1>, tensor<128x64xf32>
      %x17 = arith.maximumf %x16, %lowc : tensor<128x64xf32>
      %x18 = arith.minimumf %x17, %highc : tensor<128x64xf32>
      tile.atomic add %x18, %ACC[%i, %c0] dims = [1, 0] : tensor<128x64xf32> -> memref<?x128xf32>
 scf.yield %acc0 : tensor<128x128xf32>
}
    tile.store %r0, %O0[%j, %c0] : tensor<128x128xf32> -> memref<?x128xf32>
  }
  tile.return
}

tile.kernel @fails(%A: memref<?x128xbf16> {tile.shape = ["S", 128]}, %B: memref<?x128xbf16> {tile.shape = ["S", 128]}, %K: memref<?x128xbf16> {tile.shape = ["T", 128]}, %V: memref<?x128xbf16> {tile.shape = ["T", 128]}, %L: memref<?xf32> {tile.shape = ["S"]}, %Z: memref<?x4xf32> {tile.shape = ["H", 4]},
  %O0: memref<?x128xf32> {tile.shape = ["T", 128]}, %O1: memref<?x128xf32> {tile.shape = ["T", 128]}, %ACC: memref<?x128xf32> {tile.shape = ["S", 128]}, %ACC2: memref<?x64xf32> {tile.shape = ["T", 64]}, %OUT3: memref<?x?xf32> {tile.shape = ["T", "S"]}) {
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  %H = tile.dim "H" : index
  tile.grid (%j) = (0) to (%T) step (128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant dense<0.0> : tensor<128x128xf32>
    %one = arith.constant dense<1.0> : tensor<128x64xf32>
    %lowc = arith.constant dense<-2.0> : tensor<128x64xf32>
    %highc = arith.constant dense<2.0> : tensor<128x64xf32>
    %cb = arith.constant dense<64> : tensor<128x64xi32>
    %shift = arith.subi %S, %T : index
    %jf = arith.addi %j, %shift : index
    %some = arith.maxsi %jf, %c0 : index
    %blk = arith.divui %some, %c64 : index
    %lo = arith.muli %blk, %c64 : index
    %j32 = arith.index_cast %jf : index to i32
    %own = tile.iota dim = 0 from %j32 : tensor<128x64xi32>
    %bs = tensor.splat %j32 : tensor<128x64xi32>
    %k = tile.load %K[%j, %c0] : memref<?x128xbf16> -> tensor<128x128xbf16>
    %v = tile.load %V[%j, %c0] : memref<?x128xbf16> -> tensor<128x128xbf16>
    %r0 = scf.for %i = %c0 to %S step %c64 iter_args(%acc0 = %z) -> (tensor<128x128xf32>) {
      %x1 = tile.load %A[%i, %c0] : memref<?x128xbf16> -> tensor<64x128xbf16>
      %x2 = tile.transpose %x1 dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %x3 = tile.mma %k, %x2 : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      tile.store %x3, %OUT3[%j, %i] : tensor<128x64xf32> -> memref<?x?xf32>
      %x4 = arith.subf %x3, %x3 : tensor<128x64xf32>
      %x5 = tile.load %B[%i, %c0] : memref<?x128xbf16> -> tensor<64x128xbf16>
      %x6 = tile.transpose %x5 dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %x7 = tile.mma %k, %x6 : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      %x8 = arith.addf %x4, %x4 : tensor<128x64xf32>
      %x9 = arith.cmpi sge, %i, %c64 : index
      %x10 = scf.if %x9 -> (tensor<128x64xf32>) {
        %x11 = arith.addf %x8, %one : tensor<128x64xf32>
        scf.yield %x11 : tensor<128x64xf32>
      } else {
        scf.yield %x8 : tensor<128x64xf32>
      }
      %x12 = arith.index_cast %i : index to i32
      %ox14 = arith.constant 5 : i32
      %x14 = arith.addi %x12, %ox14 : i32
      %x13 = tile.iota dim = 1 from %x14 : tensor<128x64xi32>
      %x15 = arith.cmpi sle, %x13, %cb : tensor<128x64xi32>
      %x16 = arith.select %x15, %x7, %one : tensor<128x64xi1>, tensor<128x64xf32>
      %x17 = arith.maximumf %x16, %lowc : tensor<128x64xf32>
      %x18 = arith.minimumf %x17, %highc : tensor<128x64xf32>
      tile.atomic add %x18, %ACC[%i, %c0] dims = [1, 0] : tensor<128x64xf32> -> memref<?x128xf32>
 scf.yield %acc0 : tensor<128x128xf32>
}
    tile.store %r0, %O0[%j, %c0] : tensor<128x128xf32> -> memref<?x128xf32>
  }
  tile.return
}
