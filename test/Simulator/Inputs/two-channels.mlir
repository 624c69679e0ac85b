// Three channels of different depths: one that is refilled by the outer loop only, one whose products stay in flight, one that threads read
// (each warp arrives). Written by hand; mutate.py changes it.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#swk = #cta.swizzle<128, dim = 0>
#lin = #cta.swizzle<linear>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!k = !cta.smem<64x64xbf16, #swk>
!v = !cta.smem<64x64xf32, #lin>
!s = tensor<64x64xf32, #acc>

tile.kernel @scores(%Q: memref<?x?xbf16> {tile.shape = ["S", "D"]}, %K: memref<?x?xbf16> {tile.shape = ["T", "D"]},
                    %V: memref<?x?xf32> {tile.shape = ["T", "D"]}, %O: memref<?x?xf32> {tile.shape = ["S", "D"]})
    attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %tiles = arith.ceildivsi %S, %c64 : index
  %ctas = arith.minsi %tiles, %c2 : index
  // 0: Q full, 1: Q empty, 2 3: K full, 4 5: K empty, 6 7: V full, 8 9: V empty.
  cta.launch @scores_0 blocks(%ctas) attributes {threads = 160, shared = 73808, mbarriers = array<i64: 1, 4, 1, 1, 1, 1, 1, 1, 4, 4>} {
    %rq = cta.ring {offset = 0} : !cta.ring<1, !q>
    %rk = cta.ring {offset = 8192} : !cta.ring<2, !k>
    %rv = cta.ring {offset = 24576} : !cta.ring<2, !v>
    %id = cta.block_id : index
    %n = cta.num_blocks : index
    cta.role @math warps(4) {
      %zero = arith.constant dense<0.0> : !s
      %i0 = arith.constant 0 : i32
      %i1 = arith.constant 1 : i32
      %i2 = arith.constant 2 : i32
      %end:3 = scf.for %t = %id to %tiles step %n iter_args(%qphase = %i0, %slot = %i0, %phase = %i0) -> (i32, i32, i32) {
        %i = arith.muli %t, %c64 : index
        cta.await 0[%i0] parity %qphase
        %q = cta.slot %rq[%i0] : !cta.ring<1, !q>
        %x:3 = scf.for %k = %c0 to %T step %c64 iter_args(%c = %zero, %s = %slot, %p = %phase) -> (!s, i32, i32) {
          cta.await 2[%s] parity %p
          %kt = cta.slot %rk[%s] : !cta.ring<2, !k>
          %d = cta.wgmma %q, %kt : !q, !k -> !cta.async<!s>
          cta.await 6[%s] parity %p
          %vt = cta.slot %rv[%s] : !cta.ring<2, !v>
          %v = cta.read %vt : !v -> !s
          cta.fence_async
          cta.arrive 8[%s] per_warp
          %dw = cta.wgmma_wait(%d) pending = 0 : !cta.async<!s>
          %done = cta.complete %dw : !cta.async<!s>
          cta.arrive 4[%s]
          %e = arith.mulf %done, %v : !s
          %f = arith.addf %e, %c : !s
          %s1 = arith.addi %s, %i1 : i32
          %wraps = arith.cmpi eq, %s1, %i2 : i32
          %flip = arith.extui %wraps : i1 to i32
          %next = arith.select %wraps, %i0, %s1 : i32
          %parity = arith.xori %p, %flip : i32
          scf.yield %f, %next, %parity : !s, i32, i32
        }
        // Each warp: with T = 0 no product has made sure that all of them have waited.
        cta.arrive 1[%i0] per_warp
        %qnext = arith.xori %qphase, %i1 : i32
        cta.await_stores read
        cta.barrier
        %st = cta.stage %x#0 {offset = 57344} : !s -> !v
        cta.fence_async
        cta.barrier
        cta.copy_out %st, %O[%i, %c0] {mechanism = #tma} : !v -> memref<?x?xf32>
        scf.yield %qnext, %x#1, %x#2 : i32, i32, i32
      }
      cta.await_stores read
    }
    cta.role @producer warps(1) {
      cta.elect {
        %i0 = arith.constant 0 : i32
        %i1 = arith.constant 1 : i32
        %i2 = arith.constant 2 : i32
        %end:3 = scf.for %t = %id to %tiles step %n iter_args(%qphase = %i0, %slot = %i0, %phase = %i0) -> (i32, i32, i32) {
          %i = arith.muli %t, %c64 : index
          %qfree = arith.xori %qphase, %i1 : i32
          cta.await 1[%i0] parity %qfree
          cta.expect 0[%i0] bytes = 8192
          %tq = cta.slot %rq[%i0] : !cta.ring<1, !q>
          %q = cta.copy %Q[%i, %c0] into %tq[%i0] {mechanism = #tma, mbarrier = 0} : memref<?x?xbf16> -> !q
          %x:2 = scf.for %k = %c0 to %T step %c64 iter_args(%s = %slot, %p = %phase) -> (i32, i32) {
            %free = arith.xori %p, %i1 : i32
            cta.await 4[%s] parity %free
            cta.expect 2[%s] bytes = 8192
            %tk = cta.slot %rk[%s] : !cta.ring<2, !k>
            %kt = cta.copy %K[%k, %c0] dims = [1, 0] into %tk[%s] {mechanism = #tma, mbarrier = 2} : memref<?x?xbf16> -> !k
            cta.await 8[%s] parity %free
            cta.expect 6[%s] bytes = 16384
            %tv = cta.slot %rv[%s] : !cta.ring<2, !v>
            %v = cta.copy %V[%k, %c0] into %tv[%s] {mechanism = #tma, mbarrier = 6} : memref<?x?xf32> -> !v
            %s1 = arith.addi %s, %i1 : i32
            %wraps = arith.cmpi eq, %s1, %i2 : i32
            %flip = arith.extui %wraps : i1 to i32
            %next = arith.select %wraps, %i0, %s1 : i32
            %parity = arith.xori %p, %flip : i32
            scf.yield %next, %parity : i32, i32
          }
          %qnext = arith.xori %qphase, %i1 : i32
          scf.yield %qnext, %x#0, %x#1 : i32, i32, i32
        }
      }
    }
  }
  tile.return
}
