// RUN: tile-opt %s -cta-lower-channels -cta-verify | FileCheck %s
// RUN: tile-opt %s -canonicalize -cse -loop-invariant-code-motion -cta-lower-channels -canonicalize -cse -loop-invariant-code-motion -cta-verify -cta-allocate-shared -cta-insert-barriers -cta-verify -o /dev/null

#acc = #cta.frag<wgmma_acc, wg = 1>
#acc2 = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#specialized = #tile.phase<specialized>
!tile = !cta.smem<64x64xbf16, #sw>
!rows = !cta.smem<128x64xbf16, #sw>
!wide = !cta.smem<64x256xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!channel = !cta.channel<2, !tile>
!pair = !cta.channel<3, !rows, !wide>

// The GEMM. Three mbarriers full (one arrival and bytes), three empty (one arrival a warpgroup). Slot and phase go through both loops of each role; the
// producer waits for the other parity.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK: cta.launch @gemm_0 blocks() attributes {mbarriers = array<i64: 1, 1, 1, 2, 2, 2>} {
// CHECK-NEXT: %[[RA:.*]] = cta.ring : <3, <128x64xbf16,
// CHECK-NEXT: %[[RB:.*]] = cta.ring : <3, <64x256xbf16,
// CHECK-NOT: cta.channel
// CHECK: cta.role @math warps(8) {
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: cta.for_output_tiles %{{.*}} iter_args(%[[S0:.*]] = %[[ZERO]], %[[P0:.*]] = %[[ZERO]]) -> (i32, i32) {
// CHECK: %[[R:.*]]:3 = scf.for %{{.*}} iter_args(%[[C:.*]] = %{{.*}}, %[[S:.*]] = %[[S0]], %[[P:.*]] = %[[P0]]) -> (tensor<{{.*}}>, i32, i32) {
// CHECK-NEXT: cta.await 0[%[[S]]] parity %[[P]]
// CHECK-NEXT: %[[A:.*]] = cta.slot %[[RA]][%[[S]]]
// CHECK-NEXT: %[[B:.*]] = cta.slot %[[RB]][%[[S]]]
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[S]], %[[ONE]] : i32
// CHECK-NEXT: %[[DEPTH:.*]] = arith.constant 3 : i32
// CHECK-NEXT: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]], %[[DEPTH]] : i32
// CHECK-NEXT: %[[FLIP:.*]] = arith.extui %[[WRAPS]] : i1 to i32
// CHECK-NEXT: %[[FIRST:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[S1:.*]] = arith.select %[[WRAPS]], %[[FIRST]], %[[NEXT]] : i32
// CHECK-NEXT: %[[P1:.*]] = arith.xori %[[P]], %[[FLIP]] : i32
// CHECK-NEXT: %[[D:.*]] = cta.wgmma %[[A]], %[[B]], %[[C]]
// CHECK-NEXT: cta.arrive 3[%[[S]]]{{$}}
// CHECK-NEXT: scf.yield %[[D]], %[[S1]], %[[P1]] :
// CHECK-NEXT: }
// CHECK-NEXT: cta.store %[[R]]#0,
// CHECK-NEXT: cta.yield %[[R]]#1, %[[R]]#2 : i32, i32
// CHECK-NEXT: }
// CHECK: cta.role @producer warps(1) {
// CHECK: cta.elect {
// CHECK: scf.for %{{.*}} iter_args(%[[S0:.*]] = %[[Z:.*]], %[[P0:.*]] = %[[Z]]) -> (i32, i32) {
// CHECK-NEXT: %[[R:.*]]:2 = scf.for %[[K:.*]] = %{{.*}} iter_args(%[[S:.*]] = %[[S0]], %[[P:.*]] = %[[P0]]) -> (i32, i32) {
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[FREE:.*]] = arith.xori %[[P]], %[[ONE]] : i32
// CHECK-NEXT: cta.await 3[%[[S]]] parity %[[FREE]]
// CHECK-NEXT: cta.expect 0[%[[S]]] bytes = 49152
// CHECK-NEXT: %[[TA:.*]] = cta.slot %[[RA]][%[[S]]]
// CHECK-NEXT: %[[TB:.*]] = cta.slot %[[RB]][%[[S]]]
// CHECK: cta.copy %A[%{{.*}}, %[[K]]] into %[[TA]][%[[S]]] {mbarrier = 0 : i64, mechanism = #cta.mechanism<tma>}
// CHECK-NEXT: cta.copy %A[%[[K]], %{{.*}}] into %[[TB]][%[[S]]] {mbarrier = 0 : i64, mechanism = #cta.mechanism<tma>}
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[R]]#0, %[[R]]#1 : i32, i32
tile.kernel @gemm(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %T: index, %K: index) attributes {phase = #specialized, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @gemm_0 blocks() {
    %ch = cta.channel : !pair
    cta.role @math warps(8) {
      %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc2>
      cta.for_output_tiles %t = %c0 to %T step %c64 {
        %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc2>) {
          %q, %a, %b = cta.wait %ch : !pair
          %d = cta.wgmma %a, %b, %c : !rows, !wide -> tensor<128x256xf32, #acc2>
          cta.release %ch, %q : !pair
          scf.yield %d : tensor<128x256xf32, #acc2>
        }
        cta.store %acc, %C[%t, %c0] : tensor<128x256xf32, #acc2> -> memref<?x?xf32>
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %t = %c0 to %T step %c64 {
          scf.for %k = %c0 to %K step %c64 {
            %p = cta.acquire %ch : !pair
            %a = cta.copy %A[%t, %k] {mechanism = #tma} : memref<?x?xbf16> -> !rows
            %b = cta.copy %A[%k, %t] {mechanism = #tma} : memref<?x?xbf16> -> !wide
            cta.commit %ch, %p (%a, %b) : !pair
          }
        }
      }
    }
  }
  tile.return
}

// Each warp arrives where threads read a slot, where a product that reads it may not run (so that no warp can be a phase late), and where the role has no
// whole warpgroups; the elected thread arrives once. Channels are numbered in the order of the IR, after the mbarriers that the launch has.
//   tensor: 1 1 | 1 1, threads: 1 | 4, perhaps: 1 | 4, single: 1 | 1
// CHECK-LABEL: tile.kernel @arrivals(
// CHECK: cta.launch {{.*}} attributes {mbarriers = array<i64: 7, 1, 1, 1, 1, 1, 4, 1, 4, 1, 1>} {
// CHECK: cta.role @math
// CHECK: cta.await 1[%{{.*}}] parity
// CHECK: cta.wgmma
// CHECK: cta.arrive 3[%{{.*}}]{{$}}
// CHECK: cta.await 5[%{{.*}}] parity
// CHECK: cta.read
// CHECK: cta.fence_async
// CHECK-NEXT: cta.arrive 6[%{{.*}}] per_warp{{$}}
// CHECK: cta.await 7[%{{.*}}] parity
// CHECK: cta.arrive 8[%{{.*}}] per_warp{{$}}
// CHECK: cta.role @producer
// CHECK-COUNT-4: cta.expect
// CHECK: cta.role @sink
// CHECK: cta.await 9[
// CHECK: cta.arrive 10[%{{.*}}]{{$}}
tile.kernel @arrivals(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %D: memref<?x?xbf16>, %K: index) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @arrivals_0 blocks() attributes {mbarriers = array<i64: 7>} {
    %tensor = cta.channel : !channel
    %threads = cta.channel : !cta.channel<1, !tile>
    %perhaps = cta.channel : !cta.channel<1, !tile>
    %single = cta.channel : !cta.channel<1, !tile>
    cta.role @math warps(4) {
      scf.for %k = %c0 to %K step %c64 {
        %q0, %a = cta.wait %tensor : !channel
        %d = cta.wgmma %a, %a : !tile, !tile -> !sum
        cta.release %tensor, %q0 : !channel
        %q1, %b = cta.wait %threads : !cta.channel<1, !tile>
        %e = cta.wgmma %b, %b, %d : !tile, !tile -> !sum
        %r = cta.read %b : !tile -> tensor<64x64xbf16, #acc>
        cta.release %threads, %q1 : !cta.channel<1, !tile>
        %q2, %c = cta.wait %perhaps : !cta.channel<1, !tile>
        %f = scf.for %j = %c0 to %k step %c64 iter_args(%s = %e) -> (!sum) {
          %g = cta.wgmma %c, %c, %s : !tile, !tile -> !sum
          scf.yield %g : !sum
        }
        cta.release %perhaps, %q2 : !cta.channel<1, !tile>
        cta.store %f, %C[%k, %c0] : !sum -> memref<?x?xf32>
        cta.store %r, %D[%k, %c0] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          %p0 = cta.acquire %tensor : !channel
          %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %tensor, %p0 (%a0) : !channel
          %p1 = cta.acquire %threads : !cta.channel<1, !tile>
          %a1 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %threads, %p1 (%a1) : !cta.channel<1, !tile>
          %p2 = cta.acquire %perhaps : !cta.channel<1, !tile>
          %a2 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %perhaps, %p2 (%a2) : !cta.channel<1, !tile>
          %p3 = cta.acquire %single : !cta.channel<1, !tile>
          %a3 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %single, %p3 (%a3) : !cta.channel<1, !tile>
        }
      }
    }
    cta.role @sink warps(2) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          %q, %a = cta.wait %single : !cta.channel<1, !tile>
          cta.release %single, %q : !cta.channel<1, !tile>
        }
      }
    }
  }
  tile.return
}

// Control flow. A branch that moves a side has it in its results, also without an else; the other side of the branch goes on where it was. A loop that moves
// nothing carries nothing.
// CHECK-LABEL: tile.kernel @branches(
// CHECK: cta.role @math
// CHECK: %[[L:.*]]:3 = scf.for %{{.*}} iter_args(%[[C:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (tensor<{{.*}}>, i32, i32) {
// CHECK-NEXT: %[[I:.*]]:3 = scf.if %f -> (tensor<{{.*}}>, i32, i32) {
// CHECK-NEXT: cta.await 0[%[[S]]] parity %[[P]]
// CHECK: %[[S1:.*]] = arith.select
// CHECK: %[[P1:.*]] = arith.xori %[[P]],
// CHECK: %[[D:.*]] = cta.wgmma
// CHECK: cta.arrive 2[%[[S]]]
// CHECK: scf.yield %[[D]], %[[S1]], %[[P1]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[C]], %[[S]], %[[P]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{[a-z0-9_]*}} {
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[I]]#0, %[[I]]#1, %[[I]]#2
// CHECK: cta.role @producer
// CHECK: scf.for %{{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (i32, i32) {
// CHECK-NEXT: %[[I:.*]]:2 = scf.if %f -> (i32, i32) {
// CHECK: cta.await 2[%[[S]]] parity
// CHECK: %[[S1:.*]] = arith.select
// CHECK: %[[P1:.*]] = arith.xori %[[P]],
// CHECK: scf.yield %[[S1]], %[[P1]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[S]], %[[P]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[I]]#0, %[[I]]#1
tile.kernel @branches(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %N: memref<?xindex>, %K: index, %f: i1) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @branches_0 blocks() {
    %ch = cta.channel : !channel
    cta.role @math warps(4) {
      %zero = arith.constant dense<0.0> : !sum
      %r = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
        %d = scf.if %f -> (!sum) {
          %q, %a = cta.wait %ch : !channel
          %e = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
          cta.release %ch, %q : !channel
          scf.yield %e : !sum
        } else {
          scf.yield %c : !sum
        }
        scf.for %j = %c0 to %k step %c64 {
          memref.store %j, %N[%c0] : memref<?xindex>
        }
        scf.yield %d : !sum
      }
      cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          scf.if %f {
            %p = cta.acquire %ch : !channel
            %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
            cta.commit %ch, %p (%a0) : !channel
          }
        }
      }
    }
  }
  tile.return
}

// A switch, of which each arm moves the side by as much as it likes, and a while loop, whose head may move it, too.
// CHECK-LABEL: tile.kernel @switch(
// CHECK: cta.role @math
// CHECK: scf.while (%[[I:.*]] = %{{.*}}, %[[S:.*]] = %[[Z:.*]], %[[P:.*]] = %[[Z]]) : (index, i32, i32) -> (index, i32, i32) {
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi
// CHECK-NEXT: cta.await 0[%[[S]]] parity %[[P]]
// CHECK: %[[S1:.*]] = arith.select
// CHECK: %[[P1:.*]] = arith.xori %[[P]],
// CHECK: cta.arrive 2[%[[S]]]
// CHECK-NEXT: scf.condition(%[[MORE]]) %[[I]], %[[S1]], %[[P1]] : index, i32, i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[J:.*]]: index, %[[SB:.*]]: i32, %[[PB:.*]]: i32):
// CHECK-NEXT: %[[W:.*]]:2 = scf.index_switch %[[J]] -> i32, i32
// CHECK-NEXT: case 1 {
// CHECK-NEXT: cta.await 0[%[[SB]]] parity %[[PB]]
// CHECK: %[[S2:.*]] = arith.select
// CHECK: %[[P2:.*]] = arith.xori %[[PB]],
// CHECK: cta.await 0[%[[S2]]] parity %[[P2]]
// CHECK: %[[S3:.*]] = arith.select
// CHECK: %[[P3:.*]] = arith.xori %[[P2]],
// CHECK: scf.yield %[[S3]], %[[P3]] : i32, i32
// CHECK: default {
// CHECK-NEXT: scf.yield %[[SB]], %[[PB]] : i32, i32
// CHECK: %[[N:.*]] = arith.addi %[[J]],
// CHECK-NEXT: scf.yield %[[N]], %[[W]]#0, %[[W]]#1 : index, i32, i32
// CHECK-NEXT: }
// CHECK: cta.role @producer
tile.kernel @switch(%A: memref<?x?xbf16>, %K: index) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @switch_0 blocks() {
    %ch = cta.channel : !channel
    cta.role @math warps(4) {
      scf.while (%i = %c0) : (index) -> index {
        %more = arith.cmpi slt, %i, %K : index
        %q, %a = cta.wait %ch : !channel
        cta.release %ch, %q : !channel
        scf.condition(%more) %i : index
      } do {
      ^bb0(%j: index):
        scf.index_switch %j
        case 1 {
          %q0, %a = cta.wait %ch : !channel
          %q1, %b = cta.wait %ch : !channel
          cta.release %ch, %q1 : !channel
          cta.release %ch, %q0 : !channel
          scf.yield
        }
        default {
        }
        %n = arith.addi %j, %c1 : index
        scf.yield %n : index
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.while (%i = %c0) : (index) -> index {
          %more = arith.cmpi slt, %i, %K : index
          %p = cta.acquire %ch : !channel
          %a = cta.copy %A[%c0, %i] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %ch, %p (%a) : !channel
          scf.condition(%more) %i : index
        } do {
        ^bb0(%j: index):
          scf.index_switch %j
          case 1 {
            %p0 = cta.acquire %ch : !channel
            %a0 = cta.copy %A[%c0, %j] {mechanism = #tma} : memref<?x?xbf16> -> !tile
            cta.commit %ch, %p0 (%a0) : !channel
            %p1 = cta.acquire %ch : !channel
            %a1 = cta.copy %A[%c0, %j] {mechanism = #tma} : memref<?x?xbf16> -> !tile
            cta.commit %ch, %p1 (%a1) : !channel
            scf.yield
          }
          default {
          }
          %n = arith.addi %j, %c1 : index
          scf.yield %n : index
        }
      }
    }
  }
  tile.return
}

// A credit is the number of its slot, also when loops, branches and while loops carry it: the arrival names the slot of the iteration before.
// CHECK-LABEL: tile.kernel @credits(
// CHECK: cta.role @math
// CHECK: cta.await 0[%[[Z:.*]]] parity %[[Z]]
// CHECK: %[[S0:.*]] = arith.select
// CHECK: %[[P0:.*]] = arith.xori
// CHECK: %[[L:.*]]:3 = scf.for %{{.*}} iter_args(%[[HELD:.*]] = %[[Z]], %[[S:.*]] = %[[S0]], %[[P:.*]] = %[[P0]]) -> (i32, i32, i32) {
// CHECK-NEXT: cta.await 0[%[[S]]] parity %[[P]]
// CHECK: %[[S1:.*]] = arith.select
// CHECK: %[[P1:.*]] = arith.xori
// CHECK: cta.arrive 2[%[[HELD]]] per_warp
// CHECK-NEXT: %[[MINE:.*]] = scf.if %f -> (i32) {
// CHECK-NEXT: scf.yield %[[S]] : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[S]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[MINE]], %[[S1]], %[[P1]] : i32, i32, i32
// CHECK: %[[W:.*]]:3 = scf.while (%[[X:.*]] = %[[L]]#0, %{{.*}} = %{{.*}}, %{{.*}} = %[[L]]#1, %{{.*}} = %[[L]]#2) : (i32, index, i32, i32) -> (i32, i32, i32) {
// CHECK: ^bb0(%[[Y:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32):
// CHECK: cta.arrive 2[%[[Y]]] per_warp
// CHECK: cta.arrive 2[%[[W]]#0] per_warp
// CHECK-NOT: !cta.credit
// CHECK: tile.return
tile.kernel @credits(%A: memref<?x?xbf16>, %K: index, %f: i1) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @credits_0 blocks() {
    %ch = cta.channel : !channel
    cta.role @math warps(4) {
      %q0, %a0 = cta.wait %ch : !channel
      %l = scf.for %k = %c0 to %K step %c1 iter_args(%held = %q0) -> (!cta.credit) {
        %q, %a = cta.wait %ch : !channel
        cta.release %ch, %held : !channel
        %mine = scf.if %f -> (!cta.credit) {
          scf.yield %q : !cta.credit
        } else {
          scf.yield %q : !cta.credit
        }
        scf.yield %mine : !cta.credit
      }
      %w = scf.while (%x = %l, %i = %c0) : (!cta.credit, index) -> !cta.credit {
        %more = arith.cmpi slt, %i, %K : index
        scf.condition(%more) %x : !cta.credit
      } do {
      ^bb0(%y: !cta.credit):
        %q, %a = cta.wait %ch : !channel
        cta.release %ch, %y : !channel
        scf.yield %q, %K : !cta.credit, index
      }
      cta.release %ch, %w : !channel
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c1 {
          %p = cta.acquire %ch : !channel
          %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %ch, %p (%a) : !channel
        }
      }
    }
  }
  tile.return
}

// Both sides in all warps: each has its own position. A second launch begins to count again; one without channels stays as it is.
// CHECK-LABEL: tile.kernel @one_role(
// CHECK: cta.launch @one_role_0 blocks() attributes {mbarriers = array<i64: 1, 1, 1, 1>} {
// CHECK: scf.for %{{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[T:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}) -> (i32, i32, i32, i32) {
// CHECK: %[[FREE:.*]] = arith.xori %[[P]],
// CHECK: cta.await 2[%[[S]]] parity %[[FREE]]
// CHECK: cta.expect 0[%[[S]]] bytes = 8192
// CHECK: cta.await 0[%[[T]]] parity %[[Q]]
// CHECK: cta.wgmma
// CHECK-NEXT: cta.arrive 2[%[[T]]]
// CHECK: cta.launch @one_role_1 blocks() attributes {mbarriers = array<i64: 1, 4>} {
// CHECK: cta.launch @one_role_2 blocks() {
// CHECK-NEXT: cta.block_id
tile.kernel @one_role(%A: memref<?x?xbf16>, %N: memref<?xindex>, %K: index) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @one_role_0 blocks() {
    %ch = cta.channel : !channel
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      %d = cta.wgmma %a, %a : !tile, !tile -> !sum
      cta.release %ch, %q : !channel
    }
  }
  cta.launch @one_role_1 blocks() {
    %ch = cta.channel : !cta.channel<1, !tile>
    %p = cta.acquire %ch : !cta.channel<1, !tile>
    %a0 = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%a0) : !cta.channel<1, !tile>
    %q, %a = cta.wait %ch : !cta.channel<1, !tile>
    cta.release %ch, %q : !cta.channel<1, !tile>
  }
  cta.launch @one_role_2 blocks() {
    %b = cta.block_id : index
    memref.store %b, %N[%b] : memref<?xindex>
  }
  tile.return
}
