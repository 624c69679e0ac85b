// What the pipeline makes of a GEMM: persistent, a ring of three slots, a producer warp, two math warpgroups, the epilogue through shared
// memory. Written by hand; mutate.py changes it.
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
  %columns = arith.ceildivsi %N, %c128 : index
  %blocks = arith.muli %rows, %columns : index
  %ctas = arith.minsi %blocks, %c2 : index
  cta.launch @gemm_0 blocks(%ctas) attributes {threads = 288, shared = 131120, mbarriers = array<i64: 1, 1, 1, 2, 2, 2>} {
    %ra = cta.ring {offset = 0} : !cta.ring<3, !tile>
    %rb = cta.ring {offset = 49152} : !cta.ring<3, !tileB>
    %id = cta.block_id : index
    %n = cta.num_blocks : index
    cta.role @math warps(8) {
      %zero = arith.constant dense<0.0> : !sum
      %s0 = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %depth = arith.constant 3 : i32
      %end:2 = scf.for %t = %id to %blocks step %n iter_args(%slot = %s0, %phase = %s0) -> (i32, i32) {
        %row = arith.divui %t, %columns : index
        %column = arith.remui %t, %columns : index
        %i = arith.muli %row, %c128 : index
        %j = arith.muli %column, %c128 : index
        %x:3 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero, %s = %slot, %p = %phase) -> (!sum, i32, i32) {
          cta.await 0[%s] parity %p
          %a = cta.slot %ra[%s] : !cta.ring<3, !tile>
          %b = cta.slot %rb[%s] : !cta.ring<3, !tileB>
          %d = cta.wgmma %a, %b, %c : !tile, !tileB -> !sum
          cta.arrive 3[%s]
          %s1 = arith.addi %s, %one : i32
          %wraps = arith.cmpi eq, %s1, %depth : i32
          %flip = arith.extui %wraps : i1 to i32
          %next = arith.select %wraps, %s0, %s1 : i32
          %parity = arith.xori %p, %flip : i32
          scf.yield %d, %next, %parity : !sum, i32, i32
        }
        %o = arith.truncf %x#0 : !sum to tensor<128x128xbf16, #acc>
        cta.await_stores read
        cta.barrier warpgroup
        %st = cta.stage %o {offset = 98304} : tensor<128x128xbf16, #acc> -> !out
        cta.fence_async
        cta.barrier warpgroup
        cta.copy_out %st, %C[%i, %j] {mechanism = #tma, per_warpgroup} : !out -> memref<?x?xbf16>
        scf.yield %x#1, %x#2 : i32, i32
      }
      cta.await_stores read
    }
    cta.role @producer warps(1) {
      cta.elect {
        %s0 = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %depth = arith.constant 3 : i32
        %end:2 = scf.for %t = %id to %blocks step %n iter_args(%slot = %s0, %phase = %s0) -> (i32, i32) {
          %row = arith.divui %t, %columns : index
          %column = arith.remui %t, %columns : index
          %i = arith.muli %row, %c128 : index
          %j = arith.muli %column, %c128 : index
          %x:2 = scf.for %k = %c0 to %K step %c64 iter_args(%s = %slot, %p = %phase) -> (i32, i32) {
            %free = arith.xori %p, %one : i32
            cta.await 3[%s] parity %free
            cta.expect 0[%s] bytes = 32768
            %ta = cta.slot %ra[%s] : !cta.ring<3, !tile>
            %a = cta.copy %A[%i, %k] into %ta[%s] {mechanism = #tma, mbarrier = 0} : memref<?x?xbf16> -> !tile
            %tb = cta.slot %rb[%s] : !cta.ring<3, !tileB>
            %b = cta.copy %B[%k, %j] into %tb[%s] {mechanism = #tma, mbarrier = 0} : memref<?x?xbf16> -> !tileB
            %s1 = arith.addi %s, %one : i32
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
