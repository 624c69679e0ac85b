// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

#l = #cta.frag<regs = [[1]], lanes = [[2], [4], [8], [16], [32]], warps = [[64], [128]]>

// One scalar op per register; rounding to 16 bits, and 16-bit arithmetic, by pairs.
// CHECK-LABEL: llvm.func @ops
// CHECK-COUNT-2: arith.addf %{{.*}} : f32
// CHECK-COUNT-2: arith.cmpf ogt, {{.*}} : f32
// CHECK-COUNT-2: arith.select {{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK:         arith.mulf %{{.*}} : vector<2xbf16>
// CHECK-NOT:     arith.mulf
tile.kernel @ops_k(%x: memref<256xf32>, %y: memref<256xbf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @ops blocks() {
    %c0 = arith.constant 0 : index
    %one = arith.constant dense<1.0> : tensor<256xf32, #l>
    %a = cta.load %x[%c0] {vector = 2 : i64} : memref<256xf32> -> tensor<256xf32, #l>
    %b = arith.addf %a, %one : tensor<256xf32, #l>
    %p = arith.cmpf ogt, %a, %b : tensor<256xf32, #l>
    %s = arith.select %p, %a, %b : tensor<256xi1, #l>, tensor<256xf32, #l>
    %h = arith.truncf %s : tensor<256xf32, #l> to tensor<256xbf16, #l>
    %m = arith.mulf %h, %h : tensor<256xbf16, #l>
    cta.store %m, %y[%c0] {vector = 2 : i64} : tensor<256xbf16, #l> -> memref<256xbf16>
  }
  tile.return
}

// A constant whose elements differ is a table in constant memory.
// CHECK-LABEL: llvm.func @table
// CHECK:         %[[T:.*]] = llvm.mlir.addressof @__tessera_table_0 : !llvm.ptr<4>
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<4> -> i32
tile.kernel @table_k(%y: memref<4xi32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @table blocks() {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<[3, 1, 4, 1]> : tensor<4xi32, #l>
    cta.store %t, %y[%c0] : tensor<4xi32, #l> -> memref<4xi32>
  }
  tile.return
}

// bf16 to f32: a shift and a mask of the word that was loaded.
// CHECK-LABEL: llvm.func @widen
// CHECK:         %[[W:.*]] = llvm.load %{{.*}} -> i32
// CHECK-DAG:     arith.shli %[[W]], %c16_i32
// CHECK-DAG:     arith.andi %[[W]], %c-65536_i32
// CHECK-NOT:     arith.extf
tile.kernel @widen_k(%x: memref<256xbf16>, %y: memref<256xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @widen blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0] {vector = 2 : i64} : memref<256xbf16> -> tensor<256xbf16, #l>
    %b = arith.extf %a : tensor<256xbf16, #l> to tensor<256xf32, #l>
    cta.store %b, %y[%c0] {vector = 2 : i64} : tensor<256xf32, #l> -> memref<256xf32>
  }
  tile.return
}
