// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @count() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{broadcast_c1: 'dims' needs one entry for each of the 2 source dimensions, got 1}}
    %r = tile.broadcast %x dims = [0] : tensor<4x8xf32> -> tensor<4x8x2xf32>
  }
  tile.return
}

// -----

tile.kernel @scalar(%s: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{broadcast_c1: 'dims' needs one entry for each of the 0 source dimensions, got 1}}
    %r = tile.broadcast %s dims = [0] : f32 -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @order() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{broadcast_c1: 'dims' must ascend and be below the result's rank 2}}
    %r = tile.broadcast %x dims = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  }
  tile.return
}

// -----

tile.kernel @range() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{broadcast_c1: 'dims' must ascend and be below the result's rank 2}}
    %r = tile.broadcast %x dims = [0, 2] : tensor<4x8xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @extent() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{broadcast_c2: source dimension 1 has extent 8, result dimension 2 has 9}}
    %r = tile.broadcast %x dims = [0, 2] : tensor<4x8xf32> -> tensor<4x2x9xf32>
  }
  tile.return
}

// -----

tile.kernel @element() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{broadcast_c3: the element types differ: 'f32' and 'bf16'}}
    %r = tile.broadcast %x dims = [0, 1] : tensor<4x8xf32> -> tensor<4x8xbf16>
  }
  tile.return
}

// -----

tile.kernel @memref(%m: memref<4xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{broadcast_c3: the element types differ}}
    %r = tile.broadcast %m dims = [] : memref<4xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @not_tensor(%s: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected builtin.tensor, but found 'vector<4xf32>'}}
    %r = tile.broadcast %s dims = [] : f32 -> vector<4xf32>
  }
  tile.return
}

// -----

tile.kernel @keyword() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{expected 'dims'}}
    %r = tile.broadcast %x dim = 0 : tensor<4x8xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @bracket() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{expected '['}}
    %r = tile.broadcast %x dims = 0 : tensor<4x8xf32> -> tensor<4x8xf32>
  }
  tile.return
}
