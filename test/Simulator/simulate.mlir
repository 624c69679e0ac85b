// A ring of three slots: no iteration, one, one less than the depth, the depth, one more, many; several tiles a CTA; 100 timings.
// RUN: tile-opt %S/Inputs/gemm-ring.mlir -o /dev/null --cta-simulate="sizes=M=500,N=300,K=0 timings=100 verbose" 2>&1 | FileCheck %s --check-prefix=K0
// RUN: tile-opt %S/Inputs/gemm-ring.mlir -o /dev/null --cta-simulate="sizes=M=500,N=300,K=64 timings=100 verbose" 2>&1 | FileCheck %s --check-prefix=K1
// RUN: tile-opt %S/Inputs/gemm-ring.mlir -o /dev/null --cta-simulate="sizes=M=500,N=300,K=128 timings=100 verbose" 2>&1 | FileCheck %s --check-prefix=K2
// RUN: tile-opt %S/Inputs/gemm-ring.mlir -o /dev/null --cta-simulate="sizes=M=500,N=300,K=192 timings=100 verbose" 2>&1 | FileCheck %s --check-prefix=K3
// RUN: tile-opt %S/Inputs/gemm-ring.mlir -o /dev/null --cta-simulate="sizes=M=500,N=300,K=256 timings=100 verbose" 2>&1 | FileCheck %s --check-prefix=K4
// RUN: tile-opt %S/Inputs/gemm-ring.mlir -o /dev/null --cta-simulate="sizes=M=500,N=300,K=3200 timings=100 verbose" 2>&1 | FileCheck %s --check-prefix=K50
// Three channels of depths 1, 2, 2.
// RUN: tile-opt %S/Inputs/two-channels.mlir -o /dev/null --cta-simulate="sizes=S=500,T=0 timings=100 verbose" 2>&1 | FileCheck %s --check-prefix=T0
// RUN: tile-opt %S/Inputs/two-channels.mlir -o /dev/null --cta-simulate="sizes=S=500,T=64 timings=100 verbose" 2>&1 | FileCheck %s --check-prefix=T1
// RUN: tile-opt %S/Inputs/two-channels.mlir -o /dev/null --cta-simulate="sizes=S=500,T=128 timings=100 verbose" 2>&1 | FileCheck %s --check-prefix=T2
// RUN: tile-opt %S/Inputs/two-channels.mlir -o /dev/null --cta-simulate="sizes=S=500,T=192 timings=100 verbose" 2>&1 | FileCheck %s --check-prefix=T3
// Some blocks of many; one CTA; nothing launched; a size by argument and dimension.
// RUN: tile-opt %S/Inputs/gemm-ring.mlir -o /dev/null --cta-simulate="sizes=M=5000,N=300,K=64 num-blocks=40 blocks=7,39 verbose" 2>&1 | FileCheck %s --check-prefix=SOME
// RUN: tile-opt %S/Inputs/gemm-ring.mlir -o /dev/null --cta-simulate="sizes=M=500,B.1=300,C.1=300,K=64 num-blocks=1 verbose" 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: tile-opt %S/Inputs/gemm-ring.mlir -o /dev/null --cta-simulate="sizes=M=0,N=300,K=64 verbose" 2>&1 | FileCheck %s --check-prefix=NONE
// The pass changes nothing.
// RUN: tile-opt %s -o %t.before
// RUN: tile-opt %s --cta-simulate="timings=32 verbose" -o %t.after 2>&1 | FileCheck %s
// RUN: diff %t.before %t.after

// K0: @gemm_0: simulated 2 of 2 blocks, 100 timings each: 88 events, no violation
// K1: 172 events, no violation
// K2: 256 events, no violation
// K3: 340 events, no violation
// K4: 424 events, no violation
// K50: 4288 events, no violation
// T0: 92 events, no violation
// T1: simulated 2 of 2 blocks, 100 timings each: 228 events, no violation
// T2: 364 events, no violation
// T3: 500 events, no violation
// SOME: simulated 2 of 40 blocks, 8 timings each: {{[0-9]+}} events, no violation
// ONE: simulated 1 of 1 blocks
// NONE: simulated 0 of 0 blocks

#acc = #cta.frag<wgmma_acc, wg = 1>
#lin = #cta.swizzle<linear>
!tile = !cta.smem<64x64xf32, #lin>
!t = tensor<64x64xf32, #acc>

// Control flow that hangs on memory: drawn, the same in both roles.
// CHECK: remark: @data_0: simulated 1 of 1 blocks, 32 timings each
tile.kernel @data(%X: memref<4096x64xf32>, %n: memref<8xi32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %one = arith.constant 1 : index
  cta.launch @data_0 blocks(%one) attributes {threads = 160, shared = 32784, mbarriers = array<i64: 1, 4>} {
    %r = cta.ring {offset = 0} : !cta.ring<1, !tile>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    cta.role @math warps(4) {
      %count = memref.load %n[%c0] : memref<8xi32>
      %trips = arith.index_cast %count : i32 to index
      %p = scf.for %t = %c0 to %trips step %c1 iter_args(%phase = %i0) -> (i32) {
        cta.await 0[%i0] parity %phase
        %s = cta.slot %r[%i0] : !cta.ring<1, !tile>
        %v = cta.read %s : !tile -> !t
        cta.fence_async
        cta.arrive 1[%i0] per_warp
        %next = arith.xori %phase, %i1 : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %count = memref.load %n[%c0] : memref<8xi32>
        %trips = arith.index_cast %count : i32 to index
        %p = scf.for %t = %c0 to %trips step %c1 iter_args(%phase = %i0) -> (i32) {
          %free = arith.xori %phase, %i1 : i32
          cta.await 1[%i0] parity %free
          cta.expect 0[%i0] bytes = 16384
          %s = cta.slot %r[%i0] : !cta.ring<1, !tile>
          %i = arith.muli %t, %c64 : index
          %x = cta.copy %X[%i, %c0] into %s[%i0] {mechanism = #cta.mechanism<tma>, mbarrier = 0} : memref<4096x64xf32> -> !tile
          scf.yield %free : i32
        }
      }
    }
  }
  tile.return
}

// scf.while, scf.if, scf.index_switch and tiles that are views.
// CHECK: remark: @flow_0: simulated 2 of 2 blocks, 32 timings each: 2{{[0-9]}} events
tile.kernel @flow() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %two = arith.constant 2 : index
  cta.launch @flow_0 blocks(%two) attributes {threads = 128, shared = 16384} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %id = cta.block_id : index
    %zero = arith.constant dense<0.0> : !t
    %last:2 = scf.while (%i = %c0, %t = %zero) : (index, !t) -> (index, !t) {
      %more = arith.cmpi slt, %i, %c3 : index
      scf.condition(%more) %i, %t : index, !t
    } do {
    ^bb0(%i: index, %t: !t):
      %first = arith.cmpi eq, %i, %c0 : index
      %u = scf.if %first -> !t {
        scf.yield %t : !t
      } else {
        cta.barrier
        scf.yield %t : !t
      }
      %s = cta.stage %u {offset = 0} : !t -> !tile
      %flat = cta.view %s : !tile -> !cta.smem<4096xf32, #lin>
      %again = cta.view %flat : !cta.smem<4096xf32, #lin> -> !tile
      cta.barrier
      %v = scf.index_switch %id -> !t
      case 0 {
        %x = cta.read %again : !tile -> !t
        scf.yield %x : !t
      }
      default {
        scf.yield %t : !t
      }
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %v : index, !t
    }
  }
  tile.return
}

// A cluster without anything shared, and one whose warpgroups release to each other.
// CHECK: remark: @alone_0: simulated 4 of 4 blocks, 32 timings each: 20 events, no violation
// CHECK: remark: @partners_0: simulated 6 of 6 blocks, 32 timings each: {{.*}}no violation
tile.kernel @alone() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %four = arith.constant 4 : index
  cta.launch @alone_0 blocks(%four) attributes {cluster = 2, threads = 128, shared = 16384} {
    %zero = arith.constant dense<0.0> : !t
    %s = cta.stage %zero {offset = 0} : !t -> !tile
    cta.barrier
  }
  tile.return
}
tile.kernel @partners() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %six = arith.constant 6 : index
  cta.launch @partners_0 blocks(%six) attributes {cluster = 2, threads = 128, shared = 8, mbarriers = array<i64: 2>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %e = scf.for %t = %c0 to %c3 step %c1 iter_args(%p = %i0) -> (i32) {
      cta.arrive 0[%i0] {cluster = 2}
      cta.await 0[%i0] parity %p
      cta.barrier
      %next = arith.xori %p, %i1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// A consumer that is one thread: it alone waits and releases.
// CHECK: remark: @elected_0: simulated 1 of 1 blocks, 32 timings each: 15 events, no violation
tile.kernel @elected(%X: memref<4096x64xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %one = arith.constant 1 : index
  cta.launch @elected_0 blocks(%one) attributes {threads = 160, shared = 16400, mbarriers = array<i64: 1, 1>} {
    %r = cta.ring {offset = 0} : !cta.ring<1, !tile>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    cta.role @watcher warps(4) {
      cta.elect {
        %p = scf.for %t = %c0 to %c3 step %c1 iter_args(%phase = %i0) -> (i32) {
          cta.await 0[%i0] parity %phase
          cta.arrive 1[%i0]
          %next = arith.xori %phase, %i1 : i32
          scf.yield %next : i32
        }
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = scf.for %t = %c0 to %c3 step %c1 iter_args(%phase = %i1) -> (i32) {
          cta.await 1[%i0] parity %phase
          cta.expect 0[%i0] bytes = 16384
          %s = cta.slot %r[%i0] : !cta.ring<1, !tile>
          %x = cta.copy %X[%c0, %c0] into %s[%i0] {mechanism = #cta.mechanism<tma>, mbarrier = 0} : memref<4096x64xf32> -> !tile
          %next = arith.xori %phase, %i1 : i32
          scf.yield %next : i32
        }
      }
    }
  }
  tile.return
}
