// REQUIRES: ptxas
// RUN: tilec %s -o %t.cubin --report=full --variants=aligned 2>&1 | FileCheck %s

// A product whose number of rows is in memory: a block on each core takes output tiles by turns, and operands come by TMA, ahead of the
// products.
// CHECK: {{#cta.plan<.*}}stages = 4, persistent = 1
// CHECK: role producer
// CHECK: load %a {{.*}} tma{{$}}
// CHECK-NEXT: load %b {{.*}} tma{{$}}
// CHECK-NEXT: mma %d {{.*}} wgmma
// CHECK: 4 slots of 64x256xbf16

tile.kernel @gemm_count(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                  %count: memref<1xi32>, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %z = arith.constant 0 : index
  %n32 = memref.load %count[%z] : memref<1xi32>
  %n = arith.index_cast %n32 : i32 to index
  tile.grid (%i, %j) = (0, 0) to (%n, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x256xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %d : tensor<128x256xf32>
    }
    %out = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %out, %C[%i, %j] limit = [%n, _] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
