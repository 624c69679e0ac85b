// RUN: tile-opt %s -split-input-file -convert-tile-to-cpu -canonicalize -cse | FileCheck %s

// CHECK-DAG: #[[$A:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[$B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$D:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// Products of bf16 in f32, iterations (m, k, n).
// CHECK-LABEL: func.func @mma_0(
// CHECK-DAG: %[[X:.*]] = arith.extf %{{.*}} : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK-DAG: %[[Y:.*]] = arith.extf %{{.*}} : tensor<8x16xbf16> to tensor<8x16xf32>
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: linalg.generic {indexing_maps = [#[[$A]], #[[$B]], #[[$D]]], iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK-SAME: ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[ZERO]] :
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} fastmath<contract>
// CHECK: arith.addf %{{.*}}, %[[P]] fastmath<contract>
tile.kernel @mma(%x: memref<4x8xbf16>, %y: memref<8x16xbf16>, %z: memref<4x16xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : memref<4x8xbf16> -> tensor<4x8xbf16>
    %b = tile.load %y[%c0, %c0] : memref<8x16xbf16> -> tensor<8x16xbf16>
    %d = tile.mma %a, %b : tensor<4x8xbf16>, tensor<8x16xbf16> -> tensor<4x16xf32>
    tile.store %d, %z[%c0, %c0] : tensor<4x16xf32> -> memref<4x16xf32>
  }
  tile.return
}

// -----

// A batch; unsigned operands; integers.
// CHECK-LABEL: func.func @batch_0(
// CHECK-DAG: arith.extui %{{.*}} : tensor<2x4x8xi8> to tensor<2x4x8xi32>
// CHECK-DAG: arith.extsi %{{.*}} : tensor<2x8x4xi8> to tensor<2x8x4xi32>
// CHECK: iterator_types = ["parallel", "parallel", "reduction", "parallel"]
// CHECK: arith.muli
// CHECK: arith.addi
tile.kernel @batch(%x: memref<2x4x8xi8>, %y: memref<2x8x4xi8>, %z: memref<2x4x4xi32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0, %c0] : memref<2x4x8xi8> -> tensor<2x4x8xi8>
    %b = tile.load %y[%c0, %c0, %c0] : memref<2x8x4xi8> -> tensor<2x8x4xi8>
    %c = tile.load %z[%c0, %c0, %c0] : memref<2x4x4xi32> -> tensor<2x4x4xi32>
    %d = tile.mma %a, %b, %c {lhs_unsigned} : tensor<2x4x8xi8>, tensor<2x8x4xi8> -> tensor<2x4x4xi32>
    tile.store %d, %z[%c0, %c0, %c0] : tensor<2x4x4xi32> -> memref<2x4x4xi32>
  }
  tile.return
}

// -----

// f16 results are sums in f32, rounded once.
// CHECK-LABEL: func.func @f16_0(
// CHECK-COUNT-3: arith.extf
// CHECK: linalg.generic
// CHECK: arith.truncf %{{.*}} : tensor<4x4xf32> to tensor<4x4xf16>
tile.kernel @f16(%x: memref<4x4xf16>, %y: memref<4x4xf16>, %z: memref<4x4xf16>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : memref<4x4xf16> -> tensor<4x4xf16>
    %b = tile.load %y[%c0, %c0] : memref<4x4xf16> -> tensor<4x4xf16>
    %c = tile.load %z[%c0, %c0] : memref<4x4xf16> -> tensor<4x4xf16>
    %d = tile.mma %a, %b, %c : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf16>
    tile.store %d, %z[%c0, %c0] : tensor<4x4xf16> -> memref<4x4xf16>
  }
  tile.return
}

// -----

// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROWS:.*]] = affine_map<(d0, d1) -> (d0)>
// bf16 sums accumulate in f32. An argreduce is a reduction of values and indices.
// CHECK-LABEL: func.func @reduce_0(
// CHECK: %[[WIDE:.*]] = arith.extf
// CHECK: %[[INIT:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<4xf32>)
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$ROWS]]], iterator_types = ["parallel", "reduction"]} ins(%[[WIDE]] : tensor<4x8xf32>) outs(%[[INIT]] : tensor<4xf32>) {
// CHECK: ^bb0(%[[IN:.*]]: f32, %[[ACC:.*]]: f32):
// CHECK: arith.addf %[[ACC]], %[[IN]]
// CHECK: arith.truncf %[[SUM]]
// CHECK: linalg.generic {indexing_maps = [#[[$ID]], #[[$ID]], #[[$ROWS]], #[[$ROWS]]], iterator_types = ["parallel", "reduction"]}
// CHECK-NOT: tile.
tile.kernel @reduce(%x: memref<4x8xbf16>, %y: memref<4xbf16>, %z: memref<4xi32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : memref<4x8xbf16> -> tensor<4x8xbf16>
    %s = tile.reduce addf %a dims = [1] : tensor<4x8xbf16> -> tensor<4xbf16>
    tile.store %s, %y[%c0] : tensor<4xbf16> -> memref<4xbf16>
    %v, %i = tile.argreduce max %a dim = 1 : tensor<4x8xbf16> -> tensor<4xbf16>, tensor<4xi32>
    tile.store %i, %z[%c0] : tensor<4xi32> -> memref<4xi32>
  }
  tile.return
}

// -----

// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$ONE:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: func.func @shapes_0(
// CHECK: linalg.generic {indexing_maps = [#[[$ROW]],
// CHECK: linalg.generic {indexing_maps = [#[[$ONE]],
// CHECK: linalg.generic
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[K:.*]] = arith.index_cast %[[J]] : index to i32
// CHECK: arith.addi %{{.*}}, %[[K]] : i32
tile.kernel @shapes(%x: memref<4x8xf32>, %y: memref<4x1xf32>, %f: i32, %z: memref<8x4xf32>, %i: memref<4x8xi32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %v = arith.constant 1.0 : f32
    %a = tile.load %x[%c0, %c0] : memref<4x8xf32> -> tensor<4x8xf32>
    %b = tile.load %y[%c0, %c0] : memref<4x1xf32> -> tensor<4x1xf32>
    %t = tile.transpose %a dims = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    %r = tile.broadcast %b dims = [0, 1] : tensor<4x1xf32> -> tensor<4x8xf32>
    %j = tile.iota dim = 1 from %f : tensor<4x8xi32>
    tile.store %t, %z[%c0, %c0] : tensor<8x4xf32> -> memref<8x4xf32>
    tile.store %r, %x[%c0, %c0] : tensor<4x8xf32> -> memref<4x8xf32>
    tile.store %j, %i[%c0, %c0] : tensor<4x8xi32> -> memref<4x8xi32>
  }
  tile.return
}
