// RUN: tile-opt %s --split-input-file --cta-defer-waits --cta-verify | FileCheck %s

// A loop that may not run: the first iteration is peeled, the slot of each is released when the product of the next has been issued, the last one after the loop.
// CHECK-LABEL: tile.kernel @ring
// CHECK:       %[[CH:.+]] = cta.channel
// CHECK:       %[[ZERO:.+]] = arith.constant dense<0.0
// CHECK:       %[[RUNS:.+]] = arith.cmpi slt, %[[LB:.+]], %n : index
// CHECK-NEXT:  %[[R:.+]] = scf.if %[[RUNS]] -> (tensor<64x64xf32, #wgmma_acc>) {
// CHECK-NEXT:    %[[SECOND:.+]] = arith.addi %[[LB]], %[[STEP:.+]] : index
// CHECK-NEXT:    %[[READY:.+]] = cta.ready %[[ZERO]]
// CHECK-NEXT:    %[[P0:.+]] = cta.acquire %[[CH]]
// CHECK-NEXT:    %[[A0:.+]] = cta.copy %A[%[[LB]], %[[LB]]]
// CHECK-NEXT:    cta.commit %[[CH]], %[[P0]] (%[[A0]])
// CHECK-NEXT:    %[[Q0:.+]], %[[T0:.+]] = cta.wait %[[CH]]
// CHECK-NEXT:    %[[D0:.+]] = cta.wgmma %[[T0]], %[[T0]], %[[READY]] : {{.*}} -> !cta.async
// CHECK-NEXT:    %[[L:.+]]:2 = scf.for %[[K:.+]] = %[[SECOND]] to %n step %[[STEP]] iter_args(%[[C:.+]] = %[[D0]], %[[OLD:.+]] = %[[Q0]]) -> (!cta.async<tensor<64x64xf32, #wgmma_acc>>, !cta.credit) {
// CHECK:           cta.commit
// CHECK:           %[[Q:.+]], %[[T:.+]] = cta.wait %[[CH]]
// CHECK-NEXT:      %[[D:.+]] = cta.wgmma %[[T]], %[[T]], %[[C]]
// CHECK-NEXT:      cta.release %[[CH]], %[[OLD]] after(%[[C]] :
// CHECK-NEXT:      scf.yield %[[D]], %[[Q]]
// CHECK-NEXT:    } {note = "kept"}
// CHECK-NEXT:    cta.release %[[CH]], %[[L]]#1 after(%[[L]]#0 :
// CHECK-NEXT:    %[[DONE:.+]] = cta.complete %[[L]]#0
// CHECK-NEXT:    scf.yield %[[DONE]]
// CHECK-NEXT:  } else {
// CHECK-NEXT:    scf.yield %[[ZERO]]
// CHECK-NEXT:  }
// CHECK-NEXT:  cta.store %[[R]]
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile>
tile.kernel @ring(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @ring_0 blocks(%n) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %q, %t = cta.wait %ch : !ch
      %d = cta.wgmma %t, %t, %c : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
      scf.yield %d : !sum
    } {note = "kept"}
    cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// A loop that surely runs needs no condition. Two accumulators that share a slot, one of them with two products an iteration: all must have retired. The other
// slot is read by threads only: it is released where it was.
// CHECK-LABEL: tile.kernel @two
// CHECK-NOT:   scf.if
// CHECK:       %[[C0:.+]] = cta.ready
// CHECK:       %[[E0:.+]] = cta.ready
// CHECK:       %[[A1:.+]] = cta.wgmma %[[T:.+]], %[[T]], %[[C0]]
// CHECK-NEXT:  %[[B1:.+]] = cta.wgmma %[[T]], %[[T]], %[[E0]]
// CHECK-NEXT:  %[[A2:.+]] = cta.wgmma %[[T]], %[[T]], %[[A1]]
// CHECK:       cta.read
// CHECK-NEXT:  cta.release %[[OTHER:.+]], %{{.+}} :
// CHECK-NOT:   cta.release
// CHECK:       %[[L:.+]]:4 = scf.for {{.*}} iter_args(%[[C:.+]] = %[[A2]], %[[V:.+]] = %{{.+}}, %[[E:.+]] = %[[B1]], %[[OLD:.+]] = %{{.+}})
// CHECK:         cta.release %[[CH:.+]], %[[OLD]] after(%[[C]], %[[E]] :
// CHECK:         cta.release %[[OTHER]], %{{.+}} :
// CHECK:       cta.release %[[CH]], %[[L]]#3 after(%[[L]]#0, %[[L]]#2 :
// CHECK-NEXT:  cta.complete %[[L]]#0
// CHECK-NEXT:  cta.complete %[[L]]#2
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile>
tile.kernel @two(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @two_0 blocks(%n) {
    %ch = cta.channel : !ch
    %other = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c640 = arith.constant 640 : index
    %zero = arith.constant dense<0.0> : !sum
    %v0 = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
    %r:3 = scf.for %k = %c0 to %c640 step %c64 iter_args(%c = %zero, %v = %v0, %e = %zero) -> (!sum, tensor<64x64xbf16, #acc>, !sum) {
      %p = cta.acquire %ch : !ch
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %p1 = cta.acquire %other : !ch
      %a1 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %other, %p1 (%a1) : !ch
      %q, %t = cta.wait %ch : !ch
      %d = cta.wgmma %t, %t, %c : !tile, !tile -> !sum
      %f = cta.wgmma %t, %t, %e : !tile, !tile -> !sum
      %g = cta.wgmma %t, %t, %d : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
      %q1, %t1 = cta.wait %other : !ch
      %w = cta.read %t1 : !tile -> tensor<64x64xbf16, #acc>
      cta.release %other, %q1 : !ch
      scf.yield %g, %w, %f : !sum, tensor<64x64xbf16, #acc>, !sum
    }
    cta.store %r#0, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    cta.store %r#2, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    cta.store %r#1, %A[%c0, %c0] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// What the product reads is there before the loop: nothing to release, nothing to peel. Accumulators of f16.
// CHECK-LABEL: tile.kernel @outside
// CHECK:       %[[READY:.+]] = cta.ready
// CHECK-NEXT:  %[[L:.+]] = scf.for {{.*}} iter_args(%[[C:.+]] = %[[READY]]) -> (!cta.async<tensor<64x64xf16, #wgmma_acc>>) {
// CHECK-NEXT:    %[[D:.+]] = cta.wgmma %{{.+}}, %{{.+}}, %[[C]]
// CHECK-NEXT:    scf.yield %[[D]]
// CHECK-NEXT:  }
// CHECK-NEXT:  cta.complete %[[L]]
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xf16, #sw>
!sum = tensor<64x64xf16, #acc>
tile.kernel @outside(%C: memref<?x?xf16>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @outside_0 blocks(%n) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = cta.load %C[%c0, %c0] : memref<?x?xf16> -> tensor<64x64xf16, #acc>
    %t = cta.stage %x : tensor<64x64xf16, #acc> -> !tile
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%c = %x) -> (!sum) {
      %d = cta.wgmma %t, %t, %c : !tile, !tile -> !sum
      scf.yield %d : !sum
    }
    cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf16>
  }
  tile.return
}

// -----

// Products in a row: two that are independent, and one that goes on with the first one's accumulators, are issued together. The releases between them
// come after. The one that reads a result begins anew. More about that is in defer-waits-uses.mlir.
// CHECK-LABEL: tile.kernel @row
// CHECK:       %[[D:.+]] = cta.wgmma %[[T:.+]], %[[T]] : {{.*}} -> !cta.async
// CHECK-NEXT:  %[[Q1:.+]], %[[T1:.+]] = cta.wait
// CHECK-NEXT:  %[[R:.+]] = cta.ready %{{.+}}
// CHECK-NEXT:  %[[E:.+]] = cta.wgmma %[[T1]], %[[T1]], %[[R]] : {{.*}} -> !cta.async
// CHECK-NEXT:  %[[F:.+]] = cta.wgmma %[[T1]], %[[T1]], %[[D]] : {{.*}} -> !cta.async
// CHECK-NEXT:  %[[FD:.+]] = cta.complete %[[F]]
// CHECK-NEXT:  %[[ED:.+]] = cta.complete %[[E]]
// CHECK-NEXT:  cta.release %{{.+}}, %{{.+}} :
// CHECK-NEXT:  cta.release %{{.+}}, %[[Q1]] :
// CHECK-NEXT:  arith.addf %[[ED]], %[[FD]]
// CHECK:       %[[I:.+]] = cta.wgmma {{.*}} -> !cta.async
// CHECK-NEXT:  cta.complete %[[I]]
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<1, !tile>
tile.kernel @row(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @row_0 blocks(%n) {
    %ch = cta.channel : !ch
    %other = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant dense<1.0> : !sum
    scf.for %k = %c0 to %n step %c64 {
      %p = cta.acquire %ch : !ch
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %p1 = cta.acquire %other : !ch
      %a1 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %other, %p1 (%a1) : !ch
      %q, %t = cta.wait %ch : !ch
      %d = cta.wgmma %t, %t : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
      %q1, %t1 = cta.wait %other : !ch
      %e = cta.wgmma %t1, %t1, %one : !tile, !tile -> !sum
      %f = cta.wgmma %t1, %t1, %d : !tile, !tile -> !sum
      cta.release %other, %q1 : !ch
      %s = arith.addf %e, %f : !sum
      %h = arith.truncf %s : !sum to tensor<64x64xbf16, #acc>
      %u = cta.stage %h : tensor<64x64xbf16, #acc> -> !tile
      %i = cta.wgmma %u, %u, %s : !tile, !tile -> !sum
      cta.store %i, %C[%k, %c0] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// -----

// Left synchronous, each the only product of its loop: a from registers, a tile that the loop stages, a channel of depth 1, a slot that is held across the loop, an accumulator that something else touches, and
// everything without pending in the plan.
// CHECK-LABEL: tile.kernel @not
// CHECK-NOT: cta.async
// CHECK:     tile.kernel @without
// CHECK-NOT: cta.async
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile>
!ch1 = !cta.channel<1, !tile>
tile.kernel @not(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @not_0 blocks(%n) {
    %ch = cta.channel : !ch
    %ch1 = cta.channel : !ch1
    %across = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %half = arith.constant dense<0.5> : !sum
    %r1 = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %q, %t = cta.wait %ch : !ch
      %x = cta.read %t : !tile -> tensor<64x64xbf16, #wa>
      %d = cta.wgmma %x, %t, %c : tensor<64x64xbf16, #wa>, !tile -> !sum
      cta.release %ch, %q : !ch
      scf.yield %d : !sum
    }
    %r2 = scf.for %k = %c0 to %n step %c64 iter_args(%c = %r1) -> (!sum) {
      %x = cta.load %A[%k, %k] : memref<?x?xbf16> -> tensor<64x64xbf16, #acc>
      %t = cta.stage %x : tensor<64x64xbf16, #acc> -> !tile
      %d = cta.wgmma %t, %t, %c : !tile, !tile -> !sum
      scf.yield %d : !sum
    }
    %r3 = scf.for %k = %c0 to %n step %c64 iter_args(%c = %r2) -> (!sum) {
      %p = cta.acquire %ch1 : !ch1
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch1, %p (%a) : !ch1
      %q, %t = cta.wait %ch1 : !ch1
      %d = cta.wgmma %t, %t, %c : !tile, !tile -> !sum
      cta.release %ch1, %q : !ch1
      scf.yield %d : !sum
    }
    %p0 = cta.acquire %across : !ch
    %a0 = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    cta.commit %across, %p0 (%a0) : !ch
    %q0, %t0 = cta.wait %across : !ch
    %r4 = scf.for %k = %c0 to %n step %c64 iter_args(%c = %r3) -> (!sum) {
      %p = cta.acquire %across : !ch
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %across, %p (%a) : !ch
      %q, %t = cta.wait %across : !ch
      %d = cta.wgmma %t, %t0, %c : !tile, !tile -> !sum
      cta.release %across, %q : !ch
      scf.yield %d : !sum
    }
    cta.release %across, %q0 : !ch
    %r5 = scf.for %k = %c0 to %n step %c64 iter_args(%c = %r4) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %q, %t = cta.wait %ch : !ch
      %s = arith.mulf %c, %half : !sum
      %d = cta.wgmma %t, %t, %s : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
      scf.yield %d : !sum
    }
    cta.store %r5, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @without(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 0>} {
  cta.launch @without_0 blocks(%n) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %q, %t = cta.wait %ch : !ch
      %d = cta.wgmma %t, %t, %c : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
      scf.yield %d : !sum
    }
    cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}
