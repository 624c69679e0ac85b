// RUN: tile-opt %s -tile-insert-checks -canonicalize | FileCheck %s
// RUN: tile-opt %s -tile-insert-checks -canonicalize -tile-verify -o /dev/null

// tile-insert-checks, the part that finds blocks that write the same elements.

// The shadow has the array's sizes. Before the store its box is loaded, with the store's limit and mask; nothing is written elsewhere.
// CHECK-LABEL: tile.kernel @box(
// CHECK-SAME: %[[Y:[a-zA-Z0-9]+]]: memref<?x8xbf16>
// CHECK-DAG: %[[SIZE:.+]] = memref.dim %[[Y]], %c0
// CHECK: %[[SHADOW:.+]] = memref.alloc(%[[SIZE]]) {tile.init = -1 : i64} : memref<?x8xi64>
// CHECK: tile.grid (%[[I:.+]]) = (0)
// CHECK: %[[BLOCK:.+]] = arith.divsi %[[I]], %c4 : index
// CHECK: %[[OWN:.+]] = arith.index_cast %[[BLOCK]] : index to i64
// CHECK: %[[BEFORE:.+]] = tile.load %[[SHADOW]][%{{.+}}, %{{.+}}] dims = [1, 0] limit = [_, %[[END:.+]]] pad = -1 : i64 mask = %[[MASK:.+]] on [1] : memref<?x8xi64> -> tensor<8x4xi64>
// CHECK: %[[TILE:.+]] = tensor.splat %[[OWN]] : tensor<8x4xi64>
// CHECK: %[[SAME:.+]] = arith.cmpi eq, %[[BEFORE]], %[[TILE]]
// CHECK: %[[EARLIER:.+]] = arith.cmpi slt, %[[BEFORE]], %{{.+}}
// CHECK: %[[EACH:.+]] = arith.ori %[[SAME]], %[[EARLIER]]
// CHECK: %[[ALL:.+]] = tile.reduce andi %[[EACH]] dims = [0, 1]
// CHECK: %[[OK:.+]] = tensor.extract %[[ALL]][]
// CHECK: cf.assert %[[OK]], "tile.store writes elements of %y that another block of the grid writes, too"
// CHECK: tile.store %[[TILE]], %[[SHADOW]][%{{.+}}, %{{.+}}] dims = [1, 0] limit = [_, %[[END]]] mask = %[[MASK]] on [1] : tensor<8x4xi64> -> memref<?x8xi64>
// CHECK: tile.store %{{.+}}, %[[Y]]
tile.kernel @box(%y: memref<?x8xbf16>, %m: memref<?xi1>, %n: index, %q: index) {
  tile.grid (%i) = (0) to (%n) step (4) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %end = arith.addi %i, %c4 : index
    %t = arith.constant dense<1.0> : tensor<8x4xbf16>
    %mask = tile.load %m[%i] : memref<?xi1> -> tensor<4xi1>
    %at = arith.divsi %i, %q : index
    tile.store %t, %y[%at, %c0] dims = [1, 0] limit = [_, %end] mask = %mask on [1] : tensor<8x4xbf16> -> memref<?x8xbf16>
  }
  tile.return
}

// Blocks are numbered from 0 over all dimensions, 2^48 and more in the second grid. Scalars have shadows, too, and tiles of rank 0.
// CHECK-LABEL: tile.kernel @numbers(
// CHECK: %[[S:.+]] = memref.alloc(%{{.+}}, %{{.+}}) {tile.init = -1 : i64} : memref<?x?xi64>
// CHECK: tile.grid
// CHECK: tile.grid (%[[I:.+]], %[[J:.+]]) = (%[[A:.+]], 5) to (%{{.+}}, %[[N:.+]]) step (2, %[[STEP:.+]]) {
// CHECK-DAG: %[[FROM:.+]] = arith.subi %[[I]], %[[A]]
// CHECK-DAG: %[[ROW:.+]] = arith.divsi %[[FROM]], %c2
// CHECK-DAG: %[[LENGTH:.+]] = arith.subi %[[N]], %c5
// CHECK-DAG: %[[COUNT:.+]] = arith.ceildivsi %[[LENGTH]], %[[STEP]]
// CHECK-DAG: %[[ROWS:.+]] = arith.muli %[[ROW]], %[[COUNT]]
// CHECK-DAG: %[[ALONG:.+]] = arith.subi %[[J]], %c5
// CHECK-DAG: %[[COLUMN:.+]] = arith.divsi %[[ALONG]], %[[STEP]]
// CHECK: %[[NUMBER:.+]] = arith.addi %[[ROWS]], %[[COLUMN]]
// CHECK: %[[WORD:.+]] = arith.index_cast %[[NUMBER]] : index to i64
// CHECK: %[[OWN:.+]] = arith.addi %[[WORD]], %c281474976710656_i64
// CHECK: cf.assert %{{.+}}, "memref.store of %y is out of bounds in dimension 0"
// CHECK: %[[BEFORE:.+]] = memref.load %[[S]][%[[I]], %[[J]]]
// CHECK: arith.cmpi eq, %[[BEFORE]], %[[OWN]]
// CHECK: arith.cmpi slt, %[[BEFORE]], %c281474976710656_i64
// CHECK: cf.assert %{{.+}}, "memref.store writes elements of %y that another block of the grid writes, too"
// CHECK: memref.store %[[OWN]], %[[S]][%[[I]], %[[J]]]
// CHECK: memref.store %{{.+}}, %y[%[[I]], %[[J]]]
// CHECK: tile.load %[[S]][%[[J]], %[[I]]] pad = -1 : i64 : memref<?x?xi64> -> tensor<i64>
// CHECK-NOT: tile.reduce
// CHECK: cf.assert %{{.+}}, "tile.store writes
tile.kernel @numbers(%y: memref<?x?xf32>, %a: index, %n: index, %step: index) {
  tile.grid (%i) = (0) to (%n) step (1) {
    %one = arith.constant 1.0 : f32
    memref.store %one, %y[%i, %i] : memref<?x?xf32>
  }
  tile.grid (%i, %j) = (%a, 5) to (%n, %n) step (2, %step) {
    %one = arith.constant 1.0 : f32
    memref.store %one, %y[%i, %j] : memref<?x?xf32>
    %t = arith.constant dense<1.0> : tensor<f32>
    tile.store %t, %y[%j, %i] : tensor<f32> -> memref<?x?xf32>
  }
  tile.return
}

// Views are made again on the shadow, with the layout that the root has: contiguous, or that of workspace. The shadow of an argument
// with strides is contiguous, so the layouts of its subviews are others.
// CHECK-LABEL: tile.kernel @views(
// CHECK-DAG: memref.alloc(%{{.+}}) {tile.init = -1 : i64} : memref<?xi64>
// CHECK-DAG: memref.alloc(%{{.+}}) {tile.init = -1 : i64} : memref<?x8xi64>
// CHECK-DAG: memref.alloc(%{{.+}})[%{{.+}}] {tile.init = -1 : i64} : memref<?x8xi64, strided<[?, 1]>>
// CHECK: memref.expand_shape %{{.+}} {{\[\[}}0, 1]] output_shape [%{{.+}}, 4] : memref<?xi64> into memref<?x4xi64>
// CHECK: tile.grid
// CHECK: tile.load %{{.+}} : memref<?x4xi64> -> tensor<2x4xi64>
// CHECK: cf.assert %{{.+}}, "tile.store writes elements of %y
// CHECK: memref.reinterpret_cast %{{.+}} to offset: [%{{.+}}], sizes: [8], strides: [-1] : memref<?xi64> to memref<8xi64, strided<[-1], offset: ?>>
// CHECK: cf.assert %{{.+}}, "tile.store writes elements of %y
// CHECK: memref.subview %{{.+}} : memref<?x8xi64> to memref<2x8xi64, strided<[8, 1], offset: ?>>
// CHECK: cf.assert %{{.+}}, "tile.store writes elements of %z
// CHECK: memref.subview %{{.+}} : memref<?x8xi64, strided<[?, 1]>> to memref<2x8xi64, strided<[?, 1], offset: ?>>
// CHECK: cf.assert %{{.+}}, "tile.store writes elements of the workspace
// CHECK: tile.return
tile.kernel @views(%y: memref<?xf32>, %z: memref<?x8xf32, strided<[?, 1]>>, %n: index, %quarter: index) {
  %w = memref.alloc(%n)[%n] : memref<?x8xf32, strided<[?, 1]>>
  %wide = memref.expand_shape %y [[0, 1]] output_shape [%quarter, 4] : memref<?xf32> into memref<?x4xf32>
  tile.grid (%i) = (0) to (%quarter) step (2) {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<1.0> : tensor<2x4xf32>
    %b = arith.constant dense<1.0> : tensor<2x8xf32>
    %c = arith.constant dense<1.0> : tensor<8xf32>
    tile.store %a, %wide[%i, %c0] : tensor<2x4xf32> -> memref<?x4xf32>
    %back = memref.reinterpret_cast %y to offset: [%i], sizes: [8], strides: [-1] : memref<?xf32> to memref<8xf32, strided<[-1], offset: ?>>
    tile.store %c, %back[%c0] : tensor<8xf32> -> memref<8xf32, strided<[-1], offset: ?>>
    %rows = memref.subview %z[%i, 0] [2, 8] [1, 1] : memref<?x8xf32, strided<[?, 1]>> to memref<2x8xf32, strided<[?, 1], offset: ?>>
    tile.store %b, %rows[%c0, %c0] : tensor<2x8xf32> -> memref<2x8xf32, strided<[?, 1], offset: ?>>
    %own = memref.subview %w[%i, 0] [2, 8] [1, 1] : memref<?x8xf32, strided<[?, 1]>> to memref<2x8xf32, strided<[?, 1], offset: ?>>
    tile.store %b, %own[%c0, %c0] : tensor<2x8xf32> -> memref<2x8xf32, strided<[?, 1], offset: ?>>
  }
  tile.return
}

// Not tested: grids of one block, arrays that are only read, a view of an argument with strides that is more than a subview.
// CHECK-LABEL: tile.kernel @nothing(
// CHECK-NOT: memref.alloc
// CHECK-NOT: another block
// CHECK: tile.return
tile.kernel @nothing(%x: memref<?xf32>, %z: memref<8x8xf32, strided<[?, 1]>>, %n: index, %step: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%c0] : memref<?xf32> -> tensor<8xf32>
    tile.store %t, %z[%c0, %c0] : tensor<8xf32> -> memref<8x8xf32, strided<[?, 1]>>
  }
  tile.grid (%i, %j) = (0, 2) to (8, 3) step (8, %step) {
    %t = tile.load %x[%i] : memref<?xf32> -> tensor<8xf32>
    tile.store %t, %z[%i, %j] : tensor<8xf32> -> memref<8x8xf32, strided<[?, 1]>>
  }
  tile.grid (%i) = (0) to (%n) step (8) {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%i] : memref<?xf32> -> tensor<8xf32>
    %other = memref.reinterpret_cast %z to offset: [%i], sizes: [8], strides: [1] : memref<8x8xf32, strided<[?, 1]>> to memref<8xf32, strided<[1], offset: ?>>
    tile.store %t, %other[%c0] : tensor<8xf32> -> memref<8xf32, strided<[1], offset: ?>>
  }
  tile.return
}

// Views of an argument whose strides are known at launch only, while its shadow is contiguous: those that choose elements by coordinates
// have shadows, though all types are equal.
// CHECK-LABEL: tile.kernel @strides(
// CHECK-DAG: %[[S:.+]] = memref.alloc(%{{.+}}, %{{.+}}) {tile.init = -1 : i64} : memref<?x?xi64>
// CHECK: tile.grid
// CHECK: %[[ROW:.+]] = memref.subview %[[S]][%[[I:.+]], 0] [1, %{{.+}}] [1, 1] : memref<?x?xi64> to memref<1x?xi64, strided<[?, 1], offset: ?>>
// CHECK: %[[FLAT:.+]] = memref.collapse_shape %[[ROW]] {{\[\[}}0, 1]] : memref<1x?xi64, strided<[?, 1], offset: ?>> into memref<?xi64, strided<[?], offset: ?>>
// CHECK: tile.load %[[FLAT]]
// CHECK: cf.assert %{{.+}}, "tile.store writes elements of %y
// CHECK: %[[COLUMN:.+]] = memref.subview %[[S]][0, %[[I]]] [%{{.+}}, 1] [1, 1] : memref<?x?xi64> to memref<?xi64, strided<[?], offset: ?>>
// CHECK: tile.load %[[COLUMN]]
// CHECK: cf.assert %{{.+}}, "tile.store writes elements of %y
// CHECK: %[[WIDE:.+]] = memref.expand_shape %[[ROW]] {{\[\[}}0], [1, 2]] output_shape [1, %{{.+}}, 4]
// CHECK: tile.load %[[WIDE]]
// CHECK: cf.assert %{{.+}}, "tile.store writes elements of %y that another block of the grid writes, too"
// CHECK-NOT: another block
// CHECK: tile.return
tile.kernel @strides(%y: memref<?x?xf32, strided<[?, 1]>>, %n: index, %q: index) {
  tile.grid (%i) = (0) to (%n) step (1) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<4xf32>
    %row = memref.subview %y[%i, 0] [1, %n] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    %flat = memref.collapse_shape %row [[0, 1]] : memref<1x?xf32, strided<[?, 1], offset: ?>> into memref<?xf32, strided<[?], offset: ?>>
    tile.store %t, %flat[%c0] : tensor<4xf32> -> memref<?xf32, strided<[?], offset: ?>>
    %column = memref.subview %y[0, %i] [%n, 1] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[?], offset: ?>>
    tile.store %t, %column[%c0] : tensor<4xf32> -> memref<?xf32, strided<[?], offset: ?>>
    %wide = memref.expand_shape %row [[0], [1, 2]] output_shape [1, %q, 4] : memref<1x?xf32, strided<[?, 1], offset: ?>> into memref<1x?x4xf32, strided<[?, 4, 1], offset: ?>>
    tile.store %t, %wide[%c0, %c0, %c0] : tensor<4xf32> -> memref<1x?x4xf32, strided<[?, 4, 1], offset: ?>>
    %again = memref.reinterpret_cast %row to offset: [%i], sizes: [%n, 4], strides: [%n, 1] : memref<1x?xf32, strided<[?, 1], offset: ?>> to memref<?x4xf32, strided<[?, 1], offset: ?>>
    tile.store %t, %again[%c0, %c0] : tensor<4xf32> -> memref<?x4xf32, strided<[?, 1], offset: ?>>
  }
  tile.return
}

// What the kernel demands of all its accesses becomes a demand of those that it has: the inserted ones need not meet it.
// CHECK-LABEL: tile.kernel @demands(
// CHECK-SAME: attributes {require = #tile.require<[no_spills]>}
// CHECK: tile.load %x[%{{.+}}, %{{.+}}] require = [tma, pipelined] :
// CHECK: tile.load %x[%{{.+}}, %{{.+}}] require = [tma, pipelined, peeled] :
// CHECK: tile.load %{{.+}}[%{{.+}}, %{{.+}}] pad = -1 : i64 : memref<?x64xi64>
// CHECK: cf.assert
// CHECK: tile.store %{{.+}}, %{{.+}}[%{{.+}}, %{{.+}}] : tensor<64x64xi64>
// CHECK: tile.store %{{.+}}, %y[%{{.+}}, %{{.+}}] require = [tma] :
tile.kernel @demands(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) attributes {require = #tile.require<[tma, pipelined, no_spills, peeled]>} {
  tile.grid (%i) = (0) to (%n) step (64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %a = tile.load %x[%i, %c0] require = [tma] : memref<?x64xf32> -> tensor<64x64xf32>
    %sum = scf.for %k = %c0 to %n step %c64 iter_args(%s = %a) -> tensor<64x64xf32> {
      %b = tile.load %x[%k, %c0] : memref<?x64xf32> -> tensor<64x64xf32>
      %next = arith.addf %s, %b : tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %sum, %y[%i, %c0] : tensor<64x64xf32> -> memref<?x64xf32>
  }
  tile.return
}
