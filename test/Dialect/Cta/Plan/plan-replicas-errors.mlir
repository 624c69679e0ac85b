// RUN: tile-opt %s -split-input-file -cta-plan-replicas -verify-diagnostics

// Tiles that have been placed already are for a fixed number of warpgroups.
// expected-error @below {{cta-plan-replicas needs a kernel in phase L0 (no phase), but this one is in phase raw; run the passes in the order of the pipeline}}
tile.kernel @placed(%n: index) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.return
}

// -----

// The width that tilec asks for after a plan was rejected is one of two.
// expected-error @below {{has 'cta.replica_part' = -1 : i64, but epilogue subtiles of 16 and 32 columns are what it may ask for}}
tile.kernel @part(%n: index) attributes {cta.replica_part = -1 : i64} {
  tile.return
}

// -----

// expected-error @below {{has the attribute 'cta.replica_part' = "x", which must be an integer}}
tile.kernel @text(%n: index) attributes {cta.replica_part = "x"} {
  tile.return
}
