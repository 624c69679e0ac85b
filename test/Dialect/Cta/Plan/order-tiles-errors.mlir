// RUN: tile-opt %s --cta-order-tiles -verify-diagnostics

// expected-error @below {{cta-order-tiles needs a kernel in phase placed, but this one is in phase planned; run the passes in the order of the pipeline}}
tile.kernel @later(%A: memref<?xf32>) attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  tile.return
}
