// RUN: tile-opt %s | tile-opt | FileCheck %s
// Discardable attributes of the dialect where they have a meaning.

// CHECK: module attributes {tile.contract = "{}", tile.ptxas_policies = {}}
module attributes {tile.contract = "{}", tile.ptxas_policies = {}} {
// CHECK: tile.kernel @attributes{{.*}} attributes {tile.fallback}
tile.kernel @attributes(%A: memref<?x?xbf16> {tile.align = 16}, %C: memref<?x?xf32>, %n: index) attributes {tile.fallback} {
  // CHECK: memref.alloc(%{{.*}}) {tile.init = 0 : i32, tile.restored}
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?xi32>
  // CHECK: memref.alloc(%{{.*}}) {tile.init = 1.000000e+00 : f32, tile.repacked = "its base"}
  %copy = memref.alloc(%n) {tile.init = 1.0 : f32, tile.repacked = "its base"} : memref<?xf32>
  // CHECK: tile.grid {{.*}} attributes {tile.copies}
  tile.grid () = () to () step () attributes {tile.copies} {
    %c0 = arith.constant 0 : index
    // CHECK: tile.load {{.*}} {tile.not_repacked = "it is small"}
    %a = tile.load %A[%c0, %c0] {tile.not_repacked = "it is small"} : memref<?x?xbf16> -> tensor<16x16xbf16>
    // CHECK: tile.mma {{.*}} {tile.transposed = true}
    %b = tile.mma %a, %a {tile.transposed = true} : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
    // CHECK: tile.mma {{.*}} {tile.not_turned = "no", tile.turned = "yes"}
    %d = tile.mma %a, %a {tile.not_turned = "no", tile.turned = "yes"} : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
    // Attributes without the prefix of a dialect belong to the user.
    // CHECK: arith.addf {{.*}} {transposed}
    %e = arith.addf %b, %d {transposed} : tensor<16x16xf32>
    tile.store %e, %C[%c0, %c0] : tensor<16x16xf32> -> memref<?x?xf32>
  }
  tile.return
}
}
