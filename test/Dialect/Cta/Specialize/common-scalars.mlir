// RUN: tile-opt %s -cta-specialize-warps -cta-verify | FileCheck %s
// What all roles compute in the same way, from nothing that is in memory, stays before them.

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!pair = !cta.channel<3, !tile, !tile>

// A number that is loaded, and what depends on it, is computed in the roles that need it: a dependent launch may not load before it has waited.
// CHECK-LABEL: tile.kernel @loaded(
// CHECK: cta.channel
// CHECK: %[[BLOCK:.*]] = cta.block_id
// CHECK-NOT: memref.load
// CHECK: cta.role @math
// CHECK: %[[FROM:.*]] = memref.load %{{.*}}[%{{.*}}]
// CHECK: %[[ROW:.*]] = arith.addi %[[FROM]], %[[BLOCK]]
// CHECK: cta.store %{{.*}}, %{{.*}}[%[[ROW]],
// CHECK: cta.role @producer
// CHECK: %[[FROM:.*]] = memref.load %{{.*}}[%{{.*}}]
// CHECK: %[[ROW:.*]] = arith.addi %[[FROM]], %[[BLOCK]]
// CHECK: cta.copy %{{.*}}[%[[ROW]],
tile.kernel @loaded(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %F: memref<?xindex>, %n: index, %K: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 3>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @loaded_0 blocks(%n) {
    %ch = cta.channel : !pair
    %b = cta.block_id : index
    %from = memref.load %F[%c0] : memref<?xindex>
    %i = arith.addi %from, %b : index
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %p = cta.acquire %ch : !pair
      %a0 = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b0 = cta.copy %A[%k, %i] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0, %b0) : !pair
      %q, %a, %bb = cta.wait %ch : !pair
      %d = cta.wgmma %a, %bb, %c : !tile, !tile -> !sum
      cta.release %ch, %q : !pair
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %i] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Where the plan deals out registers, each role computes its own. Tiles always do.
// CHECK-LABEL: tile.kernel @registers(
// CHECK: cta.channel
// CHECK-NEXT: cta.role @math
// CHECK: cta.block_id
// CHECK: cta.role @producer
// CHECK: cta.block_id
tile.kernel @registers(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %K: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 3, producers = 4, registers = 240>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @registers_0 blocks(%n) {
    %ch = cta.channel : !pair
    %b = cta.block_id : index
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %p = cta.acquire %ch : !pair
      %a0 = cta.copy %A[%b, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b0 = cta.copy %A[%k, %b] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0, %b0) : !pair
      %q, %a, %bb = cta.wait %ch : !pair
      %d = cta.wgmma %a, %bb, %c : !tile, !tile -> !sum
      cta.release %ch, %q : !pair
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%b, %b] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// The number of a cluster comes from the launcher's table, which is memory.
// CHECK-LABEL: tile.kernel @clusters(
// CHECK: cta.channel
// CHECK-NOT: cta.cluster_place
// CHECK: cta.role @math
// CHECK: cta.cluster_place
// CHECK: cta.role @producer
// CHECK: cta.cluster_place
tile.kernel @clusters(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %K: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 3>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %many = arith.cmpi sgt, %n, %c64 : index
  cta.launch @clusters_0 blocks(%n) attributes {cluster = 2 : i64} {
    %ch = cta.channel : !pair
    %b = cta.cluster_place if %many : index
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %p = cta.acquire %ch : !pair
      %a0 = cta.copy %A[%b, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b0 = cta.copy %A[%k, %b] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0, %b0) : !pair
      %q, %a, %bb = cta.wait %ch : !pair
      %d = cta.wgmma %a, %bb, %c : !tile, !tile -> !sum
      cta.release %ch, %q : !pair
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%b, %b] : !sum -> memref<?x?xf32>
  }
  tile.return
}
