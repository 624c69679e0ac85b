// RUN: tile-opt %s -cta-lower-grid | FileCheck %s
// RUN: tile-opt %s -cta-lower-grid | tile-opt -canonicalize -cse -cta-verify | tile-opt | FileCheck %s --check-prefix=AGAIN

#placed = #tile.phase<planned>

// A persistent loop over clusters begins with the number from the table, if the output tiles fill eight waves of the blocks. The rank of a block in
// its cluster does not depend on it.
// CHECK-LABEL: tile.kernel @clusters(
// CHECK: %[[ROWS:.*]] = arith.divui %{{.*}}, %c2{{.*}} : index
// CHECK: %[[FULL:.*]] = arith.muli %[[ROWS]], %{{.*}} : index
// CHECK: %[[TOTAL:.*]] = arith.addi %[[FULL]], %{{.*}} : index
// CHECK: %[[FIT:.*]] = arith.minsi %[[TOTAL]], %{{.*}} : index
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[FIT]], %{{.*}} : index
// CHECK: %[[POINTS:.*]] = arith.muli %[[TOTAL]], %c2{{.*}} : index
// CHECK: %[[MANY:.*]] = arith.muli %[[BLOCKS]], %c8{{.*}} : index
// CHECK: %[[IF:.*]] = arith.cmpi sge, %[[POINTS]], %[[MANY]] : index
// CHECK: cta.launch @clusters_0 blocks(%[[BLOCKS]]) attributes {cluster = 2 : i64, min_blocks = 1 : i64} {
// CHECK-NEXT: %[[PLACE:.*]] = cta.cluster_place if %[[IF]] : index
// CHECK-NEXT: %[[FROM:.*]] = arith.index_castui %[[PLACE]] : index to i32
// CHECK-NEXT: cta.num_blocks
// CHECK: %[[STEP:.*]] = arith.divui %{{.*}}, %c2_i32
// CHECK: cta.for_output_tiles %{{.*}} = %[[FROM]] to %{{.*}} step %[[STEP]] : i32
// CHECK: %[[ID:.*]] = cta.block_id
// CHECK: %[[ID32:.*]] = arith.index_castui %[[ID]]
// CHECK: arith.remui %[[ID32]], %c2_i32
// CHECK-NOT: cta.cluster_place
// AGAIN: cta.cluster_place if %{{.*}} : index
tile.kernel @clusters(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
    %v = arith.constant dense<1.0> : tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 1>>
    cta.store %v, %x[%i, %j] : tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 1>> -> memref<?x?xf32>
  }
  tile.return
}

// Not without clusters, not without a loop, not if blocks share an SM, because the table is for one block on each SM, and not in stream-K, where
// shares wait for blocks that began before.
// CHECK-LABEL: tile.kernel @single(
// CHECK-NOT: cta.cluster_place
// CHECK-LABEL: tile.kernel @one_each(
// CHECK-NOT: cta.cluster_place
// CHECK-LABEL: tile.kernel @two_blocks(
// CHECK: cluster = 2
// CHECK-NOT: cta.cluster_place
// CHECK-LABEL: tile.kernel @parts(
// CHECK: cluster = 2
// CHECK-NOT: cta.cluster_place
tile.kernel @single(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 1>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
  }
  tile.return
}
tile.kernel @one_each(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #placed, plan = #cta.plan<persistent = 0, cluster = 2>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
  }
  tile.return
}
tile.kernel @two_blocks(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 2, blocks_per_sm = 2>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
  }
  tile.return
}
tile.kernel @parts(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 2, stream_k = 4>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
  }
  tile.return
}
