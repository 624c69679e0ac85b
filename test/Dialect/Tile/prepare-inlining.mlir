// RUN: tile-opt %s -split-input-file -tile-prepare-inlining | FileCheck %s
// RUN: tile-opt %s -split-input-file -tile-prepare-inlining -tile-prepare-inlining | FileCheck %s

// Functions that a kernel reaches become private, others are removed.
// CHECK-NOT: @nobody
// CHECK-LABEL: func.func private @inner
// CHECK-LABEL: func.func private @outer
// CHECK-NOT: @recursive
// CHECK: func.func private @declared(index) -> index
// CHECK-LABEL: tile.kernel @k
func.func @nobody() {
  return
}
func.func @inner(%x: index) -> index {
  %y = arith.addi %x, %x : index
  return %y : index
}
func.func @outer(%x: index) -> index {
  %y = func.call @inner(%x) : (index) -> index
  %z = func.call @inner(%y) : (index) -> index
  return %z : index
}
// No kernel calls it, so it is no error.
func.func @recursive(%x: index) -> index {
  %y = func.call @recursive(%x) : (index) -> index
  return %y : index
}
func.func private @declared(index) -> index
tile.kernel @k(%n: index) {
  %m = func.call @outer(%n) : (index) -> index
  tile.grid (%i) = (0) to (%m) step (1) {
  }
  tile.return
}

// -----

// A module without kernels is left alone.
// CHECK-LABEL: func.func @library
func.func @library() {
  return
}
