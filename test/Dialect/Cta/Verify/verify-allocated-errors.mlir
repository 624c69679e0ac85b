// RUN: tile-opt %s -split-input-file -cta-verify -verify-diagnostics

// What cta-decompose, cta-allocate-shared and cta-assign-registers leave.

// No warp would be left for the producer.
tile.kernel @threads(%n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  // expected-error @below {{launch_c5: has threads = 256, but its roles or the kernel's warpgroups make it 288; cta-assign-registers sets it where it is left out}}
  cta.launch @threads_0 blocks(%n) attributes {threads = 256} {
    cta.role @math warps(4) replicas(2) {}
    cta.role @producer warps(1) {}
  }
  tile.return
}

// -----

tile.kernel @too_many_threads(%n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  // expected-error @below {{launch_c5: has threads = 256, but its roles or the kernel's warpgroups make it 128;}}
  cta.launch @too_many_threads_0 blocks(%n) attributes {threads = 256} {
  }
  tile.return
}

// -----

// Right: the roles' threads and no more registers than they begin with, a launch that does not say its threads, one without roles.
tile.kernel @right(%n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  cta.launch @right_0 blocks(%n) attributes {max_registers = 168, threads = 384} {
    cta.role @math warps(4) replicas(2) attributes {registers = 240} {}
    cta.role @producer warps(4) attributes {registers = 24} {}
  }
  cta.launch @right_1 blocks(%n) {
    cta.role @math warps(8) {}
    cta.role @producer warps(1) {}
  }
  cta.launch @right_2 blocks(%n) attributes {max_registers = 255, threads = 256} {
  }
  tile.return
}

// -----

tile.kernel @registers(%n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  // expected-error @below {{breaks phase allocated: its roles want 66560 registers together, but its 384 threads begin with 168 each, 64512 together: a role would wait for the rest for ever}}
  cta.launch @registers_0 blocks(%n) attributes {max_registers = 168, threads = 384} {
    cta.role @math warps(8) attributes {registers = 240} {}
    cta.role @producer warps(4) attributes {registers = 40} {}
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]]>
tile.kernel @convert(%x: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @convert_0 blocks() {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<64x64xf32, #acc>
    // expected-error @below {{breaks phase allocated: has no 'how' within warps; cta-decompose sets it or uses scratch}}
    %u = cta.convert_layout %t : tensor<64x64xf32, #acc> -> tensor<64x64xf32, #rows>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @slice(%x: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @slice_0 blocks() {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<64x64xf32, #acc>
    // expected-error @below {{breaks phase allocated: cta-decompose replaces it by scratch}}
    %u = cta.slice %t offsets = [0, 1] : tensor<64x64xf32, #acc> -> tensor<64x32xf32, #acc>
  }
  tile.return
}

// -----

#vec = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]]>
#tall = #cta.frag<regs = [], lanes = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warps = [[0, 8], [0, 16]]>
tile.kernel @reshape(%x: memref<?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @reshape_0 blocks() {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0] : memref<?xf32> -> tensor<128xf32, #vec>
    // expected-error @below {{breaks phase allocated: moves data between threads; cta-decompose goes through scratch}}
    %u = cta.reshape %t : tensor<128xf32, #vec> -> tensor<4x32xf32, #tall>
  }
  tile.return
}

// -----

#vec = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]]>
#all = #cta.frag<splat, rank = 0, warps = 2, wg = 1>
tile.kernel @reduce(%x: memref<?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @reduce_0 blocks() {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = cta.load %x[%c0] : memref<?xf32> -> tensor<128xf32, #vec>
    // expected-error @below {{breaks phase allocated: reduces across warps; cta-decompose goes through scratch}}
    %u = cta.reduce (%t) dims = [0] init(%zero) {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tile.yield %s : f32
    } : tensor<128xf32, #vec> -> tensor<f32, #all>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @stage(%x: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @stage_0 blocks() {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<64x64xf32, #acc>
    // expected-error @below {{breaks phase allocated: has no offset; cta-allocate-shared sets it}}
    %u = cta.stage %t : tensor<64x64xf32, #acc> -> !cta.smem<64x64xf32, #cta.swizzle<linear>>
  }
  tile.return
}

// -----

tile.kernel @cp_async(%x: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @cp_async_0 blocks() {
    %c0 = arith.constant 0 : index
    // expected-error @below {{a copy by threads needs 'vector', the elements of one access}}
    %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<cp_async>, offset = 0} : memref<?x?xf32> -> !cta.smem<64x64xf32, #cta.swizzle<linear>>
  }
  tile.return
}

// -----

tile.kernel @early_wait(%x: memref<?x?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @early_wait_0 blocks() {
    // expected-error @below {{barriers and waits exist in phase allocated only}}
    cta.await_copies
  }
  tile.return
}

// -----

tile.kernel @pieces_of_tma(%x: memref<?x?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @pieces_of_tma_0 blocks() {
    %c0 = arith.constant 0 : index
    // expected-error @below {{copy_c9: 'vector' is for cp_async and shifted, the mechanism is tma}}
    %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<tma>, vector = 4} : memref<?x?xf32> -> !cta.smem<64x64xf32, #cta.swizzle<linear>>
  }
  tile.return
}

// -----

tile.kernel @half_a_piece(%x: memref<?x?xbf16>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @half_a_piece_0 blocks() {
    %c0 = arith.constant 0 : index
    // expected-error @below {{copy_c9: shifted pieces have 16 bytes, got 4 elements of 'bf16'}}
    %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<shifted>, vector = 4} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<linear>>
  }
  tile.return
}

// -----

tile.kernel @pieces_too_small(%x: memref<?x?xbf16>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @pieces_too_small_0 blocks() {
    %c0 = arith.constant 0 : index
    // expected-error @below {{copy_c9: 'vector' must be a power of two, of 4, 8 or 16 bytes, got 1 elements of 'bf16'}}
    %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<cp_async>, vector = 1} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<linear>>
  }
  tile.return
}

// -----

tile.kernel @condition_of_nothing(%x: memref<?x?xbf16>, %p: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @condition_of_nothing_0 blocks() {
    %c0 = arith.constant 0 : index
    // expected-error @below {{copy_c10: 'cache_if' is a condition for 'cache' = first, last or stream of a copy by tma}}
    %s = cta.copy %x[%c0, %c0] cache_if = %p {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<linear>>
  }
  tile.return
}

// -----

tile.kernel @condition_of_no_alloc(%x: memref<?x?xbf16>, %p: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @condition_of_no_alloc_0 blocks() {
    %c0 = arith.constant 0 : index
    // expected-error @below {{copy_c10: 'cache_if' is a condition for 'cache' = first, last or stream of a copy by tma}}
    %s = cta.copy %x[%c0, %c0] cache_if = %p {cache = #tile.cache<no_alloc>, mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<linear>>
  }
  tile.return
}

// -----

tile.kernel @condition_of_pieces(%x: memref<?x?xbf16>, %p: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @condition_of_pieces_0 blocks() {
    %c0 = arith.constant 0 : index
    // expected-error @below {{copy_c10: 'cache_if' is a condition for 'cache' = first, last or stream of a copy by tma}}
    %s = cta.copy %x[%c0, %c0] cache_if = %p {cache = #tile.cache<last>, mechanism = #cta.mechanism<cp_async>, vector = 8} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<linear>>
  }
  tile.return
}

// -----

tile.kernel @condition_of_no_multicast(%x: memref<?x?xbf16>, %p: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @condition_of_no_multicast_0 blocks() attributes {cluster = 2 : i64} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{copy_c11: 'multicast_if' is a condition for 'multicast'}}
    %s = cta.copy %x[%c0, %c0] multicast_if = %p {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<linear>>
  }
  tile.return
}

// -----

tile.kernel @arrives_twice(%x: memref<?x?xbf16>, %s: i32) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @arrives_twice_0 blocks() attributes {mbarriers = array<i64: 128>} {
    // expected-error @below {{arrive_c1: with 'copies' every thread arrives, in its own block: it stands without per_warp and cluster}}
    cta.arrive 0[%s] per_warp copies
  }
  tile.return
}

// -----

tile.kernel @no_blocks(%x: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  // expected-error @below {{launch_c3: 'min_blocks' is 1 to 32, got 0}}
  cta.launch @no_blocks_0 blocks() attributes {min_blocks = 0 : i64} {
  }
  tile.return
}

// -----

tile.kernel @many_blocks(%x: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  // expected-error @below {{launch_c3: 'min_blocks' is 1 to 32, got 72057594037927936}}
  cta.launch @many_blocks_0 blocks() attributes {min_blocks = 72057594037927936 : i64} {
  }
  tile.return
}

// -----

tile.kernel @no_name_of_ptx(%x: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  // expected-error @below {{launch_c4: 'a b' is no name of a function in PTX: letters, digits, _ and $, beginning with no digit, at most 1000 characters}}
  cta.launch @"a b" blocks() {
  }
  tile.return
}

// -----

tile.kernel @threads_multicast(%x: memref<?x?xbf16>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @threads_multicast_0 blocks() attributes {cluster = 2 : i64} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{copy_c11: 'multicast' is for tma, and a power of two from 2 to 8, got 2}}
    %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<cp_async>, vector = 8, multicast = 2 : i64} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<linear>>
  }
  tile.return
}

// -----

tile.kernel @many_multicast(%x: memref<?x?xbf16>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @many_multicast_0 blocks() attributes {cluster = 2 : i64} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{copy_c11: 'multicast' is for tma, and a power of two from 2 to 8, got 3}}
    %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<tma>, multicast = 3 : i64} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<linear>>
  }
  tile.return
}
