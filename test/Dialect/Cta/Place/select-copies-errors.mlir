// RUN: tile-opt %s --split-input-file --verify-diagnostics --cta-select-copies

// expected-error @+1 {{cta-select-copies needs a kernel in phase raw, but this one is in phase L0 (no phase)}}
tile.kernel @l0() {
  tile.return
}

// -----

tile.kernel @unplaced(%X: memref<64xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{has a result without a layout; run cta-assign-layouts and cta-swizzle-shared before cta-select-copies}}
    %x = cta.load %X[%c0] : memref<64xf32> -> tensor<64xf32>
  }
  tile.return
}

// -----

#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
tile.kernel @demands(%X: memref<64x64xbf16>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{cannot use TMA, as 'require = [tma]' demands: the base of %X is not known to be a multiple of 16 bytes; add tile.align = 16 to it}}
    %x = cta.load %X[%c0, %c0] {require = #tile.require<[tma]>} : memref<64x64xbf16> -> tensor<64x64xbf16, #blocked>
    %s = cta.stage %x : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    // expected-error @+1 {{cannot use TMA, as 'require = [tma]' demands: the tile is used in registers by store; only operands of products are fetched into shared memory}}
    %y = cta.load %X[%c0, %c0] {require = #tile.require<[tma]>} : memref<64x64xbf16> -> tensor<64x64xbf16, #blocked>
    // expected-error @+1 {{cannot use TMA, as 'require = [tma]' demands: the base of %X is not known}}
    cta.store %y, %X[%c0, %c0] {require = #tile.require<[tma]>} : tensor<64x64xbf16, #blocked> -> memref<64x64xbf16>
  }
  tile.return
}

// -----

// Demands on the loop around a load: only copies are pipelined; what TMA does not make checks its bounds in every iteration.
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
tile.kernel @loop_demands(%X: memref<64x64xbf16>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{is not pipelined, as 'require = [pipelined]' demands: only copies to shared memory are, by TMA or by threads, and this is neither, since the tile is used in registers}}
    %x = cta.load %X[%c0, %c0] {require = #tile.require<[pipelined]>} : memref<64x64xbf16> -> tensor<64x64xbf16, #blocked>
    // expected-error @+1 {{is not peeled, as 'require = [peeled]' demands: it stands in no loop}}
    %y = cta.load %X[%c0, %c0] {require = #tile.require<[peeled]>} : memref<64x64xbf16> -> tensor<64x64xbf16, #blocked>
    scf.for %i = %c0 to %c1 step %c1 {
      // expected-error @+1 {{is not pipelined, as 'require = [pipelined]' demands: only copies to shared memory are, by TMA or by threads, and this is neither, since TMA pads with zero only}}
      %z = cta.load %X[%i, %c0] pad = nan {require = #tile.require<[pipelined]>} : memref<64x64xbf16> -> tensor<64x64xbf16, #blocked>
      %s = cta.stage %z : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      // expected-error @+1 {{is not peeled, as 'require = [peeled]' demands: its bounds are checked in every iteration, unless TMA does it, and it cannot: the tile is used in registers}}
      %w = cta.load %X[%i, %c0] {require = #tile.require<[peeled]>} : memref<64x64xbf16> -> tensor<64x64xbf16, #blocked>
      // expected-error @+1 {{is not peeled, as 'require = [peeled]' demands: its bounds are checked in every iteration, unless TMA does it, and it cannot: the base of %X is not known to be a multiple of 16 bytes}}
      %v = cta.load %X[%i, %c0] {require = #tile.require<[peeled]>} : memref<64x64xbf16> -> tensor<64x64xbf16, #blocked>
      %t = cta.stage %v : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    }
  }
  tile.return
}

// -----

// Of the kernel it is one on the loads in loops.
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
tile.kernel @peeled(%X: memref<64x64xbf16>) attributes {phase = #tile.phase<raw>, warpgroups = 1, require = #tile.require<[peeled]>} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = cta.load %X[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16, #blocked>
    scf.for %i = %c0 to %c1 step %c1 {
      // expected-error @+1 {{is not peeled}}
      %y = cta.load %X[%i, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16, #blocked>
    }
  }
  tile.return
}

// -----

// A demand on the kernel is one on each of its accesses.
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
tile.kernel @kernel_demands(%X: memref<64x64xbf16>) attributes {phase = #tile.phase<raw>, warpgroups = 1, require = #tile.require<[tma, pipelined]>} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{cannot use TMA, as 'require = [tma]' demands: the tile is used in registers}}
    %y = cta.load %X[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16, #blocked>
    // expected-error @+1 {{cannot use TMA, as 'require = [tma]' demands: the base of %X is not known}}
    cta.store %y, %X[%c0, %c0] : tensor<64x64xbf16, #blocked> -> memref<64x64xbf16>
  }
  tile.return
}
