// The chip of a module stays with it. There is one table, Hopper's, which is also that of a module without the attribute; that models and passes
// follow another table is tested in test/unit/Dialect/Cta/OtherMachineTest.cpp.
//
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --pass-pipeline='builtin.module(tessera-to-planned)' | FileCheck %s --check-prefix=PLANNED
// RUN: sed 's/ attributes {cta.target = "sm_90a"}//' %s | tile-opt --pass-pipeline='builtin.module(tessera-to-planned)' | FileCheck %s --check-prefix=PLANNED
//
// CHECK: module attributes {cta.target = "sm_90a"}
// PLANNED: tile.kernel @product_aligned({{.*}}producers = 1, stages = 4, persistent = 1
module attributes {cta.target = "sm_90a"} {
  tile.kernel @product(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index) {
    tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant dense<0.0> : tensor<128x256xf32>
      %c = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32>) {
        %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<128x64xf16>
        %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x256xf16>
        %d = tile.mma %a, %b, %acc : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
        scf.yield %d : tensor<128x256xf32>
      }
      tile.store %c, %C[%i, %j] : tensor<128x256xf32> -> memref<?x?xf32>
    }
    tile.return
  }
}
