// RUN: tile-opt %s --split-input-file --cta-assign-layouts --cta-verify | FileCheck %s
// L2 makes atomics 32 bytes at a time. What fills these is not brought into another layout.

// Accumulators in f32: four lanes have 32 bytes of a row.
// CHECK-LABEL: tile.kernel @sums
// CHECK: %[[D:.+]] = cta.wgmma
// CHECK-NOT: cta.convert_layout
// CHECK: cta.atomic add %[[D]],
tile.kernel @sums(%A: memref<?x64xbf16> {tile.align = 16}, %C: memref<?x128xf32> {tile.align = 16}) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %a = cta.load %A[%c0, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16>
    %b = cta.load %A[%c0, %c0] : memref<?x64xbf16> -> tensor<128x64xbf16>
    %x = cta.stage %a : tensor<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %y = cta.stage %b : tensor<128x64xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<?>>
    %d = cta.wgmma %x, %y {transpose_b} : !cta.smem<64x64xbf16, #cta.swizzle<?>>, !cta.smem<128x64xbf16, #cta.swizzle<?>> -> tensor<64x128xf32>
    cta.atomic add %d, %C[%c0, %c0] : tensor<64x128xf32> -> memref<?x128xf32>
  }
  tile.return
}

// -----

// In bf16 they have 16 bytes.
// CHECK-LABEL: tile.kernel @halves
// CHECK: cta.wgmma
// CHECK: %[[T:.+]] = arith.truncf
// CHECK: %[[V:.+]] = cta.convert_layout %[[T]]
// CHECK: cta.atomic add %[[V]],
tile.kernel @halves(%A: memref<?x64xbf16> {tile.align = 16}, %C: memref<?x128xbf16> {tile.align = 16}) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %a = cta.load %A[%c0, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16>
    %b = cta.load %A[%c0, %c0] : memref<?x64xbf16> -> tensor<128x64xbf16>
    %x = cta.stage %a : tensor<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %y = cta.stage %b : tensor<128x64xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<?>>
    %d = cta.wgmma %x, %y {transpose_b} : !cta.smem<64x64xbf16, #cta.swizzle<?>>, !cta.smem<128x64xbf16, #cta.swizzle<?>> -> tensor<64x128xf32>
    %t = arith.truncf %d : tensor<64x128xf32> to tensor<64x128xbf16>
    cta.atomic add %t, %C[%c0, %c0] : tensor<64x128xbf16> -> memref<?x128xbf16>
  }
  tile.return
}
