// RUN: tile-opt %s -tessera-to-allocated | FileCheck %s

// Tables begin at multiples of 128 bytes, however they are placed: what the small one leaves to the other one, so that four blocks share an SM, is 128 bytes less.
// CHECK-LABEL: tile.kernel @two_tables(
// CHECK: cta.launch @two_tables_0 {{.*}} attributes {{.*}}min_blocks = 4 : i64, {{.*}}shared = 57344 : i64
// CHECK-DAG: cta.table or %G {{.*}} -> !cta.smem<16xi64,
// CHECK-DAG: cta.table add %H {{.*}} -> !cta.smem<14304xi32,
tile.kernel @two(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<?xi32>, %G: memref<2xi64>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (1024) {
    %one = arith.constant dense<1> : tensor<1024xi32>
    %x = tile.load %X[%i] : memref<?xi32> -> tensor<1024xi32>
    tile.atomic add %one, %H[%x : tensor<1024xi32>] : tensor<1024xi32> -> memref<?xi32>
    %wide = arith.extsi %x : tensor<1024xi32> to tensor<1024xi64>
    tile.atomic or %wide, %G[%x : tensor<1024xi32>] : tensor<1024xi64> -> memref<2xi64>
  }
  tile.return
}
