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
// At the ends of the array elements are copied one by one, where a chunk is not all of the array's. A thread has three of its four pieces on their way there;
// two groups of three would be six, so there is no loop over groups.
// CHECK-NOT:         scf.for
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
// four are 64 further, in global memory, against bounds and, 8192 bytes, in shared memory; those of a piece 16 further than those of the one before.
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
// CHECK:               %[[SLOT:.+]] = llvm.getelementptr %{{.+}}[%[[BEHIND]]]
// CHECK:               %[[TO:.+]] = llvm.getelementptr %[[SLOT]][
// CHECK:               %[[FURTHER:.+]] = arith.extsi %[[ROWS]] : i32 to i64
// CHECK-NEXT:          %[[BYTES:.+]] = arith.muli %[[FURTHER]], %c142_i64
// CHECK-NEXT:          %[[ALL:.+]] = arith.addi %{{.+}}, %[[BYTES]]
// CHECK-NEXT:          llvm.getelementptr %{{.+}}[%[[ALL]]]
// CHECK:               %[[ROW0:.+]] = arith.addi %[[THREAD:.+]], %[[ROWS]] : i32
// CHECK-NEXT:          %[[HIGH0:.+]] = arith.subi %[[END:.+]], %[[ROW0]] : i32
// CHECK-NEXT:          %[[LOW0:.+]] = arith.subi %[[BEGIN:.+]], %[[ROW0]] : i32
// CHECK-NEXT:          arith.cmpi sgt, %[[HIGH0]], %c0_i32
// CHECK-NEXT:          arith.cmpi sle, %[[LOW0]], %c0_i32
// CHECK-COUNT-2:       ld.global.nc.v4.b32
// CHECK:               %[[ROW1:.+]] = arith.addi %[[THREAD]], %[[ROWS]] : i32
// CHECK-NEXT:          %[[HIGH1:.+]] = arith.subi %[[END]], %[[ROW1]] : i32
// CHECK-NEXT:          %[[LOW1:.+]] = arith.subi %[[BEGIN]], %[[ROW1]] : i32
// CHECK-NEXT:          arith.cmpi sgt, %[[HIGH1]], %c16_i32
// CHECK-NEXT:          arith.cmpi sle, %[[LOW1]], %c16_i32
// CHECK-COUNT-2:       ld.global.nc.v4.b32
// CHECK:               %[[ROW2:.+]] = arith.addi %[[THREAD]], %[[ROWS]] : i32
// CHECK-NEXT:          %[[HIGH2:.+]] = arith.subi %[[END]], %[[ROW2]] : i32
// CHECK-NEXT:          %[[LOW2:.+]] = arith.subi %[[BEGIN]], %[[ROW2]] : i32
// CHECK-NEXT:          arith.cmpi sgt, %[[HIGH2]], %c32_i32
// CHECK-NEXT:          arith.cmpi sle, %[[LOW2]], %c32_i32
// CHECK-COUNT-2:       ld.global.nc.v4.b32
// CHECK-NOT:           ld.global
// CHECK:               llvm.store %{{.+}}, %[[TO]] {alignment = 16 : i64} : vector<4xi32>
// CHECK:                 scf.for
// CHECK:               %[[TO1:.+]] = llvm.getelementptr %[[TO]][2048]
// CHECK-NEXT:          llvm.store %{{.+}}, %[[TO1]] {alignment = 16 : i64} : vector<4xi32>
// CHECK:                 scf.for
// CHECK:               %[[TO2:.+]] = llvm.getelementptr %[[TO]][4096]
// CHECK-NEXT:          llvm.store %{{.+}}, %[[TO2]] {alignment = 16 : i64} : vector<4xi32>
// CHECK:                 scf.for
// CHECK:               %[[ROW3:.+]] = arith.addi %[[THREAD]], %[[ROWS]] : i32
// CHECK-NEXT:          %[[HIGH3:.+]] = arith.subi %[[END]], %[[ROW3]] : i32
// CHECK-NEXT:          %[[LOW3:.+]] = arith.subi %[[BEGIN]], %[[ROW3]] : i32
// CHECK-NEXT:          arith.cmpi sgt, %[[HIGH3]], %c48_i32
// CHECK-NEXT:          arith.cmpi sle, %[[LOW3]], %c48_i32
// CHECK-COUNT-2:       ld.global.nc.v4.b32
// CHECK:               %[[TO3:.+]] = llvm.getelementptr %[[TO]][6144]
// CHECK-NEXT:          llvm.store %{{.+}}, %[[TO3]] {alignment = 16 : i64} : vector<4xi32>
// CHECK:                 scf.for
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

// Of 100 rows the bound cuts none of a thread's first two pieces, also 64 rows further; it cuts the next ones, which are inside the first time.
// CHECK-LABEL: llvm.func @static
// CHECK:             scf.for %[[GROUP:.+]] = %c0_i32
// CHECK:               %[[ROWS:.+]] = arith.muli %[[GROUP]], %c64_i32
// CHECK-COUNT-4:       ld.global.nc.v4.b32
// CHECK:               %[[ROW2:.+]] = arith.addi %{{.+}}, %[[ROWS]] : i32
// CHECK-NEXT:          %[[HIGH2:.+]] = arith.subi %c100_i32, %[[ROW2]] : i32
// CHECK-NEXT:          arith.cmpi sgt, %[[HIGH2]], %c32_i32
// CHECK-COUNT-2:       ld.global.nc.v4.b32
// CHECK:               %[[ROW3:.+]] = arith.addi %{{.+}}, %[[ROWS]] : i32
// CHECK-NEXT:          %[[HIGH3:.+]] = arith.subi %c100_i32, %[[ROW3]] : i32
// CHECK-NEXT:          arith.cmpi sgt, %[[HIGH3]], %c48_i32
// CHECK-COUNT-2:       ld.global.nc.v4.b32
// CHECK:         cp.async.wait_all;
tile.kernel @static_k(%x: memref<100x71xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @static blocks() attributes {shared = 16384} {
    %c0 = arith.constant 0 : index
    %s = cta.copy %x[%c0, %c0] {mechanism = #shifted, vector = 8, offset = 0} : memref<100x71xbf16> -> !cta.smem<128x64xbf16, #t>
    cta.await_copies
  }
  tile.return
}

// A thread's pieces are four rows apart, and the swizzle repeats after eight rows: three pieces are no group, four are.
// CHECK-LABEL: llvm.func @swizzled
// CHECK:             %[[GROUPS:.+]] = llvm.inline_asm has_side_effects {{.*}} "mov.b32 $0, $1;", "=r,r" %c4_i32
// CHECK:             scf.for %[[GROUP:.+]] = %c0_i32 to %[[GROUPS]] step %c1_i32
// CHECK-DAG:           arith.muli %[[GROUP]], %c16_i32
// CHECK-DAG:           arith.muli %[[GROUP]], %c2048_i32
// CHECK:         cp.async.wait_all;
tile.kernel @swizzled_k(%x: memref<?x271xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @swizzled blocks() attributes {shared = 32768} {
    %c0 = arith.constant 0 : index
    %s = cta.copy %x[%c0, %c0] {mechanism = #shifted, vector = 8, offset = 0} : memref<?x271xbf16> -> !cta.smem<64x256xbf16, #t>
    cta.await_copies
  }
  tile.return
}

// The pieces of rows of 80 bytes lie in no order that repeats.
// CHECK-LABEL: llvm.func @irregular
// CHECK:         scf.if
// CHECK-NOT:     scf.for %{{.+}} step %c1_i32
// CHECK:         cp.async.wait_all;
tile.kernel @irregular_k(%x: memref<?x41xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @irregular blocks() attributes {shared = 16384} {
    %c0 = arith.constant 0 : index
    %s = cta.copy %x[%c0, %c0] {mechanism = #shifted, vector = 8, offset = 0} : memref<?x41xbf16> -> !cta.smem<120x40xbf16, #cta.swizzle<linear>>
    cta.await_copies
  }
  tile.return
}

// What nobody can show any more, the copy says.
// CHECK-LABEL: llvm.func @from_zero
// CHECK: ld.global
tile.kernel @from_zero(%x: memref<64x64xbf16>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @from_zero blocks() {
    %c0 = arith.constant 0 : index
    %s = cta.copy %x[%c0, %n] {from_zero, mechanism = #shifted, vector = 8 : i64, offset = 0 : i64} : memref<64x64xbf16> -> !cta.smem<64x64xbf16, #t>
  }
  tile.return
}
