// RUN: tile-opt %s --split-input-file --cta-overlap-epilogue --cta-verify | FileCheck %s

// Two parts, the second of which has what follows the last store. The coordinates of a part are computed again, from the number of the last point.
// One iteration more than there are points, unless there is none, with the sums of the point before. The last has no point, and no iterations over K.
// CHECK-LABEL: tile.kernel @parts
// CHECK:       %[[CH:.+]] = cta.channel
// CHECK-DAG:   %[[MORE:.+]] = arith.addi %[[N:.+]], %[[STEP:.+]] : i32
// CHECK-DAG:   %[[ANY:.+]] = arith.cmpi slt, %[[ID:.+]], %[[N]] : i32
// CHECK:       %[[END:.+]] = arith.select %[[ANY]], %[[MORE]], %[[N]] : i32
// CHECK:       scf.for %[[T:.+]] = %[[ID]] to %[[END]] step %[[STEP]] iter_args(%[[LAST:.+]] = %{{.+}}) -> (tensor<64x64xf32, #wgmma_acc>) : i32 {
// CHECK:         %[[RUNS:.+]] = arith.cmpi slt, %[[T]], %[[N]] : i32
// CHECK-DAG:     %[[POINT:.+]] = arith.select %[[RUNS]], %[[T]], %[[ID]] : i32
// CHECK-DAG:     %[[I:.+]] = arith.index_cast %[[POINT]] : i32 to index
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant dense<0.0
// CHECK-DAG:     %[[K:.+]] = arith.select %[[RUNS]], %n, %[[C0:.+]] : index
// CHECK-DAG:     %[[HAS:.+]] = arith.cmpi ne, %[[T]], %[[ID]] : i32
// CHECK-DAG:     %[[NONE:.+]] = arith.cmpi eq, %[[T]], %[[ID]] : i32
// CHECK-DAG:     %[[LEN:.+]] = arith.subi %[[K]], %[[C0]] : index
// CHECK-DAG:     %[[FEW:.+]] = arith.cmpi sle, %[[LEN]], %{{.+}} : index
// CHECK:         %[[APART:.+]] = arith.ori %[[NONE]], %[[FEW]] : i1

// The first point, or one with too few iterations: all parts of the last point, if there is one, then the whole loop.
// CHECK:         %[[ACC:.+]] = scf.if %[[APART]]
// CHECK:           scf.if %[[HAS]] {
// CHECK:             %[[BEFORE:.+]] = arith.subi %[[T]], %[[STEP]] : i32
// CHECK-DAG:         %[[L0:.+]] = cta.slice %[[LAST]] offsets = [0, 0]
// CHECK-DAG:         %[[I0:.+]] = arith.index_cast %[[BEFORE]]
// CHECK:             cta.store %[[L0]], %C[%[[I0]],
// CHECK:             %[[L1:.+]] = cta.slice %[[LAST]] offsets = [0, 32]
// CHECK:             cta.store %[[L1]], %C[%[[I0]],
// CHECK:             cta.load %C
// CHECK-NOT:       cta.store
// CHECK:           %[[R0:.+]] = scf.for %{{.+}} = %[[C0]] to %[[K]] step %{{.+}} iter_args(%{{.+}} = %[[ZERO]])
// CHECK:             cta.wgmma {{.*}} -> tensor
// CHECK:           scf.yield %[[R0]]

// Else each part is stored while the product of an iteration is in flight: no wait for it stands between issue and store, and its slot goes back behind it.
// CHECK:         } else {
// CHECK-DAG:       %[[BEFORE:.+]] = arith.subi %[[T]], %[[STEP]] : i32
// CHECK:           %[[A0:.+]] = cta.copy %A[%[[I]], %[[C0]]]
// CHECK:           cta.commit %[[CH]], %{{.+}} (%[[A0]])
// CHECK:           %[[Q0:.+]], %[[S0:.+]] = cta.wait %[[CH]]
// CHECK:           %[[READY:.+]] = cta.ready %[[ZERO]]
// CHECK:           %[[D0:.+]] = cta.wgmma %[[S0]], %[[S0]], %[[READY]] : {{.*}} -> !cta.async
// CHECK-NOT:       cta.complete
// CHECK-DAG:       %[[P0:.+]] = cta.slice %[[LAST]] offsets = [0, 0]
// CHECK-DAG:       %[[I1:.+]] = arith.index_cast %[[BEFORE]]
// CHECK:           cta.store %[[P0]], %C[%[[I1]],
// CHECK:           %[[E0:.+]] = cta.complete %[[D0]]
// CHECK:           cta.release %[[CH]], %[[Q0]]
// CHECK:           cta.copy %A[%[[I]], %{{.+}}]
// CHECK:           %[[Q1:.+]], %[[S1:.+]] = cta.wait %[[CH]]
// CHECK:           %[[READY:.+]] = cta.ready %[[E0]]
// CHECK:           %[[D1:.+]] = cta.wgmma %[[S1]], %[[S1]], %[[READY]] : {{.*}} -> !cta.async
// CHECK-NOT:       cta.complete
// CHECK:           %[[P1:.+]] = cta.slice %[[LAST]] offsets = [0, 32]
// CHECK:           cta.store %[[P1]], %C[%[[I1]],
// CHECK:           cta.load %C
// CHECK:           %[[E1:.+]] = cta.complete %[[D1]]
// CHECK:           cta.release %[[CH]], %[[Q1]]
// CHECK-NOT:       cta.store
// CHECK:           %[[R1:.+]] = scf.for %{{.+}} = %{{.+}} to %[[K]] step %{{.+}} iter_args(%{{.+}} = %[[E1]])
// CHECK:             cta.wgmma {{.*}} -> tensor
// CHECK:           scf.yield %[[R1]]
// CHECK:         %[[R:.+]] = cta.ready %[[ACC]]
// CHECK:         %[[KEPT:.+]] = cta.complete %[[R]]
// CHECK:         scf.yield %[[KEPT]]
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
    } {cta.output_tiles}
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
    } {cta.output_tiles}
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
    } {cta.output_tiles}
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
// CHECK-NEXT:    } {cta.output_tiles}
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
    } {cta.output_tiles}
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
    } {cta.output_tiles}
  }
  tile.return
}
