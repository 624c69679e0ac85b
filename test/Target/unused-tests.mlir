// RUN: tilec %s --emit=ptx --variants=aligned -o - | FileCheck %s

// Each iteration tests the mbarrier of the one after it. LLVM finds that the loop ends after so few iterations
// that nobody needs the test of the second one. tile-ptx-check would refuse a test whose result is not used.
//
// CHECK-LABEL: .entry few_aligned_0(
// CHECK:     mbarrier.test_wait.parity.shared::cta.b64 [[OVER:%p[0-9]+]],
// CHECK-NOT: mbarrier.test_wait
// CHECK:     @[[OVER]] bra
// CHECK-NOT: mbarrier.test_wait
tile.kernel @few(%A: memref<?x?xbf16>, %B: memref<?x48xbf16>, %C: memref<?x?xbf16>, %O: memref<?x?xbf16>) {
  tile.grid (%i) = (0) to (104) step (64) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %a = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<64x32xbf16>
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %sum = scf.for %k = %c0 to %c32 step %c16 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %b = tile.load %B[%c0, %k] : memref<?x48xbf16> -> tensor<32x16xbf16>
      %p = tile.mma %a, %b : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
      %t = math.tanh %p : tensor<64x16xf32>
      %n = arith.truncf %t : tensor<64x16xf32> to tensor<64x16xbf16>
      %c = tile.load %C[%k, %c0] : memref<?x?xbf16> -> tensor<16x128xbf16>
      %s = tile.mma %n, %c, %acc : tensor<64x16xbf16>, tensor<16x128xbf16> -> tensor<64x128xf32>
      scf.yield %s : tensor<64x128xf32>
    }
    %r = arith.truncf %sum : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %r, %O[%i, %c0] : tensor<64x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
