// RUN: tile-opt %s --tessera-to-planned=variants=aligned | FileCheck %s
// The predicted time of a divided member whose blocks are in clusters.

// In clusters their numbers count, and there is no sequence: of R rows of output tiles the full clusters of four, and those of the remainder along the
// columns, or all filled up if those are fewer. Where the grid has one row of output tiles, their blocks share nothing. Rows and columns outside of the
// arrays are not fetched, so an iteration takes less by their part: of 706 cycles 565 are for rows of A, 141 for those of B, which the blocks share. Where
// rows of A and B are whole cache lines apart, which the launcher finds out, it is bound by something else: 373 cycles of L2.
// CHECK-LABEL: tile.kernel @divided_in_clusters_aligned
// CHECK-SAME: cluster = 4
// CHECK: tile.grid
// CHECK-SAME: lines_one_row = 1130 : i64
// CHECK-SAME: sums = 65536 : i64, trimmed = array<i64: 565, 141>, trimmed_one_row = array<i64: 565, 565>
// CHECK-SAME: whole_lines = {iteration = 537 : i64, lines = 336 : i64, {{.*}}}, whole_lines_of = array<i64: 0, 1>
// CHECK: arith.muli %{{.*}}, %c120{{.*}} : index
// CHECK: %[[CORES:.*]] = arith.maxsi
// CHECK: %[[FILLED:.*]] = arith.ceildivsi %[[R:[0-9]+]], %[[FOUR:c4[_0-9]*]] : index
// CHECK: %[[FULL:.*]] = arith.divui %[[R]], %[[FOUR]] : index
// CHECK: %[[OF_FULL:.*]] = arith.muli %[[FULL]], %[[C:.*]] : index
// CHECK: %[[LEFT:.*]] = arith.remui %[[R]], %[[FOUR]] : index
// CHECK: %[[ACROSS:.*]] = arith.ceildivsi %[[C]], %[[FOUR]] : index
// CHECK: %[[OF_REST:.*]] = arith.muli %[[LEFT]], %[[ACROSS]] : index
// CHECK: %[[DEALT:.*]] = arith.addi %[[OF_FULL]], %[[OF_REST]] : index
// CHECK: %[[ALL_FILLED:.*]] = arith.muli %[[FILLED]], %[[C]] : index
// CHECK: %[[CLUSTERS:.*]] = arith.minsi %[[DEALT]], %[[ALL_FILLED]] : index
// CHECK: %[[K:.*]] = memref.dim %A, %c1
// CHECK: %[[REST:.*]] = arith.remui %[[K]], %c64{{.*}} : index
// CHECK: %[[OF_A:.*]] = arith.cmpi eq, %[[REST]], %c0{{.*}} : index
// CHECK: memref.dim %B, %c1
// CHECK: %[[WHOLE:.*]] = arith.andi %[[OF_A]], %{{.*}} : i1
// CHECK: %[[LINES:.*]] = arith.select %[[WHOLE]], %{{.*}}, %c45184{{.*}} : index
// CHECK: %[[OF_ROW:.*]] = arith.select %[[WHOLE]], %{{.*}}, %c36160{{.*}} : index
// CHECK: %[[OUTSIDE:.*]] = arith.subi %[[ROWS:.*]], %M : index
// CHECK: %[[NONE:.*]] = arith.maxsi %[[OUTSIDE]], %c0{{.*}} : index
// CHECK: %[[PART:.*]] = arith.muli %[[OF_ROW]], %[[NONE]] : index
// CHECK: %[[OF_ROWS:.*]] = arith.divui %[[PART]], %[[ROWS]] : index
// CHECK: %[[INSIDE:.*]] = arith.subi %[[LINES]], %[[OF_ROWS]] : index
// CHECK: %[[OF_COLUMNS:.*]] = arith.divui %{{.*}}, %{{.*}} : index
// CHECK: %[[BOTH:.*]] = arith.subi %[[INSIDE]], %[[OF_COLUMNS]] : index
// CHECK: %[[SHARED:.*]] = arith.maxsi %[[BOTH]], %c36672{{.*}} : index
// CHECK: arith.divui %[[CORES]], %c4{{.*}} : index
// CHECK: %[[UNITS:.*]] = arith.maxsi
// CHECK: %[[ONE_ROW:.*]] = arith.cmpi slt, %{{.*}}, %c2{{.*}} : index
// CHECK: %[[LINES_ALONE:.*]] = arith.select %[[WHOLE]], %{{.*}}, %c72320{{.*}} : index
// CHECK: %[[ROWS_ALONE:.*]] = arith.subi %[[LINES_ALONE]], %{{.*}} : index
// CHECK: %[[BOTH_ALONE:.*]] = arith.subi %[[ROWS_ALONE]], %{{.*}} : index
// CHECK: %[[ALONE:.*]] = arith.maxsi %[[SHARED]], %[[BOTH_ALONE]] : index
// CHECK: %[[ITERATION:.*]] = arith.select %[[ONE_ROW]], %[[ALONE]], %[[SHARED]] : index
// CHECK: arith.divui %[[CLUSTERS]], %[[UNITS]] : index
// CHECK: arith.muli %{{.*}}, %[[ITERATION]] : index
// CHECK: %[[HANDED_ON:.*]] = arith.muli %{{.*}}, %c4{{.*}} : index
// CHECK: %[[TWICE:.*]] = arith.muli %[[HANDED_ON]], %c2{{.*}} : index
// CHECK: arith.muli %[[TWICE]], %c65536{{.*}} : index
// CHECK: tile.cost
tile.kernel @divided_in_clusters(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]},
                                 %B: memref<?x?xbf16> {tile.shape = ["N", "K"]},
                                 %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {tile.member_of = "product", tile.member = "BM=128,stream-k", cta.stream_k} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
