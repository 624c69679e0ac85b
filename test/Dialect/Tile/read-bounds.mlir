// RUN: tile-opt %s -split-input-file -tile-verify -tile-read-bounds -canonicalize -cse -tile-verify | FileCheck %s
// RUN: tile-opt %s -split-input-file -tile-read-bounds -tile-read-bounds -canonicalize -cse | FileCheck %s

// A bound from memory: the blocks read it, and take the output tiles by turns, the last dimension fastest.
// CHECK-LABEL: tile.kernel @counted
// CHECK-NOT: memref.load
// CHECK: %[[CORES:.*]] = tile.num_cores
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[CORES]], %c8
// CHECK: tile.grid (%[[W:.*]]) = (0) to (%[[BLOCKS]]) step (1) {
// CHECK-DAG: %[[N32:.*]] = memref.load %count[%c0] : memref<1xi32>
// CHECK-DAG: %[[N:.*]] = arith.index_cast %[[N32]] : i32 to index
// CHECK-DAG: %[[ROWS:.*]] = arith.ceildivsi %[[N]], %c16 : index
// CHECK-DAG: arith.maxsi %[[ROWS]], %c0 : index
// CHECK: %[[TOTAL:.*]] = arith.muli
// CHECK: scf.for %[[T:.*]] = %[[W]] to %[[TOTAL]] step %[[BLOCKS]] {
// CHECK: %[[COLUMN:.*]] = arith.remui %[[T]], %[[COLUMNS:.*]] : index
// CHECK: %[[ROW:.*]] = arith.divui %[[T]], %[[COLUMNS]] : index
// CHECK: %[[J:.*]] = arith.muli %[[COLUMN]], %c64 : index
// CHECK: %[[I:.*]] = arith.muli %[[ROW]], %c16 : index
// CHECK: tile.load %x[%[[I]], %[[J]]] limit = [%[[N]], _]
// CHECK: tile.store
tile.kernel @counted(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}, %y: memref<?x?xf32> {tile.shape = ["M", "N"]}, %count: memref<1xi32>) {
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %n32 = memref.load %count[%c0] : memref<1xi32>
  %n = arith.index_cast %n32 : i32 to index
  tile.grid (%i, %j) = (0, 0) to (%n, %N) step (16, 64) {
    %t = tile.load %x[%i, %j] limit = [%n, _] : memref<?x?xf32> -> tensor<16x64xf32>
    tile.store %t, %y[%i, %j] limit = [%n, _] : tensor<16x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// A number that no bound depends on is read in the grids that use it, and grids stay as they are.
// CHECK-LABEL: tile.kernel @scalar
// CHECK-NOT: memref.load
// CHECK: tile.grid (%{{.*}}) = (0) to (%{{.*}}) step (64) {
// CHECK: memref.load %s[%c0]
// CHECK: tile.store
// CHECK: }
// CHECK: tile.grid (%{{.*}}) = (0) to (%{{.*}}) step (64) {
// CHECK-NOT: memref.load
// CHECK: }
// CHECK: tile.grid (%{{.*}}) = (0) to (%{{.*}}) step (64) {
// CHECK: memref.load %s[%c0]
tile.kernel @scalar(%s: memref<?xf32>, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %n = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %v = memref.load %s[%c0] : memref<?xf32>
  tile.grid (%i) = (0) to (%n) step (64) {
    %t = tensor.splat %v : tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.grid (%i) = (0) to (%n) step (64) {
    %t = tile.load %y[%i] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.grid (%i) = (0) to (%n) step (64) {
    %t = tensor.splat %v : tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// What an earlier grid has written is read by the later one. Products, and blocks that wait, have a core for themselves.
// CHECK-LABEL: tile.kernel @between
// CHECK: tile.grid () = () to () step () {
// CHECK: memref.store
// CHECK: }
// CHECK: %[[CORES:.*]] = tile.num_cores
// CHECK: tile.grid (%{{.*}}) = (0) to (%[[CORES]]) step (1) {
// CHECK: memref.load %n[%c0]
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[CORES]] {
// CHECK: tile.atomic add release
tile.kernel @between(%n: memref<1xi32>, %flag: memref<?xi32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %five = arith.constant 5 : i32
    memref.store %five, %n[%c0] : memref<1xi32>
  }
  %c0 = arith.constant 0 : index
  %n32 = memref.load %n[%c0] : memref<1xi32>
  %rows = arith.index_cast %n32 : i32 to index
  tile.grid (%i) = (0) to (%rows) step (1) {
    %one = arith.constant 1 : i32
    tile.atomic add release %one, %flag[%i] : i32 -> memref<?xi32>
  }
  tile.return
}

// -----

// Lower bounds and steps may be from memory, too.
// CHECK-LABEL: tile.kernel @all_bounds
// CHECK: scf.for
// CHECK: arith.muli %{{.*}}, %[[STEP:.*]] : index
// CHECK: arith.addi %[[LOW:.*]], %{{.*}} : index
tile.kernel @all_bounds(%b: memref<3xi64>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %lo64 = memref.load %b[%c0] : memref<3xi64>
  %up64 = memref.load %b[%c1] : memref<3xi64>
  %st64 = memref.load %b[%c2] : memref<3xi64>
  %lo = arith.index_cast %lo64 : i64 to index
  %up = arith.index_cast %up64 : i64 to index
  %st = arith.index_cast %st64 : i64 to index
  tile.grid (%i) = (%lo) to (%up) step (%st) {
    %one = arith.constant 1.0 : f32
    memref.store %one, %y[%i] : memref<?xf32>
  }
  tile.return
}

// -----

// Without reads the kernel is left alone.
// CHECK-LABEL: tile.kernel @plain
// CHECK-NOT: tile.num_cores
// CHECK: tile.grid (%{{.*}}) = (0) to (%{{.*}}) step (64)
tile.kernel @plain(%y: memref<?xf32> {tile.shape = ["N"]}) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (64) {
    %t = arith.constant dense<0.0> : tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}
