// RUN: tile-opt %s -split-input-file -cta-verify -verify-diagnostics

// Index tiles of copies: the layout of the threads that copy, where they copy.

#quarters = #cta.frag<regs = [], lanes = [[0], [0], [1], [2], [4]], warps = [[8], [16]], wg = 1>
tile.kernel @pieces(%A: memref<?x?xbf16>, %R: memref<?xi32>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %r = cta.load %R[%n] : memref<?xi32> -> tensor<64xi32, #quarters>
    // expected-error @+1 {{breaks phase placed: the index tile of a copy must have layout}}
    %a = cta.copy %A[%r : tensor<64xi32, #quarters>, %n] {mechanism = #cta.mechanism<cp_async>, vector = 8} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
  }
  tile.return
}

// -----

#eighths = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
tile.kernel @boxes(%A: memref<?x?xbf16>, %R: memref<?xi32>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %r = cta.load %R[%n] : memref<?xi32> -> tensor<64xi32, #eighths>
    // expected-error @+1 {{breaks phase placed: the index tile of a copy must have layout}}
    %a = cta.copy %A[%r : tensor<64xi32, #eighths>, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
  }
  tile.return
}

// -----

// A role that copies by cp.async is one warpgroup, whatever the kernel has,
#both = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 2 on 0>
tile.kernel @groups(%A: memref<?x?xbf16>, %R: memref<?xi32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  cta.launch @groups_0 blocks() {
    cta.role @math warps(8) {}
    cta.role @producer warps(4) {
      // expected-error @+1 {{breaks phase specialized: the threads of this role are 1 warpgroups of 4 warps, but the layout of 'tensor<64xi32, #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 2 on 0>>' has 2 of 4}}
      %r = cta.load %R[%n] : memref<?xi32> -> tensor<64xi32, #both>
      // expected-error @+1 {{breaks phase specialized: the index tile of a copy must have layout}}
      %a = cta.copy %A[%r : tensor<64xi32, #both>, %n] {mechanism = #cta.mechanism<cp_async>, vector = 8} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    }
  }
  tile.return
}

// -----

// of 4 warps,
#eighths = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
tile.kernel @warps(%A: memref<?x?xbf16>, %R: memref<?xi32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @warps_0 blocks() {
    cta.role @math warps(4) {}
    cta.role @producer warps(1) {
      %r = cta.load %R[%n] : memref<?xi32> -> tensor<64xi32, #eighths>
      // expected-error @+1 {{breaks phase specialized: index tiles have layouts of a warpgroup: the role must have 4 warps and begin at a multiple of 4, but has 1 from warp 4 on}}
      %a = cta.copy %A[%r : tensor<64xi32, #eighths>, %n] {mechanism = #cta.mechanism<cp_async>, vector = 8} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    }
  }
  tile.return
}

// -----

// which begin where layouts do.
#eighths = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
tile.kernel @begin(%A: memref<?x?xbf16>, %R: memref<?xi32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @begin_0 blocks() {
    cta.role @math warps(4) {}
    cta.role @store warps(1) {}
    cta.role @producer warps(4) {
      %r = cta.load %R[%n] : memref<?xi32> -> tensor<64xi32, #eighths>
      // expected-error @+1 {{must have 4 warps and begin at a multiple of 4, but has 4 from warp 5 on}}
      %a = cta.copy %A[%r : tensor<64xi32, #eighths>, %n] {mechanism = #cta.mechanism<cp_async>, vector = 8} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    }
  }
  tile.return
}

// -----

// One thread has what every thread has, and only for its copies.
#all = #cta.frag<splat, rank = 1, warps = 2, wg = 1>
tile.kernel @elected(%A: memref<?x?xbf16>, %R: memref<?xi32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @elected_0 blocks() {
    cta.elect {
      %r = cta.load %R[%n] : memref<?xi32> -> tensor<64xi32, #all>
      %a = cta.copy %A[%r : tensor<64xi32, #all>, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      // expected-error @+1 {{one thread has no tiles in registers, unless they are index tiles of copies that every thread holds (layout splat); move it out of the cta.elect}}
      %s = cta.load %R[%n] : memref<?xi32> -> tensor<64xi32, #all>
      // expected-error @+1 {{one thread has no tiles in registers, unless they are index tiles of copies that every thread holds}}
      cta.store %s, %R[%n] : tensor<64xi32, #all> -> memref<?xi32>
    }
  }
  tile.return
}
