// RUN: tile-opt %s -cta-lower-grid -split-input-file -verify-diagnostics

// expected-error @below {{cta-lower-grid needs a kernel in phase planned, but this one is in phase L0 (no phase); run the passes in the order of the pipeline}}
tile.kernel @l0() {
  tile.grid () = () to () step () {
  }
  tile.return
}

// -----

tile.kernel @zero_step() attributes {phase = #tile.phase<planned>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-error @below {{has the step 0 in dimension 1; a step must be at least 1}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (%c8, %c0) {
  }
  tile.return
}

// -----

tile.kernel @negative_step(%n: index) attributes {phase = #tile.phase<planned>} {
  %c = arith.constant -4 : index
  // expected-error @below {{has the step -4 in dimension 0; a step must be at least 1}}
  tile.grid (%i) = (0) to (%n) step (%c) {
  }
  tile.return
}

// -----

// expected-error @below {{has the plan 3 : i64; a plan is a #cta.plan}}
tile.kernel @plan(%n: index) attributes {phase = #tile.phase<planned>, plan = 3} {
  tile.grid (%i) = (0) to (%n) step (1) {
  }
  tile.return
}

// -----

tile.kernel @too_long() attributes {phase = #tile.phase<planned>} {
  // expected-error @below {{has [2147483648] output tiles, and a launch takes at most 2147483647 of them; split the grid, or make its steps longer}}
  tile.grid (%i) = (-1) to (2147483647) step (1) {
  }
  tile.return
}

// -----

// More output tiles than an index can count.
tile.kernel @longest() attributes {phase = #tile.phase<planned>} {
  // expected-error @below {{has [9223372036854775807] output tiles}}
  tile.grid (%i) = (-9223372036854775807) to (9223372036854775807) step (1) {
  }
  tile.return
}

// -----

// 2^64 of them, which would be 0.
tile.kernel @too_many(%n: index) attributes {phase = #tile.phase<planned>} {
  // expected-error @below {{has [4294967296, ?, 4294967296] output tiles, and a launch takes at most 2147483647 of them}}
  tile.grid (%i, %j, %k) = (0, 0, 0) to (4294967296, %n, 4294967296) step (1, 1, 1) {
  }
  tile.return
}

// -----

// A persistent loop counts beyond its last output tile.
tile.kernel @too_many_points() attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1>} {
  // expected-error @below {{has [1024, 2097152] output tiles, and a launch takes at most 2145386496 of them}}
  tile.grid (%i, %j) = (0, 0) to (1024, 2097152) step (1, 1) {
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!t = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
// Blocks that are not persistent are in no clusters.
tile.kernel @one_each(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %X: memref<?x?xf32> {tile.shape = ["M", "X"]})
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<stages = 2, persistent = 0, cluster = 2>, warpgroups = 1} {
  %M = tile.dim "M" : index
  // expected-error @below {{has a plan with cluster = 2, but persistent = 0; only persistent launches run in clusters: plan persistent = 1, or cluster = 1}}
  tile.grid (%i) = (0) to (%M) step (64) {
    %c0 = arith.constant 0 : index
    %b = cta.copy %A[%i, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !t
    %d = cta.wgmma %b, %b : !t, !t -> tensor<64x64xf32, #acc>
    cta.store %d, %X[%i, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @spread_queue(%C: memref<?x?xf32>, %m: index, %n: index, %f: f32)
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, stages = 2, producers = 1, spread = 1>, warpgroups = 1} {
  // expected-error @below {{has a plan with spread = 1, but its blocks take output tiles from a queue; leave out 'spread'}}
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 32) order = <slowest = 0, section = 3, dynamic> {
    memref.store %f, %C[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 1>
tile.kernel @spread_wait(%C: memref<128xi32>, %m: index)
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, spread = 1>, warpgroups = 1} {
  // expected-error @below {{has a plan with spread = 1, but its blocks may wait for those with lower numbers; leave out 'spread'}}
  tile.grid (%i) = (0) to (%m) step (128) {
    %v = arith.constant dense<1> : tensor<128xi32, #l>
    %old = cta.atomic add returning %v, %C[%i] : tensor<128xi32, #l> -> memref<128xi32>
    cta.store %old, %C[%i] : tensor<128xi32, #l> -> memref<128xi32>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 1>
tile.kernel @spread_cluster(%C: memref<?xi32> {tile.shape = ["M"]})
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, cluster = 2, cluster_dim = 0, spread = 1>, warpgroups = 1} {
  %m = tile.dim "M" : index
  // expected-error @below {{has a plan with spread = 1, but the blocks of a cluster need successive numbers; leave out 'spread'}}
  tile.grid (%i) = (0) to (%m) step (128) {
    %v = arith.constant dense<1> : tensor<128xi32, #l>
    cta.store %v, %C[%i] : tensor<128xi32, #l> -> memref<?xi32>
  }
  tile.return
}

// -----

tile.kernel @spread_parts(%C: memref<?x?xf32>, %m: index, %n: index, %f: f32)
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, stream_k = 4, spread = 1>, warpgroups = 1} {
  // expected-error @below {{has a plan with spread = 1, but parts of output tiles begin in the order of their numbers; leave out 'spread'}}
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 32) {
    memref.store %f, %C[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @spread_each(%C: memref<?x?xf32>, %m: index, %n: index, %f: f32)
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 0, spread = 1>, warpgroups = 1} {
  // expected-error @below {{has a plan with spread = 1, but its launch is not persistent; leave out 'spread'}}
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 32) {
    memref.store %f, %C[%i, %j] : memref<?x?xf32>
  }
  tile.return
}
