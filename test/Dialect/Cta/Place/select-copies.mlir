// RUN: tile-opt %s --split-input-file --cta-select-copies --cta-verify | FileCheck %s

// Legal by facts: operands come by TMA. The result goes by TMA from the accumulators' layout, before the conversion. Coordinates run over the sizes,
// so no size is empty there.
#acc = #cta.frag<wgmma_acc, wg = 2>
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 2 on 0>
// CHECK-LABEL: tile.kernel @gemm
// CHECK-SAME: phase = #tile.phase<placed>
// CHECK: %[[A:.+]] = cta.copy %A[%i, %[[K:.+]]] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
// CHECK: %[[B:.+]] = cta.copy %B[%[[K]], %j] pad = any {mechanism = #cta.mechanism<tma>}
// CHECK: cta.wgmma %[[A]], %[[B]]
// CHECK: %[[OUT:.+]] = arith.truncf
// CHECK-NOT: cta.convert_layout
// CHECK: %[[S:.+]] = cta.stage %[[OUT]] : tensor<128x64xbf16, #wgmma_acc> -> <128x64xbf16, #cta.swizzle<128, dim = 1>>
// CHECK: cta.copy_out %[[S]], %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup}
tile.kernel @gemm(%A: memref<?x?xbf16> {tile.shape = ["M", "K"], tile.align = 16 : i64, tile.stride_divisible = array<i64: 8, 1>, tile.size_max = array<i64: 2147483647, 2147483647>},
                  %B: memref<?x?xbf16> {tile.shape = ["K", "N"], tile.align = 16 : i64, tile.size_divisible = array<i64: 1, 8>, tile.size_max = array<i64: 2147483647, 2147483647>},
                  %C: memref<?x?xbf16> {tile.shape = ["M", "N"], tile.align = 16 : i64})
    attributes {phase = #tile.phase<raw>, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x64xf32, #acc>) {
      %a = cta.load %A[%i, %k] limit = [%M, _] : memref<?x?xbf16> -> tensor<128x64xbf16, #blocked>
      %as = cta.stage %a : tensor<128x64xbf16, #blocked> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
      %b = cta.load %B[%k, %j] pad = any : memref<?x?xbf16> -> tensor<64x64xbf16, #blocked>
      %bs = cta.stage %b : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      %d = cta.wgmma %as, %bs, %c : !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>> -> tensor<128x64xf32, #acc>
      scf.yield %d : tensor<128x64xf32, #acc>
    }
    %out = arith.truncf %acc : tensor<128x64xf32, #acc> to tensor<128x64xbf16, #acc>
    %o = cta.convert_layout %out : tensor<128x64xbf16, #acc> -> tensor<128x64xbf16, #blocked>
    cta.store %o, %C[%i, %j] : tensor<128x64xbf16, #blocked> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// Refused by TMA, each with its reason: cp.async; where that is illegal shifted pieces, if single elements are all that registers can have; else vectors.
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#rows = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
// CHECK-LABEL: tile.kernel @refused
// CHECK: cta.copy %subview[{{.*}} {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64, why = "no TMA: the memref is a view (memref.subview); descriptors exist for arguments and workspaces: use those with coordinates"}
// CHECK: cta.load %X[{{.*}} {vector = 8 : i64, why = "no TMA: it has a mask; bounds are free with TMA, other masks are not: apply the mask with arith.select; no cp.async: it has a mask"}
// CHECK: cta.load %X[{{.*}} pad = nan {vector = 8 : i64, why = "no TMA: TMA pads with zero only; use pad = zero or any, and arith.select; no cp.async: it pads with zero only"}
// CHECK: cta.copy %X[{{.*}} limit = [_, %{{.+}}] {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64, why = "no TMA: the limit of tile dimension 1 may lie inside the memref; TMA leaves out rows of the shared tile, but no columns{{.*}}"}
// CHECK: cta.copy %Y[{{.*}} {from_zero, mechanism = #cta.mechanism<shifted>, vector = 8 : i64, why = "no TMA: the base of %Y is not known to be a multiple of 16 bytes; add tile.align = 16 to it; no cp.async: no more than 2 bytes are known to divide the base of %Y (tile.align)"}
// CHECK: cta.copy %Z[{{.*}} {mechanism = #cta.mechanism<cp_async>, vector = 4 : i64, why = "no TMA: the stride of dimension 0 of %Z is not known to be a multiple of 16 bytes; add tile.stride_divisible = array<i64: 8, 1> to it; cp.async of 8 bytes: no more are known to divide the stride of dimension 0 of %Z (tile.stride_divisible)"}
// CHECK: cta.load %X[{{.*}} {why = "no TMA: the coordinate of dimension 1 of %X, along which it is contiguous, is not known to be a multiple of 8 elements (16 bytes); tile.assume {divisible = 8} can say so; no cp.async: no more than 2 bytes are known to divide the coordinate of dimension 1; not shifted: the coordinate along contiguous memory may be negative, and is not known to be a multiple of 16 bytes; no vectors: the coordinate of dimension 1 is not known to be a multiple of 8"}
// CHECK: cta.copy %W[{{.*}} {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64, why = "no TMA: dimension 0 of %W may be empty: TMA has no descriptor for it"}
// CHECK: cta.load %T[{{.*}} dims = [1, 0] {why = "no TMA: dimension 1 of %T, along which the shared tile is contiguous, is not known to have stride 1; no cp.async: the shared tile is contiguous along a dimension that is not known to have stride 1 in memory; no vectors: no dimension of the tile is known to have stride 1 in memory"}
tile.kernel @refused(%X: memref<1024x64xbf16> {tile.align = 16 : i64}, %Y: memref<64x64xbf16>, %Z: memref<64x64xbf16, strided<[?, 1]>> {tile.align = 16 : i64, tile.stride_divisible = array<i64: 4, 1>},
                     %W: memref<?x64xbf16> {tile.align = 32 : i64, tile.size_max = array<i64: 1000, 64>}, %T: memref<64x64xbf16, strided<[?, ?]>> {tile.align = 16 : i64}, %n: index)
    attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %m = arith.constant dense<true> : tensor<64xi1, #rows>
    %view = memref.subview %X[0, 0] [64, 64] [1, 1] : memref<1024x64xbf16> to memref<64x64xbf16, strided<[64, 1]>>
    %a = cta.load %view[%c0, %c0] : memref<64x64xbf16, strided<[64, 1]>> -> tensor<64x64xbf16, #blocked>
    %as = cta.stage %a : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %b = cta.load %X[%c0, %c0] mask = %m on [0] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
    %bs = cta.stage %b : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %c = cta.load %X[%c0, %c0] pad = nan : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
    %cs = cta.stage %c : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %even = arith.muli %n, %c16 : index
    %d = cta.load %X[%c0, %c0] limit = [_, %even] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
    %ds = cta.stage %d : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %e = cta.load %Y[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16, #blocked>
    %es = cta.stage %e : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %f = cta.load %Z[%c0, %c0] : memref<64x64xbf16, strided<[?, 1]>> -> tensor<64x64xbf16, #blocked>
    %fs = cta.stage %f : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %g = cta.load %X[%c0, %n] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
    %gs = cta.stage %g : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %h = cta.load %W[%c16, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
    %hs = cta.stage %h : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %t = cta.load %T[%c0, %c0] dims = [1, 0] : memref<64x64xbf16, strided<[?, ?]>> -> tensor<64x64xbf16, #blocked>
    %ts = cta.stage %t : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 0>>
  }
  tile.return
}

// -----

// A tile used in registers, or twice, stays a load. A guard says that nothing is empty; a workspace is aligned.
// The tile's own extent, a mask along it, and what bounds it limit vectors.
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#flat = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
// CHECK-LABEL: tile.kernel @kept
// CHECK: cta.load %W{{.*}} {vector = 8 : i64, why = "no TMA: the tile is used in registers by addf; only operands of products are fetched into shared memory"}
// CHECK: cta.copy %W[
// CHECK: cta.copy %{{.+}}[%{{.+}}, %{{.+}}] {mechanism = #cta.mechanism<tma>} : memref<64x64xbf16> ->
// CHECK: cta.load %V{{.*}} {vector = 4 : i64, why = "no TMA: the tile is used in registers by store; only operands of products are fetched into shared memory"} : memref<?xf32> -> tensor<512xf32,
// CHECK: cta.load %V{{.*}} {vector = 2 : i64, why = "no TMA: the tile is used in registers; only operands of products are fetched into shared memory"} : memref<?xf32> -> tensor<510xf32,
// CHECK: cta.load %V{{.*}} {why = "no TMA: the tile is used in registers; only operands of products are fetched into shared memory; no vectors: the mask varies along the contiguous dimension"}
// CHECK: cta.load %V{{.*}} limit = {{.*}} {why = "no TMA: the tile is used in registers; only operands of products are fetched into shared memory; no vectors: the limit of tile dimension 0 is not known to be a multiple of 4"}
// CHECK: cta.load %U{{.*}} {why = "no TMA: the tile is used in registers; only operands of products are fetched into shared memory; no vectors: the size of dimension 0 of %U is not known to be a multiple of 4 (tile.size_divisible)"}
// CHECK: cta.store {{.*}}, %V{{.*}} {vector = 4 : i64}
tile.kernel @kept(%W: memref<?x64xbf16> {tile.align = 32 : i64, tile.size_max = array<i64: 1000, 64>}, %V: memref<?xf32> {tile.align = 16 : i64, tile.size_divisible = array<i64: 4>}, %U: memref<?xf32> {tile.align = 16 : i64}, %n: index)
    attributes {phase = #tile.phase<raw>, warpgroups = 1, guards = [#tile.guard<size_min, arg = 0, dim = 0, value = 1>]} {
  %ws = memref.alloc() : memref<64x64xbf16>
  tile.grid (%i) = (0) to (%n) step (512) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %a = cta.load %W[%c16, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
    %as = cta.stage %a : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %sum = arith.addf %a, %a : tensor<64x64xbf16, #blocked>
    %b = cta.load %W[%c16, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
    %bs = cta.stage %b : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %c = cta.load %ws[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16, #blocked>
    %cs = cta.stage %c : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<linear>>
    %m = arith.constant dense<true> : tensor<512xi1, #flat>
    %v0 = cta.load %V[%i] : memref<?xf32> -> tensor<512xf32, #flat>
    %v1 = cta.load %V[%i] : memref<?xf32> -> tensor<510xf32, #flat>
    %v2 = cta.load %V[%i] mask = %m : memref<?xf32> -> tensor<512xf32, #flat>
    %v3 = cta.load %V[%i] limit = [%n] : memref<?xf32> -> tensor<512xf32, #flat>
    %u = cta.load %U[%i] : memref<?xf32> -> tensor<512xf32, #flat>
    cta.store %v0, %V[%i] : tensor<512xf32, #flat> -> memref<?xf32>
  }
  tile.return
}

// -----

// Stores: the contiguous size must be a multiple of 16 bytes, and only accumulators gain; a demand overrules the latter.
#acc = #cta.frag<wgmma_acc, wg = 1>
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
// CHECK-LABEL: tile.kernel @stores
// CHECK: cta.store {{.*}}, %S{{.*}} {why = "no TMA: the size of dimension 1 of %S is not known to be a multiple of 16 bytes, at which TMA stores are clipped; add tile.size_divisible to it; no vectors: the size of dimension 1 of %S is not known to be a multiple of 2 (tile.size_divisible)"}
// CHECK: cta.store {{.*}}, %X{{.*}} {vector = 8 : i64}
// CHECK: cta.stage {{.*}} -> <64x64xbf16, #cta.swizzle<128, dim = 1>>
// CHECK: cta.copy_out {{.*}}, %X
tile.kernel @stores(%S: memref<64x?xbf16, strided<[?, 1]>> {tile.align = 16 : i64, tile.stride_divisible = array<i64: 8, 1>, tile.size_max = array<i64: 64, 64>}, %X: memref<64x64xbf16> {tile.align = 16 : i64})
    attributes {phase = #tile.phase<raw>, warpgroups = 1, guards = [#tile.guard<size_min, arg = 0, dim = 1, value = 1>]} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
    %y = arith.constant dense<1.0> : tensor<64x64xbf16, #blocked>
    cta.store %x, %S[%c0, %c0] : tensor<64x64xbf16, #acc> -> memref<64x?xbf16, strided<[?, 1]>>
    cta.store %y, %X[%c0, %c0] : tensor<64x64xbf16, #blocked> -> memref<64x64xbf16>
    cta.store %y, %X[%c0, %c0] {require = #tile.require<[tma]>} : tensor<64x64xbf16, #blocked> -> memref<64x64xbf16>
  }
  tile.return
}

// -----

// cp.async in pieces of what all facts allow: the base, other strides, the coordinate, the extent of the tile, rows of the shared tile.
// Elements of 8 bytes are a piece. Where padded rows leave pieces narrower than vectors of registers, and in registers, it stays a load.
#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#sw = #cta.swizzle<128, dim = 1>
// CHECK-LABEL: tile.kernel @pieces
// CHECK: cta.copy %X{{.*}} {mechanism = #cta.mechanism<cp_async>, vector = 1 : i64, why = "{{.*}}; cp.async of 4 bytes: no more are known to divide the coordinate of dimension 1"}
// CHECK: cta.copy %F{{.*}} {mechanism = #cta.mechanism<cp_async>, vector = 2 : i64, why = "{{.*}}; cp.async of 8 bytes: no more are known to divide the extent of the tile"}
// CHECK: cta.copy %F{{.*}} {mechanism = #cta.mechanism<cp_async>, vector = 4 : i64, why = "no TMA: TMA cannot leave padding between rows"}
// CHECK: cta.copy %D{{.*}} {mechanism = #cta.mechanism<cp_async>, vector = 1 : i64, why = "{{.*}}; cp.async of 8 bytes: no more are known to divide the base of %D (tile.align)"}
// CHECK: cta.load %F{{.*}} {vector = 4 : i64, why = "{{.*}}; no cp.async: vectors of registers are wider than cp.async of 4 bytes: no more are known to divide the rows of the shared tile"}
// CHECK: cta.load %X{{.*}} limit = [%n, _] {
// CHECK: arith.addf
tile.kernel @pieces(%X: memref<?x?xf32, strided<[?, 1]>> {tile.align = 8 : i64, tile.stride_divisible = array<i64: 2, 1>}, %D: memref<?x64xf64> {tile.align = 8 : i64},
                    %F: memref<64x32xf32> {tile.align = 16 : i64}, %n: index)
    attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %a = cta.load %X[%c0, %c3] : memref<?x?xf32, strided<[?, 1]>> -> tensor<64x32xf32, #rows>
    %as = cta.stage %a : tensor<64x32xf32, #rows> -> !cta.smem<64x32xf32, #sw>
    %b = cta.load %F[%c0, %c0] limit = [%n, _] : memref<64x32xf32> -> tensor<64x30xf32, #rows>
    %bs = cta.stage %b : tensor<64x30xf32, #rows> -> !cta.smem<64x30xf32, #cta.swizzle<linear>>
    %c = cta.load %F[%c0, %c0] limit = [%n, _] : memref<64x32xf32> -> tensor<64x32xf32, #rows>
    %cs = cta.stage %c : tensor<64x32xf32, #rows> -> !cta.smem<64x32xf32, #cta.swizzle<linear, pad = 16>>
    %d = cta.load %D[%c0, %c0] limit = [%n, _] : memref<?x64xf64> -> tensor<64x32xf64, #rows>
    %ds = cta.stage %d : tensor<64x32xf64, #rows> -> !cta.smem<64x32xf64, #cta.swizzle<linear>>
    %f = cta.load %F[%c0, %c0] limit = [%n, _] : memref<64x32xf32> -> tensor<64x32xf32, #rows>
    %fs = cta.stage %f : tensor<64x32xf32, #rows> -> !cta.smem<64x32xf32, #cta.swizzle<linear, pad = 4>>
    %g = cta.load %X[%c0, %c0] limit = [%n, _] : memref<?x?xf32, strided<[?, 1]>> -> tensor<64x32xf32, #rows>
    %gs = cta.stage %g : tensor<64x32xf32, #rows> -> !cta.smem<64x32xf32, #sw>
    %sum = arith.addf %g, %g : tensor<64x32xf32, #rows>
  }
  tile.return
}

// -----

// Where a box may begin. Along the contiguous dimension at multiples of 16 bytes; stores not at a negative coordinate, nor at one that does not fit 32 bits.
// Loads may begin anywhere else: a coordinate that may need more than 32 bits is replaced by the least one, which lies outside, too.
#acc = #cta.frag<wgmma_acc, wg = 1>
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
// CHECK-LABEL: tile.kernel @places
// CHECK: cta.copy %X[%{{.+}}, %c-4] {mechanism = #cta.mechanism<cp_async>, vector = 4 : i64, why = "no TMA: the coordinate of dimension 1 of %X, along which it is contiguous, is not known to be a multiple of 8 elements (16 bytes); tile.assume {divisible = 8} can say so;
// CHECK: cta.copy %X[%c-5, %c-8] {mechanism = #cta.mechanism<tma>}
// CHECK: cta.copy %T[%c8, %c-4] dims = [1, 0] {mechanism = #cta.mechanism<tma>}
// CHECK-DAG: %[[HALF:.+]] = arith.constant 2147483648 : index
// CHECK-DAG: %[[WHOLE:.+]] = arith.constant 4294967296 : index
// CHECK-DAG: %[[LEAST:.+]] = arith.constant -2147483648 : index
// CHECK: %[[UP:.+]] = arith.addi %far, %[[HALF]] : index
// CHECK: %[[FITS:.+]] = arith.cmpi ult, %[[UP]], %[[WHOLE]] : index
// CHECK: %[[AT:.+]] = arith.select %[[FITS]], %far, %[[LEAST]] : index
// CHECK: cta.copy %X[%[[AT]], %{{.+}}] {mechanism = #cta.mechanism<tma>}
// CHECK: cta.copy_out {{.*}}, %X[%c8, %c0] {mechanism
// CHECK: cta.store {{.*}}, %X[%c-5, %{{.+}}] {vector = 2 : i64, why = "no TMA: the coordinate of dimension 0 of %X may be negative, where TMA cannot store; tile.assume {min = 0} can say that it is not"}
// CHECK: cta.store {{.*}}, %X[%{{.+}}, %c-4] {vector = 2 : i64, why = "no TMA: the coordinate of dimension 1 of %X, along which it is contiguous, is not known to be a multiple of 8 elements
// CHECK: cta.store {{.*}}, %X[%beyond, %{{.+}}] {vector = 2 : i64, why = "no TMA: the coordinate of dimension 0 of %X is not known to fit 32 bits; tile.size_max or tile.assume can say so"}
tile.kernel @places(%X: memref<1024x64xbf16> {tile.align = 16 : i64}, %T: memref<64x1024xf32> {tile.align = 16 : i64}, %far: index, %beyond: index)
    attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.assume %beyond {min = 0} : index
  tile.grid () = () to () step () {
    %c-0 = arith.constant 0 : index
    %c-4 = arith.constant -4 : index
    %c-5 = arith.constant -5 : index
    %c-8 = arith.constant -8 : index
    %c8 = arith.constant 8 : index
    %a = cta.load %X[%c8, %c-4] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
    %as = cta.stage %a : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %b = cta.load %X[%c-5, %c-8] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
    %bs = cta.stage %b : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %t = cta.load %T[%c8, %c-4] dims = [1, 0] : memref<64x1024xf32> -> tensor<64x64xf32, #blocked>
    %ts = cta.stage %t : tensor<64x64xf32, #blocked> -> !cta.smem<64x64xf32, #cta.swizzle<128, dim = 0>>
    %f = cta.load %X[%far, %c8] : memref<1024x64xbf16> -> tensor<64x64xbf16, #blocked>
    %fs = cta.stage %f : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %v = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
    cta.store %v, %X[%c8, %c-0] : tensor<64x64xbf16, #acc> -> memref<1024x64xbf16>
    cta.store %v, %X[%c-5, %c-0] : tensor<64x64xbf16, #acc> -> memref<1024x64xbf16>
    cta.store %v, %X[%c8, %c-4] : tensor<64x64xbf16, #acc> -> memref<1024x64xbf16>
    cta.store %v, %X[%beyond, %c-0] : tensor<64x64xbf16, #acc> -> memref<1024x64xbf16>
  }
  tile.return
}

// -----

// What is known of a coordinate where the access stands: a quotient by a number that is not constant, what a
// condition yields, and the promise of a branch. A promise says nothing of accesses outside its branch.
#acc = #cta.frag<wgmma_acc, wg = 1>
// CHECK-LABEL: tile.kernel @places
// CHECK: %[[HEAD:.+]] = arith.divui
// CHECK: cta.copy_out %{{.+}}, %X[%[[HEAD]], %{{.+}}, %{{.+}}] {mechanism = #cta.mechanism<tma>
// CHECK: %[[ROW:.+]] = scf.if
// CHECK: cta.copy_out %{{.+}}, %X[%{{.+}}, %[[ROW]], %{{.+}}] {mechanism = #cta.mechanism<tma>
// CHECK: scf.if
// CHECK: cta.copy_out %{{.+}}, %X[%{{.+}}, %{{.+}}, %n] {mechanism = #cta.mechanism<tma>
// CHECK: cta.store %{{.+}}, %X[%{{.+}}, %{{.+}}, %n] {{.*}}why = "no TMA: the coordinate of dimension 2 of %X, along which it is contiguous, is not known to be a multiple of 8 elements
tile.kernel @places(%X: memref<?x64x64xbf16> {tile.align = 16 : i64, tile.size_max = array<i64: 1000, 64, 64>}, %n: index, %p: i1)
    attributes {phase = #tile.phase<raw>, warpgroups = 1, guards = [#tile.guard<size_min, arg = 0, dim = 0, value = 1>]} {
  %c0 = arith.constant 0 : index
  %heads = memref.dim %X, %c0 : memref<?x64x64xbf16>
  tile.grid (%h) = (0) to (%heads) step (1) {
    %c8 = arith.constant 8 : index
    %v = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
    %head = arith.divui %h, %n : index
    cta.store %v, %X[%head, %c0, %c0] dims = [1, 2] : tensor<64x64xbf16, #acc> -> memref<?x64x64xbf16>
    %row = scf.if %p -> index {
      scf.yield %h : index
    } else {
      scf.yield %c8 : index
    }
    cta.store %v, %X[%c0, %row, %c0] dims = [1, 2] : tensor<64x64xbf16, #acc> -> memref<?x64x64xbf16>
    scf.if %p {
      tile.assume %n {divisible = 8, min = 0, max = 64} : index
      cta.store %v, %X[%h, %c0, %n] dims = [1, 2] : tensor<64x64xbf16, #acc> -> memref<?x64x64xbf16>
    } else {
      cta.store %v, %X[%h, %c0, %n] dims = [1, 2] : tensor<64x64xbf16, #acc> -> memref<?x64x64xbf16>
    }
  }
  tile.return
}

// -----

// A row that is repeated: TMA takes a stride of 0.
#acc = #cta.frag<wgmma_acc, wg = 1>
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
!smem = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
// CHECK-LABEL: tile.kernel @repeated
// CHECK: cta.copy %X[%{{.*}}, %{{.*}}] {mechanism = #cta.mechanism<tma>} : memref<64x64xbf16, strided<[0, 1]>>
tile.kernel @repeated(%X: memref<64x64xbf16, strided<[0, 1]>> {tile.align = 16 : i64}, %C: memref<64x64xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = cta.load %X[%c0, %c0] : memref<64x64xbf16, strided<[0, 1]>> -> tensor<64x64xbf16, #blocked>
    %as = cta.stage %a : tensor<64x64xbf16, #blocked> -> !smem
    %d = cta.wgmma %as, %as : !smem, !smem -> tensor<64x64xf32, #acc>
    cta.store %d, %C[%c0, %c0] : tensor<64x64xf32, #acc> -> memref<64x64xf32>
  }
  tile.return
}

// -----

// What shifted pieces cannot fill: a tile, or rows of the shared tile, that are no multiples of 16 bytes.
#narrow = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warps = [[32, 0], [64, 0]], wg = 1>
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
// CHECK-LABEL: tile.kernel @not_shifted
// CHECK: cta.load %X[{{.*}}no cp.async: no more than 2 bytes are known to divide the base of %X (tile.align); not shifted: the extent of the tile along contiguous memory is no multiple of 16 bytes; no vectors
// CHECK: cta.load %X[{{.*}}; not shifted: the rows of the shared tile are no multiples of 16 bytes; no vectors
tile.kernel @not_shifted(%X: memref<128x64xbf16>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = cta.load %X[%c0, %c0] : memref<128x64xbf16> -> tensor<128x4xbf16, #narrow>
    %as = cta.stage %a : tensor<128x4xbf16, #narrow> -> !cta.smem<128x4xbf16, #cta.swizzle<linear>>
    %b = cta.load %X[%c0, %c0] : memref<128x64xbf16> -> tensor<64x64xbf16, #blocked>
    %bs = cta.stage %b : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<linear, pad = 4>>
  }
  tile.return
}
