// RUN: tile-opt %s -cta-insert-barriers | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 2>
!smem = !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>

// A thread of each warpgroup stores its part, and knows nothing of the stores of other threads when it has waited for its own. In shared memory the
// warpgroups stay apart.
// CHECK-LABEL: tile.kernel @apart(
// CHECK:       cta.stage
// CHECK-NEXT:  cta.fence_async
// CHECK-NEXT:  cta.barrier warpgroup
// CHECK-NEXT:  cta.copy_out
// CHECK-NEXT:  cta.await_stores
// CHECK-NEXT:  cta.barrier{{$}}
// CHECK-NEXT:  memref.store
tile.kernel @apart(%C: memref<?x?xbf16>, %i: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  cta.launch @apart_0 blocks() attributes {shared = 16384 : i64} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 1.0 : bf16
    %t = arith.constant dense<1.0> : tensor<128x64xbf16, #acc>
    %s = cta.stage %t {offset = 0 : i64} : tensor<128x64xbf16, #acc> -> !smem
    cta.copy_out %s, %C[%c0, %c0] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !smem -> memref<?x?xbf16>
    memref.store %v, %C[%i, %c0] : memref<?x?xbf16>
  }
  tile.return
}

// Of a view each warpgroup stores the bytes that it wrote.
// CHECK-LABEL: tile.kernel @view(
// CHECK:       cta.stage
// CHECK-NEXT:  cta.view
// CHECK-NEXT:  cta.fence_async
// CHECK-NEXT:  cta.barrier warpgroup
// CHECK-NEXT:  cta.copy_out
// CHECK-NOT:   cta.barrier
// CHECK:       tile.return
tile.kernel @view(%C: memref<?x?x?xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  cta.launch @view_0 blocks() attributes {shared = 16384 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<128x64xbf16, #acc>
    %s = cta.stage %t {offset = 0 : i64} : tensor<128x64xbf16, #acc> -> !smem
    %w = cta.view %s : <128x64xbf16, #cta.swizzle<128, dim = 1>> -> <16x8x64xbf16, #cta.swizzle<128, dim = 2>>
    cta.copy_out %w, %C[%c0, %c0, %c0] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<16x8x64xbf16, #cta.swizzle<128, dim = 2>> -> memref<?x?x?xbf16>
  }
  tile.return
}

// If one thread stores all of the view, it waits for all warpgroups.
// CHECK-LABEL: tile.kernel @whole(
// CHECK:       cta.stage
// CHECK-NEXT:  cta.view
// CHECK-NEXT:  cta.fence_async
// CHECK-NEXT:  cta.barrier{{$}}
// CHECK-NEXT:  cta.copy_out
tile.kernel @whole(%C: memref<?x?x?xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  cta.launch @whole_0 blocks() attributes {shared = 16384 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<128x64xbf16, #acc>
    %s = cta.stage %t {offset = 0 : i64} : tensor<128x64xbf16, #acc> -> !smem
    %w = cta.view %s : <128x64xbf16, #cta.swizzle<128, dim = 1>> -> <16x8x64xbf16, #cta.swizzle<128, dim = 2>>
    cta.copy_out %w, %C[%c0, %c0, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<16x8x64xbf16, #cta.swizzle<128, dim = 2>> -> memref<?x?x?xbf16>
  }
  tile.return
}
