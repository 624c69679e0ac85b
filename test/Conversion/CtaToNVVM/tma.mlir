// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

// Copies by thread 0. 64x128 in two panels of 64 columns are two boxes of one descriptor; the batch has a box of 1.
// Descriptors are parameters by value; their recipes an attribute. Two arrivals on the mbarrier, initialised at entry.

#k = #cta.swizzle<128, dim = 1>

// CHECK-LABEL: llvm.func @copies
// CHECK-SAME:    %[[IN:[a-z0-9]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME:    %[[OUT:[a-z0-9]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME:    tessera.descriptors = [{arg = 0 : i64, box = array<i64: 1, 64, 64>, dims = array<i64: 0, 1, 2>, element = "bf16", interleave = 0 : i64, oob = "zero", swizzle = 128 : i64},
// CHECK-SAME:      {arg = 1 : i64, box = array<i64: 64, 64>, dims = array<i64: 0, 1>, element = "bf16", interleave = 0 : i64, oob = "zero", swizzle = 128 : i64}]
// CHECK-SAME:    tessera.params = [{index = 0 : i64, kind = "descriptor"}, {{.*}}, {index = 1 : i64, kind = "descriptor"}]
// CHECK:       %[[PARITY:.*]] = llvm.alloca
// CHECK:       llvm.store %{{.*}}, %[[PARITY]]
// CHECK:       scf.if %[[T0:.*]] {
// CHECK-NEXT:    nvvm.prefetch tensormap, %[[IN]]
// CHECK-NEXT:    nvvm.prefetch tensormap, %[[OUT]]
// CHECK-NEXT:  }
// CHECK:       %[[SMEM:.*]] = llvm.mlir.addressof @__tessera_shared
// CHECK:       scf.if %[[T0]] {
// CHECK:         nvvm.mbarrier.init %{{.*}}, %c2_i32
// CHECK:         nvvm.fence.mbarrier.init
// CHECK:       }
// CHECK:       nvvm.barrier0
// CHECK:       %[[C64:.*]] = arith.addi %{{.*}}, %c64_i32
// CHECK:       scf.if %[[T0]] {
// CHECK:         nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c16384_i32
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[IN]], %{{.*}}, box[%{{.*}}, %{{.*}}, %{{.*}}] :
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[IN]], %{{.*}}, box[%[[C64]], %{{.*}}, %{{.*}}] :
// CHECK:       }
// CHECK:       %[[PHASES:.*]] = llvm.load %[[PARITY]]
// CHECK:       %[[FLIPPED:.*]] = arith.xori %[[PHASES]], %c1_i32
// CHECK:       llvm.store %[[FLIPPED]], %[[PARITY]]
// CHECK:       %[[SHIFTED:.*]] = arith.shrui %[[PHASES]], %c0_i32
// CHECK:       %[[P:.*]] = arith.andi %[[SHIFTED]], %c1_i32
// CHECK:       llvm.inline_asm has_side_effects {{.*}}mbarrier.try_wait.parity.shared::cta.b64 {{.*}} %[[P]]
// CHECK:       nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK:       nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
// CHECK:       nvvm.cp.async.bulk.tensor.global.shared.cta %[[OUT]]
// CHECK:       nvvm.cp.async.bulk.commit.group
// CHECK:       nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK:       nvvm.cp.async.bulk.wait_group 0{{$}}
tile.kernel @copies_k(%x: memref<?x?x?xbf16>, %y: memref<?x?xbf16>, %b: index, %i: index, %j: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @copies blocks() attributes {shared = 16392 : i64, mbarriers = array<i64: 2>} {
    %s = cta.copy %x[%b, %i, %j] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 0 : i64} : memref<?x?x?xbf16> -> !cta.smem<64x128xbf16, #k>
    cta.await 0
    cta.fence_async
    cta.fence_async global
    cta.copy_out %s, %y[%i, %j] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x128xbf16, #k> -> memref<?x?xbf16>
    cta.await_stores read
    cta.await_stores
  }
  tile.return
}

// A transposed tile: its first dimension runs along memory. A workspace has a descriptor too.
// CHECK-LABEL: llvm.func @transposed
// CHECK-SAME:    {arg = 0 : i64, box = array<i64: 32, 64>, dims = array<i64: 0, 1>
// CHECK-SAME:    {box = array<i64: 32, 64>, dims = array<i64: 0, 1>, element = "bf16", {{.*}}, workspace = 0 : i64}
tile.kernel @transposed_k(%x: memref<?x?xbf16>, %n: index, %i: index, %j: index) attributes {phase = #tile.phase<allocated>} {
  %w = memref.alloc(%n, %n) : memref<?x?xbf16>
  cta.launch @transposed blocks() attributes {shared = 4104 : i64, mbarriers = array<i64: 1>} {
    %s = cta.copy %x[%i, %j] dims = [1, 0] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 0 : i64} : memref<?x?xbf16> -> !cta.smem<64x32xbf16, #cta.swizzle<128, dim = 0>>
    cta.await 0
    cta.copy_out %s, %w[%i, %j] dims = [1, 0] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x32xbf16, #cta.swizzle<128, dim = 0>> -> memref<?x?xbf16>
  }
  tile.return
}

// The phases of 32 mbarriers are bits of one variable, in the entry block, where LLVM takes it for a register.
// CHECK-LABEL: llvm.func @phases
// CHECK:       %[[SECOND:.*]] = llvm.alloca
// CHECK:       %[[FIRST:.*]] = llvm.alloca
// CHECK-NOT:   llvm.alloca
// CHECK:       %[[WORD:.*]] = llvm.load %[[FIRST]]
// CHECK:       %[[FLIPPED:.*]] = arith.xori %[[WORD]], %c-2147483648_i32
// CHECK:       llvm.store %[[FLIPPED]], %[[FIRST]]
// CHECK:       %[[SHIFTED:.*]] = arith.shrui %[[WORD]], %c31_i32
// CHECK:       arith.andi %[[SHIFTED]], %c1_i32
// CHECK:       %[[WORD:.*]] = llvm.load %[[SECOND]]
// CHECK:       arith.xori %[[WORD]], %c1_i32
// CHECK:       arith.shrui %[[WORD]], %c0_i32
// CHECK:       %[[WORD:.*]] = llvm.load %[[FIRST]]
// CHECK:       arith.xori %[[WORD]], %c-2147483648_i32
tile.kernel @phases_k(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>, %i: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @phases blocks() attributes {shared = 33040 : i64,
      mbarriers = array<i64: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1>} {
    %s = cta.copy %x[%i, %i] {mechanism = #cta.mechanism<tma>, mbarrier = 31 : i64, offset = 0 : i64} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #k>
    %t = cta.copy %x[%i, %i] {mechanism = #cta.mechanism<tma>, mbarrier = 32 : i64, offset = 16384 : i64} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #k>
    cta.await 31
    cta.copy_out %s, %y[%i, %i] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x128xbf16, #k> -> memref<?x?xbf16>
    cta.await 32
    cta.copy_out %t, %y[%i, %i] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x128xbf16, #k> -> memref<?x?xbf16>
    cta.await 31
  }
  tile.return
}

// Atomics: TMA adds the tile to what is in memory.
// CHECK-LABEL: llvm.func @reduces
// CHECK:       nvvm.cp.async.bulk.tensor.reduce %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}] {{.*}}redKind = #nvvm.tma_redux_kind<add>
// CHECK:       nvvm.cp.async.bulk.commit.group
tile.kernel @reduces_k(%y: memref<?x?xbf16>, %i: index, %j: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @reduces blocks() attributes {shared = 16384 : i64} {
    %t = arith.constant dense<1.0> : tensor<64x128xbf16, #cta.frag<wgmma_acc, wg = 1>>
    %s = cta.stage %t {offset = 0 : i64} : tensor<64x128xbf16, #cta.frag<wgmma_acc, wg = 1>> -> !cta.smem<64x128xbf16, #k>
    cta.fence_async
    cta.barrier
    cta.copy_out %s, %y[%i, %j] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>} : !cta.smem<64x128xbf16, #k> -> memref<?x?xbf16>
    cta.await_stores read
  }
  tile.return
}
