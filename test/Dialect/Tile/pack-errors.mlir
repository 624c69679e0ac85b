// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @rank(%x: tensor<i32>) {
  // expected-error @+1 {{'tile.unpack' op unpack_c1: needs tiles of rank 1 or more with elements of 8, 16, 32 or 64 bits, got 'tensor<i32>'}}
  %r = tile.unpack %x : tensor<i32> -> tensor<4xi8>
  return
}

// -----

func.func @bools(%x: tensor<4xi8>) {
  // expected-error @+1 {{unpack_c1: needs tiles of rank 1 or more with elements of 8, 16, 32 or 64 bits, got 'tensor<32xi1>'}}
  %r = tile.unpack %x : tensor<4xi8> -> tensor<32xi1>
  return
}

// -----

func.func @index(%x: tensor<4xindex>) {
  // expected-error @+1 {{unpack_c1: needs tiles of rank 1 or more with elements of 8, 16, 32 or 64 bits, got 'tensor<4xindex>'}}
  %r = tile.unpack %x : tensor<4xindex> -> tensor<8xi32>
  return
}

// -----

func.func @wider(%x: tensor<4xi16>) {
  // expected-error @+1 {{unpack_c2: 'i32' must be narrower than 'i16'; for elements of less than 8 bits in bytes say 'bits'}}
  %r = tile.unpack %x : tensor<4xi16> -> tensor<2xi32>
  return
}

// -----

func.func @equal(%x: tensor<4xi32>) {
  // expected-error @+1 {{unpack_c2: 'f32' must be narrower than 'i32'}}
  %r = tile.unpack %x : tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @bits(%x: tensor<4xi8>) {
  // expected-error @+1 {{unpack_c2: 'bits' is 1, 2 or 4, with elements of i8 on both sides; got bits = 3, 'i8' and 'i8'}}
  %r = tile.unpack %x bits = 3 : tensor<4xi8> -> tensor<8xi8>
  return
}

// -----

func.func @bits_of_words(%x: tensor<4xi16>) {
  // expected-error @+1 {{unpack_c2: 'bits' is 1, 2 or 4, with elements of i8 on both sides; got bits = 4, 'i16' and 'i8'}}
  %r = tile.unpack %x bits = 4 : tensor<4xi16> -> tensor<16xi8>
  return
}

// -----

func.func @shape(%x: tensor<2x4xi32>) {
  // expected-error @+1 {{unpack_c3: 'tensor<2x4xi32>' has the bits of 'tensor<2x16xi8>', got 'tensor<8x4xi8>'}}
  %r = tile.unpack %x : tensor<2x4xi32> -> tensor<8x4xi8>
  return
}

// -----

func.func @signed(%x: tensor<2x4xi32>) {
  // expected-error @+1 {{unpack_c4: 'signed' needs 'bits': without it no bit is added}}
  %r = tile.unpack %x signed : tensor<2x4xi32> -> tensor<2x16xi8>
  return
}

// -----

func.func @pack_narrower(%x: tensor<4xi16>) {
  // expected-error @+1 {{'tile.pack' op pack_c2: 'i16' must be narrower than 'i8'}}
  %r = tile.pack %x : tensor<4xi16> -> tensor<8xi8>
  return
}

// -----

func.func @pack_bits(%x: tensor<4xi8>) {
  // expected-error @+1 {{pack_c2: 'bits' is 1, 2 or 4}}
  %r = tile.pack %x bits = 8 : tensor<4xi8> -> tensor<4xi8>
  return
}

// -----

func.func @pack_shape(%x: tensor<2x6xi8>) {
  // expected-error @+1 {{pack_c3: 'tensor<2x1xi32>' has the bits of 'tensor<2x4xi8>', got 'tensor<2x6xi8>'}}
  %r = tile.pack %x : tensor<2x6xi8> -> tensor<2x1xi32>
  return
}
