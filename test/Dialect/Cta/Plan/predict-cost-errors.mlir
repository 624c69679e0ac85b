// RUN: tile-opt %s -split-input-file -verify-diagnostics -cta-predict-cost

// expected-error @+1 {{cta-predict-cost needs a kernel in phase planned, but this one is in phase placed; run the passes in the order of the pipeline}}
tile.kernel @early_W1() attributes {phase = #tile.phase<placed>, warpgroups = 1, tile.member_of = "early", tile.member = "W=1"} {
  tile.return
}

// -----

// expected-error @+1 {{'tile.kernel' op has the attribute 'tile.member' = 1 : i64, which must be a string}}
tile.kernel @number() attributes {tile.member_of = "number", tile.member = 1 : i64} {
  tile.return
}

// -----

tile.kernel @twice(%n: index) {
  // expected-note @+1 {{the other one is here}}
  tile.cost %n
  // expected-error @+1 {{'tile.cost' op cost_c1: a kernel has one predicted time, of all its grids together}}
  tile.cost %n
  tile.return
}

// -----

tile.kernel @inside(%n: index) {
  tile.grid (%i) = (0) to (%n) step (1) {
    // expected-error @+1 {{'tile.cost' op expects parent op 'tile.kernel'}}
    tile.cost %n
  }
  tile.return
}
