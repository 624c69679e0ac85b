// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -tile-expand-ops -canonicalize -cse -tile-verify | FileCheck %s --check-prefix=EXPANDED
// RUN: tile-opt %s -tile-expand-ops -tile-insert-checks | FileCheck %s --check-prefix=CHECKED

// CHECK-LABEL: tile.kernel @arrays
// EXPANDED-LABEL: tile.kernel @arrays
// The index into the table, and sizes that are values.
// CHECKED-LABEL: tile.kernel @arrays
// CHECKED: %[[IN:.*]] = arith.cmpi ult, %i, %{{.*}} : index
// CHECKED-NEXT: cf.assert %[[IN]], "memref.load of %T is out of bounds in dimension 0"
// CHECKED: %[[GOOD:.*]] = arith.cmpi sge, %m, %{{.*}} : index
// CHECKED-NEXT: cf.assert %[[GOOD]], "the size of dimension 0 of an array in memory is negative"
// CHECKED-NEXT: tile.array_from
// CHECKED: tile.array_from %{{.*}} sizes [16, 128]
// CHECKED-NOT: negative
// CHECKED: "memref.load of the array at an address from memory is out of bounds in dimension 0"
tile.kernel @arrays(%T: memref<?xi64>, %P: memref<?x?xi64>, %one: memref<i64>, %m: index, %ld: index) {
  tile.grid (%g) = (0) to (%m) step (1) {
    // CHECK: %[[A:.*]] = tile.array_at %{{.*}}[%{{.*}}] sizes [%{{.*}}, 64] strides [%{{.*}}, 1] align = 16 alias = "in" : memref<?xi64> -> memref<?x64xbf16, strided<[?, 1]>>
    // EXPANDED: %[[ADDRESS:.*]] = memref.load %T[%i] : memref<?xi64>
    // EXPANDED-NEXT: tile.array_from %[[ADDRESS]] sizes [%m, 64] strides [%ld, 1] align = 16 alias = "in" : i64 -> memref<?x64xbf16, strided<[?, 1]>>
    %a = tile.array_at %T[%g] sizes [%m, 64] strides [%ld, 1] align = 16 alias = "in" : memref<?xi64> -> memref<?x64xbf16, strided<[?, 1]>>
    %x = tile.load %a[%g, %g] : memref<?x64xbf16, strided<[?, 1]>> -> tensor<16x64xbf16>
    tile.store %x, %a[%m, %g] : tensor<16x64xbf16> -> memref<?x64xbf16, strided<[?, 1]>>
    // CHECK: tile.array_at %{{.*}}[%{{.*}}, %{{.*}}] sizes [16, 128] : memref<?x?xi64> -> memref<16x128xf32>
    // EXPANDED: tile.array_from %{{.*}} sizes [16, 128] : i64 -> memref<16x128xf32>
    %b = tile.array_at %P[%g, %m] sizes [16, 128] : memref<?x?xi64> -> memref<16x128xf32>
    %y = memref.load %b[%g, %g] : memref<16x128xf32>
    // CHECK: tile.array_at %{{.*}}[] sizes [] : memref<i64> -> memref<f32>
    %c = tile.array_at %one[] sizes [] : memref<i64> -> memref<f32>
    memref.store %y, %c[] : memref<f32>
    // An array of which nothing is accessed is not read either.
    // CHECK: tile.array_at %{{.*}}[%{{.*}}] sizes [%{{.*}}] {note = "unused"} : memref<?xi64> -> memref<?xi8>
    // EXPANDED-NOT: note
    %d = tile.array_at %T[%g] sizes [%m] {note = "unused"} : memref<?xi64> -> memref<?xi8>
  }
  tile.return
}

// A table that is written between two reads of one address: the second read stays, and stays behind.
// EXPANDED-LABEL: tile.kernel @reread
// EXPANDED: %[[FIRST:.*]] = memref.load %T[%c0]
// EXPANDED: tile.array_from %[[FIRST]]
// EXPANDED: memref.store %{{.*}}, %T[%c0]
// EXPANDED: %[[SECOND:.*]] = memref.load %T[%c0]
// EXPANDED: tile.array_from %[[SECOND]]
tile.kernel @reread(%T: memref<?xi64>, %other: i64) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.array_at %T[%c0] sizes [8] : memref<?xi64> -> memref<8xf32>
    %x = tile.load %a[%c0] : memref<8xf32> -> tensor<8xf32>
    memref.store %other, %T[%c0] : memref<?xi64>
    %b = tile.array_at %T[%c0] sizes [8] : memref<?xi64> -> memref<8xf32>
    tile.store %x, %b[%c0] : tensor<8xf32> -> memref<8xf32>
  }
  tile.return
}

// Without a store between them, one read is enough.
// EXPANDED-LABEL: tile.kernel @same
// EXPANDED: memref.load
// EXPANDED-NOT: memref.load
// EXPANDED: tile.return
tile.kernel @same(%T: memref<?xi64>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %a = tile.array_at %T[%c0] sizes [16] : memref<?xi64> -> memref<16xf32>
    %b = tile.array_at %T[%c0] sizes [16] : memref<?xi64> -> memref<16xf32>
    %x = tile.load %a[%c0] : memref<16xf32> -> tensor<8xf32>
    tile.store %x, %b[%c8] : tensor<8xf32> -> memref<16xf32>
  }
  tile.return
}
