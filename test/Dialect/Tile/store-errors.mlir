// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @coordinates(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %t = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{store_c1: needs one coordinate for each of the 2 dimensions}}
    tile.store %t, %A[%i] : tensor<4x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @dims(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %t = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{store_c2: 'dims' names dimension 0 twice}}
    tile.store %t, %A[%i, %i] dims = [0, 0] : tensor<4x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @element(%A: memref<?x?xf16>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %t = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{store_c3: the memref holds 'f16' but the tile 'f32'}}
    tile.store %t, %A[%i, %i] : tensor<4x8xf32> -> memref<?x?xf16>
  }
  tile.return
}

// -----

tile.kernel @limit(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %t = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{store_c4: 'limit' needs one entry for each of the 2 tile dimensions}}
    tile.store %t, %A[%i, %i] limit = [_, %i, _] : tensor<4x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @mask(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %t = arith.constant dense<1.0> : tensor<4x8xf32>
    %m = arith.constant dense<true> : tensor<4x4xi1>
    // expected-error @+1 {{store_c5: 'on' must list tile dimensions in ascending order}}
    tile.store %t, %A[%i, %i] mask = %m on [0, 0] : tensor<4x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @stride(%A: memref<4x?xf32, strided<[0, 1]>>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %t = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{store_c6: dimension 0 of 'memref<4x?xf32, strided<[0, 1]>>' has stride 0: it may be loaded, not stored}}
    tile.store %t, %A[%i, %i] : tensor<4x8xf32> -> memref<4x?xf32, strided<[0, 1]>>
  }
  tile.return
}

// -----

tile.kernel @pad(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %t = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{unknown clause 'pad'; expected dims, limit, mask, strides, cache, require, attributes in braces or ':'}}
    tile.store %t, %A[%i, %i] pad = zero : tensor<4x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @order(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %t = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{expected ','}}
    tile.store %t : tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @no_value(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %t = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{expected SSA operand}}
    tile.store 3, %A[%i, %i] : tensor<4x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @swapped_types(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %t = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{expected a ranked tensor, got 'memref<?x?xf32>'}}
    tile.store %t, %A[%i, %i] : memref<?x?xf32> -> tensor<4x8xf32>
  }
  tile.return
}
