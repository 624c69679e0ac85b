// RUN: tile-opt %s -split-input-file -cta-pipeline-copies -verify-diagnostics
// It runs once.
// RUN: not tile-opt %S/../../../Examples/Inputs/gemm-nn-channel.mlir -cta-pipeline-copies 2>&1 | FileCheck %s
// CHECK: error: cta-pipeline-copies needs a kernel in phase planned, but this one is in phase scheduled; run the passes in the order of the pipeline

// expected-error @below {{cta-pipeline-copies needs a kernel in phase planned, but this one is in phase L0 (no phase)}}
tile.kernel @unplaced() {
  tile.return
}

// -----

tile.kernel @grid(%n: index) attributes {phase = #tile.phase<planned>, plan = #cta.plan<stages = 2>} {
  // expected-error @below {{cta-pipeline-copies works on launches; run cta-lower-grid first}}
  tile.grid (%i) = (0) to (%n) step (1) {
  }
  tile.return
}

// -----

// expected-error @below {{has the plan "fast"; a plan is a #cta.plan}}
tile.kernel @plan() attributes {phase = #tile.phase<planned>, plan = "fast"} {
  tile.return
}
