// RUN: tile-opt %s -tile-verify | tile-opt -tile-verify | FileCheck %s
// RUN: tile-opt %s -tile-expand-ops | FileCheck %s --check-prefix=EXPAND

// Running combinations: all clauses, the forms that they expand to.

// CHECK-LABEL: tile.kernel @plain(
// CHECK: tile.scan addf %{{.*}} dim = 1 : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
// EXPAND-LABEL: tile.kernel @plain(
// Elements 0 stay, 1 to 4 are combined with 0 to 3; then by 2, then by 4.
// EXPAND: %[[X:.*]] = tile.load
// EXPAND-DAG: %[[A0:.*]] = tensor.extract_slice %[[X]][0, 0] [4, 1] [1, 1]
// EXPAND-DAG: %[[A1:.*]] = tensor.extract_slice %[[X]][0, 0] [4, 4] [1, 1]
// EXPAND-DAG: %[[A2:.*]] = tensor.extract_slice %[[X]][0, 1] [4, 4] [1, 1]
// EXPAND: %[[A:.*]] = arith.addf %[[A1]], %[[A2]] : tensor<4x4xf32>
// EXPAND: %[[Y:.*]] = tensor.concat dim(1) %[[A0]], %[[A]] : (tensor<4x1xf32>, tensor<4x4xf32>) -> tensor<4x5xf32>
// EXPAND: tensor.concat dim(1) {{.*}} : (tensor<4x2xf32>, tensor<4x3xf32>)
// EXPAND: %[[Z:.*]] = tensor.concat dim(1) {{.*}} : (tensor<4x4xf32>, tensor<4x1xf32>)
// EXPAND: %[[L:.*]] = tensor.extract_slice %[[Z]][0, 4] [4, 1] [1, 1]
// EXPAND: %[[T:.*]] = tensor.extract_slice %[[L]][0, 0] [4, 1] [1, 1] : tensor<4x1xf32> to tensor<4xf32>
// EXPAND: tile.store %[[Z]]
// EXPAND: tile.store %[[T]]
// EXPAND-NOT: tile.scan
tile.kernel @plain(%x: memref<4x5xf32>, %y: memref<4x5xf32>, %s: memref<4xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : memref<4x5xf32> -> tensor<4x5xf32>
    %b, %t = tile.scan addf %a dim = 1 : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
    tile.store %b, %y[%c0, %c0] : tensor<4x5xf32> -> memref<4x5xf32>
    tile.store %t, %s[%c0] : tensor<4xf32> -> memref<4xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @clauses(
// CHECK: tile.scan maxsi %{{.*}} dim = 0 exclusive reverse carry(%{{.*}}) : tensor<4xi32> -> tensor<4xi32>, tensor<i32>
// CHECK: tile.scan muli %{{.*}} dim = 0 exclusive {note = 1 : i64} : tensor<4xi32>
// EXPAND-LABEL: tile.kernel @clauses(
// The carry is combined with the last element, and is what stands there in the exclusive result.
// EXPAND: %[[C:.*]] = tile.broadcast %{{.*}} dims = [] : tensor<i32> -> tensor<1xi32>
// EXPAND: %[[LAST:.*]] = tensor.extract_slice %{{.*}}[3] [1] [1]
// EXPAND: arith.maxsi %[[C]], %[[LAST]] : tensor<1xi32>
// EXPAND: tensor.concat dim(0) %{{.*}}, %[[C]] : (tensor<3xi32>, tensor<1xi32>)
// EXPAND: %[[ONE:.*]] = arith.constant dense<1> : tensor<1xi32>
// EXPAND: tensor.concat dim(0) %[[ONE]], %{{.*}} : (tensor<1xi32>, tensor<3xi32>)
tile.kernel @clauses(%x: memref<4xi32>, %y: memref<4xi32>, %c: i32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %carry = tensor.from_elements %c : tensor<i32>
    %a = tile.load %x[%c0] : memref<4xi32> -> tensor<4xi32>
    %b, %t = tile.scan maxsi %a dim = 0 exclusive reverse carry(%carry) : tensor<4xi32> -> tensor<4xi32>, tensor<i32>
    tile.store %b, %y[%c0] : tensor<4xi32> -> memref<4xi32>
    %d, %u = tile.scan muli %a dim = 0 exclusive {note = 1} : tensor<4xi32> -> tensor<4xi32>, tensor<i32>
    tile.store %d, %y[%c0] : tensor<4xi32> -> memref<4xi32>
  }
  tile.return
}

// Sums of narrow floats are rounded once; maxima need no wider type. One element needs no step.
// CHECK-LABEL: tile.kernel @narrow(
// EXPAND-LABEL: tile.kernel @narrow(
// EXPAND: arith.extf %{{.*}} : tensor<2xbf16> to tensor<2xf32>
// EXPAND: arith.addf %{{.*}} : tensor<1xf32>
// EXPAND: arith.truncf %{{.*}} : tensor<2xf32> to tensor<2xbf16>
// EXPAND: arith.truncf %{{.*}} : tensor<f32> to tensor<bf16>
// EXPAND: arith.maximumf %{{.*}} : tensor<1xbf16>
// EXPAND-NOT: tensor.concat dim(0) %{{.*}} : (tensor<1xf64>
tile.kernel @narrow(%x: memref<2xbf16>, %y: memref<2xbf16>, %z: memref<1xf64>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0] : memref<2xbf16> -> tensor<2xbf16>
    %b, %t = tile.scan addf %a dim = 0 : tensor<2xbf16> -> tensor<2xbf16>, tensor<bf16>
    tile.store %b, %y[%c0] : tensor<2xbf16> -> memref<2xbf16>
    %d, %u = tile.scan maximumf %a dim = 0 : tensor<2xbf16> -> tensor<2xbf16>, tensor<bf16>
    tile.store %d, %y[%c0] : tensor<2xbf16> -> memref<2xbf16>
    %e = tile.load %z[%c0] : memref<1xf64> -> tensor<1xf64>
    %f, %g = tile.scan mulf %e dim = 0 : tensor<1xf64> -> tensor<1xf64>, tensor<f64>
    tile.store %f, %z[%c0] : tensor<1xf64> -> memref<1xf64>
  }
  tile.return
}
