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
