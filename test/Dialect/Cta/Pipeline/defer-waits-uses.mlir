// RUN: tile-opt %s --split-input-file --cta-defer-waits --cta-verify | FileCheck %s

// Two products with whose results the loop computes, and two that read from registers what it makes of them. The first two are issued together, and the
// first is waited for where its result is needed. The operand that is made of it alone is made when nothing is in flight, before the next operand. The
// last two are in flight together up to the end of the iteration, and the slot that they read is released then. Of the row in its other slot no product
// reads anything: it is released where it was.
// CHECK-LABEL: tile.kernel @uses
// CHECK:       scf.for {{.*}} iter_args(%[[V:.+]] = %{{.+}}, %[[W:.+]] = %{{.+}})
// CHECK:         %[[Q:.+]], %[[T:.+]]:2 = cta.wait %[[CH:.+]] :
// CHECK-NEXT:    %[[S:.+]] = cta.wgmma %[[T]]#0, %[[T]]#1 : {{.*}} -> !cta.async
// CHECK-NEXT:    %[[D:.+]] = cta.wgmma %[[T]]#1, %[[T]]#0 : {{.*}} -> !cta.async
// CHECK-NEXT:    %[[SD:.+]] = cta.complete %[[S]]
// CHECK-NEXT:    %[[P:.+]] = math.exp2 %[[SD]]
// CHECK-NEXT:    %[[QR:.+]], %[[R:.+]] = cta.wait %[[ROWS:.+]] :
// CHECK-NEXT:    %[[E:.+]] = cta.read %[[R]]
// CHECK-NEXT:    cta.release %[[ROWS]], %[[QR]]
// CHECK-NEXT:    %[[DD:.+]] = cta.complete %[[D]]
// CHECK-NEXT:    %[[PN:.+]] = arith.truncf %[[P]]
// CHECK-NEXT:    %[[PA:.+]] = cta.convert_layout %[[PN]] {how = #cta.conversion<no_op>}
// CHECK-NEXT:    arith.subf %[[DD]], %[[E]]
// CHECK-NEXT:    %[[DS:.+]] = arith.mulf
// CHECK-NEXT:    %[[DN:.+]] = arith.truncf %[[DS]]
// CHECK-NEXT:    %[[DA:.+]] = cta.convert_layout %[[DN]] {how = #cta.conversion<no_op>}
// CHECK-NEXT:    %[[VR:.+]] = cta.ready %[[V]]
// CHECK-NEXT:    %[[V1:.+]] = cta.wgmma %[[PA]], %[[T]]#0, %[[VR]] : {{.*}} -> !cta.async
// CHECK-NEXT:    %[[WR:.+]] = cta.ready %[[W]]
// CHECK-NEXT:    %[[W1:.+]] = cta.wgmma %[[DA]], %[[T]]#1, %[[WR]] : {{.*}} -> !cta.async
// CHECK-NEXT:    %[[W2:.+]] = cta.complete %[[W1]]
// CHECK-NEXT:    %[[V2:.+]] = cta.complete %[[V1]]
// CHECK-NEXT:    cta.release %[[CH]], %[[Q]] :
// CHECK-NEXT:    scf.yield %[[V2]], %[[W2]]
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!row = !cta.smem<64x64xf32, #cta.swizzle<linear>>
!sum = tensor<64x64xf32, #acc>
!half = tensor<64x64xbf16, #acc>
!a = tensor<64x64xbf16, #wa>
!ch = !cta.channel<2, !tile, !tile>
!rows = !cta.channel<2, !row>
tile.kernel @uses(%A: memref<?x?xbf16>, %R: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @uses_0 blocks(%n) {
    %ch = cta.channel : !ch
    %rows = cta.channel : !rows
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %r:2 = scf.for %k = %c0 to %n step %c64 iter_args(%v = %zero, %w = %zero) -> (!sum, !sum) {
      %p0 = cta.acquire %ch : !ch
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %a1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p0 (%a0, %a1) : !ch
      %p1 = cta.acquire %rows : !rows
      %a2 = cta.copy %R[%k, %c0] {mechanism = #tma} : memref<?x?xf32> -> !row
      cta.commit %rows, %p1 (%a2) : !rows
      %q, %t:2 = cta.wait %ch : !ch
      %s = cta.wgmma %t#0, %t#1 : !tile, !tile -> !sum
      %d = cta.wgmma %t#1, %t#0 : !tile, !tile -> !sum
      %p = math.exp2 %s : !sum
      %pn = arith.truncf %p : !sum to !half
      %q1, %x = cta.wait %rows : !rows
      %e = cta.read %x : !row -> !sum
      cta.release %rows, %q1 : !rows
      %pa = cta.convert_layout %pn {how = #cta.conversion<no_op>} : !half -> !a
      %above = arith.subf %d, %e : !sum
      %ds = arith.mulf %p, %above : !sum
      %dn = arith.truncf %ds : !sum to !half
      %da = cta.convert_layout %dn {how = #cta.conversion<no_op>} : !half -> !a
      %v1 = cta.wgmma %pa, %t#0, %v : !a, !tile -> !sum
      %w1 = cta.wgmma %da, %t#1, %w : !a, !tile -> !sum
      cta.release %ch, %q : !ch
      scf.yield %v1, %w1 : !sum, !sum
    }
    cta.store %r#0, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    cta.store %r#1, %C[%c64, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// The operand of the second product is made while the first is in flight, which reads its own from registers: the first is waited for before. If the operand
// has other uses, that is where it is made.
// CHECK-LABEL: tile.kernel @operands
// CHECK:       %[[S:.+]] = cta.wgmma %[[X:.+]], %[[T:.+]] : {{.*}} -> !cta.async
// CHECK-NEXT:  %[[E:.+]] = math.exp2
// CHECK-NEXT:  %[[SD:.+]] = cta.complete %[[S]]
// CHECK-NEXT:  %[[Y:.+]] = arith.truncf %[[E]]
// CHECK-NEXT:  %[[D:.+]] = cta.wgmma %[[Y]], %[[T]] : {{.*}} -> !cta.async
// CHECK-NEXT:  %[[F:.+]] = math.exp2 %[[E]]
// CHECK-NEXT:  %[[DD:.+]] = cta.complete %[[D]]
// CHECK-NEXT:  %[[Z:.+]] = arith.truncf %[[F]]
// CHECK-NEXT:  cta.store %[[Z]]
// CHECK-NEXT:  %[[G:.+]] = cta.wgmma %[[Z]], %[[T]] : {{.*}} -> !cta.async
// CHECK-NEXT:  %[[H:.+]] = arith.addf %[[SD]], %[[DD]]
// CHECK-NEXT:  %[[GD:.+]] = cta.complete %[[G]]
// CHECK-NEXT:  arith.addf %[[H]], %[[GD]]
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!wide = tensor<64x64xf32, #wa>
!a = tensor<64x64xbf16, #wa>
tile.kernel @operands(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @operands_0 blocks(%n) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %y = cta.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16, #acc>
    %t = cta.stage %y : tensor<64x64xbf16, #acc> -> !tile
    scf.for %k = %c0 to %n step %c64 {
      %x = cta.load %A[%k, %c0] : memref<?x?xbf16> -> !a
      %i = cta.load %C[%k, %c0] : memref<?x?xf32> -> !wide
      %s = cta.wgmma %x, %t : !a, !tile -> !sum
      %e = math.exp2 %i : !wide
      %en = arith.truncf %e : !wide to !a
      %d = cta.wgmma %en, %t : !a, !tile -> !sum
      %f = math.exp2 %e : !wide
      %fn = arith.truncf %f : !wide to !a
      cta.store %fn, %A[%k, %c0] : !a -> memref<?x?xbf16>
      %g = cta.wgmma %fn, %t : !a, !tile -> !sum
      %sd = arith.addf %s, %d : !sum
      %sdg = arith.addf %sd, %g : !sum
      cta.store %sdg, %C[%k, %c0] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// -----

// A product that reads a staged tile is waited for before the next tile is staged, which may have the same bytes. Atomics and branches do not wait for
// products; a branch with a product does.
// CHECK-LABEL: tile.kernel @staged
// CHECK:       scf.for
// CHECK:         %[[U:.+]] = cta.stage
// CHECK-NEXT:    %[[S:.+]] = cta.wgmma %[[U]], %[[U]] : {{.*}} -> !cta.async
// CHECK-NEXT:    %[[SD:.+]] = cta.complete %[[S]]
// CHECK-NEXT:    %[[W:.+]] = cta.stage
// CHECK-NEXT:    %[[D:.+]] = cta.wgmma %[[W]], %[[W]] : {{.*}} -> !cta.async
// CHECK-NEXT:    cta.atomic add %[[SD]]
// CHECK-NEXT:    scf.if
// CHECK:         }
// CHECK-NEXT:    %[[DD:.+]] = cta.complete %[[D]]
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      cta.wgmma {{.*}} -> tensor
// CHECK:         cta.store %[[DD]]
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!half = tensor<64x64xbf16, #acc>
!sum = tensor<64x64xf32, #acc>
tile.kernel @staged(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @staged_0 blocks(%n) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %n step %c64 {
      %x = cta.load %A[%k, %c0] : memref<?x?xbf16> -> !half
      %u = cta.stage %x : !half -> !tile
      %s = cta.wgmma %u, %u : !tile, !tile -> !sum
      %w = cta.stage %x : !half -> !tile
      %d = cta.wgmma %w, %w : !tile, !tile -> !sum
      cta.atomic add %s, %C[%k, %c0] : !sum -> memref<?x?xf32>
      scf.if %b {
        cta.store %x, %A[%k, %c64] : !half -> memref<?x?xbf16>
      }
      scf.if %b {
        %i = cta.wgmma %w, %w : !tile, !tile -> !sum
        cta.store %i, %C[%k, %c0] : !sum -> memref<?x?xf32>
      }
      cta.store %d, %C[%k, %c64] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// -----

// The second slot of the channel in an iteration may be filled only when the first has been released, for which the product that reads it must have retired.
// CHECK-LABEL: tile.kernel @again
// CHECK:       scf.for
// CHECK:         %[[Q:.+]], %[[T:.+]] = cta.wait %[[CH:.+]] :
// CHECK-NEXT:    %[[S:.+]] = cta.wgmma %[[T]], %[[T]] : {{.*}} -> !cta.async
// CHECK-NEXT:    %[[SD:.+]] = cta.complete %[[S]]
// CHECK-NEXT:    cta.release %[[CH]], %[[Q]] :
// CHECK-NEXT:    cta.acquire %[[CH]]
// CHECK:         %[[Q1:.+]], %[[T1:.+]] = cta.wait %[[CH]] :
// CHECK-NEXT:    %[[D:.+]] = cta.wgmma %[[T1]], %[[T1]] : {{.*}} -> !cta.async
// CHECK-NEXT:    cta.store %[[SD]]
// CHECK-NEXT:    %[[DD:.+]] = cta.complete %[[D]]
// CHECK-NEXT:    cta.release %[[CH]], %[[Q1]] :
// CHECK-NEXT:    cta.store %[[DD]]
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<1, !tile>
tile.kernel @again(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @again_0 blocks(%n) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %n step %c64 {
      %p = cta.acquire %ch : !ch
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %q, %t = cta.wait %ch : !ch
      %s = cta.wgmma %t, %t : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
      %p1 = cta.acquire %ch : !ch
      %a1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p1 (%a1) : !ch
      %q1, %t1 = cta.wait %ch : !ch
      %d = cta.wgmma %t1, %t1 : !tile, !tile -> !sum
      cta.release %ch, %q1 : !ch
      cta.store %s, %C[%k, %c0] : !sum -> memref<?x?xf32>
      cta.store %d, %C[%k, %c64] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// -----

// Nothing is gained: the second product needs the result of the first, and the loop computes with the second one's nowhere. Nor does a loop with one
// product change, whatever comes before its result is needed.
// CHECK-LABEL: tile.kernel @chained
// CHECK-NOT:   cta.async
// CHECK-LABEL: tile.kernel @single
// CHECK-NOT:   cta.async
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!half = tensor<64x64xbf16, #acc>
!a = tensor<64x64xbf16, #wa>
!sum = tensor<64x64xf32, #acc>
tile.kernel @chained(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @chained_0 blocks(%n) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %A[%c0, %c0] : memref<?x?xbf16> -> !half
    %t = cta.stage %x : !half -> !tile
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%o = %zero) -> (!sum) {
      %s = cta.wgmma %t, %t : !tile, !tile -> !sum
      %b = cta.load %C[%k, %c0] : memref<?x?xf32> -> !sum
      %y = arith.addf %s, %b : !sum
      %p = math.exp2 %y : !sum
      %pn = arith.truncf %p : !sum to !half
      %pa = cta.convert_layout %pn {how = #cta.conversion<no_op>} : !half -> !a
      %o1 = cta.wgmma %pa, %t, %o : !a, !tile -> !sum
      scf.yield %o1 : !sum
    }
    cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @single(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @single_0 blocks(%n) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %x = cta.load %A[%c0, %c0] : memref<?x?xbf16> -> !half
    %t = cta.stage %x : !half -> !tile
    scf.for %k = %c0 to %n step %c64 {
      %s = cta.wgmma %t, %t : !tile, !tile -> !sum
      %b = cta.load %C[%k, %c0] : memref<?x?xf32> -> !sum
      %p = math.exp2 %b : !sum
      %y = arith.addf %s, %p : !sum
      cta.store %y, %C[%k, %c0] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// -----

// Accumulators of the iteration before are read when nothing is in flight, for ptxas would wait then. Other tiles that the loop carries are not.
// CHECK-LABEL: tile.kernel @carried_sums
// CHECK:       scf.for {{.*}} iter_args(%[[Z:.+]] = %{{.+}}, %[[M:.+]] = %{{.+}})
// CHECK:         %[[S:.+]] = cta.wgmma {{.*}} -> !cta.async
// CHECK-NEXT:    %[[D:.+]] = cta.wgmma {{.*}} -> !cta.async
// CHECK-NEXT:    %[[E:.+]] = math.exp2 %[[M]]
// CHECK-NEXT:    %[[DD:.+]] = cta.complete %[[D]]
// CHECK-NEXT:    %[[SD:.+]] = cta.complete %[[S]]
// CHECK-NEXT:    %[[OLD:.+]] = arith.mulf %[[Z]], %[[E]]
// CHECK:         cta.wgmma
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile, !tile>
tile.kernel @carried_sums(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @carried_sums_0 blocks(%n) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %r:2 = scf.for %k = %c0 to %n step %c64 iter_args(%z = %zero, %m = %zero) -> (!sum, !sum) {
      %p0 = cta.acquire %ch : !ch
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %a1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p0 (%a0, %a1) : !ch
      %q, %t:2 = cta.wait %ch : !ch
      %s = cta.wgmma %t#0, %t#1 : !tile, !tile -> !sum
      %d = cta.wgmma %t#1, %t#0 : !tile, !tile -> !sum
      %e = math.exp2 %m : !sum
      %old = arith.mulf %z, %e : !sum
      %both = arith.addf %s, %d : !sum
      %next = cta.wgmma %t#0, %t#1, %old : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
      scf.yield %next, %both : !sum, !sum
    }
    cta.store %r#0, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Reads in a branch count as well.
// CHECK-LABEL: tile.kernel @read_in_branch
// CHECK:         [[D:%.+]] = cta.wgmma %values#1
// CHECK-NEXT:    cta.complete [[D]]
// CHECK-NEXT:    cta.complete
// CHECK-NEXT:    scf.if
// CHECK-NEXT:    cta.store
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile, !tile>
tile.kernel @read_in_branch(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @read_in_branch_0 blocks(%n) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %r:2 = scf.for %k = %c0 to %n step %c64 iter_args(%z = %zero, %m = %zero) -> (!sum, !sum) {
      %p0 = cta.acquire %ch : !ch
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %a1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p0 (%a0, %a1) : !ch
      %q, %t:2 = cta.wait %ch : !ch
      %s = cta.wgmma %t#0, %t#1 : !tile, !tile -> !sum
      %d = cta.wgmma %t#1, %t#0 : !tile, !tile -> !sum
      scf.if %b {
        cta.store %z, %C[%k, %c0] : !sum -> memref<?x?xf32>
      }
      %both = arith.addf %s, %d : !sum
      %next = cta.wgmma %t#0, %t#1, %z : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
      scf.yield %next, %both : !sum, !sum
    }
    cta.store %r#0, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// What the body of an scf.while gets is what its condition passes on.
// CHECK-LABEL: tile.kernel @carried_by_while
// CHECK:         [[D:%.+]] = cta.wgmma %values#1
// CHECK-NEXT:    cta.complete [[D]]
// CHECK-NEXT:    cta.complete
// CHECK-NEXT:    arith.mulf
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile, !tile>
tile.kernel @carried_by_while(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @carried_by_while_0 blocks(%n) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %r:3 = scf.while (%k = %c0, %z0 = %zero, %m0 = %zero) : (index, !sum, !sum) -> (index, !sum, !sum) {
      %more = arith.cmpi slt, %k, %n : index
      scf.condition(%more) %k, %z0, %m0 : index, !sum, !sum
    } do {
    ^bb0(%k : index, %z : !sum, %m : !sum):
      %p0 = cta.acquire %ch : !ch
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %a1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p0 (%a0, %a1) : !ch
      %q, %t:2 = cta.wait %ch : !ch
      %s = cta.wgmma %t#0, %t#1 : !tile, !tile -> !sum
      %d = cta.wgmma %t#1, %t#0 : !tile, !tile -> !sum
      %old = arith.mulf %z, %m : !sum
      %both = arith.addf %s, %d : !sum
      %next = cta.wgmma %t#0, %t#1, %old : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
      %k1 = arith.addi %k, %c64 : index
      scf.yield %k1, %next, %both : index, !sum, !sum
    }
    cta.store %r#1, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// A product whose accumulators are made of those of the iteration before is not issued before its place: that would wait for the other one at once.
// CHECK-LABEL: tile.kernel @not_hoisted
// CHECK:         [[S:%.+]] = cta.wgmma
// CHECK-NEXT:    math.exp2
// CHECK-NEXT:    math.exp2
// CHECK-NEXT:    math.exp2
// CHECK-NEXT:    cta.complete [[S]]
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    arith.mulf
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile, !tile>
tile.kernel @not_hoisted(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @not_hoisted_0 blocks(%n) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %r:2 = scf.for %k = %c0 to %n step %c64 iter_args(%z = %zero, %m = %zero) -> (!sum, !sum) {
      %p0 = cta.acquire %ch : !ch
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %a1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p0 (%a0, %a1) : !ch
      %q, %t:2 = cta.wait %ch : !ch
      %s = cta.wgmma %t#0, %t#1 : !tile, !tile -> !sum
      %e = math.exp2 %m : !sum
      %e1 = math.exp2 %e : !sum
      %e2 = math.exp2 %e1 : !sum
      %p = arith.addf %s, %e2 : !sum
      %old = arith.mulf %z, %zero : !sum
      %next = cta.wgmma %t#0, %t#1, %old : !tile, !tile -> !sum
      %u = math.exp2 %next : !sum
      %both = arith.addf %u, %p : !sum
      cta.release %ch, %q : !ch
      scf.yield %next, %both : !sum, !sum
    }
    cta.store %r#0, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}
