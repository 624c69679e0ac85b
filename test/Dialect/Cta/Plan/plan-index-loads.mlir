// RUN: tile-opt %s -tessera-to-planned -o - | FileCheck %s

// The main loop loads an index tile of the type index: the plan counts its eight bytes an element, as those of any load.
// CHECK-LABEL: tile.kernel @index_loads_aligned(
// CHECK-SAME: plan = #cta.plan<
// CHECK: tile.grid {{.*}} attributes {cta.prediction = {
// CHECK: scf.for
// CHECK: cta.load %R{{.*}} : memref<?xindex> -> tensor<64xindex
tile.kernel @index_loads(%A: memref<?x64xf16>, %R: memref<?xindex>, %B: memref<?x64xf16>, %C: memref<?x64xf32>, %n: index) {
  tile.grid (%i) = (0) to (128) step (64) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %n step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %rows = tile.load %R[%k] : memref<?xindex> -> tensor<64xindex>
      %a = tile.load %A[%i, %c0] : memref<?x64xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%rows : tensor<64xindex>, %c0] pad = 1.0 : f16 : memref<?x64xf16> -> tensor<64x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %c0] : tensor<64x64xf32> -> memref<?x64xf32>
  }
  tile.return
}
