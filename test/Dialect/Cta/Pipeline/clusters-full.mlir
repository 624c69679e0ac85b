// RUN: tile-opt %s -split-input-file -cta-lower-grid -canonicalize | FileCheck %s

// Clusters that divide a known number of output tiles have none beyond the end: a grid with scalar accesses may run in them, without a remainder.
// CHECK-LABEL: tile.kernel @four(
// CHECK-NOT:   arith.remui %{{.*}}, %c2 : index
// CHECK:       cta.launch @four_0 blocks(%{{.*}}) attributes {cluster = 2 : i64
// CHECK:         cta.for_output_tiles
// CHECK:           memref.load
tile.kernel @four(%x: memref<?xf32>) attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  tile.grid (%i) = (0) to (7) step (2) {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %x[%i] : memref<?xf32>
  }
  tile.return
}

// -----

// Along the last dimension, of which only the extent is known.
// CHECK-LABEL: tile.kernel @columns(
// CHECK:       cta.launch @columns_0 blocks(%{{.*}}) attributes {cluster = 4 : i64
tile.kernel @columns(%x: memref<?x4xf32>, %n: index) attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, cluster = 4, cluster_dim = 1>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%n, 4) step (1, 1) {
    %v = memref.load %x[%i, %j] : memref<?x4xf32>
    memref.store %v, %x[%i, %j] : memref<?x4xf32>
  }
  tile.return
}
