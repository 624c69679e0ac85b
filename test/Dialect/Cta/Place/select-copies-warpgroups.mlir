// RUN: tile-opt %s --cta-select-copies --cta-verify | FileCheck %s
// Whether each warpgroup stores its own part of the tile that it staged.

#acc = #cta.frag<wgmma_acc, wg = 2>
#acc1 = #cta.frag<wgmma_acc, wg = 1>
#acc4 = #cta.frag<wgmma_acc, wg = 4>
#raw = #tile.phase<raw>

// Two warpgroups of 64 rows: a box of 64 rows belongs to one of them.
// CHECK-LABEL: tile.kernel @rows(
// CHECK: cta.copy_out {{.*}}, per_warpgroup}
tile.kernel @rows(%C: memref<?x?xbf16> {tile.shape = ["M", "N"], tile.align = 16 : i64, tile.stride_divisible = array<i64: 8, 1>, tile.size_max = array<i64: 2147483647, 2147483647>})
    attributes {phase = #raw, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %t = arith.constant dense<1.0> : tensor<128x64xbf16, #acc>
    cta.store %t, %C[%i, %j] : tensor<128x64xbf16, #acc> -> memref<?x?xbf16>
  }
  tile.return
}

// Four.
// CHECK-LABEL: tile.kernel @four(
// CHECK: cta.copy_out {{.*}}, per_warpgroup}
tile.kernel @four(%C: memref<?x?xbf16> {tile.shape = ["M", "N"], tile.align = 16 : i64, tile.stride_divisible = array<i64: 8, 1>, tile.size_max = array<i64: 2147483647, 2147483647>})
    attributes {phase = #raw, warpgroups = 4} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (256, 64) {
    %t = arith.constant dense<1.0> : tensor<256x64xbf16, #acc4>
    cta.store %t, %C[%i, %j] : tensor<256x64xbf16, #acc4> -> memref<?x?xbf16>
  }
  tile.return
}

// With one warpgroup the part is the whole.
// CHECK-LABEL: tile.kernel @one(
// CHECK: cta.copy_out {{.*}} {mechanism = #cta.mechanism<tma>} :
tile.kernel @one(%C: memref<?x?xbf16> {tile.shape = ["M", "N"], tile.align = 16 : i64, tile.stride_divisible = array<i64: 8, 1>, tile.size_max = array<i64: 2147483647, 2147483647>})
    attributes {phase = #raw, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %t = arith.constant dense<1.0> : tensor<64x64xbf16, #acc1>
    cta.store %t, %C[%i, %j] : tensor<64x64xbf16, #acc1> -> memref<?x?xbf16>
  }
  tile.return
}

// Stored transposed, the rows of the warpgroups are next to each other in each row of memory: no part is a box of whole swizzled rows.
// CHECK-LABEL: tile.kernel @transposed(
// CHECK: cta.copy_out {{.*}} dims = [1, 0] {mechanism = #cta.mechanism<tma>} :
tile.kernel @transposed(%C: memref<?x?xbf16> {tile.shape = ["M", "N"], tile.align = 16 : i64, tile.stride_divisible = array<i64: 8, 1>, tile.size_max = array<i64: 2147483647, 2147483647>})
    attributes {phase = #raw, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %t = arith.constant dense<1.0> : tensor<128x64xbf16, #acc>
    cta.store %t, %C[%i, %j] dims = [1, 0] : tensor<128x64xbf16, #acc> -> memref<?x?xbf16>
  }
  tile.return
}
