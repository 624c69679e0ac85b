// RUN: tile-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(cpu-fuse-elementwise))' | FileCheck %s

// A chain is one loop; the broadcast is repeated, the constant is a scalar in it.
// CHECK-LABEL: func.func @chain(
// CHECK-COUNT-1: linalg.generic
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: math.exp
// CHECK-NOT: linalg.generic
func.func @chain(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<4x8xf32> {
  %two = arith.constant dense<2.0> : tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8xf32>
  %p = arith.mulf %x, %two : tensor<4x8xf32>
  %s = arith.addf %p, %b : tensor<4x8xf32>
  %r = math.exp %s : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// What feeds a reduction, or has two users, is computed once.
// CHECK-LABEL: func.func @once(
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK: arith.addf
// CHECK: linalg.generic
// CHECK: arith.divf
func.func @once(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %e = math.exp %x : tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]} ins(%e : tensor<4x8xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %out, %in : f32
    linalg.yield %a : f32
  } -> tensor<4xf32>
  %r = arith.divf %e, %x : tensor<4x8xf32>
  return %s, %r : tensor<4xf32>, tensor<4x8xf32>
}

// -----

// No array of equal numbers; a concatenation is two insertions. Other constants stay.
// CHECK-LABEL: func.func @constants(
// CHECK-DAG: arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
// CHECK-DAG: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<64x64xf32>)
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
// CHECK-NOT: tensor.concat
func.func @constants(%x: tensor<4xi32>) -> (tensor<64x64xf32>, tensor<8xi32>) {
  %splat = arith.constant dense<2.5> : tensor<64x64xf32>
  %list = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %c = tensor.concat dim(0) %x, %list : (tensor<4xi32>, tensor<4xi32>) -> tensor<8xi32>
  return %splat, %c : tensor<64x64xf32>, tensor<8xi32>
}

// -----

// The operands of a long concatenation are put together in groups of 16: the time of bufferization grows with the third power of
// their number.
// CHECK-LABEL: func.func @long_concat(
// CHECK-COUNT-16: tensor.insert_slice {{.*}} : tensor<2xf32> into tensor<32xf32>
// CHECK: tensor.insert_slice {{.*}}[0] [32] [1] : tensor<32xf32> into tensor<34xf32>
// CHECK: tensor.insert_slice {{.*}}[32] [2] [1] : tensor<2xf32> into tensor<34xf32>
// CHECK-NOT: tensor.insert_slice
func.func @long_concat(%x: tensor<2xf32>) -> tensor<34xf32> {
  %y = tensor.concat dim(0) %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x
    : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<34xf32>
  return %y : tensor<34xf32>
}

// -----

// CHECK-LABEL: func.func @short_concat(
// CHECK-COUNT-16: tensor.insert_slice {{.*}} : tensor<2xf32> into tensor<32xf32>
// CHECK-NOT: tensor.insert_slice
func.func @short_concat(%x: tensor<2xf32>) -> tensor<32xf32> {
  %y = tensor.concat dim(0) %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x
    : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<32xf32>
  return %y : tensor<32xf32>
}
