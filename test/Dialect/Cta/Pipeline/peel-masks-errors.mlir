// RUN: tile-opt %s --split-input-file --cta-peel-masks --verify-diagnostics

// expected-error @+1 {{cta-peel-masks needs a kernel in phase scheduled}}
tile.kernel @phase() attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.return
}
