// RUN: tile-opt %s --pass-pipeline='builtin.module(tile.kernel(convert-tile-to-cta,cta-form-wgmma,cta-assign-layouts,cta-swizzle-shared,cta-select-copies,cta-trim-copies,cta-verify))' | FileCheck %s

// Rows of A make rows of C, and rows of B make columns of C. What lies outside of A or B is stored outside of C only. K is summed over, so
// that its zeros count.
// CHECK-LABEL: tile.kernel @nt(
// CHECK: cta.copy %A[{{.*}}] {mechanism = #cta.mechanism<tma>, trim = 0 : i64}
// CHECK: cta.copy %B[{{.*}}] dims = [1, 0] {mechanism = #cta.mechanism<tma>, trim = 1 : i64}
tile.kernel @nt(%A: memref<?x1024xbf16> {tile.align = 16, tile.shape = ["M", "K"], tile.size_max = array<i64: 100000, 1024>},
                %B: memref<?x1024xbf16> {tile.align = 16, tile.shape = ["N", "K"], tile.size_max = array<i64: 100000, 1024>},
                %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %half = arith.constant dense<0.5> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %c1024 step %c64 iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x1024xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x1024xbf16> -> tensor<64x256xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %r = arith.mulf %acc, %half : tensor<128x256xf32>
    tile.store %r, %C[%i, %j] : tensor<128x256xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Along the contiguous dimension whole boxes of 64 columns can be left out. A tile of one box has nothing to leave out.
// CHECK-LABEL: tile.kernel @nn(
// CHECK: cta.copy %A[{{.*}}] dims = [1, 0] {mechanism = #cta.mechanism<tma>, trim = 0 : i64}
// CHECK: cta.copy %B[{{.*}}] {mechanism = #cta.mechanism<tma>} : memref<1024x?xbf16> -> !cta.smem<64x64xbf16
tile.kernel @nn(%A: memref<1024x?xbf16> {tile.align = 16, tile.shape = ["K", "M"], tile.size_max = array<i64: 1024, 100000>, tile.stride_divisible = array<i64: 8, 1>},
                %B: memref<1024x?xbf16> {tile.align = 16, tile.shape = ["K", "N"], tile.size_max = array<i64: 1024, 100000>, tile.stride_divisible = array<i64: 8, 1>},
                %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %i] dims = [1, 0] : memref<1024x?xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %j] : memref<1024x?xbf16> -> tensor<64x64xbf16>
    %r = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    tile.store %r, %C[%i, %j] : tensor<128x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Of two equal copies the one with a limit is not trimmed.
// CHECK-LABEL: tile.kernel @limited(
// CHECK: cta.copy %A[{{.*}}] limit = [%n, _] {mechanism = #cta.mechanism<tma>} :
// CHECK: cta.copy %A[{{.*}}] {mechanism = #cta.mechanism<tma>, trim = 0 : i64} :
tile.kernel @limited(%A: memref<?x64xbf16> {tile.align = 16, tile.shape = ["M", 64], tile.size_max = array<i64: 100000, 64>}, %B: memref<64x64xbf16> {tile.align = 16},
                     %n: index, %C: memref<?x64xf32> {tile.shape = ["M", 64]}, %D: memref<?x64xf32> {tile.shape = ["M", 64]}) attributes {warpgroups = 2} {
  %M = tile.dim "M" : index
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %a = tile.load %A[%i, %c0] limit = [%n, _] : memref<?x64xbf16> -> tensor<128x64xbf16>
    %r = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    tile.store %r, %C[%i, %c0] : tensor<128x64xf32> -> memref<?x64xf32>
    %d = tile.load %A[%i, %c0] : memref<?x64xbf16> -> tensor<128x64xbf16>
    %s = tile.mma %d, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    tile.store %s, %D[%i, %c0] : tensor<128x64xf32> -> memref<?x64xf32>
  }
  tile.return
}

// Statistics of each row, a loop with two ways, a transposed store, and an atomic. C has fewer rows than A.
// CHECK-LABEL: tile.kernel @ways(
// CHECK: cta.copy %A[{{.*}}] {mechanism = #cta.mechanism<tma>, trim = 0 : i64}
// CHECK: cta.copy %B[{{.*}}] {mechanism = #cta.mechanism<tma>}
tile.kernel @ways(%A: memref<1000x64xbf16> {tile.align = 16}, %B: memref<64x64xbf16> {tile.align = 16}, %S: memref<1000xf32>,
                  %C: memref<64x990xf32>, %D: memref<1000x64xf32>, %which: i1) attributes {warpgroups = 2} {
  tile.grid (%i) = (0) to (1000) step (128) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<1000x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %p = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %r = scf.if %which -> (tensor<128x64xf32>) {
      %q = arith.mulf %p, %p : tensor<128x64xf32>
      scf.yield %q : tensor<128x64xf32>
    } else {
      scf.yield %p : tensor<128x64xf32>
    }
    %s = tile.reduce addf %r dims = [1] : tensor<128x64xf32> -> tensor<128xf32>
    %back = tile.broadcast %s dims = [0] : tensor<128xf32> -> tensor<128x64xf32>
    %d = arith.subf %r, %back : tensor<128x64xf32>
    tile.store %s, %S[%i] : tensor<128xf32> -> memref<1000xf32>
    tile.store %d, %C[%c0, %i] dims = [1, 0] : tensor<128x64xf32> -> memref<64x990xf32>
    tile.atomic add relaxed device %d, %D[%i, %c0] : tensor<128x64xf32> -> memref<1000x64xf32>
  }
  tile.return
}

// In a loop whose iterations store what they have loaded.
// CHECK-LABEL: tile.kernel @in_a_loop(
// CHECK: scf.for
// CHECK: cta.copy %A[{{.*}}] {mechanism = #cta.mechanism<tma>, trim = 0 : i64}
tile.kernel @in_a_loop(%A: memref<200x64xbf16> {tile.align = 16}, %B: memref<64x64xbf16> {tile.align = 16}, %C: memref<200x64xf32>) attributes {warpgroups = 2} {
  tile.grid (%g) = (0) to (1) step (1) {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c200 = arith.constant 200 : index
    scf.for %i = %c0 to %c200 step %c128 {
      %a = tile.load %A[%i, %c0] : memref<200x64xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
      %p = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      tile.store %p, %C[%i, %c0] : tensor<128x64xf32> -> memref<200x64xf32>
    }
  }
  tile.return
}

// Each of these keeps the zeros.
// CHECK-LABEL: tile.kernel @sum_of_columns(
// CHECK-NOT: trim
// CHECK-LABEL: tile.kernel @larger(
// CHECK-NOT: trim
// CHECK-LABEL: tile.kernel @elsewhere(
// CHECK-NOT: trim
// CHECK-LABEL: tile.kernel @whole(
// CHECK-NOT: trim
// CHECK-LABEL: tile.kernel @between(
// CHECK-NOT: trim
// CHECK-LABEL: tile.kernel @few(
// CHECK-NOT: trim
// CHECK-LABEL: tile.kernel @scanned(
// CHECK-NOT: trim
// CHECK-LABEL: tile.kernel @returned(
// CHECK-NOT: trim
// CHECK-LABEL: tile.kernel @spread(
// CHECK-NOT: trim
// CHECK-LABEL: tile.kernel @carried(
// CHECK-NOT: trim
// CHECK: tile.return

// A sum over the rows.
tile.kernel @sum_of_columns(%A: memref<1000x64xbf16> {tile.align = 16}, %B: memref<64x64xbf16> {tile.align = 16}, %S: memref<8x64xf32>) attributes {warpgroups = 2} {
  tile.grid (%n) = (0) to (8) step (1) {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %i = arith.muli %n, %c128 : index
    %a = tile.load %A[%i, %c0] : memref<1000x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %p = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %s = tile.reduce addf %p dims = [0] : tensor<128x64xf32> -> tensor<64xf32>
    tile.store %s, %S[%n, %c0] dims = [1] : tensor<64xf32> -> memref<8x64xf32>
  }
  tile.return
}

// C has more rows than A, or as many as nobody says.
tile.kernel @larger(%A: memref<1000x64xbf16> {tile.align = 16}, %B: memref<64x64xbf16> {tile.align = 16}, %C: memref<?x64xf32>) attributes {warpgroups = 2} {
  tile.grid (%i) = (0) to (1000) step (128) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<1000x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %p = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    tile.store %p, %C[%i, %c0] : tensor<128x64xf32> -> memref<?x64xf32>
  }
  tile.return
}

// The rows are stored elsewhere.
tile.kernel @elsewhere(%A: memref<1000x64xbf16> {tile.align = 16}, %B: memref<64x64xbf16> {tile.align = 16}, %C: memref<1000x64xf32>) attributes {warpgroups = 2} {
  tile.grid (%i) = (0) to (1000) step (128) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<1000x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %p = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    tile.store %p, %C[%c0, %c0] : tensor<128x64xf32> -> memref<1000x64xf32>
  }
  tile.return
}

// No tile hangs over the end.
tile.kernel @whole(%A: memref<1024x64xbf16> {tile.align = 16}, %B: memref<64x64xbf16> {tile.align = 16}, %C: memref<1024x64xf32>) attributes {warpgroups = 2} {
  tile.grid (%i) = (0) to (1024) step (128) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<1024x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %p = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    tile.store %p, %C[%i, %c0] : tensor<128x64xf32> -> memref<1024x64xf32>
  }
  tile.return
}

// Tiles overlap, so that they are not cut at multiples of their extent.
tile.kernel @between(%A: memref<1000x64xbf16> {tile.align = 16}, %B: memref<64x64xbf16> {tile.align = 16}, %C: memref<1000x64xf32>) attributes {warpgroups = 2} {
  tile.grid (%i) = (0) to (1000) step (64) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<1000x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %p = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    tile.store %p, %C[%i, %c0] : tensor<128x64xf32> -> memref<1000x64xf32>
  }
  tile.return
}

// Zeros for 16 rows take no time.
tile.kernel @few(%A: memref<64x64xbf16> {tile.align = 16}, %B: memref<1000x64xbf16> {tile.align = 16}, %C: memref<64x1000xf32>) attributes {warpgroups = 1} {
  tile.grid (%j) = (0) to (1000) step (16) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %b = tile.load %B[%j, %c0] dims = [1, 0] : memref<1000x64xbf16> -> tensor<64x16xbf16>
    %p = tile.mma %a, %b : tensor<64x64xbf16>, tensor<64x16xbf16> -> tensor<64x16xf32>
    tile.store %p, %C[%c0, %j] : tensor<64x16xf32> -> memref<64x1000xf32>
  }
  tile.return
}

// Running sums down the rows.
tile.kernel @scanned(%A: memref<1000x64xbf16> {tile.align = 16}, %B: memref<64x64xbf16> {tile.align = 16}, %C: memref<1000x64xf32>) attributes {warpgroups = 2} {
  tile.grid (%i) = (0) to (1000) step (128) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<1000x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %p = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %q, %t = tile.scan addf %p dim = 0 : tensor<128x64xf32> -> tensor<128x64xf32>, tensor<64xf32>
    tile.store %q, %C[%i, %c0] : tensor<128x64xf32> -> memref<1000x64xf32>
  }
  tile.return
}

// What an atomic finds in memory is no row of A.
tile.kernel @returned(%A: memref<1000x64xbf16> {tile.align = 16}, %B: memref<64x64xbf16> {tile.align = 16}, %C: memref<1000x64xf32>, %D: memref<1000x64xf32>) attributes {warpgroups = 2} {
  tile.grid (%i) = (0) to (1000) step (128) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<1000x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %p = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %old = tile.atomic add relaxed device returning %p, %C[%i, %c0] : tensor<128x64xf32> -> memref<1000x64xf32>
    tile.store %old, %D[%i, %c0] : tensor<128x64xf32> -> memref<1000x64xf32>
  }
  tile.return
}

// The product's rows become operands of a product that sums over them.
tile.kernel @spread(%A: memref<1000x64xbf16> {tile.align = 16}, %B: memref<64x64xbf16> {tile.align = 16}, %C: memref<1000x64xf32>) attributes {warpgroups = 2} {
  tile.grid (%i) = (0) to (1000) step (128) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<1000x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %p = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %q = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xbf16>
    %t = tile.transpose %a dims = [1, 0] : tensor<128x64xbf16> -> tensor<64x128xbf16>
    %g = tile.mma %t, %q : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
    tile.store %g, %C[%i, %c0] : tensor<64x64xf32> -> memref<1000x64xf32>
  }
  tile.return
}

// The sum of one iteration is stored in the next one, at another coordinate.
tile.kernel @carried(%A: memref<200x64xbf16> {tile.align = 16}, %B: memref<64x64xbf16> {tile.align = 16}, %C: memref<200x64xf32>) attributes {warpgroups = 2} {
  tile.grid (%g) = (0) to (1) step (1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %c200 = arith.constant 200 : index
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %all = scf.for %t = %c0 to %c2 step %c1 iter_args(%before = %zero) -> (tensor<128x64xf32>) {
      %sums = scf.for %i = %c0 to %c200 step %c128 iter_args(%sum = %before) -> (tensor<128x64xf32>) {
        %a = tile.load %A[%i, %c0] : memref<200x64xbf16> -> tensor<128x64xbf16>
        %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
        %p = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
        tile.store %p, %C[%i, %c0] : tensor<128x64xf32> -> memref<200x64xf32>
        scf.yield %p : tensor<128x64xf32>
      }
      scf.yield %sums : tensor<128x64xf32>
    }
  }
  tile.return
}

// Results that are stored under another shape: columns stay columns. Rows do not: a row of pixels outside of the image is no end of the array.
// CHECK-LABEL: tile.kernel @pixels(
// CHECK: cta.copy %A[{{.*}}] {mechanism = #cta.mechanism<tma>} :
// CHECK: cta.copy %B[{{.*}}] {mechanism = #cta.mechanism<tma>, trim = 1 : i64}
// CHECK: cta.view
// CHECK-NEXT: cta.copy_out
tile.kernel @pixels(%A: memref<1000x64xbf16> {tile.align = 16}, %B: memref<64x1000xbf16> {tile.align = 16}, %Y: memref<100x10x1000xbf16> {tile.align = 16})
    attributes {warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (100, 1000) step (16, 128) {
    %c0 = arith.constant 0 : index
    %c10 = arith.constant 10 : index
    %row = arith.muli %i, %c10 : index
    %a = tile.load %A[%row, %c0] : memref<1000x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %j] : memref<64x1000xbf16> -> tensor<64x128xbf16>
    %p = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
    %h = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xbf16>
    %o = tensor.expand_shape %h [[0, 1], [2]] output_shape [16, 8, 128] : tensor<128x128xbf16> into tensor<16x8x128xbf16>
    tile.store %o, %Y[%i, %c0, %j] : tensor<16x8x128xbf16> -> memref<100x10x1000xbf16>
  }
  tile.return
}
