// RUN: tile-opt %s -split-input-file -cta-plan | FileCheck %s --check-prefix=PLAN
// RUN: tile-opt %s -split-input-file -cta-plan=derive=false -cta-lower-grid -canonicalize | FileCheck %s --check-prefix=GRID

#placed = #tile.phase<placed>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<128x64xf32, #acc>
!a = !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>

// The rows' tile is the larger one: a cluster along the columns fetches it once.
// PLAN-LABEL: tile.kernel @rows(
// PLAN-SAME:  cluster = 2, {{.*}}cluster_dim = 1>
// Half as many columns. The column of a block is twice that of its cluster, plus its rank. Subtiles of the epilogue are in the output tile or after
// it: beyond the end of N they store nothing.
// GRID-LABEL: tile.kernel @given(
// GRID:       %[[N:.*]] = arith.ceildivsi %{{.*}}, %c64
// GRID:       %[[COLUMNS:.*]] = arith.maxsi %[[N]], %c0
// GRID:       arith.remui %[[COLUMNS]], %c2
// GRID:       arith.divui %[[COLUMNS]], %c2
// GRID:       cta.launch
// GRID:         %[[FULL:.*]] = arith.cmpi ult
// GRID:         %[[RANK:.*]] = arith.remui %{{.*}}, %c2_i32
// GRID:         %[[COLUMN:.*]] = arith.addi %{{.*}}, %[[RANK]] : i32
// GRID:         %[[POINT:.*]] = arith.select %[[FULL]], %[[COLUMN]], %{{.*}} : i32
// GRID:         %[[J:.*]] = arith.index_castui %[[POINT]]
// GRID:         %[[AT:.*]] = arith.muli %[[J]], %c64
// GRID:         cta.copy %B[%{{.*}}, %[[AT]]]
tile.kernel @rows(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, cluster = 2>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
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
tile.kernel @given(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, cluster = 2, cluster_dim = 1>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    %behind = arith.addi %j, %c32 : index
    cta.store %acc, %C[%i, %behind] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<placed>

// A batch is no row: groups of 4 rows and clusters are inside a batch.
// GRID-LABEL: tile.kernel @batches(
// GRID:       %[[ROWS:.*]] = arith.divui %{{.*}}, %c2
// GRID:       arith.index_castui %[[ROWS]] : index to i32
// GRID:       %[[R:.*]] = arith.index_castui %[[ROWS]] : index to i32
// GRID:       %[[COLUMNS:.*]] = arith.index_castui %{{.*}} : index to i32
// GRID:       arith.muli %[[R]], %[[COLUMNS]] : i32
// GRID:       arith.minui %[[R]], %c4_i32
// GRID:       cta.launch
tile.kernel @batches(%x: memref<?x?x?xf32> {tile.shape = ["Z", "M", "N"]}) attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 4, cluster = 2>, warpgroups = 1} {
  %z = tile.dim "Z" : index
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%z, %m, %n) step (1, 128, 64) {
    %v = cta.load %x[%b, %i, %j] dims = [1, 2] : memref<?x?x?xf32> -> tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 1>>
    cta.store %v, %x[%b, %i, %j] dims = [1, 2] : tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 1>> -> memref<?x?x?xf32>
  }
  tile.return
}
