// RUN: tile-opt %s -tile-specialize-facts=variants=tables_any | FileCheck %s
// RUN: tile-opt %s -tile-specialize-facts | FileCheck %s --check-prefix=NAMES
// RUN: tile-opt %s -tile-specialize-facts -tile-specialize-facts | FileCheck %s --check-prefix=NAMES
// RUN: tile-opt %s -tile-specialize-facts=variants=tables | FileCheck %s --check-prefix=ALIGNED

// Atomics that are worth private tables: which kernels get the variants tables and tables_any, and on which conditions. All have them before the variants
// that count in L2.
// NAMES: tile.kernel @counts_tables(
// NAMES-SAME: tile.align = 16
// NAMES-SAME: tile.tables, variant = "tables", variant_of = "counts"
// NAMES: tile.kernel @counts_tables_any(
// NAMES-NOT: tile.align
// NAMES-SAME: tile.fallback, tile.tables, variant = "tables_any", variant_of = "counts"
// NAMES: tile.kernel @counts_aligned(
// NAMES-NOT: tile.tables
// NAMES: tile.kernel @counts_any(
// NAMES-NOT: tile.tables
// NAMES: tile.kernel @known_size_tables(
// NAMES: tile.kernel @known_size_tables_any(
// NAMES: tile.kernel @known_size_aligned(
// NAMES: tile.kernel @known_size_any(
// NAMES-NOT: @always_tables
// NAMES: tile.kernel @always_aligned(
// NAMES-NOT: @always_tables
// NAMES: tile.kernel @always_any(
// NAMES: tile.kernel @rows_tables(
// NAMES: tile.kernel @planes_tables(
// NAMES: tile.kernel @several_tables(
// NAMES: tile.kernel @bias_tables(
// NAMES-NOT: @{{(products|shares|returns|zero)}}_tables
// ALIGNED: tile.kernel @counts_tables(
// ALIGNED-SAME: guards = [#tile.guard<align, arg = 0, dim = -1, value = 16>,
// ALIGNED: tile.assume guard %{{.*}}, "a private table of %H fits, and is small"

// Sizes that nobody says: both are conditions of the variants.
// CHECK-LABEL: tile.kernel @counts_tables_any(
// CHECK: %[[SIZE:.*]] = memref.dim %H, %c0
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[SIZE]], %c14336
// CHECK: tile.assume guard %[[FITS]], "a private table of %H fits, and is small" : i1
// CHECK: %[[TILES:.*]] = arith.ceildivsi %N, %c4096
// CHECK: %[[CORES:.*]] = tile.num_cores
// CHECK: %[[RESIDENT:.*]] = arith.muli %[[CORES]], %c4
// CHECK: %[[BLOCKS:.*]] = arith.minsi %[[TILES]], %[[RESIDENT]]
// CHECK: %[[SAVED:.*]] = arith.muli %[[TILES]], %c4096
// CHECK: %[[CLEARED:.*]] = arith.muli %[[BLOCKS]], %[[SIZE]]
// CHECK: %[[SPENT:.*]] = arith.muli %[[CLEARED]], %c2
// CHECK: %[[PAYS:.*]] = arith.cmpi sge, %[[SAVED]], %[[SPENT]]
// CHECK: tile.assume guard %[[PAYS]], "there is enough to count for private tables of %H" : i1
// CHECK: tile.grid
tile.kernel @counts(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<?xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (4096) {
    %one = arith.constant dense<1> : tensor<4096xi32>
    %x = tile.load %X[%i] pad = -1 : i32 : memref<?xi32> -> tensor<4096xi32>
    tile.atomic add %one, %H[%x : tensor<4096xi32>] : tensor<4096xi32> -> memref<?xi32>
  }
  tile.return
}

// 4096 elements are known to fit, but an output tile alone does not pay for them.
// CHECK-LABEL: tile.kernel @known_size_tables_any(
// CHECK-NOT: memref.dim
// CHECK: %[[SAVED:.*]] = arith.muli %{{.*}}, %c4096
// CHECK: %[[CLEARED:.*]] = arith.muli %{{.*}}, %c4096
// CHECK-NOT: tile.assume
// CHECK: tile.assume guard %{{.*}}, "there is enough to count for private tables of %H" : i1
// CHECK-NOT: tile.assume
// CHECK: tile.grid
tile.kernel @known_size(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<4096xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (4096) {
    %one = arith.constant dense<1> : tensor<4096xi32>
    %x = tile.load %X[%i] pad = -1 : i32 : memref<?xi32> -> tensor<4096xi32>
    tile.atomic add %one, %H[%x : tensor<4096xi32>] : tensor<4096xi32> -> memref<4096xi32>
  }
  tile.return
}

// Nothing to assume: 2048 elements pay in every launch, and a bound of the size is as good as a size.
// CHECK-LABEL: tile.kernel @always_any(
// CHECK-NOT: tile.assume
// CHECK: tile.grid
tile.kernel @always(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<2048xi32>, %G: memref<?xi32> {tile.size_max = array<i64: 1000>}) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (4096) {
    %one = arith.constant dense<1> : tensor<4096xi32>
    %x = tile.load %X[%i] pad = -1 : i32 : memref<?xi32> -> tensor<4096xi32>
    tile.atomic add %one, %H[%x : tensor<4096xi32>] : tensor<4096xi32> -> memref<2048xi32>
    tile.atomic add %one, %G[%x : tensor<4096xi32>] : tensor<4096xi32> -> memref<?xi32>
  }
  tile.return
}

// A row of the block: it lives in one output tile, which makes 4096 steps, so 2048 elements are the most.
// CHECK-LABEL: tile.kernel @rows_tables_any(
// CHECK: %[[SIZE:.*]] = memref.dim %H, %c1
// CHECK: arith.cmpi sle, %[[SIZE]], %c2048
// CHECK-NEXT: tile.assume guard
// CHECK-NOT: tile.assume
// CHECK: tile.grid
tile.kernel @rows(%X: memref<?x?xi32> {tile.shape = ["R", "N"]}, %H: memref<?x?xi32> {tile.shape = ["R", "B"]}) {
  %R = tile.dim "R" : index
  %N = tile.dim "N" : index
  tile.grid (%r, %i) = (0, 0) to (%R, %N) step (1, 4096) {
    %one = arith.constant dense<1> : tensor<4096xi32>
    %x = tile.load %X[%r, %i] pad = -1 : i32 : memref<?x?xi32> -> tensor<4096xi32>
    tile.atomic add %one, %H[%r, %x : tensor<4096xi32>] : tensor<4096xi32> -> memref<?x?xi32>
  }
  tile.return
}

// Both dimensions have index tiles; a static one divides the room.
// CHECK-LABEL: tile.kernel @planes_tables_any(
// CHECK: %[[ROWS:.*]] = memref.dim %H, %c0
// CHECK: %[[COLUMNS:.*]] = memref.dim %H, %c1
// CHECK: %[[SIZE:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK: arith.cmpi sle, %[[SIZE]], %c14336
// CHECK: tile.assume guard
// CHECK: arith.muli %{{.*}}, %[[SIZE]]
// CHECK: tile.assume guard
// CHECK: tile.grid
tile.kernel @planes(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<?x?x4xi32>) {
  %N = tile.dim "N" : index
  %c2 = arith.constant 2 : index
  tile.grid (%i) = (0) to (%N) step (1024) {
    %one = arith.constant dense<1> : tensor<1024x1xi32>
    %x = tile.load %X[%i] pad = -1 : i32 : memref<?xi32> -> tensor<1024xi32>
    tile.atomic add %one, %H[%x : tensor<1024xi32>, %c2, %c2] dims = [0, 1] : tensor<1024x1xi32> -> memref<?x?x4xi32>
  }
  tile.return
}

// Two tables of open sizes share the room. One of known size takes its part first.
// CHECK-LABEL: tile.kernel @several_tables_any(
// CHECK: %[[H:.*]] = memref.dim %H, %c0
// CHECK: arith.cmpi sle, %[[H]], %c6656
// CHECK-NEXT: tile.assume guard %{{.*}}, "a private table of %H fits, and is small" : i1
// CHECK: tile.assume guard %{{.*}}, "there is enough to count for private tables of %H" : i1
// CHECK: %[[G:.*]] = memref.dim %G, %c0
// CHECK: arith.cmpi sle, %[[G]], %c3328
// CHECK-NEXT: tile.assume guard %{{.*}}, "a private table of %G fits, and is small" : i1
// CHECK: tile.assume guard %{{.*}}, "there is enough to count for private tables of %G" : i1
// CHECK-NOT: tile.assume
// CHECK: tile.grid
tile.kernel @several(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<?xi32>, %G: memref<?xi64>, %F: memref<1024xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (4096) {
    %one = arith.constant dense<1> : tensor<4096xi32>
    %ones = arith.constant dense<1> : tensor<4096xi64>
    %x = tile.load %X[%i] pad = -1 : i32 : memref<?xi32> -> tensor<4096xi32>
    tile.atomic add %one, %H[%x : tensor<4096xi32>] : tensor<4096xi32> -> memref<?xi32>
    tile.atomic add %ones, %G[%x : tensor<4096xi32>] : tensor<4096xi64> -> memref<?xi64>
    tile.atomic max %x, %F[%x : tensor<4096xi32>] : tensor<4096xi32> -> memref<1024xi32>
  }
  tile.return
}

// Gradients of a bias: worth it for up to 2048 columns.
// CHECK-LABEL: tile.kernel @bias_tables_any(
// CHECK: %[[SIZE:.*]] = memref.dim %B, %c0
// CHECK: arith.cmpi sle, %[[SIZE]], %c2048
// CHECK: %[[ROWS:.*]] = arith.ceildivsi %M, %c16
// CHECK: %[[COLUMNS:.*]] = arith.ceildivsi %N, %c256
// CHECK: %[[TILES:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK: arith.muli %[[TILES]], %c256
// CHECK: tile.assume guard
// CHECK: tile.grid
tile.kernel @bias(%D: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %B: memref<?xf32> {tile.shape = ["N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (16, 256) {
    %d = tile.load %D[%i, %j] : memref<?x?xbf16> -> tensor<16x256xbf16>
    %wide = arith.extf %d : tensor<16x256xbf16> to tensor<16x256xf32>
    %sum = tile.reduce addf %wide dims = [0] : tensor<16x256xf32> -> tensor<256xf32>
    tile.atomic add %sum, %B[%j] : tensor<256xf32> -> memref<?xf32>
  }
  tile.return
}

// Must not fire: products want the shared memory; few steps; results that each block wants; and what has no elements. Its size is known, so nothing is
// to be assumed.
// CHECK-NOT: @{{(products|shares|returns|zero)}}_tables
tile.kernel @products(%A: memref<?x64xbf16> {tile.shape = ["M", 64]}, %B: memref<64x64xbf16>, %H: memref<?x64xf32>) {
  %M = tile.dim "M" : index
  %c0 = arith.constant 0 : index
  tile.grid (%i) = (0) to (%M) step (64) {
    %a = tile.load %A[%i, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %d = tile.mma %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    tile.atomic add %d, %H[%c0, %c0] : tensor<64x64xf32> -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @shares(%X: memref<?x4096xi32> {tile.shape = ["M", 4096]}, %H: memref<?xi32>) {
  %M = tile.dim "M" : index
  %c0 = arith.constant 0 : index
  tile.grid (%i) = (0) to (%M) step (4) {
    %one = arith.constant dense<1> : tensor<4xi32>
    %x = tile.load %X[%i, %c0] : memref<?x4096xi32> -> tensor<4x4096xi32>
    %most = tile.reduce maxsi %x dims = [1] : tensor<4x4096xi32> -> tensor<4xi32>
    tile.atomic add %one, %H[%most : tensor<4xi32>] : tensor<4xi32> -> memref<?xi32>
  }
  tile.return
}

tile.kernel @returns(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<?xi32>, %Y: memref<?xi32> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    %old = tile.atomic add returning %one, %H[%x : tensor<512xi32>] : tensor<512xi32> -> memref<?xi32>
    tile.store %old, %Y[%i] : tensor<512xi32> -> memref<?xi32>
  }
  tile.return
}

tile.kernel @zero(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<?x0xi32>) {
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512x1xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    tile.atomic add %one, %H[%x : tensor<512xi32>, %c0] dims = [0, 1] : tensor<512x1xi32> -> memref<?x0xi32>
  }
  tile.return
}
