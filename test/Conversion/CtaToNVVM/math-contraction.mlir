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
