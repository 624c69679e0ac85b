// RUN: tile-opt %s -split-input-file -verify-diagnostics

// Constraints that ops of dialect cta share with those of dialect tile (test/Dialect/Tile/take-errors.mlir has all of them).

func.func @dims(%x: tensor<4x8xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{'cta.take' op take_c1: needs one index tile for each dimension in 'dims', got 1 for 2 dimensions}}
  %r = cta.take %x at %i dims = [0, 1] : tensor<4x8xf32>, tensor<8xi32> -> tensor<4x8xf32>
  return
}

// -----

func.func @order(%x: tensor<4x8xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{take_c1: 'dims' must ascend}}
  %r = cta.take %x at %i, %i dims = [1, 0] : tensor<4x8xf32>, tensor<8xi32>, tensor<8xi32> -> tensor<8x8xf32>
  return
}

// -----

func.func @of_elements(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>, %j: tensor<4xi32>) {
  // expected-error @+1 {{take_c3: the index tile must have the result's shape, or rank 1 and its extent 8 along dimension 1, got 'tensor<4x8xi32>'}}
  %r = cta.take %x at %j, %i dims = [0, 1] : tensor<4x8xf32>, tensor<4xi32>, tensor<4x8xi32> -> tensor<4x8xf32>
  return
}

// -----

func.func @read_at(%x: !cta.smem<4x8xf32, #cta.swizzle<linear>>, %i: tensor<8xi1>) {
  // expected-error @+1 {{'cta.read_at' op take_c2: indices are i8, i16, i32, i64 or index, got 'tensor<8xi1>'}}
  %r = cta.read_at %x at %i dims = [1] : !cta.smem<4x8xf32, #cta.swizzle<linear>>, tensor<8xi1> -> tensor<4x8xf32>
  return
}

// -----

func.func @result(%x: !cta.smem<4x8xf32, #cta.swizzle<linear>>, %i: tensor<2xi32>) {
  // expected-error @+1 {{take_c4: the result must have elements of type 'f32'}}
  %r = cta.read_at %x at %i dims = [1] : !cta.smem<4x8xf32, #cta.swizzle<linear>>, tensor<2xi32> -> tensor<4x2xf16>
  return
}

// -----

func.func @unpack(%x: tensor<4x8xi32>) {
  // expected-error @+1 {{'cta.unpack' op unpack_c3: 'tensor<4x8xi32>' has the bits of 'tensor<4x32xi8>', got 'tensor<4x16xi8>'}}
  %r = cta.unpack %x : tensor<4x8xi32> -> tensor<4x16xi8>
  return
}

// -----

func.func @signed(%x: tensor<4x8xi32>) {
  // expected-error @+1 {{unpack_c4: 'signed' needs 'bits'}}
  %r = cta.unpack %x signed : tensor<4x8xi32> -> tensor<4x32xi8>
  return
}

// -----

func.func @pack(%x: tensor<4x8xi32>) {
  // expected-error @+1 {{'cta.pack' op pack_c2: 'i32' must be narrower than 'i8'}}
  %r = cta.pack %x : tensor<4x8xi32> -> tensor<4x32xi8>
  return
}
