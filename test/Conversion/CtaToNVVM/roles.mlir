// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!rows = !cta.smem<128x64xbf16, #sw>
!b = !cta.smem<64x64xbf16, #sw>
!out = tensor<128x64xbf16, #acc>
// Roles are branches on the number of the warp, the last takes the rest. Their mbarriers lie after the tiles: 6 of 8 bytes before 65600.
//
// CHECK-LABEL: llvm.func @gemm_0(
// CHECK-SAME:    %[[PHASE:[a-z0-9]*]]: i32, %[[SLOT:[a-z0-9]*]]: i32, %[[C:[a-z0-9]*]]: !llvm.ptr {{{.*}}}, %[[A:[a-z0-9]*]]: !llvm.ptr {{{.*}}}, %[[B:[a-z0-9]*]]: !llvm.ptr
// CHECK:       %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 384>
// CHECK:       %[[SMEM:.*]] = llvm.mlir.addressof @__tessera_shared
// CHECK:       %[[WARP:.*]] = nvvm.shfl.sync  idx
// CHECK:       nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT:  %{{.*}} = llvm.getelementptr
// CHECK-NEXT:  nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-COUNT-2: nvvm.mbarrier.init %{{.*}}, %c2_i32
// CHECK-COUNT-2: nvvm.mbarrier.init %{{.*}}, %c8_i32
// CHECK:       nvvm.fence.mbarrier.init
// CHECK:       nvvm.barrier0
// CHECK:       %[[MATH:.*]] = arith.cmpi slt, %[[WARP]], %c8_i32
// CHECK-NEXT:  scf.if %[[MATH]] {
// CHECK-NEXT:    nvvm.setmaxregister  increase 232
//
// An mbarrier of a slot, its phase by parity in one loop of asm.
// CHECK-NEXT:    %[[FULL:.*]] = llvm.getelementptr %[[SMEM]][65552]
// CHECK-NEXT:    %[[AT:.*]] = arith.muli %[[SLOT]], %c8_i32
// CHECK-NEXT:    %[[BAR:.*]] = llvm.getelementptr %[[FULL]][%[[AT]]]
// CHECK-NEXT:    llvm.inline_asm has_side_effects {{.*}}mbarrier.try_wait.parity.shared::cta.b64 {{.*}}bra.uni {{.*}} %[[BAR]], %[[PHASE]]
//
// Descriptors of the slot: that of slot 0, computed before all loops, and 1024 or 512 units of 16 bytes for each slot.
// CHECK:         %[[UB:.*]] = arith.muli %[[SLOT]], %c512_i32
// CHECK-NEXT:    %[[WB:.*]] = arith.extui %[[UB]] : i32 to i64
// CHECK-NEXT:    %[[DB:.*]] = arith.addi %{{.*}}, %[[WB]] : i64
// CHECK-NEXT:    %[[UA:.*]] = arith.muli %[[SLOT]], %c1024_i32
// CHECK-NEXT:    %[[WA:.*]] = arith.extui %[[UA]] : i32 to i64
// CHECK-NEXT:    %[[DA:.*]] = arith.addi %{{.*}}, %[[WA]] : i64
// CHECK:         llvm.inline_asm has_side_effects {{.*}}wgmma.mma_async{{.*}} %[[DA]], %[[DB]] :
//
// One thread of each warpgroup arrives, or one of each warp after it has met; predicated, not a branch.
// CHECK:         %[[LOW:.*]] = arith.andi %[[TID]], %c127_i32
// CHECK-NEXT:    llvm.inline_asm has_side_effects {{.*}}setp.eq.u32 first, $1, 0;{{.*}}@first mbarrier.arrive.shared::cta.b64 _, [$0];{{.*}} %{{.*}}, %[[LOW]]
// CHECK:         nvvm.ldmatrix
// CHECK:         nvvm.bar.warp.sync
// CHECK-NEXT:    llvm.inline_asm has_side_effects {{.*}}@first mbarrier.arrive.shared::cta.b64 _, [$0];
//
// Barriers with names: 1 + the number of the role, 8 + the number of the warpgroup.
// CHECK:         nvvm.barrier id = %c1_i32 number_of_threads = %c256_i32
// CHECK:         scf.if %[[FIRST:.*]] {
// CHECK-NEXT:      nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK:         %[[ID:.*]] = arith.addi %[[GROUP:.*]], %c8_i32
// CHECK-NEXT:    nvvm.barrier id = %[[ID]] number_of_threads = %c128_i32
// CHECK:         nvvm.fence.proxy
// CHECK:         nvvm.barrier id = %{{.*}} number_of_threads = %c128_i32
//
// Each warpgroup stores its own 64 rows: 8 KiB further, and at a coordinate of its own.
// CHECK:         %[[ROWS:.*]] = arith.muli %[[GROUP]], %c64_i32
// CHECK-NEXT:    %[[ROW:.*]] = arith.addi %c64_i32, %[[ROWS]]
// CHECK-NEXT:    scf.if %[[FIRST]] {
// CHECK-NEXT:      %[[MOVE:.*]] = arith.muli %[[GROUP]], %c8192_i32
// CHECK-NEXT:      %[[PART:.*]] = llvm.getelementptr %[[SMEM]][%[[MOVE]]]
// CHECK-NEXT:      %[[FROM:.*]] = llvm.getelementptr %[[PART]][49152]
// CHECK-NEXT:      nvvm.cp.async.bulk.tensor.global.shared.cta %[[C]], %[[FROM]], box[%c0_i32, %[[ROW]]]
// CHECK-NEXT:      nvvm.cp.async.bulk.commit.group
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %[[FIRST]] {
// CHECK-NEXT:      nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT:    }
// CHECK-NEXT:  } else {
// CHECK-NEXT:    nvvm.setmaxregister  decrease 40
// CHECK-NEXT:    nvvm.barrier id = %c2_i32 number_of_threads = %c128_i32
//
// One thread: no predicates inside. The bytes of the whole slot are expected once.
// CHECK-NEXT:    scf.if %[[ELECTED:.*]] {
// CHECK-NOT:       scf.if
// CHECK:           mbarrier.try_wait.parity
// CHECK:           nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c24576_i32
// CHECK-NEXT:      %[[SA:.*]] = arith.muli %[[SLOT]], %c16384_i32
// CHECK-NEXT:      %[[TA:.*]] = llvm.getelementptr %[[SMEM]][%[[SA]]]
// CHECK:           %[[DEST:.*]] = llvm.addrspacecast %[[TA]]
// CHECK-NEXT:      nvvm.cp.async.bulk.tensor.shared.cluster.global %[[DEST]], %[[A]], %{{.*}}, box[%c64_i32, %c0_i32]
// CHECK:           %[[SB:.*]] = arith.muli %[[SLOT]], %c8192_i32
// CHECK-NEXT:      %[[RB:.*]] = llvm.getelementptr %[[SMEM]][%[[SB]]]
// CHECK:           %[[TB:.*]] = llvm.getelementptr %[[RB]][32768]
// CHECK-NEXT:      %[[DEST2:.*]] = llvm.addrspacecast %[[TB]]
// CHECK-NEXT:      nvvm.cp.async.bulk.tensor.shared.cluster.global %[[DEST2]], %[[B]], %{{.*}}, box[%c0_i32, %c64_i32]
// CHECK-NOT:       expect_tx
// CHECK:           llvm.inline_asm has_side_effects asm_dialect = att "mbarrier.arrive.shared::cta.b64 _, [$0];"{{.*$}}
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-NEXT:  llvm.return
tile.kernel @gemm(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %T: index, %K: index, %slot: i32, %phase: i32) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @gemm_0 blocks(%T) attributes {threads = 384, max_registers = 168, shared = 65600, mbarriers = array<i64: 1, 1, 2, 2, 8, 8>} {
    %ra = cta.ring {offset = 0} : !cta.ring<2, !rows>
    %rb = cta.ring {offset = 32768} : !cta.ring<2, !b>
    cta.role @math warps(8) attributes {registers = 232} {
      %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
      cta.await 0[%slot] parity %phase
      %a = cta.slot %ra[%slot] : !cta.ring<2, !rows>
      %b = cta.slot %rb[%slot] : !cta.ring<2, !b>
      %d = cta.wgmma %a, %b, %zero : !rows, !b -> tensor<128x64xf32, #acc>
      cta.arrive 2[%slot]
      %r = cta.read %a : !rows -> !out
      cta.arrive 4[%slot] per_warp
      %o = arith.truncf %d : tensor<128x64xf32, #acc> to !out
      %e = arith.addf %o, %r : !out
      cta.barrier
      cta.await_stores read
      cta.barrier warpgroup
      %s = cta.stage %e {offset = 49152} : !out -> !rows
      cta.fence_async
      cta.barrier warpgroup
      cta.copy_out %s, %C[%c64, %c0] {mechanism = #tma, per_warpgroup} : !rows -> memref<?x?xbf16>
      cta.await_stores read
    }
    cta.role @producer warps(4) attributes {registers = 40} {
      cta.barrier
      cta.elect {
        cta.await 2[%slot] parity %phase
        cta.expect 0[%slot] bytes = 24576
        %sa = cta.slot %ra[%slot] : !cta.ring<2, !rows>
        %a = cta.copy %A[%c0, %c64] into %sa[%slot] {mechanism = #tma, mbarrier = 0} : memref<?x?xbf16> -> !rows
        %sb = cta.slot %rb[%slot] : !cta.ring<2, !b>
        %b = cta.copy %A[%c64, %c0] into %sb[%slot] {mechanism = #tma, mbarrier = 0} : memref<?x?xbf16> -> !b
        cta.arrive 4[%slot]
      }
    }
  }
  tile.return
}

// Three roles are a chain of two branches; a role of one warp elects by the hardware. Without registers there is no setmaxnreg, nor if the number is
// the one with which all warps begin.
// CHECK-LABEL: llvm.func @chain_0(
// CHECK-NOT: setmaxregister
// CHECK:       arith.cmpi slt, %{{.*}}, %c4_i32
// CHECK-NEXT:  scf.if
// CHECK-NEXT:    nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
// CHECK-NEXT:  } else {
// CHECK-NEXT:    arith.cmpi slt, %{{.*}}, %c8_i32
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      nvvm.barrier id = %c2_i32 number_of_threads = %c128_i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      nvvm.barrier id = %c3_i32 number_of_threads = %c32_i32
// CHECK-NEXT:      %[[ONE:.*]] = nvvm.elect.sync -> i1
// CHECK-NEXT:      scf.if %[[ONE]] {
// CHECK:             llvm.inline_asm has_side_effects asm_dialect = att "mbarrier.arrive{{.*$}}
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
tile.kernel @chain(%slot: i32) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @chain_0 blocks() attributes {threads = 288, max_registers = 168, shared = 8, mbarriers = array<i64: 1>} {
    cta.role @a warps(4) {
      cta.barrier
    }
    cta.role @b warps(4) attributes {registers = 168} {
      cta.barrier warpgroup
    }
    cta.role @c warps(1) {
      cta.barrier
      cta.elect {
        cta.arrive 0[%slot]
      }
    }
  }
  tile.return
}
