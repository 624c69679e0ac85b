// RUN: tile-opt %s -split-input-file -cta-specialize-warps -verify-diagnostics

// The IR may put a copy into a channel that cta-pipeline-copies would have left alone. Its coordinates come from a tile,
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#none = #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @tile(%A: memref<?x?xbf16>, %I: memref<?xi32>, %K: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @tile_0 blocks() {
    %ch = cta.channel : !channel
    // expected-error @below {{computes a tile that a copy into a channel depends on; the producing role has no tiles: keep the copy out of the channel}}
    %t = cta.load %I[%c0] : memref<?xi32> -> tensor<1xi32, #cta.frag<regs = [], lanes = [[0], [0], [0], [0], [0]], warps = [[0], [0]], wg = 1>>
    %r = cta.reshape %t : tensor<1xi32, #cta.frag<regs = [], lanes = [[0], [0], [0], [0], [0]], warps = [[0], [0]], wg = 1>> -> tensor<i32, #none>
    %x = cta.extract %r : tensor<i32, #none> -> i32
    %n = arith.index_cast %x : i32 to index
    scf.for %k = %c0 to %n step %c64 {
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      cta.release %ch, %q : !channel
    }
  }
  tile.return
}

// -----

// from memory that the launch writes,
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @scalar(%A: memref<?x?xbf16>, %I: memref<?xindex>, %K: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @scalar_0 blocks() {
    %ch = cta.channel : !channel
    scf.for %k = %c0 to %K step %c64 {
      // expected-error @below {{reads memory that the launch writes, but the producing role runs ahead: keep the copy out of the channel}}
      %i = memref.load %I[%k] : memref<?xindex>
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      cta.release %ch, %q : !channel
      // expected-note @below {{the write}}
      memref.store %k, %I[%k] : memref<?xindex>
    }
  }
  tile.return
}

// -----

// or out of a channel; and what it copies is written here.
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile, index>
tile.kernel @channel(%A: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @channel_0 blocks() {
    %ch = cta.channel : !channel
    scf.for %k = %c0 to %K step %c64 iter_args(%at = %c0) -> (index) {
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%at, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0, %k) : !channel
      // expected-error @below {{brings what a copy into a channel depends on; the producing role waits for no channel: compute it without one}}
      %q, %a, %i = cta.wait %ch : !channel
      cta.release %ch, %q : !channel
      scf.yield %i : index
    }
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
#acc = #cta.frag<wgmma_acc, wg = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @copy(%A: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @copy_0 blocks() {
    %ch = cta.channel : !channel
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !channel
      // expected-error @below {{reads memory that the launch writes, but the producing role runs ahead: keep the copy out of the channel}}
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      %t = cta.read %a : !tile -> tensor<64x64xbf16, #acc>
      cta.release %ch, %q : !channel
      // expected-note @below {{the write}}
      cta.store %t, %A[%k, %c0] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
    }
  }
  tile.return
}

// -----

// expected-error @below {{cta-specialize-warps needs a kernel in phase scheduled, but this one is in phase specialized; run the passes in the order of the pipeline}}
tile.kernel @twice() attributes {phase = #tile.phase<specialized>} {
  tile.return
}

// -----

// One output tile for each block: there are no turns.
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @replicate(%A: memref<?x?xbf16>, %K: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<replicate = blocks>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // expected-error @below {{replicate = blocks divides the output tiles of a persistent launch among the math warpgroups, but this launch computes one output tile in each block; plan persistent = 1}}
  cta.launch @replicate_0 blocks() {
    %ch = cta.channel : !channel
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      cta.release %ch, %q : !channel
    }
  }
  tile.return
}

// -----

// cp.async is the work of a warpgroup.
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @cp_async(%A: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<producers = 1, stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @cp_async_0 blocks() {
    %ch = cta.channel : !channel
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !channel
      // expected-error @below {{fills a channel by threads, which takes a producing role of 4 warps, but the plan says producers = 1; say producers = 4, or 0 for all threads}}
      %a0 = cta.copy %A[%k, %k] {mechanism = #cta.mechanism<cp_async>, vector = 4} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      cta.release %ch, %q : !channel
    }
  }
  tile.return
}
