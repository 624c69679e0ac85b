// RUN: tile-opt %s -verify-diagnostics -tile-insert-checks

// expected-error @+1 {{tile-insert-checks is for kernels at L0, this one is at phase placed}}
tile.kernel @placed() attributes {phase = #tile.phase<placed>} {
  tile.return
}
