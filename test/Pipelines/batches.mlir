// RUN: tile-opt %s --tessera-to-placed=variants=aligned | FileCheck %s

// A batched product from end to end: every operand by TMA, both products on the tensor cores, no shared memory in between.
// CHECK-LABEL: tile.kernel @gemm_aligned(
// CHECK: scf.for
// CHECK-COUNT-4: cta.copy {{.*}}mechanism = #cta.mechanism<tma>
// CHECK-COUNT-2: cta.wgmma
// CHECK-NOT: cta.slice
// CHECK-NOT: cta.concat
// CHECK-NOT: cta.mma
tile.kernel @gemm(%A: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "K"]}, %B: memref<?x?x?xbf16> {tile.shape = ["Z", "K", "N"]},
                  %C: memref<?x?x?xf32> {tile.shape = ["Z", "M", "N"]}) {
  %Z = tile.dim "Z" : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%z, %i, %j) = (0, 0, 0) to (%Z, %M, %N) step (2, 64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<2x64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<2x64x128xf32>) {
      %a = tile.load %A[%z, %i, %k] : memref<?x?x?xbf16> -> tensor<2x64x64xbf16>
      %b = tile.load %B[%z, %k, %j] : memref<?x?x?xbf16> -> tensor<2x64x128xbf16>
      %d = tile.mma %a, %b, %c require = [wgmma] : tensor<2x64x64xbf16>, tensor<2x64x128xbf16> -> tensor<2x64x128xf32>
      scf.yield %d : tensor<2x64x128xf32>
    }
    tile.store %acc, %C[%z, %i, %j] : tensor<2x64x128xf32> -> memref<?x?x?xf32>
  }
  tile.return
}
