// RUN: tile-opt %s --cta-lower-queues -verify-diagnostics

// expected-error @below {{cta-lower-queues needs a kernel in phase specialized, but this one is in phase placed; run the passes in the order of the pipeline}}
tile.kernel @early(%A: memref<?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.return
}
