// RUN: tilec %s --emit=planned --variants=aligned -o - | FileCheck %s
// RUN: not tilec %s --variants=aligned --plan='#cta.plan<persistent = 1, group = 8>' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED

// Each block waits for the rows of blocks before its own, so blocks must begin in the order of their numbers:
// no rasterisation groups, no clusters.
// CHECK: cluster = 1
// CHECK-NOT: least_group
// REFUSED: error: 'tile.kernel' op has a plan with group = 8, but blocks may wait for those with lower numbers
tile.kernel @sem(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %L: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %one = arith.constant 1 : i32
    %zero32 = arith.constant 0 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %r = arith.divsi %i, %c128 : index
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %n = arith.ceildivsi %N, %c128 : index
    %need = arith.muli %r, %n : index
    %need32 = arith.index_cast %need : index to i32
    scf.while : () -> () {
      %was = tile.atomic add returning %zero32, %L[%c0] : i32 -> memref<?xi32>
      %w = arith.cmpi slt, %was, %need32 : i32
      scf.condition(%w)
    } do {
      scf.yield
    }
    tile.store %acc, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
    tile.atomic add %one, %L[%c0] : i32 -> memref<?xi32>
  }
  tile.return
}
