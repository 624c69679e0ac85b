// What tile-expand-ops replaces compiles for both targets: bounds and coordinates from affine ops, views and slices that drop dimensions and have steps,
// which upstream's canonicalize and bufferization mistake, pairs of results that LLVM's vectorizers cannot have, classes of floats.
// RUN: tilec %s --target=cpu -O3 --emit=llvm -o - | FileCheck %s --check-prefix=CPU
// RUN: tilec %s --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=PTX

// CPU-LABEL: define void @affine_0(
// PTX: .entry affine_any_0(
tile.kernel @affine(%O: memref<?xindex>, %s: index) {
  %n = affine.apply affine_map<(d0) -> (d0 * 3 + 1)>(%s)
  tile.grid (%i) = (0) to (%n) step (1) {
    %a = affine.apply affine_map<(d0)[s0] -> ((d0 * 2 + s0) floordiv 3 + d0 mod 5)>(%i)[%s]
    %b = affine.min affine_map<(d0, d1) -> (d0 ceildiv 4, d1 + 7)>(%i, %a)
    %c = affine.max affine_map<(d0) -> (d0, 2)>(%b)
    memref.store %c, %O[%i] : memref<?xindex>
  }
  tile.return
}

// CPU-LABEL: define void @views_0(
// PTX: .entry views_any_0(
tile.kernel @views(%A: memref<?x?x?x2xi32>, %O: memref<3xi32>, %n: index, %at: index) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  tile.grid (%i) = (0) to (1) step (1) {
    %c0 = arith.constant 0 : index
    %v = memref.subview %A[0, 0, 11, 0] [%one, %one, 2, %two] [3, 1, 1, 1] : memref<?x?x?x2xi32> to memref<?x?x2x?xi32, strided<[?, ?, 2, 1], offset: 22>>
    %w = memref.subview %v[0, %at, %at, 0] [%n, 1, %one, 1] [1, %three, 2, 2] : memref<?x?x2x?xi32, strided<[?, ?, 2, 1], offset: 22>> to memref<?x?xi32, strided<[?, 4], offset: ?>>
    %x = tile.load %w[%i, %c0] dims = [0] : memref<?x?xi32, strided<[?, 4], offset: ?>> -> tensor<3xi32>
    tile.store %x, %O[%c0] : tensor<3xi32> -> memref<3xi32>
  }
  tile.return
}

// CPU-LABEL: define void @slices_0(
// PTX: .entry slices_any_0(
tile.kernel @slices(%A: memref<?x?x?x?xbf16>, %O: memref<?x2x?x?xbf16>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0, %c0, %c0] : memref<?x?x?x?xbf16> -> tensor<2x2x16x8xbf16>
    %y = tensor.extract_slice %x[0, 0, 0, 0] [2, 1, 16, 1] [1, 3, 1, 2] : tensor<2x2x16x8xbf16> to tensor<2x16x1xbf16>
    %z = tile.broadcast %y dims = [1, 2, 3] : tensor<2x16x1xbf16> -> tensor<2x2x16x8xbf16>
    tile.store %z, %O[%c0, %c0, %c0, %c0] : tensor<2x2x16x8xbf16> -> memref<?x2x?x?xbf16>
  }
  tile.return
}

// CPU-LABEL: define void @pairs_0(
// PTX: .entry pairs_any_0(
tile.kernel @pairs(%A: memref<?x2x9xf32>, %O: memref<2x16x?x1xf32>, %n: index) {
  tile.grid (%i, %j) = (1, 16) to (1, 32) step (1, 8) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %x = tile.load %A[%c0, %c0, %c3] dims = [0, 1, 2] : memref<?x2x9xf32> -> tensor<16x2x1xf32>
    %s, %c = math.sincos %x : tensor<16x2x1xf32>
    tile.store %s, %O[%j, %c0, %c0, %c1] limit = [_, _, %n] : tensor<16x2x1xf32> -> memref<2x16x?x1xf32>
  }
  tile.return
}

// CPU-LABEL: define void @classes_0(
// PTX: .entry classes_any_0(
tile.kernel @classes(%A: memref<64xbf16>, %O: memref<64xi1>) {
  tile.grid (%i) = (0) to (64) step (32) {
    %x = tile.load %A[%i] : memref<64xbf16> -> tensor<32xbf16>
    %inf = math.isinf %x : tensor<32xbf16>
    %normal = math.isnormal %x : tensor<32xbf16>
    %r = arith.ori %inf, %normal : tensor<32xi1>
    tile.store %r, %O[%i] : tensor<32xi1> -> memref<64xi1>
  }
  tile.return
}

// CPU-LABEL: define void @always_0(
// PTX: .entry always_any_0(
tile.kernel @always(%A: memref<64xi8>, %O: memref<64xi1>, %n: i32) {
  tile.grid (%i) = (0) to (64) step (32) {
    %x = tile.load %A[%i] : memref<64xi8> -> tensor<32xi8>
    %f = arith.sitofp %x : tensor<32xi8> to tensor<32xbf16>
    %one = arith.constant dense<1.0> : tensor<32xbf16>
    %r = arith.cmpf true, %f, %one : tensor<32xbf16>
    tile.store %r, %O[%i] : tensor<32xi1> -> memref<64xi1>
    %s = arith.sitofp %n : i32 to f32
    %two = arith.constant 2.0 : f32
    %t = arith.cmpf false, %s, %two : f32
    memref.store %t, %O[%i] : memref<64xi1>
  }
  tile.return
}
