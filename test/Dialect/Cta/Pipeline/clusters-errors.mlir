// RUN: tile-opt %s -split-input-file -cta-lower-grid -verify-diagnostics

// Blocks beyond the end of the grid have no scalars to read.
tile.kernel @scalars(%x: memref<?xf32>, %n: index) attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  // expected-error @below {{cannot run in clusters along its dimension 0: output tiles may be beyond its end: scalar accesses, assumptions and assertions would not hold there; plan cluster = 1, or another cluster_dim}}
  tile.grid (%i) = (0) to (%n) step (1) {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %x[%i] : memref<?xf32>
  }
  tile.return
}

// -----

// The grid ends before the array does: one more output tile would be stored.
#rows = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 1>
tile.kernel @part(%y: memref<?xf32> {tile.shape = ["M"]}, %m: index) attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  // expected-error @below {{cannot run in clusters along its dimension 0: output tiles may be beyond its end: a store there is dropped only if}}
  tile.grid (%i) = (0) to (%m) step (128) {
    %v = arith.constant dense<1.0> : tensor<128xf32, #rows>
    cta.store %v, %y[%i] : tensor<128xf32, #rows> -> memref<?xf32>
  }
  tile.return
}

// -----

// Beyond the end of the other dimension, or before the output tile: not dropped there. A dimension that the grid does not have.
tile.kernel @other_dim(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, cluster = 2, cluster_dim = 1>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  // expected-error @below {{cannot run in clusters along its dimension 1: output tiles may be beyond its end: a store there is dropped only if}}
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
    %less = arith.constant -64 : index
    %before = arith.addi %j, %less : index
    %v = cta.load %x[%i, %j] : memref<?x?xf32> -> tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 1>>
    cta.store %v, %x[%i, %before] : tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 1>> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @no_dim(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, cluster = 2, cluster_dim = 2>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  // expected-error @below {{has rank 2, but its plan has clusters along dimension 2}}
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
    %v = cta.load %x[%i, %j] : memref<?x?xf32> -> tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 1>>
    cta.store %v, %x[%i, %j] : tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 1>> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Of three output tiles, which are known here, clusters of two have one beyond the end.
tile.kernel @three(%x: memref<?xf32>) attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  // expected-error @below {{cannot run in clusters along its dimension 0: output tiles may be beyond its end: scalar accesses}}
  tile.grid (%i) = (0) to (3) step (1) {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %x[%i] : memref<?xf32>
  }
  tile.return
}

// -----

// A block may wait for one with a lower number, also where no cluster has an output tile beyond the end.
tile.kernel @waits(%x: memref<?xi32>) attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  // expected-error @below {{cannot run in clusters along its dimension 0: a block may wait for output tiles with lower numbers, which other blocks of its cluster may have}}
  tile.grid (%i) = (0) to (4) step (1) {
    %c0 = arith.constant 0 : index
    %none = arith.constant dense<0> : tensor<i32, #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>>
    %seen = cta.atomic add acquire returning %none, %x[%c0] : tensor<i32, #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>> -> memref<?xi32>
  }
  tile.return
}
