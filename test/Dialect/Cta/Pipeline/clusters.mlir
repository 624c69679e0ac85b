// RUN: tile-opt %s -split-input-file -cta-lower-grid | FileCheck %s --check-prefix=GRID
// RUN: tile-opt %s -split-input-file -cta-lower-grid -cta-pipeline-copies | FileCheck %s --check-prefix=COPIES
// RUN: tile-opt %s -split-input-file -cta-lower-grid -cta-pipeline-copies -cta-schedule -cta-specialize-warps -cta-lower-channels | FileCheck %s --check-prefix=CHANNELS
// RUN: tile-opt %s -split-input-file -cta-lower-grid -cta-pipeline-copies -cta-schedule -cta-specialize-warps -cta-lower-channels \
// RUN:   -cta-allocate-shared -cta-insert-barriers -cta-assign-registers -convert-cta-to-nvvm | FileCheck %s --check-prefix=NVVM

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>
!c = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

// Two successive blocks of the first dimension are a cluster. The number of clusters comes from half the rows (and from the remaining
// row, see cluster-rest.mlir), the number of blocks is twice that of clusters, the row of a block is twice that of its cluster plus its
// rank.
// GRID-LABEL: tile.kernel @gemm(
// GRID:       %[[LEFT:.*]] = arith.remui %[[COUNT:.*]], %c2 : index
// GRID:       %[[ROWS:.*]] = arith.divui %[[COUNT]], %c2 : index
// GRID:       %[[CORES:.*]] = tile.num_cores
// GRID:       %[[ROOM:.*]] = arith.divsi %[[CORES]], %{{.*}}
// GRID:       %[[MAX:.*]] = cta.max_clusters
// GRID:       %[[SAME:.*]] = arith.minsi %[[ROOM]], %[[MAX]]
// GRID:       %[[FIT:.*]] = arith.maxsi %[[SAME]], %c1
// GRID:       %[[CLUSTERS:.*]] = arith.minsi %{{.*}}, %[[FIT]]
// GRID:       %[[BLOCKS:.*]] = arith.muli %[[CLUSTERS]]
// GRID:       cta.launch @gemm_0 blocks(%[[BLOCKS]]) attributes {cluster = 2 : i64
// GRID:         cta.cluster_place if %{{.*}} : index
// GRID:         arith.divui %{{.*}}, %c2_i32
// GRID:         cta.for_output_tiles
// GRID:           %[[RANK:.*]] = arith.remui %{{.*}}, %c2_i32
// GRID:           arith.addi %{{.*}}, %[[RANK]] : i32

// B is the same for both blocks of a cluster, and each fetches half of it for both. Each block has an A of its own. For the remaining row it is the
// other way round.
// COPIES-LABEL: tile.kernel @gemm(
// COPIES:         %[[FULL:.*]] = arith.cmpi ult
// COPIES-NEXT:    %[[TRUE:.*]] = arith.constant true
// COPIES-NEXT:    %[[REST:.*]] = arith.xori %[[FULL]], %[[TRUE]] : i1
// COPIES:         cta.copy %A[{{.*}}] multicast_if = %[[REST]] {mechanism = #cta.mechanism<tma>, multicast = 2 : i64} :
// COPIES-NEXT:    cta.copy %B[{{.*}}] multicast_if = %[[FULL]] {mechanism = #cta.mechanism<tma>, multicast = 2 : i64} :

// Both blocks write to a slot: it is free when the warpgroups of both have released it.
// CHANNELS-LABEL: tile.kernel @gemm(
// CHANNELS:       mbarriers = array<i64: 1, 1, 1, 2, 2, 2>
// CHANNELS:       cta.arrive 3[%{{.*}}] {cluster = 2 : i64}
// CHANNELS:       cta.expect 0[%{{.*}}] bytes = 24576
// CHANNELS:       cta.copy %B{{.*}} multicast_if = %{{.*}} into %{{.*}} {mbarrier = 0 : i64, mechanism = #cta.mechanism<tma>, multicast = 2 : i64}

// No block signals mbarriers that are not set up yet or exist no more: the cluster meets at both ends. A part is 32 of the 64 rows, 4096 bytes later
// in each panel of shared memory. A tile that is not shared has a descriptor of its own; the mbarrier is the same.
// NVVM-LABEL: llvm.func @gemm_0
// NVVM-SAME:  nvvm.cluster_dim = array<i32: 2, 1, 1>
// NVVM-SAME:  {arg = 0 : i64, box = array<i64: 32, 64>{{[^}]*}}}, {arg = 0 : i64, box = array<i64: 64, 64>{{[^}]*}}}, {arg = 1 : i64, box = array<i64: 32, 64>{{[^}]*}}}, {arg = 1 : i64, box = array<i64: 64, 64>
// NVVM:       nvvm.fence.mbarrier.init
// NVVM:       nvvm.cluster.arrive.relaxed {aligned}
// NVVM:       nvvm.cluster.wait {aligned}
// NVVM:       setp.lt.u32 some, $1, 2;
// NVVM-SAME:  min.u32 rank, $1, 1;
// NVVM-SAME:  mapa.shared::cluster.u32 there, $0, rank;
// NVVM-SAME:  mbarrier.arrive.shared::cluster.b64 _, [there];
// NVVM:       %[[FULL:.*]] = arith.cmpi ult
// NVVM-NEXT:  %[[REST:.*]] = arith.xori %[[FULL]], %{{.*}} : i1
// NVVM:       scf.if %[[REST]] {
// NVVM-COUNT-1: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[PART_A:.*]], %[[BARRIER_A:.*]], box[%{{.*}}, %{{.*}}] multicast_mask = %{{.*}} : !llvm.ptr<7>
// NVVM-NOT:   nvvm.cp.async
// NVVM:       } else {
// NVVM-NOT:   nvvm.cp.async{{.*}} %[[PART_A]],
// NVVM:       nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %[[BARRIER_A]], box[%{{.*}}, %{{.*}}] : !llvm.ptr<7>
// NVVM:       scf.if %[[FULL]] {
// NVVM-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[PART_B:.*]], %[[BARRIER_B:.*]], box[%{{.*}}, %{{.*}}] multicast_mask = %{{.*}} : !llvm.ptr<7>
// NVVM-NOT:   nvvm.cp.async
// NVVM:       } else {
// NVVM-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %[[BARRIER_B]], box[%{{.*}}, %{{.*}}] : !llvm.ptr<7>
// NVVM-NOT:   nvvm.cp.async.bulk.tensor.shared
// NVVM:       nvvm.cluster.arrive{{$}}
// NVVM-NEXT:  nvvm.cluster.wait{{$}}
tile.kernel @gemm(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<stages = 3, persistent = 1, cluster = 2>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant dense<0.0> : !acc
    %s = scf.for %k = %c0 to %K step %c64 iter_args(%c = %z) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    %o = arith.truncf %s : !acc to tensor<64x128xbf16, #acc>
    %t = cta.stage %o : tensor<64x128xbf16, #acc> -> !c
    cta.copy_out %t, %C[%i, %j] {mechanism = #cta.mechanism<tma>} : !c -> memref<?x?xbf16>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x64xf32, #acc>
!t = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>

// Nothing is fetched for others where the loop's end depends on the block (its trip count differs), and a cluster without such copies
// is one of blocks that do not touch each other. A grid without products is not what the plan speaks of: without a persistent launch it has no cluster.
// GRID-LABEL: tile.kernel @triangle(
// GRID:       cluster = 2
// GRID-LABEL: tile.kernel @one_each(
// GRID-NOT:   cluster = 2 : i64
// COPIES-LABEL: tile.kernel @triangle(
// COPIES-NOT: multicast
// CHANNELS-LABEL: tile.kernel @triangle(
// CHANNELS-NOT: {cluster = 2 : i64}{{$}}
// NVVM-LABEL: llvm.func @triangle_0
// NVVM-NOT:   multicast
tile.kernel @triangle(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %X: memref<?x?xf32> {tile.shape = ["M", "X"]})
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<stages = 2, persistent = 1, cluster = 2>, warpgroups = 1} {
  %M = tile.dim "M" : index
  tile.grid (%i) = (0) to (%M) step (64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant dense<0.0> : !acc
    %s = scf.for %k = %c0 to %i step %c64 iter_args(%c = %z) -> (!acc) {
      %b = cta.copy %A[%k, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !t
      %d = cta.wgmma %b, %b, %c : !t, !t -> !acc
      scf.yield %d : !acc
    }
    cta.store %s, %X[%i, %c0] : !acc -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @one_each(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %X: memref<?x?xf32>)
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<stages = 2, persistent = 0, cluster = 2>, warpgroups = 1} {
  %M = tile.dim "M" : index
  tile.grid (%i) = (0) to (%M) step (64) {
  }
  tile.return
}
