// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @element() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{iota_c1: the elements must be integers or index, got 'f32'}}
    %r = tile.iota dim = 0 : tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @dim() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{iota_c1: dim = 1 is not a dimension of 'tensor<4xi32>'}}
    %r = tile.iota dim = 1 : tensor<4xi32>
  }
  tile.return
}

// -----

tile.kernel @rank_0() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{iota_c1: dim = 0 is not a dimension of 'tensor<i32>'}}
    %r = tile.iota dim = 0 : tensor<i32>
  }
  tile.return
}

// -----

tile.kernel @dim_negative() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{iota_c1: dim = -1 is not a dimension}}
    %r = tile.iota dim = -1 : tensor<4xi32>
  }
  tile.return
}

// -----

tile.kernel @from() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{iota_c2: 'from' must have type 'i32', got 'index'}}
    %r = "tile.iota"(%i) <{dim = 0 : i64, operandSegmentSizes = array<i32: 1, 0>}> : (index) -> tensor<4xi32>
  }
  tile.return
}

// -----

tile.kernel @not_tensor() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected a ranked tensor, got 'vector<4xi32>'}}
    %r = tile.iota dim = 0 : vector<4xi32>
  }
  tile.return
}

// -----

tile.kernel @keyword() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected 'dim'}}
    %r = tile.iota 0 : tensor<4xi32>
  }
  tile.return
}

// -----

tile.kernel @twice() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{attribute 'dim' occurs more than once}}
    %r = tile.iota dim = 0 {dim = 0} : tensor<4xi32>
  }
  tile.return
}
