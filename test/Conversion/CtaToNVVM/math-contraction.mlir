// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s
// What is less together than its ops one by one: 1 + tanh(x), y / (1 + exp(x)).

// The constant of the argument goes into that of the exponential, the 2 of 2 / (1 + e) meets the half.
// CHECK-LABEL: llvm.func @gelu(
// CHECK:       %[[X:.*]] = llvm.load
// CHECK:       %[[SCALE:.*]] = arith.constant -2.30831218 : f32
// CHECK:       %[[V:.*]] = arith.mulf %[[X]], %[[SCALE]]
// CHECK:       %[[E:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[V]])
// CHECK:       %[[SUM:.*]] = arith.addf %[[E]], %{{.*}}
// CHECK:       %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[SUM]])
// CHECK:       %[[P:.*]] = arith.mulf %[[X]], %[[R]]
// CHECK:       llvm.store %[[P]]
tile.kernel @gelu_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @gelu blocks() {
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %scale = arith.constant 0.8 : f32
    %v = memref.load %x[] : memref<f32>
    %s = arith.mulf %v, %scale : f32
    %t = math.tanh %s : f32
    %p = arith.addf %t, %one : f32
    %h = arith.mulf %half, %v : f32
    %r = arith.mulf %h, %p : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}

// The same, as fma; 3 is doubled where the quotient is.
// CHECK-LABEL: llvm.func @fused(
// CHECK-DAG:   %[[THREE:.*]] = arith.constant 3.000000e+00 : f32
// CHECK:       %[[X:.*]] = llvm.load
// CHECK:       %[[H:.*]] = arith.mulf %[[X]], %[[THREE]]
// CHECK:       %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
// CHECK:       %[[TWO:.*]] = arith.mulf %[[R]], %{{.*}}
// CHECK:       arith.mulf %[[H]], %[[TWO]]
// CHECK-NOT:   math.fma
// CHECK:       llvm.return
tile.kernel @fused_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @fused blocks() {
    %three = arith.constant 3.0 : f32
    %v = memref.load %x[] : memref<f32>
    %h = arith.mulf %v, %three : f32
    %t = math.tanh %v : f32
    %r = math.fma %t, %h, %h : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}

// Approximate: the sum goes into the product.
// CHECK-LABEL: llvm.func @approximate(
// CHECK:       %[[X:.*]] = llvm.load
// CHECK:       %[[T:.*]] = llvm.inline_asm {{.*}} "tanh.approx.f32 $0, $1;"
// CHECK-NOT:   arith.addf
// CHECK:       math.fma %[[X]], %[[T]], %[[X]]
// CHECK:       llvm.return
tile.kernel @approximate_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @approximate blocks() {
    %one = arith.constant 1.0 : f32
    %v = memref.load %x[] : memref<f32>
    %t = math.tanh %v fastmath<afn> : f32
    %p = arith.addf %t, %one : f32
    %r = arith.mulf %p, %v : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}

// Two units of the last place instead of a branch. The divisor's quarter has an inverse that is no denormal.
// CHECK-LABEL: llvm.func @silu(
// CHECK:       %[[X:.*]] = llvm.load
// CHECK:       %[[Q:.*]] = arith.constant 2.500000e-01 : f32
// CHECK:       %[[D:.*]] = math.fma %{{.*}}, %[[Q]], %[[Q]]
// CHECK:       %[[Y:.*]] = arith.mulf %[[X]], %[[Q]]
// CHECK:       %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[D]])
// CHECK:       arith.mulf %[[Y]], %[[R]]
// CHECK-NOT:   arith.divf
// CHECK:       llvm.return
// CHECK-LABEL: llvm.func @approximate_silu(
// CHECK:       %[[D:.*]] = arith.addf
// CHECK:       %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[D]])
// CHECK:       arith.mulf %{{.*}}, %[[R]]
// CHECK-NOT:   arith.divf
// CHECK:       llvm.return
tile.kernel @silu_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @silu blocks() {
    %one = arith.constant 1.0 : f32
    %v = memref.load %x[] : memref<f32>
    %n = arith.negf %v : f32
    %e = math.exp %n : f32
    %d = arith.addf %one, %e : f32
    %r = arith.divf %v, %d : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}
tile.kernel @approximate_silu_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @approximate_silu blocks() {
    %one = arith.constant 1.0 : f32
    %v = memref.load %x[] : memref<f32>
    %e = math.exp %v fastmath<afn> : f32
    %d = arith.addf %e, %one : f32
    %r = arith.divf %v, %d fastmath<afn> : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}

// Not where tanh itself is wanted too, not with another constant, not for other divisors.
// CHECK-LABEL: llvm.func @others(
// CHECK-COUNT-2: math.copysign
// CHECK:       arith.divf
// CHECK:       llvm.return
tile.kernel @others_k(%x: memref<f32>, %y: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @others blocks() {
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %v = memref.load %x[] : memref<f32>
    %t = math.tanh %v : f32
    %p = arith.addf %t, %one : f32
    memref.store %t, %y[] : memref<f32>
    %u = math.tanh %p : f32
    %q = arith.addf %u, %two : f32
    %e = math.exp %q : f32
    %d = arith.addf %e, %two : f32
    %r = arith.divf %q, %d : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}

// Not where each op rounds, and not on f64.
// CHECK-LABEL: llvm.func @rounded(
// CHECK:       math.copysign
// CHECK:       arith.divf
// CHECK:       llvm.return
tile.kernel @rounded_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>, fp_contract = #tile.switch<off>} {
  cta.launch @rounded blocks() {
    %one = arith.constant 1.0 : f32
    %v = memref.load %x[] : memref<f32>
    %t = math.tanh %v : f32
    %p = arith.addf %t, %one : f32
    %e = math.exp %p : f32
    %d = arith.addf %e, %one : f32
    %r = arith.divf %v, %d : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}
// CHECK-LABEL: llvm.func @wide(
// CHECK:       arith.divf
// CHECK-NOT:   rcp.approx
// CHECK:       llvm.return
tile.kernel @wide_k(%x: memref<f64>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @wide blocks() {
    %one = arith.constant 1.0 : f64
    %v = memref.load %x[] : memref<f64>
    %t = math.tanh %v : f64
    %p = arith.addf %t, %one : f64
    %e = math.exp %p : f64
    %d = arith.addf %e, %one : f64
    %r = arith.divf %v, %d : f64
    memref.store %r, %x[] : memref<f64>
  }
  tile.return
}
