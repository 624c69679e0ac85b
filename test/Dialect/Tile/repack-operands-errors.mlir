// RUN: tile-opt %s --tile-repack-operands --split-input-file --verify-diagnostics

// expected-error @+1 {{tile-repack-operands is for kernels at L0, this one is at phase placed}}
tile.kernel @placed() attributes {phase = #tile.phase<placed>} {
  tile.return
}
