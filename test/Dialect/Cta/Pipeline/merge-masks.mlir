// RUN: tile-opt %s -cta-merge-masks -cta-verify | FileCheck %s
// RUN: tile-opt %s -cta-merge-masks -cta-verify | FileCheck %s --check-prefix=KEPT
// Two bounds from the same side become one. That the result is the same for the greatest and the least numbers: test/unit/Dialect/Cta/MergeMasksTest.cpp.

#scheduled = #tile.phase<scheduled>
#acc = #cta.frag<wgmma_acc, wg = 1>

// Of < and <= the latter is the one that moves; what is computed twice is the same; three bounds become one.
// CHECK-LABEL: tile.kernel @causal(
// CHECK:         %[[KEY:.+]] = cta.iota dim = 1 from %j : i32
// CHECK:         %[[KEYS:.+]] = cta.broadcast %n dims = [] : i32
// CHECK:         %[[OWN:.+]] = cta.iota dim = 0 from %i : i32
// CHECK-NOT:     arith.cmpi
// CHECK:         %[[ONE:.+]] = arith.constant dense<1> : tensor<64x64xi32, #{{.+}}>
// CHECK-NEXT:    %[[NEXT:.+]] = arith.addi %[[OWN]], %[[ONE]] : tensor<64x64xi32,
// CHECK-NEXT:    %[[BEHIND:.+]] = arith.maxsi %[[OWN]], %[[NEXT]] : tensor<64x64xi32,
// CHECK-NEXT:    %[[END:.+]] = arith.minsi %[[KEYS]], %[[BEHIND]] : tensor<64x64xi32,
// CHECK-NEXT:    %[[SEEN:.+]] = arith.cmpi slt, %[[KEY]], %[[END]] : tensor<64x64xi32,
// CHECK-NOT:     arith.andi
// CHECK:         arith.select %[[SEEN]]
// CHECK:         %[[LESS:.+]] = arith.minsi %{{.+}}, %{{.+}} : tensor<64x64xi32,
// CHECK-NEXT:    %[[LEAST:.+]] = arith.minsi %[[LESS]], %{{.+}} : tensor<64x64xi32,
// CHECK-NEXT:    %[[ALL:.+]] = arith.cmpi sle, %[[KEY]], %[[LEAST]] : tensor<64x64xi32,
// CHECK-NOT:     arith.andi
// CHECK:         arith.select %[[ALL]]
tile.kernel @causal(%C: memref<?x?xf32>, %i: i32, %j: i32, %n: i32, %m: i32) attributes {phase = #scheduled, warpgroups = 1} {
  cta.launch @causal_0 blocks() {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %one = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
    %key = cta.iota dim = 1 from %j : i32 : tensor<64x64xi32, #acc>
    %keys = cta.broadcast %n dims = [] : i32 -> tensor<64x64xi32, #acc>
    %exists = arith.cmpi slt, %key, %keys : tensor<64x64xi32, #acc>
    %again = cta.iota dim = 1 from %j : i32 : tensor<64x64xi32, #acc>
    %own = cta.iota dim = 0 from %i : i32 : tensor<64x64xi32, #acc>
    %before = arith.cmpi sle, %again, %own : tensor<64x64xi32, #acc>
    %seen = arith.andi %exists, %before : tensor<64x64xi1, #acc>
    %s = arith.select %seen, %one, %zero : tensor<64x64xi1, #acc>, tensor<64x64xf32, #acc>
    cta.store %s, %C[%c0, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
    %others = cta.broadcast %m dims = [] : i32 -> tensor<64x64xi32, #acc>
    %a = arith.cmpi sle, %key, %keys : tensor<64x64xi32, #acc>
    %b = arith.cmpi sge, %own, %key : tensor<64x64xi32, #acc>
    %c = arith.cmpi sle, %key, %others : tensor<64x64xi32, #acc>
    %ab = arith.andi %a, %b : tensor<64x64xi1, #acc>
    %abc = arith.andi %ab, %c : tensor<64x64xi1, #acc>
    %t = arith.select %abc, %one, %zero : tensor<64x64xi1, #acc>, tensor<64x64xf32, #acc>
    cta.store %t, %C[%c0, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// From below, and unsigned.
// CHECK-LABEL: tile.kernel @below(
// CHECK:         %[[KEY:.+]] = cta.iota dim = 1 from %j : i32
// CHECK:         %[[ONE:.+]] = arith.constant dense<1>
// CHECK-NEXT:    %[[LAST:.+]] = arith.subi %[[OWN:.+]], %[[ONE]] : tensor<64x64xi32,
// CHECK-NEXT:    %[[BEFORE:.+]] = arith.minsi %[[OWN]], %[[LAST]] : tensor<64x64xi32,
// CHECK-NEXT:    %[[BEGIN:.+]] = arith.maxsi %[[BEFORE]], %{{.+}} : tensor<64x64xi32,
// CHECK-NEXT:    arith.cmpi sgt, %[[KEY]], %[[BEGIN]] : tensor<64x64xi32,
// CHECK:         arith.maxui
// CHECK-NEXT:    arith.minui
// CHECK-NEXT:    arith.cmpi ult, %[[KEY]],
// CHECK:         arith.minui
// CHECK-NEXT:    arith.maxui
// CHECK-NEXT:    arith.cmpi ugt, %[[KEY]],
tile.kernel @below(%C: memref<?x?xf32>, %i: i32, %j: i32, %n: i32) attributes {phase = #scheduled, warpgroups = 1} {
  cta.launch @below_0 blocks() {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %one = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
    %key = cta.iota dim = 1 from %j : i32 : tensor<64x64xi32, #acc>
    %keys = cta.broadcast %n dims = [] : i32 -> tensor<64x64xi32, #acc>
    %own = cta.iota dim = 0 from %i : i32 : tensor<64x64xi32, #acc>
    %a = arith.cmpi sge, %key, %own : tensor<64x64xi32, #acc>
    %b = arith.cmpi slt, %keys, %key : tensor<64x64xi32, #acc>
    %ab = arith.andi %a, %b : tensor<64x64xi1, #acc>
    %s = arith.select %ab, %one, %zero : tensor<64x64xi1, #acc>, tensor<64x64xf32, #acc>
    cta.store %s, %C[%c0, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
    %c = arith.cmpi ule, %key, %own : tensor<64x64xi32, #acc>
    %d = arith.cmpi ugt, %keys, %key : tensor<64x64xi32, #acc>
    %cd = arith.andi %c, %d : tensor<64x64xi1, #acc>
    %t = arith.select %cd, %one, %zero : tensor<64x64xi1, #acc>, tensor<64x64xf32, #acc>
    cta.store %t, %C[%c0, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
    %e = arith.cmpi ule, %own, %key : tensor<64x64xi32, #acc>
    %f = arith.cmpi ugt, %key, %keys : tensor<64x64xi32, #acc>
    %ef = arith.andi %e, %f : tensor<64x64xi1, #acc>
    %u = arith.select %ef, %one, %zero : tensor<64x64xi1, #acc>, tensor<64x64xf32, #acc>
    cta.store %u, %C[%c0, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// These stay: bounds from both sides; of different tiles; signed and unsigned; one along rows and one along columns, whose least would be computed for each
// element; eq; comparisons of floats; a comparison that something else needs; scalars.
// KEPT-LABEL: tile.kernel @kept(
// KEPT-NOT:     arith.minsi
// KEPT-NOT:     arith.maxsi
// KEPT-COUNT-8: arith.andi
// KEPT:       tile.return
tile.kernel @kept(%C: memref<?x?xf32>, %D: memref<?x?xi1>, %i: i32, %j: i32, %n: i32) attributes {phase = #scheduled, warpgroups = 1} {
  cta.launch @kept_0 blocks() {
    %c0 = arith.constant 0 : index
    %key = cta.iota dim = 1 from %j : i32 : tensor<64x64xi32, #acc>
    %keys = cta.broadcast %n dims = [] : i32 -> tensor<64x64xi32, #acc>
    %own = cta.iota dim = 0 from %i : i32 : tensor<64x64xi32, #acc>
    %more = cta.iota dim = 1 from %i : i32 : tensor<64x64xi32, #acc>
    %x = cta.load %C[%c0, %c0] : memref<?x?xf32> -> tensor<64x64xf32, #acc>
    %y = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %a0 = arith.cmpi slt, %key, %keys : tensor<64x64xi32, #acc>
    %b0 = arith.cmpi sge, %key, %own : tensor<64x64xi32, #acc>
    %0 = arith.andi %a0, %b0 : tensor<64x64xi1, #acc>
    cta.store %0, %D[%c0, %c0] : tensor<64x64xi1, #acc> -> memref<?x?xi1>
    %a1 = arith.cmpi slt, %key, %own : tensor<64x64xi32, #acc>
    %b1 = arith.cmpi slt, %more, %keys : tensor<64x64xi32, #acc>
    %1 = arith.andi %a1, %b1 : tensor<64x64xi1, #acc>
    cta.store %1, %D[%c0, %c0] : tensor<64x64xi1, #acc> -> memref<?x?xi1>
    %a2 = arith.cmpi slt, %key, %keys : tensor<64x64xi32, #acc>
    %b2 = arith.cmpi ult, %key, %own : tensor<64x64xi32, #acc>
    %2 = arith.andi %a2, %b2 : tensor<64x64xi1, #acc>
    cta.store %2, %D[%c0, %c0] : tensor<64x64xi1, #acc> -> memref<?x?xi1>
    %a3 = arith.cmpi slt, %key, %own : tensor<64x64xi32, #acc>
    %b3 = arith.cmpi slt, %key, %more : tensor<64x64xi32, #acc>
    %3 = arith.andi %a3, %b3 : tensor<64x64xi1, #acc>
    cta.store %3, %D[%c0, %c0] : tensor<64x64xi1, #acc> -> memref<?x?xi1>
    %a4 = arith.cmpi eq, %key, %own : tensor<64x64xi32, #acc>
    %b4 = arith.cmpi slt, %key, %keys : tensor<64x64xi32, #acc>
    %4 = arith.andi %a4, %b4 : tensor<64x64xi1, #acc>
    cta.store %4, %D[%c0, %c0] : tensor<64x64xi1, #acc> -> memref<?x?xi1>
    %a5 = arith.cmpf olt, %x, %y : tensor<64x64xf32, #acc>
    %b5 = arith.cmpi slt, %key, %keys : tensor<64x64xi32, #acc>
    %5 = arith.andi %a5, %b5 : tensor<64x64xi1, #acc>
    cta.store %5, %D[%c0, %c0] : tensor<64x64xi1, #acc> -> memref<?x?xi1>
    %a6 = arith.cmpi slt, %key, %keys : tensor<64x64xi32, #acc>
    %b6 = arith.cmpi sle, %key, %own : tensor<64x64xi32, #acc>
    %6 = arith.andi %a6, %b6 : tensor<64x64xi1, #acc>
    cta.store %6, %D[%c0, %c0] : tensor<64x64xi1, #acc> -> memref<?x?xi1>
    cta.store %a6, %D[%c0, %c0] : tensor<64x64xi1, #acc> -> memref<?x?xi1>
    %a7 = arith.cmpi slt, %i, %n : i32
    %b7 = arith.cmpi slt, %i, %j : i32
    %7 = arith.andi %a7, %b7 : i1
    %8 = cta.broadcast %7 dims = [] : i1 -> tensor<64x64xi1, #acc>
    cta.store %8, %D[%c0, %c0] : tensor<64x64xi1, #acc> -> memref<?x?xi1>
  }
  tile.return
}
