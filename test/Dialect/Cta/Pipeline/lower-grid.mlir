// RUN: tile-opt %s -cta-lower-grid | FileCheck %s

// A dynamic grid of rank 1: the number of blocks outside, the coordinate inside.
// CHECK-LABEL: tile.kernel @vector(
// CHECK: %[[N:.*]] = tile.dim "N"
// CHECK: %[[STEP:.*]] = arith.constant 128 : index
// CHECK: %[[CEIL:.*]] = arith.ceildivsi %[[N]], %[[STEP]]
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[BLOCKS:.*]] = arith.maxsi %[[CEIL]], %[[ZERO]]
// CHECK: cta.launch @vector_0 blocks(%[[BLOCKS]]) {
// CHECK-NEXT: %[[B:.*]] = cta.block_id : index
// CHECK-NEXT: %[[B32:.*]] = arith.index_castui %[[B]] : index to i32
// CHECK: %[[BI:.*]] = arith.index_castui %[[B32]] : i32 to index
// CHECK: %[[I:.*]] = arith.muli %[[BI]], %{{.*}}
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]]]
// CHECK-NOT: tile.grid
// CHECK-NOT: tile.yield
tile.kernel @vector(%x: memref<?xf32> {tile.shape = ["N"]}) attributes {phase = #tile.phase<planned>} {
  %n = tile.dim "N" : index
  %one = arith.constant 1.0 : f32
  tile.grid (%i) = (0) to (%n) step (128) {
    memref.store %one, %x[%i] : memref<?xf32>
  }
  tile.return
}

// The last dimension is the fastest; lower bounds and dynamic steps are honoured.
// CHECK-LABEL: tile.kernel @matrix(
// CHECK: %[[EM:.*]] = arith.subi %{{.*}}, %[[LO:.*]] : index
// CHECK: arith.ceildivsi %[[EM]], %[[S:.*]] : index
// CHECK: %[[M:.*]] = arith.maxsi
// CHECK: %[[N:.*]] = arith.maxsi
// CHECK: cta.launch @matrix_0 blocks(%[[M]], %[[N]])
// CHECK: %[[B:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK: arith.index_castui %[[M]] : index to i32
// CHECK: %[[N32:.*]] = arith.index_castui %[[N]] : index to i32
// CHECK: %[[I:.*]] = arith.divui %[[B]], %[[N32]] : i32
// CHECK: %[[J:.*]] = arith.remui %[[B]], %[[N32]] : i32
// CHECK: %[[II:.*]] = arith.index_castui %[[I]] : i32 to index
// CHECK: %[[IS:.*]] = arith.muli %[[II]], %[[S]]
// CHECK: arith.addi %[[IS]], %[[LO]]
// CHECK: arith.index_castui %[[J]] : i32 to index
tile.kernel @matrix(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}, %lo: index, %s: index) attributes {phase = #tile.phase<planned>} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  %one = arith.constant 1.0 : f32
  tile.grid (%i, %j) = (%lo, 0) to (%m, %n) step (%s, 64) {
    memref.store %one, %x[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// Groups of rows; the last group is as high as what is left. Two grids have two symbols.
// CHECK-LABEL: tile.kernel @grouped(
// CHECK: cta.launch @grouped_0 blocks(%[[M:.*]], %[[N:.*]])
// CHECK: %[[B:.*]] = arith.index_castui
// CHECK: %[[M32:.*]] = arith.index_castui %[[M]]
// CHECK: %[[N32:.*]] = arith.index_castui %[[N]]
// CHECK: %[[G:.*]] = arith.constant 8 : i32
// CHECK: %[[H:.*]] = arith.minui %[[M32]], %[[G]]
// CHECK: %[[SIZE:.*]] = arith.muli %[[H]], %[[N32]]
// CHECK: %[[GROUP:.*]] = arith.divui %[[B]], %[[SIZE]]
// CHECK: %[[IN:.*]] = arith.remui %[[B]], %[[SIZE]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[GROUP]], %[[H]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[M32]], %[[FIRST]]
// CHECK: %[[ROWS:.*]] = arith.minui %[[LEFT]], %[[H]]
// CHECK: %[[J:.*]] = arith.divui %[[IN]], %[[ROWS]]
// CHECK: %[[R:.*]] = arith.remui %[[IN]], %[[ROWS]]
// CHECK: %[[I:.*]] = arith.addi %[[FIRST]], %[[R]]
// CHECK: arith.index_castui %[[I]] : i32 to index
// CHECK: arith.index_castui %[[J]] : i32 to index
// CHECK: cta.launch @grouped_1 blocks()
// CHECK-NOT: cta.block_id
tile.kernel @grouped(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #tile.phase<planned>} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) order = <group = 8> {
    memref.store %one, %x[%i, %j] : memref<?x?xf32>
  }
  tile.grid () = () to () step () {
    memref.store %one, %x[%c0, %c0] : memref<?x?xf32>
  }
  tile.return
}

// Static bounds are counted here; an empty grid has no block.
// CHECK-LABEL: tile.kernel @static(
// CHECK: %[[THREE:.*]] = arith.constant 3 : index
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[NINE:.*]] = arith.constant 9 : index
// CHECK: cta.launch @static_0 blocks(%[[THREE]], %[[ZERO]], %[[NINE]])
tile.kernel @static(%x: memref<?xf32>) attributes {phase = #tile.phase<planned>} {
  %one = arith.constant 1.0 : f32
  tile.grid (%i, %j, %k) = (-1, 5, 0) to (4, 5, 9) step (2, 1, 1) {
    memref.store %one, %x[%k] : memref<?xf32>
  }
  tile.return
}

// As many as a launch may have, and none of more.
// CHECK-LABEL: tile.kernel @most(
// CHECK: %[[MOST:.*]] = arith.constant 2147483647 : index
// CHECK: cta.launch @most_0 blocks(%[[MOST]])
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: cta.launch @most_1 blocks(%{{.*}}, %{{.*}}, %[[ZERO]])
tile.kernel @most() attributes {phase = #tile.phase<planned>} {
  tile.grid (%i) = (-1) to (2147483646) step (1) {
  }
  tile.grid (%i, %j, %k) = (0, 0, 0) to (4294967296, 4294967296, 0) step (1, 1, 1) {
  }
  tile.return
}
