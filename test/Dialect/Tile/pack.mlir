// RUN: tile-opt %s -tile-verify | tile-opt -tile-verify | FileCheck %s
// RUN: tile-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// The same bits as elements of another width.

// CHECK-LABEL: tile.kernel @forms(
// CHECK: tile.unpack %{{.*}} : tensor<4x8xi32> -> tensor<4x32xi8>
// CHECK: tile.pack %{{.*}} : tensor<4x32xi8> -> tensor<4x16xbf16>
// CHECK: tile.unpack %{{.*}} bits = 4 signed : tensor<4x32xi8> -> tensor<4x64xi8>
// CHECK: tile.unpack %{{.*}} bits = 1 {note = 1 : i64} : tensor<4x32xi8> -> tensor<4x256xi8>
// CHECK: tile.pack %{{.*}} bits = 4 : tensor<4x64xi8> -> tensor<4x32xi8>
tile.kernel @forms(%x: memref<4x8xi32>, %y: memref<4x16xbf16>, %z: memref<4x256xi8>, %w: memref<4x32xi8>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%c0, %c0] : memref<4x8xi32> -> tensor<4x8xi32>
    %0 = tile.unpack %t : tensor<4x8xi32> -> tensor<4x32xi8>
    %1 = tile.pack %0 : tensor<4x32xi8> -> tensor<4x16xbf16>
    %2 = tile.unpack %0 bits = 4 signed : tensor<4x32xi8> -> tensor<4x64xi8>
    %3 = tile.unpack %0 bits = 1 {note = 1} : tensor<4x32xi8> -> tensor<4x256xi8>
    %4 = tile.pack %2 bits = 4 : tensor<4x64xi8> -> tensor<4x32xi8>
    tile.store %1, %y[%c0, %c0] : tensor<4x16xbf16> -> memref<4x16xbf16>
    tile.store %3, %z[%c0, %c0] : tensor<4x256xi8> -> memref<4x256xi8>
    tile.store %4, %w[%c0, %c0] : tensor<4x32xi8> -> memref<4x32xi8>
  }
  tile.return
}

// There and back is nothing.
// FOLD-LABEL: func.func @inverse(
// FOLD-SAME: %[[X:.*]]: tensor<4x8xi32>, %[[Y:.*]]: tensor<4x32xi8>
// FOLD-NEXT: return %[[X]], %[[Y]], %[[Y]], %[[Y]]
func.func @inverse(%x: tensor<4x8xi32>, %y: tensor<4x32xi8>) -> (tensor<4x8xi32>, tensor<4x32xi8>, tensor<4x32xi8>, tensor<4x32xi8>) {
  %0 = tile.unpack %x : tensor<4x8xi32> -> tensor<4x16xf16>
  %1 = tile.pack %0 : tensor<4x16xf16> -> tensor<4x8xi32>
  %2 = tile.pack %y : tensor<4x32xi8> -> tensor<4x8xi32>
  %3 = tile.unpack %2 : tensor<4x8xi32> -> tensor<4x32xi8>
  %4 = tile.unpack %y bits = 4 : tensor<4x32xi8> -> tensor<4x64xi8>
  %5 = tile.pack %4 bits = 4 : tensor<4x64xi8> -> tensor<4x32xi8>
  %6 = tile.unpack %y bits = 2 signed : tensor<4x32xi8> -> tensor<4x128xi8>
  %7 = tile.pack %6 bits = 2 : tensor<4x128xi8> -> tensor<4x32xi8>
  return %1, %3, %5, %7 : tensor<4x8xi32>, tensor<4x32xi8>, tensor<4x32xi8>, tensor<4x32xi8>
}

// Not where the widths or types differ, nor where high bits are dropped.
// FOLD-LABEL: func.func @not_inverse(
// FOLD: tile.unpack
// FOLD: tile.pack
// FOLD: tile.unpack
// FOLD: tile.pack
// FOLD: tile.pack
// FOLD: tile.unpack
func.func @not_inverse(%x: tensor<4x8xi32>, %y: tensor<4x32xi8>) -> (tensor<4x8xf32>, tensor<4x32xi8>, tensor<4x32xi8>) {
  %0 = tile.unpack %x : tensor<4x8xi32> -> tensor<4x16xi16>
  %1 = tile.pack %0 : tensor<4x16xi16> -> tensor<4x8xf32>
  %2 = tile.unpack %y bits = 2 : tensor<4x32xi8> -> tensor<4x128xi8>
  %3 = tile.pack %2 : tensor<4x128xi8> -> tensor<4x32xi32>
  %4 = arith.trunci %3 : tensor<4x32xi32> to tensor<4x32xi8>
  %5 = tile.pack %y bits = 4 : tensor<4x32xi8> -> tensor<4x16xi8>
  %6 = tile.unpack %5 bits = 4 : tensor<4x16xi8> -> tensor<4x32xi8>
  return %1, %4, %6 : tensor<4x8xf32>, tensor<4x32xi8>, tensor<4x32xi8>
}
