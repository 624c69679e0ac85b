// RUN: tile-opt %s -split-input-file -tile-specialize-facts | FileCheck %s
// RUN: tile-opt %s -split-input-file -tile-specialize-facts=variants=lines | FileCheck %s --check-prefix=ALONE

// The operand with most bytes begins at cache lines: its base, and its rows. The facts of `aligned` come first, and no size is 0.
// CHECK-LABEL: tile.kernel @wide_lines(
// CHECK-SAME: %B: memref<?x?xbf16> {tile.align = 128 : i64, {{.*}}tile.stride_divisible = array<i64: 64, 1>
// CHECK-SAME: guards = [#tile.guard<align, arg = 0, dim = -1, value = 16>
// CHECK-SAME: #tile.guard<size_min, arg = 1, dim = 0, value = 1>
// CHECK-SAME: #tile.guard<align, arg = 1, dim = -1, value = 128>, #tile.guard<stride_divisible, arg = 1, dim = 0, value = 64>]
// CHECK-SAME: variant = "lines", variant_of = "wide"
// CHECK-LABEL: tile.kernel @wide_aligned(
// CHECK-SAME: %B: memref<?x?xbf16> {tile.align = 16 : i64
// CHECK-NOT: value = 128
// CHECK-LABEL: tile.kernel @wide_cp_async(
// CHECK-LABEL: tile.kernel @wide_repack(
// CHECK-LABEL: tile.kernel @wide_any(
// ALONE-LABEL: tile.kernel @wide_lines(
// ALONE-LABEL: tile.kernel @square_lines(
tile.kernel @wide(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant dense<0.0> : tensor<64x128xf32>
    %s = scf.for %k = %c0 to %K step %c64 iter_args(%c = %z) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %s, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Of two equally large operands both.
// CHECK-LABEL: tile.kernel @square_lines(
// CHECK-SAME: #tile.guard<align, arg = 0, dim = -1, value = 128>, #tile.guard<stride_divisible, arg = 0, dim = 0, value = 64>, #tile.guard<align, arg = 1, dim = -1, value = 128>, #tile.guard<stride_divisible, arg = 1, dim = 0, value = 64>]
tile.kernel @square(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %s = scf.for %k = %c0 to %K step %c64 iter_args(%c = %z) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %s, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// The source IR says that rows begin at cache lines, or that they do not: then there is nothing to assume.
// CHECK-LABEL: tile.kernel @said_aligned(
// CHECK-NOT: _lines(
// CHECK-LABEL: tile.kernel @off_aligned(
// CHECK-NOT: _lines(
// ALONE-LABEL: tile.kernel @said_lines(
// ALONE-LABEL: tile.kernel @off_any(
tile.kernel @said(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]},
                  %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant dense<0.0> : tensor<64x128xf32>
    %s = scf.for %k = %c0 to %K step %c64 iter_args(%c = %z) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %s, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @off(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x1000xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x1000xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant dense<0.0> : tensor<64x128xf32>
    %s = scf.for %k = %c0 to %K step %c64 iter_args(%c = %z) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x1000xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %s, %C[%i, %j] : tensor<64x128xf32> -> memref<?x1000xf32>
  }
  tile.return
}

// -----

// No product, and a product whose operand is the same for all blocks.
// CHECK-LABEL: tile.kernel @copy_aligned(
// CHECK-NOT: _lines(
// ALONE-LABEL: tile.kernel @copy_any(
tile.kernel @copy(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["M", "K"]}) {
  %M = tile.dim "M" : index
  tile.grid (%i) = (0) to (%M) step (64) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16>
    tile.store %a, %B[%i, %c0] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// A loop that ends elsewhere in each block: blocks share what both read, so its operands may begin at lines. Whether a copy of an operand is
// worth it depends on a number of steps that nobody knows before the launch.
// CHECK-LABEL: tile.kernel @triangle_lines(
// CHECK-SAME: %B: memref<?x?xbf16> {tile.align = 128 : i64, {{.*}}tile.stride_divisible = array<i64: 64, 1>
// CHECK-LABEL: tile.kernel @triangle_aligned(
// CHECK-NOT: triangle_repack
// CHECK-NOT: triangle_operands
// ALONE-LABEL: tile.kernel @triangle_lines(
tile.kernel @triangle(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  tile.grid (%i) = (0) to (%M) step (64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.addi %i, %c64 : index
    %z = arith.constant dense<0.0> : tensor<64x128xf32>
    %s = scf.for %k = %c0 to %end step %c64 iter_args(%c = %z) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %c0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %s, %C[%i, %c0] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// One that begins elsewhere in each block: no two blocks read the same tile.
// CHECK-LABEL: tile.kernel @diagonal_aligned(
// CHECK-NOT: diagonal_lines
tile.kernel @diagonal(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  tile.grid (%i) = (0) to (%M) step (64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.addi %i, %c64 : index
    %z = arith.constant dense<0.0> : tensor<64x128xf32>
    %s = scf.for %k = %i to %end step %c64 iter_args(%c = %z) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %c0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %s, %C[%i, %c0] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
