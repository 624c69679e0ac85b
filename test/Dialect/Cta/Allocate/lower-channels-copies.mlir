// RUN: tile-opt %s -cta-lower-channels -cta-verify | FileCheck %s
// RUN: tile-opt %s -canonicalize -cse -loop-invariant-code-motion -cta-lower-channels -canonicalize -cse -loop-invariant-code-motion -cta-verify -cta-allocate-shared -cta-insert-barriers -cta-verify -o /dev/null

// Slots that threads fill by cp.async.

#acc = #cta.frag<wgmma_acc, wg = 1>
#rows = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#cp = #cta.mechanism<cp_async>
#specialized = #tile.phase<specialized>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!channel = !cta.channel<3, !tile>

// Without roles every thread waits for the slot, copies, and arrives with its copies (128 arrivals). After the wait each fences what it has written,
// then all threads meet, because a product reads what others wrote.
// CHECK-LABEL: tile.kernel @one_role(
// CHECK: cta.launch @one_role_0 blocks() attributes {mbarriers = array<i64: 128, 128, 128, 1, 1, 1>}
// CHECK: %[[R:.+]] = cta.ring
// CHECK: scf.for {{.*}} iter_args(%[[C:.+]] = %{{.+}}, %[[PS:.+]] = %{{.+}}, %[[PP:.+]] = %{{.+}}, %[[S:.+]] = %{{.+}}, %[[P:.+]] = %{{.+}})
// CHECK-NOT: cta.elect
// CHECK: %[[FREE:.+]] = arith.xori %[[PP]]
// CHECK-NEXT: cta.await 3[%[[PS]]] parity %[[FREE]]
// CHECK-NEXT: %[[TO:.+]] = cta.slot %[[R]][%[[PS]]]
// CHECK: cta.copy %A{{.*}} into %[[TO]][%[[PS]]] {mbarrier = 0 : i64, mechanism = #cta.mechanism<cp_async>, vector = 4 : i64}
// CHECK-NEXT: cta.arrive 0[%[[PS]]] copies
// CHECK-NEXT: cta.await 0[%[[S]]] parity %[[P]]
// CHECK-NEXT: cta.fence_async
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: %[[T:.+]] = cta.slot %[[R]][%[[S]]]
// CHECK: cta.wgmma %[[T]], %[[T]]
// CHECK-NEXT: cta.arrive 3[%[[S]]]{{$}}
tile.kernel @one_role(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @one_role_0 blocks() {
    %ch = cta.channel : !channel
    %zero = arith.constant dense<0.0> : !sum
    %r = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%c0, %k] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      cta.release %ch, %q : !channel
      scf.yield %d : !sum
    }
    cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Threads that read with ordinary loads need neither.
// CHECK-LABEL: tile.kernel @read_by_threads(
// CHECK: cta.arrive 0[%{{.+}}] copies
// CHECK-NEXT: cta.await 0[%{{.+}}] parity
// CHECK-NEXT: cta.slot
// CHECK-NOT: cta.barrier
// CHECK: cta.read
tile.kernel @read_by_threads(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @read_by_threads_0 blocks() {
    %ch = cta.channel : !channel
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%c0, %k] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      %t = cta.read %a : !tile -> tensor<64x64xbf16, #rows>
      cta.release %ch, %q : !channel
      cta.store %t, %C[%c0, %k] : tensor<64x64xbf16, #rows> -> memref<?x?xbf16>
    }
  }
  tile.return
}

// A producing warpgroup that also uses TMA. The copies of an iteration are a group. At the head of an iteration, with two of them open, the older one
// is waited for and fenced, and each warp announces its slot, two back (4 arrivals). After the loop the others. The first thread issues TMA.
// CHECK-LABEL: tile.kernel @warpgroup(
// CHECK: mbarriers = array<i64: 1, 1, 1, 1, 1, 1, 4, 4, 4, 1, 1, 1>
// CHECK: cta.role @math
// CHECK: cta.await 6[
// CHECK-NOT: cta.fence_async
// CHECK: cta.role @producer warps(4) {
// CHECK: %[[R:.+]]:5 = scf.for {{.*}} iter_args(%[[TS:.+]] = %{{.+}}, %[[TP:.+]] = %{{.+}}, %[[S:.+]] = %{{.+}}, %[[P:.+]] = %{{.+}}, %[[N:.+]] = %{{.+}}) -> (i32, i32, i32, i32, i32) {
// CHECK-NEXT: %[[TWO:.+]] = arith.constant 2 : i32
// CHECK-NEXT: %[[OPEN:.+]] = arith.cmpi eq, %[[N]], %[[TWO]]
// CHECK-NEXT: scf.if %[[OPEN]] {
// CHECK-NEXT: cta.await_copies pending = 1
// CHECK-NEXT: cta.fence_async
// CHECK-NEXT: %[[BACK:.+]] = arith.constant 1 : i32
// CHECK-NEXT: %[[SUM:.+]] = arith.addi %[[S]], %[[BACK]]
// CHECK-NEXT: %[[DEPTH:.+]] = arith.constant 3 : i32
// CHECK-NEXT: %[[OVER:.+]] = arith.cmpi sge, %[[SUM]], %[[DEPTH]]
// CHECK-NEXT: %[[LESS:.+]] = arith.subi %[[SUM]], %[[DEPTH]]
// CHECK-NEXT: %[[OLD:.+]] = arith.select %[[OVER]], %[[LESS]], %[[SUM]]
// CHECK-NEXT: cta.arrive 6[%[[OLD]]] per_warp
// CHECK-NEXT: }
// CHECK: cta.elect {
// CHECK-NEXT: cta.await 3[%[[TS]]]
// CHECK-NEXT: cta.expect 0[%[[TS]]]
// CHECK: cta.copy {{.*}}<tma>
// CHECK: }
// CHECK: cta.await 9[%[[S]]] parity
// CHECK: cta.copy %B{{.*}}[%[[S]]] {mbarrier = 6 : i64, mechanism = #cta.mechanism<cp_async>
// CHECK: cta.commit_copies
// CHECK-NEXT: %[[ONE:.+]] = arith.constant 1 : i32
// CHECK-NEXT: %[[MORE:.+]] = arith.addi %[[N]], %[[ONE]]
// CHECK-NEXT: %[[LAG:.+]] = arith.constant 2 : i32
// CHECK-NEXT: %[[NEXT:.+]] = arith.minsi %[[MORE]], %[[LAG]]
// CHECK-NEXT: scf.yield {{.*}}, %[[NEXT]] :
// CHECK: cta.await_copies{{$}}
// CHECK-NEXT: cta.fence_async
// CHECK: scf.for %[[J:.+]] = %{{.+}} to %[[R]]#4 step
// CHECK: arith.subi %{{.+}}, %[[R]]#4
// CHECK: arith.addi %[[R]]#2
// CHECK: cta.arrive 6[%{{.+}}] per_warp
tile.kernel @warpgroup(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @warpgroup_0 blocks() {
    %ct = cta.channel : !channel
    %ch = cta.channel : !channel
    cta.role @math warps(4) {
      %zero = arith.constant dense<0.0> : !sum
      %r = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
        %qt, %a = cta.wait %ct : !channel
        %q, %b = cta.wait %ch : !channel
        %d = cta.wgmma %a, %b, %c : !tile, !tile -> !sum
        cta.release %ct, %qt : !channel
        cta.release %ch, %q : !channel
        scf.yield %d : !sum
      }
      cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    }
    cta.role @producer warps(4) {
      scf.for %k = %c0 to %K step %c64 {
        %pt = cta.acquire %ct : !channel
        %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ct, %pt (%a0) : !channel
        %p = cta.acquire %ch : !channel
        %b0 = cta.copy %B[%k, %c0] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%b0) : !channel
      }
    }
  }
  tile.return
}

// If the role may wait for other channels before the next iteration, slots are announced at once: outside loops, around loops that fill, in branches, and with one slot.
// CHECK-LABEL: tile.kernel @at_once(
// CHECK: cta.role @producer
// CHECK: scf.for
// CHECK-NOT: pending
// CHECK: cta.copy %A
// CHECK-NEXT: cta.await_copies{{$}}
// CHECK-NEXT: cta.fence_async
// CHECK-NEXT: cta.arrive 0[%{{.+}}] per_warp
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: pending
// CHECK: cta.copy %A
// CHECK-NEXT: cta.await_copies{{$}}
// CHECK-NEXT: cta.fence_async
// CHECK-NEXT: cta.arrive 6[%{{.+}}] per_warp
// CHECK-NOT: cta.commit_copies
tile.kernel @at_once(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index, %b: i1) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @at_once_0 blocks() {
    %co = cta.channel : !channel
    %ch = cta.channel : !channel
    cta.role @math warps(4) {
      scf.for %i = %c0 to %K step %c64 {
        %zero = arith.constant dense<0.0> : !sum
        %qo, %o = cta.wait %co : !channel
        %r = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
          %n = scf.if %b -> (!sum) {
            %q, %a = cta.wait %ch : !channel
            %d = cta.wgmma %a, %o, %c : !tile, !tile -> !sum
            cta.release %ch, %q : !channel
            scf.yield %d : !sum
          } else {
            scf.yield %c : !sum
          }
          scf.yield %n : !sum
        }
        cta.release %co, %qo : !channel
        cta.store %r, %C[%i, %c0] : !sum -> memref<?x?xf32>
      }
    }
    cta.role @producer warps(4) {
      scf.for %i = %c0 to %K step %c64 {
        %po = cta.acquire %co : !channel
        %o0 = cta.copy %A[%i, %c0] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !tile
        cta.commit %co, %po (%o0) : !channel
        scf.for %k = %c0 to %K step %c64 {
          scf.if %b {
            %p = cta.acquire %ch : !channel
            %a0 = cta.copy %A[%c0, %k] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !tile
            cta.commit %ch, %p (%a0) : !channel
          }
        }
      }
    }
  }
  tile.return
}

// The consumer's waits are ahead of its releases: the products of a second operand run two iterations later, so that a slot is given back only when the other channel
// has two more. Of four slots two may be on their way. The first iterations and the last have no loop, the loop of the other arm does as the IR.
// CHECK-LABEL: tile.kernel @rotated(
// CHECK: cta.role @producer warps(4) {
// CHECK: scf.for
// CHECK: cta.await_copies pending = 1
// CHECK: cta.arrive 0[%{{.+}}] per_warp
// CHECK: cta.arrive 8[%{{.+}}] per_warp
// CHECK: cta.commit_copies
// CHECK: cta.await_copies{{$}}
!four = !cta.channel<4, !tile>
tile.kernel @rotated(%A: memref<?x?xbf16>, %K: index, %b: i1) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @rotated_0 blocks() {
    %ck = cta.channel : !four
    %cv = cta.channel : !four
    cta.role @math warps(4) {
      scf.if %b {
        %q0, %k0 = cta.wait %ck : !four
        cta.release %ck, %q0 : !four
        %q1, %k1 = cta.wait %ck : !four
        cta.release %ck, %q1 : !four
        scf.for %k = %c0 to %K step %c64 {
          %q, %kt = cta.wait %ck : !four
          cta.release %ck, %q : !four
          %r, %vt = cta.wait %cv : !four
          cta.release %cv, %r : !four
        }
        %r0, %v0 = cta.wait %cv : !four
        cta.release %cv, %r0 : !four
        %r1, %v1 = cta.wait %cv : !four
        cta.release %cv, %r1 : !four
      } else {
        scf.for %k = %c0 to %K step %c64 {
          %q, %kt = cta.wait %ck : !four
          cta.release %ck, %q : !four
          %r, %vt = cta.wait %cv : !four
          cta.release %cv, %r : !four
        }
      }
    }
    cta.role @producer warps(4) {
      scf.for %k = %c0 to %K step %c64 {
        %p = cta.acquire %ck : !four
        %k0 = cta.copy %A[%k, %c0] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !tile
        cta.commit %ck, %p (%k0) : !four
        %q = cta.acquire %cv : !four
        %v0 = cta.copy %A[%c0, %k] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !tile
        cta.commit %cv, %q (%v0) : !four
      }
    }
  }
  tile.return
}

// It is not known how far ahead the waits are, so the slots are released at once.
// CHECK-LABEL: tile.kernel @anyhow(
// CHECK: cta.role @producer warps(4) {
// CHECK-NOT: pending
// CHECK: cta.await_copies{{$}}
// CHECK-NOT: cta.commit_copies
tile.kernel @anyhow(%A: memref<?x?xbf16>, %K: index, %b: i1) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @anyhow_0 blocks() {
    %ck = cta.channel : !four
    %cv = cta.channel : !four
    cta.role @math warps(4) {
      scf.for %k = %c0 to %K step %c64 {
        %q, %kt = cta.wait %ck : !four
        cta.release %ck, %q : !four
      }
      scf.for %k = %c0 to %K step %c64 {
        %r, %vt = cta.wait %cv : !four
        cta.release %cv, %r : !four
      }
    }
    cta.role @producer warps(4) {
      scf.for %k = %c0 to %K step %c64 {
        %p = cta.acquire %ck : !four
        %k0 = cta.copy %A[%k, %c0] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !tile
        cta.commit %ck, %p (%k0) : !four
        %q = cta.acquire %cv : !four
        %v0 = cta.copy %A[%c0, %k] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !tile
        cta.commit %cv, %q (%v0) : !four
      }
    }
  }
  tile.return
}
