// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @narrow(%x: memref<?x?xf32>, %slots: memref<?x128x16xbf16>, %flags: memref<?x8xi32>, %v: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  cta.launch @narrow_0 blocks(%v) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<128x16xbf16, #cta.frag<wgmma_acc, wg = 2>>
    // expected-error @below {{put_partial_c1: partial sums have elements of 32 bits}}
    cta.put_partial %t, %slots[%c0], %flags : tensor<128x16xbf16, #cta.frag<wgmma_acc, wg = 2>>, memref<?x128x16xbf16>, memref<?x8xi32>
  }
  tile.return
}

// -----

tile.kernel @shape(%x: memref<?x?xf32>, %slots: memref<?x16x128xf32>, %flags: memref<?x8xi32>, %v: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  cta.launch @shape_0 blocks(%v) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<128x16xf32, #cta.frag<wgmma_acc, wg = 2>>
    // expected-error @below {{put_partial_c1: the slots must be a contiguous memref of one dimension more than the tile}}
    cta.put_partial %t, %slots[%c0], %flags : tensor<128x16xf32, #cta.frag<wgmma_acc, wg = 2>>, memref<?x16x128xf32>, memref<?x8xi32>
  }
  tile.return
}

// -----

tile.kernel @rank(%x: memref<?x?xf32>, %slots: memref<128x16xf32>, %flags: memref<?x8xi32>, %v: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  cta.launch @rank_0 blocks(%v) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<128x16xf32, #cta.frag<wgmma_acc, wg = 2>>
    // expected-error @below {{add_partial_c1: the slots must be a contiguous memref of one dimension more than the tile}}
    %s = cta.add_partial %t, %slots[%c0], %flags : tensor<128x16xf32, #cta.frag<wgmma_acc, wg = 2>>, memref<128x16xf32>, memref<?x8xi32>
  }
  tile.return
}

// -----

tile.kernel @words(%x: memref<?x?xf32>, %slots: memref<?x128x16xf32>, %flags: memref<?x8xi64>, %v: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  cta.launch @words_0 blocks(%v) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<128x16xf32, #cta.frag<wgmma_acc, wg = 2>>
    // expected-error @below {{put_partial_c2: the flags must be a contiguous memref<?xWxi32>}}
    cta.put_partial %t, %slots[%c0], %flags : tensor<128x16xf32, #cta.frag<wgmma_acc, wg = 2>>, memref<?x128x16xf32>, memref<?x8xi64>
  }
  tile.return
}

// -----

tile.kernel @warps(%x: memref<?x?xf32>, %slots: memref<?x128x16xf32>, %flags: memref<?x4xi32>, %v: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  cta.launch @warps_0 blocks(%v) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<128x16xf32, #cta.frag<wgmma_acc, wg = 2>>
    // expected-error @below {{add_partial_c2: the tile is computed by 8 warps, but there are flags for 4}}
    %s = cta.add_partial %t, %slots[%c0], %flags : tensor<128x16xf32, #cta.frag<wgmma_acc, wg = 2>>, memref<?x128x16xf32>, memref<?x4xi32>
  }
  tile.return
}

// -----

tile.kernel @held(%x: memref<?x?xf32>, %slots: memref<?x100x16xf32>, %flags: memref<?x8xi32>, %v: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  cta.launch @held_0 blocks(%v) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<100x16xf32, #cta.frag<wgmma_acc, wg = 2>>
    // expected-error @below {{put_partial_c3: the threads hold 2048 elements of a tile that has 1600}}
    cta.put_partial %t, %slots[%c0], %flags : tensor<100x16xf32, #cta.frag<wgmma_acc, wg = 2>>, memref<?x100x16xf32>, memref<?x8xi32>
  }
  tile.return
}
