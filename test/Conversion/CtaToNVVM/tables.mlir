// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

// Private tables: clearing, steps, adding.

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#pair = #cta.frag<regs = [[1]], lanes = [[2], [4], [8], [16], [32]], warps = [[64], [128]], wg = 1>
#some = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[0], [0]], wg = 1>
#lin = #cta.swizzle<linear>

// Threads clear vectors of 16 bytes; the last one may be longer than what there is. Lane l counts in copy l mod c. What is out of bounds is no step. Each
// thread sums the copies of an element, the first of which depends on the lane, and the first element of which depends on the block; 0 is not added.
// CHECK-LABEL: llvm.func @counts
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
// CHECK: %[[ALL:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK: %[[PLUS:.*]] = arith.addi %[[ALL]], %c3_i32
// CHECK: arith.divui %[[PLUS]], %c4_i32
// CHECK: scf.for
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c1_i32
// CHECK: arith.andi %[[LANE]], %[[LAST]]
// CHECK: arith.cmpi ult
// CHECK-COUNT-4: @$2 red.relaxed.cta.shared.add.u32 [$0+0], $1;
// CHECK-NOT: red.relaxed.cta.shared
// CHECK: nvvm.barrier0
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: arith.remui
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %c0_i32) -> (i32)
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: arith.addi
// CHECK: scf.yield
// CHECK: %[[CHANGES:.*]] = arith.cmpi ne, %[[SUM]], %c0_i32
// CHECK: red.relaxed.gpu.global.add
// CHECK: llvm.return
tile.kernel @counts_k(%X: memref<?xi32>, %H: memref<?xi32>, %c: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @counts blocks() attributes {shared = 16384} {
    %c0 = arith.constant 0 : index
    %t = cta.table add %H dims = [0] copies = %c {offset = 0} : memref<?xi32> -> !cta.smem<4096xi32, #lin>
    %x = cta.load %X[%c0] : memref<?xi32> -> tensor<512xi32, #l>
    cta.barrier
    cta.atomic add %x, %H[%x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<?xi32> into %t : !cta.smem<4096xi32, #lin>
    cta.barrier
    cta.flush %t, %H[] : !cta.smem<4096xi32, #lin> -> memref<?xi32>
  }
  tile.return
}

// Every kind, of 32 bits. Lanes that hold the same elements make one step.
// CHECK-LABEL: llvm.func @kinds
// CHECK: @$2 red.relaxed.cta.shared.min.s32
// CHECK: @$2 red.relaxed.cta.shared.max.s32
// CHECK: @$2 red.relaxed.cta.shared.min.u32
// CHECK: @$2 red.relaxed.cta.shared.max.u32
// CHECK: @$2 red.relaxed.cta.shared.and.b32
// CHECK: @$2 red.relaxed.cta.shared.or.b32
// CHECK: @$2 red.relaxed.cta.shared.xor.b32
// CHECK: llvm.return
tile.kernel @kinds_k(%X: memref<32xi32>, %A: memref<64xi32>, %B: memref<64xi32>, %C: memref<64xi32>, %D: memref<64xi32>, %E: memref<64xi32>, %F: memref<64xi32>, %G: memref<64xi32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @kinds blocks() attributes {shared = 1792} {
    %c0 = arith.constant 0 : index
    %a = cta.table min %A dims = [0] {offset = 0} : memref<64xi32> -> !cta.smem<64xi32, #lin>
    %b = cta.table max %B dims = [0] {offset = 256} : memref<64xi32> -> !cta.smem<64xi32, #lin>
    %c = cta.table umin %C dims = [0] {offset = 512} : memref<64xi32> -> !cta.smem<64xi32, #lin>
    %d = cta.table umax %D dims = [0] {offset = 768} : memref<64xi32> -> !cta.smem<64xi32, #lin>
    %e = cta.table and %E dims = [0] {offset = 1024} : memref<64xi32> -> !cta.smem<64xi32, #lin>
    %f = cta.table or %F dims = [0] {offset = 1280} : memref<64xi32> -> !cta.smem<64xi32, #lin>
    %g = cta.table xor %G dims = [0] {offset = 1536} : memref<64xi32> -> !cta.smem<64xi32, #lin>
    %x = cta.load %X[%c0] : memref<32xi32> -> tensor<32xi32, #some>
    cta.barrier
    cta.atomic min %x, %A[%x : tensor<32xi32, #some>] : tensor<32xi32, #some> -> memref<64xi32> into %a : !cta.smem<64xi32, #lin>
    cta.atomic max %x, %B[%x : tensor<32xi32, #some>] : tensor<32xi32, #some> -> memref<64xi32> into %b : !cta.smem<64xi32, #lin>
    cta.atomic umin %x, %C[%x : tensor<32xi32, #some>] : tensor<32xi32, #some> -> memref<64xi32> into %c : !cta.smem<64xi32, #lin>
    cta.atomic umax %x, %D[%x : tensor<32xi32, #some>] : tensor<32xi32, #some> -> memref<64xi32> into %d : !cta.smem<64xi32, #lin>
    cta.atomic and %x, %E[%x : tensor<32xi32, #some>] : tensor<32xi32, #some> -> memref<64xi32> into %e : !cta.smem<64xi32, #lin>
    cta.atomic or %x, %F[%x : tensor<32xi32, #some>] : tensor<32xi32, #some> -> memref<64xi32> into %f : !cta.smem<64xi32, #lin>
    cta.atomic xor %x, %G[%x : tensor<32xi32, #some>] : tensor<32xi32, #some> -> memref<64xi32> into %g : !cta.smem<64xi32, #lin>
  }
  tile.return
}

// Sums of 64 bits: all lower halves first, then those upper halves that are not 0 with what carries. Bits of 64 are two times 32.
// CHECK-LABEL: llvm.func @wide
// CHECK-COUNT-2: atom.relaxed.cta.shared.add.u32 $0, [$1+0], $2;
// CHECK-NOT: atom.relaxed
// CHECK-COUNT-2: red.relaxed.cta.shared.add.u32 [$0+4], $1;
// CHECK-COUNT-2: red.relaxed.cta.shared.and.b32 [$0+0], $1;\0A\09{{.*}}red.relaxed.cta.shared.and.b32 [$0+4], $2;
// CHECK-NOT: red.relaxed.cta.shared
// CHECK: red.relaxed.gpu.global.add.u64
// CHECK: llvm.return
tile.kernel @wide_k(%X: memref<128xi64>, %H: memref<64xi64>, %G: memref<64xi64>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @wide blocks() attributes {shared = 1024} {
    %c0 = arith.constant 0 : index
    %h = cta.table add %H dims = [0] {offset = 0} : memref<64xi64> -> !cta.smem<64xi64, #lin>
    %g = cta.table and %G dims = [0] {offset = 512} : memref<64xi64> -> !cta.smem<64xi64, #lin>
    %x = cta.load %X[%c0] : memref<128xi64> -> tensor<128xi64, #pair>
    cta.barrier
    cta.atomic add %x, %H[%x : tensor<128xi64, #pair>] : tensor<128xi64, #pair> -> memref<64xi64> into %h : !cta.smem<64xi64, #lin>
    cta.atomic and %x, %G[%x : tensor<128xi64, #pair>] : tensor<128xi64, #pair> -> memref<64xi64> into %g : !cta.smem<64xi64, #lin>
    cta.barrier
    cta.flush %h, %H[] : !cta.smem<64xi64, #lin> -> memref<64xi64>
  }
  tile.return
}

// Boxes of floats: the owner of an element loads, adds and stores it. -0 changes nothing, +0 does: it is added to -0.
// CHECK-LABEL: llvm.func @boxes
// CHECK-NOT: red.relaxed.cta.shared
// CHECK: %[[NOTHING:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: nvvm.barrier0
// CHECK-COUNT-4: arith.addf
// CHECK-NOT: arith.addf
// CHECK: nvvm.barrier0
// CHECK: %[[SUM:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: %[[SIGN:.*]] = llvm.bitcast %[[NOTHING]] : f32 to i32
// CHECK: %[[CHANGES:.*]] = arith.cmpi ne, %[[SUM]], %[[SIGN]]
// CHECK: @$2 red.relaxed.gpu.global.add.f32 {{.*}} %[[CHANGES]] :
// CHECK: llvm.return
tile.kernel @boxes_k(%X: memref<512xf32>, %H: memref<512xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @boxes blocks() attributes {shared = 2048} {
    %c0 = arith.constant 0 : index
    %h = cta.table add %H dims = [0] {offset = 0} : memref<512xf32> -> !cta.smem<512xf32, #lin>
    %x = cta.load %X[%c0] : memref<512xf32> -> tensor<512xf32, #l>
    cta.barrier
    cta.atomic add %x, %H[%c0] : tensor<512xf32, #l> -> memref<512xf32> into %h : !cta.smem<512xf32, #lin>
    cta.barrier
    cta.flush %h, %H[] : !cta.smem<512xf32, #lin> -> memref<512xf32>
  }
  tile.return
}

// A window of an array with strides: the flush has the coordinates of the window.
// CHECK-LABEL: llvm.func @window
// CHECK: red.relaxed.cta.shared.max.s32
// CHECK: arith.remui %{{.*}}, %c8_i32
// CHECK: arith.divui %{{.*}}, %c8_i32
// CHECK: red.relaxed.gpu.global.max.s32
// CHECK: llvm.return
tile.kernel @window_k(%X: memref<32xi32>, %M: memref<4x?x8xi32>, %row: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @window blocks() attributes {shared = 128} {
    %c0 = arith.constant 0 : index
    %m = cta.table max %M dims = [0, 2] {offset = 0} : memref<4x?x8xi32> -> !cta.smem<32xi32, #lin>
    %x = cta.load %X[%c0] : memref<32xi32> -> tensor<32xi32, #some>
    cta.barrier
    cta.atomic max %x, %M[%x : tensor<32xi32, #some>, %row, %c0] dims = [0] : tensor<32xi32, #some> -> memref<4x?x8xi32> into %m : !cta.smem<32xi32, #lin>
    cta.barrier
    cta.flush %m, %M[%row] : !cta.smem<32xi32, #lin> -> memref<4x?x8xi32>
  }
  tile.return
}
