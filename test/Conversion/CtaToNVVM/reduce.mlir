// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

#l = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warps = [[8, 0], [16, 0]]>
#rows = #cta.frag<regs = [], lanes = [[0], [0], [1], [2], [4]], warps = [[8], [16]]>
#parts = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 0], [0, 0], [0, 0]], warps = [[1, 0], [2, 0]]>

// Along columns: a tree over four registers, then two butterflies. Other lanes hold other rows.
// CHECK-LABEL: llvm.func @columns
// CHECK:       %[[A:.*]] = arith.addf
// CHECK-NEXT:  %[[B:.*]] = arith.addf
// CHECK-NEXT:  %[[C:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT:  %[[S:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[C]], %c2_i32
// CHECK-NEXT:  %[[D:.*]] = arith.addf %[[C]], %[[S]]
// CHECK-NEXT:  nvvm.shfl.sync bfly %{{.*}}, %[[D]], %c1_i32
// CHECK-NEXT:  arith.addf
// CHECK-NOT:   shfl
tile.kernel @columns_k(%x: memref<32x16xf32>, %y: memref<32xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @columns blocks() {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = cta.load %x[%c0, %c0] {vector = 4 : i64} : memref<32x16xf32> -> tensor<32x16xf32, #l>
    %s = cta.reduce (%t) dims = [1] init(%zero) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    } : tensor<32x16xf32, #l> -> tensor<32xf32, #rows>
    cta.store %s, %y[%c0] : tensor<32xf32, #rows> -> memref<32xf32>
  }
  tile.return
}

// Two values; 13 of 16 columns exist, the rest count as the identity.
// CHECK-LABEL: llvm.func @pairs
// CHECK:       arith.cmpi slt, %{{.*}}, %c12_i32
// CHECK:       arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK:       nvvm.shfl.sync bfly %{{.*}} : f32 -> f32
// CHECK:       nvvm.shfl.sync bfly %{{.*}} : i32 -> i32
tile.kernel @pairs_k(%x: memref<32x13xf32>, %y: memref<32xi32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @pairs blocks() {
    %c0 = arith.constant 0 : index
    %ninf = arith.constant 0xFF800000 : f32
    %big = arith.constant 2147483647 : i32
    %t = cta.load %x[%c0, %c0] : memref<32x13xf32> -> tensor<32x13xf32, #l>
    %j = cta.iota dim = 1 : tensor<32x13xi32, #l>
    %s, %i = cta.reduce (%t, %j) dims = [1] init(%ninf, %big) {
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %p = arith.cmpf ogt, %a, %b : f32
      %v = arith.select %p, %a, %b : f32
      %vi = arith.select %p, %ai, %bi : i32
      tile.yield %v, %vi : f32, i32
    } : tensor<32x13xf32, #l>, tensor<32x13xi32, #l> -> tensor<32xf32, #rows>, tensor<32xi32, #rows>
    cta.store %i, %y[%c0] : tensor<32xi32, #rows> -> memref<32xi32>
  }
  tile.return
}

// Partial: each warp its own rows; the four registers stay.
// CHECK-LABEL: llvm.func @partial
// CHECK-COUNT-12: nvvm.shfl.sync bfly
// CHECK-NOT:      nvvm.shfl
tile.kernel @partial_k(%x: memref<32x16xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @partial blocks() attributes {shared = 256 : i64} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = cta.load %x[%c0, %c0] {vector = 4 : i64} : memref<32x16xf32> -> tensor<32x16xf32, #l>
    %p = cta.reduce (%t) dims = [0] init(%zero) attributes {partial} {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    } : tensor<32x16xf32, #l> -> tensor<4x16xf32, #parts>
    %s = cta.stage %p {offset = 0 : i64} : tensor<4x16xf32, #parts> -> !cta.smem<4x16xf32, #cta.swizzle<linear>>
  }
  tile.return
}
