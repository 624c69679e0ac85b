// RUN: tilec %s --emit=nvvm --variants=aligned -o - | FileCheck %s
// RUN: tilec %s --emit=ptx --variants=aligned -o - | FileCheck %s --check-prefix=PTX
// RUN: tilec %s --emit=allocated --variants=aligned -o - | FileCheck %s --check-prefix=SLOTS
// RUN: tilec %s --emit=allocated --variants=aligned -o - | tile-opt --cta-simulate="sizes=M=256,N=64,K=256 verbose" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SIMULATED

// A product in the region reads slots of the loop's channel, and concerns all warps of the role, which vote at the barrier of their role. The
// loop is pipelined: the slot is released after the branch.
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.or.aligned.count"(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i1) -> i1
// PTX: bar.red.or.pred
// SLOTS: cta.any rare %{{.*}} {why = "the branch uses shared memory: cta.wgmma"}
// SLOTS: scf.if
// SLOTS:   cta.wgmma
// SLOTS: } else {
// SLOTS: cta.arrive
// SIMULATED: remark: @redo_aligned_0: simulated 4 of 132 blocks{{.*}}, no violation
tile.kernel @redo(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", 64]}) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %big = arith.constant dense<20.0> : tensor<128xf32>
    %r = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%c0, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %p = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      %m = tile.reduce maximumf %p dims = [1] : tensor<128x64xf32> -> tensor<128xf32>
      %need = arith.cmpf ogt, %m, %big : tensor<128xf32>
      %q = tile.rare %need passing(%p) {
        %again = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
        tile.yield %again : tensor<128x64xf32>
      } : tensor<128xi1>, tensor<128x64xf32>
      scf.yield %q : tensor<128x64xf32>
    }
    tile.store %r, %C[%i, %c0] : tensor<128x64xf32> -> memref<?x?xf32>
  }
  tile.return
}
