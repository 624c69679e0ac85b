// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @count(%n: index) {
  // expected-error @+1 {{grid_c1: 2 coordinates need as many lower bounds, upper bounds and steps, got 2, 1 and 2}}
  tile.grid (%i, %j) = (0, 0) to (%n) step (1, 1) {
  }
  tile.return
}

// -----

tile.kernel @mismatch(%n: index) {
  // expected-error @+1 {{grid_c1: dynamic bounds and their values do not match}}
  "tile.grid"(%n) <{operandSegmentSizes = array<i32: 0, 1, 0>, staticLower = array<i64: 0>, staticUpper = array<i64: 5>, staticStep = array<i64: 1>}> ({
  ^bb0(%i: index):
    "tile.yield"() : () -> ()
  }) : (index) -> ()
  tile.return
}

// -----

tile.kernel @coordinate(%n: index) {
  // expected-error @+1 {{grid_c1: coordinates are of type index, got 'i32'}}
  "tile.grid"() <{operandSegmentSizes = array<i32: 0, 0, 0>, staticLower = array<i64: 0>, staticUpper = array<i64: 5>, staticStep = array<i64: 1>}> ({
  ^bb0(%i: i32):
    "tile.yield"() : () -> ()
  }) : () -> ()
  tile.return
}

// -----

tile.kernel @step() {
  // expected-error @+1 {{grid_c2: a step must be positive, got 0}}
  tile.grid (%i) = (0) to (8) step (0) {
  }
  tile.return
}

// -----

tile.kernel @nested() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{grid_c3: must stand directly in a tile.kernel}}
    tile.grid (%j) = (0) to (8) step (1) {
    }
  }
  tile.return
}

// -----

// expected-error @+1 {{grid_c3: must stand directly in a tile.kernel}}
tile.grid () = () to () step () {
}

// -----

tile.kernel @crossing(%A: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<1.0> : tensor<4xf32>
  tile.grid () = () to () step () {
    // expected-error @+1 {{grid_c4: uses a tile from outside its tile.grid; tiles may not cross the border}}
    tile.store %t, %A[%c0] : tensor<4xf32> -> memref<4xf32>
  }
  tile.return
}

// -----

tile.kernel @order() {
  // expected-error @+1 {{grid_c5: an order with a group needs a grid of rank 2 or more, got rank 1}}
  tile.grid (%i) = (0) to (8) step (1) order = <group = 4> {
  }
  tile.return
}

// -----

tile.kernel @group() {
  // expected-error @+1 {{the group of a grid's order is 0 to 1048576 rows, got -1}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = <group = -1> {
  }
  tile.return
}

// -----

tile.kernel @large_group() {
  // expected-error @+1 {{the group of a grid's order is 0 to 1048576 rows, got 1048577}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = <group = 1048577> {
  }
  tile.return
}

// -----

tile.kernel @no_order() {
  // expected-error @+1 {{grid_c5: expected an order, as in 'order = <group = 8>', got #tile.pad<any>}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = #tile.pad<any> {
  }
  tile.return
}

// -----

tile.kernel @yields(%n: index) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{yield_c1: a grid yields nothing; store the result with tile.store}}
    tile.yield %n : index
  }
  tile.return
}

// -----

func.func @elsewhere() {
  // expected-error @+1 {{yield_c1: ends a tile.grid, the combiner of a reduction or a scan, or the region of a tile.rare, not a func.func}}
  tile.yield
}

// -----

tile.kernel @two_blocks() {
  // expected-error @+1 {{expects region #0 to have 0 or 1 blocks}}
  "tile.grid"() <{operandSegmentSizes = array<i32: 0, 0, 0>, staticLower = array<i64>, staticUpper = array<i64>, staticStep = array<i64>}> ({
    "tile.yield"() : () -> ()
  ^bb1:
    "tile.yield"() : () -> ()
  }) : () -> ()
  tile.return
}

// -----

// Syntax.

tile.kernel @no_parenthesis() {
  // expected-error @+2 {{expected '(' in dynamic index list}}
  // expected-error @+1 {{expected SSA value or integer}}
  tile.grid (%i) = 0 to (8) step (1) {
  }
  tile.return
}

// -----

tile.kernel @no_step() {
  // expected-error @+1 {{expected 'step'}}
  tile.grid (%i) = (0) to (8) {
  }
  tile.return
}

// -----

tile.kernel @order_syntax() {
  // expected-error @+1 {{grid_c5: expected an order, as in 'order = <group = 8>'}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = 3 {
  }
  tile.return
}

// -----

tile.kernel @own_attribute() {
  // expected-error @+1 {{attribute 'staticLower' occurs more than once}}
  tile.grid (%i) = (0) to (8) step (1) attributes {staticLower = array<i64: 1>} {
  }
  tile.return
}

// -----

tile.kernel @typed_bound(%n: i32) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{use of value '%n' expects different type than prior uses: 'index' vs 'i32'}}
  tile.grid (%i) = (0) to (%n) step (1) {
  }
  tile.return
}

// -----

// A bound does not see what the grid defines.
tile.kernel @inside(%A: memref<?xf32> {tile.shape = ["K"]}) {
  // expected-error @+1 {{use of undeclared SSA value name}}
  tile.grid (%k) = (0) to (%K) step (4) {
    %K = tile.dim "K" : index
  }
  tile.return
}

// -----

tile.kernel @slowest_beyond() {
  // expected-error @+1 {{grid_c6: an order names dimension 2 as the slowest, but the grid has rank 2}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = <slowest = 2> {
  }
  tile.return
}

// -----

tile.kernel @slowest_negative() {
  // expected-error @+1 {{the slowest dimension of a grid's order is a dimension of the grid, got -2}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = <slowest = -2> {
  }
  tile.return
}

// -----

tile.kernel @group_and_slowest() {
  // expected-error @+1 {{an order has rasterisation groups or a slowest dimension, not both}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = <group = 8, slowest = 0> {
  }
  tile.return
}

// -----

tile.kernel @reverse_of_nothing() {
  // expected-error @+1 {{'reverse', 'section' and 'shared' are about the slowest dimension of an order, and this one has none}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = <reverse> {
  }
  tile.return
}

// -----

tile.kernel @two_sections() {
  // expected-error @+1 {{an order has a section of so many output tiles, or of what shares so many bytes, not both}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = <slowest = 0, section = 4, shared = 1024> {
  }
  tile.return
}

// -----

tile.kernel @negative_section() {
  // expected-error @+1 {{neither is negative, got -4 and 0}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = <slowest = 0, section = -4> {
  }
  tile.return
}

// -----

tile.kernel @twice() {
  // expected-error @+1 {{an order has group, or slowest, reverse, section, shared and dynamic, each once; got 'group'}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = <group = 8, group = 4> {
  }
  tile.return
}

// -----

tile.kernel @unknown_entry() {
  // expected-error @+1 {{each once; got 'snake'}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) order = <snake> {
  }
  tile.return
}
