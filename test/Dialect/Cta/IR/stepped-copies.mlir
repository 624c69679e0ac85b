// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -cta-verify -o /dev/null
// RUN: tile-opt %s -convert-cta-to-tile | FileCheck %s --check-prefix=ERASED
// RUN: tile-opt %s -convert-cta-to-tile -tile-verify -o /dev/null

// Copies with element steps: text, and what they are at L0.

#sw = #cta.swizzle<128, dim = 3>
#columns = #cta.swizzle<128, dim = 0>
#tma = #cta.mechanism<tma>
!box = !cta.smem<1x4x16x64xbf16, #sw>
!tile = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!acc = tensor<64x64xf32, #cta.frag<wgmma_acc, wg = 1>>

// CHECK-LABEL: tile.kernel @steps(
// CHECK: cta.copy %X[%c0, %y, %y, %c0] strides = [1, 2, 3, 1] pad = any {mechanism = #cta.mechanism<tma>, stages = 3 : i64} : memref<?x?x?x?xbf16> -> !cta.smem<1x4x16x64xbf16, #{{.*}}>
// CHECK: cta.copy %W[%y, %c0] dims = [1, 0] strides = [1, 2] {cache = #tile.cache<last>, mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> ->
// ERASED-LABEL: tile.kernel @steps(
// ERASED: %[[A:.*]] = tile.load %X[%c0, %y, %y, %c0] strides = [1, 2, 3, 1] pad = any stages = 3 : memref<?x?x?x?xbf16> -> tensor<1x4x16x64xbf16>
// ERASED: %[[B:.*]] = tile.load %W[%y, %c0] dims = [1, 0] strides = [1, 2] cache = last : memref<?x?xbf16> -> tensor<64x64xbf16>
// ERASED: tensor.collapse_shape %[[A]]
// ERASED: tile.mma %{{.*}}, %[[B]]
tile.kernel @steps(%X: memref<?x?x?x?xbf16>, %W: memref<?x?xbf16>, %C: memref<?x?xf32>, %y: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = cta.copy %X[%c0, %y, %y, %c0] strides = [1, 2, 3, 1] pad = any {mechanism = #tma, stages = 3 : i64} : memref<?x?x?x?xbf16> -> !box
    %b = cta.copy %W[%y, %c0] dims = [1, 0] strides = [1, 2] {cache = #tile.cache<last>, mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #columns>
    %v = cta.view %a : !box -> !tile
    %d = cta.wgmma %v, %b : !tile, !cta.smem<64x64xbf16, #columns> -> !acc
    cta.store %d, %C[%c0, %c0] : !acc -> memref<?x?xf32>
  }
  tile.return
}
