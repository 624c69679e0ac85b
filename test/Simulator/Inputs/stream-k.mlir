// A GEMM whose last wave is divided by iterations, as cta-stream-k does it (StreamK.cpp says how), in shares of at least two iterations. With %size =
// 2 and cluster = 2 it runs in clusters, each block fetching for itself. Written by hand; stream_k_mutations.py changes it.
#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<128x64xbf16, #sw>
!tileB = !cta.smem<64x128xbf16, #sw>
!out = !cta.smem<128x128xbf16, #sw>
!sum = tensor<128x128xf32, #acc>

tile.kernel @gemm(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                  %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %least = arith.constant 2 : index
  %size = arith.constant 1 : index
  %rows = arith.ceildivsi %M, %c128 : index
  %together = arith.ceildivsi %rows, %size : index
  %columns = arith.ceildivsi %N, %c128 : index
  %points = arith.muli %together, %columns : index
  %cores = tile.num_cores : index
  %units = arith.divui %cores, %size : index
  %ctas = arith.muli %units, %size : index

  // The division.
  %iterations = arith.ceildivsi %K, %c64 : index
  %whole = arith.divui %points, %units : index
  %first = arith.muli %whole, %units : index
  %rest = arith.subi %points, %first : index
  %all = arith.muli %rest, %iterations : index
  %wanted = arith.divui %all, %least : index
  %possible = arith.minsi %wanted, %units : index
  %parts = arith.maxsi %possible, %c1 : index
  %longest = arith.ceildivsi %all, %parts : index
  %spared = arith.subi %iterations, %longest : index
  %left = arith.cmpi sgt, %rest, %c0 : index
  %pays = arith.cmpi sge, %spared, %least : index
  %smaller = arith.cmpi sgt, %parts, %rest : index
  %may = arith.andi %pays, %smaller : i1
  %splits = arith.andi %may, %left : i1
  %trips = arith.select %splits, %iterations, %c1 : index
  %used = arith.select %splits, %parts, %rest : index
  %length = arith.divui %all, %parts : index
  %part = arith.select %splits, %length, %c1 : index
  %even = arith.muli %length, %parts : index
  %over = arith.subi %all, %even : index
  %more = arith.select %splits, %over, %c0 : index
  %sums = memref.alloc(%ctas) : memref<?x128x128xf32>
  %flags = memref.alloc(%ctas) {tile.init = 0 : i32, tile.restored} : memref<?x8xi32>
  cta.launch @gemm_0 blocks(%ctas) attributes {threads = 288, shared = 131120, mbarriers = array<i64: 1, 1, 1, 2, 2, 2>} {
    %ra = cta.ring {offset = 0} : !cta.ring<3, !tile>
    %rb = cta.ring {offset = 49152} : !cta.ring<3, !tileB>
    %id = cta.block_id : index
    %unit = arith.divui %id, %size : index
    %rank = arith.remui %id, %size : index

    // The share of this unit, and the unit with the rest of the output tile that the share begins.
    %against = arith.subi %units, %c1 : index
    %mine = arith.subi %against, %unit : index
    %before = arith.muli %mine, %part : index
    %longerBefore = arith.minsi %mine, %more : index
    %start = arith.addi %before, %longerBefore : index
    %isLonger = arith.cmpi slt, %mine, %more : index
    %one = arith.select %isLonger, %c1, %c0 : index
    %count = arith.addi %part, %one : index
    %at = arith.divui %start, %trips : index
    %offset = arith.remui %start, %trips : index
    %end = arith.addi %offset, %count : index
    %has = arith.cmpi slt, %mine, %used : index
    %beyond = arith.cmpi sgt, %end, %trips : index
    %hasTwo = arith.andi %has, %beyond : i1
    %n1 = arith.select %has, %c1, %c0 : index
    %n2 = arith.select %hasTwo, %c1, %c0 : index
    %itemsHere = arith.addi %whole, %n1 : index
    %items = arith.addi %itemsHere, %n2 : index
    %inside = arith.cmpi sgt, %offset, %c0 : index
    %next0 = arith.select %inside, %c1, %c0 : index
    %begun = arith.addi %at, %next0 : index
    %behindBegun = arith.addi %begun, %c1 : index
    %limit = arith.muli %behindBegun, %trips : index
    %final = arith.subi %limit, %c1 : index
    %longer = arith.addi %part, %c1 : index
    %border = arith.muli %more, %longer : index
    %isBefore = arith.cmpi slt, %final, %border : index
    %lastLonger = arith.divui %final, %longer : index
    %past0 = arith.maxsi %final, %border : index
    %past = arith.subi %past0, %border : index
    %atLeastOne = arith.maxsi %part, %c1 : index
    %lastPast = arith.divui %past, %atLeastOne : index
    %lastShorter = arith.addi %more, %lastPast : index
    %last = arith.select %isBefore, %lastLonger, %lastShorter : index
    %others = arith.subi %last, %mine : index
    cta.role @math warps(8) {
      %zero = arith.constant dense<0.0> : !sum
      %s0 = arith.constant 0 : i32
      %i1 = arith.constant 1 : i32
      %depth = arith.constant 3 : i32
      %done:2 = scf.for %item = %c0 to %items step %c1 iter_args(%slot = %s0, %phase = %s0) -> (i32, i32) {
        %alone = arith.cmpi ult, %item, %whole : index
        %isFirst = arith.cmpi eq, %item, %whole : index
        %round = arith.muli %units, %item : index
        %own = arith.addi %round, %unit : index
        %nth = arith.subi %item, %whole : index
        %left0 = arith.addi %first, %at : index
        %shared = arith.addi %left0, %nth : index
        %t = arith.select %alone, %own, %shared : index
        %f0 = arith.select %isFirst, %offset, %c0 : index
        %end2 = arith.subi %end, %trips : index
        %upto = arith.select %isFirst, %end, %end2 : index
        %ends = arith.cmpi sge, %upto, %trips : index
        %toEnd = arith.ori %alone, %ends : i1
        %from = arith.muli %f0, %c64 : index
        %stop = arith.muli %upto, %c64 : index
        %to = arith.select %toEnd, %K, %stop : index
        %row0 = arith.divui %t, %columns : index
        %column = arith.remui %t, %columns : index
        %above = arith.muli %row0, %size : index
        %row = arith.addi %above, %rank : index
        %i = arith.muli %row, %c128 : index
        %j = arith.muli %column, %c128 : index
        %x:3 = scf.for %k = %from to %to step %c64 iter_args(%c = %zero, %s = %slot, %p = %phase) -> (!sum, i32, i32) {
          cta.await 0[%s] parity %p
          %a = cta.slot %ra[%s] : !cta.ring<3, !tile>
          %b = cta.slot %rb[%s] : !cta.ring<3, !tileB>
          %d = cta.wgmma %a, %b, %c : !tile, !tileB -> !sum
          cta.arrive 3[%s]
          %s1 = arith.addi %s, %i1 : i32
          %wraps = arith.cmpi eq, %s1, %depth : i32
          %flip = arith.extui %wraps : i1 to i32
          %next = arith.select %wraps, %s0, %s1 : i32
          %parity = arith.xori %p, %flip : i32
          scf.yield %d, %next, %parity : !sum, i32, i32
        }
        %head = arith.cmpi eq, %f0, %c0 : index
        scf.if %head {
          %adds = arith.select %toEnd, %c0, %others : index
          %bound = arith.addi %adds, %c1 : index
          %y = scf.for %distance = %c1 to %bound step %c1 iter_args(%sum = %x#0) -> (!sum) {
            %by = arith.muli %distance, %size : index
            %other = arith.subi %id, %by : index
            %z = cta.add_partial %sum, %sums[%other], %flags : !sum, memref<?x128x128xf32>, memref<?x8xi32>
            scf.yield %z : !sum
          }
          %o = arith.truncf %y : !sum to tensor<128x128xbf16, #acc>
          cta.await_stores read
          cta.barrier warpgroup
          %st = cta.stage %o {offset = 98304} : tensor<128x128xbf16, #acc> -> !out
          cta.fence_async
          cta.barrier warpgroup
          cta.copy_out %st, %C[%i, %j] {mechanism = #tma, per_warpgroup} : !out -> memref<?x?xbf16>
        } else {
          cta.put_partial %x#0, %sums[%id], %flags : !sum, memref<?x128x128xf32>, memref<?x8xi32>
        }
        scf.yield %x#1, %x#2 : i32, i32
      }
      cta.await_stores read
    }
    cta.role @producer warps(1) {
      cta.elect {
        %s0 = arith.constant 0 : i32
        %i1 = arith.constant 1 : i32
        %depth = arith.constant 3 : i32
        %done:2 = scf.for %item = %c0 to %items step %c1 iter_args(%slot = %s0, %phase = %s0) -> (i32, i32) {
          %alone = arith.cmpi ult, %item, %whole : index
          %isFirst = arith.cmpi eq, %item, %whole : index
          %round = arith.muli %units, %item : index
          %own = arith.addi %round, %unit : index
          %nth = arith.subi %item, %whole : index
          %left0 = arith.addi %first, %at : index
          %shared = arith.addi %left0, %nth : index
          %t = arith.select %alone, %own, %shared : index
          %f0 = arith.select %isFirst, %offset, %c0 : index
          %end2 = arith.subi %end, %trips : index
          %upto = arith.select %isFirst, %end, %end2 : index
          %ends = arith.cmpi sge, %upto, %trips : index
          %toEnd = arith.ori %alone, %ends : i1
          %from = arith.muli %f0, %c64 : index
          %stop = arith.muli %upto, %c64 : index
          %to = arith.select %toEnd, %K, %stop : index
          %row0 = arith.divui %t, %columns : index
          %column = arith.remui %t, %columns : index
          %above = arith.muli %row0, %size : index
          %row = arith.addi %above, %rank : index
          %i = arith.muli %row, %c128 : index
          %j = arith.muli %column, %c128 : index
          %x:2 = scf.for %k = %from to %to step %c64 iter_args(%s = %slot, %p = %phase) -> (i32, i32) {
            %free = arith.xori %p, %i1 : i32
            cta.await 3[%s] parity %free
            cta.expect 0[%s] bytes = 32768
            %ta = cta.slot %ra[%s] : !cta.ring<3, !tile>
            %a = cta.copy %A[%i, %k] into %ta[%s] {mechanism = #tma, mbarrier = 0} : memref<?x?xbf16> -> !tile
            %tb = cta.slot %rb[%s] : !cta.ring<3, !tileB>
            %b = cta.copy %B[%k, %j] into %tb[%s] {mechanism = #tma, mbarrier = 0} : memref<?x?xbf16> -> !tileB
            %s1 = arith.addi %s, %i1 : i32
            %wraps = arith.cmpi eq, %s1, %depth : i32
            %flip = arith.extui %wraps : i1 to i32
            %next = arith.select %wraps, %s0, %s1 : i32
            %parity = arith.xori %p, %flip : i32
            scf.yield %next, %parity : i32, i32
          }
          scf.yield %x#0, %x#1 : i32, i32
        }
      }
    }
  }
  tile.return
}
