// RUN: tile-opt %s --cta-select-copies --cta-verify | FileCheck %s
// RUN: tile-opt %s --cta-select-copies --convert-cta-to-tile | FileCheck %s --check-prefix=ERASED
// Sums of what a product left in its accumulators go to memory by TMA.

#acc = #cta.frag<wgmma_acc, wg = 2>
#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]], wg = 2 on 0>
#raw = #tile.phase<raw>

// CHECK-LABEL: tile.kernel @sums(
// CHECK: %[[S:.+]] = cta.stage %{{.*}} : tensor<128x64xf32, #{{.*}}> -> <128x64xf32, #cta.swizzle<128, dim = 1>>
// CHECK: cta.copy_out %[[S]], {{.*}}per_warpgroup, reduce = #tile.atomic_kind<add>}
// Transposed.
// CHECK: cta.copy_out {{.*}} dims = [1, 0] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>}
// ERASED-LABEL: tile.kernel @sums(
// ERASED: tile.atomic add {{.*}} : tensor<128x64xf32> -> memref<?x?xf32>
// ERASED: tile.atomic add {{.*}} dims = [1, 0] : tensor<128x64xf32> -> memref<?x?xf32>
tile.kernel @sums(%C: memref<?x?xf32> {tile.shape = ["M", "N"], tile.align = 16 : i64, tile.stride_divisible = array<i64: 4, 1>, tile.size_divisible = array<i64: 1, 4>, tile.size_max = array<i64: 2147483647, 2147483647>})
    attributes {phase = #raw, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %t = arith.constant dense<1.0> : tensor<128x64xf32, #acc>
    cta.atomic add relaxed device %t, %C[%i, %j] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
    cta.atomic add relaxed device %t, %C[%i, %j] dims = [1, 0] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// The other types that TMA adds.
// CHECK-LABEL: tile.kernel @types(
// CHECK: cta.copy_out {{.*}}reduce{{.*}}<64x64xbf16
// CHECK: cta.copy_out {{.*}}reduce{{.*}}<64x64xf16
// CHECK: cta.copy_out {{.*}}reduce{{.*}}<64x64xi32
tile.kernel @types(%A: memref<?x64xbf16> {tile.shape = ["M", 64], tile.align = 16 : i64, tile.size_max = array<i64: 2147483647, 64>},
                   %B: memref<?x64xf16> {tile.shape = ["M", 64], tile.align = 16 : i64, tile.size_max = array<i64: 2147483647, 64>},
                   %C: memref<?x64xi32> {tile.shape = ["M", 64], tile.align = 16 : i64, tile.size_max = array<i64: 2147483647, 64>})
    attributes {phase = #raw, warpgroups = 1} {
  %M = tile.dim "M" : index
  tile.grid (%i) = (0) to (%M) step (64) {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<1.0> : tensor<64x64xbf16, #cta.frag<wgmma_acc, wg = 1>>
    cta.atomic add relaxed device %a, %A[%i, %c0] : tensor<64x64xbf16, #cta.frag<wgmma_acc, wg = 1>> -> memref<?x64xbf16>
    %b = arith.constant dense<1.0> : tensor<64x64xf16, #cta.frag<wgmma_acc, wg = 1>>
    cta.atomic add relaxed device %b, %B[%i, %c0] : tensor<64x64xf16, #cta.frag<wgmma_acc, wg = 1>> -> memref<?x64xf16>
    %c = arith.constant dense<1> : tensor<64x64xi32, #cta.frag<wgmma_acc, wg = 1>>
    cta.atomic add relaxed device %c, %C[%i, %c0] : tensor<64x64xi32, #cta.frag<wgmma_acc, wg = 1>> -> memref<?x64xi32>
  }
  tile.return
}

// What threads do: extremes (NaN wins, which TMA does not know), a result, an order, another scope, a mask, types that TMA does not add, and a
// layout that moves whole vectors as it is.
// CHECK-LABEL: tile.kernel @threads(
// CHECK-NOT: cta.copy_out
// CHECK-COUNT-7: cta.atomic
// CHECK-NOT: cta.copy_out
// CHECK: tile.return
tile.kernel @threads(%C: memref<?x?xf32> {tile.shape = ["M", "N"], tile.align = 16 : i64, tile.stride_divisible = array<i64: 4, 1>, tile.size_divisible = array<i64: 1, 4>, tile.size_max = array<i64: 2147483647, 2147483647>},
                     %D: memref<?x?xf64> {tile.shape = ["M", "N"], tile.align = 16 : i64, tile.stride_divisible = array<i64: 2, 1>, tile.size_divisible = array<i64: 1, 2>, tile.size_max = array<i64: 2147483647, 2147483647>})
    attributes {phase = #raw, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %t = arith.constant dense<1.0> : tensor<128x64xf32, #acc>
    %m = arith.constant dense<true> : tensor<128x64xi1, #acc>
    %d = arith.constant dense<1.0> : tensor<128x64xf64, #acc>
    %r = arith.constant dense<1.0> : tensor<8x128xf32, #rows>
    cta.atomic max relaxed device %t, %C[%i, %j] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
    %old = cta.atomic add relaxed device returning %t, %C[%i, %j] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
    cta.atomic add relaxed system %t, %C[%i, %j] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
    cta.atomic add relaxed device %t, %C[%i, %j] mask = (%m : tensor<128x64xi1, #acc>) on [0, 1] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
    cta.atomic add relaxed device %d, %D[%i, %j] : tensor<128x64xf64, #acc> -> memref<?x?xf64>
    cta.atomic exchange relaxed device %t, %C[%i, %j] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
    cta.atomic add relaxed device %r, %C[%i, %j] : tensor<8x128xf32, #rows> -> memref<?x?xf32>
  }
  tile.return
}

// TMA needs facts; the report says which.
// CHECK-LABEL: tile.kernel @unaligned(
// CHECK: cta.atomic add {{.*}}why = "no TMA: {{.*}}
tile.kernel @unaligned(%C: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #raw, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %t = arith.constant dense<1.0> : tensor<128x64xf32, #acc>
    cta.atomic add relaxed device %t, %C[%i, %j] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// A limit that is the size is what TMA stops at anyway, in whatever order `dims` names the dimensions. One that may lie inside the memref is left to threads,
// which add the rows by vectors where the limit does not cut them.
// CHECK-LABEL: tile.kernel @limits(
// CHECK: cta.copy_out %{{.*}}, %C[%i, %j] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>}
// CHECK: cta.copy_out %{{.*}}, %C[%i, %j] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>}
// CHECK: cta.copy_out %{{.*}}, %C[%i, %j] dims = [1, 0] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>}
// CHECK-NOT: cta.copy_out
// CHECK: cta.atomic add {{.*}} limit = [%n, _] {vector = 2 : i64, why = "no TMA: the limit of tile dimension 0 may lie inside the memref; TMA stops at the memref's size only"}
// CHECK: cta.atomic add {{.*}} limit = [_, %n] {why = "no TMA: the limit of tile dimension 1 may lie inside the memref; TMA stops at the memref's size only; no vectors: the limit of tile dimension 1 is not known to be a multiple of 2"}
// CHECK: cta.atomic add {{.*}} limit = [%M, %n] {why = "no TMA: the limit of tile dimension 1 may
// CHECK: cta.atomic add {{.*}} limit = [%{{[0-9]+}}, _] {vector = 2 : i64, why = "no TMA: the limit of tile dimension 0 may
// Each is a size, but not that of its dimension.
// CHECK: cta.atomic add {{.*}} dims = [1, 0] limit = [%M, %N] {why = "no TMA: the limit of tile dimension 0 may
// CHECK-NOT: cta.copy_out
// CHECK: tile.return
// ERASED-LABEL: tile.kernel @limits(
// ERASED: tile.atomic add %{{.*}}, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
// ERASED: tile.atomic add %{{.*}}, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
// ERASED: tile.atomic add %{{.*}}, %C[%i, %j] dims = [1, 0] : tensor<64x64xf32> -> memref<?x?xf32>
// ERASED: tile.atomic add %{{.*}}, %C[%i, %j] limit = [%n, _] : tensor<64x64xf32> -> memref<?x?xf32>
#one = #cta.frag<wgmma_acc, wg = 1>
!sum = tensor<64x64xf32, #one>
tile.kernel @limits(%C: memref<?x?xf32> {tile.shape = ["M", "N"], tile.align = 16 : i64, tile.stride_divisible = array<i64: 4, 1>, tile.size_divisible = array<i64: 1, 4>, tile.size_max = array<i64: 2147483647, 2147483647>}, %n: index)
    attributes {phase = #raw, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c1 = arith.constant 1 : index
    %t = arith.constant dense<1.0> : !sum
    cta.atomic add relaxed device %t, %C[%i, %j] limit = [%M, %N] : !sum -> memref<?x?xf32>
    cta.atomic add relaxed device %t, %C[%i, %j] limit = [_, %N] : !sum -> memref<?x?xf32>
    cta.atomic add relaxed device %t, %C[%i, %j] dims = [1, 0] limit = [%N, %M] : !sum -> memref<?x?xf32>
    cta.atomic add relaxed device %t, %C[%i, %j] limit = [%n, _] : !sum -> memref<?x?xf32>
    cta.atomic add relaxed device %t, %C[%i, %j] limit = [_, %n] : !sum -> memref<?x?xf32>
    cta.atomic add relaxed device %t, %C[%i, %j] limit = [%M, %n] : !sum -> memref<?x?xf32>
    %less = arith.subi %M, %c1 : index
    cta.atomic add relaxed device %t, %C[%i, %j] limit = [%less, _] : !sum -> memref<?x?xf32>
    cta.atomic add relaxed device %t, %C[%i, %j] dims = [1, 0] limit = [%M, %N] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// The same of sizes that are known.
// CHECK-LABEL: tile.kernel @known_limits(
// CHECK: cta.copy_out {{.*}}reduce
// CHECK: cta.copy_out {{.*}}reduce
// CHECK-NOT: cta.copy_out
// CHECK: cta.atomic add {{.*}} limit = [%c1023, _] {vector = 2 : i64, why = "no TMA: the limit of tile dimension 0 may
// CHECK-NOT: cta.copy_out
// CHECK: tile.return
tile.kernel @known_limits(%C: memref<1024x1024xf32> {tile.align = 16 : i64}) attributes {phase = #raw, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (1024, 1024) step (64, 64) {
    %c1023 = arith.constant 1023 : index
    %c1024 = arith.constant 1024 : index
    %c1025 = arith.constant 1025 : index
    %t = arith.constant dense<1.0> : !sum
    cta.atomic add relaxed device %t, %C[%i, %j] limit = [%c1024, %c1024] : !sum -> memref<1024x1024xf32>
    cta.atomic add relaxed device %t, %C[%i, %j] limit = [%c1025, _] : !sum -> memref<1024x1024xf32>
    cta.atomic add relaxed device %t, %C[%i, %j] limit = [%c1023, _] : !sum -> memref<1024x1024xf32>
  }
  tile.return
}

// TMA drops what is beyond the end, but stores nothing where a coordinate is negative: such tiles are left to threads, in whichever dimension the coordinate
// is. What tile.assume says in a branch is known in that branch only.
// CHECK-LABEL: tile.kernel @coordinates(
// CHECK: %[[UP:.*]] = arith.subi %i, %c64
// CHECK: cta.atomic add {{.*}}, %C[%[[UP]], %j] {vector = 2 : i64, why = "no TMA: the coordinate of dimension 0 of %C may be negative, where TMA cannot store; tile.assume {min = 0} can say that it is not"}
// CHECK: %[[LEFT:.*]] = arith.subi %j, %c64
// CHECK: cta.atomic add {{.*}}, %C[%i, %[[LEFT]]] {vector = 2 : i64, why = "no TMA: the coordinate of dimension 1 of %C may be negative, where TMA cannot store; tile.assume {min = 0} can say that it is not"}
// CHECK: cta.atomic add {{.*}}, %C[%c-64, %j] {vector = 2 : i64, why = "no TMA: the coordinate of dimension 0 of %C may be negative,
// CHECK: cta.atomic add {{.*}}, %C[%n, %j] {vector = 2 : i64, why = "no TMA: the coordinate of dimension 0 of %C may be negative,
// CHECK: cta.atomic add {{.*}}, %C[%m, %j] {vector = 2 : i64, why = "no TMA: the coordinate of dimension 0 of %C is not known to fit 32 bits; tile.size_max or tile.assume can say so"}
// CHECK-NOT: cta.atomic
// CHECK: %[[CLAMPED:.*]] = arith.maxsi %[[UP]], %c0
// CHECK: cta.copy_out %{{.*}}, %C[%[[CLAMPED]], %j] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>}
// CHECK: %[[PAST:.*]] = arith.addi %i, %c1024
// CHECK: cta.copy_out %{{.*}}, %C[%[[PAST]], %j] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>}
// CHECK: scf.if
// CHECK: cta.copy_out %{{.*}}, %C[%n, %j] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>}
// CHECK-NOT: cta.atomic
// CHECK: tile.return
tile.kernel @coordinates(%C: memref<1024x1024xf32> {tile.align = 16 : i64}, %n: index, %m: index, %b: i1) attributes {phase = #raw, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (1024, 1024) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %negative = arith.constant -64 : index
    %t = arith.constant dense<1.0> : !sum
    %up = arith.subi %i, %c64 : index
    cta.atomic add relaxed device %t, %C[%up, %j] : !sum -> memref<1024x1024xf32>
    %left = arith.subi %j, %c64 : index
    cta.atomic add relaxed device %t, %C[%i, %left] : !sum -> memref<1024x1024xf32>
    cta.atomic add relaxed device %t, %C[%negative, %j] : !sum -> memref<1024x1024xf32>
    cta.atomic add relaxed device %t, %C[%n, %j] : !sum -> memref<1024x1024xf32>
    tile.assume %m {min = 0} : index
    cta.atomic add relaxed device %t, %C[%m, %j] : !sum -> memref<1024x1024xf32>
    %clamped = arith.maxsi %up, %c0 : index
    cta.atomic add relaxed device %t, %C[%clamped, %j] : !sum -> memref<1024x1024xf32>
    %past = arith.addi %i, %c1024 : index
    cta.atomic add relaxed device %t, %C[%past, %j] : !sum -> memref<1024x1024xf32>
    scf.if %b {
      tile.assume %n {min = 0, max = 100000} : index
      cta.atomic add relaxed device %t, %C[%n, %j] : !sum -> memref<1024x1024xf32>
    }
  }
  tile.return
}

// The coordinate along contiguous memory must be a multiple of 16 bytes, and so must the size there, at which TMA clips what it adds.
// CHECK-LABEL: tile.kernel @ragged(
// CHECK: cta.atomic add {{.*}}, %C[%i, %{{.*}}] {why = "no TMA: the coordinate of dimension 1 of %C, along which it is contiguous, is not known to be a multiple of 4 elements (16 bytes); tile.assume {divisible = 4} can say so; no vectors: the coordinate of dimension 1 is not known to be a multiple of 2"}
// CHECK: cta.copy_out {{.*}}, %C[%i, %j] {{.*}}reduce
// CHECK: cta.atomic add {{.*}}, %D[%i, %j] {why = "no TMA: the size of dimension 1 of %D is not known to be a multiple of 16 bytes, at which TMA stores are clipped; add tile.size_divisible to it; no vectors: the size of dimension 1 of %D is not known to be a multiple of 2 (tile.size_divisible)"}
tile.kernel @ragged(%C: memref<1024x1024xf32> {tile.align = 16 : i64},
                    %D: memref<1024x?xf32, strided<[2048, 1]>> {tile.align = 16 : i64, tile.shape = [1024, "N"], tile.size_max = array<i64: 1024, 2048>})
    attributes {phase = #raw, warpgroups = 1} {
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (1024, %N) step (64, 64) {
    %c1 = arith.constant 1 : index
    %t = arith.constant dense<1.0> : !sum
    %odd = arith.addi %j, %c1 : index
    cta.atomic add relaxed device %t, %C[%i, %odd] : !sum -> memref<1024x1024xf32>
    cta.atomic add relaxed device %t, %C[%i, %j] : !sum -> memref<1024x1024xf32>
    cta.atomic add relaxed device %t, %D[%i, %j] : !sum -> memref<1024x?xf32, strided<[2048, 1]>>
  }
  tile.return
}
