// DEFINE: %{placed} = convert-tile-to-cta,cta-form-wgmma,cta-assign-layouts,cta-swizzle-shared,cta-select-copies,cta-decompose
// RUN: tile-opt %s -pass-pipeline='builtin.module(tile-expand-ops,tile.kernel(canonicalize,cse,%{placed},cta-form-tables,cta-verify))' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --implicit-check-not="not counted"
// RUN: tile-opt %t.mlir -cta-form-tables | FileCheck %s --implicit-check-not="not counted"
// RUN: tile-opt %t.mlir -convert-cta-to-tile | tile-opt -tile-verify -o /dev/null

// A table serves all output tiles of a block, so that the grid becomes persistent. 512 elements have eight copies, no more places than an output tile has steps.
// CHECK-LABEL: tile.kernel @counts(
// CHECK: %[[COPIES:.*]] = arith.constant 8 : index
// CHECK: tile.grid (%i) = (0) to (%N) step (4096) attributes {cta.persistent = 4 : i64} {
// CHECK-NEXT: %[[T:.*]] = cta.table add %H dims = [0] copies = %[[COPIES]] : memref<512xi32> -> !cta.smem<4096xi32, #cta.swizzle<linear>>
// CHECK: %[[X:.*]] = cta.load %X
// CHECK-NOT: convert_layout
// CHECK: cta.atomic add %{{.*}}, %H[%[[X]] : tensor<4096xi32, #{{.*}}>] : tensor<4096xi32, #{{.*}}> -> memref<512xi32> into %[[T]]
// CHECK-NEXT: cta.flush %[[T]], %H[] : <4096xi32, #cta.swizzle<linear>> -> memref<512xi32>
// CHECK-NEXT: }
tile.kernel @counts(%X: memref<?xi32> {tile.shape = ["N"], tile.align = 16, tile.size_divisible = array<i64: 4>}, %H: memref<512xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (4096) {
    %one = arith.constant dense<1> : tensor<4096xi32>
    %x = tile.load %X[%i] {cache = #tile.cache<stream>} : memref<?xi32> -> tensor<4096xi32>
    tile.atomic add %one, %H[%x : tensor<4096xi32>] : tensor<4096xi32> -> memref<512xi32>
  }
  tile.return
}

// No more copies than a warp has lanes. Each array has a table.
// CHECK-LABEL: tile.kernel @few(
// CHECK: tile.grid {{.*}} attributes {cta.persistent = 4 : i64}
// CHECK-DAG: %[[T:.*]] = cta.table or %H dims = [0] copies = %{{c32.*}} : memref<3xi32> -> !cta.smem<96xi32,
// CHECK-DAG: %[[O:.*]] = cta.table add %O dims = [0] copies = %{{c32.*}} : memref<1xi32> -> !cta.smem<32xi32,
// CHECK: cta.atomic or {{.*}} into %[[T]]
// CHECK: cta.atomic add {{.*}} into %[[O]]
// CHECK: cta.flush %[[T]], %H[]
// CHECK: cta.flush %[[O]], %O[]
tile.kernel @few(%X: memref<?xi32> {tile.shape = ["N"], tile.align = 16, tile.size_divisible = array<i64: 4>}, %H: memref<3xi32>, %O: memref<1xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (4096) {
    %one = arith.constant dense<1> : tensor<4096xi32>
    %x = tile.load %X[%i] {cache = #tile.cache<stream>} : memref<?xi32> -> tensor<4096xi32>
    tile.atomic or %one, %H[%x : tensor<4096xi32>] : tensor<4096xi32> -> memref<3xi32>
    tile.atomic add %one, %O[%x : tensor<4096xi32>] : tensor<4096xi32> -> memref<1xi32>
  }
  tile.return
}

// A bound of the size is as good as a size. The number of copies depends on it: the launcher chooses.
// CHECK-LABEL: tile.kernel @bounded(
// CHECK: %[[SIZE:.*]] = memref.dim %H
// CHECK: %[[TWICE:.*]] = arith.cmpi sle, %[[SIZE]], %c2048
// CHECK: %[[TWO:.*]] = arith.select %[[TWICE]], %c2, %c1
// CHECK: %[[FOUR:.*]] = arith.select %{{.*}}, %c4, %[[TWO]]
// CHECK: %[[EIGHT:.*]] = arith.select %{{.*}}, %c8, %[[FOUR]]
// CHECK: %[[SIXTEEN:.*]] = arith.select %{{.*}}, %c16, %[[EIGHT]]
// CHECK: %[[MOST:.*]] = arith.cmpi sle, %[[SIZE]], %c128
// CHECK: %[[COPIES:.*]] = arith.select %[[MOST]], %c32, %[[SIXTEEN]]
// CHECK: cta.table add %H dims = [0] copies = %[[COPIES]] : memref<?xi32> -> !cta.smem<4096xi32,
tile.kernel @bounded(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<?xi32> {tile.size_max = array<i64: 1024>}) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (4096) {
    %one = arith.constant dense<1> : tensor<4096xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<4096xi32>
    tile.atomic add %one, %H[%x : tensor<4096xi32>] : tensor<4096xi32> -> memref<?xi32>
  }
  tile.return
}

// The bound is a condition of the variant, which says, too, that there is enough to count.
// CHECK-LABEL: tile.kernel @guarded(
// CHECK: arith.cmpi sle, %{{.*}}, %c1024
// CHECK: cta.persistent = 4
// CHECK: cta.table add %H dims = [0] copies = %{{.*}} : memref<?xi32> -> !cta.smem<14336xi32,
tile.kernel @guarded(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<?xi32>) attributes {tile.tables, variant = "tables", variant_of = "other"} {
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %c14336 = arith.constant 14336 : index
  %B = memref.dim %H, %c0 : memref<?xi32>
  %fits = arith.cmpi sle, %B, %c14336 : index
  tile.assume guard %fits, "a private table of %H fits" : i1
  tile.grid (%i) = (0) to (%N) step (2048) {
    %one = arith.constant dense<1> : tensor<2048xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<2048xi32>
    tile.atomic add %one, %H[%x : tensor<2048xi32>] : tensor<2048xi32> -> memref<?xi32>
  }
  tile.return
}

// One row, which lives in one output tile: the launch stays as it is.
// CHECK-LABEL: tile.kernel @row(
// CHECK: tile.grid (%[[R:.*]], %{{.*}}) = {{.*}} step (1, 2048) {
// CHECK: %[[T:.*]] = cta.table add %H dims = [1] copies = %c32 : memref<?x64xi32> -> !cta.smem<2048xi32,
// CHECK: cta.atomic add %{{.*}}, %H[%[[R]], %{{.*}}] {{.*}} into %[[T]]
// CHECK-NEXT: cta.flush %[[T]], %H[%[[R]]] :
tile.kernel @row(%X: memref<?x?xi32> {tile.shape = ["R", "N"]}, %H: memref<?x64xi32> {tile.shape = ["R", 64]}) {
  %R = tile.dim "R" : index
  %N = tile.dim "N" : index
  tile.grid (%r, %i) = (0, 0) to (%R, %N) step (1, 2048) {
    %one = arith.constant dense<1> : tensor<2048xi32>
    %x = tile.load %X[%r, %i] : memref<?x?xi32> -> tensor<2048xi32>
    tile.atomic add %one, %H[%r, %x : tensor<2048xi32>] : tensor<2048xi32> -> memref<?x64xi32>
  }
  tile.return
}

// All rows fit, so that one table serves all output tiles.
// CHECK-LABEL: tile.kernel @all_rows(
// CHECK: tile.grid {{.*}} attributes {cta.persistent = 8 : i64}
// CHECK: %[[T:.*]] = cta.table add %H dims = [0, 1] copies = %c2 : memref<16x64xi32> -> !cta.smem<2048xi32,
// CHECK: cta.flush %[[T]], %H[] :
tile.kernel @all_rows(%X: memref<16x?xi32> {tile.shape = [16, "N"]}, %H: memref<16x64xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%r, %i) = (0, 0) to (16, %N) step (1, 2048) {
    %one = arith.constant dense<1> : tensor<2048xi32>
    %x = tile.load %X[%r, %i] : memref<16x?xi32> -> tensor<2048xi32>
    tile.atomic add %one, %H[%r, %x : tensor<2048xi32>] : tensor<2048xi32> -> memref<16x64xi32>
  }
  tile.return
}

// The table begins behind the coordinate of which it is the row.
// CHECK-LABEL: tile.kernel @row_of_a_loop(
// CHECK: tile.grid {{.*}} step (2048) {
// CHECK: scf.for
// CHECK-NEXT: %[[BEFORE:.*]] = arith.subi
// CHECK-NEXT: %[[T:.*]] = cta.table add %H dims = [1]
// CHECK: cta.atomic add %{{.*}}, %H[%[[BEFORE]], {{.*}} into %[[T]]
// CHECK-NEXT: cta.flush %[[T]], %H[%[[BEFORE]]]
// CHECK-NEXT: }
tile.kernel @row_of_a_loop(%X: memref<?x?xi32> {tile.shape = ["R", "N"]}, %H: memref<?x64xi32> {tile.shape = ["R", 64]}) {
  %R = tile.dim "R" : index
  %N = tile.dim "N" : index
  %c1 = arith.constant 1 : index
  tile.grid (%i) = (0) to (%N) step (2048) {
    scf.for %r = %c1 to %R step %c1 {
      %before = arith.subi %r, %c1 : index
      %one = arith.constant dense<1> : tensor<2048xi32>
      %x = tile.load %X[%r, %i] : memref<?x?xi32> -> tensor<2048xi32>
      tile.atomic add %one, %H[%before, %x : tensor<2048xi32>] : tensor<2048xi32> -> memref<?x64xi32>
    }
  }
  tile.return
}

// Coordinates that all blocks have in common are a part of the address, not of the table; a constant moves out of the grid. Two atomics share a table, in
// one layout.
// CHECK-LABEL: tile.kernel @coordinates(
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: tile.grid {{.*}} attributes {cta.persistent = 8 : i64}
// CHECK: %[[T:.*]] = cta.table umax %H dims = [1] copies = %c32 : memref<?x128x?xi32> -> !cta.smem<4096xi32,
// CHECK-NOT: cta.stage
// CHECK: cta.atomic umax {{.*}} into %[[T]]
// CHECK-NEXT: cta.atomic umax {{.*}} into %[[T]]
// CHECK-NEXT: cta.flush %[[T]], %H[%at, %[[C2]]] :
tile.kernel @coordinates(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<?x128x?xi32>, %at: index) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (2048) {
    %c2 = arith.constant 2 : index
    %one = arith.constant dense<1> : tensor<2048xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<2048xi32>
    tile.atomic umax %x, %H[%at, %x : tensor<2048xi32>, %c2] dims = [1] : tensor<2048xi32> -> memref<?x128x?xi32>
    tile.atomic umax %one, %H[%at, %x : tensor<2048xi32>, %c2] dims = [1] : tensor<2048xi32> -> memref<?x128x?xi32>
  }
  tile.return
}

// Types of 64 bits, and a box of a type for which shared memory has no atomics.
// CHECK-LABEL: tile.kernel @several(
// CHECK-DAG: %[[H:.*]] = cta.table add %H dims = [0] copies = %{{c32.*}} : memref<64xi64> -> !cta.smem<2048xi64,
// CHECK-DAG: %[[G:.*]] = cta.table xor %G dims = [0] copies = %{{c32.*}} : memref<64xindex> -> !cta.smem<2048xindex,
// CHECK-DAG: %[[F:.*]] = cta.table max %F dims = [0] : memref<100xf16> -> !cta.smem<104xf16,
// CHECK: cta.atomic add {{.*}} into %[[H]]
// CHECK: cta.atomic add {{.*}} into %[[H]]
// CHECK: cta.atomic xor {{.*}} into %[[G]]
// CHECK: cta.atomic max {{.*}} into %[[F]]
tile.kernel @several(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<64xi64>, %G: memref<64xindex>, %F: memref<100xf16>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (2048) {
    %one = arith.constant dense<1> : tensor<2048xi64>
    %two = arith.constant dense<2> : tensor<2048xi64>
    %same = arith.constant dense<2> : tensor<2048xindex>
    %half = arith.constant dense<0.5> : tensor<256xf16>
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<2048xi32>
    tile.atomic add %one, %H[%x : tensor<2048xi32>] : tensor<2048xi64> -> memref<64xi64>
    tile.atomic add %two, %H[%x : tensor<2048xi32>] : tensor<2048xi64> -> memref<64xi64>
    tile.atomic xor %same, %G[%x : tensor<2048xi32>] : tensor<2048xindex> -> memref<64xindex>
    tile.atomic max %half, %F[%c0] : tensor<256xf16> -> memref<100xf16>
  }
  tile.return
}

// Boxes: no copies, and all types.
// CHECK-LABEL: tile.kernel @bias(
// CHECK-DAG: %[[B:.*]] = cta.table add %B dims = [0] : memref<256xf32> -> !cta.smem<256xf32,
// CHECK-DAG: %[[W:.*]] = cta.table min %W dims = [0] : memref<256xf64> -> !cta.smem<256xf64,
// CHECK-DAG: %[[S:.*]] = cta.table xor %S dims = [0] : memref<256xi16> -> !cta.smem<256xi16,
// CHECK: cta.atomic add %{{.*}}, %B[%{{.*}}] : tensor<128xf32, {{.*}} into %[[B]]
// CHECK: cta.atomic min %{{.*}}, %W[%{{.*}}] : tensor<128xf64, {{.*}} into %[[W]]
// CHECK: cta.atomic xor %{{.*}}, %S[%{{.*}}] : tensor<128xi16, {{.*}} into %[[S]]
tile.kernel @bias(%D: memref<?x256xbf16> {tile.shape = ["M", 256]}, %B: memref<256xf32>, %W: memref<256xf64>, %S: memref<256xi16>) attributes {tile.tables} {
  %M = tile.dim "M" : index
  tile.grid (%i, %j) = (0, 0) to (%M, 256) step (16, 128) {
    %d = tile.load %D[%i, %j] : memref<?x256xbf16> -> tensor<16x128xbf16>
    %x = arith.extf %d : tensor<16x128xbf16> to tensor<16x128xf32>
    %sum = tile.reduce addf %x dims = [0] : tensor<16x128xf32> -> tensor<128xf32>
    %wide = arith.extf %sum : tensor<128xf32> to tensor<128xf64>
    tile.atomic add %sum, %B[%j] : tensor<128xf32> -> memref<256xf32>
    %short = arith.fptosi %sum : tensor<128xf32> to tensor<128xi16>
    tile.atomic min %wide, %W[%j] : tensor<128xf64> -> memref<256xf64>
    tile.atomic xor %short, %S[%j] : tensor<128xi16> -> memref<256xi16>
  }
  tile.return
}

// No elements: all steps are dropped.
// CHECK-LABEL: tile.kernel @nothing(
// CHECK: cta.table add %H dims = [0] : memref<0xi32> -> !cta.smem<4xi32,
// CHECK: cta.flush
tile.kernel @nothing(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<0xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (2048) {
    %one = arith.constant dense<1> : tensor<2048xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<2048xi32>
    tile.atomic add %one, %H[%x : tensor<2048xi32>] : tensor<2048xi32> -> memref<0xi32>
  }
  tile.return
}

// What the tables leave of a quarter of the shared memory is for copies. One of them leaves nothing, whichever comes first; it has copies if it is smaller.
// CHECK-LABEL: tile.kernel @no_room(
// CHECK-DAG: cta.table add %A dims = [0] copies = %{{.*}} : memref<?xi32> -> !cta.smem<14340xi32,
// CHECK-DAG: cta.table or %B dims = [0] : memref<70xi32> -> !cta.smem<72xi32,
// CHECK-DAG: cta.table add %C dims = [0] : memref<70xi32> -> !cta.smem<72xi32,
tile.kernel @no_room(%X: memref<?xi32> {tile.shape = ["N"]}, %A: memref<?xi32> {tile.size_max = array<i64: 14337>}, %B: memref<70xi32>, %C: memref<70xi32>) attributes {tile.tables} {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (2048) {
    %one = arith.constant dense<1> : tensor<2048xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<2048xi32>
    tile.atomic or %one, %B[%x : tensor<2048xi32>] : tensor<2048xi32> -> memref<70xi32>
    tile.atomic add %one, %A[%x : tensor<2048xi32>] : tensor<2048xi32> -> memref<?xi32>
    tile.atomic add %one, %C[%x : tensor<2048xi32>] : tensor<2048xi32> -> memref<70xi32>
  }
  tile.return
}
