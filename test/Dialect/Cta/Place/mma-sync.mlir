// RUN: tile-opt %s --split-input-file --cta-form-wgmma --cta-assign-layouts --cta-swizzle-shared | FileCheck %s

// Products of f64 are for mma.sync: their accumulators are in blocks of 16x8, and rows of the operands are 32 bytes apart modulo 128, so that reading
// fragments has no bank conflicts.
// CHECK-DAG: #[[$ACC:.+]] = #cta.frag<regs = {{\[\[}}0, 1], [8, 0]], lanes = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = {{\[\[}}16, 0], [0, 8]]>
// CHECK-LABEL: tile.kernel @square
// CHECK: cta.mma %{{.+}}, %{{.+}} {why = "no wgmma: it does not take f64"} : !cta.smem<64x16xf64, #cta.swizzle<linear, pad = 32>>, !cta.smem<16x64xf64, #cta.swizzle<linear, pad = 32>> -> tensor<64x64xf64, #[[$ACC]]>
tile.kernel @square(%A: memref<?x?xf64>, %C: memref<?x?xf64>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = cta.load %A[%c0, %c0] : memref<?x?xf64> -> tensor<64x16xf64>
    %as = cta.stage %a : tensor<64x16xf64> -> !cta.smem<64x16xf64, #cta.swizzle<?>>
    %b = cta.load %A[%c0, %c0] : memref<?x?xf64> -> tensor<16x64xf64>
    %bs = cta.stage %b : tensor<16x64xf64> -> !cta.smem<16x64xf64, #cta.swizzle<?>>
    %d = cta.mma %as, %bs : !cta.smem<64x16xf64, #cta.swizzle<?>>, !cta.smem<16x64xf64, #cta.swizzle<?>> -> tensor<64x64xf64>
    cta.store %d, %C[%c0, %c0] : tensor<64x64xf64> -> memref<?x?xf64>
  }
  tile.return
}

// -----

// Batches, two warpgroups, extents that are no multiples. The warpgroups share the rows.
// CHECK-DAG: #[[$ACC:.+]] = #cta.frag<regs = {{\[\[}}0, 0, 1], [0, 8, 0]], lanes = {{\[\[}}0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warps = {{.+}}, wg = 2 on 1>
// CHECK-LABEL: tile.kernel @ragged
// CHECK: cta.mma {{.*}} -> tensor<5x50x30xf64, #[[$ACC]]>
tile.kernel @ragged(%A: memref<?x?x?xf64>, %C: memref<?x?x?xf64>) attributes {phase = #tile.phase<raw>, warpgroups = 2} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = cta.load %A[%c0, %c0, %c0] : memref<?x?x?xf64> -> tensor<5x50x7xf64>
    %as = cta.stage %a : tensor<5x50x7xf64> -> !cta.smem<5x50x7xf64, #cta.swizzle<?>>
    %b = cta.load %A[%c0, %c0, %c0] : memref<?x?x?xf64> -> tensor<5x7x30xf64>
    %bs = cta.stage %b : tensor<5x7x30xf64> -> !cta.smem<5x7x30xf64, #cta.swizzle<?>>
    %d = cta.mma %as, %bs : !cta.smem<5x50x7xf64, #cta.swizzle<?>>, !cta.smem<5x7x30xf64, #cta.swizzle<?>> -> tensor<5x50x30xf64>
    cta.store %d, %C[%c0, %c0, %c0] : tensor<5x50x30xf64> -> memref<?x?x?xf64>
  }
  tile.return
}

// -----

// Not these: a tile that would be mostly padding, and f32, whose operands have no rows of 32 bytes more.
// CHECK-NOT: lanes = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]
// CHECK-LABEL: tile.kernel @small
// CHECK: cta.mma {{.*}} {why = "no wgmma: it does not take f64; no mma.sync: blocks of 16x8 of the 8x8 result for each of 4 warps are mostly padding, so that the FMA units are faster; larger tiles in M and N are not"}
// CHECK-NOT: pad = 32
// CHECK: cta.mma {{.*}} {why = "no wgmma: the operands are f32;
tile.kernel @small(%A: memref<?x?xf64>, %C: memref<?x?xf64>, %F: memref<?x?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = cta.load %A[%c0, %c0] : memref<?x?xf64> -> tensor<8x8xf64>
    %as = cta.stage %a : tensor<8x8xf64> -> !cta.smem<8x8xf64, #cta.swizzle<?>>
    %d = cta.mma %as, %as : !cta.smem<8x8xf64, #cta.swizzle<?>>, !cta.smem<8x8xf64, #cta.swizzle<?>> -> tensor<8x8xf64>
    cta.store %d, %C[%c0, %c0] : tensor<8x8xf64> -> memref<?x?xf64>
    %f = cta.load %F[%c0, %c0] : memref<?x?xf32> -> tensor<64x64xf32>
    %fs = cta.stage %f : tensor<64x64xf32> -> !cta.smem<64x64xf32, #cta.swizzle<?>>
    %e = cta.mma %fs, %fs : !cta.smem<64x64xf32, #cta.swizzle<?>>, !cta.smem<64x64xf32, #cta.swizzle<?>> -> tensor<64x64xf32>
    cta.store %e, %F[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}
