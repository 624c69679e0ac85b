// RUN: tile-opt %s -cta-split-epilogue | FileCheck %s
// RUN: tile-opt %s -cta-split-epilogue -cta-split-epilogue | FileCheck %s
// Stores by threads. test/CPU/split-epilogue.test compares what such programs compute.

#acc = #cta.frag<wgmma_acc, wg = 2>
// 256 columns for a row of threads, 8 elements each: a subtile of 32 columns needs another layout.
#wide = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warps = [[1, 0], [2, 0]], wg = 2 on 0>
#perRow = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 2 on 0>
#placed = #tile.phase<placed>
#parts = #cta.plan<epilogue = 32>
!sum = tensor<128x64xf32, #acc>

// The residual is loaded, and the result stored, in layouts that fit the columns.
// CHECK-LABEL: tile.kernel @residual(
// CHECK-SAME: %[[R:[^:]*]]: memref<?x?xbf16>, %[[C:[^:]*]]: memref<?x?xbf16>
// CHECK: %[[A0:.*]] = cta.slice %{{.*}} offsets = [0, 0] : tensor<128x64xf32, #wgmma_acc> -> tensor<128x32xf32, #wgmma_acc>
// CHECK: %[[R0:.*]] = cta.load %[[R]][%[[I:.*]], %[[J:.*]]] {vector = 8 : i64} : memref<?x?xbf16> -> tensor<128x32xbf16, #[[NARROW:frag[0-9]*]]>
// CHECK: cta.convert_layout %[[R0]] : tensor<128x32xbf16, #[[NARROW]]> -> tensor<128x32xbf16, #wgmma_acc>
// CHECK: %[[O0:.*]] = cta.convert_layout %{{.*}} : tensor<128x32xbf16, #wgmma_acc> -> tensor<128x32xbf16, #[[NARROW]]>
// CHECK: cta.store %[[O0]], %[[C]][%[[I]], %[[J]]] {vector = 8 : i64}
// CHECK: cta.slice %{{.*}} offsets = [0, 32]
// CHECK: %[[J1:.*]] = arith.addi %[[J]], %c32
// CHECK: cta.load %[[R]][%[[I]], %[[J1]]]
// CHECK: cta.store %{{.*}}, %[[C]][%[[I]], %{{.*}}] {vector = 8 : i64}
// CHECK-NOT: cta.store
// CHECK: tile.return
tile.kernel @residual(%R: memref<?x?xbf16>, %C: memref<?x?xbf16>, %x: memref<?x?xf32>, %n: index) attributes {phase = #placed, plan = #parts, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%n, %n) step (128, 64) {
    %acc = cta.load %x[%i, %j] : memref<?x?xf32> -> !sum
    %sum = scf.for %k = %i to %n step %n iter_args(%s = %acc) -> (!sum) {
      %t = arith.addf %s, %s : !sum
      scf.yield %t : !sum
    }
    %r = cta.load %R[%i, %j] {vector = 8} : memref<?x?xbf16> -> tensor<128x64xbf16, #wide>
    %ra = cta.convert_layout %r : tensor<128x64xbf16, #wide> -> tensor<128x64xbf16, #acc>
    %r32 = arith.extf %ra : tensor<128x64xbf16, #acc> to !sum
    %v = arith.addf %sum, %r32 : !sum
    %o = arith.truncf %v : !sum to tensor<128x64xbf16, #acc>
    %w = cta.convert_layout %o : tensor<128x64xbf16, #acc> -> tensor<128x64xbf16, #wide>
    cta.store %w, %C[%i, %j] {vector = 8} : tensor<128x64xbf16, #wide> -> memref<?x?xbf16>
  }
  tile.return
}

// Two results: the first columns of both, then the others of both. The limit is one of the memref's; a transposed store's columns are its rows in memory.
// CHECK-LABEL: tile.kernel @two(
// CHECK-SAME: %[[C:[^:]*]]: memref<?x?xf32>, %[[D:[^:]*]]: memref<?x?xf32>
// CHECK-COUNT-1: math.exp
// CHECK: cta.store %{{.*}}, %[[C]][%[[I:.*]], %[[J:.*]]] limit = [_, %[[N:.*]]]
// CHECK: cta.store %{{.*}}, %[[D]][%[[J]], %[[I]]] dims = [1, 0]
// CHECK-COUNT-1: math.exp
// CHECK: cta.store %{{.*}}, %[[C]][%[[I]], %{{.*}}] limit = [_, %[[N]]]
// CHECK: %[[J1:.*]] = arith.addi %[[J]], %c32
// CHECK: cta.store %{{.*}}, %[[D]][%[[J1]], %[[I]]] dims = [1, 0]
// CHECK-NOT: cta.store
// CHECK: tile.return
tile.kernel @two(%C: memref<?x?xf32>, %D: memref<?x?xf32>, %x: memref<?x?xf32>, %n: index) attributes {phase = #placed, plan = #parts, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%n, %n) step (128, 64) {
    %acc = cta.load %x[%i, %j] : memref<?x?xf32> -> !sum
    %v = math.exp %acc : !sum
    cta.store %v, %C[%i, %j] limit = [_, %n] : !sum -> memref<?x?xf32>
    %w = arith.negf %v : !sum
    cta.store %w, %D[%j, %i] dims = [1, 0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// One after the other: the same memory twice, and a load that sees what was stored.
// CHECK-LABEL: tile.kernel @twice(
// CHECK-COUNT-2: cta.store %{{.*}}, %C
// CHECK: arith.negf
// CHECK-COUNT-2: cta.store %{{.*}}, %C
// CHECK-LABEL: tile.kernel @seen(
// CHECK-COUNT-2: cta.store %{{.*}}, %C
// CHECK: cta.load %C
// CHECK-COUNT-2: cta.store %{{.*}}, %D
tile.kernel @twice(%C: memref<?x?xf32>, %x: memref<?x?xf32>) attributes {phase = #placed, plan = #parts, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<?x?xf32> -> !sum
    cta.store %acc, %C[%z, %z] : !sum -> memref<?x?xf32>
    %w = arith.negf %acc : !sum
    cta.store %w, %C[%z, %z] : !sum -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @seen(%C: memref<?x?xf32>, %D: memref<?x?xf32>, %x: memref<?x?xf32>) attributes {phase = #placed, plan = #parts, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<?x?xf32> -> !sum
    cta.store %acc, %C[%z, %z] : !sum -> memref<?x?xf32>
    %c = cta.load %C[%z, %z] : memref<?x?xf32> -> !sum
    %w = arith.addf %acc, %c : !sum
    cta.store %w, %D[%z, %z] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Masks over columns are split, and coordinates count on; masks over rows are not.
// CHECK-LABEL: tile.kernel @masks(
// CHECK: cta.iota dim = 1 : tensor<128x32xi32
// CHECK: cta.store {{.*}} mask = %{{.*}} : tensor<128x32xf32
// CHECK: cta.store {{.*}} mask = %[[ROWS:.*]] on [0] : tensor<128x32xf32
// CHECK: %[[I:.*]] = cta.iota dim = 1 : tensor<128x32xi32
// CHECK: %[[C:.*]] = arith.constant dense<32> : tensor<128x32xi32
// CHECK: arith.addi %[[I]], %[[C]]
// CHECK: cta.store {{.*}} mask = %{{.*}} : tensor<128x32xf32
// CHECK: cta.store {{.*}} mask = %[[ROWS]] on [0] : tensor<128x32xf32
// CHECK-NOT: cta.store
// CHECK: tile.return
tile.kernel @masks(%C: memref<?x?xf32>, %D: memref<?x?xf32>, %x: memref<?x?xf32>, %b: memref<?xi1>) attributes {phase = #placed, plan = #parts, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<?x?xf32> -> !sum
    %rows = cta.load %b[%z] : memref<?xi1> -> tensor<128xi1, #perRow>
    %n = cta.iota dim = 1 : tensor<128x64xi32, #acc>
    %m = cta.iota dim = 0 : tensor<128x64xi32, #acc>
    %below = arith.cmpi slt, %n, %m : tensor<128x64xi32, #acc>
    cta.store %acc, %C[%z, %z] mask = %below : !sum -> memref<?x?xf32>
    cta.store %acc, %D[%z, %z] mask = %rows on [0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// If the width does not divide the columns, the last subtile is narrower. Not divided: another layout, a converted tile with two users.
// CHECK-LABEL: tile.kernel @whole(
// CHECK: cta.store {{.*}} : tensor<128x32xf32
// CHECK: cta.store {{.*}} : tensor<128x16xf32
// CHECK: cta.store {{.*}} : tensor<128x64xbf16
// CHECK: cta.store {{.*}} : tensor<128x64xf32, #frag
// CHECK: cta.store {{.*}} : tensor<128x64xf32, #frag
// CHECK-NOT: cta.store
// CHECK: tile.return
tile.kernel @whole(%C: memref<?x?xf32>, %D: memref<?x?xbf16>, %x: memref<?x?xf32>) attributes {phase = #placed, plan = #parts, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %a = cta.load %x[%z, %z] : memref<?x?xf32> -> tensor<128x48xf32, #acc>
    cta.store %a, %C[%z, %z] : tensor<128x48xf32, #acc> -> memref<?x?xf32>
    %b = cta.load %D[%z, %z] : memref<?x?xbf16> -> tensor<128x64xbf16, #wide>
    cta.store %b, %D[%z, %z] : tensor<128x64xbf16, #wide> -> memref<?x?xbf16>
    %c = cta.load %x[%z, %z] : memref<?x?xf32> -> !sum
    %w = cta.convert_layout %c : !sum -> tensor<128x64xf32, #wide>
    cta.store %w, %C[%z, %z] : tensor<128x64xf32, #wide> -> memref<?x?xf32>
    cta.store %w, %C[%z, %z] : tensor<128x64xf32, #wide> -> memref<?x?xf32>
  }
  tile.return
}
