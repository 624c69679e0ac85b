// Workspace with strides, workspace that only one variant has, and a condition for a variant: a guard, not an assumption of the kernel.
// RUN: tile-opt %s -convert-tile-to-cpu | sed -e 's/\\22/"/g' | FileCheck %s

// CHECK: "assumes":[],
// CHECK-SAME: "variants":[{"guards":[],"launches":[{{.*}}"symbol":"k_aligned_0"}],"name":"aligned"}
// CHECK-SAME: {"guards":[{"arg":0,"dim":0,"fact":"size_min","value":3},{"cond":{"args":[{"args":[{"size":[0,0]},2],"op":"cmp_sgt"},{"args":[{"size":[0,0]},100],"op":"cmp_slt"}],"op":"and"},"fact":"cond","message":"few rows"}],"launches":[{{.*}}{"index":0,"kind":"workspace"}{{.*}}"symbol":"k_repack_0"}],"name":"repack",
// CHECK-SAME: "workspaces":[{"element":"f32","init":null,"sizes":[{"size":[0,0]},5],"strides":[{"args":[{"size":[0,0]},2],"op":"mul"},3]}]}
// CHECK-SAME: {"guards":[],"launches":[{{.*}}"symbol":"k_any_0"}],"name":"any"}]
// CHECK-SAME: "workspaces":[]
tile.kernel @k_aligned(%A: memref<?x5xf32>) attributes {variant = "aligned", variant_of = "k"} {
  tile.grid () = () to () step () {
  }
  tile.return
}
tile.kernel @k_repack(%A: memref<?x5xf32>) attributes {guards = [#tile.guard<size_min, arg = 0, dim = 0, value = 3>], variant = "repack", variant_of = "k"} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %A, %c0 : memref<?x5xf32>
  %stride = arith.muli %n, %c2 : index
  %c100 = arith.constant 100 : index
  %some = arith.cmpi sgt, %n, %c2 : index
  %few = arith.cmpi slt, %n, %c100 : index
  %both = arith.andi %some, %few : i1
  tile.assume guard %both, "few rows" : i1
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
