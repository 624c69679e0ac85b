// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

// A sum that is a factor of another user of the same tanh.
// CHECK-LABEL: llvm.func @square
// CHECK-NOT: math.tanh
// CHECK: rcp.approx
// CHECK-NOT: math.tanh
tile.kernel @square_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @square blocks() {
    %one = arith.constant 1.0 : f32
    %v = memref.load %x[] : memref<f32>
    %t = math.tanh %v : f32
    %s = arith.addf %t, %one : f32
    %r = math.fma %s, %t, %s : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}

// A constant that would overflow with what the exponential is scaled by stays by itself: x = 0 must give 1.
// CHECK-LABEL: llvm.func @large
// CHECK-NOT: 0xFF800000
// CHECK: arith.constant 3.000000e+38 : f32
// CHECK-NOT: 0xFF800000
// CHECK: llvm.return
tile.kernel @large_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @large blocks() {
    %one = arith.constant 1.0 : f32
    %c = arith.constant 3.0e38 : f32
    %v = memref.load %x[] : memref<f32>
    %u = arith.mulf %v, %c : f32
    %t = math.tanh %u : f32
    %s = arith.addf %t, %one : f32
    memref.store %s, %x[] : memref<f32>
  }
  tile.return
}

// A quotient by 1 + exp2(x) is one reciprocal of a quarter of the divisor, which cannot be so large that its inverse is flushed to zero.
// CHECK-LABEL: llvm.func @quotient
// CHECK-NOT: arith.divf
// CHECK: %[[E:.+]] = {{.*}}ex2.approx
// CHECK: %[[DIVISOR:.+]] = math.fma %[[E]], %[[QUARTER:.+]], %[[QUARTER]] : f32
// CHECK: %[[DIVIDEND:.+]] = arith.mulf %{{.+}}, %[[QUARTER]] : f32
// CHECK: %[[INVERSE:.+]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[DIVISOR]])
// CHECK: arith.mulf %[[DIVIDEND]], %[[INVERSE]] : f32
// CHECK-NOT: arith.divf
tile.kernel @quotient_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @quotient blocks() {
    %one = arith.constant 1.0 : f32
    %v = memref.load %x[] : memref<f32>
    %e = math.exp2 %v : f32
    %s = arith.addf %e, %one : f32
    %r = arith.divf %v, %s : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}

// With `afn` the divisor is taken as it is.
// CHECK-LABEL: llvm.func @approximate
// CHECK-NOT: arith.divf
// CHECK: %[[SUM:.+]] = arith.addf
// CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[SUM]])
// CHECK-NOT: arith.divf
// CHECK: llvm.return
tile.kernel @approximate_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @approximate blocks() {
    %one = arith.constant 1.0 : f32
    %v = memref.load %x[] : memref<f32>
    %e = math.exp2 %v fastmath<afn> : f32
    %s = arith.addf %one, %e : f32
    %r = arith.divf %v, %s fastmath<afn> : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}

// Another sum than one with 1, another function, and a kernel that does not contract: rounded correctly.
// CHECK-LABEL: llvm.func @two
// CHECK: arith.divf
tile.kernel @two_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @two blocks() {
    %two = arith.constant 2.0 : f32
    %v = memref.load %x[] : memref<f32>
    %e = math.exp2 %v : f32
    %s = arith.addf %e, %two : f32
    %r = arith.divf %v, %s : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}

// CHECK-LABEL: llvm.func @root
// CHECK: %[[SUM:.+]] = arith.addf
// CHECK-NEXT: arith.divf %{{.+}}, %[[SUM]]
tile.kernel @root_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @root blocks() {
    %one = arith.constant 1.0 : f32
    %v = memref.load %x[] : memref<f32>
    %e = math.sqrt %v : f32
    %s = arith.addf %e, %one : f32
    %r = arith.divf %v, %s : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}

// CHECK-LABEL: llvm.func @apart
// CHECK: arith.divf
tile.kernel @apart_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>, fp_contract = #tile.switch<off>} {
  cta.launch @apart blocks() {
    %one = arith.constant 1.0 : f32
    %v = memref.load %x[] : memref<f32>
    %e = math.exp2 %v : f32
    %s = arith.addf %e, %one : f32
    %r = arith.divf %v, %s : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}

// CHECK-LABEL: llvm.func @variable
// CHECK: %[[SUM:.+]] = arith.addf
// CHECK-NEXT: arith.divf %{{.+}}, %[[SUM]]
tile.kernel @variable_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @variable blocks() {
    %v = memref.load %x[] : memref<f32>
    %e = math.exp2 %v : f32
    %s = arith.addf %e, %v : f32
    %r = arith.divf %v, %s : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}

// CHECK-LABEL: llvm.func @wide
// CHECK: %[[SUM:.+]] = arith.addf %{{.+}}, %cst : f64
// CHECK-NEXT: arith.divf %{{.+}}, %[[SUM]] : f64
tile.kernel @wide_k(%x: memref<f64>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @wide blocks() {
    %one = arith.constant 1.0 : f64
    %v = memref.load %x[] : memref<f64>
    %e = math.exp2 %v : f64
    %s = arith.addf %e, %one : f64
    %r = arith.divf %v, %s : f64
    memref.store %r, %x[] : memref<f64>
  }
  tile.return
}

// A sum with another user stays for that one.
// CHECK-LABEL: llvm.func @twice
// CHECK-NOT: arith.divf
// CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
// CHECK: arith.addf
// CHECK-NOT: arith.divf
// CHECK: llvm.return
tile.kernel @twice_k(%x: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @twice blocks() {
    %one = arith.constant 1.0 : f32
    %v = memref.load %x[] : memref<f32>
    %e = math.exp2 %v : f32
    %s = arith.addf %e, %one : f32
    %q = arith.divf %v, %s : f32
    %r = arith.addf %q, %s : f32
    memref.store %r, %x[] : memref<f32>
  }
  tile.return
}
