// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#across = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
#parts = #cta.frag<regs = [[0, 1], [0, 2], [0, 4], [0, 8]], lanes = [[0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#bytes = #cta.frag<regs = [[1]], lanes = [[2], [4], [8], [16], [32]], warps = [[64], [128]], wg = 1>
#quarters = #cta.frag<regs = [[1], [2], [4]], lanes = [[8], [16], [32], [64], [128]], warps = [[256], [512]], wg = 1>
#nibbles = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>

// Rows at indices: one index for a thread's row, checked once, and one access of 16 bytes for its four columns.
// CHECK-LABEL: llvm.func @rows
// CHECK: %[[GOOD:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i32
// CHECK: %[[ROW:.*]] = arith.select %[[GOOD]], %{{.*}}, %{{.*}} : i32
// CHECK-NOT: arith.cmpi
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: llvm.load
// CHECK-COUNT-4: arith.select %[[GOOD]], %{{.*}}, %{{.*}} : f32
// CHECK: llvm.return
tile.kernel @rows_k(%x: memref<16x32xf32>, %i: memref<16xi32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @rows blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0, %c0] {vector = 4} : memref<16x32xf32> -> tensor<16x32xf32, #rows>
    %n = cta.load %i[%c0] : memref<16xi32> -> tensor<16xi32, #across>
    %s = cta.stage %a {offset = 0 : i64} : tensor<16x32xf32, #rows> -> !cta.smem<16x32xf32, #cta.swizzle<linear>>
    cta.barrier
    %r = cta.read_at %s at %n dims = [0] : !cta.smem<16x32xf32, #cta.swizzle<linear>>, tensor<16xi32, #across> -> tensor<16x32xf32, #rows>
    cta.store %r, %x[%c0, %c0] {vector = 4} : tensor<16x32xf32, #rows> -> memref<16x32xf32>
  }
  tile.return
}

// An index for each element: as many accesses. Indices of 64 bits are compared before they are cut.
// CHECK-LABEL: llvm.func @elements
// CHECK-COUNT-4: arith.cmpi ult, %{{.*}}, %{{.*}} : i64
// CHECK: llvm.return
tile.kernel @elements_k(%x: memref<16x32xf16>, %i: memref<16x32xi64>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @elements blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0, %c0] : memref<16x32xf16> -> tensor<16x32xf16, #rows>
    %n = cta.load %i[%c0, %c0] : memref<16x32xi64> -> tensor<16x32xi64, #rows>
    %s = cta.stage %a {offset = 0 : i64} : tensor<16x32xf16, #rows> -> !cta.smem<16x32xf16, #cta.swizzle<linear>>
    cta.barrier
    %r = cta.read_at %s at %n dims = [1] : !cta.smem<16x32xf16, #cta.swizzle<linear>>, tensor<16x32xi64, #rows> -> tensor<16x32xf16, #rows>
    cta.store %r, %x[%c0, %c0] : tensor<16x32xf16, #rows> -> memref<16x32xf16>
  }
  tile.return
}

// Parts of a register, without shared memory and shuffles.
// CHECK-LABEL: llvm.func @bits
// CHECK: llvm.bitcast %{{.*}} : i32 to vector<4xi8>
// CHECK-COUNT-4: llvm.extractelement
// CHECK: llvm.bitcast %{{.*}} : vector<4xi8> to i32
// CHECK-NOT: !llvm.ptr<3>
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
tile.kernel @bits_k(%x: memref<16x32xi32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @bits blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0, %c0] : memref<16x32xi32> -> tensor<16x32xi32, #rows>
    %b = cta.unpack %a : tensor<16x32xi32, #rows> -> tensor<16x128xi8, #parts>
    %c = cta.pack %b : tensor<16x128xi8, #parts> -> tensor<16x32xi32, #rows>
    cta.store %c, %x[%c0, %c0] : tensor<16x32xi32, #rows> -> memref<16x32xi32>
  }
  tile.return
}

// Signed parts of four bits: to the top and back; unsigned ones are masked.
// CHECK-LABEL: llvm.func @nibbles
// CHECK: arith.shli
// CHECK: arith.shrsi
// CHECK: arith.andi
// CHECK: arith.ori
// CHECK: llvm.return
tile.kernel @nibbles_k(%x: memref<256xi8>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @nibbles blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0] : memref<256xi8> -> tensor<256xi8, #bytes>
    %b = cta.unpack %a bits = 4 signed : tensor<256xi8, #bytes> -> tensor<512xi8, #nibbles>
    %c = cta.pack %b bits = 4 : tensor<512xi8, #nibbles> -> tensor<256xi8, #bytes>
    cta.store %c, %x[%c0] : tensor<256xi8, #bytes> -> memref<256xi8>
  }
  tile.return
}

// Few bits become floats two at a time, without a conversion: as the lowest bits of numbers from 128 on. (Of 8 bits: integers-to-floats.mlir.)
// CHECK-LABEL: llvm.func @floats
// CHECK-NOT: arith.sitofp
// CHECK: %[[BYTE:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK: %[[SPREAD:.*]] = arith.muli %[[BYTE]], %c4097_i32 : i32
// CHECK: %[[WORD:.*]] = llvm.inline_asm {{.*}}"lop3.b32 $0, $1, 983055, 1124614920, 0x6a;", "=r,r" %[[SPREAD]]
// CHECK: %[[PAIR:.*]] = {{llvm|arith}}.bitcast %[[WORD]] : i32 to vector<2xbf16>
// CHECK: arith.subf %[[PAIR]], %{{.*}} : vector<2xbf16>
// CHECK-NOT: arith.sitofp
// CHECK: llvm.return
tile.kernel @floats_k(%x: memref<256xi8>, %y: memref<512xbf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @floats blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0] : memref<256xi8> -> tensor<256xi8, #bytes>
    %b = cta.unpack %a bits = 4 signed : tensor<256xi8, #bytes> -> tensor<512xi8, #nibbles>
    %c = arith.sitofp %b : tensor<512xi8, #nibbles> to tensor<512xbf16, #nibbles>
    cta.store %c, %y[%c0] : tensor<512xbf16, #nibbles> -> memref<512xbf16>
  }
  tile.return
}

// Of 2 bits a byte has two pairs; the second one begins at bit 4.
// CHECK-LABEL: llvm.func @quarters
// CHECK-NOT: arith.uitofp
// CHECK: %[[BYTE:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK: arith.muli %[[BYTE]], %c16385_i32 : i32
// CHECK: "lop3.b32 $0, $1, 196611, 1677747200, 0x6a;"
// CHECK: arith.subf {{.*}} : vector<2xf16>
// CHECK: %[[REST:.*]] = arith.shrui %{{.*}}, %c4_i32 : i32
// CHECK: arith.muli %[[REST]], %c16385_i32 : i32
tile.kernel @quarters_k(%x: memref<256xi8>, %y: memref<1024xf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @quarters blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0] : memref<256xi8> -> tensor<256xi8, #bytes>
    %b = cta.unpack %a bits = 2 : tensor<256xi8, #bytes> -> tensor<1024xi8, #quarters>
    %c = arith.uitofp %b : tensor<1024xi8, #quarters> to tensor<1024xf16, #quarters>
    cta.store %c, %y[%c0] : tensor<1024xf16, #quarters> -> memref<1024xf16>
  }
  tile.return
}
