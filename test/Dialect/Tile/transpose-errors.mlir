// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @count() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{transpose_c1: 'dims' must be a permutation of the 2 dimensions}}
    %r = tile.transpose %x dims = [0] : tensor<4x8xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @twice() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{transpose_c1: 'dims' must be a permutation of the 2 dimensions}}
    %r = tile.transpose %x dims = [0, 0] : tensor<4x8xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @range() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{transpose_c1: 'dims' must be a permutation}}
    %r = tile.transpose %x dims = [0, 2] : tensor<4x8xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @huge() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{transpose_c1: 'dims' must be a permutation}}
    %r = tile.transpose %x dims = [-1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @shape() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{transpose_c2: the result must be 'tensor<8x4xf32>', got 'tensor<4x8xf32>'}}
    %r = tile.transpose %x dims = [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @element() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{transpose_c2: the result must be 'tensor<8x4xf32>', got 'tensor<8x4xf16>'}}
    %r = tile.transpose %x dims = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf16>
  }
  tile.return
}

// -----

tile.kernel @arrow() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{expected '->'}}
    %r = tile.transpose %x dims = [1, 0] : tensor<4x8xf32>
  }
  tile.return
}
