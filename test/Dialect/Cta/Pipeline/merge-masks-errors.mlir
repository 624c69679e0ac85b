// RUN: tile-opt %s -cta-merge-masks -verify-diagnostics
// The pass takes kernels in the phase scheduled only.

// expected-error @below {{cta-merge-masks needs a kernel in phase scheduled, but this one is in phase planned}}
tile.kernel @planned() attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  tile.return
}
