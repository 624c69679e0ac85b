// RUN: tile-opt %s --split-input-file --cta-overlap-epilogue --cta-verify | FileCheck %s

// Two parts, the second of which has what follows the last store. The coordinates of a part are computed again, from the number of the last point.
// CHECK-LABEL: tile.kernel @parts
// CHECK:       %[[CH:.+]] = cta.channel
// CHECK:       %[[MORE:.+]] = arith.addi %[[N:.+]], %[[STEP:.+]] : i32
// CHECK-NEXT:  %[[ANY:.+]] = arith.cmpi slt, %[[ID:.+]], %[[N]] : i32
// CHECK-NEXT:  %[[END:.+]] = arith.select %[[ANY]], %[[MORE]], %[[N]] : i32
// CHECK-NEXT:  %[[INIT:.+]] = arith.constant dense<0.0
// CHECK-NEXT:  scf.for %[[T:.+]] = %[[ID]] to %[[END]] step %[[STEP]] iter_args(%[[LAST:.+]] = %[[INIT]]) -> (tensor<64x64xf32, #wgmma_acc>) : i32 {
// CHECK-NEXT:    %[[RUNS:.+]] = arith.cmpi slt, %[[T]], %[[N]] : i32
// CHECK-NEXT:    %[[POINT:.+]] = arith.select %[[RUNS]], %[[T]], %[[ID]] : i32
// CHECK-NEXT:    %[[I:.+]] = arith.index_cast %[[POINT]] : i32 to index
// CHECK-NEXT:    %[[ZERO:.+]] = arith.constant dense<0.0
// CHECK-NEXT:    %[[K:.+]] = arith.select %[[RUNS]], %n, %[[C0:.+]] : index
// CHECK:         %[[HAS:.+]] = arith.cmpi ne, %[[T]], %[[ID]] : i32
// CHECK-NEXT:    %[[NONE:.+]] = arith.cmpi eq, %[[T]], %[[ID]] : i32
// CHECK-NEXT:    %[[LEN:.+]] = arith.subi %[[K]], %[[C0]] : index
// CHECK:         %[[FEW:.+]] = arith.cmpi sle, %[[LEN]], %[[C64:.+]] : index
// CHECK-NEXT:    %[[APART:.+]] = arith.ori %[[NONE]], %[[FEW]] : i1
// CHECK-NEXT:    %[[ACC:.+]] = scf.if %[[APART]] -> (tensor<64x64xf32, #wgmma_acc>) {
// CHECK-NEXT:      scf.if %[[HAS]] {
// CHECK-NEXT:        %[[BEFORE:.+]] = arith.subi %[[T]], %[[STEP]] : i32
// CHECK-NEXT:        %[[L0:.+]] = cta.slice %[[LAST]] offsets = [0, 0]
// CHECK-NEXT:        %[[I0:.+]] = arith.index_cast %[[BEFORE]]
// CHECK-NEXT:        cta.store %[[L0]], %C[%[[I0]],
// CHECK-NEXT:        %[[L1:.+]] = cta.slice %[[LAST]] offsets = [0, 32]
// CHECK-NEXT:        cta.store %[[L1]], %C[%[[I0]],
// CHECK-NEXT:        cta.load %C
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[R0:.+]] = scf.for %{{.+}} = %[[C0]] to %[[K]] step %{{.+}} iter_args(%{{.+}} = %[[ZERO]])
// CHECK:             cta.wgmma {{.*}} -> tensor
// CHECK:           scf.yield %[[R0]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[BEFORE:.+]] = arith.subi %[[T]], %[[STEP]] : i32
// CHECK:           %[[P0:.+]] = cta.acquire %[[CH]]
// CHECK-NEXT:      %[[A0:.+]] = cta.copy %A[%[[I]], %[[C0]]]
// CHECK-NEXT:      cta.commit %[[CH]], %[[P0]] (%[[A0]])
// CHECK-NEXT:      %[[Q0:.+]], %[[S0:.+]] = cta.wait %[[CH]]
// CHECK-NEXT:      %[[READY:.+]] = cta.ready %[[ZERO]]
// CHECK-NEXT:      %[[D0:.+]] = cta.wgmma %[[S0]], %[[S0]], %[[READY]] : {{.*}} -> !cta.async
// CHECK-NEXT:      cta.slice %[[LAST]] offsets = [0, 0]
// CHECK-NEXT:      %[[I0:.+]] = arith.index_cast %[[BEFORE]]
// CHECK-NEXT:      cta.store %{{.+}}, %C[%[[I0]],
// CHECK-NEXT:      %[[E0:.+]] = cta.complete %[[D0]]
// CHECK-NEXT:      cta.release %[[CH]], %[[Q0]]
// CHECK:           cta.copy %A[%[[I]], %{{.+}}]
// CHECK:           %[[Q1:.+]], %[[S1:.+]] = cta.wait %[[CH]]
// CHECK-NEXT:      %[[READY:.+]] = cta.ready %[[E0]]
// CHECK-NEXT:      %[[D1:.+]] = cta.wgmma %[[S1]], %[[S1]], %[[READY]] : {{.*}} -> !cta.async
// CHECK-NEXT:      cta.slice %[[LAST]] offsets = [0, 32]
// CHECK-NEXT:      cta.store %{{.+}}, %C[%[[I0]],
// CHECK-NEXT:      cta.load %C
// CHECK-NEXT:      %[[E1:.+]] = cta.complete %[[D1]]
// CHECK-NEXT:      cta.release %[[CH]], %[[Q1]]
// CHECK:           %[[R1:.+]] = scf.for %{{.+}} = %[[C128:.+]] to %[[K]] step %{{.+}} iter_args(%{{.+}} = %[[E1]])
// CHECK:             cta.wgmma {{.*}} -> tensor
// CHECK:           scf.yield %[[R1]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[R:.+]] = cta.ready %[[ACC]]
// CHECK-NEXT:    %[[KEPT:.+]] = cta.complete %[[R]]
// CHECK-NEXT:    scf.yield %[[KEPT]]
// CHECK-NEXT:  } {tile.disjoint}
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!half = tensor<64x32xf32, #acc>
!ch = !cta.channel<2, !tile>
tile.kernel @parts(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @parts_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      %zero = arith.constant dense<0.0> : !sum
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
      %left = cta.slice %r offsets = [0, 0] : !sum -> !half
      cta.store %left, %C[%i, %c0] : !half -> memref<?x?xf32>
      %right = cta.slice %r offsets = [0, 32] : !sum -> !half
      cta.store %right, %C[%i, %c32] : !half -> memref<?x?xf32>
      %odd = cta.load %C[%i, %i] : memref<?x?xf32> -> !half
    } {tile.disjoint}
  }
  tile.return
}

// -----

// What was loaded before the loop is loaded in an iteration of its own, in front of the parts, so that its latency hides, too. The slot that is read before the loop
// over products is released by its own point. The loop has a constant number of iterations.
// CHECK-LABEL: tile.kernel @ahead
// CHECK:       %[[CH:.+]] = cta.channel
// CHECK:       %[[ONCE:.+]] = cta.channel
// CHECK:       scf.for %{{.+}} iter_args(%[[LAST:.+]] = %{{.+}})
// CHECK:         cta.commit %[[ONCE]]
// CHECK-NEXT:    %[[CREDIT:.+]], %[[OWN:.+]] = cta.wait %[[ONCE]]
// CHECK:         %[[ACC:.+]] = scf.if
// CHECK:           scf.if
// CHECK:             cta.load %bias
// CHECK:             cta.store
// CHECK:           scf.for
// CHECK:         } else {
// CHECK:           %[[D0:.+]] = cta.wgmma %[[OWN]], %{{.+}} -> !cta.async
// CHECK-NOT:       cta.complete
// CHECK:           %[[BIAS:.+]] = cta.load %bias
// CHECK-NOT:       cta.broadcast
// CHECK:           cta.complete %[[D0]]
// CHECK:           %[[D1:.+]] = cta.wgmma %[[OWN]], %{{.+}} -> !cta.async
// CHECK-NOT:       cta.load
// CHECK-NOT:       cta.complete
// CHECK:           %[[WIDE:.+]] = arith.extf %[[BIAS]]
// CHECK-NEXT:      %[[ROWS:.+]] = cta.broadcast %[[WIDE]]
// CHECK-NEXT:      %[[SUM:.+]] = arith.addf %[[LAST]], %[[ROWS]]
// CHECK:           cta.store %[[SUM]]
// CHECK-NEXT:      cta.complete %[[D1]]
// CHECK:           %[[R:.+]] = scf.for
// CHECK:           scf.yield %[[R]]
// CHECK-NEXT:    }
// CHECK-NEXT:    cta.release %[[ONCE]], %[[CREDIT]]
// CHECK-NEXT:    cta.ready %[[ACC]]
// CHECK-NEXT:    cta.complete
// CHECK-NEXT:    scf.yield
#acc = #cta.frag<wgmma_acc, wg = 1>
#col = #cta.frag<regs = [[1]], lanes = [[2], [4], [0], [0], [0]], warps = [[0], [0]]>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!row = tensor<64xbf16, #col>
!row32 = tensor<64xf32, #col>
!ch = !cta.channel<2, !tile>
!once = !cta.channel<1, !tile>
tile.kernel @ahead(%A: memref<?x?xbf16>, %bias: memref<?xbf16>, %C: memref<?x?xf32>, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @ahead_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %once = cta.channel : !once
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      %zero = arith.constant dense<0.0> : !sum
      %row = cta.load %bias[%i] : memref<?xbf16> -> !row
      %op = cta.acquire %once : !once
      %own = cta.copy %A[%i, %i] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %once, %op (%own) : !once
      %oq, %mine = cta.wait %once : !once
      %r = scf.for %k = %c0 to %c512 step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %mine, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
      cta.release %once, %oq : !once
      %wide = arith.extf %row : !row to !row32
      %rows = cta.broadcast %wide dims = [1] : !row32 -> !sum
      %sum = arith.addf %r, %rows : !sum
      cta.store %sum, %C[%i, %c0] : !sum -> memref<?x?xf32>
    } {tile.disjoint}
  }
  tile.return
}

// -----

// Nothing asks for it.
// CHECK-LABEL: tile.kernel @unasked
// CHECK-NOT:   iter_args(%{{.+}} = %{{.+}}) -> (tensor<64x64xf32, #wgmma_acc>) : i32
// CHECK-NOT:   scf.if
// CHECK-NOT:   cta.complete
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile>
tile.kernel @unasked(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 0>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @unasked_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      %zero = arith.constant dense<0.0> : !sum
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
      cta.store %r, %C[%i, %c0] : !sum -> memref<?x?xf32>
    } {tile.disjoint}
  }
  tile.return
}

// -----

// A launch that has no products hides nothing and is left alone.
// CHECK-LABEL: tile.kernel @copies
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{.+}} : i32 {
// CHECK-NEXT:      arith.index_cast
// CHECK-NEXT:      cta.load
// CHECK-NEXT:      cta.store
// CHECK-NEXT:    } {tile.disjoint}
#col = #cta.frag<regs = [[1]], lanes = [[2], [4], [8], [16], [32]], warps = [[0], [0]], wg = 1>
tile.kernel @copies(%A: memref<?xbf16>, %C: memref<?xbf16>, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @copies_0 blocks(%blocks) {
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      %x = cta.load %A[%i] : memref<?xbf16> -> tensor<64xbf16, #col>
      cta.store %x, %C[%i] : tensor<64xbf16, #col> -> memref<?xbf16>
    } {tile.disjoint}
  }
  tile.return
}

// -----

// overlap = 2: the products of two iterations are in flight beside a part, the second adding to the first; their slots go back when both are complete. Two
// iterations are written out, so that more than one must be left.
// CHECK-LABEL: tile.kernel @two
// CHECK:         arith.cmpi sle, %{{.+}}, %[[STEP:.+]] : index
// CHECK:         } else {
// CHECK:           %[[Q0:.+]], %[[S0:.+]] = cta.wait
// CHECK-NEXT:      %[[READY:.+]] = cta.ready
// CHECK-NEXT:      %[[D0:.+]] = cta.wgmma %[[S0]], %[[S0]], %[[READY]] : {{.*}} -> !cta.async
// CHECK:           %[[Q1:.+]], %[[S1:.+]] = cta.wait
// CHECK-NEXT:      %[[D1:.+]] = cta.wgmma %[[S1]], %[[S1]], %[[D0]] : {{.*}} -> !cta.async
// CHECK:           cta.store
// CHECK-NEXT:      %[[E:.+]] = cta.complete %[[D1]]
// CHECK-NEXT:      cta.release %{{.+}}, %[[Q0]]
// CHECK-NEXT:      cta.release %{{.+}}, %[[Q1]]
// CHECK:           scf.for {{.*}} iter_args(%{{.+}} = %[[E]])
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile>
tile.kernel @two(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 2>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @two_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      %zero = arith.constant dense<0.0> : !sum
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
      cta.store %r, %C[%i, %c0] : !sum -> memref<?x?xf32>
    } {tile.disjoint}
  }
  tile.return
}
