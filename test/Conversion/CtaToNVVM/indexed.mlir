// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

// Gathers, scatters and atomics: widths of accesses, bounds, instructions of atomics, loops, fences and scopes.

#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#at = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
#wide = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#l = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 1>
#one = #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>

// Rows of whole vectors. Each row has one bound, of which a negative index is beyond, too; nobody writes %X.
// CHECK-LABEL: llvm.func @rows
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : i32
// CHECK: ld.global.nc.v4.b32
// CHECK-NOT: ld.global.nc.b32
// CHECK: st.global.v4.b32
// CHECK-NOT: st.global.b32
// CHECK: llvm.return
tile.kernel @rows_k(%X: memref<?x32xf32>, %Y: memref<?x32xf32>, %R: memref<16xi32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @rows blocks() {
    %c0 = arith.constant 0 : index
    %i = cta.load %R[%c0] : memref<16xi32> -> tensor<16xi32, #at>
    %0 = cta.gather %X[%i : tensor<16xi32, #at>, %c0] {vector = 4 : i64} : memref<?x32xf32> -> tensor<16x32xf32, #rows>
    cta.scatter %0, %Y[%i : tensor<16xi32, #at>, %c0] {vector = 4 : i64} : tensor<16x32xf32, #rows> -> memref<?x32xf32>
  }
  tile.return
}

// Places of elements: one by one, with any vector; indices of 8 bits keep their sign.
// CHECK-LABEL: llvm.func @places
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : i32
// CHECK: ld.global.nc.b32
// CHECK-NOT: ld.global.nc.v4
// CHECK: llvm.return
tile.kernel @places_k(%X: memref<?xf32>, %Y: memref<128xf32>, %R: memref<128xi8>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @places blocks() {
    %c0 = arith.constant 0 : index
    %i = cta.load %R[%c0] : memref<128xi8> -> tensor<128xi8, #l>
    %0 = cta.gather %X[%i : tensor<128xi8, #l>] {vector = 4 : i64} : memref<?xf32> -> tensor<128xf32, #l>
    cta.store %0, %Y[%c0] : tensor<128xf32, #l> -> memref<128xf32>
  }
  tile.return
}

// Sums of floats by vectors, in the scope that the op names.
// CHECK-LABEL: llvm.func @sums
// CHECK: red.relaxed.gpu.global.add.v4.f32 [$0+0], {
// CHECK: red.relaxed.sys.global.add.noftz.v4.bf16x2 [$0+0], {
// CHECK: red.relaxed.gpu.global.add.noftz.v2.f16x2 [$0+0], {
// CHECK: red.relaxed.gpu.global.add.noftz.f16x2 [$0+
// CHECK: red.relaxed.gpu.global.add.noftz.f16 [$0+
// CHECK-NOT: atomicrmw
// CHECK: llvm.return
tile.kernel @sums_k(%X: memref<16x32xf32>, %B: memref<16x64xbf16>, %H: memref<16x64xf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @sums blocks() {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<1.0> : tensor<16x32xf32, #rows>
    %w = arith.constant dense<1.0> : tensor<16x64xbf16, #wide>
    %h = arith.constant dense<1.0> : tensor<16x64xf16, #wide>
    cta.atomic add %v, %X[%c0, %c0] {vector = 4 : i64} : tensor<16x32xf32, #rows> -> memref<16x32xf32>
    cta.atomic add system %w, %B[%c0, %c0] {vector = 8 : i64} : tensor<16x64xbf16, #wide> -> memref<16x64xbf16>
    cta.atomic add %h, %H[%c0, %c0] {vector = 4 : i64} : tensor<16x64xf16, #wide> -> memref<16x64xf16>
    cta.atomic add %h, %H[%c0, %c0] {vector = 2 : i64} : tensor<16x64xf16, #wide> -> memref<16x64xf16>
    cta.atomic add %h, %H[%c0, %c0] : tensor<16x64xf16, #wide> -> memref<16x64xf16>
  }
  tile.return
}

// Integers of 32 and 64 bits have instructions for everything but compare-and-swap, which LLVM has.
// CHECK-LABEL: llvm.func @integers
// CHECK: red.relaxed.gpu.global.add.u32 [$0+0]
// CHECK: red.relaxed.gpu.global.min.s32 [$0+0]
// CHECK: red.relaxed.gpu.global.max.u32 [$0+0]
// CHECK: red.relaxed.gpu.global.xor.b32 [$0+0]
// CHECK: red.relaxed.sys.global.and.b64 [$0+0]
// CHECK: llvm.atomicrmw add %{{.*}} syncscope("device") monotonic {{.*}}i32
// CHECK: llvm.cmpxchg {{.*}} monotonic monotonic {{.*}}i64
// CHECK: llvm.cmpxchg %{{.*}} syncscope("device") monotonic monotonic {{.*}}i32
// CHECK-NOT: scf.while
// CHECK: llvm.return
tile.kernel @integers_k(%X: memref<128xi32>, %Y: memref<128xi64>, %Z: memref<128xi32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @integers blocks() {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<1> : tensor<128xi32, #l>
    %w = arith.constant dense<1> : tensor<128xi64, #l>
    cta.atomic add %v, %X[%c0] : tensor<128xi32, #l> -> memref<128xi32>
    cta.atomic min %v, %X[%c0] : tensor<128xi32, #l> -> memref<128xi32>
    cta.atomic umax %v, %X[%c0] : tensor<128xi32, #l> -> memref<128xi32>
    cta.atomic xor %v, %X[%c0] : tensor<128xi32, #l> -> memref<128xi32>
    cta.atomic and system %w, %Y[%c0] : tensor<128xi64, #l> -> memref<128xi64>
    %0 = cta.atomic add returning %v, %X[%c0] : tensor<128xi32, #l> -> memref<128xi32>
    cta.atomic exchange system %w, %Y[%c0] : tensor<128xi64, #l> -> memref<128xi64>
    cta.atomic cas %v, %0, %X[%c0] : tensor<128xi32, #l> -> memref<128xi32>
  }
  tile.return
}

// What has no instruction goes round until nobody came in between: 16 bits, extremes of floats, sums of f16 that somebody reads.
// CHECK-LABEL: llvm.func @loops
// CHECK: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 2 : i64} {{.*}} -> i16
// CHECK: scf.while
// CHECK: arith.addi
// CHECK: llvm.cmpxchg %{{.*}} syncscope("device") monotonic monotonic {{.*}}i16
// CHECK: llvm.load %{{.*}} atomic monotonic {alignment = 4 : i64} {{.*}} -> i32
// CHECK: scf.while
// CHECK: arith.maximumf
// CHECK: llvm.cmpxchg %{{.*}} monotonic monotonic {{.*}}i32
// CHECK: scf.while
// CHECK: arith.addf %{{.*}} : f16
// CHECK: llvm.cmpxchg {{.*}}i16
// CHECK: llvm.return
tile.kernel @loops_k(%X: memref<128xi16>, %Y: memref<128xf32>, %Z: memref<128xf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @loops blocks() {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<1> : tensor<128xi16, #l>
    %w = arith.constant dense<1.0> : tensor<128xf32, #l>
    %h = arith.constant dense<1.0> : tensor<128xf16, #l>
    cta.atomic add %v, %X[%c0] : tensor<128xi16, #l> -> memref<128xi16>
    cta.atomic max system %w, %Y[%c0] : tensor<128xf32, #l> -> memref<128xf32>
    %0 = cta.atomic add returning %h, %Z[%c0] : tensor<128xf16, #l> -> memref<128xf16>
    cta.store %0, %Z[%c0] : tensor<128xf16, #l> -> memref<128xf16>
  }
  tile.return
}

// What orders comes between barriers of the block, and between fences of the thread that makes the step.
// CHECK-LABEL: llvm.func @orders
// CHECK: nvvm.barrier
// CHECK: scf.if
// CHECK: fence.acq_rel.sys;
// CHECK: llvm.cmpxchg {{.*}} monotonic monotonic
// CHECK: fence.acq_rel.sys;
// CHECK: nvvm.barrier
// CHECK: llvm.return
tile.kernel @orders_k(%X: memref<1xi32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @orders blocks() {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<7> : tensor<i32, #one>
    cta.atomic add acq_rel system %v, %X[%c0] : tensor<i32, #one> -> memref<1xi32>
  }
  tile.return
}
