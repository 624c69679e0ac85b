// The variant in which TMA fetches the operands of products, and nothing is assumed about where rows of results begin.
// RUN: tile-opt %s -split-input-file -tile-specialize-facts | FileCheck %s
// RUN: tile-opt %s -split-input-file -tile-specialize-facts=variants=operands | FileCheck %s --check-prefix=ALONE
// RUN: tile-opt %s -split-input-file -tile-specialize-facts | tile-opt -split-input-file -tile-specialize-facts | FileCheck %s

// Of the bias, which only the epilogue loads, and of C nothing is assumed but that coordinates have 32 bits; that follows here from the sizes of A and B.
// CHECK-LABEL: tile.kernel @product_lines(
// CHECK-LABEL: tile.kernel @product_aligned(
// CHECK-LABEL: tile.kernel @product_operands(
// CHECK-SAME: %A: memref<?x?xbf16> {tile.align = 16 : i64, {{.*}}tile.stride_divisible = array<i64: 8, 1>}
// CHECK-SAME: %B: memref<?x?xbf16> {tile.align = 16 : i64,
// CHECK-SAME: %bias: memref<?xbf16> {tile.shape = ["N"]}
// CHECK-SAME: %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
// CHECK-SAME: guards = [#tile.guard<align, arg = 0, dim = -1, value = 16>, #tile.guard<stride_divisible, arg = 0, dim = 0, value = 8>,
// CHECK-NOT:  arg = 2
// CHECK-NOT:  arg = 3
// CHECK-SAME: #tile.guard<size_min, arg = 1, dim = 0, value = 1>]
// CHECK-SAME: tile.fallback, variant = "operands", variant_of = "product"
// CHECK-LABEL: tile.kernel @product_cp_async(
// CHECK-LABEL: tile.kernel @product_repack(
// CHECK-LABEL: tile.kernel @product_any(
// ALONE: tile.kernel @product_operands(
// ALONE-NOT: @product_
tile.kernel @product(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %bias: memref<?xbf16> {tile.shape = ["N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
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
    %row = tile.load %bias[%j] : memref<?xbf16> -> tensor<128xbf16>
    %wide = arith.extf %row : tensor<128xbf16> to tensor<128xf32>
    %rows = tile.broadcast %wide dims = [1] : tensor<128xf32> -> tensor<64x128xf32>
    %sum = arith.addf %s, %rows : tensor<64x128xf32>
    %t = arith.truncf %sum : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %t, %C[%i, %j] : tensor<64x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// An operand has the rows of the result: nothing less would be assumed. Asked for, it is made.
// CHECK-LABEL: tile.kernel @same_aligned(
// CHECK-NOT: @same_operands
// ALONE: tile.kernel @same_operands(
tile.kernel @same(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
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

// -----

// No product: rows that are not aligned are read and written by elements either way.
// CHECK-LABEL: tile.kernel @copy_aligned(
// CHECK-NOT: @copy_operands
// ALONE: tile.kernel @copy_any(
tile.kernel @copy(%X: memref<?x?xf32> {tile.shape = ["M", "N"]}, %Y: memref<?x?xf32> {tile.shape = ["M", "L"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %N step %c64 {
      %x = tile.load %X[%i, %k] : memref<?x?xf32> -> tensor<1x64xf32>
      tile.store %x, %Y[%i, %k] : tensor<1x64xf32> -> memref<?x?xf32>
    }
  }
  tile.return
}

// -----

// An operand in rows of 516 elements, which TMA cannot fetch, whatever is assumed: it is copied, and so are its neighbours.
// CHECK-LABEL: tile.kernel @odd_cp_async(
// CHECK-NOT: @odd_operands
// ALONE: tile.kernel @odd_any(
tile.kernel @odd(%A: memref<?x516xbf16> {tile.shape = ["M", 516]}, %B: memref<?x516xbf16> {tile.shape = ["N", 516]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %K = arith.constant 516 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant dense<0.0> : tensor<64x128xf32>
    %s = scf.for %k = %c0 to %K step %c64 iter_args(%c = %z) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x516xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x516xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    %t = arith.truncf %s : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %t, %C[%i, %j] : tensor<64x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
