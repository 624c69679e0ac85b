// RUN: tile-opt %s -split-input-file -verify-diagnostics -cta-verify

// Layouts of indices and of parts; what is left after cta-decompose.

#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#along = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [0], [0]], warps = [[0], [0]], wg = 1>
#others = #cta.frag<regs = [[1], [2]], lanes = [[0], [4], [8], [16], [0]], warps = [[0], [0]], wg = 1>

tile.kernel @index() attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %a = arith.constant dense<1.0> : tensor<16x32xf32, #rows>
    %i = arith.constant dense<1> : tensor<32xi32, #others>
    // expected-error @+1 {{the index tile must have layout}}
    %0 = cta.take %a at %i dims = [1] : tensor<16x32xf32, #rows>, tensor<32xi32, #others> -> tensor<16x32xf32, #rows>
  }
  tile.return
}

// -----

#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>

tile.kernel @parts() attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %a = arith.constant dense<1> : tensor<16x32xi16, #rows>
    // expected-error @+1 {{the tile with more elements of a pack or unpack must have layout}}
    %0 = cta.unpack %a : tensor<16x32xi16, #rows> -> tensor<16x64xi8, #rows>
  }
  tile.return
}

// -----

#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#along = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [0], [0]], warps = [[0], [0]], wg = 1>

tile.kernel @planned() attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %a = arith.constant dense<1.0> : tensor<16x32xf32, #rows>
    %i = arith.constant dense<1> : tensor<32xi32, #along>
    // expected-error @+1 {{cta-decompose replaces it by scratch}}
    %0 = cta.take %a at %i dims = [1] : tensor<16x32xf32, #rows>, tensor<32xi32, #along> -> tensor<16x32xf32, #rows>
  }
  tile.return
}

// -----

#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>

tile.kernel @print() attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %a = arith.constant dense<1.0> : tensor<16x32xf32, #rows>
    // expected-error @+1 {{prints a register tile; cta-decompose goes through scratch}}
    cta.print "a" %a[] : tensor<16x32xf32, #rows>
  }
  tile.return
}
