// RUN: tile-opt %s --split-input-file --cta-plan | FileCheck %s

// The loop computes with the results of two products, one of which does not need the other: products are in flight until their results are needed.
// CHECK-LABEL: tile.kernel @several(
// CHECK-SAME:  pending = 1,
#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<128x64xbf16, #sw>
!sum = tensor<128x128xf32, #acc>
tile.kernel @several(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b = cta.copy %B[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %s = cta.wgmma %a, %b {transpose_b} : !tile, !tile -> !sum
      %d = cta.wgmma %b, %a {transpose_b} : !tile, !tile -> !sum
      %p = math.exp2 %s : !sum
      %x = arith.mulf %p, %d : !sum
      %e = arith.addf %c, %x : !sum
      scf.yield %e : !sum
    }
    cta.store %sum, %C[%i, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Here nobody computes with the result of the second product in the iteration.
// CHECK-LABEL: tile.kernel @one(
// CHECK-SAME:  pending = 0,
#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<128x64xbf16, #sw>
!sum = tensor<128x128xf32, #acc>
tile.kernel @one(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %sum:2 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero, %f = %zero) -> (!sum, !sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b = cta.copy %B[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %s = cta.wgmma %a, %b {transpose_b} : !tile, !tile -> !sum
      %d = cta.wgmma %b, %a, %f {transpose_b} : !tile, !tile -> !sum
      %p = math.exp2 %s : !sum
      %e = arith.addf %c, %p : !sum
      scf.yield %e, %d : !sum, !sum
    }
    cta.store %sum#0, %C[%i, %c0] : !sum -> memref<?x?xf32>
    cta.store %sum#1, %C[%i, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}
