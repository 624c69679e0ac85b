// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

#k = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #k>
#tma = #cta.mechanism<tma>

// A policy is made where it is used. `stream` is decided by the size of the array: 60 MiB of bf16.
// CHECK-LABEL: llvm.func @hints
// CHECK:       %[[LIMIT:.*]] = arith.constant 62914560 : i64
// CHECK:       %[[FIRST:.*]] = llvm.inline_asm has_side_effects {{.*}}"createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l"
// CHECK:       nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} l2_cache_hint = %[[FIRST]]
// CHECK:       %[[LAST:.*]] = llvm.inline_asm has_side_effects {{.*}}"createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l"
// CHECK:       nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} l2_cache_hint = %[[LAST]]
// CHECK:       nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT:   l2_cache_hint
// CHECK:       %[[LARGE:.*]] = arith.cmpi ugt, %{{.*}}, %[[LIMIT]] : i64
// CHECK:       %[[STREAM:.*]] = llvm.inline_asm has_side_effects {{.*}}createpolicy.fractional.L2::evict_first.b64 first, 1.0;{{.*}}createpolicy.fractional.L2::evict_unchanged.b64 none, 1.0;{{.*}}selp.b64 $0, first, none, $1;{{.*}} %[[LARGE]]
// CHECK:       nvvm.cp.async.bulk.tensor.global.shared.cta {{.*}} l2_cache_hint = %[[STREAM]]
tile.kernel @hints_k(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>, %i: index, %j: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @hints blocks() attributes {shared = 24600 : i64, mbarriers = array<i64: 1, 1, 1>} {
    %a = cta.copy %x[%i, %j] {cache = #tile.cache<first>, mechanism = #tma, mbarrier = 0 : i64, offset = 0 : i64} : memref<?x?xbf16> -> !tile
    cta.await 0
    %b = cta.copy %x[%i, %j] {cache = #tile.cache<last>, mechanism = #tma, mbarrier = 1 : i64, offset = 8192 : i64} : memref<?x?xbf16> -> !tile
    cta.await 1
    %c = cta.copy %x[%i, %j] {cache = #tile.cache<no_alloc>, mechanism = #tma, mbarrier = 2 : i64, offset = 16384 : i64} : memref<?x?xbf16> -> !tile
    cta.await 2
    cta.copy_out %a, %y[%i, %j] {cache = #tile.cache<stream>, mechanism = #tma} : !tile -> memref<?x?xbf16>
  }
  tile.return
}

// With a condition the policy is a select. A thread that does nothing but copies computes it once, before its outermost loop; two copies share one in
// LLVM. If the loop computes the condition, it comes after that.
// CHECK-LABEL: llvm.func @choices
// CHECK:       scf.if
// CHECK:       } else {
// CHECK:       nvvm.elect.sync
// CHECK-NEXT:  scf.if
// CHECK:       %[[KEEP:.*]] = llvm.inline_asm asm_dialect = att "{\0A\09.reg .b64 last, none;\0A\09createpolicy.fractional.L2::evict_last.b64 last, 1.0;\0A\09createpolicy.fractional.L2::evict_unchanged.b64 none, 1.0;\0A\09selp.b64 $0, last, none, $1;\0A\09}", "=l,b" %{{.*}} : (i1) -> i64
// CHECK:       %[[PASS:.*]] = llvm.inline_asm asm_dialect = att "{{.*}}selp.b64 $0, first, none, $1;{{.*}}", "=l,b" %{{.*}} : (i1) -> i64
// CHECK:       scf.for
// CHECK-NOT:   selp
// CHECK:       scf.for
// CHECK:       nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} l2_cache_hint = %[[KEEP]]
// CHECK:       nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} l2_cache_hint = %[[PASS]]
// CHECK:       %[[ODD:.*]] = arith.cmpi
// CHECK:       %[[SOME:.*]] = llvm.inline_asm has_side_effects {{.*}}selp.b64 $0, last, none, $1;{{.*}} %[[ODD]]
// CHECK:       nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} l2_cache_hint = %[[SOME]]
tile.kernel @choices_k(%x: memref<?x?xbf16>, %keep: i1, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @choices blocks() attributes {mbarriers = array<i64: 1>, shared = 24592 : i64, threads = 160} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = arith.constant 0 : i32
    %r0 = cta.ring {offset = 0} : !cta.ring<1, !tile>
    %r1 = cta.ring {offset = 8192} : !cta.ring<1, !tile>
    %r2 = cta.ring {offset = 16384} : !cta.ring<1, !tile>
    cta.role @math warps(4) {
      cta.await 0[%s] parity %s
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %i = %c0 to %n step %c1 {
          scf.for %k = %c0 to %n step %c1 {
            %t0 = cta.slot %r0[%s] : !cta.ring<1, !tile>
            %t1 = cta.slot %r1[%s] : !cta.ring<1, !tile>
            %t2 = cta.slot %r2[%s] : !cta.ring<1, !tile>
            cta.expect 0[%s] bytes = 24576
            %a = cta.copy %x[%i, %k] cache_if = %keep into %t0[%s] {cache = #tile.cache<last>, mechanism = #tma, mbarrier = 0 : i64} : memref<?x?xbf16> -> !tile
            %b = cta.copy %x[%k, %i] cache_if = %keep into %t1[%s] {cache = #tile.cache<first>, mechanism = #tma, mbarrier = 0 : i64} : memref<?x?xbf16> -> !tile
            %odd = arith.cmpi sgt, %k, %c1 : index
            %c = cta.copy %x[%k, %k] cache_if = %odd into %t2[%s] {cache = #tile.cache<last>, mechanism = #tma, mbarrier = 0 : i64} : memref<?x?xbf16> -> !tile
          }
        }
      }
    }
  }
  tile.return
}

// Where all threads do everything, the choice is made where it is used; that of stream asks for the size, too.
// CHECK-LABEL: llvm.func @used
// CHECK:       scf.for
// CHECK:       scf.if
// CHECK:       %[[ASKED:.*]] = llvm.inline_asm has_side_effects {{.*}}selp.b64 $0, last, none, $1;
// CHECK:       l2_cache_hint = %[[ASKED]]
// CHECK:       %[[LARGE:.*]] = arith.cmpi ugt
// CHECK:       %[[BOTH:.*]] = arith.andi %{{.*}}, %[[LARGE]]
// CHECK:       llvm.inline_asm has_side_effects {{.*}}selp.b64 $0, first, none, $1;{{.*}} %[[BOTH]]
tile.kernel @used_k(%x: memref<?x?xbf16>, %keep: i1, %n: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @used blocks() attributes {shared = 16400 : i64, mbarriers = array<i64: 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %a = cta.copy %x[%i, %i] cache_if = %keep {cache = #tile.cache<last>, mechanism = #tma, mbarrier = 0 : i64, offset = 0 : i64} : memref<?x?xbf16> -> !tile
      cta.await 0
      %b = cta.copy %x[%i, %i] cache_if = %keep {cache = #tile.cache<stream>, mechanism = #tma, mbarrier = 1 : i64, offset = 8192 : i64} : memref<?x?xbf16> -> !tile
      cta.await 1
    }
  }
  tile.return
}
