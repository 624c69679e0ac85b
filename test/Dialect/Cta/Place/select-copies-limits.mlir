// RUN: tile-opt %s --split-input-file --cta-select-copies --cta-verify | FileCheck %s

// A limit along the rows of the tile, the same in all iterations of a loop that moves on along these rows, cuts one tile at most: TMA. One that is the size is
// dropped, as ever, beside it, too. The tile may be transposed in shared memory.
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#columns = #cta.frag<regs = [[1, 0], [2, 0], [4, 0]], lanes = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warps = [[0, 4], [0, 8]], wg = 1>
// CHECK-LABEL: tile.kernel @one_is_cut
// CHECK: cta.copy %X[%c0, %c0] limit = [%n, _] {mechanism = #cta.mechanism<tma>} :
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: cta.copy %X[%[[I]], %c0] limit = [%n, _] {mechanism = #cta.mechanism<tma>} :
// CHECK: cta.copy %X[%[[I]], %c0] limit = [%n, _] {mechanism = #cta.mechanism<tma>} :
// CHECK: cta.copy %X[%[[I]], %c0] dims = [1, 0] limit = [_, %n] {mechanism = #cta.mechanism<tma>} :
tile.kernel @one_is_cut(%X: memref<1024x64xbf16> {tile.align = 16 : i64}, %n: index)
    attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %a = cta.load %X[%c0, %c0] limit = [%n, _] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
    %as = cta.stage %a : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    scf.for %i = %c0 to %c1024 step %c64 {
      %b = cta.load %X[%i, %c0] limit = [%n, _] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
      %bs = cta.stage %b : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      %c = cta.load %X[%i, %c0] limit = [%n, %c64] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
      %cs = cta.stage %c : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      %t = cta.load %X[%i, %c0] dims = [1, 0] limit = [_, %n] : memref<1024x64xbf16> -> tensor<64x64xbf16, #columns>
      %ts = cta.stage %t : tensor<64x64xbf16, #columns> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 0>>
    }
  }
  tile.return
}

// -----

// Where many tiles may be cut, threads copy: the limit changes with the loop; the rows are the same ones in each iteration. Neither can TMA stop along
// columns, nor at two limits, nor where rows of the shared tile begin at multiples of 64 bytes, nor where it stores.
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#narrow = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warps = [[8, 0], [16, 0]], wg = 1>
// CHECK-LABEL: tile.kernel @many_are_cut
// CHECK: scf.for
// CHECK: cta.copy %X{{.*}} {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64, why = "no TMA: the limit of tile dimension 0 may lie inside the memref, and changes in the loop; TMA would fetch the rows of many tiles one by one"}
// CHECK: cta.copy %X{{.*}} {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64, why = "no TMA: the limit of tile dimension 0 may lie inside the memref, and may cut the tiles of several iterations; TMA would fetch the rows of many tiles one by one"}
// CHECK: cta.copy %X{{.*}} {mechanism = #cta.mechanism<cp_async>, {{.*}}why = "no TMA: the limit of tile dimension 1 may lie inside the memref; TMA leaves out rows of the shared tile, but no columns"}
// CHECK: cta.copy %X{{.*}} {mechanism = #cta.mechanism<cp_async>, {{.*}}why = "no TMA: the limit of tile dimension 0 may lie inside the memref; TMA stops at the memref's size only"}
// CHECK: cta.copy %X{{.*}} {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64, why = "no TMA: the limit of tile dimension 0 may lie inside the memref, and its rows cannot be fetched one by one: a TMA box would start at byte 64, not a multiple of 128"}
// CHECK: cta.copy %X{{.*}} {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64, why = "no TMA: the limit of tile dimension 0 may lie inside the memref, and may cut the tiles of several iterations; TMA would fetch the rows of many tiles one by one"}
tile.kernel @many_are_cut(%X: memref<1024x64xbf16> {tile.align = 16 : i64}, %Y: memref<1024x64xbf16> {tile.align = 16 : i64}, %n: index)
    attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %columns = arith.muli %n, %c8 : index
    %zeros = arith.constant dense<0.0> : tensor<64x64xbf16, #blocked>
    scf.for %i = %c0 to %c1024 step %c64 {
      %end = arith.addi %i, %n : index
      %a = cta.load %X[%i, %c0] limit = [%end, _] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
      %as = cta.stage %a : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      %b = cta.load %X[%c64, %c0] limit = [%n, _] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
      %bs = cta.stage %b : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      %c = cta.load %X[%i, %c0] limit = [_, %columns] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
      %cs = cta.stage %c : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      %d = cta.load %X[%i, %c0] limit = [%n, %columns] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
      %ds = cta.stage %d : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      %e = cta.load %X[%i, %c0] limit = [%n, _] : memref<1024x64xbf16> -> tensor<64x32xbf16, #narrow>
      %es = cta.stage %e : tensor<64x32xbf16, #narrow> -> !cta.smem<64x32xbf16, #cta.swizzle<64, dim = 1>>
      %two = arith.remui %i, %c128 : index
      %f = cta.load %X[%two, %c0] limit = [%n, _] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
      %fs = cta.stage %f : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      scf.for %j = %c0 to %c64 step %c8 {
        // CHECK: cta.copy %X{{.*}} {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64, why = "{{.*}}may cut the tiles of several iterations
        %g = cta.load %X[%j, %c0] limit = [%n, _] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
        %gs = cta.stage %g : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      }
      // CHECK: cta.store {{.*}} limit = [%n, _] {vector = 8 : i64}
      cta.store %zeros, %Y[%i, %c0] limit = [%n, _] : tensor<64x64xbf16, #blocked> -> memref<1024x64xbf16>
    }
  }
  tile.return
}

// -----

// What covers the size where the load stands is no limit; a limit may be computed in the loop, of what is the same in all iterations, and the coordinate may
// lie apart from the number of the loop.
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
// CHECK-LABEL: tile.kernel @promised
// CHECK: cta.copy %X{{.*}} limit = [%n, _] {mechanism = #cta.mechanism<tma>} :
// CHECK: cta.copy %X[%{{[^]]*}}] {mechanism = #cta.mechanism<tma>} :
// CHECK: cta.copy %X{{.*}} limit = [%{{[^,]*}}, _] {mechanism = #cta.mechanism<tma>} :
tile.kernel @promised(%X: memref<1024x64xbf16> {tile.align = 16 : i64}, %n: index, %m: index, %c: i1)
    attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    scf.if %c {
      tile.assume %m {min = 64} : index
      scf.for %i = %c0 to %c1024 step %c64 {
        %a = cta.load %X[%i, %c0] limit = [%n, %m] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
        %as = cta.stage %a : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        %b = cta.load %X[%i, %c0] limit = [_, %m] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
        %bs = cta.stage %b : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        %least = arith.minsi %n, %c64 : index
        %place = arith.addi %n, %i : index
        %before = arith.subi %place, %c64 : index
        %d = cta.load %X[%before, %c0] limit = [%least, _] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
        %ds = cta.stage %d : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      }
    }
  }
  tile.return
}

// -----

// A tile that would come in thousands of boxes.
#blocked = #cta.frag<regs = [[0, 0, 1], [0, 0, 2], [0, 0, 4]], lanes = [[0, 0, 8], [0, 0, 16], [0, 0, 32], [0, 1, 0], [0, 2, 0]], warps = [[0, 4, 0], [0, 8, 0]], wg = 1>
// CHECK-LABEL: tile.kernel @boxes
// CHECK: cta.copy %X{{.*}} {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64, why = "no TMA: the limit of tile dimension 1 may lie inside the memref, and a tile that it cuts would have 2048 boxes"}
tile.kernel @boxes(%X: memref<1024x1024x64xbf16> {tile.align = 16 : i64}, %n: index) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = cta.load %X[%c0, %c0, %c0] limit = [_, %n, _] : memref<1024x1024x64xbf16> -> tensor<128x16x64xbf16, #blocked>
    %as = cta.stage %a : tensor<128x16x64xbf16, #blocked> -> !cta.smem<128x16x64xbf16, #cta.swizzle<128, dim = 2>>
  }
  tile.return
}
