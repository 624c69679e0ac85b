// RUN: tile-opt %s -split-input-file -verify-diagnostics -cta-split-loops

// expected-error @below {{cta-split-loops needs a kernel in phase scheduled, but this one is in phase specialized}}
tile.kernel @phase(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  tile.return
}
