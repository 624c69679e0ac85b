// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @two(%A: memref<?x?x?xbf16>, %i: index, %r: tensor<8xi32>, %s: tensor<16xi32>) {
  // expected-error @+1 {{copy_c13: there is at most one index tile, of rank 1, got 2 for the tile '!cta.smem<8x16x64xbf16, #cta.swizzle<128, dim = 2>>'}}
  %0 = cta.copy %A[%r : tensor<8xi32>, %s : tensor<16xi32>, %i] {mechanism = #cta.mechanism<cp_async>} : memref<?x?x?xbf16> -> !cta.smem<8x16x64xbf16, #cta.swizzle<128, dim = 2>>
  return
}

// -----

func.func @places(%x: memref<?xbf16>, %r: tensor<8x64xi32>) {
  // expected-error @+1 {{copy_c13: there is at most one index tile, of rank 1, got 1 for the tile}}
  %0 = cta.copy %x[%r : tensor<8x64xi32>] {mechanism = #cta.mechanism<cp_async>} : memref<?xbf16> -> !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
  return
}

// -----

func.func @contiguous(%A: memref<?x?xbf16>, %i: index, %r: tensor<64xi32>) {
  // expected-error @+1 {{copy_c13: the index tile is for dimension 1, which is contiguous in shared memory: its elements would be single pieces}}
  %0 = cta.copy %A[%i, %r : tensor<64xi32>] {mechanism = #cta.mechanism<cp_async>} : memref<?x?xbf16> -> !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
  return
}

// -----

func.func @shifted(%A: memref<?x?xbf16>, %i: index, %r: tensor<8xi32>) {
  // expected-error @+1 {{copy_c13: an index tile is for tma and cp_async: shifted pieces have one place in all}}
  %0 = cta.copy %A[%r : tensor<8xi32>, %i] {mechanism = #cta.mechanism<shifted>, vector = 8 : i64} : memref<?x?xbf16> -> !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
  return
}

// -----

func.func @multicast(%A: memref<?x?xbf16>, %i: index, %r: tensor<8xi32>) {
  // expected-error @+1 {{copy_c13: blocks of a cluster do not share a tile that an index tile gathers; leave out 'multicast'}}
  %0 = cta.copy %A[%r : tensor<8xi32>, %i] {mechanism = #cta.mechanism<tma>, multicast = 2 : i64} : memref<?x?xbf16> -> !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
  return
}

// -----

func.func @wide(%A: memref<?x?xbf16>, %i: index, %r: tensor<8xi64>) {
  // expected-error @+1 {{copy_c13: TMA takes coordinates of i32, got 'tensor<8xi64>'}}
  %0 = cta.copy %A[%r : tensor<8xi64>, %i] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
  return
}

// -----

func.func @limit(%A: memref<?x?xbf16>, %i: index, %r: tensor<8xi32>) {
  // expected-error @+1 {{copy_c13: TMA stops at the memref's size only; where the index is at or beyond the limit of dimension 0 make it -1, which is out of bounds}}
  %0 = cta.copy %A[%r : tensor<8xi32>, %i] limit = [%i, _] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
  return
}

// -----

func.func @extent(%A: memref<?x?xbf16>, %i: index, %r: tensor<16xi32>) {
  // expected-error @+1 {{load_c8: the index tile for dimension 0 must have rank 1 and extent 8}}
  %0 = cta.copy %A[%r : tensor<16xi32>, %i] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
  return
}

// -----

func.func @mask(%A: memref<?x?xbf16>, %i: index, %r: tensor<8xi32>, %m: tensor<8xi1>) {
  // expected-error @+1 {{copy_c5: an asynchronous copy has no mask}}
  %0 = cta.copy %A[%r : tensor<8xi32>, %i] mask = %m on [0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
  return
}

// -----

func.func @store(%A: memref<?x?xbf16>, %i: index, %r: tensor<8xi32>, %t: !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>) {
  // expected-error @+1 {{this op has no index tiles; tile.load, tile.store and tile.atomic do}}
  cta.copy_out %t, %A[%r : tensor<8xi32>, %i] {mechanism = #cta.mechanism<tma>} : !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>> -> memref<?x?xbf16>
  return
}

// -----

func.func @spans(%s: !cta.smem<4x16x64xbf16, #cta.swizzle<128, dim = 2>>) {
  // expected-error @+1 {{view_c1: swizzled tiles must have one swizzle, and the same extent of the last dimension, which is contiguous; got}}
  %0 = cta.view %s : !cta.smem<4x16x64xbf16, #cta.swizzle<128, dim = 2>> -> !cta.smem<64x64xbf16, #cta.swizzle<64, dim = 1>>
  return
}

// -----

func.func @rows(%s: !cta.smem<4x16x64xbf16, #cta.swizzle<128, dim = 2>>) {
  // expected-error @+1 {{view_c1: swizzled tiles must have one swizzle, and the same extent of the last dimension}}
  %0 = cta.view %s : !cta.smem<4x16x64xbf16, #cta.swizzle<128, dim = 2>> -> !cta.smem<32x128xbf16, #cta.swizzle<128, dim = 1>>
  return
}

// -----

func.func @other_dimension(%s: !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 0>>) {
  // expected-error @+1 {{view_c1: swizzled tiles must have one swizzle, and the same extent of the last dimension}}
  %0 = cta.view %s : !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 0>> -> !cta.smem<4x16x64xbf16, #cta.swizzle<128, dim = 2>>
  return
}

// -----

func.func @elements(%s: !cta.smem<4x16x64xbf16, #cta.swizzle<128, dim = 2>>) {
  // expected-error @+1 {{view_c1: '!cta.smem<4x16x64xbf16, #cta.swizzle<128, dim = 2>>' and '!cta.smem<32x64xbf16, #cta.swizzle<128, dim = 1>>' do not hold the same elements}}
  %0 = cta.view %s : !cta.smem<4x16x64xbf16, #cta.swizzle<128, dim = 2>> -> !cta.smem<32x64xbf16, #cta.swizzle<128, dim = 1>>
  return
}

// -----

// One side has a layout, the other one not yet.
func.func @half_open(%s: !cta.smem<4x16x64xbf16, #cta.swizzle<128, dim = 2>>) {
  // expected-error @+1 {{view_c1: needs linear tiles without padding, or swizzled ones, got}}
  %0 = cta.view %s : !cta.smem<4x16x64xbf16, #cta.swizzle<128, dim = 2>> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
  return
}
