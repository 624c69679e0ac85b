// RUN: tile-opt %s -tile-verify | tile-opt -tile-verify | FileCheck %s
// RUN: tile-opt %s -tile-expand-ops | FileCheck %s
// RUN: tile-opt %s -canonicalize -cse | FileCheck %s --check-prefix=KEPT

// Running combinations: all clauses, by name and with a combiner. tile-expand-ops leaves them as they are.

// CHECK-LABEL: tile.kernel @plain(
// CHECK: tile.scan addf %{{.*}} dim = 1 : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
tile.kernel @plain(%x: memref<4x5xf32>, %y: memref<4x5xf32>, %s: memref<4xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : memref<4x5xf32> -> tensor<4x5xf32>
    %b, %t = tile.scan addf %a dim = 1 : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
    tile.store %b, %y[%c0, %c0] : tensor<4x5xf32> -> memref<4x5xf32>
    tile.store %t, %s[%c0] : tensor<4xf32> -> memref<4xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @clauses(
// CHECK: tile.scan maxsi %{{.*}} dim = 0 exclusive reverse carry(%{{.*}}) : tensor<4xi32> -> tensor<4xi32>, tensor<i32>
// CHECK: tile.scan muli %{{.*}} dim = 0 exclusive {note = 1 : i64} : tensor<4xi32>
tile.kernel @clauses(%x: memref<4xi32>, %y: memref<4xi32>, %c: i32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %carry = tensor.from_elements %c : tensor<i32>
    %a = tile.load %x[%c0] : memref<4xi32> -> tensor<4xi32>
    %b, %t = tile.scan maxsi %a dim = 0 exclusive reverse carry(%carry) : tensor<4xi32> -> tensor<4xi32>, tensor<i32>
    tile.store %b, %y[%c0] : tensor<4xi32> -> memref<4xi32>
    %d, %u = tile.scan muli %a dim = 0 exclusive {note = 1} : tensor<4xi32> -> tensor<4xi32>, tensor<i32>
    tile.store %d, %y[%c0] : tensor<4xi32> -> memref<4xi32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @recurrence(
// CHECK: %[[S:.*]]:4 = tile.scan (%{{.*}}, %{{.*}}) dim = 1 init(%{{.*}}, %{{.*}}) exclusive reverse carry(%{{.*}}, %{{.*}}) attributes {note = 1 : i64} {
// CHECK-NEXT: ^bb0(%before: f32, %[[B:before_.*]]: f32, %next: f32, %[[N:next_.*]]: f32):
// CHECK-NEXT:   arith.mulf %before, %next : f32
// CHECK-NEXT:   arith.mulf %[[B]], %next : f32
// CHECK-NEXT:   arith.addf %{{.*}}, %[[N]] : f32
// CHECK-NEXT:   tile.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK-NEXT: } : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4x5xf32>, tensor<4xf32>, tensor<4xf32>
// CHECK: tile.store %[[S]]#1
// CHECK: tile.store %[[S]]#3
tile.kernel @recurrence(%x: memref<4x5xf32>, %y: memref<4x5xf32>, %s: memref<4xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %a = tile.load %x[%c0, %c0] : memref<4x5xf32> -> tensor<4x5xf32>
    %b = tile.load %y[%c0, %c0] : memref<4x5xf32> -> tensor<4x5xf32>
    %c = tile.load %s[%c0] : memref<4xf32> -> tensor<4xf32>
    %p, %q, %r, %t = tile.scan (%a, %b) dim = 1 init(%one, %zero) exclusive reverse carry(%c, %c) attributes {note = 1} {
    ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
      %d = arith.mulf %a0, %a1 : f32
      %e = arith.mulf %b0, %a1 : f32
      %f = arith.addf %e, %b1 : f32
      tile.yield %d, %f : f32, f32
    } : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4x5xf32>, tensor<4xf32>, tensor<4xf32>
    tile.store %q, %y[%c0, %c0] : tensor<4x5xf32> -> memref<4x5xf32>
    tile.store %t, %s[%c0] : tensor<4xf32> -> memref<4xf32>
  }
  tile.return
}

// A scan whose results nobody reads goes, of two equal ones the second; one with another order stays.
// KEPT-LABEL: tile.kernel @duplicates(
// KEPT: tile.scan addf
// KEPT-SAME: dim = 1 :
// KEPT: tile.scan addf
// KEPT-SAME: dim = 1 reverse :
// KEPT-NOT: tile.scan
tile.kernel @duplicates(%x: memref<4x5xf32>, %y: memref<4x5xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : memref<4x5xf32> -> tensor<4x5xf32>
    %b, %t = tile.scan addf %a dim = 1 : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
    %d, %u = tile.scan addf %a dim = 1 : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
    %e, %v = tile.scan addf %a dim = 1 reverse : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
    %f, %w = tile.scan mulf %a dim = 1 : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
    %g = arith.subf %b, %d : tensor<4x5xf32>
    %h = arith.subf %g, %e : tensor<4x5xf32>
    tile.store %h, %y[%c0, %c0] : tensor<4x5xf32> -> memref<4x5xf32>
  }
  tile.return
}
