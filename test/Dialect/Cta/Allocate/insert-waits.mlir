// RUN: tile-opt %s --split-input-file --cta-insert-waits --cta-verify | FileCheck %s

// The loop of cta-defer-waits: after the product of this iteration one group may stay in flight. What is in flight goes through the wait. The release
// after the loop waits for all groups, and then the complete for none.
// CHECK-LABEL: tile.kernel @ring
// CHECK:       %[[L:.+]]:2 = scf.for {{.*}} iter_args(%[[C:.+]] = %{{.+}}, %[[OLD:.+]] = %{{.+}})
// CHECK:         %[[Q:.+]], %[[T:.+]] = cta.wait
// CHECK-NEXT:    %[[D:.+]] = cta.wgmma %[[T]], %[[T]], %[[C]]
// CHECK-NEXT:    %[[W:.+]] = cta.wgmma_wait(%[[D]]) pending = 1 : !cta.async<tensor<64x64xf32, #wgmma_acc>>
// CHECK-NEXT:    cta.release %{{.+}}, %[[OLD]] : <2,
// CHECK-NEXT:    scf.yield %[[W]], %[[Q]]
// CHECK-NEXT:  }
// CHECK-NEXT:  %[[E:.+]] = cta.wgmma_wait(%[[L]]#0) pending = 0
// CHECK-NEXT:  cta.release %{{.+}}, %[[L]]#1 : <2,
// CHECK-NEXT:  cta.complete %[[E]]
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!async = !cta.async<!sum>
!ch = !cta.channel<2, !tile>
tile.kernel @ring(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @ring_0 blocks(%n) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    cta.role @math warps(4) {
      %zero = arith.constant dense<0.0> : !sum
      %r = cta.ready %zero : !sum
      %q0, %t0 = cta.wait %ch : !ch
      %d0 = cta.wgmma %t0, %t0, %r : !tile, !tile -> !async
      %l:2 = scf.for %k = %c64 to %n step %c64 iter_args(%c = %d0, %old = %q0) -> (!async, !cta.credit) {
        %q, %t = cta.wait %ch : !ch
        %d = cta.wgmma %t, %t, %c : !tile, !tile -> !async
        cta.release %ch, %old after(%c : !async) : !ch
        scf.yield %d, %q : !async, !cta.credit
      }
      cta.release %ch, %l#1 after(%l#0 : !async) : !ch
      %e = cta.complete %l#0 : !async
      cta.store %e, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %n step %c64 {
          %p = cta.acquire %ch : !ch
          %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %ch, %p (%a) : !ch
        }
      }
    }
  }
  tile.return
}

// -----

// Groups are counted in the order of the IR. The first wait leaves two groups and passes all three accumulators; the second has nothing to wait for
// when a later one has retired; a tile that is ready needs no wait.
// CHECK-LABEL: tile.kernel @counts
// CHECK:       %[[A:.+]] = cta.wgmma
// CHECK-NEXT:  %[[B:.+]] = cta.wgmma
// CHECK-NEXT:  %[[C:.+]] = cta.wgmma
// CHECK-NEXT:  %[[W:.+]]:3 = cta.wgmma_wait(%[[A]], %[[B]], %[[C]]) pending = 2
// CHECK-NEXT:  cta.complete %[[W]]#0
// CHECK-NEXT:  %[[X:.+]]:2 = cta.wgmma_wait(%[[W]]#1, %[[W]]#2) pending = 0
// CHECK-NEXT:  cta.complete %[[X]]#1
// CHECK-NEXT:  cta.complete %[[X]]#0
// CHECK-NEXT:  %[[R:.+]] = cta.ready
// CHECK-NEXT:  cta.complete %[[R]]
// CHECK-NOT:   cta.wgmma_wait

// A product that is waited for at once is a group, too.
// CHECK:       %[[D:.+]] = cta.wgmma {{.*}} -> !cta.async
// CHECK-NEXT:  cta.wgmma {{.*}} -> tensor
// CHECK-NEXT:  cta.wgmma_wait(%[[D]]) pending = 1
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!async = !cta.async<!sum>
tile.kernel @counts(%C: memref<?x?xf32>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @counts_0 blocks() {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
    %t = cta.stage %x : tensor<64x64xbf16, #acc> -> !tile
    %a = cta.wgmma %t, %t : !tile, !tile -> !async
    %b = cta.wgmma %t, %t : !tile, !tile -> !async
    %c = cta.wgmma %t, %t : !tile, !tile -> !async
    %ra = cta.complete %a : !async
    %rc = cta.complete %c : !async
    %rb = cta.complete %b : !async
    %ready = cta.ready %ra : !sum
    %rr = cta.complete %ready : !async
    cta.store %rr, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    cta.store %rb, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    cta.store %rc, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    %e = cta.wgmma %t, %t : !tile, !tile -> !sum
    %rd = cta.complete %d : !async
    cta.store %e, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    cta.store %rd, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Paths: the fewest groups of both arms, of no iteration and of many, and of what a while loop does.
// CHECK-LABEL: tile.kernel @paths
// CHECK:       %[[A:.+]] = cta.wgmma
// CHECK:       %[[B:.+]] = scf.if
// CHECK:       } else {
// CHECK:       %[[W:.+]]:2 = cta.wgmma_wait(%[[B]], %[[A]]) pending = 1
// CHECK-NEXT:  cta.complete %[[W]]#1
// CHECK:       %[[X:.+]] = cta.wgmma_wait(%[[W]]#0) pending = 0
// CHECK-NEXT:  cta.complete %[[X]]
// CHECK:       %[[D:.+]] = cta.wgmma
// CHECK-NEXT:  scf.for
// CHECK:       cta.wgmma_wait(%[[D]]) pending = 0
// CHECK:       %[[L:.+]]:2 = scf.while
// CHECK:         %[[F:.+]] = cta.wgmma
// CHECK:         scf.condition(%{{.+}}) %{{.+}}, %[[F]]
// CHECK:       ^bb0(%{{.+}}: index, %[[F1:.+]]: !cta.async
// CHECK:         %[[G:.+]] = cta.wgmma
// CHECK-NEXT:    %[[Y:.+]]:2 = cta.wgmma_wait(%[[F1]], %[[G]]) pending = 1
// CHECK-NEXT:    cta.complete %[[Y]]#0
// CHECK-NEXT:    cta.wgmma_wait(%[[Y]]#1) pending = 0
// CHECK:       cta.wgmma_wait(%[[L]]#1) pending = 0
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!async = !cta.async<!sum>
tile.kernel @paths(%C: memref<?x?xf32>, %n: index, %cond: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @paths_0 blocks() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
    %t = cta.stage %x : tensor<64x64xbf16, #acc> -> !tile
    %a = cta.wgmma %t, %t : !tile, !tile -> !async
    %b = scf.if %cond -> (!async) {
      %b1 = cta.wgmma %t, %t : !tile, !tile -> !async
      scf.yield %b1 : !async
    } else {
      %b0 = cta.wgmma %t, %t : !tile, !tile -> !sum
      %b1 = cta.ready %b0 : !sum
      %b2 = cta.wgmma %t, %t, %b1 : !tile, !tile -> !async
      scf.yield %b2 : !async
    }
    %ra = cta.complete %a : !async
    cta.store %ra, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    %rb = cta.complete %b : !async
    cta.store %rb, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    scf.for %k = %c0 to %n step %c1 {
      %e = cta.wgmma %t, %t : !tile, !tile -> !sum
      cta.store %e, %C[%k, %c0] : !sum -> memref<?x?xf32>
    }
    %rd = cta.complete %d : !async
    cta.store %rd, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    %w:2 = scf.while (%i = %c0, %s = %rd) : (index, !sum) -> (index, !async) {
      %cs = cta.ready %s : !sum
      %f = cta.wgmma %t, %t, %cs : !tile, !tile -> !async
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i, %f : index, !async
    } do {
    ^bb0(%i: index, %f: !async):
      %g = cta.wgmma %t, %t : !tile, !tile -> !async
      %rf = cta.complete %f : !async
      %rg = cta.complete %g : !async
      %sum = arith.addf %rf, %rg : !sum
      %next = arith.addi %i, %c1 : index
      scf.yield %next, %sum : index, !sum
    }
    %rw = cta.complete %w#1 : !async
    cta.store %rw, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Nothing is in flight: nothing changes.
// CHECK-LABEL: tile.kernel @quiet
// CHECK-NOT:   cta.wgmma_wait
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
tile.kernel @quiet(%C: memref<?x?xf32>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @quiet_0 blocks() {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
    %t = cta.stage %x : tensor<64x64xbf16, #acc> -> !tile
    %d = cta.wgmma %t, %t : !tile, !tile -> tensor<64x64xf32, #acc>
    cta.store %d, %C[%c0, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}
