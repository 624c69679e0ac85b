// RUN: tile-opt %s --split-input-file --cta-defer-waits --cta-verify | FileCheck %s

// A product that needs no result of another one is issued behind the one before it, with all that fills its slot. The row of another slot, and what is little
// work with it, is read when the product has been waited for.
// CHECK-LABEL: tile.kernel @early
// CHECK:       scf.for
// CHECK:         %[[Q:.+]], %[[T:.+]]:2 = cta.wait %[[CH:.+]] :
// CHECK-NEXT:    %[[S:.+]] = cta.wgmma %[[T]]#0, %[[T]]#0 : {{.*}} -> !cta.async
// CHECK-NEXT:    %[[K:.+]] = arith.addi
// CHECK-NEXT:    %[[P1:.+]] = cta.acquire %[[OTHER:.+]] :
// CHECK-NEXT:    %[[A1:.+]] = cta.copy %A[%[[K]], %{{.+}}]
// CHECK-NEXT:    cta.commit %[[OTHER]], %[[P1]] (%[[A1]])
// CHECK-NEXT:    %[[Q1:.+]], %[[T1:.+]] = cta.wait %[[OTHER]] :
// CHECK-NEXT:    %[[D:.+]] = cta.wgmma %[[T1]], %[[T1]] : {{.*}} -> !cta.async
// CHECK-NEXT:    %[[SD:.+]] = cta.complete %[[S]]
// CHECK-NEXT:    %[[R:.+]] = cta.read %[[T]]#1
// CHECK-NEXT:    %[[N:.+]] = arith.negf %[[R]]
// CHECK-NEXT:    %[[X:.+]] = arith.addf %[[SD]], %[[N]]
// CHECK-NEXT:    %[[P:.+]] = math.exp2 %[[X]]
// CHECK-NEXT:    cta.release %[[CH]], %[[Q]] :
// CHECK-NEXT:    %[[DD:.+]] = cta.complete %[[D]]
// CHECK-NEXT:    cta.release %[[OTHER]], %[[Q1]] :
// CHECK-NEXT:    arith.mulf %[[P]], %[[DD]]
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!row = !cta.smem<64x64xf32, #cta.swizzle<linear>>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile, !row>
!other = !cta.channel<2, !tile>
tile.kernel @early(%A: memref<?x?xbf16>, %R: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @early_0 blocks(%n) {
    %ch = cta.channel : !ch
    %other = cta.channel : !other
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %n step %c64 {
      %p0 = cta.acquire %ch : !ch
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %r0 = cta.copy %R[%k, %c0] {mechanism = #tma} : memref<?x?xf32> -> !row
      cta.commit %ch, %p0 (%a0, %r0) : !ch
      %q, %t:2 = cta.wait %ch : !ch
      %s = cta.wgmma %t#0, %t#0 : !tile, !tile -> !sum
      %r = cta.read %t#1 : !row -> !sum
      %m = arith.negf %r : !sum
      %x = arith.addf %s, %m : !sum
      %p = math.exp2 %x : !sum
      cta.release %ch, %q : !ch
      %k1 = arith.addi %k, %c64 : index
      %p1 = cta.acquire %other : !other
      %a1 = cta.copy %A[%k1, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %other, %p1 (%a1) : !other
      %q1, %t1 = cta.wait %other : !other
      %d = cta.wgmma %t1, %t1 : !tile, !tile -> !sum
      cta.release %other, %q1 : !other
      %y = arith.mulf %p, %d : !sum
      cta.store %y, %C[%k, %c0] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// -----

// It stays where it is if it needs a slot of the channel that is given back on the way.
// CHECK-LABEL: tile.kernel @same
// CHECK:       scf.for
// CHECK:         %[[S:.+]] = cta.wgmma
// CHECK-NEXT:    %[[SD:.+]] = cta.complete %[[S]]
// CHECK-NEXT:    math.exp2 %[[SD]]
// CHECK-NEXT:    cta.release
// CHECK-NEXT:    cta.acquire
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile>
tile.kernel @same(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @same_0 blocks(%n) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %n step %c64 {
      %p0 = cta.acquire %ch : !ch
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p0 (%a0) : !ch
      %q, %t = cta.wait %ch : !ch
      %s = cta.wgmma %t, %t : !tile, !tile -> !sum
      %p = math.exp2 %s : !sum
      cta.release %ch, %q : !ch
      %p1 = cta.acquire %ch : !ch
      %a1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p1 (%a1) : !ch
      %q1, %t1 = cta.wait %ch : !ch
      %d = cta.wgmma %t1, %t1 : !tile, !tile -> !sum
      cta.release %ch, %q1 : !ch
      %y = arith.mulf %p, %d : !sum
      cta.store %y, %C[%k, %c0] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// -----

// A tile is staged for its product while others are in flight. Of those the last one is issued behind that product, because only the next iteration needs
// its result: it runs while the other result is added to memory. The slot that it reads is released at its end.
// CHECK-LABEL: tile.kernel @behind
// CHECK:       scf.for {{.*}} iter_args(%[[V:.+]] = %{{.+}}, %[[W:.+]] = %{{.+}})
// CHECK:         %[[Q:.+]], %[[T:.+]] = cta.wait %[[CH:.+]] :
// CHECK-NEXT:    %[[S:.+]] = cta.wgmma %[[T]], %[[T]] :
// CHECK-NEXT:    %[[SD:.+]] = cta.complete %[[S]]
// CHECK-NEXT:    %[[N:.+]] = arith.truncf %[[SD]]
// CHECK-NEXT:    %[[A:.+]] = cta.convert_layout %[[N]] {how = #cta.conversion<no_op>}
// CHECK-NEXT:    %[[VR:.+]] = cta.ready %[[V]]
// CHECK-NEXT:    %[[V1:.+]] = cta.wgmma %[[A]], %[[T]], %[[VR]]
// CHECK-NEXT:    %[[U:.+]] = cta.stage %[[N]]
// CHECK-NEXT:    %[[D:.+]] = cta.wgmma %[[U]], %[[U]] :
// CHECK-NEXT:    %[[WR:.+]] = cta.ready %[[W]]
// CHECK-NEXT:    %[[W1:.+]] = cta.wgmma %[[A]], %[[T]], %[[WR]]
// CHECK-NEXT:    %[[DD:.+]] = cta.complete %[[D]]
// CHECK-NEXT:    %[[VD:.+]] = cta.complete %[[V1]]
// CHECK-NEXT:    cta.atomic add %[[DD]]
// CHECK-NEXT:    %[[WD:.+]] = cta.complete %[[W1]]
// CHECK-NEXT:    cta.release %[[CH]], %[[Q]] :
// CHECK-NEXT:    scf.yield %[[VD]], %[[WD]]
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!half = tensor<64x64xbf16, #acc>
!a = tensor<64x64xbf16, #wa>
!ch = !cta.channel<2, !tile>
tile.kernel @behind(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @behind_0 blocks(%n) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %r:2 = scf.for %k = %c0 to %n step %c64 iter_args(%v = %zero, %w = %zero) -> (!sum, !sum) {
      %p0 = cta.acquire %ch : !ch
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p0 (%a0) : !ch
      %q, %t = cta.wait %ch : !ch
      %s = cta.wgmma %t, %t : !tile, !tile -> !sum
      %h = arith.truncf %s : !sum to !half
      %u = cta.stage %h : !half -> !tile
      %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : !half -> !a
      %v1 = cta.wgmma %a, %t, %v : !a, !tile -> !sum
      %w1 = cta.wgmma %a, %t, %w : !a, !tile -> !sum
      cta.release %ch, %q : !ch
      %d = cta.wgmma %u, %u : !tile, !tile -> !sum
      cta.atomic add %d, %C[%k, %c0] : !sum -> memref<?x?xf32>
      scf.yield %v1, %w1 : !sum, !sum
    }
    cta.store %r#0, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    cta.store %r#1, %C[%c64, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// A branch releases the slot of a row: the row is read before it.
// CHECK-LABEL: tile.kernel @released_in_a_branch
// CHECK:       scf.for
// CHECK:         cta.read
// CHECK:         scf.if
// CHECK:           cta.release
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!row = !cta.smem<64x64xf32, #cta.swizzle<linear>>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile, !tile>
!rows = !cta.channel<2, !row>
tile.kernel @released_in_a_branch(%A: memref<?x?xbf16>, %R: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @released_0 blocks(%n) {
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
      cta.release %ch, %q : !ch
      %qr, %rr = cta.wait %rows : !rows
      %e = cta.read %rr : !row -> !sum
      scf.if %b {
        cta.release %rows, %qr : !rows
      } else {
        cta.release %rows, %qr : !rows
      }
      %x = arith.addf %s, %v : !sum
      %y0 = arith.addf %d, %e : !sum
      %y = arith.addf %y0, %w : !sum
      scf.yield %x, %y : !sum, !sum
    }
    cta.store %r#0, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    cta.store %r#1, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}
