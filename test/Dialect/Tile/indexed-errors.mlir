// RUN: tile-opt %s -split-input-file -verify-diagnostics

// Constraints 8 and 9 of tile.load, and what the syntax of indexed accesses refuses.

tile.kernel @boolean_indices(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<true> : tensor<4xi1>
    // expected-error @+1 {{load_c8: an index tile holds integers, got 'tensor<4xi1>'}}
    %0 = tile.load %A[%m : tensor<4xi1>, %i] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @float_indices(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %f = arith.constant dense<1.0> : tensor<4xf32>
    // expected-error @+1 {{load_c8: an index tile holds integers, got 'tensor<4xf32>'}}
    %0 = tile.load %A[%f : tensor<4xf32>, %i] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @no_tile(%A: memref<?x?xf32>, %n: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{a coordinate is an index or a tile of integers, got 'i32'}}
    %0 = tile.load %A[%n : i32, %i] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @places(%A: memref<?x?xf32>, %I: memref<?x?xi32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %p = tile.load %I[%i, %i] : memref<?x?xi32> -> tensor<4x8xi32>
    // expected-error @+1 {{load_c8: the index tile for dimension 0 must have rank 1 and extent 4, as the tile dimension that 'dims' gives to it; got 'tensor<4x8xi32>'; for a place of each element make the memref flat, and compute row * columns + column: memref.collapse_shape %m [[0, 1]] : memref<?x?xf32> into memref<?xf32>}}
    %0 = tile.load %A[%p : tensor<4x8xi32>, %p : tensor<4x8xi32>] : memref<?x?xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @places_of_view(%A: memref<?x?xf32, strided<[?, ?], offset: ?>>, %I: memref<?x?xi32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %p = tile.load %I[%i, %i] : memref<?x?xi32> -> tensor<4x8xi32>
    // expected-error @+1 {{for a place of each element view the memref as one of rank 1 with memref.reinterpret_cast, and compute the sum of coordinate * stride}}
    %0 = tile.load %A[%p : tensor<4x8xi32>, %i] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @extent(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<8xi32>
    // expected-error @+1 {{load_c8: the index tile for dimension 0 must have rank 1 and extent 4, as the tile dimension that 'dims' gives to it; got 'tensor<8xi32>'}}
    %0 = tile.load %A[%r : tensor<8xi32>, %i] : memref<?x?xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

// `dims` transposes the tile: memref dimension 0 is tile dimension 1, of extent 8.
tile.kernel @extent_of_dims(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4xi32>
    // expected-error @+1 {{load_c8: the index tile for dimension 0 must have rank 1 and extent 8}}
    %0 = tile.load %A[%r : tensor<4xi32>, %i] dims = [1, 0] : memref<?x?xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @rank(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = arith.constant dense<0> : tensor<4x8xi32>
    // expected-error @+1 {{load_c8: the index tile for dimension 0 must have rank 1 and extent 4}}
    %0 = tile.load %A[%r : tensor<4x8xi32>, %i] : memref<?x?xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @shape_of_rank_1(%x: memref<?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = arith.constant dense<0> : tensor<8x4xi32>
    // expected-error @+1 {{load_c8: the index tile of a memref of rank 1 has the shape of the tile, 'tensor<4x8xi32>'; got 'tensor<8x4xi32>'}}
    %0 = tile.load %x[%r : tensor<8x4xi32>] : memref<?xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @dimension_without_tile(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<8xi32>
    // expected-error @+1 {{load_c8: the index tile for dimension 0 needs a tile dimension, but 'dims' does not name that dimension}}
    %0 = tile.load %A[%r : tensor<8xi32>, %i] : memref<?x?xf32> -> tensor<8xf32>
  }
  tile.return
}

// -----

tile.kernel @limits_of_places(%x: memref<?xf32>, %n: index) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = arith.constant dense<0> : tensor<4x8xi32>
    // expected-error @+1 {{load_c8: a place for each element has no limits; use a mask}}
    %0 = tile.load %x[%r : tensor<4x8xi32>] limit = [%n, _] : memref<?xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @coordinates(%A: memref<?x?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4xi32>
    // expected-error @+1 {{load_c1: needs one coordinate for each of the 3 dimensions of 'memref<?x?x?xf32>', got 2}}
    %0 = tile.load %A[%r : tensor<4xi32>, %i] : memref<?x?x?xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @indexed_order(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4xi32>
    // expected-error @+1 {{load_c8: 'indexed' must list memref dimensions in ascending order}}
    %0 = "tile.load"(%A, %r, %r) <{dims = array<i64: 0, 1>, limited = array<i1: false, false>, maskDims = array<i64>, indexed = array<i64: 1, 0>,
        operandSegmentSizes = array<i32: 1, 0, 0, 0, 2, 0, 0>}> : (memref<?x?xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @indexed_count(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4xi32>
    // expected-error @+1 {{load_c8: 'indexed' needs one entry for each of the 1 index tiles, got 0}}
    %0 = "tile.load"(%A, %i, %r) <{dims = array<i64: 0, 1>, limited = array<i1: false, false>, maskDims = array<i64>,
        operandSegmentSizes = array<i32: 1, 1, 0, 0, 1, 0, 0>}> : (memref<?x?xf32>, index, tensor<4xi32>) -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @strides_count(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c9: 'strides' needs one entry for each of the 2 tile dimensions, got 1}}
    %0 = tile.load %A[%i, %i] strides = [2] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @strides_positive(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c9: an element step must be positive, got 0}}
    %0 = tile.load %A[%i, %i] strides = [1, 0] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @strides_of_index_tile(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4xi32>
    // expected-error @+1 {{load_c9: dimension 0 has both an index tile and the element step 2; multiply the indices instead}}
    %0 = tile.load %A[%r : tensor<4xi32>, %i] strides = [2, 1] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @strides_of_places(%x: memref<?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = arith.constant dense<0> : tensor<4x8xi32>
    // expected-error @+1 {{load_c9: dimension 1 has both an index tile and the element step 3}}
    %0 = tile.load %x[%r : tensor<4x8xi32>] strides = [1, 3] : memref<?xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

// One index tile selects a box for each index; two would select elements.
tile.kernel @tma_of_index_tiles(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4xi32>
    %0 = tile.load %A[%r : tensor<4xi32>, %i] require = [tma] : memref<?x?xf32> -> tensor<4x4xf32>
    // expected-error @+1 {{load_c10: demands TMA, which moves boxes, but has several index tiles}}
    %1 = tile.load %A[%r : tensor<4xi32>, %r : tensor<4xi32>] require = [tma] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @tma_of_places(%x: memref<?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4x4xi32>
    // expected-error @+1 {{load_c10: demands TMA, which moves boxes, but has an index for each element}}
    %0 = tile.load %x[%r : tensor<4x4xi32>] require = [tma] : memref<?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @tma_of_index_tiles_to(%A: memref<?x?xf32>, %v: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4xi32>
    %t = tensor.splat %v : tensor<4x4xf32>
    // expected-error @+1 {{store_c10: demands TMA, which moves boxes, but has index tiles}}
    tile.store %t, %A[%r : tensor<4xi32>, %i] require = [tma] : tensor<4x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @gather_stages(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4xi32>
    // expected-error @+1 {{load_c7: stages must be at least 1, got 0}}
    %0 = tile.gather %A[%r : tensor<4xi32>, %i] stages = 0 : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @tma_of_strides(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{load_c10: demands TMA, which moves boxes, but has element steps}}
    %0 = tile.load %A[%i, %i] strides = [2, 1] require = [tma] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @pad_tile(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-note @+1 {{prior use here}}
    %p = arith.constant dense<1.0> : tensor<8xf32>
    // expected-error @+1 {{expects different type than prior uses: 'tensor<4x4xf32>' vs 'tensor<8xf32>'}}
    %0 = tile.load %A[%i, %i] pad = %p : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @pad_tile_and_word(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %p = arith.constant dense<1.0> : tensor<4x4xf32>
    // expected-error @+1 {{load_c6: 'pad' is a value or a tile, not both}}
    %0 = "tile.load"(%A, %i, %i, %p) <{dims = array<i64: 0, 1>, limited = array<i1: false, false>, maskDims = array<i64>, pad = #tile.pad<nan>,
        operandSegmentSizes = array<i32: 1, 2, 0, 0, 0, 1, 0>}> : (memref<?x?xf32>, index, index, tensor<4x4xf32>) -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @pad_tile_type(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %p = arith.constant dense<1.0> : tensor<4xf32>
    // expected-error @+1 {{load_c6: a tile of pads must be 'tensor<4x4xf32>', got 'tensor<4xf32>'}}
    %0 = "tile.load"(%A, %i, %i, %p) <{dims = array<i64: 0, 1>, limited = array<i1: false, false>, maskDims = array<i64>,
        operandSegmentSizes = array<i32: 1, 2, 0, 0, 0, 1, 0>}> : (memref<?x?xf32>, index, index, tensor<4xf32>) -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @store_indices(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<8xi32>
    %v = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{store_c8: the index tile for dimension 0 must have rank 1 and extent 4}}
    tile.store %v, %A[%r : tensor<8xi32>, %i] : tensor<4x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @store_strides(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %v = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{store_c9: an element step must be positive, got -1}}
    tile.store %v, %A[%i, %i] strides = [-1, 1] : tensor<4x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @store_tma(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %v = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{store_c10: demands TMA, which moves boxes, but has element steps}}
    tile.store %v, %A[%i, %i] strides = [2, 1] require = [tma] : tensor<4x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @store_stride_0(%A: memref<4x8xf32, strided<[0, 1]>>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4xi32>
    %v = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{store_c6: dimension 0 of 'memref<4x8xf32, strided<[0, 1]>>' has stride 0: it may be loaded, not stored}}
    tile.store %v, %A[%r : tensor<4xi32>, %i] : tensor<4x8xf32> -> memref<4x8xf32, strided<[0, 1]>>
  }
  tile.return
}

// -----

tile.kernel @store_pads(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %v = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{unknown clause 'pad'; expected dims, limit, mask, strides, cache, require, attributes in braces or ':'}}
    tile.store %v, %A[%i, %i] pad = %v : tensor<4x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @gather_of_box(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{'tile.gather' op gather_c11: has no index tile; that is a tile.load}}
    %0 = tile.gather %A[%i, %i] : memref<?x?xf32> -> tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @scatter_of_box(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %v = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{'tile.scatter' op scatter_c11: has no index tile; that is a tile.store}}
    tile.scatter %v, %A[%i, %i] : tensor<4x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @gather_pads(%A: memref<?x?xi32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4xi32>
    // expected-error @+1 {{load_c6: pad = nan needs a float tile, got 'i32'; use a typed literal}}
    %0 = tile.gather %A[%r : tensor<4xi32>, %i] pad = nan : memref<?x?xi32> -> tensor<4x4xi32>
  }
  tile.return
}

// -----

tile.kernel @gather_strides(%A: memref<?x?xi32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4xi32>
    // expected-error @+1 {{unknown clause 'strides'; expected dims, limit, mask, pad, stages, cache, require, attributes in braces or ':'}}
    %0 = tile.gather %A[%r : tensor<4xi32>, %i] strides = [1, 2] : memref<?x?xi32> -> tensor<4x4xi32>
  }
  tile.return
}

// -----

tile.kernel @scatter_types(%A: memref<?x?xi32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4xi32>
    %v = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{store_c3: the memref holds 'i32' but the tile 'f32'; convert with arith.fptosi before the store}}
    tile.scatter %v, %A[%r : tensor<4xi32>, %i] : tensor<4x8xf32> -> memref<?x?xi32>
  }
  tile.return
}

// -----

tile.kernel @gather_mask(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %r = tile.iota dim = 0 : tensor<4xi32>
    %m = arith.constant dense<true> : tensor<4xi1>
    // expected-error @+1 {{load_c5: mask dimension 2 is not a dimension of the tile}}
    %0 = tile.gather %A[%r : tensor<4xi32>, %i] mask = %m on [2] : memref<?x?xf32> -> tensor<4x8xf32>
  }
  tile.return
}
