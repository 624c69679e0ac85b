// RUN: tile-opt %s --split-input-file --cta-defer-sums --verify-diagnostics

// expected-error @+1 {{cta-defer-sums needs a kernel in phase scheduled}}
tile.kernel @phase() attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.return
}
