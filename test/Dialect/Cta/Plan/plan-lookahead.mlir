// RUN: tile-opt %s --split-input-file --cta-plan --verify-diagnostics | FileCheck %s

// Lookahead: if the plan leaves the depth open, it is the largest hint of the loads in loops with products. Without hints:
// CHECK-LABEL: tile.kernel @silent(
// CHECK-SAME:  stages = [[OWN:[0-9]+]],
#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
tile.kernel @silent(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %d : tensor<128x128xf32, #acc>
    }
    cta.store %acc, %C[%i, %c0] : tensor<128x128xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @hint(
// CHECK-SAME:  stages = 3,
#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
tile.kernel @hint(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma, stages = 3 : i64} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #tma, stages = 2 : i64} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %d : tensor<128x128xf32, #acc>
    }
    cta.store %acc, %C[%i, %c0] : tensor<128x128xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// A plan with an entry takes precedence.
// CHECK-LABEL: tile.kernel @given(
// CHECK-SAME:  stages = 2,
#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
tile.kernel @given(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<stages = 2>} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma, stages = 3 : i64} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #tma, stages = 2 : i64} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %d : tensor<128x128xf32, #acc>
    }
    cta.store %acc, %C[%i, %c0] : tensor<128x128xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// There is no room for so many, and a hint is only a wish.
// CHECK-LABEL: tile.kernel @many(
// CHECK-SAME:  stages = {{[1-9]}},
#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
// expected-remark @+1 {{no plan holds 40 tiles in flight, as 'stages' of a load wishes: 40 slots of 32768 bytes}}
tile.kernel @many(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma, stages = 40 : i64} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #tma, stages = 2 : i64} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %d : tensor<128x128xf32, #acc>
    }
    cta.store %acc, %C[%i, %c0] : tensor<128x128xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}
