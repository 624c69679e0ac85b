// RUN: tile-opt %s --split-input-file --cta-insert-barriers | FileCheck %s
// RUN: tile-opt %s --split-input-file --cta-insert-barriers --cta-insert-barriers | FileCheck %s

// A product in flight reads a staged tile until it is waited for. The barrier between its issue and the wait does not order it with the next stage over the
// tile, so that there is another one. The wait for the first product leaves the second in flight.
// CHECK-LABEL: tile.kernel @waits
// CHECK:       scf.for
// CHECK:         cta.barrier
// CHECK-NEXT:    cta.stage {{.*}} {offset = 0 : i64}
// CHECK:         cta.fence_async
// CHECK-NEXT:    cta.barrier
// CHECK-NEXT:    cta.wgmma
// CHECK-NEXT:    cta.stage {{.*}} {offset = 8192 : i64}
// CHECK-NEXT:    cta.fence_async
// CHECK-NEXT:    cta.barrier
// CHECK-NEXT:    cta.wgmma
// CHECK-NEXT:    cta.wgmma_wait({{.*}}) pending = 1
// CHECK-NEXT:    cta.complete
// CHECK-NEXT:    cta.barrier
// CHECK-NEXT:    cta.stage {{.*}} {offset = 0 : i64}
// CHECK-NEXT:    cta.wgmma_wait({{.*}}) pending = 0
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!half = tensor<64x64xbf16, #acc>
!sum = tensor<64x64xf32, #acc>
!async = !cta.async<tensor<64x64xf32, #acc>>
tile.kernel @waits(%C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @waits_0 blocks(%n) attributes {shared = 16384} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %y = cta.load %C[%c0, %c0] : memref<?x?xf32> -> !sum
    %h = arith.truncf %y : !sum to !half
    scf.for %k = %c0 to %n step %c1 {
      %u = cta.stage %h {offset = 0} : !half -> !tile
      %s = cta.wgmma %u, %u : !tile, !tile -> !async
      %w = cta.stage %h {offset = 8192} : !half -> !tile
      %d = cta.wgmma %w, %w : !tile, !tile -> !async
      %a:2 = cta.wgmma_wait(%s, %d) pending = 1 : !async, !async
      %sd = cta.complete %a#0 : !async
      %v = cta.stage %h {offset = 0} : !half -> !tile
      %b = cta.wgmma_wait(%a#1) pending = 0 : !async
      %dd = cta.complete %b : !async
    }
  }
  tile.return
}
