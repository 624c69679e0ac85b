// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir -p %t
// RUN: tilec %s -o %t/aligned.cubin --variants=aligned --save-temps=%t/aligned
// RUN: FileCheck %s --implicit-check-not="{{[1-9][0-9]*}} bytes spill" --input-file=%t/aligned/13-ptxas.log
// RUN: tilec %s -o %t/any.cubin --variants=any --save-temps=%t/any
// RUN: FileCheck %s --check-prefix=ANY --implicit-check-not="{{[1-9][0-9]*}} bytes spill" --input-file=%t/any/13-ptxas.log

// Accesses with index tiles down to machine code, with elements of all widths: ptxas takes what gathers, scatters and atomics become, for vectors and for
// single elements. A `_rows` kernel names rows of an array, a `_places` kernel a place for each element. Elements of 8 bits and of i1 have no atomics.

// CHECK-DAG: Function properties for f32_rows_aligned_0
// CHECK-DAG: Function properties for f32_places_aligned_0
// CHECK-DAG: Function properties for bf16_rows_aligned_0
// CHECK-DAG: Function properties for bf16_places_aligned_0
// CHECK-DAG: Function properties for f8e4m3fn_rows_aligned_0
// CHECK-DAG: Function properties for f8e4m3fn_places_aligned_0
// CHECK-DAG: Function properties for i8_rows_aligned_0
// CHECK-DAG: Function properties for i8_places_aligned_0
// CHECK-DAG: Function properties for i64_rows_aligned_0
// CHECK-DAG: Function properties for i64_places_aligned_0
// CHECK-DAG: Function properties for i1_rows_aligned_0
// CHECK-DAG: Function properties for i1_places_aligned_0
// CHECK-DAG: Function properties for f32_atomics_aligned_0
// CHECK-DAG: Function properties for bf16_atomics_aligned_0
// CHECK-DAG: Function properties for i64_atomics_aligned_0
// ANY-DAG: Function properties for f32_rows_any_0
// ANY-DAG: Function properties for f32_places_any_0
// ANY-DAG: Function properties for bf16_rows_any_0
// ANY-DAG: Function properties for bf16_places_any_0
// ANY-DAG: Function properties for f8e4m3fn_rows_any_0
// ANY-DAG: Function properties for f8e4m3fn_places_any_0
// ANY-DAG: Function properties for i8_rows_any_0
// ANY-DAG: Function properties for i8_places_any_0
// ANY-DAG: Function properties for i64_rows_any_0
// ANY-DAG: Function properties for i64_places_any_0
// ANY-DAG: Function properties for i1_rows_any_0
// ANY-DAG: Function properties for i1_places_any_0
// ANY-DAG: Function properties for f32_atomics_any_0
// ANY-DAG: Function properties for bf16_atomics_any_0
// ANY-DAG: Function properties for i64_atomics_any_0

tile.kernel @f32_rows(%at: memref<?xi32>, %m: memref<?xi1>, %x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %r = tile.load %at[%i] pad = -1 : i32 : memref<?xi32> -> tensor<16xi32>
    %on = tile.load %m[%i] : memref<?xi1> -> tensor<16xi1>
    %t = tile.load %x[%r : tensor<16xi32>, %c0] mask = %on on [0] : memref<?x64xf32> -> tensor<16x64xf32>
    tile.store %t, %y[%r : tensor<16xi32>, %c0] limit = [%n, _] : tensor<16x64xf32> -> memref<?x64xf32>
  }
  tile.return
}
tile.kernel @f32_places(%at: memref<?x8xi64>, %x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %p = tile.load %at[%i, %c0] : memref<?x8xi64> -> tensor<16x8xi64>
    %t = tile.load %x[%p : tensor<16x8xi64>] : memref<?xf32> -> tensor<16x8xf32>
    tile.store %t, %y[%p : tensor<16x8xi64>] : tensor<16x8xf32> -> memref<?xf32>
  }
  tile.return
}
tile.kernel @bf16_rows(%at: memref<?xi32>, %m: memref<?xi1>, %x: memref<?x64xbf16>, %y: memref<?x64xbf16>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %r = tile.load %at[%i] pad = -1 : i32 : memref<?xi32> -> tensor<16xi32>
    %on = tile.load %m[%i] : memref<?xi1> -> tensor<16xi1>
    %t = tile.load %x[%r : tensor<16xi32>, %c0] mask = %on on [0] : memref<?x64xbf16> -> tensor<16x64xbf16>
    tile.store %t, %y[%r : tensor<16xi32>, %c0] limit = [%n, _] : tensor<16x64xbf16> -> memref<?x64xbf16>
  }
  tile.return
}
tile.kernel @bf16_places(%at: memref<?x8xi64>, %x: memref<?xbf16>, %y: memref<?xbf16>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %p = tile.load %at[%i, %c0] : memref<?x8xi64> -> tensor<16x8xi64>
    %t = tile.load %x[%p : tensor<16x8xi64>] : memref<?xbf16> -> tensor<16x8xbf16>
    tile.store %t, %y[%p : tensor<16x8xi64>] : tensor<16x8xbf16> -> memref<?xbf16>
  }
  tile.return
}
tile.kernel @f8e4m3fn_rows(%at: memref<?xi32>, %m: memref<?xi1>, %x: memref<?x64xf8E4M3FN>, %y: memref<?x64xf8E4M3FN>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %r = tile.load %at[%i] pad = -1 : i32 : memref<?xi32> -> tensor<16xi32>
    %on = tile.load %m[%i] : memref<?xi1> -> tensor<16xi1>
    %t = tile.load %x[%r : tensor<16xi32>, %c0] mask = %on on [0] : memref<?x64xf8E4M3FN> -> tensor<16x64xf8E4M3FN>
    tile.store %t, %y[%r : tensor<16xi32>, %c0] limit = [%n, _] : tensor<16x64xf8E4M3FN> -> memref<?x64xf8E4M3FN>
  }
  tile.return
}
tile.kernel @f8e4m3fn_places(%at: memref<?x8xi64>, %x: memref<?xf8E4M3FN>, %y: memref<?xf8E4M3FN>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %p = tile.load %at[%i, %c0] : memref<?x8xi64> -> tensor<16x8xi64>
    %t = tile.load %x[%p : tensor<16x8xi64>] : memref<?xf8E4M3FN> -> tensor<16x8xf8E4M3FN>
    tile.store %t, %y[%p : tensor<16x8xi64>] : tensor<16x8xf8E4M3FN> -> memref<?xf8E4M3FN>
  }
  tile.return
}
tile.kernel @i8_rows(%at: memref<?xi32>, %m: memref<?xi1>, %x: memref<?x64xi8>, %y: memref<?x64xi8>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %r = tile.load %at[%i] pad = -1 : i32 : memref<?xi32> -> tensor<16xi32>
    %on = tile.load %m[%i] : memref<?xi1> -> tensor<16xi1>
    %t = tile.load %x[%r : tensor<16xi32>, %c0] mask = %on on [0] : memref<?x64xi8> -> tensor<16x64xi8>
    tile.store %t, %y[%r : tensor<16xi32>, %c0] limit = [%n, _] : tensor<16x64xi8> -> memref<?x64xi8>
  }
  tile.return
}
tile.kernel @i8_places(%at: memref<?x8xi64>, %x: memref<?xi8>, %y: memref<?xi8>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %p = tile.load %at[%i, %c0] : memref<?x8xi64> -> tensor<16x8xi64>
    %t = tile.load %x[%p : tensor<16x8xi64>] : memref<?xi8> -> tensor<16x8xi8>
    tile.store %t, %y[%p : tensor<16x8xi64>] : tensor<16x8xi8> -> memref<?xi8>
  }
  tile.return
}
tile.kernel @i64_rows(%at: memref<?xi32>, %m: memref<?xi1>, %x: memref<?x64xi64>, %y: memref<?x64xi64>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %r = tile.load %at[%i] pad = -1 : i32 : memref<?xi32> -> tensor<16xi32>
    %on = tile.load %m[%i] : memref<?xi1> -> tensor<16xi1>
    %t = tile.load %x[%r : tensor<16xi32>, %c0] mask = %on on [0] : memref<?x64xi64> -> tensor<16x64xi64>
    tile.store %t, %y[%r : tensor<16xi32>, %c0] limit = [%n, _] : tensor<16x64xi64> -> memref<?x64xi64>
  }
  tile.return
}
tile.kernel @i64_places(%at: memref<?x8xi64>, %x: memref<?xi64>, %y: memref<?xi64>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %p = tile.load %at[%i, %c0] : memref<?x8xi64> -> tensor<16x8xi64>
    %t = tile.load %x[%p : tensor<16x8xi64>] : memref<?xi64> -> tensor<16x8xi64>
    tile.store %t, %y[%p : tensor<16x8xi64>] : tensor<16x8xi64> -> memref<?xi64>
  }
  tile.return
}
tile.kernel @i1_rows(%at: memref<?xi32>, %m: memref<?xi1>, %x: memref<?x64xi1>, %y: memref<?x64xi1>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %r = tile.load %at[%i] pad = -1 : i32 : memref<?xi32> -> tensor<16xi32>
    %on = tile.load %m[%i] : memref<?xi1> -> tensor<16xi1>
    %t = tile.load %x[%r : tensor<16xi32>, %c0] mask = %on on [0] : memref<?x64xi1> -> tensor<16x64xi1>
    tile.store %t, %y[%r : tensor<16xi32>, %c0] limit = [%n, _] : tensor<16x64xi1> -> memref<?x64xi1>
  }
  tile.return
}
tile.kernel @i1_places(%at: memref<?x8xi64>, %x: memref<?xi1>, %y: memref<?xi1>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %p = tile.load %at[%i, %c0] : memref<?x8xi64> -> tensor<16x8xi64>
    %t = tile.load %x[%p : tensor<16x8xi64>] : memref<?xi1> -> tensor<16x8xi1>
    tile.store %t, %y[%p : tensor<16x8xi64>] : tensor<16x8xi1> -> memref<?xi1>
  }
  tile.return
}
tile.kernel @f32_atomics(%at: memref<?xi32>, %p: memref<?x8xi64>, %x: memref<?x64xf32>, %y: memref<?x64xf32>, %z: memref<?xf32>, %old: memref<?x64xf32>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %r = tile.load %at[%i] pad = -1 : i32 : memref<?xi32> -> tensor<16xi32>
    %q = tile.load %p[%i, %c0] : memref<?x8xi64> -> tensor<16x8xi64>
    %t = tile.load %x[%i, %c0] : memref<?x64xf32> -> tensor<16x64xf32>
    %s = tile.load %x[%i, %c0] : memref<?x64xf32> -> tensor<16x8xf32>
    tile.atomic add %t, %y[%r : tensor<16xi32>, %c0] : tensor<16x64xf32> -> memref<?x64xf32>
    tile.atomic add %s, %z[%q : tensor<16x8xi64>] : tensor<16x8xf32> -> memref<?xf32>
    %was = tile.atomic max returning %t, %y[%r : tensor<16xi32>, %c0] : tensor<16x64xf32> -> memref<?x64xf32>
    tile.store %was, %old[%i, %c0] : tensor<16x64xf32> -> memref<?x64xf32>
    tile.atomic max %s, %z[%q : tensor<16x8xi64>] : tensor<16x8xf32> -> memref<?xf32>
    tile.atomic exchange %t, %y[%r : tensor<16xi32>, %c0] : tensor<16x64xf32> -> memref<?x64xf32>
    tile.atomic exchange %s, %z[%q : tensor<16x8xi64>] : tensor<16x8xf32> -> memref<?xf32>
    tile.atomic cas %t, %t, %y[%r : tensor<16xi32>, %c0] : tensor<16x64xf32> -> memref<?x64xf32>
    tile.atomic cas %s, %s, %z[%q : tensor<16x8xi64>] : tensor<16x8xf32> -> memref<?xf32>
  }
  tile.return
}
tile.kernel @bf16_atomics(%at: memref<?xi32>, %p: memref<?x8xi64>, %x: memref<?x64xbf16>, %y: memref<?x64xbf16>, %z: memref<?xbf16>, %old: memref<?x64xbf16>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %r = tile.load %at[%i] pad = -1 : i32 : memref<?xi32> -> tensor<16xi32>
    %q = tile.load %p[%i, %c0] : memref<?x8xi64> -> tensor<16x8xi64>
    %t = tile.load %x[%i, %c0] : memref<?x64xbf16> -> tensor<16x64xbf16>
    %s = tile.load %x[%i, %c0] : memref<?x64xbf16> -> tensor<16x8xbf16>
    tile.atomic add %t, %y[%r : tensor<16xi32>, %c0] : tensor<16x64xbf16> -> memref<?x64xbf16>
    tile.atomic add %s, %z[%q : tensor<16x8xi64>] : tensor<16x8xbf16> -> memref<?xbf16>
    %was = tile.atomic max returning %t, %y[%r : tensor<16xi32>, %c0] : tensor<16x64xbf16> -> memref<?x64xbf16>
    tile.store %was, %old[%i, %c0] : tensor<16x64xbf16> -> memref<?x64xbf16>
    tile.atomic max %s, %z[%q : tensor<16x8xi64>] : tensor<16x8xbf16> -> memref<?xbf16>
    tile.atomic exchange %t, %y[%r : tensor<16xi32>, %c0] : tensor<16x64xbf16> -> memref<?x64xbf16>
    tile.atomic exchange %s, %z[%q : tensor<16x8xi64>] : tensor<16x8xbf16> -> memref<?xbf16>
    tile.atomic cas %t, %t, %y[%r : tensor<16xi32>, %c0] : tensor<16x64xbf16> -> memref<?x64xbf16>
    tile.atomic cas %s, %s, %z[%q : tensor<16x8xi64>] : tensor<16x8xbf16> -> memref<?xbf16>
  }
  tile.return
}
tile.kernel @i64_atomics(%at: memref<?xi32>, %p: memref<?x8xi64>, %x: memref<?x64xi64>, %y: memref<?x64xi64>, %z: memref<?xi64>, %old: memref<?x64xi64>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (16) {
    %c0 = arith.constant 0 : index
    %r = tile.load %at[%i] pad = -1 : i32 : memref<?xi32> -> tensor<16xi32>
    %q = tile.load %p[%i, %c0] : memref<?x8xi64> -> tensor<16x8xi64>
    %t = tile.load %x[%i, %c0] : memref<?x64xi64> -> tensor<16x64xi64>
    %s = tile.load %x[%i, %c0] : memref<?x64xi64> -> tensor<16x8xi64>
    tile.atomic add %t, %y[%r : tensor<16xi32>, %c0] : tensor<16x64xi64> -> memref<?x64xi64>
    tile.atomic add %s, %z[%q : tensor<16x8xi64>] : tensor<16x8xi64> -> memref<?xi64>
    %was = tile.atomic umax returning %t, %y[%r : tensor<16xi32>, %c0] : tensor<16x64xi64> -> memref<?x64xi64>
    tile.store %was, %old[%i, %c0] : tensor<16x64xi64> -> memref<?x64xi64>
    tile.atomic umax %s, %z[%q : tensor<16x8xi64>] : tensor<16x8xi64> -> memref<?xi64>
    tile.atomic xor %t, %y[%r : tensor<16xi32>, %c0] : tensor<16x64xi64> -> memref<?x64xi64>
    tile.atomic xor %s, %z[%q : tensor<16x8xi64>] : tensor<16x8xi64> -> memref<?xi64>
    tile.atomic cas %t, %t, %y[%r : tensor<16xi32>, %c0] : tensor<16x64xi64> -> memref<?x64xi64>
    tile.atomic cas %s, %s, %z[%q : tensor<16x8xi64>] : tensor<16x8xi64> -> memref<?xi64>
  }
  tile.return
}
