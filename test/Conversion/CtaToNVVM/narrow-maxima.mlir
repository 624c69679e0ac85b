// RUN: tile-opt %s --convert-thread-code-to-llvm | FileCheck %s

// ptxas miscompiles pairs of maxima of f16 that share an operand: scalars of 16 bits are compared in f32.

// CHECK-LABEL: @scalars
func.func @scalars(%a: f16, %b: f16, %c: bf16, %d: bf16) -> (f16, f16, bf16, bf16) {
  // CHECK:      %[[A:.*]] = llvm.bitcast %{{.*}} : f16 to i16
  // CHECK:      %[[B:.*]] = llvm.bitcast %{{.*}} : f16 to i16
  // CHECK:      %[[M:.*]] = llvm.inline_asm "{{.*}}cvt.f32.f16 %a, $1; cvt.f32.f16 %b, $2; max.NaN.f32 %a, %a, %b; cvt.rn.f16.f32 $0, %a;{{.*}}", "=h,h,h" %[[A]], %[[B]] : (i16, i16) -> i16
  // CHECK:      llvm.bitcast %[[M]] : i16 to f16
  %0 = arith.maximumf %a, %b : f16
  // CHECK:      llvm.inline_asm "{{.*}}; min.f32 %a, %a, %b; cvt.rn.f16.f32 $0, %a;
  %1 = arith.minnumf %a, %b : f16
  // CHECK:      llvm.inline_asm "{{.*}}cvt.f32.bf16 %b, $2; min.NaN.f32 %a, %a, %b; cvt.rn.bf16.f32 $0, %a;
  %2 = arith.minimumf %c, %d : bf16
  // CHECK:      llvm.inline_asm "{{.*}}cvt.f32.bf16 %b, $2; max.f32 %a, %a, %b; cvt.rn.bf16.f32 $0, %a;
  %3 = arith.maxnumf %c, %d : bf16
  return %0, %1, %2, %3 : f16, f16, bf16, bf16
}

// Wider numbers have their own instruction, and so do pairs.
// CHECK-LABEL: @others
// CHECK-NOT:   llvm.inline_asm
func.func @others(%a: f32, %b: f32, %c: f64, %d: f64, %v: vector<2xf16>, %w: vector<2xf16>) -> (f32, f64, vector<2xf16>) {
  // CHECK: llvm.intr.maximum({{.*}}) : (f32, f32) -> f32
  %0 = arith.maximumf %a, %b : f32
  // CHECK: llvm.intr.minimum({{.*}}) : (f64, f64) -> f64
  %1 = arith.minimumf %c, %d : f64
  // CHECK: llvm.intr.maximum({{.*}}) : (vector<2xf16>, vector<2xf16>) -> vector<2xf16>
  %2 = arith.maximumf %v, %w : vector<2xf16>
  return %0, %1, %2 : f32, f64, vector<2xf16>
}
