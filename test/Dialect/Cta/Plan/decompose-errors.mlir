// RUN: tile-opt %s -split-input-file -cta-decompose -verify-diagnostics

#acc = #cta.frag<wgmma_acc, wg = 1>
#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]]>
tile.kernel @optimist(%x: memref<?x?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<64x64xf32, #acc>
    // expected-error @below {{how = shuffle is not possible: this is through shared memory}}
    %u = cta.convert_layout %t {how = #cta.conversion<shuffle>} : tensor<64x64xf32, #acc> -> tensor<64x64xf32, #rows>
    cta.store %u, %x[%c0, %c0] : tensor<64x64xf32, #rows> -> memref<?x?xf32>
  }
  tile.return
}

// -----

#one = #cta.frag<wgmma_acc, wg = 1>
#two = #cta.frag<wgmma_acc, wg = 2>
tile.kernel @warpgroups(%x: memref<?x?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<128x64xf32, #one>
    // expected-error @below {{cannot be done: source and destination differ in warps or warpgroups}}
    %u = cta.convert_layout %t : tensor<128x64xf32, #one> -> tensor<128x64xf32, #two>
    cta.store %u, %x[%c0, %c0] : tensor<128x64xf32, #two> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @bare(%x: memref<?x?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // expected-error @below {{has a tile without a register layout; cta-assign-layouts chooses one}}
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<128x64xf32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#all = #cta.frag<regs = [[0, 1]], lanes = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warps = [[1, 0], [2, 0]]>
tile.kernel @parts(%x: memref<?x?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<64x64xf32, #acc>
    // expected-error @below {{reduce_c6: the partial result must be 'tensor<4x64xf32,}}
    %a = cta.reduce (%t) dims = [0] init(%zero) attributes {partial} {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tile.yield %s : f32
    } : tensor<64x64xf32, #acc> -> tensor<8x64xf32, #all>
  }
  tile.return
}
