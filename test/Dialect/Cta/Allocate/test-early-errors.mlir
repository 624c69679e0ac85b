// RUN: tile-opt %s -split-input-file -verify-diagnostics -cta-test-early

// expected-error @below {{cta-test-early needs a kernel in phase specialized, but this one is in phase scheduled}}
tile.kernel @phase(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  tile.return
}
