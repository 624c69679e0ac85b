// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @coordinates(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c1: needs one coordinate for each of the 2 dimensions of 'memref<?x?xf32>', got 1}}
    %0 = tile.load %A[%i] : memref<?x?xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @tile_rank(%x: memref<?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c2: the tile has rank 2 but the memref has rank 1; the tile of a load or store has at most as many dimensions as its memref}}
    %0 = tile.load %x[%i] : memref<?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @dims_count(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c2: 'dims' needs one entry for each of the 2 tile dimensions, got 1}}
    %0 = tile.load %A[%i, %i] dims = [0] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @dims_range(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c2: 'dims' names dimension 2 but the memref has rank 2}}
    %0 = tile.load %A[%i, %i] dims = [0, 2] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @dims_negative(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c2: 'dims' names dimension -1 but the memref has rank 2}}
    %0 = tile.load %A[%i, %i] dims = [0, -1] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @dims_twice(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c2: 'dims' names dimension 1 twice}}
    %0 = tile.load %A[%i, %i] dims = [1, 1] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @element(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c3: the memref holds 'f32' but the tile 'bf16'; convert with arith.truncf after the load}}
    %0 = tile.load %A[%i, %i] : memref<?x?xf32> -> tensor<4x4xbf16>
  }
  tile.return
}

// -----

tile.kernel @limit_count(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c4: 'limit' needs one entry for each of the 2 tile dimensions ('_' for none), got 1}}
    %0 = tile.load %A[%i, %i] limit = [%i] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @limit_values(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c4: 'limited' marks 2 dimensions but 1 limits are given}}
    %0 = "tile.load"(%A, %i, %i, %i) <{operandSegmentSizes = array<i32: 1, 2, 1, 0, 0, 0, 0>, dims = array<i64: 0, 1>, limited = array<i1: true, true>, maskDims = array<i64>}> : (memref<?x?xf32>, index, index, index) -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @mask_shape(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<true> : tensor<4xi1>
    // expected-error @+1 {{load_c5: the mask must be 'tensor<4x8xi1>', got 'tensor<4xi1>'}}
    %0 = "tile.load"(%A, %i, %i, %m) <{operandSegmentSizes = array<i32: 1, 2, 0, 1, 0, 0, 0>, dims = array<i64: 0, 1>, limited = array<i1: false, false>, maskDims = array<i64: 0, 1>}> : (memref<?x?xf32>, index, index, tensor<4xi1>) -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @mask_element(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1> : tensor<4xi8>
    // expected-error @+1 {{load_c5: the mask must be 'tensor<4xi1>', got 'tensor<4xi8>'}}
    %0 = "tile.load"(%A, %i, %i, %m) <{operandSegmentSizes = array<i32: 1, 2, 0, 1, 0, 0, 0>, dims = array<i64: 0, 1>, limited = array<i1: false, false>, maskDims = array<i64: 0>}> : (memref<?x?xf32>, index, index, tensor<4xi8>) -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @mask_order(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<true> : tensor<8x4xi1>
    // expected-error @+1 {{load_c5: 'on' must list tile dimensions in ascending order}}
    %0 = tile.load %A[%i, %i] mask = %m on [1, 0] : memref<?x?xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @mask_range(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<true> : tensor<4xi1>
    // expected-error @+1 {{load_c5: mask dimension 2 is not a dimension of the tile}}
    %0 = tile.load %A[%i, %i] mask = %m on [2] : memref<?x?xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @mask_extra(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<true> : tensor<4xi1>
    // expected-error @+1 {{load_c5: without a mask, 'maskDims' must be empty}}
    %0 = "tile.load"(%A, %i, %i) <{operandSegmentSizes = array<i32: 1, 2, 0, 0, 0, 0, 0>, dims = array<i64: 0, 1>, limited = array<i1: false, false>, maskDims = array<i64: 1>}> : (memref<?x?xf32>, index, index) -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @pad_integer(%x: memref<?xi32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c6: pad = neg_inf needs a float tile, got 'i32'; use a typed literal}}
    %0 = tile.load %x[%i] pad = neg_inf : memref<?xi32> -> tensor<4xi32>
  }
  tile.return
}

// -----

tile.kernel @pad_type(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c6: the pad literal 1.000000e+00 : f64 must be a number of type 'f32'}}
    %0 = tile.load %A[%i, %i] pad = 1.0 : f64 : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @pad_string(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c6: the pad literal [1] must be a number of type 'f32'}}
    %0 = tile.load %A[%i, %i] pad = [1] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @stages(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c7: stages must be at least 1, got 0}}
    %0 = tile.load %A[%i, %i] stages = 0 : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @pad_word(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected zero, neg_inf, pos_inf, nan, any or a typed literal after 'pad =', got 'zeros'}}
    %0 = tile.load %A[%i, %i] pad = zeros : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @brackets(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected '['}}
    %0 = tile.load %A %i, %i : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @unclosed(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{a coordinate is an index or a tile of integers, got 'memref<?x?xf32>'}}
    %0 = tile.load %A[%i, %i : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @arrow(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected '->'}}
    %0 = tile.load %A[%i, %i] : memref<?x?xf32>, tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @not_tensor(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected a ranked tensor, got 'vector<4xf32>'}}
    %0 = tile.load %A[%i, %i] : memref<?x?xf32> -> vector<4xf32>
  }
  tile.return
}

// -----

tile.kernel @not_memref(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected a memref, got 'tensor<4xf32>'}}
    %0 = tile.load %t[%i, %i] : tensor<4xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @unranked(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected a memref, got 'memref<*xf32>'}}
    %0 = tile.load %t[%i, %i] : memref<*xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @hint_twice(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{'cache' is given twice}}
    %0 = tile.load %A[%i, %i] cache = first cache = last : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @demand(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected one of [tma, wgmma, pipelined, peeled, no_spills, deterministic]}}
    %0 = tile.load %A[%i, %i] require = [fast] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @own_attribute(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{attribute 'dims' occurs more than once in the attribute list}}
    %0 = tile.load %A[%i, %i] {dims = array<i64: 0>} : memref<?x?xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @limit_integer(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected SSA operand}}
    %0 = tile.load %A[%i, %i] limit = [3, _] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @mask_typed(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<4xf32>
    // expected-error @+1 {{load_c5: the mask must be 'tensor<4xi1>', got 'tensor<4xf32>'}}
    %0 = tile.load %A[%i, %i] mask = (%m : tensor<4xf32>) on [0] : memref<?x?xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @mask_unclosed(%A: memref<?x?xf32>, %m: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected ':'}}
    %0 = tile.load %A[%i, %i] mask = (%m) on [0] : memref<?x?xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @unknown_clause(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{unknown clause 'lim'; expected dims, limit, mask, pad, strides, tile, stages, cache, require, attributes in braces or ':'}}
    %0 = tile.load %A[%i, %i] pad = zero lim = [%i] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @clause_twice(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{'dims' is given twice}}
    %0 = tile.load %A[%i, %i] dims = [0, 1] pad = zero dims = [1, 0] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}
