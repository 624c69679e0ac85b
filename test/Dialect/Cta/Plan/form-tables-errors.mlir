// RUN: tile-opt %s --cta-form-tables -split-input-file -verify-diagnostics

// expected-error @below {{cta-form-tables needs a kernel in phase placed, but this one is in phase planned; run the passes in the order of the pipeline}}
tile.kernel @planned() attributes {phase = #tile.phase<planned>, plan = #cta.plan<stages = 2>} {
  tile.return
}
