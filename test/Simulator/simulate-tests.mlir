// Tests of mbarriers: the await that takes the result is skipped or not, both are run; a test of another phase is found.
//
// RUN: tile-opt %s --cta-verify --cta-simulate="timings=60 verbose=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CLEAN
// CLEAN: remark: @ring_0: simulated 1 of 1 blocks, 60 timings each: {{.*}}no violation
//
// The parity of the phase before: the test says yes before the slot is filled.
// RUN: sed -e 's/test_wait 0\[%%s1\] parity %%p1/test_wait 0[%%s1] parity %%other/' %s | not tile-opt - --cta-simulate="timings=60" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PARITY
// PARITY: error: {{.*}}warp {{[0-3]}} of @math tests phase {{[0-9]+}} of mbarrier {{[01]}} (parity {{[01]}}) but phase {{[0-9]+}} is at work, so that the test passes too early: the parity is that of the phase before last
//
// The slot of this iteration instead of the next.
// RUN: sed -e 's/test_wait 0\[%%s1\] parity %%p1/test_wait 0[%%s] parity %%p/' %s | not tile-opt - --cta-simulate="timings=60" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SLOT
// SLOT: error: {{.*}}warp {{[0-3]}} of @math {{tests phase|does not wait for phase}}
//
// The result of the first test for all iterations.
// RUN: sed -e 's/unless %%seen/unless %%first/' %s | not tile-opt - --cta-simulate="timings=60" -o /dev/null 2>&1 | FileCheck %s --check-prefix=STALE
// STALE: error: {{.*}}warp {{[0-3]}} of @math does not wait for phase {{[0-9]+}} of mbarrier {{[01]}}, because it has seen the end of phase 0 of mbarrier 0
//
// Something else than a test.
// RUN: sed -e 's/unless %%seen/unless %%no/' %s | not tile-opt - --cta-simulate="timings=60" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: {{.*}}cannot be simulated: what it is skipped for is no cta.test_wait
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
tile.kernel @ring(%A: memref<640x64xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %one_block = arith.constant 1 : index
  cta.launch @ring_0 blocks(%one_block) attributes {mbarriers = array<i64: 1, 1, 1, 1>, shared = 16416, threads = 160} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c640 = arith.constant 640 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %r = cta.ring {offset = 0} : !cta.ring<2, !tile>
    cta.role @math warps(4) {
      %no = arith.constant false
      %first = cta.test_wait 0[%zero] parity %zero
      %l:3 = scf.for %i = %c0 to %c640 step %c64 iter_args(%s = %zero, %p = %zero, %seen = %first) -> (i32, i32, i1) {
        cta.await 0[%s] parity %p unless %seen
        %t = cta.slot %r[%s] : !cta.ring<2, !tile>
        %next = arith.addi %s, %one : i32
        %wraps = arith.cmpi eq, %next, %two : i32
        %flip = arith.extui %wraps : i1 to i32
        %s1 = arith.select %wraps, %zero, %next : i32
        %p1 = arith.xori %p, %flip : i32
        %other = arith.xori %p1, %one : i32
        %d = cta.wgmma %t, %t : !tile, !tile -> !sum
        cta.arrive 2[%s]
        %again = cta.test_wait 0[%s1] parity %p1
        scf.yield %s1, %p1, %again : i32, i32, i1
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %l:2 = scf.for %i = %c0 to %c640 step %c64 iter_args(%s = %zero, %p = %one) -> (i32, i32) {
          cta.await 2[%s] parity %p
          cta.expect 0[%s] bytes = 8192
          %t = cta.slot %r[%s] : !cta.ring<2, !tile>
          %a = cta.copy %A[%i, %c0] into %t[%s] {mbarrier = 0 : i64, mechanism = #tma} : memref<640x64xbf16> -> !tile
          %next = arith.addi %s, %one : i32
          %wraps = arith.cmpi eq, %next, %two : i32
          %flip = arith.extui %wraps : i1 to i32
          %s1 = arith.select %wraps, %zero, %next : i32
          %p1 = arith.xori %p, %flip : i32
          scf.yield %s1, %p1 : i32, i32
        }
      }
    }
  }
  tile.return
}
