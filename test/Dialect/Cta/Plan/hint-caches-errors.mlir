// RUN: tile-opt %s -cta-hint-caches -verify-diagnostics

// Launches are too late: which blocks read what is known of grids.
// expected-error @below {{cta-hint-caches needs a kernel in phase planned, but this one is in phase scheduled; run the passes in the order of the pipeline}}
tile.kernel @scheduled(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  tile.return
}
