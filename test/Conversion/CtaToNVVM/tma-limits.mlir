// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

#k = #cta.swizzle<128, dim = 1>
#m = #cta.swizzle<128, dim = 0>

// A copy with a limit along rows. A tile before the limit comes in its boxes, one behind it from in front of the array, where TMA finds zeros. One that the limit
// cuts comes in parts of 16 rows, by a second map, of which the one that is cut comes row by row, by a third one, and rows at and behind the limit from row −1. Each
// way brings the bytes that are expected.
// CHECK-LABEL: llvm.func @rows
// CHECK-SAME:    tessera.descriptors = [{arg = 0 : i64, box = array<i64: 128, 64>, {{[^}]*}}}, {arg = 0 : i64, box = array<i64: 16, 64>, {{[^}]*}}}, {arg = 0 : i64, box = array<i64: 1, 64>, {{[^}]*}}}]
// CHECK:       nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c32768_i32
// CHECK:       %[[SOME:.*]] = arith.maxsi %{{.*}}, %c0
// CHECK:       %[[FITS:.*]] = arith.minsi %[[SOME]], %c2147483647
// CHECK:       %[[LIMIT:.*]] = arith.index_cast %[[FITS]] : index to i32
// CHECK:       %[[AT:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK:       %[[LAST:.*]] = arith.subi %[[LIMIT]], %c128_i32
// CHECK:       %[[WHOLE:.*]] = arith.cmpi sle, %[[AT]], %[[LAST]]
// CHECK:       %[[OUTSIDE:.*]] = arith.cmpi sge, %[[AT]], %[[LIMIT]]
// CHECK:       %[[UNCUT:.*]] = arith.ori %[[WHOLE]], %[[OUTSIDE]]
// CHECK:       scf.if %[[UNCUT]] {
// CHECK:         %[[FROM:.*]] = arith.select %[[WHOLE]], %[[AT]], %c-128_i32
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[BOX:.*]], %{{.*}}, box[%{{.*}}, %[[FROM]]]
// CHECK:       } else {
// CHECK:         %[[END:.*]] = llvm.inline_asm {{.*}} %c128_i32
// CHECK:         scf.while (%[[PART:.*]] = %c0_i32)
// CHECK:           %[[PARTAT:.*]] = arith.addi %[[AT]], %[[PART]]
// CHECK:           scf.if
// CHECK:             %[[PARTFROM:.*]] = arith.select %{{.*}}, %[[PARTAT]], %c-16_i32
// CHECK:             %[[PITCH:.*]] = arith.muli %[[PART]], %c128_i32
// CHECK:             llvm.getelementptr %{{.*}}[%[[PITCH]]]
// CHECK:             nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[PARTBOX:.*]], %{{.*}}, box[%{{.*}}, %[[PARTFROM]]]
// CHECK:             llvm.getelementptr %{{.*}}[16384]
// CHECK:             nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[PARTBOX]], %{{.*}}, box[%{{.*}}, %[[PARTFROM]]]
// CHECK:           } else {
// CHECK:             %[[ROWS:.*]] = llvm.inline_asm {{.*}} %c16_i32
// CHECK:             scf.while (%[[NEXT:.*]] = %c0_i32)
// CHECK:               %[[OWN:.*]] = arith.addi %[[PARTAT]], %[[NEXT]]
// CHECK:               %[[ROW:.*]] = arith.addi %[[PART]], %[[NEXT]]
// CHECK:               %[[MOST:.*]] = arith.subi %[[LIMIT]], %c1_i32
// CHECK:               %[[INSIDE:.*]] = arith.cmpi sle, %[[OWN]], %[[MOST]]
// CHECK:               %[[PLACE:.*]] = arith.select %[[INSIDE]], %[[OWN]], %c-1_i32
// CHECK:               %[[ROWPITCH:.*]] = arith.muli %[[ROW]], %c128_i32
// CHECK:               llvm.getelementptr %{{.*}}[%[[ROWPITCH]]]
// CHECK:               nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[LINE:.*]], %{{.*}}, box[%{{.*}}, %[[PLACE]]]
// CHECK:               llvm.getelementptr %{{.*}}[16384]
// CHECK:               nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[LINE]], %{{.*}}, box[%{{.*}}, %[[PLACE]]]
// CHECK:               %[[NEXTROW:.*]] = arith.addi %[[NEXT]], %c1_i32
// CHECK:               %[[MORE:.*]] = arith.cmpi slt, %[[NEXTROW]], %[[ROWS]]
// CHECK:               scf.condition(%[[MORE]]) %[[NEXTROW]]
// CHECK:           %[[NEXTPART:.*]] = arith.addi %[[PART]], %c16_i32
// CHECK:           %[[MOREPARTS:.*]] = arith.cmpi slt, %[[NEXTPART]], %[[END]]
// CHECK:           scf.condition(%[[MOREPARTS]]) %[[NEXTPART]]
// CHECK-NOT:   nvvm.cp.async.bulk
// CHECK:       llvm.return
tile.kernel @rows_k(%x: memref<?x?xbf16>, %i: index, %j: index, %n: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @rows blocks() attributes {shared = 32776 : i64, mbarriers = array<i64: 1>} {
    %s = cta.copy %x[%i, %j] limit = [%n, _] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 0 : i64} : memref<?x?xbf16> -> !cta.smem<128x128xbf16, #k>
    cta.await 0
  }
  tile.return
}

// The rows of the shared tile may be columns of the tile; the slot of a ring is filled as it is told.
// CHECK-LABEL: llvm.func @ring
// CHECK-SAME:    tessera.descriptors = [{arg = 0 : i64, box = array<i64: 32, 64>, dims = array<i64: 0, 1>, {{[^}]*}}}, {arg = 0 : i64, box = array<i64: 16, 64>, {{[^}]*}}}, {arg = 0 : i64, box = array<i64: 1, 64>, {{[^}]*}}}]
// CHECK:       nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c4096_i32
// CHECK:       scf.while
// CHECK:         scf.while
tile.kernel @ring_k(%x: memref<?x?xbf16>, %i: index, %j: index, %n: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @ring blocks() attributes {shared = 8208 : i64, mbarriers = array<i64: 1, 1>} {
    %r = cta.ring {offset = 0 : i64} : <2, <64x32xbf16, #m>>
    %c1 = arith.constant 1 : i32
    cta.expect 0[%c1] bytes = 4096
    %t = cta.slot %r[%c1] : <2, <64x32xbf16, #m>>
    %s = cta.copy %x[%i, %j] dims = [1, 0] limit = [_, %n] into %t[%c1] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64} : memref<?x?xbf16> -> !cta.smem<64x32xbf16, #m>
  }
  tile.return
}

// A number of rows that no part divides, and rows that do not lie together in shared memory, come one by one.
// CHECK-LABEL: llvm.func @few
// CHECK-SAME:    box = array<i64: 6, 64>, {{[^}]*}}}, {arg = 0 : i64, box = array<i64: 1, 64>, {{[^}]*}}}, {arg = 1 : i64, box = array<i64: 2, 32, 64>, {{[^}]*}}}, {arg = 1 : i64, box = array<i64: 1, 1, 64>, {{[^}]*}}}]
// CHECK:       llvm.inline_asm {{.*}} %c6_i32
// CHECK:       scf.while
// CHECK-NOT:   scf.while
// CHECK:       nvvm.mbarrier.arrive.expect_tx
// CHECK:       llvm.inline_asm {{.*}} %c32_i32
// CHECK:       scf.while (%[[ROW:.*]] = %c0_i32)
// CHECK:         %[[PITCH:.*]] = arith.muli %[[ROW]], %c128_i32
// CHECK:         llvm.getelementptr %{{.*}}[%[[PITCH]]]
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         llvm.getelementptr %{{.*}}[5120]
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT:   scf.while
// CHECK:       llvm.return
tile.kernel @few_k(%x: memref<?x?xbf16>, %y: memref<?x?x?xbf16>, %i: index, %j: index, %n: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @few blocks() attributes {shared = 9232 : i64, mbarriers = array<i64: 1, 1>} {
    %s = cta.copy %x[%i, %j] limit = [%n, _] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 0 : i64} : memref<?x?xbf16> -> !cta.smem<6x64xbf16, #k>
    %t = cta.copy %y[%i, %i, %j] limit = [_, %n, _] {mechanism = #cta.mechanism<tma>, mbarrier = 1 : i64, offset = 1024 : i64} : memref<?x?x?xbf16> -> !cta.smem<2x32x64xbf16, #cta.swizzle<128, dim = 2>>
    cta.await 0
    cta.await 1
  }
  tile.return
}

// Parts have 8 or 4 rows where 16 do not divide the tile. A tile of more rows than a box may have comes in several boxes.
// CHECK-LABEL: llvm.func @many
// CHECK-SAME:    box = array<i64: 40, 64>, {{[^}]*}}}, {arg = 0 : i64, box = array<i64: 8, 64>, {{[^}]*}}}, {arg = 0 : i64, box = array<i64: 1, 64>, {{[^}]*}}}, {arg = 0 : i64, box = array<i64: 256, 64>, {{[^}]*}}}, {arg = 0 : i64, box = array<i64: 16, 64>, {{[^}]*}}}]
// CHECK:       nvvm.mbarrier.arrive.expect_tx
// CHECK:       nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c65536_i32
// CHECK:         %[[FROM:.*]] = arith.select %{{.*}}, %{{.*}}, %c-512_i32
// CHECK:         %[[SECOND:.*]] = arith.addi %[[FROM]], %c256_i32
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}, %[[FROM]]]
// CHECK:         llvm.getelementptr %{{.*}}[32768]
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}, %[[SECOND]]]
tile.kernel @many_k(%x: memref<?x?xbf16>, %i: index, %j: index, %n: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @many blocks() attributes {shared = 71696 : i64, mbarriers = array<i64: 1, 1>} {
    %s = cta.copy %x[%i, %j] limit = [%n, _] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 65536 : i64} : memref<?x?xbf16> -> !cta.smem<40x64xbf16, #k>
    %t = cta.copy %x[%i, %j] limit = [%n, _] {mechanism = #cta.mechanism<tma>, mbarrier = 1 : i64, offset = 0 : i64} : memref<?x?xbf16> -> !cta.smem<512x64xbf16, #k>
    cta.await 0
    cta.await 1
  }
  tile.return
}
