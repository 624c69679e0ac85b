// RUN: tile-opt %s -split-input-file -pass-pipeline='builtin.module(tile.kernel(tile-fuse-fma))' | FileCheck %s
// RUN: tile-opt %s -split-input-file -pass-pipeline='builtin.module(tile.kernel(tile-fuse-fma))' -o /dev/null --remark-format=emitRemark --remarks-filter=tile-fuse-fma 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

// CHECK-LABEL: tile.kernel @fuses
tile.kernel @fuses(%x: f32, %y: f32, %z: f32, %out: memref<4xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tile.broadcast %x dims = [] : f32 -> tensor<4xf32>
    %u = tile.broadcast %y dims = [] : f32 -> tensor<4xf32>
    // CHECK-NOT: arith.mulf
    // CHECK: %[[S:.*]] = math.fma %[[A:.*]], %[[B:.*]], %[[A]] : tensor<4xf32>
    %p = arith.mulf %t, %u : tensor<4xf32>
    %s = arith.addf %p, %t : tensor<4xf32>
    // On the right of an addition as well.
    // CHECK: %[[R:.*]] = math.fma %[[S]], %[[S]], %[[B]]
    %q = arith.mulf %s, %s : tensor<4xf32>
    %r = arith.addf %u, %q : tensor<4xf32>
    // a·b - c adds -c.
    // CHECK: %[[N:.*]] = arith.negf %[[B]]
    // CHECK: %[[D:.*]] = math.fma %[[R]], %[[R]], %[[N]]
    %v = arith.mulf %r, %r : tensor<4xf32>
    %d = arith.subf %v, %u : tensor<4xf32>
    // c - a·b multiplies -a.
    // CHECK: %[[M:.*]] = arith.negf %[[D]]
    // CHECK: %[[E:.*]] = math.fma %[[M]], %[[R]], %[[B]]
    %w = arith.mulf %d, %r : tensor<4xf32>
    %e = arith.subf %u, %w : tensor<4xf32>
    // CHECK: tile.store %[[E]]
    tile.store %e, %out[%c0] : tensor<4xf32> -> memref<4xf32>
    // Scalars too.
    // CHECK: %[[F:.*]] = math.fma
    %a = arith.mulf %x, %y : f32
    %f = arith.addf %a, %z : f32
    memref.store %f, %out[%c0] : memref<4xf32>
  }
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @both_are_products
// CHECK-NOT: math.fma
tile.kernel @both_are_products(%x: f32, %y: f32, %out: memref<1xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %y, %x : f32
    // REMARK: :[[#@LINE+1]]:{{[0-9]+}}: remark: {{.*}}both operands are multiplications, so fp_contract fuses neither: write math.fma
    %d = arith.subf %p, %q : f32
    memref.store %d, %out[%c0] : memref<1xf32>
    %v = arith.mulf %x, %x : f32
    %w = arith.mulf %y, %y : f32
    // REMARK: :[[#@LINE+1]]:{{[0-9]+}}: remark: {{.*}}both operands are multiplications
    %s = arith.addf %v, %w : f32
    memref.store %s, %out[%c0] : memref<1xf32>
  }
  tile.return
}

// -----

// The square has other users: it is computed anyway. A sum of a product with itself has two products.
// CHECK-LABEL: tile.kernel @other_users
// CHECK-NOT: math.fma
tile.kernel @other_users(%x: f32, %y: f32, %out: memref<1xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %p = arith.mulf %x, %x : f32
    %s = arith.addf %p, %y : f32
    memref.store %p, %out[%c0] : memref<1xf32>
    memref.store %s, %out[%c0] : memref<1xf32>
    %q = arith.mulf %x, %y : f32
    %d = arith.addf %q, %q : f32
    memref.store %d, %out[%c0] : memref<1xf32>
  }
  tile.return
}

// -----

// Off means off, but for ops that ask for it themselves.
// CHECK-LABEL: tile.kernel @off
tile.kernel @off(%x: f32, %y: f32, %out: memref<1xf32>) attributes {fp_contract = #tile.switch<off>} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // CHECK: arith.mulf
    // CHECK-NEXT: arith.addf
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %y : f32
    memref.store %s, %out[%c0] : memref<1xf32>
    // CHECK: arith.mulf
    // CHECK-NEXT: arith.addf {{.*}} fastmath<contract>
    %q = arith.mulf %x, %y : f32
    %t = arith.addf %q, %x fastmath<contract> : f32
    memref.store %t, %out[%c0] : memref<1xf32>
    // CHECK-NEXT: memref.store
    // CHECK-NEXT: math.fma {{.*}} fastmath<contract>
    %r = arith.mulf %x, %y fastmath<contract> : f32
    %u = arith.addf %r, %x fastmath<contract> : f32
    memref.store %u, %out[%c0] : memref<1xf32>
  }
  tile.return
}

// -----

// contract on the ops allows it where both operands are products.
// CHECK-LABEL: tile.kernel @asked_for
tile.kernel @asked_for(%x: f32, %y: f32, %out: memref<1xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // CHECK: %[[Q:.*]] = arith.mulf
    // CHECK: %[[N:.*]] = arith.negf %[[Q]]
    // CHECK: math.fma %{{.*}}, %{{.*}}, %[[N]] fastmath<contract>
    %p = arith.mulf %x, %y fastmath<contract> : f32
    %q = arith.mulf %y, %x : f32
    %d = arith.subf %p, %q fastmath<contract> : f32
    memref.store %d, %out[%c0] : memref<1xf32>
  }
  tile.return
}
