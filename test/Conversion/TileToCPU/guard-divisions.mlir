// RUN: tile-opt %s -pass-pipeline='builtin.module(func.func(cpu-guard-divisions))' | FileCheck %s

// CHECK-LABEL: func.func @signed(
// CHECK-SAME: %[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK: %[[Z:.*]] = arith.cmpi eq, %[[Y]], %c0_i32
// CHECK: %[[O:.*]] = arith.andi
// CHECK: %[[T:.*]] = arith.ori %[[Z]], %[[O]]
// CHECK: %[[D:.*]] = arith.select %[[T]], %c1_i32, %[[Y]]
// CHECK: arith.divsi %[[X]], %[[D]]
func.func @signed(%x: i32, %y: i32) -> i32 {
  %q = arith.divsi %x, %y : i32
  return %q : i32
}

// CHECK-LABEL: func.func @unsigned(
// CHECK-NOT: arith.andi
// CHECK: %[[D:.*]] = arith.select
// CHECK: arith.remui %{{.*}}, %[[D]]
func.func @unsigned(%x: index, %y: index) -> index {
  %q = arith.remui %x, %y : index
  return %q : index
}

// CHECK-LABEL: func.func @constant(
// CHECK-NOT: arith.select
func.func @constant(%x: index) -> index {
  %c8 = arith.constant 8 : index
  %q = arith.divsi %x, %c8 : index
  return %q : index
}

// Rounding up is expanded first; what has nothing to do with divisions stays.
// CHECK-LABEL: func.func @rounded(
// CHECK-NOT: ceildiv
// CHECK: arith.divsi
// CHECK: arith.minimumf
func.func @rounded(%x: i32, %y: i32, %f: f32, %g: f32) -> (i32, f32) {
  %q = arith.ceildivsi %x, %y : i32
  %m = arith.minimumf %f, %g : f32
  return %q, %m : i32, f32
}
