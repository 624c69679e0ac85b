// RUN: tilec %s --emit=cta --variants=any -o - | FileCheck %s

// A view that is made inside the loop is one SSA value but other memory in every iteration: what one thread stores here, another one loads in the
// next iteration.
// CHECK-LABEL: tile.kernel @sliding
// CHECK: scf.for
// CHECK: cta.barrier
// CHECK: cta.load
// CHECK: cta.store
tile.kernel @sliding(%x: memref<?xf32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c128 = arith.constant 128 : index
    scf.for %i = %c0 to %n step %c8 {
      %v = memref.subview %x[%i] [256] [1] : memref<?xf32> to memref<256xf32, strided<[1], offset: ?>>
      %a = tile.load %v[%c0] : memref<256xf32, strided<[1], offset: ?>> -> tensor<128xf32>
      %b = arith.addf %a, %a : tensor<128xf32>
      tile.store %b, %v[%c128] : tensor<128xf32> -> memref<256xf32, strided<[1], offset: ?>>
    }
  }
  tile.return
}

// The same view in every iteration, the same box by the same threads: nothing to wait for.
// CHECK-LABEL: tile.kernel @standing
// CHECK-NOT: cta.barrier
// CHECK: tile.return
tile.kernel @standing(%x: memref<?xf32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %v = memref.subview %x[%c8] [256] [1] : memref<?xf32> to memref<256xf32, strided<[1], offset: ?>>
    scf.for %i = %c0 to %n step %c8 {
      %a = tile.load %v[%c0] : memref<256xf32, strided<[1], offset: ?>> -> tensor<128xf32>
      %b = arith.addf %a, %a : tensor<128xf32>
      tile.store %b, %v[%c0] : tensor<128xf32> -> memref<256xf32, strided<[1], offset: ?>>
    }
  }
  tile.return
}
