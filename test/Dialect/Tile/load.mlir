// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: tile.kernel @loads
tile.kernel @loads(%A: memref<?x?xbf16>, %V: memref<?x?x?x?xf16>, %x: memref<?xi32>, %b: memref<?xi1>, %end: index) {
  tile.grid (%i, %j) = (0, 0) to (8, 8) step (1, 1) {
    // CHECK: tile.load %A[%i, %j] : memref<?x?xbf16> -> tensor<128x64xbf16>
    %0 = tile.load %A[%i, %j] : memref<?x?xbf16> -> tensor<128x64xbf16>
    // The trailing dimensions are the default and are not printed.
    // CHECK: tile.load %A[%i, %j] : memref<?x?xbf16> -> tensor<64xbf16>
    %1 = tile.load %A[%i, %j] dims = [1] : memref<?x?xbf16> -> tensor<64xbf16>
    // CHECK: tile.load %A[%i, %j] dims = [1, 0] : memref<?x?xbf16> -> tensor<128x64xbf16>
    %2 = tile.load %A[%i, %j] dims = [1, 0] : memref<?x?xbf16> -> tensor<128x64xbf16>
    // A tile of rank 0.
    // CHECK: tile.load %A[%i, %j] : memref<?x?xbf16> -> tensor<bf16>
    %3 = tile.load %A[%i, %j] : memref<?x?xbf16> -> tensor<bf16>
    %m = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
    %mm = tile.broadcast %m dims = [0] : tensor<4xi1> -> tensor<4x8xi1>
    // CHECK: tile.load %V[%i, %j, %i, %j] dims = [1, 3] limit = [%end, _] pad = neg_inf mask = %{{.*}} on [0] : memref<?x?x?x?xf16> -> tensor<4x8xf16>
    %4 = tile.load %V[%i, %j, %i, %j] dims = [1, 3] limit = [%end, _] pad = neg_inf mask = %m on [0]
           : memref<?x?x?x?xf16> -> tensor<4x8xf16>
    // CHECK: tile.load %V[%i, %j, %i, %j] limit = [_, %end] pad = any mask = %{{[0-9]+}} : memref
    %5 = tile.load %V[%i, %j, %i, %j] limit = [_, %end] pad = any mask = %mm on [0, 1] : memref<?x?x?x?xf16> -> tensor<4x8xf16>
    // A limit that limits nothing is none.
    // CHECK: tile.load %A[%i, %j] : memref
    %6 = tile.load %A[%i, %j] limit = [_, _] : memref<?x?xbf16> -> tensor<4x8xbf16>
    // CHECK: pad = -1.000000e+00 : f16
    %7 = tile.load %V[%i, %j, %i, %j] pad = -1.0 : f16 : memref<?x?x?x?xf16> -> tensor<4x8xf16>
    // CHECK: pad = 7 : i32
    %8 = tile.load %x[%i] pad = 7 : i32 : memref<?xi32> -> tensor<8xi32>
    // CHECK: pad = true : memref<?xi1>
    %9 = tile.load %b[%i] pad = true : memref<?xi1> -> tensor<8xi1>
    // CHECK: pad = nan :
    // CHECK: pad = pos_inf :
    // CHECK: pad = zero :
    %10 = tile.load %A[%i, %j] pad = nan : memref<?x?xbf16> -> tensor<8xbf16>
    %11 = tile.load %A[%i, %j] pad = pos_inf : memref<?x?xbf16> -> tensor<8xbf16>
    %12 = tile.load %A[%i, %j] pad = zero : memref<?x?xbf16> -> tensor<8xbf16>
    // Hints, in any order; other attributes.
    // CHECK: tile.load %A[%i, %j] stages = 3 cache = last require = [tma, pipelined] {note = "x"} : memref
    %13 = tile.load %A[%i, %j] require = [tma, pipelined] stages = 3 cache = last {note = "x"} : memref<?x?xbf16> -> tensor<8xbf16>
    // CHECK: tile.load %A[%i, %j] cache = no_alloc : memref
    %14 = tile.load %A[%i, %j] {cache = #tile.cache<no_alloc>} : memref<?x?xbf16> -> tensor<8xbf16>
    // A mask of rank 0 masks the whole tile.
    %one = arith.constant dense<false> : tensor<i1>
    // CHECK: tile.load %A[%i, %j] mask = %{{.*}} on [] : memref
    %15 = tile.load %A[%i, %j] mask = %one on [] : memref<?x?xbf16> -> tensor<8xbf16>
  }
  tile.return
}

// FOLD-LABEL: tile.kernel @folds
// FOLD-SAME: (%A: memref<16x16xf32>
tile.kernel @folds(%A: memref<16x16xf32>, %B: memref<?x?xf32>) {
  %c = memref.cast %A : memref<16x16xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  tile.grid (%i) = (0) to (16) step (1) {
    // A cast that forgets the size, and a mask that masks nothing.
    // FOLD: %[[L:.*]] = tile.load %A[%i, %i] : memref<16x16xf32> -> tensor<4x4xf32>
    %true = arith.constant dense<true> : tensor<4xi1>
    %0 = tile.load %c[%i, %i] mask = %true on [1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<4x4xf32>
    // FOLD: tile.store %[[L]], %B
    tile.store %0, %B[%i, %i] : tensor<4x4xf32> -> memref<?x?xf32>
    // A load that nobody uses goes.
    // FOLD-NOT: tile.load
    %1 = tile.load %B[%i, %i] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// FOLD-LABEL: tile.kernel @not_folded
tile.kernel @not_folded(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  // A cast that adds knowledge stays: the sizes it promises bound the load.
  // FOLD: %[[C:.*]] = memref.cast %A : memref<?x?xf32> to memref<4x4xf32>
  %c = memref.cast %A : memref<?x?xf32> to memref<4x4xf32>
  tile.grid (%i) = (0) to (16) step (1) {
    %mask = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
    // FOLD: tile.load %[[C]][%i, %i] mask = %{{.*}} on [1] : memref<4x4xf32>
    %0 = tile.load %c[%i, %i] mask = %mask on [1] : memref<4x4xf32> -> tensor<4x4xf32>
    tile.store %0, %B[%i, %i] : tensor<4x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Clauses stand in any order, and are printed in one.
// CHECK-LABEL: tile.kernel @any_order
// CHECK: tile.load %A[%i, %i] dims = [1, 0] limit = [%i, _] pad = neg_inf mask = %{{.+}} on [0] stages = 2 cache = first require = [tma] : memref
tile.kernel @any_order(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<true> : tensor<4xi1>
    %0 = tile.load %A[%i, %i] require = [tma] mask = %m on [0] cache = first pad = neg_inf limit = [%i, _] stages = 2 dims = [1, 0] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}
