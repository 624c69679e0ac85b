// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

#acc = #cta.frag<regs = [[0, 1], [8, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [0, 8]]>
#batch = #cta.frag<regs = [[0, 0, 1], [0, 8, 0]], lanes = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warps = [[0, 16, 0], [0, 0, 8]]>
#rows = #cta.frag<regs = [[0, 1], [8, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[0, 8], [0, 16]]>
#linear = #cta.swizzle<linear>
#padded = #cta.swizzle<linear, pad = 32>

// 64x32 by 28 columns of A: in each warp 2 x 2 blocks, each by k16, k8 and k4. A fragment is read once: 2 x 2 x 7 of A, 2 x 7 of B.
// CHECK-LABEL: llvm.func @f64
// CHECK-COUNT-42: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK-NOT:   llvm.load
// CHECK-NOT:   math.fma
// CHECK:       llvm.return
// CHECK-LABEL: llvm.func @f64_text
// CHECK:       llvm.inline_asm {{.*}}"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {$0, $1, $2, $3}, {$8, $9, $10, $11, $12, $13, $14, $15}, {$16, $17, $18, $19}, {$0, $1, $2, $3};", "=d,=d,=d,=d,0,1,2,3,d,d,d,d,d,d,d,d,d,d,d,d" {{.*}} -> !llvm.struct<(f64, f64, f64, f64)>
// CHECK-COUNT-3: mma.sync.aligned.m16n8k16
// CHECK:       mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {$0, $1, $2, $3}, {$8, $9, $10, $11}, {$12, $13}, {$0, $1, $2, $3};
// CHECK-COUNT-3: mma.sync.aligned.m16n8k8
// CHECK:       mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {$0, $1, $2, $3}, {$8, $9}, {$10}, {$0, $1, $2, $3};
// CHECK-COUNT-3: mma.sync.aligned.m16n8k4
// CHECK-NOT:   mma.sync
tile.kernel @f64_k(%x: memref<64x32xf64>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @f64 blocks() attributes {shared = 32768 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<64x28xf64, #acc>
    %u = arith.constant dense<1.0> : tensor<28x32xf64, #acc>
    %a = cta.stage %t {offset = 0 : i64} : tensor<64x28xf64, #acc> -> !cta.smem<64x28xf64, #padded>
    %b = cta.stage %u {offset = 16384 : i64} : tensor<28x32xf64, #acc> -> !cta.smem<28x32xf64, #padded>
    cta.barrier
    %d = cta.mma %a, %b : !cta.smem<64x28xf64, #padded>, !cta.smem<28x32xf64, #padded> -> tensor<64x32xf64, #acc>
    cta.store %d, %x[%c0, %c0] : tensor<64x32xf64, #acc> -> memref<64x32xf64>
  }
  cta.launch @f64_text blocks() attributes {shared = 32768 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<64x28xf64, #acc>
    %u = arith.constant dense<1.0> : tensor<28x32xf64, #acc>
    %a = cta.stage %t {offset = 0 : i64} : tensor<64x28xf64, #acc> -> !cta.smem<64x28xf64, #padded>
    %b = cta.stage %u {offset = 16384 : i64} : tensor<28x32xf64, #acc> -> !cta.smem<28x32xf64, #padded>
    cta.barrier
    %d = cta.mma %a, %b : !cta.smem<64x28xf64, #padded>, !cta.smem<28x32xf64, #padded> -> tensor<64x32xf64, #acc>
    cta.store %d, %x[%c0, %c0] : tensor<64x32xf64, #acc> -> memref<64x32xf64>
  }
  tile.return
}

// Three batches of 30x14, K = 6: rows and columns that do not exist read the last one, and beyond K both operands are zero.
// CHECK-LABEL: llvm.func @ragged
// CHECK-DAG:   arith.minsi %{{.*}}, %c29_i32
// CHECK-DAG:   arith.minsi %{{.*}}, %c13_i32
// CHECK-DAG:   arith.minsi %{{.*}}, %c5_i32
// CHECK-DAG:   arith.select %{{.*}}, %{{.*}}, %{{.*}} : f64
// CHECK-COUNT-3: mma.sync.aligned.m16n8k8
// CHECK-NOT:   mma.sync
tile.kernel @ragged_k(%x: memref<3x30x14xf64>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @ragged blocks() attributes {shared = 32768 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<3x30x6xf64, #batch>
    %u = arith.constant dense<1.0> : tensor<3x6x14xf64, #batch>
    %a = cta.stage %t {offset = 0 : i64} : tensor<3x30x6xf64, #batch> -> !cta.smem<3x30x6xf64, #linear>
    %b = cta.stage %u {offset = 16384 : i64} : tensor<3x6x14xf64, #batch> -> !cta.smem<3x6x14xf64, #linear>
    cta.barrier
    %c = cta.load %x[%c0, %c0, %c0] : memref<3x30x14xf64> -> tensor<3x30x14xf64, #batch>
    %d = cta.mma %a, %b, %c : !cta.smem<3x30x6xf64, #linear>, !cta.smem<3x6x14xf64, #linear> -> tensor<3x30x14xf64, #batch>
    cta.store %d, %x[%c0, %c0, %c0] : tensor<3x30x14xf64, #batch> -> memref<3x30x14xf64>
  }
  tile.return
}

// 8 rows: the instruction of 8 rows, which has k4 only, and half of the fragments of A.
// CHECK-LABEL: llvm.func @eight
// CHECK-COUNT-4: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK-NOT:   llvm.load
// CHECK-COUNT-2: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0, $1}, {$4}, {$5}, {$0, $1};
// CHECK-NOT:   mma.sync
tile.kernel @eight_k(%x: memref<8x32xf64>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @eight blocks() attributes {shared = 32768 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<8x8xf64, #rows>
    %u = arith.constant dense<1.0> : tensor<8x32xf64, #rows>
    %a = cta.stage %t {offset = 0 : i64} : tensor<8x8xf64, #rows> -> !cta.smem<8x8xf64, #padded>
    %b = cta.stage %u {offset = 16384 : i64} : tensor<8x32xf64, #rows> -> !cta.smem<8x32xf64, #padded>
    cta.barrier
    %d = cta.mma %a, %b : !cta.smem<8x8xf64, #padded>, !cta.smem<8x32xf64, #padded> -> tensor<8x32xf64, #rows>
    cta.store %d, %x[%c0, %c0] : tensor<8x32xf64, #rows> -> memref<8x32xf64>
  }
  tile.return
}
