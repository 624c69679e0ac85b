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
