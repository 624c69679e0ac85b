// RUN: tilec %s --variants=aligned --emit=ptx --report=full -o %t.ptx 2>&1 | FileCheck %s --check-prefix=DERIVED
// RUN: tilec %s --plan='#cta.plan<warpgroups = 2>' --variants=aligned --emit=ptx --report=full -o %t.ptx 2>&1 | FileCheck %s
// RUN: tilec %s --stop-after=allocated -o - | tile-opt - --cta-simulate='sizes=M=200,N=100,K=200 timings=16' -o /dev/null
// RUN: tilec %s --plan='#cta.plan<warpgroups = 2>' --stop-after=allocated -o - | tile-opt - --cta-simulate='sizes=M=200,N=100,K=200 timings=16' -o /dev/null

// A product of 128 rows next to a chain of two of 64 rows, whose results fit the registers of one warpgroup: it has no columns to share.
// DERIVED: plan: #cta.plan<replicate = split, warpgroups = 1,

// Two warpgroups share the rows of the first one and the columns of the others, whose operand in registers each of them has whole.
// CHECK: plan: #cta.plan<replicate = split, warpgroups = 2,
// CHECK: mma   %d {{ *}}128x64xf32{{ *}}wgmma{{$}}
// CHECK: mma   %s {{ *}}64x64xf32{{ *}}wgmma{{$}}
// CHECK: mma   %e {{ *}}64x64xf32{{ *}}wgmma, A in registers{{$}}
tile.kernel @mixed(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %D: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant dense<0.0> : tensor<128x64xf32>
    %z2 = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc:2 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %z, %o = %z2) -> (tensor<128x64xf32>, tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      %a2 = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %s = tile.mma %a2, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
      %e = tile.mma %p, %b, %o : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d, %e : tensor<128x64xf32>, tensor<64x64xf32>
    }
    tile.store %acc#0, %C[%i, %j] : tensor<128x64xf32> -> memref<?x?xf32>
    %t = arith.truncf %acc#1 : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %t, %D[%i, %j] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
