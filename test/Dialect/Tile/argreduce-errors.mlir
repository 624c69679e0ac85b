// RUN: tile-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

tile.kernel @dim() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{argreduce_c1: dim = 2 is not a dimension of 'tensor<4x8xf32>'}}
    %v, %i2 = tile.argreduce max %x dim = 2 : tensor<4x8xf32> -> tensor<4xf32>, tensor<4xi32>
  }
  tile.return
}

// -----

tile.kernel @dim_negative() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{argreduce_c1: dim = -1 is not a dimension}}
    %v, %i2 = tile.argreduce max %x dim = -1 : tensor<4x8xf32> -> tensor<4xf32>, tensor<4xi32>
  }
  tile.return
}

// -----

tile.kernel @value_type() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{argreduce_c2: the first result must be 'tensor<4xf32>', got 'tensor<8xf32>'}}
    %v, %i2 = tile.argreduce max %x dim = 1 : tensor<4x8xf32> -> tensor<8xf32>, tensor<4xi32>
  }
  tile.return
}

// -----

tile.kernel @index_type() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{argreduce_c2: the second result must be like 'tensor<4xf32>' with element type i32, i64 or index, got 'tensor<4xi16>'}}
    %v, %i2 = tile.argreduce max %x dim = 1 : tensor<4x8xf32> -> tensor<4xf32>, tensor<4xi16>
  }
  tile.return
}

// -----

tile.kernel @index_shape() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{argreduce_c2: the second result must be like}}
    %v, %i2 = tile.argreduce max %x dim = 1 : tensor<4x8xf32> -> tensor<4xf32>, tensor<8xi32>
  }
  tile.return
}

// -----

tile.kernel @element(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = "test.tile"() : () -> tensor<4xcomplex<f32>>
    // expected-error @+1 {{argreduce_c3: the elements must be floats or integers, got 'complex<f32>'}}
    %v, %i2 = tile.argreduce max %x dim = 0 : tensor<4xcomplex<f32>> -> tensor<complex<f32>>, tensor<i32>
  }
  tile.return
}

// -----

tile.kernel @unsigned() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{argreduce_c3: 'unsigned' is for integers, got 'f32'}}
    %v, %i2 = tile.argreduce max %x dim = 1 unsigned : tensor<4x8xf32> -> tensor<4xf32>, tensor<4xi32>
  }
  tile.return
}

// -----

tile.kernel @kind() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{expected one of [max, min]}}
    %v, %i2 = tile.argreduce most %x dim = 1 : tensor<4x8xf32> -> tensor<4xf32>, tensor<4xi32>
  }
  tile.return
}

// -----

tile.kernel @results() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{expected ','}}
    %v = tile.argreduce max %x dim = 1 : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}
