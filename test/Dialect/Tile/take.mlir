// RUN: tile-opt %s -tile-verify | tile-opt -tile-verify | FileCheck %s
// RUN: tile-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// Elements and slices at places that are known at run time only.

// CHECK-LABEL: tile.kernel @forms(
// CHECK: tile.take %{{.*}} at %{{.*}} dim = 1 : tensor<4x8xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
// CHECK: tile.take %{{.*}} at %{{.*}} dim = 1 {note = 1 : i64} : tensor<4x8xf32>, tensor<3xindex> -> tensor<4x3xf32>
// CHECK: tile.extract %{{.*}}[%{{.*}}, %{{.*}}] : tensor<4x8xf32> -> tensor<2x8xf32>
// CHECK: tile.insert %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}] {note = 1 : i64} : tensor<2x8xf32> -> tensor<4x8xf32>
tile.kernel @forms(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %a: memref<4x2xi32>, %b: memref<3xindex>, %p: index, %q: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%c0, %c0] : memref<4x8xf32> -> tensor<4x8xf32>
    %i = tile.load %a[%c0, %c0] : memref<4x2xi32> -> tensor<4x2xi32>
    %j = tile.load %b[%c0] : memref<3xindex> -> tensor<3xindex>
    %0 = tile.take %t at %i dim = 1 : tensor<4x8xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
    %1 = tile.take %t at %j dim = 1 {note = 1} : tensor<4x8xf32>, tensor<3xindex> -> tensor<4x3xf32>
    %2 = tile.extract %t[%p, %q] : tensor<4x8xf32> -> tensor<2x8xf32>
    %3 = tile.insert %2 into %t[%p, %q] {note = 1} : tensor<2x8xf32> -> tensor<4x8xf32>
    tile.store %0, %y[%c0, %c0] : tensor<4x2xf32> -> memref<4x8xf32>
    tile.store %1, %y[%c0, %c0] : tensor<4x3xf32> -> memref<4x8xf32>
    tile.store %3, %y[%c0, %c0] : tensor<4x8xf32> -> memref<4x8xf32>
  }
  tile.return
}

// At constants a slice is a static one, and zero if it is out of range.
// FOLD-LABEL: func.func @extract_at_constants(
// FOLD-SAME: %[[T:.*]]: tensor<4x8xf32>
// FOLD-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<2x8xf32>
// FOLD-DAG: %[[A:.*]] = tensor.extract_slice %[[T]][2, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
// FOLD-DAG: %[[C:.*]] = tile.extract %[[T]][%{{.*}}, %{{.*}}]
// FOLD: return %[[A]], %[[T]], %[[ZERO]], %[[ZERO]], %[[C]]
func.func @extract_at_constants(%t: tensor<4x8xf32>, %p: index)
    -> (tensor<2x8xf32>, tensor<4x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %cm1 = arith.constant -1 : index
  %0 = tile.extract %t[%c1, %c0] : tensor<4x8xf32> -> tensor<2x8xf32>
  %1 = tile.extract %t[%c0, %c0] : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = tile.extract %t[%c2, %p] : tensor<4x8xf32> -> tensor<2x8xf32>
  %3 = tile.extract %t[%p, %cm1] : tensor<4x8xf32> -> tensor<2x8xf32>
  %4 = tile.extract %t[%p, %c0] : tensor<4x8xf32> -> tensor<2x8xf32>
  return %0, %1, %2, %3, %4 : tensor<2x8xf32>, tensor<4x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
}

// FOLD-LABEL: func.func @insert_at_constants(
// FOLD-SAME: %[[T:.*]]: tensor<4x8xf32>, %[[S:.*]]: tensor<2x8xf32>, %[[W:.*]]: tensor<4x8xf32>
// FOLD: %[[R:.*]] = tile.insert %[[S]] into %[[T]]
// FOLD: return %[[T]], %[[W]], %[[R]]
func.func @insert_at_constants(%t: tensor<4x8xf32>, %s: tensor<2x8xf32>, %w: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = tile.insert %s into %t[%c2, %c0] : tensor<2x8xf32> -> tensor<4x8xf32>
  %1 = tile.insert %w into %t[%c0, %c0] : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = tile.insert %s into %t[%c1, %c0] : tensor<2x8xf32> -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// Equal elements are the same at all indices in range; out of range there is nothing but zero.
// FOLD-LABEL: func.func @take_of_constants(
// FOLD-SAME: %[[T:.*]]: tensor<4xf32>
// FOLD-DAG: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : tensor<2xf32>
// FOLD-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<2xf32>
// FOLD-DAG: %[[SOME:.*]] = tile.take %{{.*}} at %{{.*}} dim = 0 : tensor<4xf32>, tensor<2xi8> -> tensor<2xf32>
// FOLD: return %[[ONES]], %[[ZEROS]], %[[SOME]]
func.func @take_of_constants(%t: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %in = arith.constant dense<[0, 3]> : tensor<2xi32>
  %out = arith.constant dense<[-1, 4]> : tensor<2xi64>
  %both = arith.constant dense<[0, 4]> : tensor<2xi8>
  %0 = tile.take %ones at %in dim = 0 : tensor<4xf32>, tensor<2xi32> -> tensor<2xf32>
  %1 = tile.take %t at %out dim = 0 : tensor<4xf32>, tensor<2xi64> -> tensor<2xf32>
  %2 = tile.take %ones at %both dim = 0 : tensor<4xf32>, tensor<2xi8> -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
