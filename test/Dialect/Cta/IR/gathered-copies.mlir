// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -cta-verify -o /dev/null
// RUN: tile-opt %s -convert-cta-to-tile | FileCheck %s --check-prefix=ERASED

// Copies with an index tile, and views of swizzled tiles: text, and what they are at L0.

#at = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
#all = #cta.frag<regs = [], lanes = [[0], [0], [0], [0], [0]], warps = [[0], [0]], wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#columns = #cta.swizzle<128, dim = 0>
#pages = #cta.swizzle<128, dim = 2>
#tma = #cta.mechanism<tma>
#cp = #cta.mechanism<cp_async>
!tile = !cta.smem<64x64xbf16, #sw>
!acc = tensor<64x64xf32, #cta.frag<wgmma_acc, wg = 1>>

// CHECK-LABEL: tile.kernel @copies(
// CHECK: %[[I:.*]] = cta.load %R[%c0]
// CHECK: cta.copy %X[%[[I]] : tensor<64xi32, #{{.*}}>, %k] limit = [%end, _] pad = any {mechanism = #cta.mechanism<cp_async>, stages = 3 : i64, vector = 8 : i64} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #{{.*}}>
// CHECK: cta.copy %X[%{{.*}} : tensor<64xi64, #{{.*}}>, %k] dims = [1, 0] {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64} : memref<?x?xbf16> ->
// CHECK: %[[P:.*]] = cta.copy %Y[%{{.*}} : tensor<4xi32, #{{.*}}>, %c0, %c0, %k] dims = [0, 1, 3] {cache = #tile.cache<last>, mechanism = #cta.mechanism<tma>} : memref<?x16x?x?xbf16> -> !cta.smem<4x16x64xbf16, #{{.*}}>
// CHECK: cta.view %[[P]] : {{(!cta.smem)?}}<4x16x64xbf16, #{{.*}}> -> {{(!cta.smem)?}}<64x64xbf16, #{{.*}}>
// ERASED-LABEL: tile.kernel @copies(
// ERASED: %[[I:.*]] = tile.load %R[%c0]
// ERASED: %[[A:.*]] = tile.gather %X[%[[I]] : tensor<64xi32>, %k] limit = [%end, _] pad = any stages = 3 : memref<?x?xbf16> -> tensor<64x64xbf16>
// ERASED: %[[B:.*]] = tile.gather %X[%{{.*}} : tensor<64xi64>, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x64xbf16>
// ERASED: tile.mma %[[A]], %[[B]]
// ERASED: %[[P:.*]] = tile.gather %Y[%{{.*}} : tensor<4xi32>, %c0, %c0, %k] dims = [0, 1, 3] cache = last : memref<?x16x?x?xbf16> -> tensor<4x16x64xbf16>
// ERASED: tensor.collapse_shape %[[P]]
tile.kernel @copies(%X: memref<?x?xbf16>, %Y: memref<?x16x?x?xbf16>, %R: memref<?xi32>, %W: memref<?xi64>, %S: memref<?xi32>, %C: memref<?x?xf32>, %k: index, %end: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %i = cta.load %R[%c0] : memref<?xi32> -> tensor<64xi32, #at>
    %w = cta.load %W[%c0] : memref<?xi64> -> tensor<64xi64, #at>
    %s = cta.load %S[%c0] : memref<?xi32> -> tensor<4xi32, #all>
    %a = cta.copy %X[%i : tensor<64xi32, #at>, %k] limit = [%end, _] pad = any {mechanism = #cp, stages = 3 : i64, vector = 8 : i64} : memref<?x?xbf16> -> !tile
    %b = cta.copy %X[%w : tensor<64xi64, #at>, %k] dims = [1, 0] {mechanism = #cp, vector = 8 : i64} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #columns>
    %d = cta.wgmma %a, %b : !tile, !cta.smem<64x64xbf16, #columns> -> !acc
    %p = cta.copy %Y[%s : tensor<4xi32, #all>, %c0, %c0, %k] dims = [0, 1, 3] {cache = #tile.cache<last>, mechanism = #tma} : memref<?x16x?x?xbf16> -> !cta.smem<4x16x64xbf16, #pages>
    %v = cta.view %p : !cta.smem<4x16x64xbf16, #pages> -> !tile
    %e = cta.wgmma %a, %v, %d : !tile, !tile -> !acc
    cta.store %e, %C[%c0, %c0] : !acc -> memref<?x?xf32>
  }
  tile.return
}
