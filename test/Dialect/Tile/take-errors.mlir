// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @dim(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) {
  // expected-error @+1 {{'tile.take' op take_c1: dim = 2 is not a dimension of a tile of rank 2}}
  %r = tile.take %x at %i dim = 2 : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4x8xf32>
  return
}

// -----

func.func @scalar(%x: tensor<f32>, %i: tensor<i32>) {
  // expected-error @+1 {{take_c1: dim = 0 is not a dimension of a tile of rank 0}}
  %r = tile.take %x at %i dim = 0 : tensor<f32>, tensor<i32> -> tensor<f32>
  return
}

// -----

func.func @negative(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{take_c1: dim = -1 is not a dimension}}
  %r = tile.take %x at %i dim = -1 : tensor<4xf32>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @bools(%x: tensor<4x8xf32>, %i: tensor<4x2xi1>) {
  // expected-error @+1 {{take_c2: indices are i8, i16, i32, i64 or index, got 'tensor<4x2xi1>'}}
  %r = tile.take %x at %i dim = 1 : tensor<4x8xf32>, tensor<4x2xi1> -> tensor<4x2xf32>
  return
}

// -----

func.func @floats(%x: tensor<4x8xf32>, %i: tensor<4x2xf32>) {
  // expected-error @+1 {{take_c2: indices are}}
  %r = tile.take %x at %i dim = 1 : tensor<4x8xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @index_shape(%x: tensor<4x8xf32>, %i: tensor<2x4xi32>) {
  // expected-error @+1 {{take_c3: the index tile must have the result's shape, or rank 1 and its extent 2 along dimension 1, got 'tensor<2x4xi32>'}}
  %r = tile.take %x at %i dim = 1 : tensor<4x8xf32>, tensor<2x4xi32> -> tensor<4x2xf32>
  return
}

// -----

func.func @index_extent(%x: tensor<4x8xf32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{take_c3: the index tile must have the result's shape, or rank 1}}
  %r = tile.take %x at %i dim = 1 : tensor<4x8xf32>, tensor<3xi32> -> tensor<4x2xf32>
  return
}

// -----

func.func @result_shape(%x: tensor<4x8xf32>, %i: tensor<5x2xi32>) {
  // expected-error @+1 {{take_c4: the result must have elements of type 'f32' and the source's extents but along the dimension that is indexed, got 'tensor<5x2xf32>'}}
  %r = tile.take %x at %i dim = 1 : tensor<4x8xf32>, tensor<5x2xi32> -> tensor<5x2xf32>
  return
}

// -----

func.func @result_rank(%x: tensor<4x8xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{take_c4: the result must have}}
  %r = tile.take %x at %i dim = 1 : tensor<4x8xf32>, tensor<2xi32> -> tensor<2xf32>
  return
}

// -----

func.func @result_element(%x: tensor<4x8xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{take_c4: the result must have elements of type 'f32'}}
  %r = tile.take %x at %i dim = 1 : tensor<4x8xf32>, tensor<2xi32> -> tensor<4x2xf64>
  return
}

// -----

func.func @indices(%x: tensor<4x8xf32>, %i: index) {
  // expected-error @+1 {{'tile.extract' op extract_c1: needs one index for each dimension of 'tensor<4x8xf32>', which has rank 1 or more; got 1}}
  %r = tile.extract %x[%i] : tensor<4x8xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @no_dimension(%x: tensor<f32>) {
  // expected-error @+1 {{extract_c1: needs one index for each dimension of 'tensor<f32>'}}
  %r = tile.extract %x[] : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @divides(%x: tensor<4x8xf32>, %i: index) {
  // expected-error @+1 {{extract_c2: the extent 3 of the slice must divide the extent 4 of the tile along dimension 0}}
  %r = tile.extract %x[%i, %i] : tensor<4x8xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @larger(%x: tensor<4x8xf32>, %i: index) {
  // expected-error @+1 {{extract_c2: the extent 16 of the slice must divide the extent 8 of the tile along dimension 1}}
  %r = tile.extract %x[%i, %i] : tensor<4x8xf32> -> tensor<4x16xf32>
  return
}

// -----

func.func @rank(%x: tensor<4x8xf32>, %i: index) {
  // expected-error @+1 {{extract_c2: rank and element type of the slice must be those of 'tensor<4x8xf32>', got 'tensor<8xf32>'}}
  %r = tile.extract %x[%i, %i] : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @element(%x: tensor<4x8xf32>, %i: index) {
  // expected-error @+1 {{extract_c2: rank and element type}}
  %r = tile.extract %x[%i, %i] : tensor<4x8xf32> -> tensor<2x8xi32>
  return
}

// -----

func.func @insert_indices(%x: tensor<4x8xf32>, %s: tensor<2x8xf32>, %i: index) {
  // expected-error @+1 {{'tile.insert' op insert_c1: needs one index for each dimension of 'tensor<4x8xf32>', which has rank 1 or more; got 3}}
  %r = tile.insert %s into %x[%i, %i, %i] : tensor<2x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @insert_divides(%x: tensor<4x8xf32>, %s: tensor<2x5xf32>, %i: index) {
  // expected-error @+1 {{insert_c2: the extent 5 of the slice must divide the extent 8 of the tile along dimension 1}}
  %r = tile.insert %s into %x[%i, %i] : tensor<2x5xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @insert_element(%x: tensor<4x8xf32>, %s: tensor<2x8xf16>, %i: index) {
  // expected-error @+1 {{insert_c2: rank and element type of the slice must be those of 'tensor<4x8xf32>', got 'tensor<2x8xf16>'}}
  %r = tile.insert %s into %x[%i, %i] : tensor<2x8xf16> -> tensor<4x8xf32>
  return
}
