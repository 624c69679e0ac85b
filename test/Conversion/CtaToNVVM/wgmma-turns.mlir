// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

// Warpgroups issue the product in turn. Two of them meet at the barrier of a turn: the one that waits for it, and the one before it, which arrives when
// the first half of its instructions has retired. The last one arrives where the role begins.
#acc = #cta.frag<wgmma_acc, wg = 2>
// CHECK-LABEL: llvm.func @turns
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[WG:.*]], %{{.*}} : i32
// CHECK: scf.if %[[LAST]] {
// CHECK:   llvm.inline_asm has_side_effects {{.*}}"barrier.cta.arrive $0, 256;", "r,~{memory}"
// CHECK: scf.for
// CHECK:   llvm.inline_asm has_side_effects {{.*}}"barrier.cta.sync $0, 256;", "r,~{memory}"
// CHECK:   llvm.inline_asm {{.*}}wgmma.fence.sync.aligned;
// CHECK-SAME: wgmma.mma_async{{.*}}, 0, 1, 1, 0, 0;
// CHECK-SAME: wgmma.commit_group.sync.aligned;
// CHECK-SAME: wgmma.mma_async{{.*}}, 1, 1, 1, 0, 0;
// CHECK-SAME: wgmma.commit_group.sync.aligned;
// CHECK:   llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 1;"
// CHECK:   llvm.inline_asm {{.*}}"barrier.cta.arrive $0, 256;"
// CHECK:   llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 0;"
tile.kernel @turns_k(%x: memref<128x8xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  cta.launch @turns blocks() attributes {shared = 9216 : i64, threads = 288 : i64} {
    cta.role @math warps(8) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = arith.constant dense<1.0> : tensor<128x32xbf16, #acc>
      %u = arith.constant dense<1.0> : tensor<32x8xbf16, #acc>
      %z = arith.constant dense<0.0> : tensor<128x8xf32, #acc>
      %a = cta.stage %t {offset = 0 : i64} : tensor<128x32xbf16, #acc> -> !cta.smem<128x32xbf16, #cta.swizzle<64, dim = 1>>
      %b = cta.stage %u {offset = 8192 : i64} : tensor<32x8xbf16, #acc> -> !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>>
      %w = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<128x8xf32, #acc>) {
        %d = cta.wgmma %a, %b {in_turn} : !cta.smem<128x32xbf16, #cta.swizzle<64, dim = 1>>, !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>> -> tensor<128x8xf32, #acc>
        %m = arith.addf %d, %s : tensor<128x8xf32, #acc>
        scf.yield %m : tensor<128x8xf32, #acc>
      }
      cta.store %w, %x[%c0, %c0] : tensor<128x8xf32, #acc> -> memref<128x8xf32>
    }
    cta.role @producer warps(1) {
    }
  }
  tile.return
}

#acc3 = #cta.frag<wgmma_acc, wg = 3>
// Asynchronous products of a block have one turn: the first waits for it, and the last passes it on when it is issued.
// Three warpgroups: the last one passes the first turn, and a turn wraps after it.
// CHECK-LABEL: llvm.func @together
// CHECK-DAG: %[[TWO:.+]] = arith.constant 2 : i32
// CHECK-DAG: %[[THREE:.+]] = arith.constant 3 : i32
// CHECK: arith.cmpi eq, %{{.+}}, %[[TWO]] : i32
// CHECK: "barrier.cta.arrive $0, 256;"
// CHECK: scf.for
// CHECK:   llvm.inline_asm has_side_effects {{.*}}"barrier.cta.sync $0, 256;"
// CHECK-NOT: barrier.cta
// CHECK:   llvm.inline_asm {{.*}}wgmma.mma_async
// CHECK-NOT: barrier.cta
// CHECK:   llvm.inline_asm {{.*}}wgmma.mma_async
// CHECK-NOT: wait_group
// CHECK:   arith.cmpi eq, %{{.+}}, %[[THREE]] : i32
// CHECK:   llvm.inline_asm {{.*}}"barrier.cta.arrive $0, 256;"
// CHECK-NOT: barrier.cta
// CHECK:   llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 0;"
// CHECK-NOT: barrier.cta
// CHECK: llvm.return
tile.kernel @together_k(%x: memref<192x8xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 3 : i64} {
  cta.launch @together blocks() attributes {shared = 13312 : i64, threads = 416 : i64} {
    cta.role @math warps(12) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = arith.constant dense<1.0> : tensor<192x32xbf16, #acc3>
      %u = arith.constant dense<1.0> : tensor<32x8xbf16, #acc3>
      %z = arith.constant dense<0.0> : tensor<192x8xf32, #acc3>
      %a = cta.stage %t {offset = 0 : i64} : tensor<192x32xbf16, #acc3> -> !cta.smem<192x32xbf16, #cta.swizzle<64, dim = 1>>
      %b = cta.stage %u {offset = 12288 : i64} : tensor<32x8xbf16, #acc3> -> !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>>
      %w = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<192x8xf32, #acc3>) {
        %d = cta.wgmma %a, %b {in_turn} : !cta.smem<192x32xbf16, #cta.swizzle<64, dim = 1>>, !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>> -> !cta.async<tensor<192x8xf32, #acc3>>
        %e = cta.wgmma %a, %b {in_turn} : !cta.smem<192x32xbf16, #cta.swizzle<64, dim = 1>>, !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>> -> !cta.async<tensor<192x8xf32, #acc3>>
        %f:2 = cta.wgmma_wait(%d, %e) pending = 0 : !cta.async<tensor<192x8xf32, #acc3>>, !cta.async<tensor<192x8xf32, #acc3>>
        %g = cta.complete %f#0 : <tensor<192x8xf32, #acc3>>
        %h = cta.complete %f#1 : <tensor<192x8xf32, #acc3>>
        %m = arith.addf %g, %h : tensor<192x8xf32, #acc3>
        %o = arith.addf %m, %s : tensor<192x8xf32, #acc3>
        scf.yield %o : tensor<192x8xf32, #acc3>
      }
      cta.store %w, %x[%c0, %c0] : tensor<192x8xf32, #acc3> -> memref<192x8xf32>
    }
    cta.role @producer warps(1) {
    }
  }
  tile.return
}
