// RUN: tile-opt %s -split-input-file -verify-diagnostics

// Constraints that ops of dialect cta share with those of dialect tile (test/Dialect/Tile/indexed-errors.mlir and atomic-errors.mlir have all of them).

func.func @no_indices(%A: memref<?x?xf32>, %i: index) {
  // expected-error @+1 {{'cta.gather' op gather_c11: has no index tile; that is a cta.load}}
  %0 = cta.gather %A[%i, %i] : memref<?x?xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @no_indices(%A: memref<?x?xf32>, %i: index, %v: tensor<4x8xf32>) {
  // expected-error @+1 {{'cta.scatter' op scatter_c11: has no index tile; that is a cta.store}}
  cta.scatter %v, %A[%i, %i] : tensor<4x8xf32> -> memref<?x?xf32>
  return
}

// -----

func.func @extent(%A: memref<?x?xf32>, %i: index, %r: tensor<8xi32>) {
  // expected-error @+1 {{load_c8: the index tile for dimension 0 must have rank 1 and extent 4}}
  %0 = cta.gather %A[%r : tensor<8xi32>, %i] : memref<?x?xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @vector(%A: memref<?x?xf32>, %i: index, %r: tensor<4xi32>) {
  // expected-error @+1 {{load_c11: 'vector' must be a power of two}}
  %0 = cta.gather %A[%r : tensor<4xi32>, %i] {vector = 3 : i64} : memref<?x?xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @pad(%A: memref<?x?xi32>, %i: index, %r: tensor<4xi32>) {
  // expected-error @+1 {{load_c6: pad = nan needs a float tile, got 'i32'; use a typed literal}}
  %0 = cta.gather %A[%r : tensor<4xi32>, %i] pad = nan : memref<?x?xi32> -> tensor<4x8xi32>
  return
}

// -----

func.func @element(%A: memref<?x?xf16>, %i: index, %r: tensor<4xi32>, %v: tensor<4x8xf32>) {
  // expected-error @+1 {{store_c3: the memref holds 'f16' but the tile 'f32'; convert with arith.truncf before the store}}
  cta.scatter %v, %A[%r : tensor<4xi32>, %i] : tensor<4x8xf32> -> memref<?x?xf16>
  return
}

// -----

func.func @kind(%A: memref<?xf32>, %i: index, %v: tensor<8xf32>) {
  // expected-error @+1 {{atomic_c12: 'umin' is for integers, got 'f32'}}
  cta.atomic umin %v, %A[%i] : tensor<8xf32> -> memref<?xf32>
  return
}

// -----

func.func @order(%A: memref<?xf32>, %i: index, %v: tensor<8xf32>) {
  // expected-error @+1 {{atomic_c14: orders (acquire), but a tile is many steps in any order; use a scalar, or relaxed}}
  cta.atomic add acquire %v, %A[%i] : tensor<8xf32> -> memref<?xf32>
  return
}

// -----

func.func @scalar(%A: memref<?xf32>, %i: index, %v: f32) {
  // expected-error @+1 {{expected a ranked tensor, got 'f32'}}
  cta.atomic add %v, %A[%i] : f32 -> memref<?xf32>
  return
}

// -----

func.func @stride_0(%A: memref<8xf32, strided<[0]>>, %i: index, %v: tensor<8xf32>) {
  // expected-error @+1 {{store_c6: dimension 0 of 'memref<8xf32, strided<[0]>>' has stride 0: it may be loaded, not stored}}
  cta.atomic add %v, %A[%i] : tensor<8xf32> -> memref<8xf32, strided<[0]>>
  return
}
