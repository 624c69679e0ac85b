// RUN: tile-opt %s --cta-split-branches --verify-diagnostics

// expected-error @+1 {{cta-split-branches needs a kernel in phase placed}}
tile.kernel @phase() attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  tile.return
}
