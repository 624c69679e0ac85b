// RUN: tile-opt %s -cta-predict-cost | FileCheck %s
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile.kernel(cta-predict-cost{lines=false}))" | FileCheck %s --check-prefix=KNOWN
// Rows that are whole cache lines apart, which the launcher finds out: each number of the prediction that is another one then is one of two. Predictions may be
// written by hand: without the arrays that they name nobody asks.

#planned = #tile.phase<planned>

// 1024 cycles an iteration, or 512; 300 an output tile either way.
// CHECK-LABEL: tile.kernel @asks_W1
// CHECK: memref.dim %A, %c1
// CHECK: %[[REST:.*]] = arith.remui
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]]
// CHECK: arith.select %[[WHOLE]], %c32768{{.*}}, %c65536{{.*}} : index
// CHECK-NOT: arith.select
// CHECK: tile.cost
// KNOWN-LABEL: tile.kernel @asks_W1
// KNOWN-NOT: arith.remui
// KNOWN-NOT: arith.select
// KNOWN: tile.cost
tile.kernel @asks_W1(%A: memref<?x?xbf16>, %n: index) attributes {phase = #planned, warpgroups = 1, tile.member_of = "asks", tile.member = "W=1"} {
  tile.grid (%i) = (0) to (%n) step (128)
      attributes {cta.prediction = {blocks_per_sm = 1, cluster = 1, iteration = 1024, lines = 400, lines_alone = 200, lines_round = 300, launch = 4000,
                                    whole_lines = {iteration = 512, lines = 400, lines_alone = 200, lines_round = 300}, whole_lines_of = array<i64: 0>}} {
  }
  tile.return
}

// Of an array with strides each is asked, in units of a line, but for the one that is 1. A dimension of one element may have any stride.
// CHECK-LABEL: tile.kernel @strides_W1
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:3, %[[STRIDES:.*]]:3 = memref.extract_strided_metadata %A
// CHECK: %[[SIZE:.*]] = memref.dim %A, %c0
// CHECK: %[[IS_ONE:.*]] = arith.cmpi eq, %[[SIZE]], %c1{{.*}} : index
// CHECK: %[[FIRST:.*]] = arith.select %[[IS_ONE]], %c0{{.*}}, %[[STRIDES]]#0 : index
// CHECK: arith.select %{{.*}}, %c0{{.*}}, %[[STRIDES]]#1 : index
// CHECK: arith.remui %[[FIRST]], %c64{{.*}} : index
// CHECK: %[[OUTER:.*]] = arith.cmpi eq
// CHECK: %[[INNER:.*]] = arith.cmpi eq
// CHECK: arith.andi %[[OUTER]], %[[INNER]] : i1
// CHECK-NOT: %[[STRIDES]]#2
// CHECK: tile.cost
// KNOWN-LABEL: tile.kernel @strides_W1
// KNOWN-NOT: memref.extract_strided_metadata
// KNOWN: tile.cost
tile.kernel @strides_W1(%A: memref<?x?x?xbf16, strided<[?, ?, 1]>>, %n: index) attributes {phase = #planned, warpgroups = 1, tile.member_of = "strides", tile.member = "W=1"} {
  tile.grid (%i) = (0) to (%n) step (128)
      attributes {cta.prediction = {blocks_per_sm = 1, cluster = 1, iteration = 1024, lines = 400, lines_alone = 200, lines_round = 300, launch = 4000,
                                    whole_lines = {iteration = 512, lines = 400, lines_alone = 200, lines_round = 300}, whole_lines_of = array<i64: 0>}} {
  }
  tile.return
}

// The rows of columns: the first stride is 1. Strides that are known are not asked.
// CHECK-LABEL: tile.kernel @columns_W1
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %A
// CHECK: arith.select %{{.*}}, %c0{{.*}}, %[[STRIDES]]#1 : index
// CHECK-NOT: %[[STRIDES]]#0
// CHECK: tile.cost
tile.kernel @columns_W1(%A: memref<?x?xbf16, strided<[1, ?]>>, %n: index) attributes {phase = #planned, warpgroups = 1, tile.member_of = "columns", tile.member = "W=1"} {
  tile.grid (%i) = (0) to (%n) step (128)
      attributes {cta.prediction = {blocks_per_sm = 1, cluster = 1, iteration = 1024, launch = 4000, whole_lines = {iteration = 512}, whole_lines_of = array<i64: 0>}} {
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @known_W1
// CHECK-NOT: memref.extract_strided_metadata
// CHECK: tile.cost
tile.kernel @known_W1(%A: memref<?x?xbf16, strided<[128, 1]>>, %n: index) attributes {phase = #planned, warpgroups = 1, tile.member_of = "known", tile.member = "W=1"} {
  tile.grid (%i) = (0) to (%n) step (128)
      attributes {cta.prediction = {blocks_per_sm = 1, cluster = 1, iteration = 1024, launch = 4000, whole_lines = {iteration = 512}, whole_lines_of = array<i64: 0>}} {
  }
  tile.return
}

// What L2 takes is what an iteration takes with any number of blocks in one case, and with all of them in the other.
// CHECK-LABEL: tile.kernel @bound_W1
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq
// CHECK: %[[LINES:.*]] = arith.select %[[WHOLE]], %c44800{{.*}}, %c57600{{.*}} : index
// CHECK: arith.select %[[WHOLE]], %{{.*}}, %[[LINES]] : index
// CHECK: tile.cost
tile.kernel @bound_W1(%A: memref<?x?xbf16>, %n: index) attributes {phase = #planned, warpgroups = 1, tile.member_of = "bound", tile.member = "W=1"} {
  tile.grid (%i) = (0) to (%n) step (128)
      attributes {cta.prediction = {blocks_per_sm = 1, cluster = 1, iteration = 512, lines = 900, lines_alone = 900, lines_round = 300, launch = 4000,
                                    whole_lines = {iteration = 512, lines = 700, lines_alone = 600, lines_round = 300}, whole_lines_of = array<i64: 0>}} {
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @no_argument_W1
// CHECK-NOT: arith.remui
// CHECK: tile.cost
tile.kernel @no_argument_W1(%A: memref<?x?xbf16>, %n: index) attributes {phase = #planned, warpgroups = 1, tile.member_of = "no_argument", tile.member = "W=1"} {
  tile.grid (%i) = (0) to (%n) step (128)
      attributes {cta.prediction = {iteration = 512, whole_lines = {iteration = 256}, whole_lines_of = array<i64: 0, 7>}} {
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @no_array_W1
// CHECK-NOT: arith.remui
// CHECK: tile.cost
tile.kernel @no_array_W1(%A: memref<?xbf16>, %n: index) attributes {phase = #planned, warpgroups = 1, tile.member_of = "no_array", tile.member = "W=1"} {
  tile.grid (%i) = (0) to (%n) step (128)
      attributes {cta.prediction = {iteration = 512, whole_lines = {iteration = 256}, whole_lines_of = array<i64: 1>}} {
  }
  tile.grid (%i) = (0) to (%n) step (128)
      attributes {cta.prediction = {iteration = 512, whole_lines = {iteration = 256}, whole_lines_of = array<i64: 0>}} {
  }
  tile.return
}

// Lists of different lengths, and clusters of a grid without dimensions.
// CHECK-LABEL: tile.kernel @short_W1
// CHECK: tile.cost
tile.kernel @short_W1(%A: memref<?x?xbf16>, %n: index) attributes {phase = #planned, warpgroups = 1, tile.member_of = "short", tile.member = "W=1"} {
  tile.grid (%i) = (0) to (%n) step (128)
      attributes {cta.prediction = {iteration = 512, lines = 700, trimmed = array<i64: 100>, whole_lines = {iteration = 256, trimmed = array<i64: 100, 100>},
                                    whole_lines_of = array<i64: 0>}} {
  }
  tile.grid () = () to () step () attributes {cta.prediction = {iteration = 512, cluster = 2, stream_k = 9, hand_over = 100, sums = 100}} {
  }
  tile.return
}

// Seven output tiles along clusters of two take as long as eight: there is no other dimension that the last one could lie along.
// CHECK-LABEL: tile.kernel @filled_W1
// CHECK: %[[CLUSTERS:.*]] = arith.ceildivsi %{{.*}}, %c2{{.*}} : index
// CHECK: arith.muli %[[CLUSTERS]], %c2{{.*}} : index
// CHECK-NOT: arith.remui
// CHECK: tile.cost
tile.kernel @filled_W1(%A: memref<?x?xbf16>, %n: index) attributes {phase = #planned, warpgroups = 1, tile.member_of = "filled", tile.member = "W=1"} {
  tile.grid (%i) = (0) to (%n) step (128) attributes {cta.prediction = {iteration = 512, cluster = 2}} {
  }
  tile.return
}
