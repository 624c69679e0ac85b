// RUN: tile-opt %s -split-input-file -cta-lower-grid -verify-diagnostics

// Blocks beyond the end of the grid have no scalars to read.
tile.kernel @scalars(%x: memref<?xf32>, %n: index) attributes {phase = #tile.phase<placed>, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  // expected-error @below {{cannot run in clusters, which may have points beyond the end of its dimension 0: scalar accesses, assumptions and assertions would not hold there; plan cluster = 1, or another cluster_dim}}
  tile.grid (%i) = (0) to (%n) step (1) {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %x[%i] : memref<?xf32>
  }
  tile.return
}

// -----

// The grid ends before the array does: a point more would be stored.
#rows = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 1>
tile.kernel @part(%y: memref<?xf32> {tile.shape = ["M"]}, %m: index) attributes {phase = #tile.phase<placed>, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  // expected-error @below {{cannot run in clusters, which may have points beyond the end of its dimension 0: a store there is dropped only if}}
  tile.grid (%i) = (0) to (%m) step (128) {
    %v = arith.constant dense<1.0> : tensor<128xf32, #rows>
    cta.store %v, %y[%i] : tensor<128xf32, #rows> -> memref<?xf32>
  }
  tile.return
}
