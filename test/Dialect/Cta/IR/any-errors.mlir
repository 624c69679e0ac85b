// RUN: tile-opt %s --cta-verify -split-input-file -verify-diagnostics

#rows = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 1>
func.func @element(%x: tensor<128xi8, #rows>) {
  // expected-error @+1 {{'cta.any' op any_c1: the tile must have elements of type i1, got 'tensor<128xi8, #cta.frag<}}
  %c = cta.any %x : tensor<128xi8, #rows>
  return
}

// -----

// A warp may not decide alone whether all wait at a barrier.
#rows = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 1>
tile.kernel @shared(%y: memref<?xf32>) attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 0>} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %m = cta.load %y[%c0] : memref<?xf32> -> tensor<128xf32, #rows>
    %need = arith.cmpf une, %m, %m : tensor<128xf32, #rows>
    // expected-error @+1 {{any_c2: each warp votes for itself, but the branch uses shared memory: cta.stage}}
    %c = cta.any warp rare %need : tensor<128xi1, #rows>
    %r = scf.if %c -> (tensor<128xf32, #rows>) {
      %s = cta.stage %m : tensor<128xf32, #rows> -> !cta.smem<128xf32, #cta.swizzle<linear>>
      %t = cta.read %s : !cta.smem<128xf32, #cta.swizzle<linear>> -> tensor<128xf32, #rows>
      scf.yield %t : tensor<128xf32, #rows>
    } else {
      scf.yield %m : tensor<128xf32, #rows>
    }
    cta.store %r, %y[%c0] : tensor<128xf32, #rows> -> memref<?xf32>
  }
  tile.return
}

// -----

// A scalar is the same for the whole block.
#rows = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 1>
tile.kernel @scalar(%y: memref<?xf32>) attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 0>} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %m = cta.load %y[%c0] : memref<?xf32> -> tensor<128xf32, #rows>
    %need = arith.cmpf une, %m, %m : tensor<128xf32, #rows>
    // expected-error @+1 {{any_c2: each warp votes for itself, but the result is more than the condition of a branch: it is used by arith.index_castui}}
    %c = cta.any warp %need : tensor<128xi1, #rows>
    %i = arith.index_castui %c : i1 to index
    cta.store %m, %y[%i] : tensor<128xf32, #rows> -> memref<?xf32>
  }
  tile.return
}
