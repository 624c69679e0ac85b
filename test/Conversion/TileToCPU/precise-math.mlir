// RUN: tile-opt %s -cpu-precise-math | FileCheck %s

// CHECK-LABEL: func.func @near_zero(
// CHECK: call @expm1f
// CHECK: call @log1p
// CHECK: math.exp
func.func @near_zero(%x: f32, %y: f64) -> (f32, f64, f32) {
  %a = math.expm1 %x : f32
  %b = math.log1p %y : f64
  %c = math.exp %x : f32
  return %a, %b, %c : f32, f64, f32
}

// CHECK-LABEL: func.func @power(
// CHECK-SAME: %[[X:.*]]: f32, %[[N:.*]]: i32, %[[Y:.*]]: f64, %[[M:.*]]: i64
// CHECK: %[[SIZE:.*]] = math.absf %[[X]] : f32
// CHECK: %[[WIDE:.*]] = arith.extf %[[SIZE]] : f32 to f64
// CHECK: %[[EXPONENT:.*]] = arith.sitofp %[[N]] : i32 to f64
// CHECK: %[[POWER:.*]] = math.powf %[[WIDE]], %[[EXPONENT]] : f64
// CHECK: %[[NARROW:.*]] = arith.truncf %[[POWER]] : f64 to f32
// CHECK: %[[ODD:.*]] = arith.cmpi ne
// CHECK: %[[SIGNED:.*]] = math.copysign %[[NARROW]], %[[X]] : f32
// CHECK: arith.select %[[ODD]], %[[SIGNED]], %[[NARROW]] : f32
// CHECK: math.absf %[[Y]] : f64
// CHECK-NOT: arith.extf
// CHECK: math.powf {{.*}} : f64
// CHECK-NOT: math.fpowi
func.func @power(%x: f32, %n: i32, %y: f64, %m: i64) -> (f32, f64) {
  %a = math.fpowi %x, %n : f32, i32
  %b = math.fpowi %y, %m : f64, i64
  return %a, %b : f32, f64
}

// In vectors, too; other types are computed in f32 before.
// CHECK-LABEL: func.func @vectors(
// CHECK: math.powf {{.*}} : vector<4xf64>
// CHECK: arith.select {{.*}} : vector<4xi1>, vector<4xf32>
// CHECK: math.fpowi {{.*}} : f16, i8
func.func @vectors(%x: vector<4xf32>, %n: vector<4xi16>, %h: f16, %m: i8) -> (vector<4xf32>, f16) {
  %a = math.fpowi %x, %n : vector<4xf32>, vector<4xi16>
  %b = math.fpowi %h, %m : f16, i8
  return %a, %b : vector<4xf32>, f16
}
