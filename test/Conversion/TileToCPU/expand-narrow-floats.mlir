// RUN: tile-opt %s -pass-pipeline='builtin.module(func.func(cpu-expand-narrow-floats))' | FileCheck %s

// CHECK-LABEL: func.func @from_bf16(
// CHECK-SAME: %[[X:.*]]: bf16)
// CHECK: %[[C:.*]] = arith.constant 16 : i32
// CHECK: %[[B:.*]] = arith.bitcast %[[X]] : bf16 to i16
// CHECK: %[[W:.*]] = arith.extui %[[B]] : i16 to i32
// CHECK: %[[S:.*]] = arith.shli %[[W]], %[[C]]
// CHECK: arith.bitcast %[[S]] : i32 to f32
func.func @from_bf16(%x: bf16) -> f32 {
  %y = arith.extf %x : bf16 to f32
  return %y : f32
}

// CHECK-LABEL: func.func @to_f16(
// CHECK-NOT: arith.truncf
// CHECK: arith.trunci %{{.*}} : i32 to i16
// CHECK: arith.bitcast %{{.*}} : i16 to f16
func.func @to_f16(%x: f32) -> f16 {
  %y = arith.truncf %x : f32 to f16
  return %y : f16
}

// From f64 with one rounding: by way of f32 rounded to odd.
// CHECK-LABEL: func.func @double_to_bf16(
// CHECK: %[[N:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: %[[B:.*]] = arith.extf %[[N]] : f32 to f64
// CHECK: arith.cmpf one, %[[B]]
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
func.func @double_to_bf16(%x: f64) -> bf16 {
  %y = arith.truncf %x : f64 to bf16
  return %y : bf16
}

// CHECK-LABEL: func.func @integer(
// CHECK: arith.sitofp %{{.*}} : i32 to f64
func.func @integer(%x: i32) -> f16 {
  %y = arith.sitofp %x : i32 to f16
  return %y : f16
}

// CHECK-LABEL: func.func @fma(
// CHECK: %[[P:.*]] = arith.mulf %{{.*}} : f64
// CHECK: arith.addf %[[P]], %{{.*}} : f64
func.func @fma(%x: f16) -> f16 {
  %y = math.fma %x, %x, %x : f16
  return %y : f16
}

// Every op rounds: what divf reads is what tanh gave as bf16, extended.
// CHECK-LABEL: func.func @ops(
// CHECK: %[[T:.*]] = math.tanh %{{.*}} : f32
// CHECK: arith.bitcast %[[T]] : f32 to i32
// CHECK: %[[R:.*]] = arith.bitcast %{{.*}} : i16 to bf16
// CHECK: %[[B:.*]] = arith.bitcast %[[R]] : bf16 to i16
// CHECK: %[[W:.*]] = arith.extui %[[B]]
// CHECK: %[[S:.*]] = arith.shli %[[W]]
// CHECK: %[[Y:.*]] = arith.bitcast %[[S]] : i32 to f32
// CHECK: arith.divf %[[Y]], %{{.*}} : f32
// CHECK: arith.cmpf olt, %{{.*}} : f32
func.func @ops(%x: bf16) -> (bf16, i1) {
  %t = math.tanh %x : bf16
  %r = arith.divf %t, %x : bf16
  %c = arith.cmpf olt, %r, %x : bf16
  return %r, %c : bf16, i1
}

// CHECK-LABEL: func.func @others(
// CHECK-NEXT: arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: math.fma
func.func @others(%x: f64) -> f32 {
  %y = arith.truncf %x : f64 to f32
  %z = math.fma %y, %y, %y : f32
  return %z : f32
}
