// RUN: tile-opt %s --tile-specialize-facts | FileCheck %s
// RUN: tile-opt %s --tile-specialize-facts --tile-specialize-facts | FileCheck %s
// RUN: tile-opt %s --tile-specialize-facts=variants=any | FileCheck %s --check-prefix=ANY
// RUN: tile-opt %s --tile-specialize-facts=variants=aligned | FileCheck %s --check-prefix=ALIGNED
// RUN: tile-opt %s --tile-specialize-facts=variants=repack | FileCheck %s --check-prefix=REPACK

// The row stride of an identity layout is the row: no guard for the size. Equal names share their guards.
// CHECK-LABEL: tile.kernel @gemm_aligned(
// CHECK-SAME: %A: memref<?x?xbf16> {tile.align = 16 : i64, tile.shape = ["M", "K"], tile.size_max = array<i64: 2147483647, 2147483647>, tile.stride_divisible = array<i64: 8, 1>}
// CHECK-SAME: %B: memref<?x?xf32, strided<[?, 1]>> {tile.align = 16 : i64, tile.shape = ["K", "N"], tile.size_divisible = array<i64: 1, 4>, tile.size_max = array<i64: 9223372036854775807, 2147483647>, tile.stride_divisible = array<i64: 4, 1>}
// CHECK-SAME: %unused: memref<?xf32>, %s: f32)
// CHECK-SAME: guards = [#tile.guard<align, arg = 0, dim = -1, value = 16>, #tile.guard<stride_divisible, arg = 0, dim = 0, value = 8>, #tile.guard<size_max, arg = 0, dim = 0, value = 2147483647>, #tile.guard<size_max, arg = 0, dim = 1, value = 2147483647>,
// CHECK-SAME: #tile.guard<align, arg = 1, dim = -1, value = 16>, #tile.guard<stride_divisible, arg = 1, dim = 0, value = 4>, #tile.guard<size_divisible, arg = 1, dim = 1, value = 4>, #tile.guard<size_max, arg = 1, dim = 1, value = 2147483647>,
// CHECK-SAME: #tile.guard<size_min, arg = 0, dim = 0, value = 1>, #tile.guard<size_min, arg = 0, dim = 1, value = 1>, #tile.guard<size_min, arg = 1, dim = 1, value = 1>]
// CHECK-NOT: tile.fallback
// CHECK-SAME: variant = "aligned", variant_of = "gemm"
// CHECK-LABEL: tile.kernel @gemm_any(
// CHECK-SAME: %A: memref<?x?xbf16> {tile.shape = ["M", "K"]}
// CHECK-NOT: guards
// CHECK-SAME: attributes {tile.fallback, variant = "any", variant_of = "gemm"}
// CHECK-NOT: tile.kernel @gemm(
// ANY: tile.kernel @gemm_any
// ANY-NOT: aligned
// ALIGNED: tile.kernel @gemm_aligned
// ALIGNED-NOT: _any
tile.kernel @gemm(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf32, strided<[?, 1]>> {tile.shape = ["K", "N"]}, %unused: memref<?xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %a = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x16xbf16>
    %b = arith.extf %a : tensor<16x16xbf16> to tensor<16x16xf32>
    tile.store %b, %B[%c0, %c0] : tensor<16x16xf32> -> memref<?x?xf32, strided<[?, 1]>>
  }
  tile.return
}

// Nothing is left to assume: one variant without guards.
// CHECK-LABEL: tile.kernel @static_aligned
// CHECK-NOT: guards
// CHECK-NOT: @static_any
tile.kernel @static(%A: memref<64x64xbf16> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %v = memref.subview %A[0, 0] [16, 16] [1, 1] : memref<64x64xbf16> to memref<16x16xbf16, strided<[64, 1]>>
    %a = tile.load %v[%c0, %c0] : memref<16x16xbf16, strided<[64, 1]>> -> tensor<16x16xbf16>
    tile.store %a, %A[%c0, %c0] : tensor<16x16xbf16> -> memref<64x64xbf16>
  }
  tile.return
}

// Vectors of rank 1: their size matters if they are all there is.
// CHECK-LABEL: tile.kernel @add_aligned(
// CHECK-SAME: tile.size_divisible = array<i64: 4>
// CHECK-SAME: #tile.guard<size_divisible, arg = 0, dim = 0, value = 4>
// CHECK-LABEL: tile.kernel @add_any(
tile.kernel @add(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %a = tile.load %x[%c0] : memref<?xf32> -> tensor<1024xf32>
    tile.store %a, %y[%c0] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.return
}

// Next to matrices it does not: no launch should lose TMA for an odd number of rows.
// CHECK-LABEL: tile.kernel @rows_aligned(
// CHECK-NOT: size_divisible
// CHECK-LABEL: tile.kernel @rows_any(
tile.kernel @rows(%x: memref<?x64xf32> {tile.shape = ["N", 64]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %a = tile.load %x[%c0, %c0] : memref<?x64xf32> -> tensor<16x64xf32>
    %s = tile.reduce addf %a dims = [1] : tensor<16x64xf32> -> tensor<16xf32>
    tile.store %s, %y[%c0] : tensor<16xf32> -> memref<?xf32>
  }
  tile.return
}

// No tiles: facts cannot help.
// CHECK-NOT: @scalar_aligned
// CHECK-LABEL: tile.kernel @scalar_any
tile.kernel @scalar(%x: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    memref.store %v, %x[%c0] : memref<?xf32>
  }
  tile.return
}

// Operands of a product that could be copied: a variant between the two, for sizes at which that pays.
// CHECK-LABEL: tile.kernel @product_aligned(
// CHECK-LABEL: tile.kernel @product_cp_async(
// CHECK-LABEL: tile.kernel @product_repack(
// CHECK-SAME: %A: memref<?x?xf16> {tile.shape = ["M", "K"], tile.size_max = array<i64: 2147483647, 2147483647>}
// CHECK-SAME: guards = [#tile.guard<size_max, arg = 0, dim = 0, value = 2147483647>, #tile.guard<size_max, arg = 0, dim = 1, value = 2147483647>, #tile.guard<size_max, arg = 1, dim = 1, value = 2147483647>,
// CHECK-SAME: #tile.guard<size_min, arg = 0, dim = 0, value = 4>, #tile.guard<size_min, arg = 0, dim = 1, value = 128>, #tile.guard<size_min, arg = 1, dim = 1, value = 8>]
// CHECK-SAME: variant = "repack", variant_of = "product"
// CHECK-LABEL: tile.kernel @product_any(
// REPACK: tile.kernel @gemm_any
// REPACK: tile.kernel @product_repack
// REPACK-NOT: @product_any
tile.kernel @product(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c32 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x32xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<32x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x32xf16>, tensor<32x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Alignment does not help %A, of which no dimension is known to be contiguous: the copy comes first.
// CHECK-LABEL: tile.kernel @strided_repack(
// CHECK-LABEL: tile.kernel @strided_aligned(
// CHECK-LABEL: tile.kernel @strided_any(
tile.kernel @strided(%A: memref<?x?xf16, strided<[?, ?]>> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c32 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16, strided<[?, ?]>> -> tensor<64x32xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<32x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x32xf16>, tensor<32x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Sizes in the source IR: what is large enough needs nothing else, what is too small is not copied.
// CHECK-LABEL: tile.kernel @fixed_repack(
// CHECK-NOT: guards
// CHECK-NOT: @fixed_a
tile.kernel @fixed(%A: memref<999x999xf16> {tile.align = 16 : i64}, %B: memref<999x999xf16> {tile.align = 16 : i64}, %C: memref<999x999xf32>) {
  %M = arith.constant 999 : index
  %N = arith.constant 999 : index
  %K = arith.constant 999 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c32 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<999x999xf16> -> tensor<64x32xf16>
      %b = tile.load %B[%k, %j] : memref<999x999xf16> -> tensor<32x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x32xf16>, tensor<32x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<999x999xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @small_aligned(
// CHECK-NOT: @small_repack
tile.kernel @small(%A: memref<999x99xf16> {tile.align = 16 : i64}, %B: memref<99x999xf16> {tile.align = 16 : i64}, %C: memref<999x999xf32>) {
  %M = arith.constant 999 : index
  %N = arith.constant 999 : index
  %K = arith.constant 99 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c32 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<999x99xf16> -> tensor<64x32xf16>
      %b = tile.load %B[%k, %j] : memref<99x999xf16> -> tensor<32x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x32xf16>, tensor<32x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<999x999xf32>
  }
  tile.return
}

// The source IR says all that TMA needs, except that nothing is empty: a guard says so, and there is a variant without it.
// CHECK-LABEL: tile.kernel @filled_aligned(
// CHECK-SAME: guards = [#tile.guard<size_min, arg = 0, dim = 0, value = 1>, #tile.guard<size_min, arg = 0, dim = 1, value = 1>]
// CHECK-LABEL: tile.kernel @filled_any(
tile.kernel @filled(%A: memref<?x?xbf16> {tile.align = 16 : i64, tile.size_divisible = array<i64: 1, 8>, tile.size_max = array<i64: 9999, 9999>}, %C: memref<64x64xf32> {tile.align = 16 : i64}, %i: index, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %a, %a, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32> -> memref<64x64xf32>
  }
  tile.return
}

// Coordinates that run over the sizes say it themselves, and without products TMA gains nothing.
// CHECK-LABEL: tile.kernel @runs_over_aligned(
// CHECK-NOT: guards
// CHECK-NOT: @runs_over_any
tile.kernel @runs_over(%A: memref<?x?xbf16> {tile.shape = ["M", "K"], tile.align = 16 : i64, tile.size_divisible = array<i64: 1, 8>, tile.size_max = array<i64: 9999, 9999>}, %C: memref<?x64xf32> {tile.shape = ["M", 64], tile.align = 16 : i64, tile.size_max = array<i64: 9999, 64>}) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  tile.grid (%i) = (0) to (%M) step (64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %a, %a, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %c0] : tensor<64x64xf32> -> memref<?x64xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @copied_aligned(
// CHECK-NOT: guards
// CHECK-NOT: @copied_any
tile.kernel @copied(%A: memref<?x?xbf16> {tile.align = 16 : i64, tile.size_divisible = array<i64: 1, 8>, tile.size_max = array<i64: 9999, 9999>}, %i: index) {
  tile.grid () = () to () step () {
    %a = tile.load %A[%i, %i] : memref<?x?xbf16> -> tensor<64x64xbf16>
    tile.store %a, %A[%i, %i] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// So it is if index tiles give the places of all operands.
// CHECK-LABEL: tile.kernel @pages_aligned(
// CHECK-SAME: guards = [#tile.guard<size_min, arg = 0, dim = 0, value = 1>]
// CHECK-LABEL: tile.kernel @pages_any(
tile.kernel @pages(%A: memref<?x16x64xbf16> {tile.align = 16 : i64, tile.size_max = array<i64: 9999, 16, 64>}, %C: memref<64x64xf32> {tile.align = 16 : i64}, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = tile.iota dim = 0 : tensor<4xi32>
    %acc = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %a = tile.gather %A[%r : tensor<4xi32>, %c0, %c0] : memref<?x16x64xbf16> -> tensor<4x16x64xbf16>
      %b = tensor.collapse_shape %a [[0, 1], [2]] : tensor<4x16x64xbf16> into tensor<64x64xbf16>
      %d = tile.mma %b, %b, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32> -> memref<64x64xf32>
  }
  tile.return
}

// Every access of %L begins at a row that is read from memory, so that neither vectors nor TMA can have it: no launch loses the variant for its strides.
// CHECK-LABEL: tile.kernel @packed_aligned(
// CHECK-SAME: %L: memref<?x?xf32> {tile.shape = ["H", "M"], tile.size_max
// CHECK-NOT: <align, arg = 1
// CHECK-NOT: <stride_divisible, arg = 1
// CHECK-NOT: <size_divisible, arg = 1
// CHECK-LABEL: tile.kernel @packed_any(
tile.kernel @packed(%Q: memref<?x64xf32> {tile.shape = ["M", 64]}, %L: memref<?x?xf32> {tile.shape = ["H", "M"]}, %C: memref<?xi32> {tile.shape = ["E"]}) {
  %c0 = arith.constant 0 : index
  tile.grid (%n) = (0) to (8) step (1) {
    %r32 = memref.load %C[%n] : memref<?xi32>
    %r = arith.index_cast %r32 : i32 to index
    %q = tile.load %Q[%r, %c0] : memref<?x64xf32> -> tensor<16x64xf32>
    %s = tile.reduce addf %q dims = [1] : tensor<16x64xf32> -> tensor<16xf32>
    tile.store %s, %L[%c0, %r] : tensor<16xf32> -> memref<?x?xf32>
  }
  tile.return
}

// One access at an even place is enough.
// CHECK-LABEL: tile.kernel @also_even_aligned(
// CHECK-SAME: <align, arg = 0, dim = -1, value = 16>, #tile.guard<stride_divisible, arg = 0, dim = 0, value = 4>
// CHECK-LABEL: tile.kernel @also_even_any(
tile.kernel @also_even(%L: memref<?x?xf32> {tile.shape = ["H", "M"]}, %r: index) {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %s = tile.load %L[%c0, %r] : memref<?x?xf32> -> tensor<16xf32>
    tile.store %s, %L[%c0, %c0] : tensor<16xf32> -> memref<?x?xf32>
  }
  tile.return
}

// What is assumed of the columns of %L makes the places in %X even. So all arguments have their facts.
// CHECK-LABEL: tile.kernel @by_size_aligned(
// CHECK-SAME: <align, arg = 0
// CHECK-SAME: <size_divisible, arg = 0, dim = 1, value = 4>
// CHECK-SAME: <align, arg = 1
// CHECK-LABEL: tile.kernel @by_size_any(
tile.kernel @by_size(%L: memref<?x?xf32, strided<[?, 1]>>, %X: memref<?x?xf32>, %r: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid () = () to () step () {
    %n = memref.dim %L, %c1 : memref<?x?xf32, strided<[?, 1]>>
    %s = tile.load %L[%c0, %r] : memref<?x?xf32, strided<[?, 1]>> -> tensor<16xf32>
    tile.store %s, %X[%c0, %n] : tensor<16xf32> -> memref<?x?xf32>
  }
  tile.return
}

// So it is with a limit, which cuts the vectors of a store.
// CHECK-LABEL: tile.kernel @by_limit_aligned(
// CHECK-SAME: <align, arg = 0
// CHECK-SAME: <align, arg = 1
// CHECK-LABEL: tile.kernel @by_limit_any(
tile.kernel @by_limit(%A: memref<?x?xf32> {tile.shape = ["M", "N"]}, %B: memref<?x?xf32> {tile.shape = ["M", "K"]}) {
  %c1 = arith.constant 1 : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (1, 1024) {
    %a = tile.load %A[%i, %c1] dims = [1] : memref<?x?xf32> -> tensor<32xf32>
    %r = tile.reduce addf %a dims = [0] : tensor<32xf32> -> tensor<f32>
    %s = tile.broadcast %r dims = [] : tensor<f32> -> tensor<1024xf32>
    tile.store %s, %B[%i, %j] dims = [1] limit = [%N] : tensor<1024xf32> -> memref<?x?xf32>
  }
  tile.return
}

// A view may begin anywhere, and an index tile may name any row: their arrays have the facts.
// CHECK-LABEL: tile.kernel @views_aligned(
// CHECK-SAME: <align, arg = 0
// CHECK-SAME: <align, arg = 1
// CHECK-LABEL: tile.kernel @views_any(
tile.kernel @views(%L: memref<?x64xf32>, %X: memref<?x64xf32>, %r: index) {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %v = memref.subview %L[%r, 1] [16, 32] [1, 1] : memref<?x64xf32> to memref<16x32xf32, strided<[64, 1], offset: ?>>
    %s = tile.load %v[%c0, %c0] : memref<16x32xf32, strided<[64, 1], offset: ?>> -> tensor<16x32xf32>
    %i = tile.iota dim = 0 : tensor<16xi32>
    tile.store %s, %X[%i : tensor<16xi32>, %c0] : tensor<16x32xf32> -> memref<?x64xf32>
  }
  tile.return
}
