// RUN: tile-opt %s -cta-lower-grid -split-input-file -verify-diagnostics

// expected-error @below {{cta-lower-grid needs a kernel in phase placed, but this one is in phase L0 (no phase); run the passes in the order of the pipeline}}
tile.kernel @l0() {
  tile.grid () = () to () step () {
  }
  tile.return
}

// -----

tile.kernel @zero_step() attributes {phase = #tile.phase<placed>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-error @below {{has the step 0 in dimension 1; a step must be at least 1}}
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (%c8, %c0) {
  }
  tile.return
}

// -----

tile.kernel @negative_step(%n: index) attributes {phase = #tile.phase<placed>} {
  %c = arith.constant -4 : index
  // expected-error @below {{has the step -4 in dimension 0; a step must be at least 1}}
  tile.grid (%i) = (0) to (%n) step (%c) {
  }
  tile.return
}

// -----

// expected-error @below {{has the plan 3 : i64; a plan is a #cta.plan}}
tile.kernel @plan(%n: index) attributes {phase = #tile.phase<placed>, plan = 3} {
  tile.grid (%i) = (0) to (%n) step (1) {
  }
  tile.return
}
