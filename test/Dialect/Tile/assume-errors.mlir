// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @nothing() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{assume_c1: a promise needs at least one of min, max and divisible}}
    tile.assume %i : index
  }
  tile.return
}

// -----

tile.kernel @divisible() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{assume_c2: divisible must be positive}}
    tile.assume %i {divisible = 0} : index
  }
  tile.return
}

// -----

tile.kernel @range() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{assume_c2: min is greater than max}}
    tile.assume %i {min = 3, max = 2} : index
  }
  tile.return
}

// -----

tile.kernel @inside(%c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{assume_c3: a launch precondition stands in the body of the kernel, outside the grids}}
    tile.assume %c, "c" : i1
  }
  tile.return
}

// -----

tile.kernel @float(%c: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{operand #0 must be index or signless integer}}
    tile.assume %c {min = 3} : f32
  }
  tile.return
}

// -----

tile.kernel @promise_message() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{assume_c1: a message belongs to a condition of type i1; a promise has min, max, divisible}}
    tile.assume %i, "m" {min = 3} : index
  }
  tile.return
}

// -----

tile.kernel @message_type(%c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected attribute value}}
    tile.assume %c, c : i1
  }
  tile.return
}

// -----

tile.kernel @no_message(%c: i1) {
  // expected-error @+1 {{assume_c1: a condition needs a message for the launcher}}
  tile.assume %c : i1
  tile.return
}

// -----

tile.kernel @condition_range(%c: i1) {
  // expected-error @+1 {{assume_c1: a condition has a message only}}
  tile.assume %c, "c" {min = 0} : i1
  tile.return
}

// -----

tile.kernel @guard_of_number(%n: i32) {
  // expected-error @+1 {{assume_c4: guard is for conditions of type i1; a promise about a number chooses no variant}}
  tile.assume guard %n {min = 0} : i32
  tile.return
}

// -----

tile.kernel @guard_without_message(%c: i1) {
  // expected-error @+1 {{assume_c1: a condition needs a message for the launcher}}
  tile.assume guard %c : i1
  tile.return
}

// -----

tile.kernel @guard_in_grid(%c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{assume_c3: a launch precondition stands in the body of the kernel}}
    tile.assume guard %c, "c" : i1
  }
  tile.return
}

// -----

// A helper may assume what a kernel may, and not in a loop, whose iterations are no launches.
func.func private @helper(%c: i1, %n: index) {
  tile.assume %c, "c" : i1
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{assume_c3: a launch precondition stands in the body of the kernel}}
    tile.assume %c, "c" : i1
  }
  return
}
