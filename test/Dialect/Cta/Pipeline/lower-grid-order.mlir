// RUN: tile-opt %s -cta-lower-grid | FileCheck %s
// RUN: tile-opt %s -cta-lower-grid -canonicalize -cse -cta-verify -o /dev/null
// RUN: tile-opt %s -cta-lower-grid -convert-cta-to-tile -tile-verify -o /dev/null

#planned = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>

// One block for each output tile: along dimension 0 from its end, and the columns vary fastest. What does not depend on the block is computed in it.
// CHECK-LABEL: tile.kernel @reverse(
// CHECK: cta.launch @reverse_0 blocks(%[[M:.*]], %[[N:.*]]) attributes {cta.order = #tile.order<slowest = 0, reverse>} {
// CHECK: %[[B:.*]] = cta.block_id : index
// CHECK: %[[NUMBER:.*]] = arith.index_castui %[[B]] : index to i32
// CHECK: %[[ROWS:.*]] = arith.index_castui %[[M]] : index to i32
// CHECK: %[[COLUMNS:.*]] = arith.index_castui %[[N]] : index to i32
// CHECK: %[[NARROW:.*]] = arith.divui %[[COLUMNS]], %[[MANY:.*]] : i32
// CHECK: %[[WIDER:.*]] = arith.remui %[[COLUMNS]], %[[MANY]] : i32
// CHECK: %[[WIDE:.*]] = arith.addi %[[NARROW]], %c1_i32{{.*}} : i32
// CHECK: %[[BEFORE:.*]] = arith.muli %[[WIDER]], %[[WIDE]] : i32
// CHECK: %[[ALL:.*]] = arith.muli %[[BEFORE]], %[[ROWS]] : i32
// CHECK: %[[IS:.*]] = arith.cmpi ult, %[[NUMBER]], %[[ALL]] : i32
// CHECK: %[[SKIPPED:.*]] = arith.select %[[IS]], %c0_i32{{.*}}, %[[BEFORE]] : i32
// CHECK: %[[WIDTH:.*]] = arith.select %[[IS]], %[[WIDE]], %[[NARROW]] : i32
// CHECK: %[[SECTION:.*]] = arith.divui %{{.*}}, %{{.*}} : i32
// CHECK: %[[INSIDE:.*]] = arith.remui %{{.*}}, %{{.*}} : i32
// CHECK: %[[HERE:.*]] = arith.muli %[[SECTION]], %[[WIDTH]] : i32
// CHECK: %[[FIRST:.*]] = arith.addi %[[SKIPPED]], %[[HERE]] : i32
// CHECK-DAG: %[[MORE:.*]] = arith.maxui %[[WIDE]], %c1_i32{{.*}} : i32
// CHECK-DAG: %[[LESS:.*]] = arith.maxui %[[NARROW]], %c1_i32{{.*}} : i32
// CHECK: %[[BY:.*]] = arith.select %[[IS]], %[[MORE]], %[[LESS]] : i32
// CHECK: %[[PLACE:.*]] = arith.divui %[[INSIDE]], %[[BY]] : i32
// CHECK: %[[OTHER:.*]] = arith.remui %[[INSIDE]], %[[BY]] : i32
// CHECK: %[[LAST:.*]] = arith.subi %[[ROWS]], %c1_i32{{.*}} : i32
// CHECK: %[[ROW:.*]] = arith.subi %[[LAST]], %[[PLACE]] : i32
// CHECK: %[[COLUMN:.*]] = arith.addi %[[FIRST]], %[[OTHER]] : i32
// CHECK: arith.index_castui %[[ROW]] : i32 to index
// CHECK: arith.index_castui %[[COLUMN]] : i32 to index
tile.kernel @reverse(%C: memref<?x?xf32>, %m: index, %n: index, %f: f32) attributes {phase = #planned, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 32) order = <slowest = 0, reverse, dynamic> {
    memref.store %f, %C[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// A persistent launch with a role that loads takes numbers from a queue. There are as few sections of at most three columns as possible.
// CHECK-LABEL: tile.kernel @queue(
// CHECK: %[[SECTIONS:.*]] = arith.ceildivsi %{{.*}}, %c3 : index
// CHECK: arith.index_castui %[[SECTIONS]] : index to i32
// CHECK: %[[QUEUE:.*]] = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
// CHECK: cta.launch @queue_0 blocks(%{{.*}}) attributes {cta.order = #tile.order<slowest = 0, section = 3, dynamic>
// CHECK: cta.for_output_tiles %[[T:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK-NEXT: %[[N:.*]] = cta.queued %[[T]] from %[[QUEUE]] : memref<1xi32>
// CHECK-NEXT: arith.cmpi ult, %[[N]], %{{.*}} : i32
tile.kernel @queue(%C: memref<?x?xf32>, %m: index, %n: index, %f: f32) attributes {phase = #planned, plan = #cta.plan<persistent = 1, stages = 2, producers = 1>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 32) order = <slowest = 0, section = 3, dynamic> {
    memref.store %f, %C[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// Without a slowest dimension, too.
// CHECK-LABEL: tile.kernel @rows(
// CHECK: cta.order = #tile.order<group = 0, dynamic>
// CHECK: cta.queued
tile.kernel @rows(%C: memref<?x?xf32>, %m: index, %n: index, %f: f32) attributes {phase = #planned, plan = #cta.plan<persistent = 1, stages = 2, producers = 1>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 32) order = <dynamic> {
    memref.store %f, %C[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// No queue without an order that says so, without channels, without roles, in clusters, with stream-K, with ping-pong.
// CHECK-LABEL: tile.kernel @static(
// CHECK-NOT: cta.queued
// CHECK-LABEL: tile.kernel @synchronous(
// CHECK: cta.order = #tile.order<group = 0>
// CHECK-NOT: cta.queued
// CHECK-LABEL: tile.kernel @no_roles(
// CHECK-NOT: cta.queued
// CHECK-LABEL: tile.kernel @in_clusters(
// CHECK-NOT: cta.queued
// CHECK-LABEL: tile.kernel @parts(
// CHECK-NOT: cta.queued
// CHECK-LABEL: tile.kernel @ping_pong(
// CHECK-NOT: cta.queued
tile.kernel @static(%C: memref<?x?xf32>, %m: index, %n: index, %f: f32) attributes {phase = #planned, plan = #cta.plan<persistent = 1, stages = 2, producers = 1>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 32) order = <slowest = 0, section = 3> {
    memref.store %f, %C[%i, %j] : memref<?x?xf32>
  }
  tile.return
}
tile.kernel @synchronous(%C: memref<?x?xf32>, %m: index, %n: index, %f: f32) attributes {phase = #planned, plan = #cta.plan<persistent = 1, stages = 0, producers = 0>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 32) order = <dynamic> {
    memref.store %f, %C[%i, %j] : memref<?x?xf32>
  }
  tile.return
}
tile.kernel @no_roles(%C: memref<?x?xf32>, %m: index, %n: index, %f: f32) attributes {phase = #planned, plan = #cta.plan<persistent = 1, stages = 2, producers = 0>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 32) order = <dynamic> {
    memref.store %f, %C[%i, %j] : memref<?x?xf32>
  }
  tile.return
}
tile.kernel @in_clusters(%C: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #planned, plan = #cta.plan<persistent = 1, stages = 2, producers = 1, cluster = 2, cluster_dim = 0>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 32) order = <dynamic> {
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #acc>
    cta.store %zero, %C[%i, %j] : tensor<64x32xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @parts(%C: memref<?x?xf32>, %m: index, %n: index, %f: f32) attributes {phase = #planned, plan = #cta.plan<persistent = 1, stages = 2, producers = 1, stream_k = 4>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 32) order = <dynamic> {
    memref.store %f, %C[%i, %j] : memref<?x?xf32>
  }
  tile.return
}
tile.kernel @ping_pong(%C: memref<?x?xf32>, %m: index, %n: index, %f: f32) attributes {phase = #planned, plan = #cta.plan<persistent = 1, stages = 2, producers = 4, replicate = blocks, warpgroups = 2>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 32) order = <dynamic> {
    memref.store %f, %C[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// No section reads more than 32 MiB in the longest output tiles: the bound of the loop at the last coordinate, before the launch. As many as have two waves of
// blocks each; when they are counted an eighth of one may be lacking.
// CHECK-LABEL: tile.kernel @shared(
// CHECK: %[[ROWS:.*]] = arith.maxsi
// CHECK: %[[COLUMNS:.*]] = arith.maxsi
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c1{{.*}} : index
// CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %c64{{.*}} : index
// CHECK: %[[END:.*]] = arith.addi %[[AT]], %c64{{.*}} : index
// CHECK: %[[TRIPS:.*]] = arith.ceildivsi %[[END]], %c64{{.*}} : index
// CHECK: %[[MOST:.*]] = arith.maxsi %[[TRIPS]], %c1{{.*}} : index
// CHECK: %[[FEW:.*]] = arith.divsi %c4096, %[[MOST]] : index
// CHECK: %[[FIT:.*]] = arith.maxsi %[[FEW]], %c1{{.*}} : index
// CHECK: %[[CORES:.*]] = tile.num_cores : index
// CHECK-DAG: %[[TILES:.*]] = arith.muli %[[COLUMNS]], %[[ROWS]] : index
// CHECK-DAG: %[[TWO:.*]] = arith.muli %[[CORES]], %c2{{.*}} : index
// CHECK: %[[EIGHTH:.*]] = arith.divsi %[[TWO]], %c8{{.*}} : index
// CHECK-DAG: %[[SUM:.*]] = arith.addi %[[TILES]], %[[EIGHTH]] : index
// CHECK-DAG: %[[WAVES:.*]] = arith.maxsi %[[TWO]], %c1{{.*}} : index
// CHECK-DAG: %[[FULL:.*]] = arith.divsi %[[SUM]], %[[WAVES]] : index
// CHECK-DAG: %[[LEAST:.*]] = arith.ceildivsi %[[COLUMNS]], %[[FIT]] : index
// CHECK: arith.maxsi %[[LEAST]], %[[FULL]] : index
// CHECK: cta.launch @shared_0
tile.kernel @shared(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %m: index, %n: index) attributes {phase = #planned, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 64) order = <slowest = 0, reverse, shared = 8192> {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.addi %i, %c64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %b = cta.copy %A[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc>
      scf.yield %p : tensor<64x64xf32, #acc>
    }
    cta.store %acc, %C[%i, %j] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// Without a loop of products nobody knows what output tiles read: one section, and the launch does not say otherwise.
// CHECK-LABEL: tile.kernel @nothing_shared(
// CHECK-NOT: tile.num_cores
// CHECK: cta.launch @nothing_shared_0 {{.*}}cta.order = #tile.order<slowest = 0, reverse>}
tile.kernel @nothing_shared(%C: memref<?x?xf32>, %m: index, %n: index, %f: f32) attributes {phase = #planned, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 32) order = <slowest = 0, reverse, shared = 8192> {
    memref.store %f, %C[%i, %j] : memref<?x?xf32>
  }
  tile.return
}
