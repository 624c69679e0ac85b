// RUN: tile-opt %s -cta-specialize-warps -cta-verify | FileCheck %s
// RUN: tile-opt %s -cta-specialize-warps -cta-expand-loops -cta-insert-waits -cta-lower-channels -cta-verify | FileCheck %s --check-prefix=LOWER
// RUN: tile-opt %s -canonicalize -cse -loop-invariant-code-motion -cta-specialize-warps -canonicalize -cse -loop-invariant-code-motion -cta-expand-loops -cta-insert-waits -cta-lower-channels -canonicalize -cse -cta-verify -cta-allocate-shared -cta-insert-barriers -cta-verify -o /dev/null

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#scheduled = #tile.phase<scheduled>
#pingpong = #cta.plan<replicate = blocks, warpgroups = 2, producers = 1, stages = 3, persistent = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!pair = !cta.channel<3, !tile, !tile>
!one = !cta.channel<2, !tile>

// The GEMM. A replica takes every second output tile; its turn to read ends with the loop. Of the other's output tiles it knows how many slots they
// take, without a loop. The producer loads all output tiles in their order.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK: %[[CH:.*]] = cta.channel : <3,
// CHECK: cta.role @math warps(4) replicas(2) {
// CHECK: %[[R:.*]] = cta.replica
// CHECK: cta.for_output_tiles %[[T:.*]] = %{{.*}} iter_args(%[[TURN:.*]] = %[[Z:.*]], %[[ROUND:.*]] = %[[Z]]) -> (i32, i32) : i32 {
// CHECK-NEXT: %[[MINE:.*]] = arith.cmpi eq, %[[TURN]], %[[R]] : i32
// CHECK: scf.if %[[MINE]] {
// CHECK-NEXT: %[[I:.*]] = arith.index_castui %[[T]]
// CHECK: cta.take_turn %[[CH]], %[[ROUND]]
// CHECK-NEXT: %[[ACC:.*]] = scf.for
// CHECK-NEXT: cta.wait %[[CH]]
// CHECK: }
// CHECK-NEXT: cta.pass_turn %[[CH]]
// CHECK-NEXT: cta.store %[[ACC]], %C[%[[I]],
// CHECK-NEXT: } else {
// CHECK-NOT: scf.for
// CHECK: %[[TRIPS:.*]] = arith.ceildivui %K, %
// CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %K, %
// CHECK: %[[SOME:.*]] = arith.select %[[RUNS]], %[[TRIPS]], %
// CHECK-NEXT: %[[COUNT:.*]] = arith.index_castui %[[SOME]] : index to i32
// CHECK-NEXT: cta.skip %[[CH]], %[[COUNT]]
// CHECK-NEXT: }
// CHECK: %[[NEXT:.*]] = arith.addi %[[TURN]], %
// CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]], %
// CHECK: %[[MORE:.*]] = arith.extui %[[WRAPS]] : i1 to i32
// CHECK: %[[T1:.*]] = arith.select %[[WRAPS]], %[[Z]], %[[NEXT]]
// CHECK: %[[R1:.*]] = arith.addi %[[ROUND]], %[[MORE]]
// CHECK: cta.yield %[[T1]], %[[R1]] : i32, i32
// CHECK-NEXT: }
// CHECK: cta.role @producer warps(1) {
// CHECK: cta.for_output_tiles %{{.*}} : i32 {
// CHECK-NOT: cta.replica
// CHECK: cta.acquire
//
// After three full and three empty mbarriers (one warpgroup reads an output tile) come two turns, of four warps each. Replica 0 begins ahead.
// LOWER-LABEL: tile.kernel @gemm(
// LOWER: mbarriers = array<i64: 1, 1, 1, 1, 1, 1, 4, 4>
// LOWER: cta.role @math warps(4) replicas(2) {
// LOWER: cta.for_output_tiles %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[ROUND:.*]] = %{{.*}}, %[[S:.*]] = %[[ZERO:.*]], %[[P:.*]] = %[[ZERO]]) -> (i32, i32, i32, i32)
// LOWER: scf.if %{{.*}} -> (i32, i32) {
// LOWER: %[[REPLICA:.*]] = cta.replica
// LOWER: %[[FIRST:.*]] = arith.cmpi eq, %[[REPLICA]], %
// LOWER: %[[AHEAD:.*]] = arith.extui %[[FIRST]] : i1 to i32
// LOWER: %[[X:.*]] = arith.xori %[[ROUND]], %[[AHEAD]]
// LOWER: %[[PARITY:.*]] = arith.andi %[[X]], %
// LOWER: cta.await 6[%[[REPLICA]]] parity %[[PARITY]]
// LOWER: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[S]], %{{.*}} = %[[P]])
// LOWER: cta.await 0[
// LOWER: cta.arrive 3[
// LOWER: cta.arrive 6[%{{.*}}] per_warp
// LOWER: } else {
// LOWER: %[[COUNT:.*]] = arith.index_castui %{{.*}} : index to i32
// LOWER: %[[DEPTH:.*]] = arith.constant 3 : i32
// LOWER: %[[FAR:.*]] = arith.addi %[[S]], %[[COUNT]]
// LOWER: %[[TIMES:.*]] = arith.divui %[[FAR]], %[[DEPTH]]
// LOWER: %[[S1:.*]] = arith.remui %[[FAR]], %[[DEPTH]]
// LOWER: %[[ODD:.*]] = arith.andi %[[TIMES]], %
// LOWER: %[[P1:.*]] = arith.xori %[[P]], %[[ODD]]
// LOWER: scf.yield %[[S1]], %[[P1]] : i32, i32
tile.kernel @gemm(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #pingpong} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @gemm_0 blocks(%n) {
    %ch = cta.channel : !pair
    %b = cta.block_id : index
    %all = cta.num_blocks : index
    %first = arith.index_castui %b : index to i32
    %step = arith.index_castui %all : index to i32
    %last = arith.index_castui %n : index to i32
    cta.for_output_tiles %t = %first to %last step %step : i32 {
      %i = arith.index_castui %t : i32 to index
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
      cta.store %acc, %C[%i, %c0] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// Two channels take turns apart: that of the outer tile is passed on before the loop. The number of slots of an inner loop that depends on the outer one is
// summed up by a loop; a branch is passed through, and the turn is passed on in both arms of the last op that waits.
// CHECK-LABEL: tile.kernel @nested(
// CHECK: %[[OUTER:.*]] = cta.channel : <2,
// CHECK: %[[INNER:.*]] = cta.channel : <2,
// CHECK: scf.if %{{.*}} {
// CHECK: cta.take_turn %[[OUTER]], %
// CHECK-NEXT: cta.wait %[[OUTER]]
// CHECK-NEXT: cta.pass_turn %[[OUTER]]
// CHECK: cta.take_turn %[[INNER]], %
// CHECK-NEXT: scf.if %[[GO:.*]] -> (
// CHECK: scf.for
// CHECK: scf.for
// CHECK: cta.wait %[[INNER]]
// CHECK: cta.pass_turn %[[INNER]]
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: cta.pass_turn %[[INNER]]
// CHECK-NEXT: scf.yield
// CHECK: cta.release %[[OUTER]]
// CHECK: } else {
// CHECK: cta.skip %[[OUTER]], %{{.*}}
// CHECK: scf.if %[[GO]] {
// CHECK: scf.for %[[J:.*]] = %{{.*}} {
// CHECK-NOT: scf.for
// CHECK: arith.cmpi sgt, %[[J]], %
// CHECK: arith.select %{{.*}}, %[[J]], %
// CHECK: cta.skip %[[INNER]], %
tile.kernel @nested(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %K: index, %go: i1)
    attributes {phase = #scheduled, warpgroups = 1, plan = #pingpong} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  cta.launch @nested_0 blocks(%n) {
    %outer = cta.channel : !one
    %inner = cta.channel : !one
    cta.for_output_tiles %i = %c0 to %n step %c64 {
      %zero = arith.constant dense<0.0> : !sum
      %p0 = cta.acquire %outer : !one
      %a0 = cta.copy %A[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %outer, %p0 (%a0) : !one
      %q0, %a = cta.wait %outer : !one
      %r = scf.if %go -> (!sum) {
        %s = scf.for %j = %c0 to %K step %c1 iter_args(%c = %zero) -> (!sum) {
          %d = scf.for %k = %c0 to %j step %c1 iter_args(%e = %c) -> (!sum) {
            %p = cta.acquire %inner : !one
            %b0 = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
            cta.commit %inner, %p (%b0) : !one
            %q, %b = cta.wait %inner : !one
            %f = cta.wgmma %a, %b, %e : !tile, !tile -> !sum
            cta.release %inner, %q : !one
            scf.yield %f : !sum
          }
          scf.yield %d : !sum
        }
        scf.yield %s : !sum
      } else {
        scf.yield %zero : !sum
      }
      cta.release %outer, %q0 : !one
      cta.store %r, %C[%i, %c0] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// A loop whose end is computed as it runs is followed as it is, with skips of one slot.
// CHECK-LABEL: tile.kernel @while(
// CHECK: cta.take_turn
// CHECK-NEXT: scf.while
// CHECK: cta.wait
// CHECK: cta.pass_turn
// CHECK: } else {
// CHECK: scf.while (%[[K:.*]] = %{{.*}})
// CHECK: scf.condition
// CHECK: cta.skip %{{.*}}, %
// CHECK-NOT: cta.wait
// CHECK: scf.yield
// CHECK: cta.role @producer
tile.kernel @while(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #pingpong} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @while_0 blocks(%n) {
    %ch = cta.channel : !one
    cta.for_output_tiles %i = %c0 to %n step %c64 {
      %zero = arith.constant dense<0.0> : !sum
      %last, %r = scf.while (%k = %c0, %c = %zero) : (index, !sum) -> (index, !sum) {
        %more = arith.cmpi slt, %k, %K : index
        scf.condition(%more) %k, %c : index, !sum
      } do {
      ^bb0(%k: index, %c: !sum):
        %p = cta.acquire %ch : !one
        %a0 = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a0) : !one
        %q, %a = cta.wait %ch : !one
        %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !one
        %next = arith.addi %k, %c64 : index
        scf.yield %next, %d : index, !sum
      }
      cta.store %r, %C[%i, %c0] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// Without channels there are no roles, and no output tiles to divide.
// CHECK-LABEL: tile.kernel @plain(
// CHECK-NOT: cta.role
// CHECK: tile.return
tile.kernel @plain(%C: memref<?xf32>, %n: index) attributes {phase = #scheduled, warpgroups = 1, plan = #pingpong} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %f = arith.constant 1.0 : f32
  cta.launch @plain_0 blocks(%n) {
    cta.for_output_tiles %i = %c0 to %n step %c64 {
      memref.store %f, %C[%i] : memref<?xf32>
    }
  }
  tile.return
}
