// RUN: tile-opt %s -cta-predict-cost | FileCheck %s
// Few output tiles, each on an SM whose neighbour is idle: L2 and memory give such an SM more.

#planned = #tile.phase<planned>

// With at most one output tile for two thirds of the SMs an iteration takes 500 cycles, else 700, or what L2 takes for all. An SM gets 52 bytes a cycle of memory.
// CHECK-LABEL: tile.kernel @spread_W1
// CHECK: %[[CORES:.*]] = tile.num_cores : index
// CHECK: %[[THRICE:.*]] = arith.muli %{{.*}}, %c3{{.*}} : index
// CHECK: %[[TWICE:.*]] = arith.muli %[[CORES]], %c2{{.*}} : index
// CHECK: %[[FEW:.*]] = arith.cmpi sle, %[[THRICE]], %[[TWICE]] : index
// CHECK: arith.select %[[FEW]], %c32000{{.*}}, %c44800{{.*}} : index
// CHECK: arith.muli %{{.*}}, %c832{{.*}} : index
// CHECK: tile.cost
tile.kernel @spread_W1(%A: memref<?x?xbf16>, %n: index) attributes {phase = #planned, warpgroups = 1, plan = #cta.plan<persistent = 1>, tile.member_of = "spread", tile.member = "W=1"} {
  tile.grid (%i) = (0) to (%n) step (128)
      attributes {cta.prediction = {blocks_per_sm = 1, cluster = 1, iteration = 700, few = 500, lines = 900, lines_alone = 600, lines_round = 300, launch = 4000}} {
  }
  tile.return
}

// Without `few` nothing is asked.
// CHECK-LABEL: tile.kernel @without_W1
// CHECK-NOT: arith.cmpi sle
// CHECK: tile.cost
tile.kernel @without_W1(%A: memref<?x?xbf16>, %n: index) attributes {phase = #planned, warpgroups = 1, plan = #cta.plan<persistent = 1>, tile.member_of = "without", tile.member = "W=1"} {
  tile.grid (%i) = (0) to (%n) step (128)
      attributes {cta.prediction = {blocks_per_sm = 1, cluster = 1, iteration = 700, lines = 900, lines_alone = 600, lines_round = 300, launch = 4000}} {
  }
  tile.return
}

// Blocks that keep their numbers, and those of clusters, are on the SMs of the same TPCs: 34 bytes a cycle.
// CHECK-LABEL: tile.kernel @own_W1
// CHECK: arith.muli %{{.*}}, %c544{{.*}} : index
// CHECK: tile.cost
tile.kernel @own_W1(%A: memref<?x?xbf16>, %n: index) attributes {phase = #planned, warpgroups = 1, plan = #cta.plan<persistent = 1, spread = 0>, tile.member_of = "own", tile.member = "W=1"} {
  tile.grid (%i) = (0) to (%n) step (128)
      attributes {cta.prediction = {blocks_per_sm = 1, cluster = 1, iteration = 700, lines = 900, lines_alone = 600, lines_round = 300, launch = 4000}} {
  }
  tile.return
}
// CHECK-LABEL: tile.kernel @clusters_W1
// CHECK: arith.muli %{{.*}}, %c544{{.*}} : index
// CHECK: tile.cost
tile.kernel @clusters_W1(%A: memref<?x?xbf16>, %n: index) attributes {phase = #planned, warpgroups = 1, plan = #cta.plan<persistent = 1, cluster = 2>, tile.member_of = "clusters", tile.member = "W=1"} {
  tile.grid (%i) = (0) to (%n) step (128)
      attributes {cta.prediction = {blocks_per_sm = 1, cluster = 2, iteration = 700, lines = 900, lines_alone = 600, lines_round = 300, launch = 4000}} {
  }
  tile.return
}
