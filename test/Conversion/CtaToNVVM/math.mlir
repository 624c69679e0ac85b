// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

// No function of the dialect math is left but what LLVM has for the target.

// CHECK-LABEL: llvm.func @accurate
// CHECK-NOT:   math.{{exp|log|tanh|erf|sin|powf}}
// CHECK:       llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK:       math.sqrt
// CHECK:       llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
// The argument of a sine may be large.
// CHECK:       scf.if
tile.kernel @accurate_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @accurate blocks() {
    %v = memref.load %x[] : memref<f32>
    %a = math.exp %v : f32
    %b = math.sqrt %a : f32
    %c = math.rsqrt %b : f32
    %d = math.sin %c : f32
    %e = math.powf %d, %c : f32
    memref.store %e, %x[] : memref<f32>
  }
  tile.return
}

// CHECK-LABEL: llvm.func @approximate
// CHECK:       %[[T:.*]] = arith.mulf %{{.*}} : f32
// CHECK-NEXT:  llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[T]])
// CHECK-NEXT:  llvm.inline_asm asm_dialect = att "tanh.approx.f32 $0, $1;", "=f,f"
tile.kernel @approximate_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @approximate blocks() {
    %v = memref.load %x[] : memref<f32>
    %a = math.exp %v fastmath<afn> : f32
    %b = math.tanh %a fastmath<afn> : f32
    memref.store %b, %x[] : memref<f32>
  }
  tile.return
}

// 16 bits are computed in 32.
// CHECK-LABEL: llvm.func @narrow
// CHECK:       arith.extf {{.*}} : bf16 to f32
// CHECK:       arith.truncf {{.*}} : f32 to bf16
tile.kernel @narrow_k(%x: memref<bf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @narrow blocks() {
    %v = memref.load %x[] : memref<bf16>
    %a = math.log %v : bf16
    memref.store %a, %x[] : memref<bf16>
  }
  tile.return
}

// All of f64: the numbers are tested in test/unit/Conversion.
// CHECK-LABEL: llvm.func @wide
// CHECK-NOT:   math.{{sincos|sin|cos|tan|asin|acos|atan2|asinh|acosh|atanh|erf|erfc|powf|fpowi|ipowi|clampf}} 
// CHECK-NOT:   arith.remf
// CHECK:       llvm.return
tile.kernel @wide_k(%x: memref<f64>, %n: i32) attributes {phase = #tile.phase<allocated>} {
  cta.launch @wide blocks() {
    %v = memref.load %x[] : memref<f64>
    %a, %b = math.sincos %v : f64
    %c = math.tan %a : f64
    %d = math.atan2 %c, %b : f64
    %e = math.asin %d : f64
    %f = math.acos %e : f64
    %g = math.asinh %f : f64
    %h = math.acosh %g : f64
    %i = math.atanh %h : f64
    %j = math.erf %i : f64
    %k = math.erfc %j : f64
    %l = math.powf %k, %j : f64
    %m = math.fpowi %l, %n : f64, i32
    %o = math.clampf %m to [%a, %b] : f64
    %p = arith.remf %o, %a : f64
    %q = math.ipowi %n, %n : i32
    %r = arith.sitofp %q : i32 to f64
    %s = arith.addf %p, %r : f64
    memref.store %s, %x[] : memref<f64>
  }
  tile.return
}

// A remainder of f32 has 24 bits to divide, 40 at a time.
// CHECK-LABEL: llvm.func @remainder
// CHECK:       %[[X:.*]] = arith.extf %{{.*}} : f32 to f64
// CHECK:       scf.while
// CHECK:       arith.minsi %{{.*}}, %[[CHUNK:.*]] : i64
// CHECK:       arith.remui
// CHECK:       arith.truncf %{{.*}} : f64 to f32
tile.kernel @remainder_k(%x: memref<f32>, %y: f32) attributes {phase = #tile.phase<allocated>} {
  cta.launch @remainder blocks() {
    %v = memref.load %x[] : memref<f32>
    %r = arith.remf %v, %y : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}
