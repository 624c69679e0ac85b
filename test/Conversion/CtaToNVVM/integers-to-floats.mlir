// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

// Bytes become f16 and bf16 two at a time: spread over a word by prmt, with the bits of a float whose neighbours are 1 apart, less that float.

#bytes = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#pairs = #cta.frag<regs = [[1]], lanes = [[2], [4], [8], [16], [32]], warps = [[64], [128]], wg = 1>

// The seven low bits are those of 128 and more; the eighth is 128 or 256, which is subtracted.
// CHECK-LABEL: llvm.func @signed_bf16
// CHECK-NOT: arith.sitofp
// CHECK: %[[WORD:.*]] = nvvm.prmt <default> %c16704_i32, %[[SOURCE:.*]], %c0_i32 : i32
// CHECK: %[[REST:.*]] = llvm.inline_asm {{.*}}"lop3.b32 $0, $1, 8323199, 1124090624, 0xea;", "=r,r" %[[WORD]]
// CHECK: %[[A:.*]] = llvm.bitcast %[[REST]] : i32 to vector<2xbf16>
// CHECK: %[[TOP:.*]] = llvm.inline_asm {{.*}}"lop3.b32 $0, $1, 8388736, 1124090624, 0xea;", "=r,r" %[[WORD]]
// CHECK: %[[B:.*]] = llvm.bitcast %[[TOP]] : i32 to vector<2xbf16>
// CHECK: arith.subf %[[A]], %[[B]] : vector<2xbf16>
// CHECK: nvvm.prmt <default> %c17218_i32, %[[SOURCE]], %c0_i32 : i32
// CHECK-NOT: {{nvvm.prmt|arith.sitofp}}
// CHECK: llvm.return
tile.kernel @signed_bf16_k(%x: memref<512xi8>, %y: memref<512xbf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @signed_bf16 blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0] {vector = 4} : memref<512xi8> -> tensor<512xi8, #bytes>
    %b = arith.sitofp %a : tensor<512xi8, #bytes> to tensor<512xbf16, #bytes>
    cta.store %b, %y[%c0] {vector = 4} : tensor<512xbf16, #bytes> -> memref<512xbf16>
  }
  tile.return
}

// Without sign the eighth bit is -128 or 0, which is added: 128 and 256 at once would not be exact.
// CHECK-LABEL: llvm.func @unsigned_bf16
// CHECK-NOT: arith.uitofp
// CHECK: llvm.inline_asm {{.*}}"lop3.b32 $0, $1, 8323199, 1124090624, 0xea;"
// CHECK: llvm.inline_asm {{.*}}"lop3.b32 $0, $1, 8388736, 1124090624, 0xea;"
// CHECK: arith.constant dense<2.560000e+02> : vector<2xbf16>
// CHECK: arith.subf
// CHECK: arith.addf {{.*}} : vector<2xbf16>
// CHECK: llvm.return
tile.kernel @unsigned_bf16_k(%x: memref<512xi8>, %y: memref<512xbf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @unsigned_bf16 blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0] {vector = 4} : memref<512xi8> -> tensor<512xi8, #bytes>
    %b = arith.uitofp %a : tensor<512xi8, #bytes> to tensor<512xbf16, #bytes>
    cta.store %b, %y[%c0] {vector = 4} : tensor<512xbf16, #bytes> -> memref<512xbf16>
  }
  tile.return
}

// An f16 holds all eight bits. Of bytes that were loaded in twos the word has zeros above.
// CHECK-LABEL: llvm.func @signed_f16
// CHECK-NOT: arith.sitofp
// CHECK: arith.extui %{{.*}} : i16 to i32
// CHECK: nvvm.prmt
// CHECK: arith.xori %{{.*}}, %c1686135936_i32 : i32
// CHECK: arith.constant dense<1.152000e+03> : vector<2xf16>
// CHECK: arith.subf {{.*}} : vector<2xf16>
// CHECK: llvm.return
tile.kernel @signed_f16_k(%x: memref<256xi8>, %y: memref<256xf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @signed_f16 blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0] {vector = 2} : memref<256xi8> -> tensor<256xi8, #pairs>
    %b = arith.sitofp %a : tensor<256xi8, #pairs> to tensor<256xf16, #pairs>
    cta.store %b, %y[%c0] {vector = 2} : tensor<256xf16, #pairs> -> memref<256xf16>
  }
  tile.return
}

// CHECK-LABEL: llvm.func @unsigned_f16
// CHECK-NOT: arith.uitofp
// CHECK: arith.xori %{{.*}}, %c1677747200_i32 : i32
// CHECK: arith.constant dense<1.024000e+03> : vector<2xf16>
// CHECK: llvm.return
tile.kernel @unsigned_f16_k(%x: memref<256xi8>, %y: memref<256xf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @unsigned_f16 blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0] {vector = 2} : memref<256xi8> -> tensor<256xi8, #pairs>
    %b = arith.uitofp %a : tensor<256xi8, #pairs> to tensor<256xf16, #pairs>
    cta.store %b, %y[%c0] {vector = 2} : tensor<256xf16, #pairs> -> memref<256xf16>
  }
  tile.return
}

// Bytes that were computed are put together from two registers.
// CHECK-LABEL: llvm.func @computed
// CHECK: %[[X:.*]] = arith.addi {{.*}} : i8
// CHECK: %[[LOW:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK: %[[HIGH:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK: nvvm.prmt <default> %c21520_i32, %[[LOW]], %[[HIGH]] : i32
// CHECK-NOT: arith.sitofp
// CHECK: llvm.return
tile.kernel @computed_k(%x: memref<512xi8>, %y: memref<512xbf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @computed blocks() {
    %c0 = arith.constant 0 : index
    %one = arith.constant dense<1> : tensor<512xi8, #bytes>
    %a = cta.load %x[%c0] {vector = 4} : memref<512xi8> -> tensor<512xi8, #bytes>
    %more = arith.addi %a, %one : tensor<512xi8, #bytes>
    %b = arith.sitofp %more : tensor<512xi8, #bytes> to tensor<512xbf16, #bytes>
    cta.store %b, %y[%c0] {vector = 4} : tensor<512xbf16, #bytes> -> memref<512xbf16>
  }
  tile.return
}

// Other types are converted one by one.
// CHECK-LABEL: llvm.func @others
// CHECK-COUNT-2: arith.sitofp %{{.*}} : i8 to f32
// CHECK-COUNT-2: arith.uitofp %{{.*}} : i16 to bf16
// CHECK: llvm.return
tile.kernel @others_k(%x: memref<256xi8>, %z: memref<256xi16>, %y: memref<256xf32>, %w: memref<256xbf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @others blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0] {vector = 2} : memref<256xi8> -> tensor<256xi8, #pairs>
    %b = arith.sitofp %a : tensor<256xi8, #pairs> to tensor<256xf32, #pairs>
    cta.store %b, %y[%c0] {vector = 2} : tensor<256xf32, #pairs> -> memref<256xf32>
    %c = cta.load %z[%c0] {vector = 2} : memref<256xi16> -> tensor<256xi16, #pairs>
    %d = arith.uitofp %c : tensor<256xi16, #pairs> to tensor<256xbf16, #pairs>
    cta.store %d, %w[%c0] {vector = 2} : tensor<256xbf16, #pairs> -> memref<256xbf16>
  }
  tile.return
}
