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
