// RUN: tile-opt %s --canonicalize | FileCheck %s

// A load whose unit dimensions are dropped names the other dimensions of the memref. So it is an operand of a product as it comes.
// CHECK-LABEL: tile.kernel @loads
tile.kernel @loads(%A: memref<?x?x?x?xbf16>, %end: index) {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) {
    // CHECK: tile.load %A[%i, %j, %i, %j] pad = any stages = 2 : memref<?x?x?x?xbf16> -> tensor<128x64xbf16>
    %0 = tile.load %A[%i, %j, %i, %j] pad = any stages = 2 : memref<?x?x?x?xbf16> -> tensor<1x1x128x64xbf16>
    %1 = tensor.collapse_shape %0 [[0, 1, 2], [3]] : tensor<1x1x128x64xbf16> into tensor<128x64xbf16>
    tile.store %1, %A[%i, %j, %i, %j] : tensor<128x64xbf16> -> memref<?x?x?x?xbf16>
    // Between the others, and with a limit of one that stays.
    // CHECK: tile.load %A[%i, %j, %i, %j] dims = [1, 3] limit = [%end, _] : memref<?x?x?x?xbf16> -> tensor<128x64xbf16>
    %2 = tile.load %A[%i, %j, %i, %j] limit = [_, %end, _, _] : memref<?x?x?x?xbf16> -> tensor<1x128x1x64xbf16>
    %3 = tensor.collapse_shape %2 [[0, 1, 2], [3]] : tensor<1x128x1x64xbf16> into tensor<128x64xbf16>
    tile.store %3, %A[%i, %j, %i, %j] : tensor<128x64xbf16> -> memref<?x?x?x?xbf16>
    // A group of unit dimensions keeps one.
    // CHECK: tile.load %A[%i, %j, %i, %j] dims = [1, 2] : memref<?x?x?x?xbf16> -> tensor<1x64xbf16>
    %4 = tile.load %A[%i, %j, %i, %j] dims = [0, 1, 2] : memref<?x?x?x?xbf16> -> tensor<1x1x64xbf16>
    %5 = tensor.collapse_shape %4 [[0, 1], [2]] : tensor<1x1x64xbf16> into tensor<1x64xbf16>
    tile.store %5, %A[%i, %j, %i, %j] dims = [1, 2] : tensor<1x64xbf16> -> memref<?x?x?x?xbf16>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @stores
tile.kernel @stores(%A: memref<?x?x?x?xbf16>, %end: index) {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) {
    %0 = tile.load %A[%i, %j, %i, %j] : memref<?x?x?x?xbf16> -> tensor<128x64xbf16>
    %1 = tensor.expand_shape %0 [[0, 1, 2], [3]] output_shape [1, 128, 1, 64] : tensor<128x64xbf16> into tensor<1x128x1x64xbf16>
    // CHECK: tile.store %{{.+}}, %A[%i, %j, %i, %j] dims = [1, 3] limit = [_, %end] : tensor<128x64xbf16> -> memref<?x?x?x?xbf16>
    tile.store %1, %A[%i, %j, %i, %j] limit = [_, _, _, %end] : tensor<1x128x1x64xbf16> -> memref<?x?x?x?xbf16>
  }
  tile.return
}

// What says more stays: a limit or a mask of what would go, a reshape of wide dimensions, a second user.
// CHECK-LABEL: tile.kernel @stay
// CHECK-COUNT-4: tensor.collapse_shape
// CHECK:         tensor.expand_shape
tile.kernel @stay(%A: memref<?x?x?x?xbf16>, %end: index, %m: memref<?xi1>) {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) {
    %0 = tile.load %A[%i, %j, %i, %j] limit = [_, %end, _, _] : memref<?x?x?x?xbf16> -> tensor<1x1x128x64xbf16>
    %1 = tensor.collapse_shape %0 [[0, 1, 2], [3]] : tensor<1x1x128x64xbf16> into tensor<128x64xbf16>
    tile.store %1, %A[%i, %j, %i, %j] : tensor<128x64xbf16> -> memref<?x?x?x?xbf16>
    %mask = tile.load %m[%i] : memref<?xi1> -> tensor<1xi1>
    %2 = tile.load %A[%i, %j, %i, %j] mask = %mask on [0] : memref<?x?x?x?xbf16> -> tensor<1x1x128x64xbf16>
    %3 = tensor.collapse_shape %2 [[0, 1, 2], [3]] : tensor<1x1x128x64xbf16> into tensor<128x64xbf16>
    tile.store %3, %A[%i, %j, %i, %j] : tensor<128x64xbf16> -> memref<?x?x?x?xbf16>
    %4 = tile.load %A[%i, %j, %i, %j] : memref<?x?x?x?xbf16> -> tensor<1x2x64x64xbf16>
    %5 = tensor.collapse_shape %4 [[0, 1, 2], [3]] : tensor<1x2x64x64xbf16> into tensor<128x64xbf16>
    tile.store %5, %A[%i, %j, %i, %j] : tensor<128x64xbf16> -> memref<?x?x?x?xbf16>
    %6 = tile.load %A[%i, %j, %i, %j] : memref<?x?x?x?xbf16> -> tensor<1x1x128x64xbf16>
    %7 = tensor.collapse_shape %6 [[0, 1, 2], [3]] : tensor<1x1x128x64xbf16> into tensor<128x64xbf16>
    tile.store %7, %A[%i, %j, %i, %j] : tensor<128x64xbf16> -> memref<?x?x?x?xbf16>
    tile.store %6, %A[%i, %j, %i, %j] : tensor<1x1x128x64xbf16> -> memref<?x?x?x?xbf16>
    %8 = tensor.expand_shape %7 [[0, 1, 2], [3]] output_shape [2, 64, 1, 64] : tensor<128x64xbf16> into tensor<2x64x1x64xbf16>
    tile.store %8, %A[%i, %j, %i, %j] : tensor<2x64x1x64xbf16> -> memref<?x?x?x?xbf16>
  }
  tile.return
}
