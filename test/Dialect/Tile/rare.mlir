// RUN: tile-opt %s -tile-verify | tile-opt -tile-verify | FileCheck %s
// RUN: tile-opt %s -canonicalize | FileCheck %s --check-prefix=FOLDED
// RUN: tile-opt %s -tile-expand-ops -tile-verify | FileCheck %s --check-prefix=EXPANDED

// A need for rows: the region holds whatever a condition may hold, loads too. The condition becomes one of the block, under which rows are
// selected; the reduction says that warps may decide for themselves.
// CHECK-LABEL: tile.kernel @rows(
// CHECK: %[[R:.*]]:2 = tile.rare %[[N:.*]] passing(%[[X:.*]], %[[M:.*]]) {
// CHECK:   tile.mma
// CHECK:   scf.for
// CHECK:   tile.load
// CHECK:   tile.yield %{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64xf32>
// CHECK: } : tensor<64xi1>, tensor<64x64xf32>, tensor<64xf32>
// CHECK: tile.store %[[R]]#0
// FOLDED-LABEL: tile.kernel @rows(
// FOLDED: tile.rare
// EXPANDED-LABEL: tile.kernel @rows(
// EXPANDED-NOT: tile.rare
// EXPANDED: %[[N:.*]] = arith.cmpf
// EXPANDED: %[[ANY:.*]] = tile.reduce ori %[[N]] dims = [0] {tile.rarely} : tensor<64xi1> -> tensor<i1>
// EXPANDED-NEXT: %[[SOME:.*]] = tensor.extract %[[ANY]][] : tensor<i1>
// EXPANDED-NEXT: %[[R:.*]]:2 = scf.if %[[SOME]] -> (tensor<64x64xf32>, tensor<64xf32>) {
// EXPANDED:   %[[Y:.*]] = scf.for
// EXPANDED:   %[[MASK:.*]] = tile.broadcast %[[N]] dims = [0] : tensor<64xi1> -> tensor<64x64xi1>
// EXPANDED-NEXT: %[[A:.*]] = arith.select %[[MASK]], %[[Y]], %[[X:.*]] : tensor<64x64xi1>
// EXPANDED-NEXT: %[[B:.*]] = arith.select %[[N]], %{{.*}}, %[[M:.*]] : tensor<64xi1>
// EXPANDED-NEXT: scf.yield %[[A]], %[[B]]
// EXPANDED-NEXT: } else {
// EXPANDED-NEXT: scf.yield %[[X]], %[[M]]
// EXPANDED: tile.store %[[R]]#0
tile.kernel @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %x = tile.load %A[%c0, %c0] : memref<?x?xf32> -> tensor<64x64xf32>
    %m = tile.load %B[%c0] : memref<?xf32> -> tensor<64xf32>
    %top = tile.reduce maximumf %x dims = [1] : tensor<64x64xf32> -> tensor<64xf32>
    %need = arith.cmpf ogt, %top, %m : tensor<64xf32>
    %r, %n = tile.rare %need passing(%x, %m) {
      %p = tile.mma %x, %x : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %q = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %p) -> (tensor<64x64xf32>) {
        %l = tile.load %A[%c0, %i] : memref<?x?xf32> -> tensor<64x64xf32>
        %t = arith.addf %s, %l : tensor<64x64xf32>
        scf.yield %t : tensor<64x64xf32>
      }
      %e = math.exp2 %m : tensor<64xf32>
      tile.yield %q, %e : tensor<64x64xf32>, tensor<64xf32>
    } : tensor<64xi1>, tensor<64x64xf32>, tensor<64xf32>
    tile.store %r, %A[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
    tile.store %n, %B[%c0] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @superset(
// CHECK: tile.rare %{{.*}} passing(%{{.*}}) superset attributes {note = 1 : i64} {
// CHECK: } : tensor<8xi1>, tensor<8x2x3xf8E4M3FN>
// FOLDED-LABEL: tile.kernel @superset(
// FOLDED: tile.rare %{{.*}} passing(%{{.*}}) superset attributes {note = 1 : i64} {
// EXPANDED-LABEL: tile.kernel @superset(
// EXPANDED: scf.if
// EXPANDED-NOT: arith.select
// EXPANDED: tile.store
tile.kernel @superset(%A: memref<?x?x?xf8E4M3FN>, %N: memref<?xi1>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0, %c0] : memref<?x?x?xf8E4M3FN> -> tensor<8x2x3xf8E4M3FN>
    %need = tile.load %N[%c0] : memref<?xi1> -> tensor<8xi1>
    %r = tile.rare %need passing(%x) superset attributes {note = 1} {
      %y = arith.mulf %x, %x : tensor<8x2x3xf8E4M3FN>
      tile.yield %y : tensor<8x2x3xf8E4M3FN>
    } : tensor<8xi1>, tensor<8x2x3xf8E4M3FN>
    tile.store %r, %A[%c0, %c0, %c0] : tensor<8x2x3xf8E4M3FN> -> memref<?x?x?xf8E4M3FN>
  }
  tile.return
}

// A scalar need: scalars, and tiles of any shape. There is nothing to vote on and nothing to select.
// CHECK-LABEL: tile.kernel @scalar(
// CHECK: tile.rare %{{.*}} passing(%{{.*}}, %{{.*}}, %{{.*}}) {
// CHECK: } : i1, i32, tensor<f32>, tensor<3x5xf32>
// EXPANDED-LABEL: tile.kernel @scalar(
// EXPANDED-NOT: tile.reduce
// EXPANDED: %[[R:.*]]:3 = scf.if %{{.*}} -> (i32, tensor<f32>, tensor<3x5xf32>) {
// EXPANDED-NOT: arith.select
// EXPANDED: tile.store
tile.kernel @scalar(%A: memref<?x?xf32>, %n: i32, %p: memref<i32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %f = arith.constant dense<1.0> : tensor<f32>
    %x = tile.load %A[%c0, %c0] : memref<?x?xf32> -> tensor<3x5xf32>
    %need = arith.cmpi slt, %n, %zero : i32
    %a, %b, %c = tile.rare %need passing(%n, %f, %x) {
      %m = arith.muli %n, %n : i32
      %e = math.exp %f : tensor<f32>
      %y = math.exp %x : tensor<3x5xf32>
      tile.yield %m, %e, %y : i32, tensor<f32>, tensor<3x5xf32>
    } : i1, i32, tensor<f32>, tensor<3x5xf32>
    %g = tile.broadcast %b dims = [] : tensor<f32> -> tensor<3x5xf32>
    %h = arith.addf %g, %c : tensor<3x5xf32>
    tile.store %h, %A[%c0, %c0] : tensor<3x5xf32> -> memref<?x?xf32>
    memref.store %a, %p[] : memref<i32>
  }
  tile.return
}

// No row, and all rows.
// FOLDED-LABEL: func.func @never(
// FOLDED-NEXT: return %arg0
func.func @never(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %no = arith.constant dense<false> : tensor<4xi1>
  %r = tile.rare %no passing(%x) {
    %y = math.exp %x : tensor<4x5xf32>
    tile.yield %y : tensor<4x5xf32>
  } : tensor<4xi1>, tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// FOLDED-LABEL: func.func @always(
// FOLDED-NEXT: %[[Y:.*]] = math.exp %arg0
// FOLDED-NEXT: return %[[Y]]
func.func @always(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %yes = arith.constant dense<true> : tensor<4xi1>
  %r = tile.rare %yes passing(%x) {
    %y = math.exp %x : tensor<4x5xf32>
    tile.yield %y : tensor<4x5xf32>
  } : tensor<4xi1>, tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// Some rows stay.
// FOLDED-LABEL: func.func @some(
// FOLDED: tile.rare
func.func @some(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %one = arith.constant dense<[true, false]> : tensor<2xi1>
  %r = tile.rare %one passing(%x) {
    %y = math.exp %x : tensor<2x5xf32>
    tile.yield %y : tensor<2x5xf32>
  } : tensor<2xi1>, tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}

// The same for all rows: a scalar need.
// FOLDED-LABEL: func.func @splat(
// FOLDED-SAME: %[[C:[a-z0-9]+]]: i1
// FOLDED-NEXT: %{{.*}} = tile.rare %[[C]] passing(%{{.*}}) {
// FOLDED: } : i1, tensor<4x5xf32>
func.func @splat(%x: tensor<4x5xf32>, %c: i1) -> tensor<4x5xf32> {
  %need = tensor.splat %c : tensor<4xi1>
  %r = tile.rare %need passing(%x) {
    %y = math.exp %x : tensor<4x5xf32>
    tile.yield %y : tensor<4x5xf32>
  } : tensor<4xi1>, tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// Of five results one is used, one is what is passed, two are the same, one nobody uses.
// FOLDED-LABEL: func.func @results(
// FOLDED-SAME: %[[N:[a-z0-9]+]]: tensor<4xi1>, %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>
// FOLDED-NEXT: %[[R:.*]]:2 = tile.rare %[[N]] passing(%[[X]], %[[Y]]) attributes {note} {
// FOLDED-NEXT:   %[[E:.*]] = math.exp %[[X]]
// FOLDED-NEXT:   tile.yield %[[E]], %[[E]]
// FOLDED-NEXT: } : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
// FOLDED-NEXT: return %[[R]]#0, %[[Y]], %[[R]]#0, %[[R]]#1
func.func @results(%n: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a, %b, %c, %d, %e = tile.rare %n passing(%x, %y, %x, %y, %y) attributes {note} {
    %f = math.exp %x : tensor<4xf32>
    tile.yield %f, %y, %f, %f, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Nobody uses any; what is read in the region is no reason to keep it.
// FOLDED-LABEL: func.func @dead(
// FOLDED-NEXT: return
func.func @dead(%n: tensor<4xi1>, %x: tensor<4xf32>, %A: memref<?xf32>, %i: index) {
  %a = tile.rare %n passing(%x) {
    %l = tile.load %A[%i] : memref<?xf32> -> tensor<4xf32>
    tile.yield %l : tensor<4xf32>
  } : tensor<4xi1>, tensor<4xf32>
  return
}

// In regions of each other.
// CHECK-LABEL: func.func @nested(
// CHECK: tile.rare
// CHECK:   tile.rare
// EXPANDED-LABEL: func.func @nested(
// EXPANDED: scf.if
// EXPANDED:   tile.reduce ori %{{.*}} dims = [0] {tile.rarely}
// EXPANDED:   scf.if
func.func @nested(%n: tensor<4xi1>, %m: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tile.rare %n passing(%x) {
    %y = math.exp %x : tensor<4xf32>
    %b = tile.rare %m passing(%y) {
      %z = math.sqrt %y : tensor<4xf32>
      tile.yield %z : tensor<4xf32>
    } : tensor<4xi1>, tensor<4xf32>
    tile.yield %b : tensor<4xf32>
  } : tensor<4xi1>, tensor<4xf32>
  return %a : tensor<4xf32>
}
