// RUN: tile-opt %s -split-input-file -cta-verify -verify-diagnostics

// What cta-decompose and cta-allocate-shared leave.

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
