// RUN: tile-opt %s --cta-simulate -split-input-file -verify-diagnostics -o /dev/null
// RUN: not tile-opt %S/Inputs/gemm-ring.mlir --cta-simulate="sizes=M=500,N=300 timings=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not tile-opt %S/Inputs/gemm-ring.mlir --cta-simulate="sizes=M=500,N=300,K=64 blocks=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not tile-opt %S/Inputs/gemm-ring.mlir --cta-simulate="sizes=M=500,N=300,K=6400 fuel=1000" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUEL
// RUN: not tile-opt %S/Inputs/gemm-ring.mlir --cta-simulate="sizes=M:500" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not tile-opt %S/Inputs/gemm-ring.mlir --cta-simulate="sizes=M=-5" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not tile-opt %S/Inputs/gemm-ring.mlir --cta-simulate="timings=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMINGS
// RUN: sed -e 's/bytes = 32768/bytes = 32769/' %S/Inputs/gemm-ring.mlir | not tile-opt - --cta-simulate="sizes=M=100,N=100,K=640" -o /dev/null 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: sed -e 's/bytes = 32768/bytes = 49152/' %S/Inputs/cluster-ring.mlir | not tile-opt - --cta-simulate="sizes=M=100,N=100,K=640" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not tile-opt %S/Inputs/cluster-ring.mlir --cta-simulate="sizes=M=500,N=300,K=64 num-blocks=5" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ODD
// SIZE: error: {{.*}}the size 'K' is not given; say sizes=K=<number>
// BLOCK: error: @gemm_0 has no block 2: there are 2
// FUEL: error: {{.*}}the program of one block is too long; choose smaller sizes or more fuel
// TEXT: error: expected sizes=<name>=<number>,…, got 'M
// TIMINGS: error: timings, places, fuel, cores and num-blocks
// The wait-for graph.
// GRAPH: error: deadlock: nothing in the block can go on
// GRAPH: note: 8 warps of @math wait here for phase 0 of mbarrier 0 to end; phase 0 has 1 of 1 arrivals and 32768 of 32769 bytes
// GRAPH: note: all have arrived, but 1 bytes are announced that no copy brings
// GRAPH: note: warp 0 of @producer waits here for phase 0 of mbarrier 3 to end; phase 0 has 0 of 2 arrivals
// GRAPH: note: @math would signal it here, but does not get so far
// GRAPH: note: in block 0 of @gemm_0, timing 0
// Who waits in which block of a cluster.
// CLUSTER: error: deadlock: nothing in the cluster can go on
// CLUSTER: note: 8 warps of @math of block 0 wait here for phase 0 of mbarrier 0 of block 0 to end; phase 0 has 1 of 1 arrivals and 32768 of 49152 bytes
// CLUSTER: note: warp 0 of @producer of block 0 waits here for phase 0 of mbarrier 3 of block 0 to end; phase 0 has 0 of 4 arrivals
// CLUSTER: note: @math of block 0 would signal it here, but does not get so far
// CLUSTER: note: @math of block 1 would signal it here, but does not get so far
// CLUSTER: note: 8 warps of @math of block 1 wait here for phase 0 of mbarrier 0 of block 1 to end
// CLUSTER: note: warp 0 of @producer of block 1 waits here
// CLUSTER: note: in the cluster of blocks 0 to 1 of @gemm_0, timing 0
// ODD: error: {{.*}}5 blocks are no multiple of the cluster size 2

// expected-error@+1 {{cta-simulate needs a kernel in phase allocated}}
tile.kernel @phase() attributes {phase = #tile.phase<placed>} {
  tile.return
}

// -----

#lin = #cta.swizzle<linear>
tile.kernel @channel() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @k blocks() {
    // expected-error@+1 {{cannot be simulated: run cta-lower-channels first}}
    %c = cta.channel : !cta.channel<2, !cta.smem<64xf32, #lin>>
  }
  tile.return
}

// -----

// Thread 128 of the block would arrive, which is another role's.
tile.kernel @within_a_warpgroup() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  // expected-note@+1 {{in block 0 of @k, timing 0}}
  cta.launch @k blocks() attributes {mbarriers = array<i64: 1>, shared = 8} {
    %zero = arith.constant 0 : i32
    cta.role @idle warps(1) {
    }
    // expected-note@+1 {{@arrives has ended}}
    cta.role @arrives warps(1) {
      cta.arrive 0[%zero]
    }
    cta.role @hangs warps(1) {
      // expected-error@+3 {{deadlock: nothing in the block can go on}}
      // expected-note@+2 {{warp 0 of @hangs waits here for phase 0 of mbarrier 0 to end; phase 0 has 0 of 1 arrivals}}
      // expected-note@+1 {{nobody will signal mbarrier 0 any more}}
      cta.await 0[%zero] parity %zero
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#swk = #cta.swizzle<128, dim = 0>
tile.kernel @elect() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @k blocks() attributes {shared = 16384} {
    cta.role @p warps(4) {
      %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
      %a = cta.stage %t {offset = 0} : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
      %b = cta.stage %t {offset = 8192} : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #swk>
      cta.elect {
        // expected-error@+1 {{cannot be simulated: it needs all threads, but cta.elect runs one}}
        %d = cta.wgmma %a, %b : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #swk> -> tensor<64x64xf32, #acc>
      }
    }
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>
tile.kernel @slot() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @k blocks() attributes {shared = 1024} {
    %r = cta.ring {offset = 0} : !cta.ring<2, !cta.smem<64xf32, #lin>>
    %two = arith.constant 2 : i32
    // expected-error@+1 {{slot 2 of a ring of depth 2}}
    %s = cta.slot %r[%two] : !cta.ring<2, !cta.smem<64xf32, #lin>>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>
#l = #cta.frag<splat, rank = 1, warps = 2, wg = 1>
tile.kernel @outside() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @k blocks() attributes {shared = 256, mbarriers = array<i64: 1>} {
    %t = arith.constant dense<0.0> : tensor<64xf32, #l>
    // expected-error@+1 {{lies at [0, 256), but the launch has 248 bytes for tiles}}
    %s = cta.stage %t {offset = 0} : tensor<64xf32, #l> -> !cta.smem<64xf32, #lin>
  }
  tile.return
}

// -----

tile.kernel @mbarrier() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @k blocks() attributes {shared = 16, mbarriers = array<i64: 1, 1>} {
    %two = arith.constant 2 : i32
    // expected-error@+1 {{uses mbarrier 2, but the launch has 2}}
    cta.arrive 0[%two]
  }
  tile.return
}

// -----

// A scalar that has no value.
tile.kernel @divides() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{its value is not defined for these operands}}
  %x = arith.divui %c1, %c0 : index
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#swk = #cta.swizzle<128, dim = 0>
tile.kernel @groups() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @k blocks() attributes {shared = 16384} {
    cta.role @math warps(2) {
      %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
      %a = cta.stage %t {offset = 0} : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
      %b = cta.stage %t {offset = 8192} : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #swk>
      // expected-error@+1 {{a wgmma needs whole warpgroups, but @math has 2 warps}}
      %d = cta.wgmma %a, %b : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #swk> -> tensor<64x64xf32, #acc>
    }
  }
  tile.return
}

// -----

// Two tiles over each other, and the first is read again.
#lin = #cta.swizzle<linear>
#l = #cta.frag<splat, rank = 1, warps = 2, wg = 1>
tile.kernel @over() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %one = arith.constant 1 : index
  // expected-note@+1 {{in block 0 of @k, timing 0}}
  cta.launch @k blocks(%one) attributes {shared = 512} {
    %t = arith.constant dense<0.0> : tensor<64xf32, #l>
    %s = cta.stage %t {offset = 0} : tensor<64xf32, #l> -> !cta.smem<64xf32, #lin>
    cta.barrier
    // expected-note@+1 {{by this}}
    %u = cta.stage %t {offset = 128} : tensor<64xf32, #l> -> !cta.smem<64xf32, #lin>
    cta.barrier
    // expected-error@+1 {{warp 0 of the block reads a tile that has been overwritten}}
    %v = cta.read %s : !cta.smem<64xf32, #lin> -> tensor<64xf32, #l>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>
tile.kernel @no_slot(%A: memref<?x64xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2 : index
  cta.launch @k blocks(%two) attributes {cluster = 2, shared = 4104, mbarriers = array<i64: 1>} {
    // expected-error@+1 {{cannot be simulated: multicast = 2 needs a slot and a launch with as large a cluster}}
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0, multicast = 2} : memref<?x64xf32> -> !cta.smem<16x64xf32, #lin>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>
tile.kernel @size(%A: memref<?x64xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %four = arith.constant 4 : index
  cta.launch @k blocks(%four) attributes {cluster = 4, shared = 4104, mbarriers = array<i64: 1>} {
    %r = cta.ring {offset = 0} : !cta.ring<1, !cta.smem<16x64xf32, #lin>>
    %s = cta.slot %r[%i0] : !cta.ring<1, !cta.smem<16x64xf32, #lin>>
    // expected-error@+1 {{as large a cluster; this one has cluster = 4}}
    %a = cta.copy %A[%c0, %c0] into %s[%i0] {mechanism = #cta.mechanism<tma>, mbarrier = 0, multicast = 2} : memref<?x64xf32> -> !cta.smem<16x64xf32, #lin>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>
tile.kernel @parts(%A: memref<?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %two = arith.constant 2 : index
  cta.launch @k blocks(%two) attributes {cluster = 2, shared = 264, mbarriers = array<i64: 1>} {
    %r = cta.ring {offset = 0} : !cta.ring<1, !cta.smem<64xf32, #lin>>
    %s = cta.slot %r[%i0] : !cta.ring<1, !cta.smem<64xf32, #lin>>
    // expected-error@+1 {{the tile cannot be divided among the blocks of the cluster}}
    %a = cta.copy %A[%c0] into %s[%i0] {mechanism = #cta.mechanism<tma>, mbarrier = 0, multicast = 2} : memref<?xf32> -> !cta.smem<64xf32, #lin>
  }
  tile.return
}

// -----

tile.kernel @arrives() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %two = arith.constant 2 : index
  cta.launch @k blocks(%two) attributes {cluster = 2, shared = 8, mbarriers = array<i64: 2>} {
    %i0 = arith.constant 0 : i32
    cta.elect {
      // expected-error@+1 {{one elected thread cannot arrive in all blocks of a cluster}}
      cta.arrive 0[%i0] {cluster = 2}
    }
  }
  tile.return
}

// -----

// The last arrivals of a cluster's blocks belong to nobody: the block's end is not a phase's.
tile.kernel @left() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %two = arith.constant 2 : index
  // expected-note@+1 {{in the cluster of blocks 0 to 1 of @k, timing 0}}
  cta.launch @k blocks(%two) attributes {cluster = 2, shared = 8, mbarriers = array<i64: 3>} {
    %i0 = arith.constant 0 : i32
    // expected-error@+1 {{at the end of the block phase 0 of mbarrier 0 of block 0 is begun and not ended: 2 of 3 arrivals}}
    cta.arrive 0[%i0] {cluster = 2}
  }
  tile.return
}

// -----

// TMA ends a launch whose boxes begin where they must not: no tool but this one sees it before the device does.
#lin = #cta.swizzle<linear>
tile.kernel @place(%A: memref<64x64xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c3 = arith.constant 3 : index
  %two = arith.constant 2 : index
  cta.launch @k blocks(%two) attributes {shared = 4104, mbarriers = array<i64: 1>} {
    %id = cta.block_id : index
    %at = arith.muli %id, %c3 : index
    // expected-error@+1 {{begins at coordinate 3 of dimension 1, byte 12 of a row: TMA needs multiples of 16 bytes there, and ends the launch otherwise}}
    %a = cta.copy %A[%at, %at] {mechanism = #cta.mechanism<tma>, mbarrier = 0, offset = 0} : memref<64x64xf32> -> !cta.smem<16x64xf32, #lin>
    cta.await 0
  }
  tile.return
}

// -----

// A copy that leaves out rows by their number must begin at a multiple of its own rows.
#lin = #cta.swizzle<linear>
tile.kernel @trimmed(%A: memref<100x64xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c24 = arith.constant 24 : index
  %c0 = arith.constant 0 : index
  %two = arith.constant 2 : index
  cta.launch @k blocks(%two) attributes {shared = 8200, mbarriers = array<i64: 1>} {
    %id = cta.block_id : index
    %at = arith.muli %id, %c24 : index
    // expected-error@+1 {{begins at coordinate 24 of dimension 0: with 'trim' it must be a multiple of 32 that is not negative, else the wrong rows are left out}}
    %a = cta.copy %A[%at, %c0] {mechanism = #cta.mechanism<tma>, mbarrier = 0, offset = 0, trim = 0} : memref<100x64xf32> -> !cta.smem<32x64xf32, #lin>
    cta.await 0
  }
  tile.return
}

// -----

// What a shifted copy says of its coordinate is trusted, so it must be true: of block 0, not of block 1.
#t = #cta.swizzle<128, dim = 1>
tile.kernel @from_zero(%A: memref<64x64xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c-3 = arith.constant -3 : index
  %c0 = arith.constant 0 : index
  %two = arith.constant 2 : index
  cta.launch @k blocks(%two) attributes {shared = 8192, mbarriers = array<i64>} {
    %id = cta.block_id : index
    %at = arith.muli %id, %c-3 : index
    // expected-error@+1 {{begins at coordinate -3 of dimension 1, though it says 'from_zero': a piece that the begin of the array cuts is wrong}}
    %a = cta.copy %A[%c0, %at] {from_zero, mechanism = #cta.mechanism<shifted>, vector = 8, offset = 0} : memref<64x64xbf16> -> !cta.smem<64x64xbf16, #t>
    cta.await_copies
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>
#rows = #cta.frag<regs = [], lanes = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warps = [[1, 0], [2, 0]], wg = 1>
tile.kernel @negative(%A: memref<64x64xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c-4 = arith.constant -4 : index
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  cta.launch @k blocks(%one) attributes {shared = 4096, mbarriers = array<i64>} {
    %v = arith.constant dense<0.0> : tensor<4x32xf32, #rows>
    %s = cta.stage %v {offset = 0} : tensor<4x32xf32, #rows> -> !cta.smem<4x32xf32, #lin>
    cta.fence_async
    cta.barrier
    // expected-error@+1 {{begins at coordinate -4 of dimension 0: a store by TMA at a negative coordinate ends the launch}}
    cta.copy_out %s, %A[%c-4, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<4x32xf32, #lin> -> memref<64x64xf32>
    cta.await_stores read
  }
  tile.return
}

// -----

// Warpgroups that have turns must not meet while one has its turn: the others wait for theirs.
#acc = #cta.frag<wgmma_acc, wg = 2>
!a = !cta.smem<128x32xbf16, #cta.swizzle<64, dim = 1>>
!b = !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>>
tile.kernel @meeting(%x: memref<128x8xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %one = arith.constant 1 : index
  // expected-note@+1 {{in block 0 of @k, timing 0}}
  cta.launch @k blocks(%one) attributes {shared = 9216, mbarriers = array<i64>} {
    cta.role @math warps(8) {
      %c0 = arith.constant 0 : index
      %t = arith.constant dense<1.0> : tensor<128x32xbf16, #acc>
      %u = arith.constant dense<1.0> : tensor<32x8xbf16, #acc>
      %a = cta.stage %t {offset = 0} : tensor<128x32xbf16, #acc> -> !a
      %b = cta.stage %u {offset = 8192} : tensor<32x8xbf16, #acc> -> !b
      cta.fence_async
      cta.barrier
      // expected-note@+1 {{4 warps of @math wait here for the other warps of its warpgroup to issue the product, or for its turn to issue it}}
      %d = cta.wgmma %a, %b {in_turn} : !a, !b -> !cta.async<tensor<128x8xf32, #acc>>
      // expected-note@+2 {{4 warps of @math wait here for the other warps of @math: 4 of 8 have arrived}}
      // expected-error@+1 {{deadlock: nothing in the block can go on}}
      cta.barrier
      %e = cta.wgmma %a, %b {in_turn} : !a, !b -> !cta.async<tensor<128x8xf32, #acc>>
      %f:2 = cta.wgmma_wait(%d, %e) pending = 0 : !cta.async<tensor<128x8xf32, #acc>>, !cta.async<tensor<128x8xf32, #acc>>
      %g = cta.complete %f#0 : <tensor<128x8xf32, #acc>>
      cta.store %g, %x[%c0, %c0] : tensor<128x8xf32, #acc> -> memref<128x8xf32>
    }
  }
  tile.return
}
