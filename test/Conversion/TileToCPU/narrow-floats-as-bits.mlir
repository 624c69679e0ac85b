// RUN: tile-opt %s -cpu-narrow-floats-as-bits | FileCheck %s

// CHECK: llvm.mlir.global private constant @table(dense<[16256, -32768]> : tensor<2xi16>) {{.*}} : !llvm.array<2 x i16>
llvm.mlir.global private constant @table(dense<[1.0, -0.0]> : tensor<2xbf16>) : !llvm.array<2 x bf16>

// CHECK-LABEL: llvm.func @pick(
// CHECK: llvm.mlir.constant(15360 : i16) : i16
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK: llvm.br ^bb2(%{{.*}} : i16)
// CHECK: llvm.store %{{.*}} : i16, !llvm.ptr
llvm.func @pick(%p: !llvm.ptr, %c: i1) {
  %one = llvm.mlir.constant(1.0 : f16) : f16
  llvm.cond_br %c, ^bb1, ^bb2(%one : f16)
^bb1:
  %x = llvm.load %p : !llvm.ptr -> f16
  llvm.br ^bb2(%x : f16)
^bb2(%y: f16):
  llvm.store %y, %p : f16, !llvm.ptr
  llvm.return
}
