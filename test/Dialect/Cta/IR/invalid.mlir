// RUN: tile-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// The constraints of ops, by number, that channels-errors.mlir, wgmma-errors.mlir, slice-errors.mlir, partials-errors.mlir and cluster-place-errors.mlir
// do not have. Each op breaks one of them only.

// Loads and stores: boxes have the constraints of tile.load.
func.func @load(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{load_c1: needs one coordinate for each of the 2 dimensions}}
  %0 = cta.load %A[%i] : memref<?x?xbf16> -> tensor<8x8xbf16>
  return
}

// -----

func.func @load_vector(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{load_c11: 'vector' must be a power of two of at most 16 bytes, got 3 elements of 'bf16'}}
  %0 = cta.load %A[%i, %i] {vector = 3 : i64} : memref<?x?xbf16> -> tensor<8x8xbf16>
  return
}

// -----

func.func @load_vector_bytes(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{load_c11: 'vector' must be a power of two of at most 16 bytes, got 16 elements of 'bf16'}}
  %0 = cta.load %A[%i, %i] {vector = 16 : i64} : memref<?x?xbf16> -> tensor<8x8xbf16>
  return
}

// -----

func.func @load_pad(%A: memref<?x?xi32>, %i: index) {
  // expected-error @+1 {{load_c6: pad = neg_inf needs a float tile}}
  %0 = cta.load %A[%i, %i] pad = neg_inf : memref<?x?xi32> -> tensor<8x8xi32>
  return
}

// -----

func.func @store(%A: memref<?x?xbf16>, %x: tensor<8x8xf32>, %i: index) {
  // expected-error @+1 {{store_c3: the memref holds 'bf16' but the tile 'f32'}}
  cta.store %x, %A[%i, %i] : tensor<8x8xf32> -> memref<?x?xbf16>
  return
}

// -----

func.func @store_vector(%A: memref<?x?xf32>, %x: tensor<8x8xf32>, %i: index) {
  // expected-error @+1 {{load_c11: 'vector' must be a power of two of at most 16 bytes, got 8 elements of 'f32'}}
  cta.store %x, %A[%i, %i] {vector = 8 : i64} : tensor<8x8xf32> -> memref<?x?xf32>
  return
}

// -----

// Copies.
!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_mask(%A: memref<?x?xbf16>, %i: index, %m: tensor<8xi1>) {
  // expected-error @+1 {{copy_c5: an asynchronous copy has no mask}}
  %0 = cta.copy %A[%i, %i] mask = %m on [0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_dims(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{load_c2: 'dims' names dimension 0 twice}}
  %0 = cta.copy %A[%i, %i] dims = [0, 0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_limits(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{load_c4: 'limit' needs one entry for each of the 2 tile dimensions}}
  %0 = cta.copy %A[%i, %i] limit = [%i] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_pad(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{copy_c7: an asynchronous copy pads with zero or any, got #tile.pad<nan>}}
  %0 = cta.copy %A[%i, %i] pad = nan {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_require(%A: memref<?x?xbf16>, %i: index) {
  // What later passes check.
  %0 = cta.copy %A[%i, %i] {mechanism = #cta.mechanism<tma>, require = #tile.require<[pipelined, peeled]>} : memref<?x?xbf16> -> !tile
  // expected-error @+1 {{copy_c12: 'require' is pipelined or peeled, got #tile.require<[tma]>}}
  %1 = cta.copy %A[%i, %i] {mechanism = #cta.mechanism<tma>, require = #tile.require<[tma]>} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_trim(%A: memref<?x?xbf16>, %i: index) {
  %0 = cta.copy %A[%i, %i] {mechanism = #cta.mechanism<tma>, trim = 0 : i64} : memref<?x?xbf16> -> !tile
  // expected-error @+1 {{copy_c14: 'trim' is a dimension of the tile '!cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>', got 2}}
  %1 = cta.copy %A[%i, %i] {mechanism = #cta.mechanism<tma>, trim = 2 : i64} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_trim_negative(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{copy_c14: 'trim' is a dimension of the tile '!cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>', got -1}}
  %0 = cta.copy %A[%i, %i] {mechanism = #cta.mechanism<tma>, trim = -1 : i64} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_trim_cp_async(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{copy_c14: 'trim' is for tma, and for a tile without an index tile}}
  %0 = cta.copy %A[%i, %i] {mechanism = #cta.mechanism<cp_async>, trim = 0 : i64, vector = 8 : i64} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_steps_cp_async(%A: memref<?x?xbf16>, %i: index) {
  %0 = cta.copy %A[%i, %i] strides = [8, 1] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  // expected-error @+1 {{copy_c15: 'strides' are for tma, the mechanism is cp_async}}
  %1 = cta.copy %A[%i, %i] strides = [2, 1] {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_steps_trim(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{copy_c15: 'strides' come without an index tile, 'multicast' and 'trim'}}
  %0 = cta.copy %A[%i, %i] strides = [2, 1] {mechanism = #cta.mechanism<tma>, trim = 0 : i64} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_steps_multicast(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{copy_c15: 'strides' come without an index tile, 'multicast' and 'trim'}}
  %0 = cta.copy %A[%i, %i] strides = [2, 1] {mechanism = #cta.mechanism<tma>, multicast = 2 : i64} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_steps_large(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{copy_c15: TMA has element steps of at most 8, got 9}}
  %0 = cta.copy %A[%i, %i] strides = [9, 1] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_steps_ones(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{copy_c15: all 'strides' are 1: leave them out}}
  %0 = cta.copy %A[%i, %i] strides = [1, 1] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_steps_contiguous(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{copy_c15: the element step of dimension 1 of the tile, which is contiguous in shared memory, is 2: TMA has steps along the other dimensions only}}
  %0 = cta.copy %A[%i, %i] strides = [1, 2] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_steps_reach(%A: memref<?x?xbf16>, %i: index) {
  %0 = cta.copy %A[%i, %i] strides = [2, 1] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  // expected-error @+1 {{copy_c15: with an element step of 3 a box reaches over 382 elements of dimension 0 of the tile, and TMA takes at most 256: use a smaller tile}}
  %1 = cta.copy %A[%i, %i] strides = [3, 1] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_steps_count(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{load_c9: 'strides' needs one entry for each of the 2 tile dimensions, got 1}}
  %0 = cta.copy %A[%i, %i] strides = [2] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_limit(%A: memref<?x?xbf16>, %i: index) {
  %0 = cta.copy %A[%i, %i] limit = [%i, _] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  %1 = cta.copy %A[%i, %i] limit = [%i, %i] {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64} : memref<?x?xbf16> -> !tile
  // expected-error @+1 {{copy_c16: a copy by tma has a limit for one dimension, not for 2: others must not lie inside the memref, and are left out}}
  %2 = cta.copy %A[%i, %i] limit = [%i, %i] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_limit_of_columns(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{copy_c16: a limit cuts rows off a copy by tma; dimension 1 is contiguous in the tile '!cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>'}}
  %0 = cta.copy %A[%i, %i] limit = [_, %i] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_limit_and_trim(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{copy_c16: a copy by tma with a limit has no index tile, no 'strides', no 'multicast' and no 'trim'}}
  %0 = cta.copy %A[%i, %i] limit = [%i, _] {mechanism = #cta.mechanism<tma>, trim = 0 : i64} : memref<?x?xbf16> -> !tile
  return
}

// -----

tile.kernel @copy_from_zero(%x: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{copy_c17: 'from_zero' comes with shifted}}
  %s = cta.copy %x[%c0, %c0] {from_zero, mechanism = #cta.mechanism<cp_async>, vector = 8 : i64} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
  tile.return
}

// -----

!tile = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_limit_and_multicast(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{copy_c16: a copy by tma with a limit has no index tile}}
  %0 = cta.copy %A[%i, %i] limit = [%i, _] {mechanism = #cta.mechanism<tma>, multicast = 2 : i64} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_trim_one_box(%A: memref<?x?xbf16>, %i: index) {
  // expected-error @+1 {{copy_c14: no box can be cut or left out along dimension 1 of the tile '!cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>'}}
  %0 = cta.copy %A[%i, %i] {mechanism = #cta.mechanism<tma>, trim = 1 : i64} : memref<?x?xbf16> -> !tile
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_out_mask(%A: memref<?x?xbf16>, %t: !tile, %i: index, %m: tensor<8xi1>) {
  // expected-error @+1 {{copy_out_c5: an asynchronous copy has no mask}}
  cta.copy_out %t, %A[%i, %i] mask = %m on [0] {mechanism = #cta.mechanism<tma>} : !tile -> memref<?x?xbf16>
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_out_parts(%A: memref<?x?xbf16>, %t: !tile, %i: index) {
  // expected-error @+1 {{copy_out_c6: 'per_warpgroup' needs a cta.stage of one tile, or a view of it, that the warpgroups split}}
  cta.copy_out %t, %A[%i, %i] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !tile -> memref<?x?xbf16>
  return
}

// -----

// The 64 rows of a warpgroup are one and a third of the view.
#acc = #cta.frag<wgmma_acc, wg = 3>
func.func @copy_out_parts_of_view(%A: memref<?x?x?xbf16>, %i: index, %v: tensor<192x64xbf16, #acc>) {
  %s = cta.stage %v : tensor<192x64xbf16, #acc> -> !cta.smem<192x64xbf16, #cta.swizzle<128, dim = 1>>
  %t = cta.view %s : <192x64xbf16, #cta.swizzle<128, dim = 1>> -> <4x48x64xbf16, #cta.swizzle<128, dim = 2>>
  // expected-error @+1 {{copy_out_c6: 'per_warpgroup' needs a cta.stage of one tile, or a view of it, that the warpgroups split}}
  cta.copy_out %t, %A[%i, %i, %i] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<4x48x64xbf16, #cta.swizzle<128, dim = 2>> -> memref<?x?x?xbf16>
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_out_mechanism(%A: memref<?x?xbf16>, %t: !tile, %i: index) {
  // expected-error @+1 {{copy_out_c7: the mechanism is tma, which alone writes shared tiles to global memory, got cp_async}}
  cta.copy_out %t, %A[%i, %i] {mechanism = #cta.mechanism<cp_async>} : !tile -> memref<?x?xbf16>
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_out_reduce(%A: memref<?x?xbf16>, %t: !tile, %i: index) {
  // expected-error @+1 {{copy_out_c8: TMA reduces by 'add' of f16, bf16, f32 or i32, not by 'max' of 'bf16'}}
  cta.copy_out %t, %A[%i, %i] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<max>} : !tile -> memref<?x?xbf16>
  return
}

// -----

!wide = !cta.smem<8x16xf64, #cta.swizzle<128, dim = 1>>
func.func @copy_out_reduce_type(%A: memref<?x?xf64>, %t: !wide, %i: index) {
  // expected-error @+1 {{copy_out_c8: TMA reduces by 'add' of f16, bf16, f32 or i32, not by 'add' of 'f64'}}
  cta.copy_out %t, %A[%i, %i] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>} : !wide -> memref<?x?xf64>
  return
}

// -----

!tile = !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>
func.func @copy_out_box(%A: memref<?x?xf32>, %t: !tile, %i: index) {
  // expected-error @+1 {{store_c3: the memref holds 'f32' but the tile 'bf16'}}
  cta.copy_out %t, %A[%i, %i] {mechanism = #cta.mechanism<tma>} : !tile -> memref<?x?xf32>
  return
}

// -----

// Shared tiles.
func.func @stage_nothing() {
  // expected-error @+1 {{stage_c1: needs at least one input}}
  %0 = "cta.stage"() <{concat_dim = 0 : i64}> : () -> !cta.smem<8x8xf32, #cta.swizzle<linear>>
  return
}

// -----

func.func @stage_shape(%x: tensor<8x8xf32>) {
  // expected-error @+1 {{stage_c1: the shared tile must be 'tensor<8x8xf32>', got '!cta.smem<8x16xf32}}
  %0 = cta.stage %x : tensor<8x8xf32> -> !cta.smem<8x16xf32, #cta.swizzle<linear>>
  return
}

// -----

func.func @stage_dim(%x: tensor<8x8xf32>) {
  // expected-error @+1 {{stage_c1: no dimension 2 to concatenate along}}
  %0 = cta.stage %x, %x {concat_dim = 2 : i64} : tensor<8x8xf32>, tensor<8x8xf32> -> !cta.smem<8x16xf32, #cta.swizzle<linear>>
  return
}

// -----

func.func @stage_types(%x: tensor<8x8xf32>, %y: tensor<8x8xi32>) {
  // expected-error @+1 {{stage_c1: inputs must have one rank and element type}}
  %0 = cta.stage %x, %y : tensor<8x8xf32>, tensor<8x8xi32> -> !cta.smem<16x8xf32, #cta.swizzle<linear>>
  return
}

// -----

func.func @stage_extents(%x: tensor<8x8xf32>, %y: tensor<8x4xf32>) {
  // expected-error @+1 {{stage_c1: inputs must agree in all dimensions but 0}}
  %0 = cta.stage %x, %y : tensor<8x8xf32>, tensor<8x4xf32> -> !cta.smem<16x8xf32, #cta.swizzle<linear>>
  return
}

// -----

func.func @view_swizzled(%s: !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>>) {
  // expected-error @+1 {{view_c1: needs linear tiles without padding}}
  %0 = cta.view %s : !cta.smem<8x64xbf16, #cta.swizzle<128, dim = 1>> -> !cta.smem<512xbf16, #cta.swizzle<linear>>
  return
}

// -----

func.func @view_elements(%s: !cta.smem<8x64xbf16, #cta.swizzle<linear>>) {
  // expected-error @+1 {{do not hold the same elements}}
  %0 = cta.view %s : !cta.smem<8x64xbf16, #cta.swizzle<linear>> -> !cta.smem<256xbf16, #cta.swizzle<linear>>
  return
}

// -----

func.func @read_type(%s: !cta.smem<8x64xbf16, #cta.swizzle<linear>>) {
  // expected-error @+1 {{read_c1: the element types differ}}
  %0 = cta.read %s : !cta.smem<8x64xbf16, #cta.swizzle<linear>> -> tensor<8x64xf32>
  return
}

// -----

// Products and reductions.
!a = !cta.smem<16x8xf32, #cta.swizzle<linear>>
func.func @mma_extents(%a: !a) {
  // expected-error @+1 {{mma_c1: the extents of a, b and the result do not agree}}
  %0 = cta.mma %a, %a : !a, !a -> tensor<16x8xf32>
  return
}

// -----

func.func @mma_types(%a: !cta.smem<16x8xf32, #cta.swizzle<linear>>, %b: !cta.smem<8x8xf64, #cta.swizzle<linear>>) {
  // expected-error @+1 {{mma_c2: both operands must have one element type}}
  %0 = cta.mma %a, %b : !cta.smem<16x8xf32, #cta.swizzle<linear>>, !cta.smem<8x8xf64, #cta.swizzle<linear>> -> tensor<16x8xf32>
  return
}

// -----

!a = !cta.smem<8x8xf32, #cta.swizzle<linear>>
func.func @mma_c(%a: !a, %c: tensor<8x8xf64>) {
  // expected-error @+1 {{mma_c3: c must have the type of the result}}
  %0 = "cta.mma"(%a, %a, %c) : (!a, !a, tensor<8x8xf64>) -> tensor<8x8xf32>
  return
}

// -----

func.func @reduce_dims(%x: tensor<8x8xf32>, %z: f32) {
  // expected-error @+1 {{reduce_c2: 'dims' must ascend and be below the rank 2}}
  %0 = cta.reduce (%x) dims = [2] init(%z) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : tensor<8x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @reduce_result(%x: tensor<8x8xf32>, %z: f32) {
  // expected-error @+1 {{reduce_c3: result 0 must be 'tensor<8xf32>', got 'tensor<4xf32>'}}
  %0 = cta.reduce (%x) dims = [1] init(%z) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : tensor<8x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_combiner(%x: tensor<8x8xf32>, %z: f32) {
  // expected-error @+1 {{reduce_c5: the combiner must end with a tile.yield of 1 values}}
  %0 = cta.reduce (%x) dims = [1] init(%z) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a, %b : f32, f32
  } : tensor<8x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @reduce_identity(%x: tensor<8x8xf32>, %z: i32) {
  // expected-error @+1 {{reduce_c5: identity, combiner arguments and yielded value 0 must have type 'f32'}}
  %0 = "cta.reduce"(%x, %z) <{dims = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }) : (tensor<8x8xf32>, i32) -> tensor<8xf32>
  return
}

// -----

// Shapes.
func.func @convert(%x: tensor<8x8xf32>) {
  // expected-error @+1 {{convert_layout_c1: shape and element type must stay}}
  %0 = cta.convert_layout %x : tensor<8x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast_dims(%x: tensor<8xf32>) {
  // expected-error @+1 {{broadcast_c1: 'dims' needs one entry for each source dimension}}
  %0 = cta.broadcast %x dims = [] : tensor<8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<8xf32>) {
  // expected-error @+1 {{broadcast_c1: 'dims' must ascend and be below the result's rank}}
  %0 = cta.broadcast %x dims = [2] : tensor<8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast_extent(%x: tensor<8xf32>) {
  // expected-error @+1 {{broadcast_c2: source dimension 0 has extent 8, result dimension 1 has 4}}
  %0 = cta.broadcast %x dims = [1] : tensor<8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast_type(%x: i32) {
  // expected-error @+1 {{broadcast_c3: the element types differ}}
  %0 = cta.broadcast %x dims = [] : i32 -> tensor<8x4xf32>
  return
}

// -----

func.func @iota_type() {
  // expected-error @+1 {{iota_c1: the elements must be integers or index, got 'f32'}}
  %0 = cta.iota dim = 0 : tensor<8xf32>
  return
}

// -----

func.func @iota_dim() {
  // expected-error @+1 {{iota_c1: dim = 1 is not a dimension of 'tensor<8xi32>'}}
  %0 = cta.iota dim = 1 : tensor<8xi32>
  return
}

// -----

func.func @iota_from(%i: index) {
  // expected-error @+1 {{iota_c2: 'from' must have type 'i32'}}
  %0 = cta.iota dim = 0 from %i : index : tensor<8xi32>
  return
}

// -----

func.func @transpose_dims(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{transpose_c1: 'dims' must be a permutation of the 2 dimensions}}
  %0 = cta.transpose %x dims = [0, 0] : tensor<8x4xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @transpose_result(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{transpose_c2: the result must have extents 'tensor<4x8xf32>'}}
  %0 = cta.transpose %x dims = [1, 0] : tensor<8x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @reshape(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{reshape_c1: the number of elements and their type must stay}}
  %0 = cta.reshape %x : tensor<8x4xf32> -> tensor<16xf32>
  return
}

// -----

func.func @concat_dim(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{concat_c1: needs inputs and a dimension below the rank 2}}
  %0 = cta.concat %x, %x dim = 2 : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<16x4xf32>
  return
}

// -----

func.func @concat_types(%x: tensor<8x4xf32>, %y: tensor<8x4xi32>) {
  // expected-error @+1 {{concat_c1: inputs must have the rank and element type of the result}}
  %0 = cta.concat %x, %y dim = 0 : tensor<8x4xf32>, tensor<8x4xi32> -> tensor<16x4xf32>
  return
}

// -----

func.func @concat_extents(%x: tensor<8x4xf32>, %y: tensor<8x8xf32>) {
  // expected-error @+1 {{concat_c1: inputs must agree in all dimensions but 0}}
  %0 = cta.concat %x, %y dim = 0 : tensor<8x4xf32>, tensor<8x8xf32> -> tensor<16x4xf32>
  return
}

// -----

func.func @concat_sum(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{concat_c1: the inputs have 16 elements along dimension 0, the result 24}}
  %0 = cta.concat %x, %x dim = 0 : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<24x4xf32>
  return
}

// -----

func.func @extract(%x: tensor<1xf32>) {
  // expected-error @+1 {{extract_c11: needs a tile of rank 0 and a scalar of its element type, got 'tensor<1xf32>' -> 'f32'}}
  %0 = cta.extract %x : tensor<1xf32> -> f32
  return
}

// -----

// Launches and what waits.
func.func @launch_place() {
  // expected-error @+1 {{launch_c1: must stand directly in a tile.kernel}}
  cta.launch @launch_0 blocks() {
  }
  return
}

// -----

tile.kernel @launch_arguments() attributes {warpgroups = 1} {
  // expected-error @+1 {{launch_c2: the body has no arguments}}
  "cta.launch"() <{symbol = "launch_0"}> ({
  ^bb0(%i: index):
  }) : () -> ()
  tile.return
}

// -----

func.func @await_copies() {
  // expected-error @+1 {{await_copies_c1: 'pending' must be 0 or more, got -1}}
  cta.await_copies pending = -1
  return
}

// -----

func.func @wgmma_wait(%d: !cta.async<tensor<64x64xf32>>) {
  // expected-error @+1 {{wgmma_wait_c1: 'pending' must be 0 or more, got -2}}
  %0 = cta.wgmma_wait(%d) pending = -2 : !cta.async<tensor<64x64xf32>>
  return
}

// -----

// Turns belong to replicas.
tile.kernel @turns(%s: i32) attributes {warpgroups = 1} {
  cta.launch @turns_0 blocks() {
    %ch = cta.channel : !cta.channel<2, index>
    // expected-error @+1 {{take_turn_c1: }}
    cta.take_turn %ch, %s : !cta.channel<2, index>
  }
  tile.return
}

// -----

tile.kernel @skips(%s: i32) attributes {warpgroups = 1} {
  cta.launch @skips_0 blocks() {
    %ch = cta.channel : !cta.channel<2, index>
    // expected-error @+1 {{skip_c1: }}
    cta.skip %ch, %s : !cta.channel<2, index>
  }
  tile.return
}

// -----

// Partial sums of replicas would share a slot.
#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @partials(%sums: memref<?x64x64xf32>, %flags: memref<?x4xi32>, %i: index) attributes {warpgroups = 1} {
  cta.launch @partials_0 blocks() {
    cta.role @math warps(4) replicas(2) {
      %x = ub.poison : tensor<64x64xf32, #acc>
      // expected-error @+1 {{put_partial_c4: replicas of a role would share a slot}}
      cta.put_partial %x, %sums[%i], %flags : tensor<64x64xf32, #acc>, memref<?x64x64xf32>, memref<?x4xi32>
    }
  }
  tile.return
}
