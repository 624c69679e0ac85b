// Workspace with strides: addresses are what the strides say, a descriptor speaks of the workspace.
// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

// CHECK-LABEL: llvm.func @strided
// CHECK-SAME: %[[N:[^:]+]]: i64
// CHECK-SAME: {index = 0 : i64, kind = "workspace"}
// CHECK-DAG: %[[FOUR:.+]] = arith.constant 4 : i64
// CHECK-DAG: %[[COLUMN:.+]] = arith.constant 12 : i64
// CHECK: %[[I:.+]] = arith.index_cast %[[N]] : i64 to index
// CHECK: %[[TWICE:.+]] = arith.muli %[[I]], %c2
// CHECK: %[[STRIDE:.+]] = arith.index_cast %[[TWICE]] : index to i64
// CHECK: %[[ROW:.+]] = arith.muli %{{.+}}, %[[STRIDE]] : i64
// CHECK: %[[AT:.+]] = arith.addi %[[ROW]], %[[COLUMN]] : i64
// CHECK: %[[BYTES:.+]] = arith.muli %[[AT]], %[[FOUR]] : i64
// CHECK: llvm.getelementptr %{{.+}}[%[[BYTES]]]
tile.kernel @strided_k(%n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1 : i64} {
  %c2 = arith.constant 2 : index
  %stride = arith.muli %n, %c2 : index
  %w = memref.alloc(%n)[%stride] : memref<?x5xf32, strided<[?, 3]>>
  cta.launch @strided blocks(%n) attributes {threads = 128 : i64} {
    %b = cta.block_id : index
    %c4 = arith.constant 4 : index
    %v = arith.constant 1.0 : f32
    memref.store %v, %w[%b, %c4] : memref<?x5xf32, strided<[?, 3]>>
  }
  tile.return
}

// CHECK-LABEL: llvm.func @copied
// CHECK-SAME: {box = array<i64: 64, 64>, dims = array<i64: 0, 1>, element = "bf16", interleave = 0 : i64, oob = "zero", swizzle = 128 : i64, workspace = 0 : i64}
tile.kernel @copied_k(%n: index, %i: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1 : i64} {
  %w = memref.alloc(%n)[%n] : memref<?x99xbf16, strided<[?, 1]>>
  cta.launch @copied blocks() attributes {shared = 8200 : i64, mbarriers = array<i64: 1>} {
    %s = cta.copy %w[%i, %i] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 0 : i64} : memref<?x99xbf16, strided<[?, 1]>> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    cta.await 0
  }
  tile.return
}
