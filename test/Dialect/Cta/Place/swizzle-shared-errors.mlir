// RUN: tile-opt %s --split-input-file --verify-diagnostics --cta-swizzle-shared

// expected-error @+1 {{cta-swizzle-shared needs a kernel in phase raw, but this one is in phase placed}}
tile.kernel @placed() attributes {phase = #tile.phase<placed>} {
  tile.return
}
