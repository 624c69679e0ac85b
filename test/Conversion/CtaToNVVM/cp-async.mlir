// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

#t = #cta.swizzle<128, dim = 1>
#cp = #cta.mechanism<cp_async>

// Everything is inside: no source size, 16 bytes past L1. 64x64 bf16 are 512 pieces: four a thread, 16 rows apart.
// CHECK-LABEL: llvm.func @whole
// CHECK-NOT:     scf.if
// CHECK:         llvm.inline_asm has_side_effects {{.*}} "cp.async.cg.shared.global [$0+0], [$1+0], 16;", "r,l,~{memory}" %[[TO:.+]], %[[FROM:.+]] :
// CHECK-NEXT:    llvm.inline_asm {{.*}} "cp.async.cg.shared.global [$0+2048], [$1+2048], 16;", "r,l,~{memory}" %[[TO]], %[[FROM]] :
// CHECK-NEXT:    llvm.inline_asm {{.*}} "cp.async.cg.shared.global [$0+4096], [$1+4096], 16;"
// CHECK-NEXT:    llvm.inline_asm {{.*}} "cp.async.cg.shared.global [$0+6144], [$1+6144], 16;"
// CHECK-NEXT:    llvm.inline_asm has_side_effects {{.*}} "cp.async.wait_all;", "~{memory}"
// CHECK-NEXT:    llvm.return
tile.kernel @whole_k(%x: memref<64x64xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @whole blocks() attributes {shared = 8192} {
    %c0 = arith.constant 0 : index
    %s = cta.copy %x[%c0, %c0] {mechanism = #cp, vector = 8, offset = 0} : memref<64x64xbf16> -> !cta.smem<64x64xbf16, #t>
    cta.await_copies
  }
  tile.return
}

// A tile that is inside needs no sizes. Otherwise the size is that of the piece that lies inside: the bytes that are left, 0 to 8. Rows outside bring none,
// which is compared next to the copy: the constant is that of the row, the register is the same for all rows. LLVM knows nothing of the pointer and the stride.
// CHECK-LABEL: llvm.func @ragged
// CHECK:         %[[INSIDE:.+]] = arith.andi %{{.+}}, %{{.+}} : i1
// CHECK:         scf.if %[[INSIDE]] {
// CHECK-COUNT-8:   llvm.inline_asm {{.*}} "cp.async.ca.shared.global [$0+{{[0-9]+}}], [$1+0], 8;", "r,l,~{memory}"
// CHECK:         } else {
// CHECK:         %[[STRIDE:.+]] = llvm.inline_asm has_side_effects {{.*}} "mov.b64 $0, $1;", "=l,l" %{{.+}} : (i64)
// CHECK:         %[[FROM:.+]] = llvm.inline_asm has_side_effects {{.*}} "mov.b64 $0, $1;", "=l,l" %{{.+}} : (!llvm.ptr<1>)
// CHECK:         %[[LEFT:.+]] = arith.muli %{{.+}}, %c2_i32
// CHECK:         %[[MOST:.+]] = arith.minsi %[[LEFT]], %c8_i32
// CHECK:         %[[BYTES:.+]] = arith.maxsi %[[MOST]], %c0_i32
// CHECK:         llvm.inline_asm {{.*}} "{\0A\09.reg .pred in;\0A\09.reg .b32 size;\0A\09setp.gt.s32 in, $2, 0;\0A\09selp.b32 size, $3, 0, in;\0A\09cp.async.ca.shared.global [$0+0], [$1+0], 8, size;\0A\09}", "r,l,r,r,~{memory}" %{{.+}}, %[[FROM]], %{{.+}}, %[[BYTES]] :
// CHECK:         %[[BY:.+]] = arith.muli %[[STRIDE]], %c2_i64
// CHECK:         arith.muli %c8_i64, %[[BY]]
// CHECK:         llvm.inline_asm {{.*}}setp.gt.s32 in, $2, 8;{{.*}} 8, size;
// CHECK-COUNT-6: llvm.inline_asm {{.*}} 8, size;
// CHECK-NOT:     llvm.inline_asm
// CHECK:         llvm.return
tile.kernel @ragged_k(%x: memref<?x?xbf16, strided<[?, 1]>> {tile.align = 8 : i64, tile.stride_divisible = array<i64: 4, 1>}) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @ragged blocks() attributes {shared = 8192} {
    %c0 = arith.constant 0 : index
    %s = cta.copy %x[%c0, %c0] {mechanism = #cp, vector = 4, offset = 0} : memref<?x?xbf16, strided<[?, 1]>> -> !cta.smem<64x64xbf16, #t>
  }
  tile.return
}

// A coordinate that may be below 0, another dimension and a limit: each bounds it. A view has its own pointer and strides.
// CHECK-LABEL: llvm.func @bounds
// CHECK:         %[[LOW:.+]] = arith.cmpi sge, %{{.*}} : i64
// CHECK:         %[[HIGH:.+]] = arith.cmpi slt, %{{.*}} : i64
// CHECK:         %[[IN:.+]] = arith.andi %[[LOW]], %[[HIGH]] : i1
// CHECK:         llvm.inline_asm {{.*}}setp.gt.s32 in, $2, 0;\0A\09setp.le.and.s32 in, $3, 0, in;\0A\09and.pred in, in, $4;\0A\09selp.b32 size, 4, 0, in;\0A\09cp.async.ca.shared.global [$0+0], [$1+0], 4, size;{{.*}}"r,l,r,r,b,~{memory}" %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %[[IN]] :
tile.kernel @bounds_k(%x: memref<8x64x64xf32>, %i: index, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @bounds blocks() attributes {shared = 8192} {
    %c0 = arith.constant 0 : index
    %v = memref.subview %x[0, 0, 0] [8, 64, 32] [1, 1, 1] : memref<8x64x64xf32> to memref<8x64x32xf32, strided<[4096, 64, 1]>>
    %s = cta.copy %v[%i, %i, %c0] limit = [%n, _] {mechanism = #cp, vector = 1, offset = 0} : memref<8x64x32xf32, strided<[4096, 64, 1]>> -> !cta.smem<64x32xf32, #cta.swizzle<linear>>
  }
  tile.return
}

// Rows that end between the threads' pieces: what the tile does not have is not written.
// CHECK-LABEL: llvm.func @live
// CHECK:         llvm.inline_asm {{.*}} "@$2 cp.async.ca.shared.global [$0+0], [$1+0], 8;", "r,l,b,~{memory}"
tile.kernel @live_k(%x: memref<48x12xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @live blocks() attributes {shared = 8192} {
    %c0 = arith.constant 0 : index
    %s = cta.copy %x[%c0, %c0] {mechanism = #cp, vector = 2, offset = 0} : memref<48x12xf32> -> !cta.smem<48x12xf32, #cta.swizzle<linear, pad = 8>>
  }
  tile.return
}

// In a role of four warps that comes after eight others: the threads of that role. The low bits are the number in its warpgroup. Groups, and arrivals of every thread.
// CHECK-LABEL: llvm.func @role
// CHECK:         llvm.inline_asm {{.*}} "cp.async.cg.shared.global [$0+0], [$1+0], 16;"
// CHECK-NOT:     scf.if
// CHECK:         nvvm.cp.async.commit.group
// CHECK-NEXT:    llvm.inline_asm {{.*}} "cp.async.wait_group 1;", "~{memory}"
// CHECK:         llvm.inline_asm {{.*}} "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];", "r,~{memory}"
tile.kernel @role_k(%x: memref<64x64xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  cta.launch @role blocks() attributes {shared = 8200, mbarriers = array<i64: 128>} {
    %c0 = arith.constant 0 : index
    %slot = arith.constant 0 : i32
    %r = cta.ring {offset = 0} : !cta.ring<1, !cta.smem<64x64xbf16, #t>>
    cta.role @math warps(8) {
      %p = arith.constant 0 : i32
      cta.await 0[%p] parity %p
    }
    cta.role @producer warps(4) {
      %to = cta.slot %r[%slot] : !cta.ring<1, !cta.smem<64x64xbf16, #t>>
      %s = cta.copy %x[%c0, %c0] into %to[%slot] {mechanism = #cp, vector = 8, mbarrier = 0} : memref<64x64xbf16> -> !cta.smem<64x64xbf16, #t>
      cta.commit_copies
      cta.await_copies pending = 1
      cta.arrive 0[%slot] copies
    }
  }
  tile.return
}

// The L2 hint of a copy is not passed on: ptxas makes an illegal instruction of it (CpAsync.cpp).
// CHECK-LABEL: llvm.func @hint
// CHECK-NOT:     createpolicy
// CHECK:         scf.if
// CHECK-COUNT-8:   "cp.async.ca.shared.global [$0+{{[0-9]+}}], [$1+0], 8;", "r,l,~{memory}"
// CHECK:         } else {
// CHECK-COUNT-8:   cp.async.ca.shared.global [$0+{{[0-9]+}}], [$1+0], 8, size;\0A\09}", "r,l,r,r,~{memory}"
// CHECK-NOT:     cache_hint
// CHECK:       llvm.return
tile.kernel @hint_k(%x: memref<?x?xbf16, strided<[?, 1]>> {tile.align = 8 : i64, tile.stride_divisible = array<i64: 4, 1>}) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @hint blocks() attributes {shared = 8192} {
    %c0 = arith.constant 0 : index
    %s = cta.copy %x[%c0, %c0] {cache = #tile.cache<last>, mechanism = #cp, vector = 4, offset = 0} : memref<?x?xbf16, strided<[?, 1]>> -> !cta.smem<64x64xbf16, #t>
  }
  tile.return
}
