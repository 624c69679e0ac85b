// RUN: tile-opt %s -split-input-file -cta-verify -verify-diagnostics

#row = #cta.frag<regs = [[0, 1]], lanes = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], warps = [[0, 4], [0, 8]]>
#other = #cta.frag<regs = [[0, 1]], lanes = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]]>
#sums = #cta.frag<regs = [], lanes = [[0], [1], [2], [4], [8]], warps = [[0], [0]]>

tile.kernel @scanned(%x: memref<16x16xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant -0.0 : f32
    %t = cta.load %x[%c0, %c0] : memref<16x16xf32> -> tensor<16x16xf32, #row>
    // expected-error @+1 {{breaks phase placed: every input and scanned tile of a scan must have layout}}
    %s, %n = cta.scan (%t) dim = 1 init(%zero) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    } : tensor<16x16xf32, #row> -> tensor<16x16xf32, #other>, tensor<16xf32, #sums>
  }
  tile.return
}

// -----

#row = #cta.frag<regs = [[0, 1]], lanes = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], warps = [[0, 4], [0, 8]]>
#wrong = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [0]], warps = [[0], [0]]>

tile.kernel @total(%x: memref<16x16xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant -0.0 : f32
    %t = cta.load %x[%c0, %c0] : memref<16x16xf32> -> tensor<16x16xf32, #row>
    // expected-error @+1 {{breaks phase placed: every carry and total of a scan must have layout}}
    %s, %n = cta.scan (%t) dim = 1 init(%zero) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    } : tensor<16x16xf32, #row> -> tensor<16x16xf32, #row>, tensor<16xf32, #wrong>
  }
  tile.return
}

// -----

#row = #cta.frag<regs = [[0, 1]], lanes = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], warps = [[0, 4], [0, 8]]>
#sums = #cta.frag<regs = [], lanes = [[0], [1], [2], [4], [8]], warps = [[0], [0]]>

tile.kernel @across(%x: memref<16x16xf32>) attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant -0.0 : f32
    %t = cta.load %x[%c0, %c0] : memref<16x16xf32> -> tensor<16x16xf32, #row>
    // expected-error @+1 {{breaks phase planned: scans across warps, or in a layout without an order along dimension 1; cta-decompose goes through scratch}}
    %s, %n = cta.scan (%t) dim = 1 init(%zero) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    } : tensor<16x16xf32, #row> -> tensor<16x16xf32, #row>, tensor<16xf32, #sums>
  }
  tile.return
}

// -----

#row = #cta.frag<regs = [[0, 1]], lanes = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], warps = [[0, 4], [0, 8]]>
#spread = #cta.frag<regs = [], lanes = [[0, 1], [1, 0], [2, 0], [4, 0], [8, 0]], warps = [[0, 2], [0, 0]]>

tile.kernel @repeat(%x: memref<16x4xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0, %c0] : memref<16x4xf32> -> tensor<16x4xf32, #spread>
    // expected-error @+1 {{breaks phase placed: the source of a cta.repeat must have layout}}
    %s = cta.repeat %t dim = 1 times = 4 : tensor<16x4xf32, #spread> -> tensor<16x16xf32, #row>
  }
  tile.return
}
