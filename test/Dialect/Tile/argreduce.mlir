// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @extremes
tile.kernel @extremes() {
  tile.grid () = () to () step () {
    %f = arith.constant dense<1.0> : tensor<4x8xf32>
    %i = arith.constant dense<1> : tensor<4xi8>
    // CHECK: %value, %index = tile.argreduce max %{{.*}} dim = 1 : tensor<4x8xf32> -> tensor<4xf32>, tensor<4xi32>
    %v, %j = tile.argreduce max %f dim = 1 : tensor<4x8xf32> -> tensor<4xf32>, tensor<4xi32>
    // CHECK: tile.argreduce min %{{.*}} dim = 0 : tensor<4x8xf32> -> tensor<8xf32>, tensor<8xindex>
    %w, %k = tile.argreduce min %f dim = 0 : tensor<4x8xf32> -> tensor<8xf32>, tensor<8xindex>
    // CHECK: tile.argreduce max %{{.*}} dim = 0 unsigned {note} : tensor<4xi8> -> tensor<i8>, tensor<i64>
    %u, %l = tile.argreduce max %i dim = 0 unsigned {note} : tensor<4xi8> -> tensor<i8>, tensor<i64>
  }
  tile.return
}
