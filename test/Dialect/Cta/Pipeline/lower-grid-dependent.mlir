// RUN: tile-opt %s -cta-lower-grid=dependent=true | FileCheck %s
// RUN: tile-opt %s -cta-lower-grid=dependent=true | tile-opt | FileCheck %s
// RUN: tile-opt %s -cta-lower-grid=dependent=true | tile-opt -cta-lower-grid | FileCheck %s
// RUN: tile-opt %s -cta-lower-grid | FileCheck %s --check-prefix=PLAIN
// RUN: tile-opt %s -cta-lower-grid=dependent=true --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// All launches of a kernel: the second may begin while the first runs, and waits for it itself.
// CHECK: cta.launch @two_0 blocks(%{{.*}}) attributes {dependent} {
// CHECK: cta.launch @two_1 blocks(%{{.*}}) attributes {dependent} {
// PLAIN-NOT: dependent
// GENERIC: "cta.launch"(%{{.*}}) <{dependent, symbol = "two_0"}>
tile.kernel @two(%x: memref<?xf32> {tile.shape = ["N"]}) attributes {phase = #tile.phase<planned>} {
  %n = tile.dim "N" : index
  %one = arith.constant 1.0 : f32
  tile.grid (%i) = (0) to (%n) step (128) {
    memref.store %one, %x[%i] : memref<?xf32>
  }
  tile.grid (%i) = (0) to (%n) step (1) {
    memref.store %one, %x[%i] : memref<?xf32>
  }
  tile.return
}
