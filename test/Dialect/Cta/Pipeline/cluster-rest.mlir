// RUN: tile-opt %s -split-input-file -cta-lower-grid -canonicalize -cse | FileCheck %s
// RUN: tile-opt %s -split-input-file -cta-lower-grid | FileCheck %s --check-prefix=FOLDED
// RUN: tile-opt %s -split-input-file -cta-lower-grid -cta-verify | tile-opt -split-input-file -o /dev/null

#placed = #tile.phase<planned>
!t = tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 1>>

// The remaining row is one of clusters along the columns. Each has a pair of columns of the last row, the second of which may be beyond the end, and its
// number follows those of the full clusters in these two columns: of a strip of 2 * PAIRS + LEFT clusters the last LEFT. The last strip may have one column.
// CHECK-LABEL: tile.kernel @pairs(
// CHECK:       %[[ROWS:.*]] = arith.maxsi
// CHECK:       %[[COLUMNS:.*]] = arith.maxsi
// CHECK-DAG:   %[[LEFT:.*]] = arith.remui %[[ROWS]], %c2 : index
// CHECK-DAG:   %[[PAIRS:.*]] = arith.divui %[[ROWS]], %c2 : index
// CHECK-DAG:   %[[ACROSS:.*]] = arith.ceildivsi %[[COLUMNS]], %c2 : index
// CHECK:       %[[FULL:.*]] = arith.muli %[[PAIRS]], %[[COLUMNS]] : index
// CHECK:       %[[REST:.*]] = arith.muli %[[ACROSS]], %[[LEFT]] : index
// CHECK:       %[[TOTAL:.*]] = arith.addi %[[FULL]], %[[REST]] : index
// CHECK:       arith.cmpi sle, %[[TOTAL]], %c1072693248 : index
// CHECK-DAG:   %[[COLUMNS32:.*]] = arith.index_castui %[[COLUMNS]] : index to i32
// CHECK-DAG:   %[[PAIRS32:.*]] = arith.index_castui %[[PAIRS]] : index to i32
// CHECK-DAG:   %[[LEFT32:.*]] = arith.index_castui %[[LEFT]] : index to i32
// CHECK-DAG:   %[[NUMFULL:.*]] = arith.muli %[[PAIRS32]], %[[COLUMNS32]] : i32
// CHECK-DAG:   %[[WIDE:.*]] = arith.muli %[[PAIRS32]], %c2_i32 : i32
// CHECK:       %[[STRIP:.*]] = arith.addi %[[WIDE]], %[[LEFT32]] : i32
// CHECK:       cta.launch
// CHECK:         %[[END:.*]] = arith.index_castui %[[TOTAL]] : index to i32
// CHECK:         cta.for_output_tiles %[[NUMBER:.*]] = %{{.*}} to %[[END]] step
// CHECK:           %[[WHICH:.*]] = arith.select
// CHECK-NEXT:      %[[INSIDE:.*]] = arith.select
// CHECK-NEXT:      %[[BEFORE:.*]] = arith.muli %[[WHICH]], %[[WIDE]] : i32
// CHECK-NEXT:      %[[REMAIN:.*]] = arith.subi %[[NUMFULL]], %[[BEFORE]] : i32
// CHECK-NEXT:      %[[HERE:.*]] = arith.minui %[[WIDE]], %[[REMAIN]] : i32
// CHECK-NEXT:      %[[IS:.*]] = arith.cmpi ult, %[[INSIDE]], %[[HERE]] : i32
// CHECK-NEXT:      %[[OFFULL:.*]] = arith.addi %[[BEFORE]], %[[INSIDE]] : i32
// CHECK-NEXT:      %[[OVER:.*]] = arith.muli %[[WHICH]], %[[LEFT32]] : i32
// CHECK-NEXT:      %[[BEHIND:.*]] = arith.subi %[[INSIDE]], %[[HERE]] : i32
// CHECK-NEXT:      %[[OFREST:.*]] = arith.addi %[[OVER]], %[[BEHIND]] : i32
// CHECK-NEXT:      arith.extui %[[OFFULL]] : i32 to i64
// CHECK:           %[[PAIR:.*]] = arith.select
// CHECK-NEXT:      %[[COLUMN:.*]] = arith.select
// CHECK:           %[[RANK:.*]] = arith.remui %{{.*}}, %c2_i32 : i32
// CHECK-NEXT:      %[[FIRST:.*]] = arith.muli %[[PAIR]], %c2_i32 : i32
// CHECK-NEXT:      %[[ROW:.*]] = arith.addi %[[FIRST]], %[[RANK]] : i32
// CHECK-NEXT:      %[[TWICE:.*]] = arith.muli %[[OFREST]], %c2_i32 : i32
// CHECK-NEXT:      %[[ACROSSED:.*]] = arith.addi %[[TWICE]], %[[RANK]] : i32
// CHECK-NEXT:      %[[J:.*]] = arith.select %[[IS]], %[[COLUMN]], %[[ACROSSED]] : i32
// CHECK-NEXT:      %[[I:.*]] = arith.select %[[IS]], %[[ROW]], %[[WIDE]] : i32
// CHECK-NEXT:      %[[I64:.*]] = arith.index_castui %[[I]] : i32 to index
// CHECK-NEXT:      %[[Y:.*]] = arith.muli %[[I64]], %c128 : index
// CHECK-NEXT:      %[[J64:.*]] = arith.index_castui %[[J]] : i32 to index
// CHECK-NEXT:      %[[X:.*]] = arith.muli %[[J64]], %c64 : index
// CHECK-NEXT:      cta.store %{{.*}}, %x[%[[Y]], %[[X]]]
tile.kernel @pairs(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
    %v = arith.constant dense<1.0> : !t
    cta.store %v, %x[%i, %j] : !t -> memref<?x?xf32>
  }
  tile.return
}

// Along the columns: the remaining column is one of clusters along the rows.
// CHECK-LABEL: tile.kernel @along_columns(
// CHECK:       %[[ROWS:.*]] = arith.maxsi
// CHECK:       %[[COLUMNS:.*]] = arith.maxsi
// CHECK-DAG:   %[[LEFT:.*]] = arith.remui %[[COLUMNS]], %c2 : index
// CHECK-DAG:   %[[PAIRS:.*]] = arith.divui %[[COLUMNS]], %c2 : index
// CHECK-DAG:   %[[ACROSS:.*]] = arith.ceildivsi %[[ROWS]], %c2 : index
// CHECK:       arith.muli %[[ROWS]], %[[PAIRS]] : index
// CHECK:       arith.muli %[[ACROSS]], %[[LEFT]] : index
// CHECK:       %[[PAIRS32:.*]] = arith.index_castui %[[PAIRS]] : index to i32
// CHECK:       %[[LAST:.*]] = arith.muli %[[PAIRS32]], %c2_i32 : i32
// CHECK:           %[[IS:.*]] = arith.cmpi ult
// CHECK:           %[[RANK:.*]] = arith.remui %{{.*}}, %c2_i32 : i32
// CHECK:           %[[COLUMN:.*]] = arith.addi %{{.*}}, %[[RANK]] : i32
// CHECK:           %[[ROW:.*]] = arith.addi %{{.*}}, %[[RANK]] : i32
// CHECK:           %[[I:.*]] = arith.select %[[IS]], %{{.*}}, %[[ROW]] : i32
// CHECK:           %[[J:.*]] = arith.select %[[IS]], %[[COLUMN]], %[[LAST]] : i32
tile.kernel @along_columns(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 2, cluster_dim = 1>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
    %v = arith.constant dense<1.0> : !t
    cta.store %v, %x[%i, %j] : !t -> memref<?x?xf32>
  }
  tile.return
}

// A cluster stays in one batch, and a batch is a range of numbers: its full clusters and its strips' remainders.
// CHECK-LABEL: tile.kernel @batches(
// CHECK:       %[[BATCHES:.*]] = arith.maxsi %Z, %c0 : index
// CHECK:       %[[LEFT:.*]] = arith.remui %[[ROWS:.*]], %c2 : index
// CHECK:       %[[ACROSS:.*]] = arith.ceildivsi %{{.*}}, %c2 : index
// CHECK:       %[[OF_ALL:.*]] = arith.muli %[[BATCHES]], %[[ACROSS]] : index
// CHECK:       arith.muli %[[OF_ALL]], %[[LEFT]] : index
// CHECK-DAG:   %[[LEFT32:.*]] = arith.index_castui %[[LEFT]] : index to i32
// CHECK-DAG:   %[[ACROSS32:.*]] = arith.index_castui %[[ACROSS]] : index to i32
// CHECK:       %[[FULL:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:  %[[REST:.*]] = arith.muli %[[LEFT32]], %[[ACROSS32]] : i32
// CHECK-NEXT:  %[[BOTH:.*]] = arith.addi %[[FULL]], %[[REST]] : i32
// CHECK:       cta.launch
// CHECK:         cta.for_output_tiles %[[NUMBER:.*]] =
// CHECK:           arith.extui %[[NUMBER]] : i32 to i64
// CHECK:           %[[BATCH:.*]] = arith.select
// CHECK-NEXT:      %[[INSIDE:.*]] = arith.select
// CHECK-NEXT:      %[[FULL_BEFORE:.*]] = arith.muli %[[BATCH]], %[[FULL]] : i32
// CHECK-NEXT:      %[[REST_BEFORE:.*]] = arith.muli %[[BATCH]], %[[REST]] : i32
// CHECK-NEXT:      arith.extui %[[INSIDE]] : i32 to i64
// CHECK:           %[[IS:.*]] = arith.cmpi ult
// CHECK:           %[[OFFULL:.*]] = arith.addi %[[FULL_BEFORE]], %{{.*}} : i32
// CHECK-NEXT:      %[[OFREST:.*]] = arith.addi %[[REST_BEFORE]], %{{.*}} : i32
// CHECK-NEXT:      arith.extui %[[OFFULL]] : i32 to i64
// CHECK:           %[[RANK:.*]] = arith.remui %{{.*}}, %c2_i32 : i32
// CHECK:           arith.extui %[[OFREST]] : i32 to i64
// CHECK:           %[[MORE:.*]] = arith.cmpi uge, %[[DIFFERENCE:.*]], %[[ACROSS32]] : i32
// CHECK:           %[[Q:.*]] = arith.select %[[MORE]]
// CHECK-NEXT:      %[[PAIR:.*]] = arith.select %[[MORE]]
// CHECK-NEXT:      %[[B:.*]] = arith.select %[[IS]], %{{.*}}, %[[Q]] : i32
// CHECK-NEXT:      %[[TWICE:.*]] = arith.muli %[[PAIR]], %c2_i32 : i32
// CHECK-NEXT:      %[[COLUMN:.*]] = arith.addi %[[TWICE]], %[[RANK]] : i32
// CHECK-NEXT:      %[[J:.*]] = arith.select %[[IS]], %{{.*}}, %[[COLUMN]] : i32
// CHECK-NEXT:      %[[I:.*]] = arith.select %[[IS]]
tile.kernel @batches(%x: memref<?x?x?xf32> {tile.shape = ["Z", "M", "N"]}) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  %z = tile.dim "Z" : index
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%z, %m, %n) step (1, 128, 64) {
    %v = arith.constant dense<1.0> : !t
    cta.store %v, %x[%b, %i, %j] dims = [1, 2] : !t -> memref<?x?x?xf32>
  }
  tile.return
}

// With clusters of four, up to three rows remain. Three of them times the quarters of the columns may be no fewer than the columns. Then clusters are
// filled in part, as many in each column, and there are no others. Of the clusters of the remainder, those of the same columns have successive numbers.
// CHECK-LABEL: tile.kernel @fours(
// CHECK:       %[[LEFT:.*]] = arith.remui %[[ROWS:.*]], %c4 : index
// CHECK:       %[[FULL:.*]] = arith.divui %[[ROWS]], %c4 : index
// CHECK:       %[[ACROSS:.*]] = arith.ceildivsi %[[COLUMNS:.*]], %c4 : index
// CHECK:       %[[MORE:.*]] = arith.muli %[[LEFT]], %[[ACROSS]] : index
// CHECK:       %[[PAYS:.*]] = arith.cmpi slt, %[[MORE]], %[[COLUMNS]] : index
// CHECK:       %[[PADDED:.*]] = arith.ceildivsi %[[ROWS]], %c4 : index
// CHECK:       %[[FOURS:.*]] = arith.select %[[PAYS]], %[[FULL]], %[[PADDED]] : index
// CHECK:       %[[OVER:.*]] = arith.select %[[PAYS]], %[[LEFT]], %c0 : index
// CHECK:       %[[NUMFULL:.*]] = arith.muli %[[FOURS]], %[[COLUMNS]] : index
// CHECK:       %[[REST:.*]] = arith.muli %[[ACROSS]], %[[OVER]] : index
// CHECK:       arith.addi %[[NUMFULL]], %[[REST]] : index
// CHECK-DAG:   %[[FOURS32:.*]] = arith.index_castui %[[FOURS]] : index to i32
// CHECK-DAG:   %[[OVER32:.*]] = arith.index_castui %[[OVER]] : index to i32
// CHECK:       %[[FIRST:.*]] = arith.muli %[[FOURS32]], %c4_i32 : i32
// CHECK:       arith.addi %[[FIRST]], %[[OVER32]] : i32
// CHECK:       cta.launch
// CHECK:         %[[IS:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i32
// CHECK:         %[[LATE:.*]] = arith.cmpi uge, %{{.*}}, %[[OVER32]] : i32
// CHECK:         %[[FOUR:.*]] = arith.select %[[LATE]]
// CHECK-NEXT:    %[[PLACE:.*]] = arith.select %[[LATE]]
// CHECK:         arith.muli %[[FOUR]], %c4_i32 : i32
// CHECK:         %[[ROW:.*]] = arith.addi %[[FIRST]], %[[PLACE]] : i32
// CHECK:         arith.select %[[IS]], %{{.*}}, %[[ROW]] : i32
tile.kernel @fours(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 4>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
    %v = arith.constant dense<1.0> : !t
    cta.store %v, %x[%i, %j] : !t -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Known counts. Of 8 rows none remains; of 9 one: 8 * 5 / 2 clusters and 3 between and after them, in strips of 9. One row is a cluster along the columns, and nothing is divided
// by the number of rows' clusters, which is 0. One column has no cluster across; three rows of it are no fewer clusters.
// FOLDED-LABEL: tile.kernel @eight(
// FOLDED:       cta.for_output_tiles %{{.*}} = %{{.*}} to %[[END:.*]] step
// FOLDED-NOT:   arith.cmpi ult
// FOLDED-LABEL: tile.kernel @nine(
// FOLDED:       %c20_i32 = arith.constant 20 : i32
// FOLDED:       %c8_i32 = arith.constant 8 : i32
// FOLDED:       %c9_i32 = arith.constant 9 : i32
// FOLDED:       %c23_i32 = arith.constant 23 : i32
// FOLDED:       cta.for_output_tiles %[[N:.*]] = %{{.*}} to %c23_i32 step
// FOLDED:       %[[S:.*]] = arith.divui %[[N]], %c9_i32 : i32
// FOLDED:       %[[IN:.*]] = arith.remui %[[N]], %c9_i32 : i32
// FOLDED:       %[[BEFORE:.*]] = arith.muli %[[S]], %c8_i32 : i32
// FOLDED:       %[[REMAIN:.*]] = arith.subi %c20_i32, %[[BEFORE]] : i32
// FOLDED:       %[[HERE:.*]] = arith.minui %[[REMAIN]], %c8_i32 : i32
// FOLDED:       %[[IS:.*]] = arith.cmpi ult, %[[IN]], %[[HERE]] : i32
// FOLDED:       arith.select %[[IS]], %{{.*}}, %c8_i32{{[_0-9]*}} : i32
// FOLDED-LABEL: tile.kernel @one_row(
// FOLDED:       %c3_i32 = arith.constant 3 : i32
// FOLDED:       cta.for_output_tiles %[[N:.*]] = %{{.*}} to %c3_i32{{[_0-9]*}} step
// FOLDED-NOT:   arith.divui %{{.*}}, %c0
// FOLDED-NOT:   arith.remui %{{.*}}, %c0
// FOLDED-NOT:   arith.select
// FOLDED:       %[[TWICE:.*]] = arith.muli %{{.*}}, %c2_i32
// FOLDED:       %[[J:.*]] = arith.addi %[[TWICE]], %{{.*}} : i32
// FOLDED:       arith.index_castui %c0_i32{{[_0-9]*}} : i32 to index
// FOLDED:       arith.index_castui %[[J]] : i32 to index
// FOLDED-LABEL: tile.kernel @one_column(
// FOLDED:       cta.for_output_tiles
// FOLDED-NOT:   arith.select
// FOLDED-LABEL: tile.kernel @few_columns(
// FOLDED:       cta.for_output_tiles
// FOLDED-NOT:   arith.select
// FOLDED-LABEL: tile.kernel @no_row(
// FOLDED:       cta.for_output_tiles
// FOLDED-NOT:   arith.select
// FOLDED-LABEL: tile.kernel @columns_of_another(
#placed = #tile.phase<planned>
!t = tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 1>>
tile.kernel @eight(%x: memref<?x?xf32>) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (1024, 320) step (128, 64) {
    %v = cta.load %x[%i, %j] : memref<?x?xf32> -> !t
  }
  tile.return
}
tile.kernel @nine(%x: memref<?x?xf32>) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (1025, 320) step (128, 64) {
    %v = cta.load %x[%i, %j] : memref<?x?xf32> -> !t
  }
  tile.return
}
tile.kernel @one_row(%x: memref<?x?xf32>) attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 4, cluster = 2>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (128, 320) step (128, 64) {
    %v = cta.load %x[%i, %j] : memref<?x?xf32> -> !t
  }
  tile.return
}
tile.kernel @one_column(%x: memref<?x?xf32>) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (1025, 64) step (128, 64) {
    %v = cta.load %x[%i, %j] : memref<?x?xf32> -> !t
  }
  tile.return
}
tile.kernel @few_columns(%x: memref<?x?xf32>) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 4>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (896, 192) step (128, 64) {
    %v = cta.load %x[%i, %j] : memref<?x?xf32> -> !t
  }
  tile.return
}
tile.kernel @no_row(%x: memref<?x?xf32>) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (0, 320) step (128, 64) {
    %v = cta.load %x[%i, %j] : memref<?x?xf32> -> !t
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
!t = tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 1>>

// Output tiles beyond the end of the columns would store. Then clusters are filled in part, as where there is no other dimension. The dimension of
// batches is not across: rows and columns are what a product has.
// CHECK-LABEL: tile.kernel @columns_of_another(
// CHECK:       %[[ROWS:.*]] = arith.maxsi
// CHECK:       %[[PAIRS:.*]] = arith.ceildivsi %[[ROWS]], %c2 : index
// CHECK:       %[[TOTAL:.*]] = arith.muli %[[PAIRS]], %{{.*}} : index
// CHECK:       arith.cmpi sle, %[[TOTAL]], %
// CHECK:         arith.addi %{{.*}}, %[[RANK:.*]] : i32
// CHECK-NOT:     arith.cmpi ult
// CHECK:         cta.store
// CHECK-LABEL: tile.kernel @rows_only(
// CHECK:       arith.ceildivsi %{{.*}}, %c2 : index
// CHECK-NOT:   arith.cmpi ult
// CHECK-NOT:   arith.select {{.*}} : i32
// CHECK-LABEL: tile.kernel @columns_of_batches(
// CHECK:       arith.ceildivsi %{{.*}}, %c2 : index
// CHECK-NOT:   arith.cmpi ult
// CHECK-LABEL: tile.kernel @single(
// CHECK-NOT:   arith.cmpi ult
// CHECK-NOT:   arith.remui %{{.*}}, %c2
tile.kernel @columns_of_another(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}, %n: index) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  %m = tile.dim "M" : index
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
    %v = arith.constant dense<1.0> : !t
    cta.store %v, %x[%i, %j] : !t -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @rows_only(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %c0 = arith.constant 0 : index
  tile.grid (%i) = (0) to (%m) step (128) {
    %v = arith.constant dense<1.0> : !t
    cta.store %v, %x[%i, %c0] : !t -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @columns_of_batches(%x: memref<?x?x?xf32> {tile.shape = ["Z", "M", "N"]}, %n: index) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  %z = tile.dim "Z" : index
  %m = tile.dim "M" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%z, %m, %n) step (1, 128, 64) {
    %v = arith.constant dense<1.0> : !t
    cta.store %v, %x[%b, %i, %j] dims = [1, 2] : !t -> memref<?x?x?xf32>
  }
  tile.return
}
tile.kernel @single(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #placed, plan = #cta.plan<persistent = 1, cluster = 1>, warpgroups = 1} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
    %v = arith.constant dense<1.0> : !t
    cta.store %v, %x[%i, %j] : !t -> memref<?x?xf32>
  }
  tile.return
}
