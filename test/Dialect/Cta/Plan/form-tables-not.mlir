// DEFINE: %{placed} = convert-tile-to-cta,cta-form-wgmma,cta-assign-layouts,cta-swizzle-shared,cta-select-copies,cta-decompose
// RUN: tile-opt %s -pass-pipeline='builtin.module(tile-expand-ops,tile.kernel(canonicalize,cse,%{placed},cta-form-tables,cta-verify))' | FileCheck %s --implicit-check-not=cta.table --implicit-check-not=cta.flush --implicit-check-not=cta.persistent

// Atomics that stay in L2, each with the reason. Of atomics that return or order nobody expects anything else.

// CHECK-LABEL: tile.kernel @returns(
// CHECK: cta.atomic add returning
// CHECK-NOT: why
// CHECK-SAME: memref<64xi32>
tile.kernel @returns(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<64xi32>, %Y: memref<?xi32> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    %old = tile.atomic add returning %one, %H[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32>
    tile.store %old, %Y[%i] : tensor<512xi32> -> memref<?xi32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @waits(
// CHECK: cta.atomic add %{{.*}}, %H[%{{.*}}] {why = "not counted in shared memory: an atomic of the grid orders or returns, so that blocks may wait for each other"}
// CHECK: cta.atomic add release
tile.kernel @waits(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<64xi32>, %T: memref<1xi32>) {
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %ticket = arith.constant 1 : i32
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    tile.atomic add %one, %H[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32>
    tile.atomic add release %ticket, %T[%c0] : i32 -> memref<1xi32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @system(
// CHECK: cta.atomic add system %{{.*}} {why = "not counted in shared memory: the host or other devices may look at each step"}
tile.kernel @system(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<64xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    tile.atomic add system %one, %H[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @exchange(
// CHECK: cta.atomic exchange %{{.*}} {why = "not counted in shared memory: what 'exchange' leaves depends on the order of all blocks"}
tile.kernel @exchange(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<64xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    tile.atomic exchange %one, %H[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @kinds(
// CHECK: cta.atomic add %{{.*}} {why = "not counted in shared memory: atomics of other kinds meet the same array in this grid (add and max), and their order matters"}
// CHECK: cta.atomic max %{{.*}} {why = "not counted in shared memory: atomics of other kinds meet the same array in this grid (add and max), and their order matters"}
tile.kernel @kinds(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<64xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    tile.atomic add %one, %H[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32>
    tile.atomic max %one, %H[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @is_read(
// CHECK: cta.atomic add %{{.*}} {why = "not counted in shared memory: cta.load of the same grid accesses it, too"}
tile.kernel @is_read(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<64xi32>, %Y: memref<64xi32>) {
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    tile.atomic add %one, %H[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32>
    %h = tile.load %H[%c0] : memref<64xi32> -> tensor<64xi32>
    tile.store %h, %Y[%c0] : tensor<64xi32> -> memref<64xi32>
  }
  tile.return
}

// Scalars count, too.
// CHECK-LABEL: tile.kernel @is_read_by_scalars(
// CHECK: cta.atomic add %{{.*}} {why = "not counted in shared memory: memref.load of the same grid accesses it, too"}
tile.kernel @is_read_by_scalars(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<64xi32>, %Y: memref<?xi32> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    tile.atomic add %one, %H[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32>
    %h = memref.load %H[%c0] : memref<64xi32>
    memref.store %h, %Y[%i] : memref<?xi32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @aliases(
// CHECK: cta.atomic add %{{.*}}, %H[{{.*}} {why = "not counted in shared memory: cta.load of the same grid accesses %X, which may overlap it"}
// CHECK: cta.atomic add %{{.*}}, %F[{{.*}} {why = "not counted in shared memory: cta.atomic of the same grid accesses %G, which may overlap it"}
// CHECK: cta.atomic add %{{.*}}, %G[{{.*}} {why = "not counted in shared memory: cta.atomic of the same grid accesses %F, which may overlap it"}
tile.kernel @aliases(%X: memref<?xi32> {tile.shape = ["N"], tile.alias = "a"}, %H: memref<64xi32> {tile.alias = "a"}, %F: memref<64xi32> {tile.alias = "b"}, %G: memref<64xi32> {tile.alias = "b"}) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    tile.atomic add %one, %H[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32>
    tile.atomic add %one, %F[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32>
    tile.atomic add %one, %G[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @views(
// CHECK-COUNT-2: cta.atomic add {{.*}} {why = "not counted in shared memory: the grid reaches %H by several views"}
tile.kernel @views(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<64xi32>) {
  %N = tile.dim "N" : index
  %low = memref.subview %H[0] [32] [1] : memref<64xi32> to memref<32xi32, strided<[1]>>
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    tile.atomic add %one, %H[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32>
    tile.atomic add %one, %low[%x : tensor<512xi32>] : tensor<512xi32> -> memref<32xi32, strided<[1]>>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @own_view(
// CHECK: cta.atomic add {{.*}} {why = "not counted in shared memory: each block makes its view of %H: use the argument, with coordinates"}
tile.kernel @own_view(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<?xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %part = memref.subview %H[%i] [64] [1] : memref<?xi32> to memref<64xi32, strided<[1], offset: ?>>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    tile.atomic add %one, %part[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32, strided<[1], offset: ?>>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @array_in_memory(
// CHECK: cta.atomic add {{.*}} {why = "not counted in shared memory: the array is at an address from memory, so that it may be another one each time"}
tile.kernel @array_in_memory(%X: memref<?xi32> {tile.shape = ["N"]}, %A: memref<?xi64>) {
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %H = tile.array_at %A[%c0] sizes [64] alias = "h" : memref<?xi64> -> memref<64xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    tile.atomic add %one, %H[%x : tensor<512xi32>] : tensor<512xi32> -> memref<64xi32>
  }
  tile.return
}

// Shared memory adds no floats where they may meet, and has no extremes of 64 bits.
// CHECK-LABEL: tile.kernel @types(
// CHECK: cta.atomic add {{.*}} {why = "{{no vectors: .*; }}not counted in shared memory: shared memory has no 'add' of f32 where elements of a tile may meet, only loops of compare and swap"}
// CHECK: cta.atomic max {{.*}} {why = "not counted in shared memory: shared memory has no 'max' of i64 where elements of a tile may meet, only loops of compare and swap"}
// CHECK: cta.atomic add {{.*}} {why = "not counted in shared memory: shared memory has no 'add' of i16 where elements of a tile may meet, only loops of compare and swap"}
tile.kernel @types(%X: memref<?xi32> {tile.shape = ["N"]}, %F: memref<64xf32>, %L: memref<64xi64>, %S: memref<64xi16>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (512) {
    %f = arith.constant dense<1.0> : tensor<512xf32>
    %l = arith.constant dense<1> : tensor<512xi64>
    %s = arith.constant dense<1> : tensor<512xi16>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    tile.atomic add %f, %F[%x : tensor<512xi32>] : tensor<512xf32> -> memref<64xf32>
    tile.atomic max %l, %L[%x : tensor<512xi32>] : tensor<512xi64> -> memref<64xi64>
    tile.atomic add %s, %S[%x : tensor<512xi32>] : tensor<512xi16> -> memref<64xi16>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @rounds(
// CHECK: cta.atomic add {{.*}} {why = "not counted in shared memory: the kernel says reassoc = off, and sums of blocks round otherwise"}
tile.kernel @rounds(%X: memref<?xf32> {tile.shape = ["N"]}, %H: memref<128xf32>) attributes {reassoc = #tile.switch<off>} {
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  tile.grid (%i) = (0) to (%N) step (128) {
    %x = tile.load %X[%i] : memref<?xf32> -> tensor<128xf32>
    tile.atomic add %x, %H[%c0] : tensor<128xf32> -> memref<128xf32>
  }
  tile.return
}

// Sizes: not known, too large, or large for what there is to count.
// CHECK-LABEL: tile.kernel @sizes(
// CHECK: cta.atomic add {{.*}}, %A[{{.*}} {why = "not counted in shared memory: it is not known that the steps meet few elements of %A: a static size or tile.size_max says so"}
// CHECK: cta.atomic add {{.*}}, %B[{{.*}} {why = "not counted in shared memory: the steps meet up to 100000 elements of %B, but a block has room for 58112"}
// CHECK: cta.atomic add {{.*}}, %C[{{.*}} {why = "not counted in shared memory: 512 steps of an output tile are few for 257 elements of %C, each of which a block clears and adds"}
// CHECK: cta.atomic add {{.*}}, %D[{{.*}} {why = "not counted in shared memory: 512 steps are few for 300 elements of %D, each of which a block clears and adds"}
tile.kernel @sizes(%X: memref<?xi32> {tile.shape = ["N"]}, %A: memref<?xi32>, %B: memref<?xi32> {tile.size_max = array<i64: 100000>}, %C: memref<257xi32>, %D: memref<?x300xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (512) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<512xi32>
    tile.atomic add %one, %A[%x : tensor<512xi32>] : tensor<512xi32> -> memref<?xi32>
    tile.atomic add %one, %B[%x : tensor<512xi32>] : tensor<512xi32> -> memref<?xi32>
    tile.atomic add %one, %C[%x : tensor<512xi32>] : tensor<512xi32> -> memref<257xi32>
    tile.atomic add %one, %D[%i, %x : tensor<512xi32>] : tensor<512xi32> -> memref<?x300xi32>
  }
  tile.return
}

// Few steps: sums of 256 rows. A loop of which nobody knows how often it runs counts as one of many iterations if the atomic is behind it.
// CHECK-LABEL: tile.kernel @shares(
// CHECK: cta.atomic add {{.*}} {why = "no vectors: the base of %H is not known to be a multiple of 16 bytes (tile.align); not counted in shared memory: L2 makes the 128 steps while the block moves 131072 bytes, among 128 elements"}
// CHECK-LABEL: tile.kernel @behind_a_loop(
// CHECK: cta.atomic add {{.*}} {why = "no vectors: the base of %H is not known to be a multiple of 16 bytes (tile.align); not counted in shared memory: L2 makes the 128 steps while the block moves 131072 bytes, among 128 elements"}
tile.kernel @shares(%X: memref<?x128xf32> {tile.shape = ["M", 128]}, %H: memref<128xf32>) {
  %M = tile.dim "M" : index
  %c0 = arith.constant 0 : index
  tile.grid (%i) = (0) to (%M) step (256) {
    %x = tile.load %X[%i, %c0] : memref<?x128xf32> -> tensor<256x128xf32>
    %sum = tile.reduce addf %x dims = [0] : tensor<256x128xf32> -> tensor<128xf32>
    tile.atomic add %sum, %H[%c0] : tensor<128xf32> -> memref<128xf32>
  }
  tile.return
}
tile.kernel @behind_a_loop(%X: memref<?x128xf32> {tile.shape = ["M", 128]}, %H: memref<128xf32>) {
  %M = tile.dim "M" : index
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  tile.grid (%i) = (0) to (%M) step (1024) {
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %sums = scf.for %k = %c0 to %M step %c16 iter_args(%s = %zero) -> (tensor<128xf32>) {
      %x = tile.load %X[%k, %c0] : memref<?x128xf32> -> tensor<16x128xf32>
      %sum = tile.reduce addf %x dims = [0] : tensor<16x128xf32> -> tensor<128xf32>
      %next = arith.addf %s, %sum : tensor<128xf32>
      scf.yield %next : tensor<128xf32>
    }
    tile.atomic add %sums, %H[%c0] : tensor<128xf32> -> memref<128xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @products(
// CHECK: cta.atomic add {{.*}} {why = "no TMA: the base of %H is not known to be a multiple of 16 bytes; add tile.align = 16 to it; not counted in shared memory: the grid has matrix products, which want the shared memory for their operands"}
tile.kernel @products(%A: memref<?x64xbf16> {tile.shape = ["M", 64]}, %B: memref<64x64xbf16>, %H: memref<64x64xf32>) {
  %M = tile.dim "M" : index
  %c0 = arith.constant 0 : index
  tile.grid (%i) = (0) to (%M) step (64) {
    %a = tile.load %A[%i, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %d = tile.mma %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    tile.atomic add %d, %H[%c0, %c0] : tensor<64x64xf32> -> memref<64x64xf32>
  }
  tile.return
}
