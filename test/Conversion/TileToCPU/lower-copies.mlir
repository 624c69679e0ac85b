// RUN: tile-opt %s -pass-pipeline='builtin.module(func.func(cpu-lower-copies))' | FileCheck %s

// CHECK-LABEL: func.func @strided(
// CHECK-NOT: memref.copy
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : memref<4x8xf32, strided<[16, 1]>>) outs(%{{.*}} : memref<4x8xf32>)
func.func @strided(%x: memref<4x8xf32, strided<[16, 1]>>, %y: memref<4x8xf32>) {
  memref.copy %x, %y : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  return
}

// Contiguous memory is moved by memcpy; a loop LLVM would unroll, element by element.
// CHECK-LABEL: func.func @contiguous(
// CHECK: memref.copy
// CHECK-NOT: linalg.generic
func.func @contiguous(%x: memref<64x128xf32>, %y: memref<64x128xf32>) {
  memref.copy %x, %y : memref<64x128xf32> to memref<64x128xf32>
  return
}

// CHECK-LABEL: func.func @into_strided(
// CHECK-NOT: memref.copy
// CHECK: linalg.generic
func.func @into_strided(%x: memref<4x8xf32>, %y: memref<4x8xf32, strided<[16, 1]>>) {
  memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32, strided<[16, 1]>>
  return
}
