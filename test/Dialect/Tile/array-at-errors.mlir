// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @element(%t: memref<?xi32>, %g: index, %m: index) {
  // expected-error @+1 {{'tile.array_at' op array_at_c1: a table of addresses is a memref of i64 in the default memory space, got 'memref<?xi32>'}}
  %a = tile.array_at %t[%g] sizes [%m] : memref<?xi32> -> memref<?xf32>
  return
}

// -----

func.func @space(%t: memref<?xi64, 3>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c1: a table of addresses}}
  %a = tile.array_at %t[%g] sizes [%m] : memref<?xi64, 3> -> memref<?xf32>
  return
}

// -----

func.func @indices(%t: memref<?x3xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c1: the table has 2 dimensions, got 1 indices}}
  %a = tile.array_at %t[%g] sizes [%m] : memref<?x3xi64> -> memref<?xf32>
  return
}

// -----

func.func @rank(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c2: 'sizes' has 1 entries for the 2 dimensions of 'memref<?x?xf32>'}}
  %a = tile.array_at %t[%g] sizes [%m] : memref<?xi64> -> memref<?x?xf32>
  return
}

// -----

func.func @value(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c2: entry 0 of 'sizes' is a value, but 'memref<64xf32>' has the number 64 there: write the number, or '?' in the type}}
  %a = tile.array_at %t[%g] sizes [%m] : memref<?xi64> -> memref<64xf32>
  return
}

// -----

func.func @number(%t: memref<?xi64>, %g: index) {
  // expected-error @+1 {{array_at_c2: entry 0 of 'sizes' is the number 64, but 'memref<?xf32>' has '?' there: write the number in the type, too}}
  %a = tile.array_at %t[%g] sizes [64] : memref<?xi64> -> memref<?xf32>
  return
}

// -----

func.func @numbers(%t: memref<?xi64>, %g: index) {
  // expected-error @+1 {{array_at_c2: entry 1 of 'sizes' is the number 64, but 'memref<4x32xf32>' has 32 there}}
  %a = tile.array_at %t[%g] sizes [4, 64] : memref<?xi64> -> memref<4x32xf32>
  return
}

// -----

func.func @negative(%t: memref<?xi64>, %g: index) {
  // expected-error @+1 {{array_at_c2: entry 0 of 'sizes' is the number -4, but 'memref<4xf32>' has 4 there}}
  %a = tile.array_at %t[%g] sizes [-4] : memref<?xi64> -> memref<4xf32>
  return
}

// -----

func.func @offset(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c3: the array begins at its address, so its layout is the identity or strided with offset 0, got 'memref<?xf32, strided<[1], offset: 8>>'}}
  %a = tile.array_at %t[%g] sizes [%m] strides [1] : memref<?xi64> -> memref<?xf32, strided<[1], offset: 8>>
  return
}

// -----

func.func @dynamic_offset(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c3: the array begins at its address}}
  %a = tile.array_at %t[%g] sizes [%m] strides [1] : memref<?xi64> -> memref<?xf32, strided<[1], offset: ?>>
  return
}

// -----

func.func @map(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c3: the array begins at its address}}
  %a = tile.array_at %t[%g] sizes [%m, %m] : memref<?xi64> -> memref<?x?xf32, affine_map<(d0, d1) -> (d1 floordiv 2, d0)>>
  return
}

// -----

func.func @no_strides(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c3: 'memref<?x?xf32, strided<[?, 1]>>' has strides: say them, as in 'strides [%ld, 1]'}}
  %a = tile.array_at %t[%g] sizes [%m, %m] : memref<?xi64> -> memref<?x?xf32, strided<[?, 1]>>
  return
}

// -----

func.func @identity(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c3: 'strides' needs a result with a strided layout, got 'memref<?x?xf32>': leave out 'strides', or write strided<[...]> in the type}}
  %a = tile.array_at %t[%g] sizes [%m, %m] strides [%m, 1] : memref<?xi64> -> memref<?x?xf32>
  return
}

// -----

func.func @stride(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c3: entry 1 of 'strides' is the number 2, but 'memref<?x?xf32, strided<[?, 1]>>' has 1 there}}
  %a = tile.array_at %t[%g] sizes [%m, %m] strides [%m, 2] : memref<?xi64> -> memref<?x?xf32, strided<[?, 1]>>
  return
}

// -----

func.func @strides(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c3: 'strides' has 1 entries for the 2 dimensions}}
  %a = tile.array_at %t[%g] sizes [%m, %m] strides [%m] : memref<?xi64> -> memref<?x?xf32, strided<[?, 1]>>
  return
}

// -----

func.func @align(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c4: align must be a power of two of at most 2^30, got 24}}
  %a = tile.array_at %t[%g] sizes [%m] align = 24 : memref<?xi64> -> memref<?xf32>
  return
}

// -----

func.func @align_zero(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c4: align must be a power of two of at most 2^30, got 0}}
  %a = tile.array_at %t[%g] sizes [%m] align = 0 : memref<?xi64> -> memref<?xf32>
  return
}

// -----

func.func @align_negative(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c4: align must be a power of two of at most 2^30, got -16}}
  %a = tile.array_at %t[%g] sizes [%m] align = -16 : memref<?xi64> -> memref<?xf32>
  return
}

// -----

func.func @alias(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{array_at_c5: the name of an alias group is empty: leave out 'alias' if the array may overlap all others}}
  %a = tile.array_at %t[%g] sizes [%m] alias = "" : memref<?xi64> -> memref<?xf32>
  return
}

// -----

func.func @no_memref(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{op result #0 must be memref of any type values, but got 'tensor<4xf32>'}}
  %a = tile.array_at %t[%g] sizes [4] : memref<?xi64> -> tensor<4xf32>
  return
}

// -----

func.func @no_sizes(%t: memref<?xi64>, %g: index, %m: index) {
  // expected-error @+1 {{expected 'sizes'}}
  %a = tile.array_at %t[%g] : memref<?xi64> -> memref<?xf32>
  return
}

// -----

func.func @from(%t: i64, %m: index) {
  // expected-error @+1 {{'tile.array_from' op array_at_c2: 'sizes' has 1 entries for the 2 dimensions}}
  %a = tile.array_from %t sizes [%m] : i64 -> memref<?x?xf32>
  return
}

// -----

func.func @from_index(%t: index, %m: index) {
  // expected-error @+1 {{op operand #0 must be 64-bit signless integer, but got 'index'}}
  %a = tile.array_from %t sizes [%m] : index -> memref<?xf32>
  return
}
