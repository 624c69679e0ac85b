// RUN: tile-opt %s -split-input-file -cta-lower-grid -cta-stream-k | FileCheck %s
// RUN: tile-opt %s -split-input-file -cta-lower-grid -cta-stream-k -canonicalize -cse -cta-verify | FileCheck %s --check-prefix=CLEAN
// RUN: tile-opt %s -split-input-file -cta-lower-grid -cta-stream-k -convert-cta-to-tile | FileCheck %s --check-prefix=TILE

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!out = tensor<64x128xbf16, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>
!c = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

// Before the launch: the whole output tiles of each block, those that remain, whether dividing them spares 4 iterations, the length of shares.
// Partial sums have a slot and flags for each block. A launch of few output tiles still has all blocks.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK:       %[[CORES:.*]] = tile.num_cores
// CHECK:       %[[BLOCKS:.*]] = arith.select %{{.*}}, %[[CORES]], %{{.*}} : index
// CHECK:       %[[UNITS:.*]] = arith.maxsi %[[BLOCKS]]
// CHECK:       %[[WHOLE:.*]] = arith.divui %[[POINTS:.*]], %[[UNITS]]
// CHECK:       %[[FIRST:.*]] = arith.muli %[[WHOLE]], %[[UNITS]]
// CHECK:       %[[REST:.*]] = arith.subi %[[POINTS]], %[[FIRST]]
// CHECK:       %[[SLOTS:.*]] = memref.alloc(%[[BLOCKS]]) : memref<?x64x128xf32>
// CHECK:       %[[FLAGS:.*]] = memref.alloc(%[[BLOCKS]]) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
// CHECK:       cta.launch @gemm_0 blocks(%[[BLOCKS]])
// CHECK:         cta.for_output_tiles %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK:           %[[END:.*]] = arith.select %{{.*}}, %K, %{{.*}} : index
// CHECK-NEXT:      %[[ACC:.*]] = scf.for %{{.*}} = %{{.*}} to %[[END]]
// CHECK:           %[[BLOCK:.*]] = cta.block_id
// CHECK:           scf.if
// CHECK:             %[[SUM:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[S:.*]] = %[[ACC]])
// CHECK:               %[[OTHER:.*]] = arith.subi %[[BLOCK]]
// CHECK:               cta.add_partial %[[S]], %[[SLOTS]][%[[OTHER]]], %[[FLAGS]]
// CHECK:             arith.truncf %[[SUM]]
// CHECK:             cta.copy_out
// CHECK:           } else {
// CHECK-NEXT:        cta.put_partial %[[ACC]], %[[SLOTS]][%[[BLOCK]]], %[[FLAGS]]
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CLEAN-LABEL: tile.kernel @gemm(
// CLEAN:       cta.put_partial
// Flags are not needed if one block runs after the other.
// TILE-LABEL: tile.kernel @gemm(
// TILE:       %[[SLOTS:.*]] = memref.alloc(%{{.*}}) : memref<?x64x128xf32>
// TILE:       %[[LEFT:.*]] = tile.load %[[SLOTS]][
// TILE:       arith.addf %{{.*}}, %[[LEFT]] : tensor<64x128xf32>
// TILE:       tile.store %{{.*}}, %[[SLOTS]][
tile.kernel @gemm(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    %o = arith.truncf %acc : !acc to !out
    %s = cta.stage %o : !out -> !c
    cta.copy_out %s, %C[%i, %j] {mechanism = #cta.mechanism<tma>} : !c -> memref<?x?xbf16>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

// The blocks of a cluster have a share together: the slots of the others are two blocks apart. Units are the clusters that are launched, no more than run at the same time.
// CHECK-LABEL: tile.kernel @cluster(
// CHECK:       %[[MAX:.*]] = cta.max_clusters
// CHECK:       %[[MIN:.*]] = arith.minsi %{{.*}}, %[[MAX]]
// CHECK:       %[[FIT:.*]] = arith.maxsi %[[MIN]], %c1
// CHECK:       %[[ANY:.*]] = arith.select %{{.*}}, %[[FIT]], %c0
// CHECK:       %[[BLOCKS:.*]] = arith.muli %[[ANY]], %c2
// CHECK:       %[[POSITIVE:.*]] = arith.maxsi %[[BLOCKS]], %c1
// CHECK:       %[[UNITS:.*]] = arith.divui %[[POSITIVE]], %c2
// CHECK:       arith.divui %{{.*}}, %[[UNITS]]
// CHECK:       memref.alloc(%[[BLOCKS]])
// CHECK:       cta.launch @cluster_0 blocks(%[[BLOCKS]])
// CHECK:         %[[DISTANCE:.*]] = arith.muli %{{.*}}, %c2{{.*}} : index
// CHECK:         %[[OTHER:.*]] = arith.subi %{{.*}}, %[[DISTANCE]]
// CHECK:         cta.add_partial %{{.*}}, %{{.*}}[%[[OTHER]]]
tile.kernel @cluster(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, cluster = 2, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>

// Nothing to do: a launch without products next to one that asks for it; stream_k = 0; no plan.
// CHECK-LABEL: tile.kernel @copies(
// CHECK-NOT: partial
// CHECK-LABEL: tile.kernel @off(
// CHECK-NOT: partial
// CHECK-LABEL: tile.kernel @no_plan(
// CHECK-NOT: partial
tile.kernel @copies(%x: memref<?xf32>, %n: index) attributes {phase = #placed, plan = #cta.plan<persistent = 1, stream_k = 4>, warpgroups = 1} {
  %one = arith.constant 1.0 : f32
  tile.grid (%i) = (0) to (%n) step (128) {
    memref.store %one, %x[%i] : memref<?xf32>
  }
  tile.return
}
tile.kernel @off(%x: memref<?xf32>, %n: index) attributes {phase = #placed, plan = #cta.plan<persistent = 1, stream_k = 0>, warpgroups = 1} {
  %one = arith.constant 1.0 : f32
  tile.grid (%i) = (0) to (%n) step (128) {
    memref.store %one, %x[%i] : memref<?xf32>
  }
  tile.return
}
tile.kernel @no_plan(%x: memref<?xf32>, %n: index) attributes {phase = #placed, warpgroups = 1} {
  %one = arith.constant 1.0 : f32
  tile.grid (%i) = (0) to (%n) step (128) {
    memref.store %one, %x[%i] : memref<?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

// What threads add may be products that they scale, in several additions, with the sum on either side.
// CHECK-LABEL: tile.kernel @scaled(
// CHECK:       cta.for_output_tiles
// CHECK:         %[[SUM:.*]] = scf.for
// CHECK:         cta.add_partial
// CHECK:         cta.put_partial %[[SUM]]
tile.kernel @scaled(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %half = arith.constant dense<0.5> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %zero : !a, !b -> !acc
      %f = math.fma %d, %half, %c : !acc
      %e = arith.addf %half, %f : !acc
      scf.yield %e : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

// Of static extents the number of output tiles is folded. Whether they are one column is said before.
// CHECK-LABEL: tile.kernel @static_column(
// CHECK:       cta.launch {{.*}}cta.narrow = true
// CHECK:       cta.put_partial
tile.kernel @static_column(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (12800, 128) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

// Rows and columns.
// CHECK-LABEL: tile.kernel @static_grid(
// CHECK:       cta.launch {{.*}}cta.narrow = false
// CHECK:       cta.put_partial
tile.kernel @static_grid(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (12800, 256) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}
