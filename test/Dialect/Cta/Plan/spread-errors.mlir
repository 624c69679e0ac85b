// RUN: tile-opt %s -split-input-file -verify-diagnostics -cta-plan -cta-lower-grid=dependent=true

// expected-error @below {{plan: 'spread' is 0 to 1, got 2}}
tile.kernel @two() attributes {phase = #tile.phase<placed>, plan = #cta.plan<spread = 2>, warpgroups = 1} {
  tile.return
}

// -----

// expected-error @below {{has a plan with spread = 1, but persistent = 0; only persistent launches number their blocks: plan persistent = 1, or leave out 'spread'}}
tile.kernel @each() attributes {phase = #tile.phase<placed>, plan = #cta.plan<persistent = 0, spread = 1>, warpgroups = 1} {
  tile.grid () = () to () step () {
  }
  tile.return
}

// -----

// expected-error @below {{has a plan with spread = 1, but the blocks of a cluster need successive numbers: plan cluster = 1, or leave out 'spread'}}
tile.kernel @clusters() attributes {phase = #tile.phase<placed>, plan = #cta.plan<cluster = 2, spread = 1>, warpgroups = 1} {
  tile.grid () = () to () step () {
  }
  tile.return
}

// -----

// expected-error @below {{has a plan with spread = 1, but parts of output tiles begin in the order of their numbers: plan stream_k = 0, or leave out 'spread'}}
tile.kernel @parts() attributes {phase = #tile.phase<placed>, plan = #cta.plan<stream_k = 4, spread = 1>, warpgroups = 1} {
  tile.grid () = () to () step () {
  }
  tile.return
}
