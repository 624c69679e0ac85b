// RUN: tile-opt %s --convert-cta-to-nvvm -split-input-file -verify-diagnostics | FileCheck %s

#row = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warps = [[8, 0], [16, 0]]>
#sums = #cta.frag<regs = [], lanes = [[0], [0], [1], [2], [4]], warps = [[8], [16]]>

// 4 registers one after the other, then 4 lanes in two steps within groups of 4 (segment mask 28 << 8), then what is before the lane. Nobody
// reads the total.
// CHECK-LABEL: llvm.func @columns
// CHECK:       %[[A:.*]] = arith.addf %[[X0:.*]], %[[X1:.*]] : f32
// CHECK-NEXT:  %[[B:.*]] = arith.addf %[[A]], %{{.*}} : f32
// CHECK-NEXT:  %[[C:.*]] = arith.addf %[[B]], %{{.*}} : f32
// CHECK-NEXT:  %[[S1:.*]] = nvvm.shfl.sync up %{{.*}}, %[[C]], %c1_i32, %c7168_i32 {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
// CHECK-NEXT:  %[[V1:.*]] = llvm.extractvalue %[[S1]][1]
// CHECK-NEXT:  %[[F1:.*]] = llvm.extractvalue %[[S1]][0]
// CHECK-NEXT:  %[[D1:.*]] = arith.addf %[[F1]], %[[C]] : f32
// CHECK-NEXT:  %[[E1:.*]] = arith.select %[[V1]], %[[D1]], %[[C]] : f32
// CHECK-NEXT:  nvvm.shfl.sync up %{{.*}}, %[[E1]], %c2_i32, %c7168_i32
// CHECK:       %[[E2:.*]] = arith.select
// CHECK-NEXT:  %[[S3:.*]] = nvvm.shfl.sync up %{{.*}}, %[[E2]], %c1_i32, %c7168_i32
// CHECK-NEXT:  %[[V3:.*]] = llvm.extractvalue %[[S3]][1]
// CHECK-NEXT:  %[[F3:.*]] = llvm.extractvalue %[[S3]][0]
// CHECK-NEXT:  %[[P:.*]] = arith.select %[[V3]], %[[F3]], %{{.*}} : f32
// CHECK-NEXT:  arith.addf %[[P]], %[[X0]]
// CHECK-NEXT:  arith.addf %[[P]], %[[A]]
// CHECK-NEXT:  arith.addf %[[P]], %[[B]]
// CHECK-NEXT:  arith.addf %[[P]], %[[C]]
// CHECK-NOT:   shfl
tile.kernel @columns_k(%x: memref<32x16xf32>, %y: memref<32x16xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @columns blocks() {
    %c0 = arith.constant 0 : index
    %zero = arith.constant -0.0 : f32
    %t = cta.load %x[%c0, %c0] {vector = 4 : i64} : memref<32x16xf32> -> tensor<32x16xf32, #row>
    %s, %n = cta.scan (%t) dim = 1 init(%zero) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    } : tensor<32x16xf32, #row> -> tensor<32x16xf32, #row>, tensor<32xf32, #sums>
    cta.store %s, %y[%c0, %c0] {vector = 4 : i64} : tensor<32x16xf32, #row> -> memref<32x16xf32>
  }
  tile.return
}

// -----

#row = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warps = [[8, 0], [16, 0]]>
#sums = #cta.frag<regs = [], lanes = [[0], [0], [1], [2], [4]], warps = [[8], [16]]>

// In reverse lanes look up (segment mask and the last lane, 28 << 8 | 31); 13 of 16 columns exist, the rest count as the identity. The total
// comes from the first lane of the group. The order of the operands is that of the scan.
// CHECK-LABEL: llvm.func @reverse
// CHECK:       arith.cmpi slt, %{{.*}}, %c12_i32
// CHECK:       arith.select %{{.*}}, %{{.*}}, %c0_i32 : i32
// CHECK:       nvvm.shfl.sync down %{{.*}}, %{{.*}}, %c1_i32, %c7199_i32
// CHECK:       %[[FIRST:.*]] = llvm.extractvalue %{{.*}}[0]
// CHECK-NEXT:  arith.muli %[[FIRST]], %{{.*}} : i32
// CHECK:       nvvm.shfl.sync down %{{.*}}, %{{.*}}, %c2_i32, %c7199_i32
// CHECK:       nvvm.shfl.sync idx
// CHECK:       nvvm.shfl.sync down %{{.*}}, %{{.*}}, %c1_i32, %c7199_i32
tile.kernel @reverse_k(%x: memref<32x13xi32>, %y: memref<32x13xi32>, %z: memref<32xi32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @reverse blocks() {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %t = cta.load %x[%c0, %c0] : memref<32x13xi32> -> tensor<32x13xi32, #row>
    %s, %n = cta.scan (%t) dim = 1 init(%zero) reverse {
    ^bb0(%a: i32, %b: i32):
      %r = arith.muli %a, %b : i32
      tile.yield %r : i32
    } : tensor<32x13xi32, #row> -> tensor<32x13xi32, #row>, tensor<32xi32, #sums>
    cta.store %s, %y[%c0, %c0] : tensor<32x13xi32, #row> -> memref<32x13xi32>
    cta.store %n, %z[%c0] : tensor<32xi32, #sums> -> memref<32xi32>
  }
  tile.return
}

// -----

#row = #cta.frag<regs = [[0, 1]], lanes = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], warps = [[0, 4], [0, 8]]>
#parts = #cta.frag<regs = [], lanes = [[0, 0], [1, 0], [2, 0], [4, 0], [8, 0]], warps = [[0, 1], [0, 2]]>
#all = #cta.frag<regs = [], lanes = [[0, 0], [1, 0], [2, 0], [4, 0], [8, 0]], warps = [[0, 0], [0, 0]]>

// Parts of four elements: one step over the lanes, and a thread takes the prefix of the warp's part.
// CHECK-LABEL: llvm.func @partial
// CHECK:         arith.cmpi sge, %{{.*}}, %c4_i32
// CHECK:         arith.cmpi sge, %{{.*}}, %c8_i32
// CHECK:         arith.cmpi sge, %{{.*}}, %c12_i32
// CHECK-COUNT-2: nvvm.shfl.sync up
// CHECK-NOT:     nvvm.shfl.sync up
// CHECK-COUNT-3: arith.select
tile.kernel @partial_k(%x: memref<16x16xf32>, %p: memref<16x4xf32>, %y: memref<16x16xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @partial blocks() {
    %c0 = arith.constant 0 : index
    %zero = arith.constant -0.0 : f32
    %t = cta.load %x[%c0, %c0] : memref<16x16xf32> -> tensor<16x16xf32, #row>
    %s, %n = cta.scan (%t) dim = 1 init(%zero) attributes {partial} {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    } : tensor<16x16xf32, #row> -> tensor<16x16xf32, #row>, tensor<16x4xf32, #parts>
    %q = cta.load %p[%c0, %c0] : memref<16x4xf32> -> tensor<16x4xf32, #all>
    %r = cta.repeat %q dim = 1 times = 4 : tensor<16x4xf32, #all> -> tensor<16x16xf32, #row>
    %u = arith.addf %r, %s : tensor<16x16xf32, #row>
    cta.store %u, %y[%c0, %c0] : tensor<16x16xf32, #row> -> memref<16x16xf32>
    cta.store %n, %p[%c0, %c0] : tensor<16x4xf32, #parts> -> memref<16x4xf32>
  }
  tile.return
}

// -----

#row = #cta.frag<regs = [[0, 1]], lanes = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], warps = [[0, 4], [0, 8]]>
#sums = #cta.frag<regs = [], lanes = [[0], [1], [2], [4], [8]], warps = [[0], [0]]>

tile.kernel @across_k(%x: memref<16x16xf32>, %y: memref<16x16xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @across blocks() {
    %c0 = arith.constant 0 : index
    %zero = arith.constant -0.0 : f32
    %t = cta.load %x[%c0, %c0] : memref<16x16xf32> -> tensor<16x16xf32, #row>
    // expected-error @+1 {{the scan crosses warps, or the input's layout has no order along the dimension: run cta-decompose before this pass}}
    %s, %n = cta.scan (%t) dim = 1 init(%zero) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    } : tensor<16x16xf32, #row> -> tensor<16x16xf32, #row>, tensor<16xf32, #sums>
    cta.store %s, %y[%c0, %c0] : tensor<16x16xf32, #row> -> memref<16x16xf32>
  }
  tile.return
}
