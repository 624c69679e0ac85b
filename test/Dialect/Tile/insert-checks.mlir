// RUN: tile-opt %s -tile-insert-checks -canonicalize | FileCheck %s
// RUN: tile-opt %s -tile-insert-checks -canonicalize -tile-verify -o /dev/null

// Scalars in memory: every dimension, as an unsigned number; static sizes are constants, an index that is known to fit needs no test.
// CHECK-LABEL: tile.kernel @bounds(
// CHECK-SAME: %[[A:[a-zA-Z0-9]+]]: memref<?x4xf32>
// CHECK: tile.grid (%[[I:.+]]) =
// CHECK: %[[SIZE:.+]] = memref.dim %[[A]], %c0
// CHECK: %[[IN0:.+]] = arith.cmpi ult, %[[I]], %[[SIZE]] : index
// CHECK: cf.assert %[[IN0]], "memref.load of %A is out of bounds in dimension 0"
// CHECK-NOT: cf.assert
// CHECK: memref.load %[[A]][%[[I]], %c3]
// CHECK: cf.assert %{{.+}}, "memref.store of %A is out of bounds in dimension 0"
// CHECK: %[[IN1:.+]] = arith.cmpi ult, %[[I]], %c4
// CHECK: cf.assert %[[IN1]], "memref.store of %A is out of bounds in dimension 1"
// CHECK: memref.store
tile.kernel @bounds(%A: memref<?x4xf32>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (1) {
    %c3 = arith.constant 3 : index
    %v = memref.load %A[%i, %c3] : memref<?x4xf32>
    memref.store %v, %A[%i, %i] : memref<?x4xf32>
  }
  tile.return
}

// Views are named by their root.
// CHECK-LABEL: tile.kernel @views(
tile.kernel @views(%B: memref<?xf32>, %n: index) {
  // CHECK: memref.alloc(%{{.+}}) {tile.init = 0x7FC00000 : f32}
  %w = memref.alloc(%n) : memref<?xf32>
  // CHECK: memref.alloc(%{{.+}}) {tile.init = 0 : i32}
  %kept = memref.alloc(%n) {tile.init = 0 : i32} : memref<?xi32>
  // CHECK: memref.alloc(%{{.+}}) {tile.init = -2147483648 : i32}
  %ints = memref.alloc(%n) : memref<?xi32>
  tile.grid (%i) = (0) to (%n) step (1) {
    %c0 = arith.constant 0 : index
    %v = memref.subview %B[%i] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    // CHECK: cf.assert %{{.+}}, "memref.load of %B is out of bounds in dimension 0"
    // CHECK: cf.assert %{{.+}}, "memref.store of the workspace is out of bounds in dimension 0"
    %x = memref.load %v[%n] : memref<?xf32, strided<[1], offset: ?>>
    memref.store %x, %w[%i] : memref<?xf32>
    %y = memref.load %w[%i] : memref<?xf32>
    %k = memref.load %kept[%i] : memref<?xi32>
    %l = memref.load %ints[%i] : memref<?xi32>
    %m = arith.addi %k, %l : i32
    %f = arith.sitofp %m : i32 to f32
    %z = arith.addf %y, %f : f32
    memref.store %z, %B[%i] : memref<?xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @numbers(
// CHECK: cf.assert %{{.+}}, "the value is not at least 0, as tile.assume promises"
// CHECK: cf.assert %{{.+}}, "the value is not at most 4096, as tile.assume promises"
// CHECK: arith.remsi %{{.+}}, %c8
// CHECK: cf.assert %{{.+}}, "the value is no multiple of 8, as tile.assume promises"
// CHECK: cf.assert %{{.+}}, "arith.divsi by zero"
// CHECK: cf.assert %{{.+}}, "arith.divsi of the least number by -1 overflows"
// CHECK: arith.divsi
// CHECK: cf.assert %{{.+}}, "arith.remui by zero"
// CHECK-NOT: overflows
// CHECK: cf.assert %{{.+}}, "arith.shli by 32 bits or more"
// CHECK: cf.assert %{{.+}}, "arith.fptosi of a number that does not fit"
// CHECK: cf.assert %{{.+}}, "the step of scf.for is not positive"
// CHECK: scf.for
tile.kernel @numbers(%A: memref<?xi32>, %n: index, %x: i32, %y: i32, %f: f32) {
  tile.grid (%i) = (0) to (%n) step (1) {
    tile.assume %n {min = 0, max = 4096, divisible = 8} : index
    %d = arith.divsi %x, %y : i32
    %r = arith.remui %d, %y : i32
    %s = arith.shli %r, %y : i32
    %t = arith.fptosi %f : f32 to i32
    %u = arith.addi %s, %t : i32
    scf.for %j = %i to %n step %n {
      memref.store %u, %A[%j] : memref<?xi32>
    }
  }
  tile.return
}

// Known to hold: by constants. Tiles divide padding, combiners too: not tested. Nothing outside the grids is.
// CHECK-LABEL: tile.kernel @nothing(
// CHECK-NOT: cf.assert
// CHECK: tile.load %{{.+}}[%{{.+}}] limit = [%{{.+}}] pad = nan : memref<?xf32>
// CHECK-NOT: cf.assert
// CHECK: tile.return
tile.kernel @nothing(%A: memref<?xf32>, %B: memref<?xi32>, %n: index) {
  %c7 = arith.constant 7 : index
  %q = arith.divui %n, %c7 : index
  tile.grid (%i) = (0) to (16) step (16) {
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %a = tile.load %A[%i] limit = [%q] pad = any : memref<?xf32> -> tensor<16xf32>
    tile.store %a, %A[%i] : tensor<16xf32> -> memref<?xf32>
    %b = tile.load %B[%i] : memref<?xi32> -> tensor<16xi32>
    %c = arith.divsi %b, %b : tensor<16xi32>
    %d = tile.reduce (%c) dims = [0] init(%c1) {
    ^bb0(%x: i32, %y: i32):
      %z = arith.shli %x, %c3 : i32
      %w = arith.divui %z, %y : i32
      tile.yield %w : i32
    } : tensor<16xi32> -> tensor<i32>
    %e = tile.broadcast %d dims = [] : tensor<i32> -> tensor<16xi32>
    tile.store %e, %B[%i] : tensor<16xi32> -> memref<?xi32>
  }
  tile.return
}
