// Of a fused product what the script asks for is left: all else is dropped, or a zero in its place.
// RUN: tile-reduce %s --drop-ops='test=%S/Inputs/has-product.sh' -o %t.mlir && FileCheck %s < %t.mlir --implicit-check-not=tile.load --implicit-check-not=math
// CHECK: tile.grid
// CHECK: scf.for
// CHECK: tile.mma
// CHECK-NOT: addf
// CHECK: tile.return

// Upstream's pass for whole passes.
// RUN: tile-reduce %s --opt-reduction-pass='opt-pass=canonicalize test=%S/Inputs/has-product.sh' | FileCheck %s --check-prefix=OPT --implicit-check-not=%unused
// OPT: tile.mma

// RUN: not tile-reduce %s --drop-ops='test=/bin/true' 2>&1 | FileCheck %s --check-prefix=DULL
// DULL: tile-reduce: error: the script does not find the program interesting
tile.kernel @k(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
               %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %unused = arith.constant 7 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %tanh = math.tanh %acc : tensor<64x64xf32>
    %more = arith.addf %tanh, %acc : tensor<64x64xf32>
    tile.store %more, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}
