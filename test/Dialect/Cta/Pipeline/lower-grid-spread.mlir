// RUN: tile-opt %s -cta-lower-grid=dependent=true | FileCheck %s
// RUN: tile-opt %s -cta-lower-grid=dependent=true -canonicalize -cse -cta-verify -o %t
// RUN: tile-opt %s -cta-lower-grid | FileCheck %s --check-prefix=OWN
// Few output tiles are spread over the TPCs: the numbers with which blocks begin are permuted. SpreadBlocksTest counts what the arithmetic says.

// CHECK-LABEL: tile.kernel @few(
// CHECK: %[[TOTAL:.*]] = arith.muli
// CHECK: %[[CORES:.*]] = tile.num_cores : index
// The output tiles of the wave that is spread: the only wave, or the last one if there is one row or one column.
// CHECK: %[[REST:.*]] = arith.remui %[[TOTAL]], %[[CORES2:.*]] : index
// CHECK: %[[ONLY:.*]] = arith.cmpi ult, %[[TOTAL]], %[[CORES2]] : index
// CHECK: arith.cmpi eq, %{{.*}}, %[[TOTAL]] : index
// CHECK: arith.cmpi eq, %{{.*}}, %[[TOTAL]] : index
// CHECK: %[[SPREAD:.*]] = arith.select %{{.*}}, %[[REST]], %{{.*}} : index
// CHECK: %[[PAIRS:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK: %[[HALF:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK: cta.launch @few_0
// CHECK: %[[ID:.*]] = cta.block_id : index
// CHECK: %[[B:.*]] = arith.index_castui %[[ID]] : index to i32
// CHECK: %[[TPC:.*]] = arith.shrui %[[B]], %{{.*}} : i32
// CHECK: %[[ODD:.*]] = arith.andi %[[B]], %{{.*}} : i32
// CHECK: %[[ISODD:.*]] = arith.cmpi ne, %[[ODD]], %{{.*}} : i32
// CHECK: %[[BEHIND:.*]] = arith.select %[[ISODD]], %[[HALF]], %[[PAIRS]] : i32
// CHECK: %[[ALONE:.*]] = arith.addi %[[TPC]], %[[BEHIND]] : i32
// CHECK: %[[IS:.*]] = arith.cmpi uge, %[[TPC]], %[[PAIRS]] : i32
// CHECK: %[[FROM:.*]] = arith.select %[[IS]], %[[ALONE]], %[[B]] : i32
// CHECK: cta.for_output_tiles %{{.*}} = %[[FROM]] to
// A launch that is not dependent has as many blocks as output tiles, and the hardware spreads these.
// OWN-LABEL: tile.kernel @few(
// OWN: %[[ID:.*]] = cta.block_id : index
// OWN: %[[B:.*]] = arith.index_castui %[[ID]] : index to i32
// OWN: cta.for_output_tiles %{{.*}} = %[[B]] to
tile.kernel @few(%x: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, blocks_per_sm = 1>} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  %one = arith.constant 1.0 : f32
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 128) {
    memref.store %one, %x[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// Of two blocks on an SM the first ones have the first output tiles.
// CHECK-LABEL: tile.kernel @two(
// CHECK: %[[ID:.*]] = cta.block_id : index
// CHECK: %[[B:.*]] = arith.index_castui %[[ID]] : index to i32
// CHECK: %[[PLACE:.*]] = arith.subi %[[B]], %[[START:.*]] : i32
// CHECK: arith.shrui %[[PLACE]], %{{.*}} : i32
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[PLACE]], %{{.*}} : i32
// CHECK: %[[HERE:.*]] = arith.andi %[[IN]], %{{.*}} : i1
// CHECK: %[[THERE:.*]] = arith.addi %[[START]], %{{.*}} : i32
// CHECK: %[[FROM:.*]] = arith.select %[[HERE]], %[[THERE]], %[[B]] : i32
// CHECK: cta.for_output_tiles %{{.*}} = %[[FROM]] to
tile.kernel @two(%x: memref<?xf32> {tile.shape = ["M"]})
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, blocks_per_sm = 2>} {
  %m = tile.dim "M" : index
  %one = arith.constant 1.0 : f32
  tile.grid (%i) = (0) to (%m) step (64) {
    memref.store %one, %x[%i] : memref<?xf32>
  }
  tile.return
}

// Not with clusters, whose blocks have successive numbers, nor in parts, which wait for lower numbers.
// CHECK-LABEL: tile.kernel @clusters(
// CHECK: cta.launch
// CHECK: %[[PLACE:.*]] = cta.cluster_place if %{{.*}} : index
// CHECK: %[[FROM:.*]] = arith.index_castui %[[PLACE]] : index to i32
// CHECK: cta.for_output_tiles %{{.*}} = %[[FROM]] to
tile.kernel @clusters(%x: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, blocks_per_sm = 1, cluster = 2>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
    %v = arith.constant dense<1.0> : tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 1>>
    cta.store %v, %x[%i, %j] : tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 1>> -> memref<?x?xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @parts(
// CHECK: cta.launch
// CHECK: %[[ID:.*]] = cta.block_id : index
// CHECK: %[[B:.*]] = arith.index_castui %[[ID]] : index to i32
// CHECK: cta.for_output_tiles %{{.*}} = %[[B]] to
tile.kernel @parts(%x: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, blocks_per_sm = 1, stream_k = 4>} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  %one = arith.constant 1.0 : f32
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 128) {
    memref.store %one, %x[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// What a queue gives are the numbers behind those of the blocks.
// CHECK-LABEL: tile.kernel @queue(
// CHECK: cta.launch
// CHECK: %[[ID:.*]] = cta.block_id : index
// CHECK: %[[B:.*]] = arith.index_castui %[[ID]] : index to i32
// CHECK: cta.for_output_tiles %{{.*}} = %[[B]] to
// CHECK: cta.queued
tile.kernel @queue(%x: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, blocks_per_sm = 1, stages = 2, producers = 1>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  %one = arith.constant 1.0 : f32
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 128) order = <slowest = 1, dynamic> {
    memref.store %one, %x[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// A launch of one block for each output tile has the hardware's order.
// CHECK-LABEL: tile.kernel @each(
// CHECK: cta.launch
// CHECK-NOT: arith.andi
// CHECK: memref.store
tile.kernel @each(%x: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 0, blocks_per_sm = 1>} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  %one = arith.constant 1.0 : f32
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 128) {
    memref.store %one, %x[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// Where the plan says so blocks keep their numbers.
// CHECK-LABEL: tile.kernel @switched_off(
// CHECK: cta.launch
// CHECK: %[[ID:.*]] = cta.block_id : index
// CHECK: %[[B:.*]] = arith.index_castui %[[ID]] : index to i32
// CHECK: cta.for_output_tiles %{{.*}} = %[[B]] to
tile.kernel @switched_off(%x: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, blocks_per_sm = 1, spread = 0>} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  %one = arith.constant 1.0 : f32
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 128) {
    memref.store %one, %x[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// Blocks that may wait for others begin in the order of their numbers.
#l = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 1>
// CHECK-LABEL: tile.kernel @waits(
// CHECK: cta.launch
// CHECK: %[[ID:.*]] = cta.block_id : index
// CHECK: %[[B:.*]] = arith.index_castui %[[ID]] : index to i32
// CHECK: cta.for_output_tiles %{{.*}} = %[[B]] to
tile.kernel @waits(%C: memref<128xi32>, %m: index) attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1>, warpgroups = 1} {
  tile.grid (%i) = (0) to (%m) step (128) {
    %v = arith.constant dense<1> : tensor<128xi32, #l>
    %old = cta.atomic add returning %v, %C[%i] : tensor<128xi32, #l> -> memref<128xi32>
    cta.store %old, %C[%i] : tensor<128xi32, #l> -> memref<128xi32>
  }
  tile.return
}

// A grid that keeps tables is persistent whatever the plan says, and its blocks keep their numbers.
// CHECK-LABEL: tile.kernel @tables(
// CHECK: cta.launch
// CHECK: %[[ID:.*]] = cta.block_id : index
// CHECK: %[[B:.*]] = arith.index_castui %[[ID]] : index to i32
// CHECK: cta.for_output_tiles %{{.*}} = %[[B]] to
tile.kernel @tables(%x: memref<?xf32> {tile.shape = ["M"]}) attributes {phase = #tile.phase<planned>} {
  %m = tile.dim "M" : index
  %one = arith.constant 1.0 : f32
  tile.grid (%i) = (0) to (%m) step (64) attributes {cta.persistent = 4 : i64} {
    memref.store %one, %x[%i] : memref<?xf32>
  }
  tile.return
}
