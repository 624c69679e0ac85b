// RUN: split-file %s %t
// RUN: tile-opt %t/silent.mlir -tile-verify -verify-diagnostics -o /dev/null
// RUN: tile-opt %t/silent.mlir -tile-expand-ops -tile-insert-checks -canonicalize | FileCheck %s
// RUN: tile-opt %t/errors.mlir -tile-verify -split-input-file -verify-diagnostics
// RUN: tile-opt %t/scatter.mlir -tile-expand-ops -tile-insert-checks -canonicalize | FileCheck %s --check-prefix=SCATTER

// What is said of races and of determinism where blocks meet by atomics.

// CHECK-LABEL: tile.kernel @lock
// CHECK-NOT: memref.alloc
// CHECK-NOT: another block
// CHECK-LABEL: tile.kernel @deterministic

//--- silent.mlir
// All blocks write the same element, one after the other: an atomic orders them. It is not judged, and there is no array of writers.
tile.kernel @lock(%L: memref<1xi32>, %s: memref<4xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.while : () -> () {
      %was = tile.atomic cas acquire returning %zero, %one, %L[%c0] : i32 -> memref<1xi32>
      %again = arith.cmpi ne, %was, %zero : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    %t = tile.load %s[%c0] : memref<4xf32> -> tensor<4xf32>
    %u = arith.addf %t, %t : tensor<4xf32>
    tile.store %u, %s[%c0] : tensor<4xf32> -> memref<4xf32>
    tile.atomic exchange release %zero, %L[%c0] : i32 -> memref<1xi32>
  }
  tile.return
}

// Atomics whose order does not matter are deterministic; so are loads and stores with index tiles. Atomics never race with each other.
tile.kernel @deterministic(%H: memref<?xi32>, %I: memref<?xi32>, %F: memref<?xf32>, %v: i64, %J: memref<1xi64>) attributes {require = #tile.require<[deterministic]>} {
  tile.grid (%i) = (0) to (8) step (1) {
    %c0 = arith.constant 0 : index
    %ones = arith.constant dense<1> : tensor<64xi32>
    %bins = tile.load %I[%i] : memref<?xi32> -> tensor<64xi32>
    tile.atomic add %ones, %H[%bins : tensor<64xi32>] : tensor<64xi32> -> memref<?xi32>
    tile.atomic xor %ones, %H[%c0] : tensor<64xi32> -> memref<?xi32>
    tile.atomic umax %v, %J[%c0] : i64 -> memref<1xi64>
    %f = tile.load %F[%bins : tensor<64xi32>] : memref<?xf32> -> tensor<64xf32>
    tile.atomic max %f, %F[%c0] : tensor<64xf32> -> memref<?xf32>
    tile.store %f, %F[%bins : tensor<64xi32>] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

//--- errors.mlir
tile.kernel @sums(%F: memref<?xf32>) attributes {require = #tile.require<[deterministic]>} {
  tile.grid (%i) = (0) to (8) step (1) {
    %c0 = arith.constant 0 : index
    %ones = arith.constant dense<1.0> : tensor<64xf32>
    // expected-error @+1 {{may leave other bits each time, as 'require = [deterministic]' forbids: it is not known to write the same in every order of blocks}}
    tile.atomic add %ones, %F[%c0] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

tile.kernel @returning(%H: memref<?xi32>, %v: i32) attributes {require = #tile.require<[deterministic]>} {
  tile.grid (%i) = (0) to (8) step (1) {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{may leave other bits each time}}
    %old = tile.atomic add returning %v, %H[%c0] : i32 -> memref<?xi32>
    memref.store %old, %H[%i] : memref<?xi32>
  }
  tile.return
}

// -----

tile.kernel @exchange(%H: memref<?xi32>, %v: i32) attributes {require = #tile.require<[deterministic]>} {
  tile.grid (%i) = (0) to (8) step (1) {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{may leave other bits each time}}
    tile.atomic exchange %v, %H[%c0] : i32 -> memref<?xi32>
  }
  tile.return
}

// -----

tile.kernel @ordered(%H: memref<?xi32>, %v: i32) attributes {require = #tile.require<[deterministic]>} {
  tile.grid (%i) = (0) to (8) step (1) {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{may leave other bits each time}}
    tile.atomic add release %v, %H[%c0] : i32 -> memref<?xi32>
  }
  tile.return
}

//--- scatter.mlir
// SCATTER-LABEL: tile.kernel @scatter
// SCATTER: %[[S:.*]] = memref.alloc(%{{.*}}) {tile.init = -1 : i64} : memref<?xi64>
// SCATTER: %[[BEFORE:.*]] = tile.gather %[[S]][%[[AT:.*]] : tensor<64xi32>] pad = -1 : i64 mask = %[[M:.*]] :
// SCATTER: cf.assert %{{.*}}, "tile.scatter writes elements of %F that another block of the grid writes, too"
// SCATTER: tile.scatter %{{.*}}, %[[S]][%[[AT]] : tensor<64xi32>] mask = %[[M]]
// SCATTER: tile.scatter %{{.*}}, %F[%[[AT]] : tensor<64xi32>] mask = %[[M]]
tile.kernel @scatter(%F: memref<?xf32>, %I: memref<?xi32>, %B: memref<?xi1>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %c0 = arith.constant 0 : index
    %at = tile.load %I[%i] : memref<?xi32> -> tensor<64xi32>
    %m = tile.load %B[%i] : memref<?xi1> -> tensor<64xi1>
    %ones = arith.constant dense<1.0> : tensor<64xf32>
    tile.store %ones, %F[%at : tensor<64xi32>] mask = %m : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}
