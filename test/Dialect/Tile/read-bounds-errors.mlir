// RUN: tile-opt %s -split-input-file -tile-verify -verify-diagnostics
// RUN: echo 'tile.kernel @k() attributes {phase = #tile.phase<placed>} { tile.return }' | not tile-opt -tile-read-bounds 2>&1 | FileCheck %s
// CHECK: error: 'tile.kernel' op tile-read-bounds is for kernels at L0, this one is at phase placed

tile.kernel @written(%n: memref<1xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'memref.load' op is read outside the grids, so each grid that uses it reads it when it begins, but a grid writes %n between here and its last use: read it in the grid that uses it, or after the write}}
  %n32 = memref.load %n[%c0] : memref<1xi32>
  %rows = arith.index_cast %n32 : i32 to index
  tile.grid (%i) = (0) to (%rows) step (1) {
    %one = arith.constant 1 : i32
    %z = arith.constant 0 : index
    // expected-note @+1 {{the write}}
    memref.store %one, %n[%z] : memref<1xi32>
  }
  tile.return
}

// -----

tile.kernel @written_between(%n: memref<1xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{a grid writes %n between here and its last use}}
  %n32 = memref.load %n[%c0] : memref<1xi32>
  %rows = arith.index_cast %n32 : i32 to index
  tile.grid () = () to () step () {
    %one = arith.constant 1 : i32
    %z = arith.constant 0 : index
    // expected-note @+1 {{the write}}
    %old = tile.atomic add returning %one, %n[%z] : i32 -> memref<1xi32>
  }
  tile.grid (%i) = (0) to (%rows) step (1) {
    memref.store %n32, %y[%i] : memref<?xi32>
  }
  tile.return
}

// -----

tile.kernel @alias(%n: memref<1xi32> {tile.alias = "a"}, %y: memref<?xi32> {tile.alias = "a"}) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{a grid writes %n between here and its last use}}
  %n32 = memref.load %n[%c0] : memref<1xi32>
  tile.grid (%i) = (0) to (5) step (1) {
    // expected-note @+1 {{the write}}
    memref.store %n32, %y[%i] : memref<?xi32>
  }
  tile.return
}

// -----

tile.kernel @by_address(%n: memref<1xi32>, %t: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{a grid writes %n between here and its last use}}
  %n32 = memref.load %n[%c0] : memref<1xi32>
  %rows = arith.index_cast %n32 : i32 to index
  tile.grid (%i) = (0) to (%rows) step (1) {
    %y = tile.array_at %t[%i] sizes [8] : memref<?xi64> -> memref<8xi32>
    // expected-note @+1 {{the write}}
    memref.store %n32, %y[%i] : memref<8xi32>
  }
  tile.return
}

// -----

// The host needs sizes of workspace, and conditions of a launch.
tile.kernel @workspace(%n: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this op}}
  %n32 = memref.load %n[%c0] : memref<1xi32>
  %rows = arith.index_cast %n32 : i32 to index
  // expected-error @+1 {{a size of the workspace depends on memref.load, which the launcher cannot compute}}
  %w = memref.alloc(%rows) : memref<?xf32>
  tile.return
}

// -----

tile.kernel @condition(%n: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this op}}
  %n32 = memref.load %n[%c0] : memref<1xi32>
  %some = arith.cmpi sgt, %n32, %n32 : i32
  // expected-error @+1 {{the condition depends on memref.load, which the launcher cannot compute}}
  tile.assume %some, "there are rows" : i1
  tile.return
}
