// RUN: tile-opt %s --split-input-file --cta-rotate-loops --verify-diagnostics

// expected-error @+1 {{cta-rotate-loops needs a kernel in phase scheduled}}
tile.kernel @phase() attributes {phase = #tile.phase<placed>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  tile.return
}
