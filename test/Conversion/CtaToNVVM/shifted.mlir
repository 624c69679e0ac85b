// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

#t = #cta.swizzle<128, dim = 1>
#shifted = #cta.mechanism<shifted>

// 64x128 i8 are 512 pieces: four a thread, whose rows are 16 apart. The coordinate may be negative, and is a multiple of 16: no lower bound cuts a piece.
// Whole tiles with room for a chunk on both sides: two loads a piece without predicates, of three pieces before the first is stored. Words are selected
// by the bits 8 and 4 of the address, bytes by a funnel shift.
// CHECK-LABEL: llvm.func @bytes
// CHECK-NOT:     ld.global
// CHECK:         scf.if
// CHECK:           %[[AT:.+]] = llvm.ptrtoint
// CHECK:           %[[SHIFT:.+]] = arith.andi %{{.+}}, %c15_i32
// CHECK-COUNT-6:   llvm.load %{{.+}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT:       llvm.load
// CHECK:           arith.andi %[[SHIFT]], %c8_i32
// CHECK-COUNT-6:   arith.select
// CHECK:           arith.andi %[[SHIFT]], %c4_i32
// CHECK-COUNT-5:   arith.select
// CHECK:           arith.andi %[[SHIFT]], %c3_i32
// CHECK-COUNT-4:   llvm.intr.fshr
// CHECK-NOT:       llvm.intr.fshr
// CHECK:           llvm.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// Where bounds cut the loads have predicates, and what is outside becomes zero.
// CHECK:         } else {
// CHECK:           scf.if
// CHECK-COUNT-8:     ld.global.nc.v4.b32
// CHECK:           } else {
// At the ends of the array elements are copied one by one, where a chunk is not all of the array's. Three pieces are on their way; with a loop over them and the
// fourth one there would be as much code.
// CHECK-COUNT-6:     ld.global.nc.v4.b32
// CHECK:             llvm.store %{{.+}} : vector<4xi32>, !llvm.ptr<3>
// CHECK-COUNT-3:     scf.for
// CHECK-COUNT-2:     ld.global.nc.v4.b32
// CHECK:             scf.for
// CHECK-NOT:         scf.for
// CHECK:         cp.async.wait_all;
tile.kernel @bytes_k(%x: memref<?x?xi8>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @bytes blocks() attributes {shared = 8192} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %at = arith.muli %n, %c16 : index
    %s = cta.copy %x[%c0, %at] {mechanism = #shifted, vector = 16, offset = 0} : memref<?x?xi8> -> !cta.smem<64x128xi8, #t>
    cta.await_copies
  }
  tile.return
}

// Copies one after the other are made together: the first piece of the second one is loaded before the last piece of the first one is stored.
// CHECK-LABEL: llvm.func @together
// CHECK:         scf.if
// CHECK-COUNT-6:   llvm.load %{{.+}} : !llvm.ptr<1> -> vector<4xi32>
// CHECK:           llvm.store %{{.+}} : vector<4xi32>, !llvm.ptr<3>
// CHECK-COUNT-6:   llvm.load %{{.+}} : !llvm.ptr<1> -> vector<4xi32>
// CHECK:         } else {
tile.kernel @together_k(%x: memref<?x71xbf16>, %y: memref<?x35xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @together blocks() attributes {shared = 16384} {
    %c0 = arith.constant 0 : index
    %s = cta.copy %x[%c0, %c0] {mechanism = #shifted, vector = 8, offset = 0} : memref<?x71xbf16> -> !cta.smem<64x64xbf16, #t>
    %u = cta.copy %y[%c0, %c0] {mechanism = #shifted, vector = 8, offset = 8192} : memref<?x35xbf16> -> !cta.smem<32x64xbf16, #t>
    cta.await_copies
  }
  tile.return
}

// At the ends of the array eight pieces are two times four: with four there is less code than with three, two times, and two that are left. The rows of the second
// four are 64 further, and 8192 bytes in shared memory; bounds are compared with them.
// CHECK-LABEL: llvm.func @groups
// CHECK:         scf.if
// CHECK-COUNT-16:  llvm.load %{{.+}} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT:       scf.for
// CHECK:         } else {
// CHECK:           scf.if
// CHECK-COUNT-16:    ld.global.nc.v4.b32
// CHECK-NOT:         scf.for
// CHECK:           } else {
// CHECK:             %[[GROUPS:.+]] = llvm.inline_asm has_side_effects {{.*}} "mov.b32 $0, $1;", "=r,r" %c2_i32
// CHECK:             scf.for %[[GROUP:.+]] = %c0_i32 to %[[GROUPS]] step %c1_i32
// CHECK-DAG:           %[[ROWS:.+]] = arith.muli %[[GROUP]], %c64_i32
// CHECK-DAG:           %[[BEHIND:.+]] = arith.muli %[[GROUP]], %c8192_i32
// CHECK:               llvm.getelementptr %{{.+}}[%[[BEHIND]]]
// CHECK:               %[[FURTHER:.+]] = arith.extsi %[[ROWS]] : i32 to i64
// CHECK:               arith.muli %[[FURTHER]], %{{.+}} : i64
// CHECK:               %[[ROW:.+]] = arith.addi %{{.+}}, %[[ROWS]] : i32
// CHECK:               arith.subi %{{.+}}, %[[ROW]] : i32
// CHECK-COUNT-6:       ld.global.nc.v4.b32
// CHECK-NOT:           ld.global
// CHECK-COUNT-3:       scf.for
// CHECK-COUNT-2:       ld.global.nc.v4.b32
// CHECK:               scf.for
// CHECK-NOT:           scf.for
tile.kernel @groups_k(%x: memref<?x71xbf16>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @groups blocks() attributes {shared = 16384} {
    %c0 = arith.constant 0 : index
    %s = cta.copy %x[%n, %c0] {mechanism = #shifted, vector = 8, offset = 0} : memref<?x71xbf16> -> !cta.smem<128x64xbf16, #t>
    cta.await_copies
  }
  tile.return
}

// Of 136 rows the last piece of a thread is only in half of the threads: the eight before it repeat, that one comes behind the loop.
// CHECK-LABEL: llvm.func @uneven
// CHECK:             scf.for %{{.+}} = %c0_i32
// CHECK-COUNT-6:       ld.global.nc.v4.b32
// CHECK-NOT:           ld.global
// CHECK-COUNT-3:       scf.for
// CHECK-COUNT-2:       ld.global.nc.v4.b32
// CHECK:               scf.for
// CHECK-COUNT-2:     ld.global.nc.v4.b32
// CHECK:             @$1 st.shared.v4.b32 [$0+16384]
// CHECK:             scf.for
// CHECK-NOT:         scf.for
tile.kernel @uneven_k(%x: memref<?x71xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @uneven blocks() attributes {shared = 17408} {
    %c0 = arith.constant 0 : index
    %s = cta.copy %x[%c0, %c0] {mechanism = #shifted, vector = 8, offset = 0} : memref<?x71xbf16> -> !cta.smem<136x64xbf16, #t>
    cta.await_copies
  }
  tile.return
}
