// RUN: tile-opt %s -cta-merge-masks -cta-verify -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=KEPT
// RUN: tile-opt %t.mlir -cta-merge-masks | diff %t.mlir -
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

// Numbers made by many steps, each of which needs the one before twice: random numbers of rows, below one probability. Each value is looked at once.
// CHECK-LABEL: tile.kernel @deep(
// CHECK:         %[[MOST:.+]] = arith.maxui
// CHECK-NEXT:    arith.cmpi ugt, %{{.+}}, %[[MOST]]
// CHECK:       tile.return
tile.kernel @deep(%D: memref<?x?xi1>, %i: i32, %p: i32) attributes {phase = #scheduled, warpgroups = 1} {
  cta.launch @deep_0 blocks() {
    %c0 = arith.constant 0 : index
    %three = arith.constant dense<3> : tensor<64x64xi32, #acc>
    %h0 = cta.iota dim = 0 from %i : i32 : tensor<64x64xi32, #acc>
    %g0 = cta.iota dim = 0 from %p : i32 : tensor<64x64xi32, #acc>
    %limit = cta.broadcast %p dims = [] : i32 -> tensor<64x64xi32, #acc>
    %l0 = arith.shli %h0, %three : tensor<64x64xi32, #acc>
    %h1 = arith.xori %h0, %l0 : tensor<64x64xi32, #acc>
    %m0 = arith.shli %g0, %three : tensor<64x64xi32, #acc>
    %g1 = arith.xori %g0, %m0 : tensor<64x64xi32, #acc>
    %l1 = arith.shli %h1, %three : tensor<64x64xi32, #acc>
    %h2 = arith.xori %h1, %l1 : tensor<64x64xi32, #acc>
    %m1 = arith.shli %g1, %three : tensor<64x64xi32, #acc>
    %g2 = arith.xori %g1, %m1 : tensor<64x64xi32, #acc>
    %l2 = arith.shli %h2, %three : tensor<64x64xi32, #acc>
    %h3 = arith.xori %h2, %l2 : tensor<64x64xi32, #acc>
    %m2 = arith.shli %g2, %three : tensor<64x64xi32, #acc>
    %g3 = arith.xori %g2, %m2 : tensor<64x64xi32, #acc>
    %l3 = arith.shli %h3, %three : tensor<64x64xi32, #acc>
    %h4 = arith.xori %h3, %l3 : tensor<64x64xi32, #acc>
    %m3 = arith.shli %g3, %three : tensor<64x64xi32, #acc>
    %g4 = arith.xori %g3, %m3 : tensor<64x64xi32, #acc>
    %l4 = arith.shli %h4, %three : tensor<64x64xi32, #acc>
    %h5 = arith.xori %h4, %l4 : tensor<64x64xi32, #acc>
    %m4 = arith.shli %g4, %three : tensor<64x64xi32, #acc>
    %g5 = arith.xori %g4, %m4 : tensor<64x64xi32, #acc>
    %l5 = arith.shli %h5, %three : tensor<64x64xi32, #acc>
    %h6 = arith.xori %h5, %l5 : tensor<64x64xi32, #acc>
    %m5 = arith.shli %g5, %three : tensor<64x64xi32, #acc>
    %g6 = arith.xori %g5, %m5 : tensor<64x64xi32, #acc>
    %l6 = arith.shli %h6, %three : tensor<64x64xi32, #acc>
    %h7 = arith.xori %h6, %l6 : tensor<64x64xi32, #acc>
    %m6 = arith.shli %g6, %three : tensor<64x64xi32, #acc>
    %g7 = arith.xori %g6, %m6 : tensor<64x64xi32, #acc>
    %l7 = arith.shli %h7, %three : tensor<64x64xi32, #acc>
    %h8 = arith.xori %h7, %l7 : tensor<64x64xi32, #acc>
    %m7 = arith.shli %g7, %three : tensor<64x64xi32, #acc>
    %g8 = arith.xori %g7, %m7 : tensor<64x64xi32, #acc>
    %l8 = arith.shli %h8, %three : tensor<64x64xi32, #acc>
    %h9 = arith.xori %h8, %l8 : tensor<64x64xi32, #acc>
    %m8 = arith.shli %g8, %three : tensor<64x64xi32, #acc>
    %g9 = arith.xori %g8, %m8 : tensor<64x64xi32, #acc>
    %l9 = arith.shli %h9, %three : tensor<64x64xi32, #acc>
    %h10 = arith.xori %h9, %l9 : tensor<64x64xi32, #acc>
    %m9 = arith.shli %g9, %three : tensor<64x64xi32, #acc>
    %g10 = arith.xori %g9, %m9 : tensor<64x64xi32, #acc>
    %l10 = arith.shli %h10, %three : tensor<64x64xi32, #acc>
    %h11 = arith.xori %h10, %l10 : tensor<64x64xi32, #acc>
    %m10 = arith.shli %g10, %three : tensor<64x64xi32, #acc>
    %g11 = arith.xori %g10, %m10 : tensor<64x64xi32, #acc>
    %l11 = arith.shli %h11, %three : tensor<64x64xi32, #acc>
    %h12 = arith.xori %h11, %l11 : tensor<64x64xi32, #acc>
    %m11 = arith.shli %g11, %three : tensor<64x64xi32, #acc>
    %g12 = arith.xori %g11, %m11 : tensor<64x64xi32, #acc>
    %l12 = arith.shli %h12, %three : tensor<64x64xi32, #acc>
    %h13 = arith.xori %h12, %l12 : tensor<64x64xi32, #acc>
    %m12 = arith.shli %g12, %three : tensor<64x64xi32, #acc>
    %g13 = arith.xori %g12, %m12 : tensor<64x64xi32, #acc>
    %l13 = arith.shli %h13, %three : tensor<64x64xi32, #acc>
    %h14 = arith.xori %h13, %l13 : tensor<64x64xi32, #acc>
    %m13 = arith.shli %g13, %three : tensor<64x64xi32, #acc>
    %g14 = arith.xori %g13, %m13 : tensor<64x64xi32, #acc>
    %l14 = arith.shli %h14, %three : tensor<64x64xi32, #acc>
    %h15 = arith.xori %h14, %l14 : tensor<64x64xi32, #acc>
    %m14 = arith.shli %g14, %three : tensor<64x64xi32, #acc>
    %g15 = arith.xori %g14, %m14 : tensor<64x64xi32, #acc>
    %l15 = arith.shli %h15, %three : tensor<64x64xi32, #acc>
    %h16 = arith.xori %h15, %l15 : tensor<64x64xi32, #acc>
    %m15 = arith.shli %g15, %three : tensor<64x64xi32, #acc>
    %g16 = arith.xori %g15, %m15 : tensor<64x64xi32, #acc>
    %l16 = arith.shli %h16, %three : tensor<64x64xi32, #acc>
    %h17 = arith.xori %h16, %l16 : tensor<64x64xi32, #acc>
    %m16 = arith.shli %g16, %three : tensor<64x64xi32, #acc>
    %g17 = arith.xori %g16, %m16 : tensor<64x64xi32, #acc>
    %l17 = arith.shli %h17, %three : tensor<64x64xi32, #acc>
    %h18 = arith.xori %h17, %l17 : tensor<64x64xi32, #acc>
    %m17 = arith.shli %g17, %three : tensor<64x64xi32, #acc>
    %g18 = arith.xori %g17, %m17 : tensor<64x64xi32, #acc>
    %l18 = arith.shli %h18, %three : tensor<64x64xi32, #acc>
    %h19 = arith.xori %h18, %l18 : tensor<64x64xi32, #acc>
    %m18 = arith.shli %g18, %three : tensor<64x64xi32, #acc>
    %g19 = arith.xori %g18, %m18 : tensor<64x64xi32, #acc>
    %l19 = arith.shli %h19, %three : tensor<64x64xi32, #acc>
    %h20 = arith.xori %h19, %l19 : tensor<64x64xi32, #acc>
    %m19 = arith.shli %g19, %three : tensor<64x64xi32, #acc>
    %g20 = arith.xori %g19, %m19 : tensor<64x64xi32, #acc>
    %l20 = arith.shli %h20, %three : tensor<64x64xi32, #acc>
    %h21 = arith.xori %h20, %l20 : tensor<64x64xi32, #acc>
    %m20 = arith.shli %g20, %three : tensor<64x64xi32, #acc>
    %g21 = arith.xori %g20, %m20 : tensor<64x64xi32, #acc>
    %l21 = arith.shli %h21, %three : tensor<64x64xi32, #acc>
    %h22 = arith.xori %h21, %l21 : tensor<64x64xi32, #acc>
    %m21 = arith.shli %g21, %three : tensor<64x64xi32, #acc>
    %g22 = arith.xori %g21, %m21 : tensor<64x64xi32, #acc>
    %l22 = arith.shli %h22, %three : tensor<64x64xi32, #acc>
    %h23 = arith.xori %h22, %l22 : tensor<64x64xi32, #acc>
    %m22 = arith.shli %g22, %three : tensor<64x64xi32, #acc>
    %g23 = arith.xori %g22, %m22 : tensor<64x64xi32, #acc>
    %l23 = arith.shli %h23, %three : tensor<64x64xi32, #acc>
    %h24 = arith.xori %h23, %l23 : tensor<64x64xi32, #acc>
    %m23 = arith.shli %g23, %three : tensor<64x64xi32, #acc>
    %g24 = arith.xori %g23, %m23 : tensor<64x64xi32, #acc>
    %l24 = arith.shli %h24, %three : tensor<64x64xi32, #acc>
    %h25 = arith.xori %h24, %l24 : tensor<64x64xi32, #acc>
    %m24 = arith.shli %g24, %three : tensor<64x64xi32, #acc>
    %g25 = arith.xori %g24, %m24 : tensor<64x64xi32, #acc>
    %l25 = arith.shli %h25, %three : tensor<64x64xi32, #acc>
    %h26 = arith.xori %h25, %l25 : tensor<64x64xi32, #acc>
    %m25 = arith.shli %g25, %three : tensor<64x64xi32, #acc>
    %g26 = arith.xori %g25, %m25 : tensor<64x64xi32, #acc>
    %l26 = arith.shli %h26, %three : tensor<64x64xi32, #acc>
    %h27 = arith.xori %h26, %l26 : tensor<64x64xi32, #acc>
    %m26 = arith.shli %g26, %three : tensor<64x64xi32, #acc>
    %g27 = arith.xori %g26, %m26 : tensor<64x64xi32, #acc>
    %l27 = arith.shli %h27, %three : tensor<64x64xi32, #acc>
    %h28 = arith.xori %h27, %l27 : tensor<64x64xi32, #acc>
    %m27 = arith.shli %g27, %three : tensor<64x64xi32, #acc>
    %g28 = arith.xori %g27, %m27 : tensor<64x64xi32, #acc>
    %l28 = arith.shli %h28, %three : tensor<64x64xi32, #acc>
    %h29 = arith.xori %h28, %l28 : tensor<64x64xi32, #acc>
    %m28 = arith.shli %g28, %three : tensor<64x64xi32, #acc>
    %g29 = arith.xori %g28, %m28 : tensor<64x64xi32, #acc>
    %l29 = arith.shli %h29, %three : tensor<64x64xi32, #acc>
    %h30 = arith.xori %h29, %l29 : tensor<64x64xi32, #acc>
    %m29 = arith.shli %g29, %three : tensor<64x64xi32, #acc>
    %g30 = arith.xori %g29, %m29 : tensor<64x64xi32, #acc>
    %l30 = arith.shli %h30, %three : tensor<64x64xi32, #acc>
    %h31 = arith.xori %h30, %l30 : tensor<64x64xi32, #acc>
    %m30 = arith.shli %g30, %three : tensor<64x64xi32, #acc>
    %g31 = arith.xori %g30, %m30 : tensor<64x64xi32, #acc>
    %l31 = arith.shli %h31, %three : tensor<64x64xi32, #acc>
    %h32 = arith.xori %h31, %l31 : tensor<64x64xi32, #acc>
    %m31 = arith.shli %g31, %three : tensor<64x64xi32, #acc>
    %g32 = arith.xori %g31, %m31 : tensor<64x64xi32, #acc>
    %l32 = arith.shli %h32, %three : tensor<64x64xi32, #acc>
    %h33 = arith.xori %h32, %l32 : tensor<64x64xi32, #acc>
    %m32 = arith.shli %g32, %three : tensor<64x64xi32, #acc>
    %g33 = arith.xori %g32, %m32 : tensor<64x64xi32, #acc>
    %l33 = arith.shli %h33, %three : tensor<64x64xi32, #acc>
    %h34 = arith.xori %h33, %l33 : tensor<64x64xi32, #acc>
    %m33 = arith.shli %g33, %three : tensor<64x64xi32, #acc>
    %g34 = arith.xori %g33, %m33 : tensor<64x64xi32, #acc>
    %l34 = arith.shli %h34, %three : tensor<64x64xi32, #acc>
    %h35 = arith.xori %h34, %l34 : tensor<64x64xi32, #acc>
    %m34 = arith.shli %g34, %three : tensor<64x64xi32, #acc>
    %g35 = arith.xori %g34, %m34 : tensor<64x64xi32, #acc>
    %l35 = arith.shli %h35, %three : tensor<64x64xi32, #acc>
    %h36 = arith.xori %h35, %l35 : tensor<64x64xi32, #acc>
    %m35 = arith.shli %g35, %three : tensor<64x64xi32, #acc>
    %g36 = arith.xori %g35, %m35 : tensor<64x64xi32, #acc>
    %l36 = arith.shli %h36, %three : tensor<64x64xi32, #acc>
    %h37 = arith.xori %h36, %l36 : tensor<64x64xi32, #acc>
    %m36 = arith.shli %g36, %three : tensor<64x64xi32, #acc>
    %g37 = arith.xori %g36, %m36 : tensor<64x64xi32, #acc>
    %l37 = arith.shli %h37, %three : tensor<64x64xi32, #acc>
    %h38 = arith.xori %h37, %l37 : tensor<64x64xi32, #acc>
    %m37 = arith.shli %g37, %three : tensor<64x64xi32, #acc>
    %g38 = arith.xori %g37, %m37 : tensor<64x64xi32, #acc>
    %l38 = arith.shli %h38, %three : tensor<64x64xi32, #acc>
    %h39 = arith.xori %h38, %l38 : tensor<64x64xi32, #acc>
    %m38 = arith.shli %g38, %three : tensor<64x64xi32, #acc>
    %g39 = arith.xori %g38, %m38 : tensor<64x64xi32, #acc>
    %l39 = arith.shli %h39, %three : tensor<64x64xi32, #acc>
    %h40 = arith.xori %h39, %l39 : tensor<64x64xi32, #acc>
    %m39 = arith.shli %g39, %three : tensor<64x64xi32, #acc>
    %g40 = arith.xori %g39, %m39 : tensor<64x64xi32, #acc>
    %l40 = arith.shli %h40, %three : tensor<64x64xi32, #acc>
    %h41 = arith.xori %h40, %l40 : tensor<64x64xi32, #acc>
    %m40 = arith.shli %g40, %three : tensor<64x64xi32, #acc>
    %g41 = arith.xori %g40, %m40 : tensor<64x64xi32, #acc>
    %l41 = arith.shli %h41, %three : tensor<64x64xi32, #acc>
    %h42 = arith.xori %h41, %l41 : tensor<64x64xi32, #acc>
    %m41 = arith.shli %g41, %three : tensor<64x64xi32, #acc>
    %g42 = arith.xori %g41, %m41 : tensor<64x64xi32, #acc>
    %l42 = arith.shli %h42, %three : tensor<64x64xi32, #acc>
    %h43 = arith.xori %h42, %l42 : tensor<64x64xi32, #acc>
    %m42 = arith.shli %g42, %three : tensor<64x64xi32, #acc>
    %g43 = arith.xori %g42, %m42 : tensor<64x64xi32, #acc>
    %l43 = arith.shli %h43, %three : tensor<64x64xi32, #acc>
    %h44 = arith.xori %h43, %l43 : tensor<64x64xi32, #acc>
    %m43 = arith.shli %g43, %three : tensor<64x64xi32, #acc>
    %g44 = arith.xori %g43, %m43 : tensor<64x64xi32, #acc>
    %l44 = arith.shli %h44, %three : tensor<64x64xi32, #acc>
    %h45 = arith.xori %h44, %l44 : tensor<64x64xi32, #acc>
    %m44 = arith.shli %g44, %three : tensor<64x64xi32, #acc>
    %g45 = arith.xori %g44, %m44 : tensor<64x64xi32, #acc>
    %l45 = arith.shli %h45, %three : tensor<64x64xi32, #acc>
    %h46 = arith.xori %h45, %l45 : tensor<64x64xi32, #acc>
    %m45 = arith.shli %g45, %three : tensor<64x64xi32, #acc>
    %g46 = arith.xori %g45, %m45 : tensor<64x64xi32, #acc>
    %l46 = arith.shli %h46, %three : tensor<64x64xi32, #acc>
    %h47 = arith.xori %h46, %l46 : tensor<64x64xi32, #acc>
    %m46 = arith.shli %g46, %three : tensor<64x64xi32, #acc>
    %g47 = arith.xori %g46, %m46 : tensor<64x64xi32, #acc>
    %l47 = arith.shli %h47, %three : tensor<64x64xi32, #acc>
    %h48 = arith.xori %h47, %l47 : tensor<64x64xi32, #acc>
    %m47 = arith.shli %g47, %three : tensor<64x64xi32, #acc>
    %g48 = arith.xori %g47, %m47 : tensor<64x64xi32, #acc>
    %l48 = arith.shli %h48, %three : tensor<64x64xi32, #acc>
    %h49 = arith.xori %h48, %l48 : tensor<64x64xi32, #acc>
    %m48 = arith.shli %g48, %three : tensor<64x64xi32, #acc>
    %g49 = arith.xori %g48, %m48 : tensor<64x64xi32, #acc>
    %l49 = arith.shli %h49, %three : tensor<64x64xi32, #acc>
    %h50 = arith.xori %h49, %l49 : tensor<64x64xi32, #acc>
    %m49 = arith.shli %g49, %three : tensor<64x64xi32, #acc>
    %g50 = arith.xori %g49, %m49 : tensor<64x64xi32, #acc>
    %l50 = arith.shli %h50, %three : tensor<64x64xi32, #acc>
    %h51 = arith.xori %h50, %l50 : tensor<64x64xi32, #acc>
    %m50 = arith.shli %g50, %three : tensor<64x64xi32, #acc>
    %g51 = arith.xori %g50, %m50 : tensor<64x64xi32, #acc>
    %l51 = arith.shli %h51, %three : tensor<64x64xi32, #acc>
    %h52 = arith.xori %h51, %l51 : tensor<64x64xi32, #acc>
    %m51 = arith.shli %g51, %three : tensor<64x64xi32, #acc>
    %g52 = arith.xori %g51, %m51 : tensor<64x64xi32, #acc>
    %l52 = arith.shli %h52, %three : tensor<64x64xi32, #acc>
    %h53 = arith.xori %h52, %l52 : tensor<64x64xi32, #acc>
    %m52 = arith.shli %g52, %three : tensor<64x64xi32, #acc>
    %g53 = arith.xori %g52, %m52 : tensor<64x64xi32, #acc>
    %l53 = arith.shli %h53, %three : tensor<64x64xi32, #acc>
    %h54 = arith.xori %h53, %l53 : tensor<64x64xi32, #acc>
    %m53 = arith.shli %g53, %three : tensor<64x64xi32, #acc>
    %g54 = arith.xori %g53, %m53 : tensor<64x64xi32, #acc>
    %l54 = arith.shli %h54, %three : tensor<64x64xi32, #acc>
    %h55 = arith.xori %h54, %l54 : tensor<64x64xi32, #acc>
    %m54 = arith.shli %g54, %three : tensor<64x64xi32, #acc>
    %g55 = arith.xori %g54, %m54 : tensor<64x64xi32, #acc>
    %l55 = arith.shli %h55, %three : tensor<64x64xi32, #acc>
    %h56 = arith.xori %h55, %l55 : tensor<64x64xi32, #acc>
    %m55 = arith.shli %g55, %three : tensor<64x64xi32, #acc>
    %g56 = arith.xori %g55, %m55 : tensor<64x64xi32, #acc>
    %l56 = arith.shli %h56, %three : tensor<64x64xi32, #acc>
    %h57 = arith.xori %h56, %l56 : tensor<64x64xi32, #acc>
    %m56 = arith.shli %g56, %three : tensor<64x64xi32, #acc>
    %g57 = arith.xori %g56, %m56 : tensor<64x64xi32, #acc>
    %l57 = arith.shli %h57, %three : tensor<64x64xi32, #acc>
    %h58 = arith.xori %h57, %l57 : tensor<64x64xi32, #acc>
    %m57 = arith.shli %g57, %three : tensor<64x64xi32, #acc>
    %g58 = arith.xori %g57, %m57 : tensor<64x64xi32, #acc>
    %l58 = arith.shli %h58, %three : tensor<64x64xi32, #acc>
    %h59 = arith.xori %h58, %l58 : tensor<64x64xi32, #acc>
    %m58 = arith.shli %g58, %three : tensor<64x64xi32, #acc>
    %g59 = arith.xori %g58, %m58 : tensor<64x64xi32, #acc>
    %l59 = arith.shli %h59, %three : tensor<64x64xi32, #acc>
    %h60 = arith.xori %h59, %l59 : tensor<64x64xi32, #acc>
    %m59 = arith.shli %g59, %three : tensor<64x64xi32, #acc>
    %g60 = arith.xori %g59, %m59 : tensor<64x64xi32, #acc>
    %l60 = arith.shli %h60, %three : tensor<64x64xi32, #acc>
    %h61 = arith.xori %h60, %l60 : tensor<64x64xi32, #acc>
    %m60 = arith.shli %g60, %three : tensor<64x64xi32, #acc>
    %g61 = arith.xori %g60, %m60 : tensor<64x64xi32, #acc>
    %l61 = arith.shli %h61, %three : tensor<64x64xi32, #acc>
    %h62 = arith.xori %h61, %l61 : tensor<64x64xi32, #acc>
    %m61 = arith.shli %g61, %three : tensor<64x64xi32, #acc>
    %g62 = arith.xori %g61, %m61 : tensor<64x64xi32, #acc>
    %l62 = arith.shli %h62, %three : tensor<64x64xi32, #acc>
    %h63 = arith.xori %h62, %l62 : tensor<64x64xi32, #acc>
    %m62 = arith.shli %g62, %three : tensor<64x64xi32, #acc>
    %g63 = arith.xori %g62, %m62 : tensor<64x64xi32, #acc>
    %l63 = arith.shli %h63, %three : tensor<64x64xi32, #acc>
    %h64 = arith.xori %h63, %l63 : tensor<64x64xi32, #acc>
    %m63 = arith.shli %g63, %three : tensor<64x64xi32, #acc>
    %g64 = arith.xori %g63, %m63 : tensor<64x64xi32, #acc>
    %a = arith.cmpi ult, %h64, %limit : tensor<64x64xi32, #acc>
    %b = arith.cmpi ult, %g64, %limit : tensor<64x64xi32, #acc>
    %ab = arith.andi %a, %b : tensor<64x64xi1, #acc>
    cta.store %ab, %D[%c0, %c0] : tensor<64x64xi1, #acc> -> memref<?x?xi1>
  }
  tile.return
}
