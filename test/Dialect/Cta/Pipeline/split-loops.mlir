// RUN: tile-opt %s -split-input-file -cta-split-loops -cta-verify | FileCheck %s
// RUN: tile-opt %s -split-input-file -cta-split-loops -cta-split-loops | FileCheck %s

// The iterations below the bound have the arm without the branch, those from it on the other one. The second loop begins at the first iteration that is not
// below the bound, or where the loop began.
// CHECK-LABEL: tile.kernel @one_bound
// CHECK-SAME:  %[[LB:[a-z0-9]+]]: index, %[[UB:[a-z0-9]+]]: index, %[[BOUND:[a-z0-9]+]]: index
// CHECK-DAG:     %[[STEP:.+]] = arith.constant 64 : index
// CHECK:         %[[LEAST:.+]] = arith.minsi %[[UB]], %[[BOUND]] : index
// CHECK-NEXT:    %[[END:.+]] = arith.maxsi %[[LEAST]], %[[LB]] : index
// CHECK-NEXT:    %[[LENGTH:.+]] = arith.subi %[[END]], %[[LB]] : index
// CHECK:         %[[LESS:.+]] = arith.subi %[[STEP]], %{{.+}} : index
// CHECK-NEXT:    %[[MORE:.+]] = arith.addi %[[LENGTH]], %[[LESS]] : index
// CHECK-NEXT:    %[[COUNT:.+]] = arith.divui %[[MORE]], %[[STEP]] : index
// CHECK-NEXT:    %[[DISTANCE:.+]] = arith.muli %[[COUNT]], %[[STEP]] : index
// CHECK-NEXT:    %[[NEXT:.+]] = arith.addi %[[LB]], %[[DISTANCE]] : index
// CHECK-NEXT:    %[[FIRST:.+]] = scf.for %{{.+}} = %[[LB]] to %[[END]] step %[[STEP]] iter_args(%[[C:.+]] = %{{.+}})
// CHECK-NOT:       scf.if
// CHECK:           %[[D:.+]] = cta.wgmma
// CHECK-NEXT:      cta.release
// CHECK-NEXT:      arith.addf %[[D]], %[[D]]
// CHECK-NEXT:      scf.yield
// CHECK:         %[[SECOND:.+]] = scf.for %[[J:.+]] = %[[NEXT]] to %[[UB]] step %[[STEP]] iter_args(%{{.+}} = %[[FIRST]])
// CHECK-NOT:       scf.if
// CHECK:           %[[D:.+]] = cta.wgmma
// CHECK-NEXT:      cta.release
// CHECK-NEXT:      %[[J32:.+]] = arith.index_cast %[[J]]
// CHECK-NEXT:      %[[F:.+]] = arith.sitofp %[[J32]]
// CHECK-NEXT:      %[[M:.+]] = cta.broadcast %[[F]]
// CHECK-NEXT:      %[[E:.+]] = arith.mulf %[[D]], %[[M]]
// CHECK-NEXT:      arith.addf %[[E]], %[[E]]
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } {cta.rest}
// CHECK:         cta.store %[[SECOND]]
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile>
tile.kernel @one_bound(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %lb: index, %ub: index, %bound: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @one_bound_0 blocks() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %ch = cta.channel : !ch
    %zero = arith.constant dense<0.0> : !sum
    %l = scf.for %j = %lb to %ub step %c64 iter_args(%c = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %a = cta.copy %A[%j, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %q, %t = cta.wait %ch : !ch
      %d = cta.wgmma %t, %t, %c : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
      %rest = arith.cmpi sge, %j, %bound : index
      %e = scf.if %rest -> (!sum) {
        %j32 = arith.index_cast %j : index to i32
        %f = arith.sitofp %j32 : i32 to f32
        %m = cta.broadcast %f dims = [] : f32 -> !sum
        %x = arith.mulf %d, %m : !sum
        scf.yield %x : !sum
      } else {
        scf.yield %d : !sum
      } {cta.rest}
      %g = arith.addf %e, %e : !sum
      scf.yield %g : !sum
    }
    cta.store %l, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Not another condition, a branch that nobody has marked, nor a loop over whose end a product is in flight.
// CHECK-LABEL: tile.kernel @not_these
// CHECK-COUNT-3: scf.if
// CHECK-NOT:     cta.rest}
#acc = #cta.frag<wgmma_acc, wg = 1>
!sum = tensor<64x64xf32, #acc>
!async = !cta.async<!sum>
tile.kernel @not_these(%C: memref<?x?xf32>, %ub: index, %bound: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @not_these_0 blocks() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %a = scf.for %j = %c0 to %ub step %c64 iter_args(%c = %zero) -> (!sum) {
      %rest = arith.cmpi slt, %j, %bound : index
      %e = scf.if %rest -> (!sum) {
        %x = arith.mulf %c, %c : !sum
        scf.yield %x : !sum
      } else {
        scf.yield %c : !sum
      } {cta.rest, note}
      scf.yield %e : !sum
    }
    %b = scf.for %j = %c0 to %ub step %c64 iter_args(%c = %a) -> (!sum) {
      %rest = arith.cmpi sge, %j, %bound : index
      %e = scf.if %rest -> (!sum) {
        %x = arith.mulf %c, %c : !sum
        scf.yield %x : !sum
      } else {
        scf.yield %c : !sum
      }
      scf.yield %e : !sum
    }
    %r = cta.ready %b : !sum
    %d = scf.for %j = %c0 to %ub step %c64 iter_args(%c = %r) -> (!async) {
      %rest = arith.cmpi sge, %j, %bound : index
      %t = cta.complete %c : !async
      %e = scf.if %rest -> (!sum) {
        %x = arith.mulf %t, %t : !sum
        scf.yield %x : !sum
      } else {
        scf.yield %t : !sum
      } {cta.rest, note}
      %n = cta.ready %e : !sum
      scf.yield %n : !async
    }
    %last = cta.complete %d : !async
    cta.store %last, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}
