// Workspace with strides, and workspace that only one variant has.
// RUN: tile-opt %s -convert-tile-to-cpu | sed -e 's/\\22/"/g' | FileCheck %s

// CHECK: "variants":[{"guards":[],"launches":[{{.*}}"symbol":"k_aligned_0"}],"name":"aligned"}
// CHECK-SAME: {"guards":[],"launches":[{{.*}}{"index":0,"kind":"workspace"}{{.*}}"symbol":"k_repack_0"}],"name":"repack",
// CHECK-SAME: "workspaces":[{"element":"f32","init":null,"sizes":[{"size":[0,0]},5],"strides":[{"args":[{"size":[0,0]},2],"op":"mul"},3]}]}
// CHECK-SAME: {"guards":[],"launches":[{{.*}}"symbol":"k_any_0"}],"name":"any"}]
// CHECK-SAME: "workspaces":[]
tile.kernel @k_aligned(%A: memref<?x5xf32>) attributes {variant = "aligned", variant_of = "k"} {
  tile.grid () = () to () step () {
  }
  tile.return
}
tile.kernel @k_repack(%A: memref<?x5xf32>) attributes {variant = "repack", variant_of = "k"} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %A, %c0 : memref<?x5xf32>
  %stride = arith.muli %n, %c2 : index
  %w = memref.alloc(%n)[%stride] : memref<?x5xf32, strided<[?, 3]>>
  tile.grid () = () to () step () {
    %at = arith.constant 4 : index
    %v = arith.constant 0.0 : f32
    memref.store %v, %w[%at, %at] : memref<?x5xf32, strided<[?, 3]>>
  }
  tile.return
}
tile.kernel @k_any(%A: memref<?x5xf32>) attributes {variant = "any", variant_of = "k"} {
  tile.grid () = () to () step () {
  }
  tile.return
}
