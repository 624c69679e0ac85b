// As cluster-ring.mlir, but with clusters for the remaining row of an odd number of rows: they have columns next to each other and that row, and come
// last. Such a cluster shares the tile of A and each block has one of B; in other clusters it is the other way round. Written by hand;
// cluster_mutations.py changes it.
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
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = arith.ceildivsi %M, %c128 : index
  %pairs = arith.divui %rows, %c2 : index
  %left = arith.remui %rows, %c2 : index
  %last = arith.muli %pairs, %c2 : index
  %columns = arith.ceildivsi %N, %c128 : index
  %across = arith.ceildivsi %columns, %c2 : index
  %numFull = arith.muli %pairs, %columns : index
  %rest = arith.muli %left, %across : index
  %points = arith.addi %numFull, %rest : index
  %cores = tile.num_cores : index
  %fit = arith.divsi %cores, %c2 : index
  %clusters = arith.minsi %points, %fit : index
  %ctas = arith.muli %clusters, %c2 : index
  cta.launch @gemm_0 blocks(%ctas) attributes {cluster = 2, threads = 288, shared = 131120, mbarriers = array<i64: 1, 1, 1, 4, 4, 4>} {
    %ra = cta.ring {offset = 0} : !cta.ring<3, !tile>
    %rb = cta.ring {offset = 49152} : !cta.ring<3, !tileB>
    %id = cta.block_id : index
    %n = cta.num_blocks : index
    %cluster = arith.divui %id, %c2 : index
    %rank = arith.remui %id, %c2 : index
    %step = arith.divui %n, %c2 : index
    cta.role @math warps(8) {
      %zero = arith.constant dense<0.0> : !sum
      %s0 = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %depth = arith.constant 3 : i32
      %end:2 = scf.for %t = %cluster to %points step %step iter_args(%slot = %s0, %phase = %s0) -> (i32, i32) {
        %full = arith.cmpi ult, %t, %numFull : index
        %pair = arith.divui %t, %columns : index
        %column = arith.remui %t, %columns : index
        %above = arith.muli %pair, %c2 : index
        %row = arith.addi %above, %rank : index
        %behind = arith.subi %t, %numFull : index
        %before = arith.muli %behind, %c2 : index
        %beside = arith.addi %before, %rank : index
        %y = arith.select %full, %row, %last : index
        %x = arith.select %full, %column, %beside : index
        %i = arith.muli %y, %c128 : index
        %j = arith.muli %x, %c128 : index
        %sums:3 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero, %s = %slot, %p = %phase) -> (!sum, i32, i32) {
          cta.await 0[%s] parity %p
          %a = cta.slot %ra[%s] : !cta.ring<3, !tile>
          %b = cta.slot %rb[%s] : !cta.ring<3, !tileB>
          %d = cta.wgmma %a, %b, %c : !tile, !tileB -> !sum
          cta.arrive 3[%s] {cluster = 2}
          %s1 = arith.addi %s, %one : i32
          %wraps = arith.cmpi eq, %s1, %depth : i32
          %flip = arith.extui %wraps : i1 to i32
          %next = arith.select %wraps, %s0, %s1 : i32
          %parity = arith.xori %p, %flip : i32
          scf.yield %d, %next, %parity : !sum, i32, i32
        }
        %o = arith.truncf %sums#0 : !sum to tensor<128x128xbf16, #acc>
        cta.await_stores read
        cta.barrier warpgroup
        %st = cta.stage %o {offset = 98304} : tensor<128x128xbf16, #acc> -> !out
        cta.fence_async
        cta.barrier warpgroup
        cta.copy_out %st, %C[%i, %j] {mechanism = #tma, per_warpgroup} : !out -> memref<?x?xbf16>
        scf.yield %sums#1, %sums#2 : i32, i32
      }
      cta.await_stores read
    }
    cta.role @producer warps(1) {
      cta.elect {
        %s0 = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %depth = arith.constant 3 : i32
        %end:2 = scf.for %t = %cluster to %points step %step iter_args(%slot = %s0, %phase = %s0) -> (i32, i32) {
          %full = arith.cmpi ult, %t, %numFull : index
          %pair = arith.divui %t, %columns : index
          %column = arith.remui %t, %columns : index
          %above = arith.muli %pair, %c2 : index
          %row = arith.addi %above, %rank : index
          %behind = arith.subi %t, %numFull : index
          %before = arith.muli %behind, %c2 : index
          %beside = arith.addi %before, %rank : index
          %y = arith.select %full, %row, %last : index
          %x = arith.select %full, %column, %beside : index
          %i = arith.muli %y, %c128 : index
          %j = arith.muli %x, %c128 : index
          %true = arith.constant true
          %others = arith.xori %full, %true : i1
          %at:2 = scf.for %k = %c0 to %K step %c64 iter_args(%s = %slot, %p = %phase) -> (i32, i32) {
            %free = arith.xori %p, %one : i32
            cta.await 3[%s] parity %free
            cta.expect 0[%s] bytes = 32768
            %ta = cta.slot %ra[%s] : !cta.ring<3, !tile>
            %a = cta.copy %A[%i, %k] multicast_if = %others into %ta[%s] {mechanism = #tma, mbarrier = 0, multicast = 2} : memref<?x?xbf16> -> !tile
            %tb = cta.slot %rb[%s] : !cta.ring<3, !tileB>
            %b = cta.copy %B[%k, %j] multicast_if = %full into %tb[%s] {mechanism = #tma, mbarrier = 0, multicast = 2} : memref<?x?xbf16> -> !tileB
            %s1 = arith.addi %s, %one : i32
            %wraps = arith.cmpi eq, %s1, %depth : i32
            %flip = arith.extui %wraps : i1 to i32
            %next = arith.select %wraps, %s0, %s1 : i32
            %parity = arith.xori %p, %flip : i32
            scf.yield %next, %parity : i32, i32
          }
          scf.yield %at#0, %at#1 : i32, i32
        }
      }
    }
  }
  tile.return
}
