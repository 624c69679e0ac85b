// RUN: tile-opt %s -cta-insert-barriers | FileCheck %s
// RUN: tile-opt %s -cta-insert-barriers -cta-insert-barriers | FileCheck %s

// tile-ptx-check cannot tell which bytes a product or a TMA store reads: scratch that threads have written before is fenced, too, though nobody reads it through the async proxy.

#acc = #cta.frag<wgmma_acc, wg = 1>
#rows = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#lin = #cta.swizzle<linear, pad = 16>

// The result of a product goes through scratch, and then another product reads the same operands.
// CHECK-LABEL: tile.kernel @product(
// CHECK: cta.fence_async
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: %[[D:.+]] = cta.wgmma
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: cta.stage
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.read
// CHECK-NEXT: cta.store
// CHECK-NEXT: cta.fence_async{{$}}
// CHECK-NEXT: cta.wgmma
// CHECK-NOT: cta.fence_async
tile.kernel @product(%A: memref<64x64xbf16>, %C: memref<64x64xbf16>, %E: memref<64x64xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @product_0 blocks() attributes {shared = 25600} {
    %x = cta.load %A[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16, #rows>
    %a = cta.stage %x {offset = 0} : tensor<64x64xbf16, #rows> -> !cta.smem<64x64xbf16, #sw>
    %b = cta.stage %x {offset = 8192} : tensor<64x64xbf16, #rows> -> !cta.smem<64x64xbf16, #sw>
    %d = cta.wgmma %a, %b : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc>
    %o = arith.truncf %d : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
    %s = cta.stage %o {offset = 16384} : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #lin>
    %r = cta.read %s : !cta.smem<64x64xbf16, #lin> -> tensor<64x64xbf16, #rows>
    cta.store %r, %C[%c0, %c0] : tensor<64x64xbf16, #rows> -> memref<64x64xbf16>
    %e = cta.wgmma %a, %b, %d : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc>
    cta.store %e, %E[%c0, %c0] : tensor<64x64xf32, #acc> -> memref<64x64xf32>
  }
  tile.return
}

// If copies bring operands, the check does not ask: no fence for scratch.
// CHECK-LABEL: tile.kernel @copies(
// CHECK: cta.wgmma
// CHECK-NOT: cta.fence_async
// CHECK: cta.wgmma
// CHECK-NOT: cta.fence_async
// CHECK-LABEL: tile.kernel @store(
tile.kernel @copies(%A: memref<64x64xbf16>, %C: memref<64x64xbf16>, %E: memref<64x64xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @copies_0 blocks() attributes {shared = 25616, mbarriers = array<i64: 1, 1>} {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<64x64xbf16> -> !cta.smem<64x64xbf16, #sw>
    %b = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 8192, mbarrier = 1} : memref<64x64xbf16> -> !cta.smem<64x64xbf16, #sw>
    %d = cta.wgmma %a, %b : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc>
    %o = arith.truncf %d : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
    %s = cta.stage %o {offset = 16384} : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #lin>
    %r = cta.read %s : !cta.smem<64x64xbf16, #lin> -> tensor<64x64xbf16, #rows>
    cta.store %r, %C[%c0, %c0] : tensor<64x64xbf16, #rows> -> memref<64x64xbf16>
    %e = cta.wgmma %a, %b, %d : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc>
    cta.store %e, %E[%c0, %c0] : tensor<64x64xf32, #acc> -> memref<64x64xf32>
  }
  tile.return
}

// A tile is staged for a TMA store; before that is issued, another goes through scratch.
// CHECK: %[[T:.+]] = cta.stage
// CHECK-NEXT: cta.stage
// CHECK-NEXT: cta.fence_async{{$}}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.read
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.stage
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.read
// CHECK-NEXT: cta.store
// CHECK-NEXT: cta.fence_async{{$}}
// CHECK-NEXT: cta.copy_out %[[T]]
tile.kernel @store(%A: memref<64x64xbf16>, %C: memref<64x64xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @store_0 blocks() attributes {shared = 25600} {
    %x = cta.load %A[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16, #rows>
    %t = cta.stage %x {offset = 0} : tensor<64x64xbf16, #rows> -> !cta.smem<64x64xbf16, #sw>
    %s = cta.stage %x {offset = 8192} : tensor<64x64xbf16, #rows> -> !cta.smem<64x64xbf16, #lin>
    %r = cta.read %s : !cta.smem<64x64xbf16, #lin> -> tensor<64x64xbf16, #acc>
    %u = cta.stage %r {offset = 8192} : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #lin>
    %v = cta.read %u : !cta.smem<64x64xbf16, #lin> -> tensor<64x64xbf16, #rows>
    cta.store %v, %A[%c0, %c0] : tensor<64x64xbf16, #rows> -> memref<64x64xbf16>
    cta.copy_out %t, %C[%c0, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x64xbf16, #sw> -> memref<64x64xbf16>
  }
  tile.return
}
