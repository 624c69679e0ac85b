// Bounds of grids and sizes of workspace by divisions of every kind, on the CPU; the launcher of the GPU evaluates the same expressions.
// REQUIRES: numpy
// RUN: tilec %s --target=cpu -o %t.so
// RUN: tilec %s --emit=json --variants=any -o - | FileCheck %s
// CHECK: "remui"
// RUN: tile-run %t.so nan:7xf32 nan:4xf32 --out Y=%t.npy
// RUN: %python -c "import numpy, sys; y = numpy.load(sys.argv[1]); assert (y[:3] == 1).all() and numpy.isnan(y[3]), y" %t.npy
// RUN: tile-run %t.so nan:6xf32 nan:4xf32 --out Y=%t.npy
// RUN: %python -c "import numpy, sys; y = numpy.load(sys.argv[1]); assert (y[:2] == 1).all() and numpy.isnan(y[2:]).all(), y" %t.npy
// RUN: tile-run %t.so nan:0xf32 nan:4xf32 --out Y=%t.npy
// RUN: %python -c "import numpy, sys; y = numpy.load(sys.argv[1]); assert numpy.isnan(y).all(), y" %t.npy

// As many ones as there are groups of three elements of X, by way of workspace of twice that size.
tile.kernel @groups(%X: memref<?xf32> {tile.shape = ["N"]}, %Y: memref<?xf32> {tile.shape = ["R"]}) {
  %N = tile.dim "N" : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %groups = arith.ceildivui %N, %c3 : index
  %twice = arith.muli %groups, %c2 : index
  %six = arith.muli %groups, %c6 : index
  %same = arith.ceildivsi %six, %c6 : index
  %W = memref.alloc(%twice) : memref<?xf32>
  tile.grid (%i) = (0) to (%groups) step (1) {
    %one = arith.constant dense<1.0> : tensor<1xf32>
    tile.store %one, %W[%i] : tensor<1xf32> -> memref<?xf32>
  }
  tile.grid (%i) = (0) to (%same) step (1) {
    %one = tile.load %W[%i] : memref<?xf32> -> tensor<1xf32>
    tile.store %one, %Y[%i] : tensor<1xf32> -> memref<?xf32>
  }
  tile.return
}
