// RUN: tile-opt %s --cta-vote-by-lanes --verify-diagnostics

// expected-error @+1 {{cta-vote-by-lanes needs a kernel in phase placed}}
tile.kernel @phase() attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  tile.return
}
