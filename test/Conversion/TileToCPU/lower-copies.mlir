// RUN: tile-opt %s -pass-pipeline='builtin.module(func.func(cpu-lower-copies))' | FileCheck %s

// CHECK-LABEL: func.func @strided(
// CHECK-NOT: memref.copy
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : memref<4x8xf32, strided<[16, 1]>>) outs(%{{.*}} : memref<4x8xf32>)
func.func @strided(%x: memref<4x8xf32, strided<[16, 1]>>, %y: memref<4x8xf32>) {
  memref.copy %x, %y : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  return
}
