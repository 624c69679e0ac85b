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
// CHECK:       %[[STREAM:.*]] = llvm.inline_asm has_side_effects {{.*}}createpolicy.fractional.L2::evict_first.b64 first, 1.0;{{.*}}createpolicy.fractional.L2::evict_normal.b64 normal, 1.0;{{.*}}selp.b64 $0, first, normal, $1;{{.*}} %[[LARGE]]
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
