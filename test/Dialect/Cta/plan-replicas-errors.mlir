// RUN: tile-opt %s -cta-plan-replicas -verify-diagnostics

// Tiles that have been placed are placed for a number of warpgroups.
// expected-error @below {{cta-plan-replicas needs a kernel in phase L0 (no phase), but this one is in phase raw; run the passes in the order of the pipeline}}
tile.kernel @placed(%n: index) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.return
}
