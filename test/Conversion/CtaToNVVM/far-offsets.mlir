// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s
// RUN: tilec %s --emit=llvm -o - | FileCheck %s --check-prefix=LLVM

// Constant offsets of 2^28 bytes and more are values: the LLVM dialect holds 29 bits of a static index.
#rows = #cta.frag<regs = [[1, 0]], lanes = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warps = [[2, 0], [4, 0]]>
// CHECK-LABEL: llvm.func @far
// CHECK: llvm.getelementptr %{{.*}}[268435452] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
// CHECK: llvm.getelementptr %{{.*}}[%c268435456_i64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: llvm.getelementptr %{{.*}}[%c17179869184_i64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// LLVM-LABEL: define {{.*}}@far
// LLVM: getelementptr {{.*}}i8, ptr addrspace(1) %{{.*}}, i64 268435452
// LLVM: getelementptr {{.*}}i8, ptr addrspace(1) %{{.*}}, i64 268435456
// LLVM: getelementptr {{.*}}i8, ptr addrspace(1) %{{.*}}, i64 17179869184
tile.kernel @far_k(%x: memref<?xf32>, %w: memref<8x4294967296xf32>, %y: memref<8x32xf32>, %z: memref<2xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @far blocks() attributes {threads = 128} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %near = arith.constant 67108863 : index
    %at = arith.constant 67108864 : index
    %a = memref.load %x[%near] : memref<?xf32>
    %b = memref.load %x[%at] : memref<?xf32>
    memref.store %a, %z[%c0] : memref<2xf32>
    memref.store %b, %z[%c1] : memref<2xf32>
    %t = cta.load %w[%c0, %c0] : memref<8x4294967296xf32> -> tensor<8x32xf32, #rows>
    cta.store %t, %y[%c0, %c0] : tensor<8x32xf32, #rows> -> memref<8x32xf32>
  }
  tile.return
}
