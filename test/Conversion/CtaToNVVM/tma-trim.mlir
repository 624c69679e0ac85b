// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

// Copies that leave out what lies outside of the array.

#k = #cta.swizzle<128, dim = 1>
#m = #cta.swizzle<128, dim = 0>

// A box of 128 rows has a second map, whose box has the rows that are left. The load takes the first one if all rows are inside. The mbarrier
// expects as many bytes less as rows are missing: 128 bytes each.
// CHECK-LABEL: llvm.func @rows
// CHECK-SAME:    %[[WHOLE:[a-z0-9]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME:    {arg = 0 : i64, box = array<i64: 128, 64>, dims = array<i64: 0, 1>, element = "bf16", interleave = 0 : i64, oob = "zero", swizzle = 128 : i64}
// CHECK-SAME:    {arg = 0 : i64, box = array<i64: 128, 64>, dims = array<i64: 0, 1>, element = "bf16", interleave = 0 : i64, oob = "zero", swizzle = 128 : i64, trim = 0 : i64}
// CHECK:       %[[LEFT:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK:       %[[FULL:.*]] = arith.cmpi sge, %[[LEFT]], %c128_i32
// CHECK:       %[[MAP:.*]] = arith.select %[[FULL]], %[[WHOLE]], %[[CUT:[a-z0-9]*]] : !llvm.ptr
// CHECK:       %[[ROWS:.*]] = arith.remui %{{.*}}, %c128_i32
// CHECK:       %[[NONE:.*]] = arith.cmpi eq, %[[ROWS]], %c0_i32
// CHECK:       %[[CUTROWS:.*]] = arith.select %[[NONE]], %c128_i32, %[[ROWS]]
// CHECK:       %[[LOST:.*]] = arith.subi %c128_i32, %[[CUTROWS]]
// CHECK:       %[[BYTES:.*]] = arith.muli %[[LOST]], %c128_i32
// CHECK:       %[[MISSING:.*]] = arith.select %{{.*}}, %c0_i32, %[[BYTES]]
// CHECK:       %[[EXPECTED:.*]] = llvm.inline_asm {{.*}}"sub.s32 $0, 16384, $1;", {{.*}} %[[MISSING]]
// CHECK:       nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[EXPECTED]]
// CHECK:       nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]],
// CHECK-NOT:   complete_tx
// CHECK:       llvm.return
tile.kernel @rows_k(%x: memref<?x?xbf16>, %i: index, %j: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @rows blocks() attributes {shared = 16392 : i64, mbarriers = array<i64: 1>} {
    %s = cta.copy %x[%i, %j] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 0 : i64, trim = 0 : i64} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #k>
    cta.await 0
  }
  tile.return
}

// Along the contiguous dimension there is one map. Each of the two boxes is fetched if any of it is inside.
// CHECK-LABEL: llvm.func @boxes
// CHECK-SAME:    tessera.descriptors = [{arg = 0 : i64, box = array<i64: 32, 64>, {{[^}]*}}swizzle = 128 : i64}],
// CHECK:       %[[FIRST:.*]] = arith.cmpi sge, %{{.*}}, %c1_i32
// CHECK:       %[[SECOND:.*]] = arith.cmpi sge, %{{.*}}, %c65_i32
// CHECK:       nvvm.mbarrier.arrive.expect_tx
// CHECK:       scf.if %[[FIRST]] {
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:       }
// CHECK:       scf.if %[[SECOND]] {
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:       }
tile.kernel @boxes_k(%x: memref<?x?xbf16>, %i: index, %j: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @boxes blocks() attributes {shared = 8200 : i64, mbarriers = array<i64: 1>} {
    %s = cta.copy %x[%i, %j] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 0 : i64, trim = 1 : i64} : memref<?x?xbf16> -> !cta.smem<32x128xbf16, #k>
    cta.await 0
  }
  tile.return
}

// A slot of a ring: the bytes are left out where those of the slot are announced.
// CHECK-LABEL: llvm.func @ring
// CHECK:       %[[EXPECTED:.*]] = llvm.inline_asm {{.*}}"sub.s32 $0, 16384, $1;"
// CHECK:       nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[EXPECTED]]
// CHECK-NOT:   complete_tx.relaxed
// CHECK:       llvm.return
tile.kernel @ring_k(%x: memref<?x?xbf16>, %i: index, %j: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @ring blocks() attributes {shared = 32784 : i64, mbarriers = array<i64: 1, 1>} {
    %r = cta.ring {offset = 0 : i64} : <2, <128x64xbf16, #k>>
    %c1 = arith.constant 1 : i32
    cta.expect 0[%c1] bytes = 16384
    %t = cta.slot %r[%c1] : <2, <128x64xbf16, #k>>
    %s = cta.copy %x[%i, %j] into %t[%c1] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, trim = 0 : i64} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #k>
  }
  tile.return
}

// Where the place of the tile is not known at the announcement, the thread tells the mbarrier later.
// CHECK-LABEL: llvm.func @later
// CHECK:       nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c16384_i32
// CHECK:       nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:       llvm.inline_asm has_side_effects {{.*}}mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [$0], $1;
tile.kernel @later_k(%x: memref<?x?xbf16>, %i: index, %j: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @later blocks() attributes {shared = 32784 : i64, mbarriers = array<i64: 1, 1>} {
    %r = cta.ring {offset = 0 : i64} : <2, <128x64xbf16, #k>>
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : index
    cta.expect 0[%c1] bytes = 16384
    %at = arith.muli %i, %c128 : index
    %t = cta.slot %r[%c1] : <2, <128x64xbf16, #k>>
    %s = cta.copy %x[%at, %j] into %t[%c1] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, trim = 0 : i64} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #k>
  }
  tile.return
}

// Two blocks fetch halves of 64 rows. What is missing is that of both halves, or where each block fetches the whole tile, of the whole.
// CHECK-LABEL: llvm.func @shared_by_two
// CHECK-SAME:    box = array<i64: 64, 64>, {{[^}]*}}swizzle = 128 : i64}, {{[^}]*}}box = array<i64: 64, 64>, {{[^}]*}}trim = 0 : i64}, {{[^}]*}}box = array<i64: 128, 64>, {{[^}]*}}swizzle = 128 : i64}, {{[^}]*}}box = array<i64: 128, 64>, {{[^}]*}}trim = 0 : i64}]
// CHECK:       %[[OF:[0-9]+]] = arith.select %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} : i32
// CHECK:       %[[EXPECTED:.*]] = llvm.inline_asm {{.*}}"sub.s32 $0, 16384, $1;", {{.*}} %[[OF]]
// CHECK:       nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[EXPECTED]]
tile.kernel @shared_by_two_k(%x: memref<?x?xbf16>, %i: index, %j: index, %both: i1) attributes {phase = #tile.phase<allocated>} {
  cta.launch @shared_by_two blocks() attributes {cluster = 2 : i64, shared = 32784 : i64, mbarriers = array<i64: 1, 1>} {
    %r = cta.ring {offset = 0 : i64} : <2, <128x64xbf16, #k>>
    %c1 = arith.constant 1 : i32
    cta.expect 0[%c1] bytes = 16384
    %t = cta.slot %r[%c1] : <2, <128x64xbf16, #k>>
    %s = cta.copy %x[%i, %j] multicast_if = %both into %t[%c1] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, multicast = 2 : i64, trim = 0 : i64} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #k>
  }
  tile.return
}

// One slot is filled twice in a block. Each announcement leaves out what is missing of its own copy.
// CHECK-LABEL: llvm.func @twice
// CHECK:       arith.muli %{{.*}}, %c128_i32
// CHECK:       %[[MISSING:.*]] = arith.select %{{.*}}, %c0_i32, %{{.*}}
// CHECK-NEXT:  llvm.inline_asm {{.*}}"sub.s32 $0, 16384, $1;", {{.*}} %[[MISSING]]
// CHECK:       nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:       %[[SECOND:.*]] = arith.select %{{.*}}, %c0_i32, %{{.*}}
// CHECK-NEXT:  llvm.inline_asm {{.*}}"sub.s32 $0, 16384, $1;", {{.*}} %[[SECOND]]
// CHECK:       nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT:   sub.s32
// CHECK:       llvm.return
tile.kernel @twice_k(%x: memref<?x?xbf16>, %i: index, %j: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @twice blocks() attributes {shared = 32784 : i64, mbarriers = array<i64: 1, 1>} {
    %r = cta.ring {offset = 0 : i64} : <2, <128x64xbf16, #k>>
    %c1 = arith.constant 1 : i32
    %t = cta.slot %r[%c1] : <2, <128x64xbf16, #k>>
    cta.expect 0[%c1] bytes = 16384
    %a = cta.copy %x[%i, %j] into %t[%c1] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, trim = 0 : i64} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #k>
    cta.expect 0[%c1] bytes = 16384
    %b = cta.copy %x[%i, %j] into %t[%c1] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, trim = 0 : i64} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #k>
  }
  tile.return
}

// 384 rows are boxes of 256 and of 128 rows. They begin at multiples of 128, but not of 256. So the second one can be cut, and the first one is
// fetched as it is if any of it is inside.
// CHECK-LABEL: llvm.func @uneven
// CHECK-SAME:    tessera.descriptors = [{arg = 0 : i64, box = array<i64: 256, 32>, {{[^}]*}}swizzle = 64 : i64}, {arg = 0 : i64, box = array<i64: 128, 32>, {{[^}]*}}swizzle = 64 : i64}, {arg = 0 : i64, box = array<i64: 128, 32>, {{[^}]*}}swizzle = 64 : i64, trim = 0 : i64}]
// CHECK:       llvm.return
tile.kernel @uneven_k(%x: memref<?x?xbf16>, %i: index, %j: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @uneven blocks() attributes {shared = 24584 : i64, mbarriers = array<i64: 1>} {
    %s = cta.copy %x[%i, %j] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 0 : i64, trim = 0 : i64} : memref<?x?xbf16> -> !cta.smem<384x32xbf16, #cta.swizzle<64, dim = 1>>
    cta.await 0
  }
  tile.return
}
