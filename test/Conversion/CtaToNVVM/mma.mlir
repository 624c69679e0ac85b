// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

#fma = #cta.frag<regs = [[0, 1], [1, 0]], lanes = [[0, 2], [0, 4], [0, 8], [2, 0], [4, 0]], warps = [[8, 0], [16, 0]]>
#linear = #cta.swizzle<linear>

// 32x16 by 64 steps of k: each thread has 2x2 elements. Four steps an iteration: two rows of A as vectors of 4 along k, four
// pairs of columns of B, 16 fused multiply-adds in f32.
// CHECK-LABEL: llvm.func @f32
// CHECK:       scf.for %{{.*}} = %c0_i32 to %c64_i32 step %c4_i32 iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) -> (f32, f32, f32, f32)
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK:         llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK-COUNT-16: math.fma
// CHECK-NOT:   math.fma
// CHECK:       scf.yield
tile.kernel @f32_k(%x: memref<32x16xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @f32 blocks() attributes {shared = 16384 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<32x64xf32, #fma>
    %u = arith.constant dense<1.0> : tensor<64x16xf32, #fma>
    %a = cta.stage %t {offset = 0 : i64} : tensor<32x64xf32, #fma> -> !cta.smem<32x64xf32, #linear>
    %b = cta.stage %u {offset = 8192 : i64} : tensor<64x16xf32, #fma> -> !cta.smem<64x16xf32, #linear>
    cta.barrier
    %d = cta.mma %a, %b : !cta.smem<32x64xf32, #linear>, !cta.smem<64x16xf32, #linear> -> tensor<32x16xf32, #fma>
    cta.store %d, %x[%c0, %c0] : tensor<32x16xf32, #fma> -> memref<32x16xf32>
  }
  tile.return
}

// f16 is multiplied and summed in f32 and rounded once; 5 steps of k: four and one. Rows that do not exist read the last one.
// CHECK-LABEL: llvm.func @f16_tail
// CHECK:       arith.minsi %{{.*}}, %c29_i32
// CHECK-NOT:   scf.for
// CHECK:       arith.extf {{.*}} : f16 to f32
// CHECK-COUNT-20: math.fma
// CHECK-NOT:   math.fma
// CHECK-COUNT-4: arith.truncf {{.*}} : f32 to f16
tile.kernel @f16_k(%x: memref<30x16xf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @f16_tail blocks() attributes {shared = 16384 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<30x5xf16, #fma>
    %u = arith.constant dense<1.0> : tensor<5x16xf16, #fma>
    %a = cta.stage %t {offset = 0 : i64} : tensor<30x5xf16, #fma> -> !cta.smem<30x5xf16, #linear>
    %b = cta.stage %u {offset = 8192 : i64} : tensor<5x16xf16, #fma> -> !cta.smem<5x16xf16, #linear>
    cta.barrier
    %c = cta.load %x[%c0, %c0] : memref<30x16xf16> -> tensor<30x16xf16, #fma>
    %d = cta.mma %a, %b, %c : !cta.smem<30x5xf16, #linear>, !cta.smem<5x16xf16, #linear> -> tensor<30x16xf16, #fma>
    cta.store %d, %x[%c0, %c0] : tensor<30x16xf16, #fma> -> memref<30x16xf16>
  }
  tile.return
}

// Integers: each operand is extended as it says.
// CHECK-LABEL: llvm.func @i8
// CHECK-DAG:   arith.extui %{{.*}} : i8 to i32
// CHECK-DAG:   arith.extsi %{{.*}} : i8 to i32
// CHECK:       arith.muli {{.*}} : i32
// CHECK:       arith.addi {{.*}} : i32
tile.kernel @i8_k(%x: memref<32x16xi32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @i8 blocks() attributes {shared = 16384 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1> : tensor<32x4xi8, #fma>
    %u = arith.constant dense<1> : tensor<4x16xi8, #fma>
    %a = cta.stage %t {offset = 0 : i64} : tensor<32x4xi8, #fma> -> !cta.smem<32x4xi8, #linear>
    %b = cta.stage %u {offset = 8192 : i64} : tensor<4x16xi8, #fma> -> !cta.smem<4x16xi8, #linear>
    cta.barrier
    %d = cta.mma %a, %b {lhs_unsigned} : !cta.smem<32x4xi8, #linear>, !cta.smem<4x16xi8, #linear> -> tensor<32x16xi32, #fma>
    cta.store %d, %x[%c0, %c0] : tensor<32x16xi32, #fma> -> memref<32x16xi32>
  }
  tile.return
}

// A slot moves: what is hoisted is the offset in it, and the pointer is made where it is needed.
// CHECK-LABEL: llvm.func @slots
// CHECK:       scf.for
// CHECK:         %[[SLOT:.*]] = llvm.getelementptr
// CHECK:         scf.for
// CHECK:           llvm.getelementptr %[[SLOT]]
tile.kernel @slots_k(%x: memref<32x16xf32>, %n: i32) attributes {phase = #tile.phase<allocated>} {
  cta.launch @slots blocks() attributes {shared = 16384 : i64} {
    %ra = cta.ring {offset = 0 : i64} : !cta.ring<2, !cta.smem<32x32xf32, #cta.swizzle<linear>>>
    %rb = cta.ring {offset = 8192 : i64} : !cta.ring<2, !cta.smem<32x16xf32, #cta.swizzle<linear>>>
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<32x16xf32, #fma>
    %w = scf.for %i = %i0 to %n step %i1 iter_args(%c = %z) -> (tensor<32x16xf32, #fma>) : i32 {
      %s = arith.andi %i, %i1 : i32
      %a = cta.slot %ra[%s] : !cta.ring<2, !cta.smem<32x32xf32, #cta.swizzle<linear>>>
      %b = cta.slot %rb[%s] : !cta.ring<2, !cta.smem<32x16xf32, #cta.swizzle<linear>>>
      %d = cta.mma %a, %b, %c : !cta.smem<32x32xf32, #cta.swizzle<linear>>, !cta.smem<32x16xf32, #cta.swizzle<linear>> -> tensor<32x16xf32, #fma>
      scf.yield %d : tensor<32x16xf32, #fma>
    }
    cta.store %w, %x[%c0, %c0] : tensor<32x16xf32, #fma> -> memref<32x16xf32>
  }
  tile.return
}
