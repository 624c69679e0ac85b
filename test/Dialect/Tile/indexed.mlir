// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --tile-expand-ops | FileCheck %s --check-prefix=EXPAND
// RUN: tile-opt %s --tile-expand-ops | tile-opt -mlir-print-op-generic | tile-opt | FileCheck %s --check-prefix=EXPAND
// RUN: tile-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// Accesses at places that index tiles give, with element steps and tiles of pads: text, and what tile-expand-ops makes of them.

// CHECK-LABEL: tile.kernel @loads
// EXPAND-LABEL: tile.kernel @loads
tile.kernel @loads(%A: memref<?x?xbf16>, %V: memref<?x?x?x?xf16>, %x: memref<?xf32>, %end: index, %R: memref<?xi32>, %P: memref<?x?xi64>, %m: memref<?xi1>,
                   %Y: memref<?x?x?xbf16>) {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) {
    %c0 = arith.constant 0 : index
    %r = tile.load %R[%c0] : memref<?xi32> -> tensor<16xi32>
    %p = tile.load %P[%c0, %c0] : memref<?x?xi64> -> tensor<4x8xi64>
    %q = tile.iota dim = 0 : tensor<4xindex>
    %few = tile.load %m[%c0] : memref<?xi1> -> tensor<16xi1>
    // Rows.
    // CHECK: tile.load %A[%[[R:.*]] : tensor<16xi32>, %j] : memref<?x?xbf16> -> tensor<16x64xbf16>
    // EXPAND: tile.gather %A[%[[R:.*]] : tensor<16xi32>, %j] : memref<?x?xbf16> -> tensor<16x64xbf16>
    %0 = tile.load %A[%r : tensor<16xi32>, %j] : memref<?x?xbf16> -> tensor<16x64xbf16>
    // Columns, transposed, and with all other clauses. A clause that is as the default is not printed.
    // CHECK: tile.load %A[%i, %[[R]] : tensor<16xi32>] dims = [1, 0] limit = [%end, _] pad = neg_inf mask = %[[M:.*]] on [0] : memref<?x?xbf16> -> tensor<16x64xbf16>
    // EXPAND: tile.gather %A[%i, %[[R]] : tensor<16xi32>] dims = [1, 0] limit = [%end, _] pad = neg_inf mask = %[[M:.*]] on [0] : memref<?x?xbf16> -> tensor<16x64xbf16>
    %1 = tile.load %A[%i, %r : tensor<16xi32>] mask = %few on [0] pad = neg_inf limit = [%end, _] dims = [1, 0] : memref<?x?xbf16> -> tensor<16x64xbf16>
    // Two index tiles give their product of places; a scalar coordinate may have its type, too.
    // CHECK: tile.load %V[%i, %[[Q:.*]] : tensor<4xindex>, %j, %[[R]] : tensor<16xi32>] dims = [1, 3] : memref
    // EXPAND: tile.gather %V[%i, %[[Q:.*]] : tensor<4xindex>, %j, %[[R]] : tensor<16xi32>] dims = [1, 3] : memref
    %2 = tile.load %V[%i : index, %q : tensor<4xindex>, %j, %r : tensor<16xi32>] dims = [1, 3] : memref<?x?x?x?xf16> -> tensor<4x16xf16>
    // A place for each element, of rank 2 and 0; of rank 1 an index tile is that of its dimension.
    // CHECK: tile.load %x[%{{.*}} : tensor<4x8xi64>] pad = 1.000000e+00 : f32 : memref<?xf32> -> tensor<4x8xf32>
    // EXPAND: tile.gather %x[%{{.*}} : tensor<4x8xi64>] pad = 1.000000e+00 : f32 : memref<?xf32> -> tensor<4x8xf32>
    %3 = tile.load %x[%p : tensor<4x8xi64>] pad = 1.0 : f32 : memref<?xf32> -> tensor<4x8xf32>
    %at = tensor.from_elements %i : tensor<index>
    // CHECK: tile.load %x[%{{.*}} : tensor<index>] : memref<?xf32> -> tensor<f32>
    // EXPAND: tile.gather %x[%{{.*}} : tensor<index>] : memref<?xf32> -> tensor<f32>
    %4 = tile.load %x[%at : tensor<index>] : memref<?xf32> -> tensor<f32>
    // CHECK: tile.load %x[%[[R]] : tensor<16xi32>] limit = [%end] : memref<?xf32> -> tensor<16xf32>
    // EXPAND: tile.gather %x[%[[R]] : tensor<16xi32>] limit = [%end] : memref<?xf32> -> tensor<16xf32>
    %5 = tile.load %x[%r : tensor<16xi32>] limit = [%end] : memref<?xf32> -> tensor<16xf32>
    // Steps. Those of 1 need no index tile.
    // CHECK: tile.load %Y[%i, %j, %{{.*}}] strides = [2, 1] stages = 2 cache = last require = [pipelined] {note = "x"} : memref
    // EXPAND: %[[I:.*]] = tile.iota dim = 0 : tensor<8xindex>
    // EXPAND: %[[S:.*]] = arith.muli %[[I]], %{{.*}} : tensor<8xindex>
    // EXPAND: %[[J:.*]] = tile.broadcast %j dims = [] : index -> tensor<8xindex>
    // EXPAND: %[[T:.*]] = arith.addi %[[S]], %[[J]] : tensor<8xindex>
    // EXPAND: tile.gather %Y[%i, %[[T]] : tensor<8xindex>, %c0] stages = 2 cache = last require = [pipelined] : memref<?x?x?xbf16> -> tensor<8x64xbf16>
    %6 = tile.load %Y[%i, %j, %c0] strides = [2, 1] stages = 2 cache = last require = [pipelined] {note = "x"} : memref<?x?x?xbf16> -> tensor<8x64xbf16>
    // CHECK: tile.load %Y[%i, %j, %{{.*}}] strides = [1, 1] cache = last : memref
    // EXPAND: tile.load %Y[%i, %j, %c0] cache = last : memref<?x?x?xbf16> -> tensor<8x64xbf16>
    %7 = tile.load %Y[%i, %j, %c0] strides = [1, 1] cache = last : memref<?x?x?xbf16> -> tensor<8x64xbf16>
    // Steps beside an index tile.
    // CHECK: tile.load %Y[%i, %[[R]] : tensor<16xi32>, %j] strides = [1, 3] : memref
    // EXPAND: tile.gather %Y[%i, %[[R]] : tensor<16xi32>, %{{.*}} : tensor<64xindex>] : memref<?x?x?xbf16> -> tensor<16x64xbf16>
    %8 = tile.load %Y[%i, %r : tensor<16xi32>, %j] strides = [1, 3] : memref<?x?x?xbf16> -> tensor<16x64xbf16>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @pads
// EXPAND-LABEL: tile.kernel @pads
tile.kernel @pads(%A: memref<?x?xf32>, %R: memref<?xi32>, %m: memref<?xi1>, %end: index) {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) {
    %c0 = arith.constant 0 : index
    %p = tile.load %A[%c0, %c0] : memref<?x?xf32> -> tensor<16x32xf32>
    %r = tile.load %R[%c0] : memref<?xi32> -> tensor<16xi32>
    %few = tile.load %m[%c0] : memref<?xi1> -> tensor<16xi1>
    // A box stays one: it is loaded with the default pad, and the tile is chosen where nothing was accessed.
    // CHECK: tile.load %A[%i, %j] limit = [%end, _] pad = %[[P:.*]] mask = %{{.*}} on [0] cache = last : memref<?x?xf32> -> tensor<16x32xf32>
    // EXPAND: %[[P:.*]] = tile.load %A[%c0, %c0]
    // EXPAND: %[[M:.*]] = tile.load %m
    // EXPAND: %[[L:.*]] = tile.load %A[%i, %j] limit = [%end, _] mask = %[[M]] on [0] cache = last : memref<?x?xf32> -> tensor<16x32xf32>
    // The bound of rows is the least of the size and the limit.
    // EXPAND: %[[N:.*]] = memref.dim %A
    // EXPAND: arith.minsi %[[N]], %end
    // EXPAND: arith.cmpi sge
    // EXPAND: arith.cmpi slt
    // EXPAND: %[[ON:.*]] = tile.broadcast %[[M]] dims = [0] : tensor<16xi1> -> tensor<16x32xi1>
    // EXPAND: %[[WHERE:.*]] = arith.andi %{{.*}}, %[[ON]]
    // EXPAND: arith.select %[[WHERE]], %[[L]], %[[P]] : tensor<16x32xi1>, tensor<16x32xf32>
    %0 = tile.load %A[%i, %j] limit = [%end, _] pad = %p mask = %few on [0] cache = last : memref<?x?xf32> -> tensor<16x32xf32>
    // CHECK: tile.load %A[%{{.*}} : tensor<16xi32>, %j] pad = %[[P]] : memref
    // EXPAND: %[[G:.*]] = tile.gather %A[%[[R:.*]] : tensor<16xi32>, %j] : memref
    // EXPAND: %[[WIDE:.*]] = arith.index_cast %[[R]] : tensor<16xi32> to tensor<16xindex>
    // EXPAND: arith.cmpi sge, %[[WIDE]]
    // EXPAND: arith.select %{{.*}}, %[[G]], %[[P]]
    %1 = tile.load %A[%r : tensor<16xi32>, %j] pad = %p : memref<?x?xf32> -> tensor<16x32xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @stores
// EXPAND-LABEL: tile.kernel @stores
tile.kernel @stores(%A: memref<?x?xf32>, %x: memref<?xf32>, %R: memref<?xi8>, %P: memref<?x?xi16>, %m: memref<?xi1>, %end: index) {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) {
    %c0 = arith.constant 0 : index
    %v = tile.load %A[%c0, %c0] : memref<?x?xf32> -> tensor<16x32xf32>
    %r = tile.load %R[%c0] : memref<?xi8> -> tensor<16xi8>
    %p = tile.load %P[%c0, %c0] : memref<?x?xi16> -> tensor<16x32xi16>
    %few = tile.load %m[%c0] : memref<?xi1> -> tensor<16xi1>
    // CHECK: tile.store %[[V:.*]], %A[%[[R:.*]] : tensor<16xi8>, %j] limit = [%end, _] mask = %{{.*}} on [0] cache = first {note = 1 : i64} : tensor<16x32xf32> -> memref<?x?xf32>
    // EXPAND: tile.scatter %[[V:.*]], %A[%[[R:.*]] : tensor<16xi8>, %j] limit = [%end, _] mask = %{{.*}} on [0] : tensor<16x32xf32> -> memref<?x?xf32>
    tile.store %v, %A[%r : tensor<16xi8>, %j] limit = [%end, _] mask = %few on [0] cache = first {note = 1 : i64} : tensor<16x32xf32> -> memref<?x?xf32>
    // CHECK: tile.store %[[V]], %x[%{{.*}} : tensor<16x32xi16>] : tensor<16x32xf32> -> memref<?xf32>
    // EXPAND: tile.scatter %[[V]], %x[%{{.*}} : tensor<16x32xi16>] : tensor<16x32xf32> -> memref<?xf32>
    tile.store %v, %x[%p : tensor<16x32xi16>] : tensor<16x32xf32> -> memref<?xf32>
    // CHECK: tile.store %[[V]], %A[%i, %j] dims = [1, 0] strides = [1, 2] : tensor<16x32xf32> -> memref<?x?xf32>
    // EXPAND: tile.scatter %[[V]], %A[%{{.*}} : tensor<32xindex>, %j] dims = [1, 0] : tensor<16x32xf32> -> memref<?x?xf32>
    tile.store %v, %A[%i, %j] dims = [1, 0] strides = [1, 2] : tensor<16x32xf32> -> memref<?x?xf32>
    // CHECK: tile.store %[[V]], %A[%i, %j] strides = [1, 1] : tensor<16x32xf32> -> memref<?x?xf32>
    // EXPAND: tile.store %[[V]], %A[%i, %j] : tensor<16x32xf32> -> memref<?x?xf32>
    tile.store %v, %A[%i, %j] strides = [1, 1] : tensor<16x32xf32> -> memref<?x?xf32>
  }
  tile.return
}

// What tile-expand-ops makes is written as programs are.
// CHECK-LABEL: tile.kernel @normal_forms
tile.kernel @normal_forms(%A: memref<?x?xf32>, %R: memref<?xi32>) {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) {
    %c0 = arith.constant 0 : index
    %r = tile.load %R[%c0] : memref<?xi32> -> tensor<16xi32>
    // CHECK: tile.gather %A[%{{.*}} : tensor<16xi32>, %j] pad = any {note = 1 : i64} : memref<?x?xf32> -> tensor<16x32xf32>
    // EXPAND: tile.gather %A[%{{.*}} : tensor<16xi32>, %j] pad = any {note = 1 : i64} : memref<?x?xf32> -> tensor<16x32xf32>
    %v = tile.gather %A[%r : tensor<16xi32>, %j] pad = any {note = 1} : memref<?x?xf32> -> tensor<16x32xf32>
    // CHECK: tile.scatter %{{.*}}, %A[%i, %{{.*}} : tensor<16xi32>] dims = [1, 0] : tensor<16x32xf32> -> memref<?x?xf32>
    // EXPAND: tile.scatter %{{.*}}, %A[%i, %{{.*}} : tensor<16xi32>] dims = [1, 0] : tensor<16x32xf32> -> memref<?x?xf32>
    tile.scatter %v, %A[%i, %r : tensor<16xi32>] dims = [1, 0] : tensor<16x32xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Casts of memrefs and masks that are true fold. Dimensions of extent 1 stay in accesses that are no boxes, and next to a tile of pads.
// FOLD-LABEL: tile.kernel @folds
tile.kernel @folds(%A: memref<64x64x64xf32>, %R: memref<?xi32>, %B: memref<?x?xf32>) {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) {
    %c0 = arith.constant 0 : index
    %r = tile.load %R[%c0] : memref<?xi32> -> tensor<16xi32>
    %one = tile.load %R[%c0] : memref<?xi32> -> tensor<1xi32>
    %true = arith.constant dense<true> : tensor<16xi1>
    %u = memref.cast %A : memref<64x64x64xf32> to memref<?x?x?xf32>
    // FOLD: tile.load %A[%i, %{{.*}} : tensor<16xi32>, %j] : memref<64x64x64xf32> -> tensor<16x8xf32>
    %0 = tile.load %u[%i, %r : tensor<16xi32>, %j] mask = %true on [0] : memref<?x?x?xf32> -> tensor<16x8xf32>
    // FOLD: tile.load %A[%{{.*}} : tensor<1xi32>, %i, %j] : memref<64x64x64xf32> -> tensor<1x16x8xf32>
    // FOLD: tensor.collapse_shape
    %1 = tile.load %A[%one : tensor<1xi32>, %i, %j] : memref<64x64x64xf32> -> tensor<1x16x8xf32>
    %2 = tensor.collapse_shape %1 [[0, 1], [2]] : tensor<1x16x8xf32> into tensor<16x8xf32>
    // FOLD: tile.load %A[%i, %i, %j] strides = [1, 2, 1] : memref<64x64x64xf32> -> tensor<1x16x8xf32>
    // FOLD: tensor.collapse_shape
    %3 = tile.load %A[%i, %i, %j] strides = [1, 2, 1] : memref<64x64x64xf32> -> tensor<1x16x8xf32>
    %4 = tensor.collapse_shape %3 [[0, 1], [2]] : tensor<1x16x8xf32> into tensor<16x8xf32>
    // FOLD: tile.load %A[%i, %i, %j] pad = %{{.*}} : memref<64x64x64xf32> -> tensor<1x16x8xf32>
    // FOLD: tensor.collapse_shape
    %p = tensor.expand_shape %0 [[0, 1], [2]] output_shape [1, 16, 8] : tensor<16x8xf32> into tensor<1x16x8xf32>
    %5 = tile.load %A[%i, %i, %j] pad = %p : memref<64x64x64xf32> -> tensor<1x16x8xf32>
    %6 = tensor.collapse_shape %5 [[0, 1], [2]] : tensor<1x16x8xf32> into tensor<16x8xf32>
    // FOLD: tensor.expand_shape
    // FOLD: tile.store %{{.*}}, %A[%{{.*}} : tensor<1xi32>, %i, %j] : tensor<1x16x8xf32> -> memref<64x64x64xf32>
    %s = arith.addf %2, %4 : tensor<16x8xf32>
    %t = arith.addf %s, %6 : tensor<16x8xf32>
    %e = tensor.expand_shape %t [[0, 1], [2]] output_shape [1, 16, 8] : tensor<16x8xf32> into tensor<1x16x8xf32>
    tile.store %e, %u[%one : tensor<1xi32>, %i, %j] : tensor<1x16x8xf32> -> memref<?x?x?xf32>
  }
  tile.return
}
