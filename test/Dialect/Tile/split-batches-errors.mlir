// RUN: tile-opt %s -verify-diagnostics -tile-split-batches

// expected-error @+1 {{tile-split-batches is for kernels at L0, this one is at phase placed}}
tile.kernel @placed() attributes {phase = #tile.phase<placed>} {
  tile.return
}
