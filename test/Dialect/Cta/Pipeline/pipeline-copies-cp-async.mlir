// RUN: tile-opt %s -cta-pipeline-copies -cta-verify | FileCheck %s
// RUN: tile-opt %s -canonicalize -cse -loop-invariant-code-motion -cta-pipeline-copies -canonicalize -cse -loop-invariant-code-motion -cta-verify -o /dev/null

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#placed = #tile.phase<planned>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>

// cp.async is the work of many threads: not of one producing warp, nor with replicas, whose channels TMA fills.
// CHECK-LABEL: tile.kernel @cp_async_one_warp(
// CHECK-NOT: cta.channel
// CHECK: cta.copy {{.*}}why = "not pipelined: copying is the work of many threads: all (producers = 0), or a warpgroup that produces (producers = 4), not producers = 1"}
tile.kernel @cp_async_one_warp(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @cp_async_one_warp_0 blocks() {
    scf.for %k = %c0 to %K step %c64 {
      %a = cta.copy %A[%c0, %k] {mechanism = #cta.mechanism<cp_async>, vector = 4} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a : !tile, !tile -> !sum
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @cp_async_replicas(
// CHECK-NOT: cta.channel
// CHECK: cta.copy {{.*}}why = "not pipelined: the plan has replicate = blocks, and their channels are filled by TMA"}
tile.kernel @cp_async_replicas(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<replicate = blocks, warpgroups = 2, producers = 4, stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @cp_async_replicas_0 blocks() {
    scf.for %k = %c0 to %K step %c64 {
      %a = cta.copy %A[%c0, %k] {mechanism = #cta.mechanism<cp_async>, vector = 4} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a : !tile, !tile -> !sum
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// Tiles of one reader by two mechanisms: a channel each. A view and a limit that the loop computes go with the copy.
// CHECK-LABEL: tile.kernel @two_mechanisms(
// CHECK: %[[T:.+]] = cta.channel : <?, !cta.smem<64x64xbf16,
// CHECK-NEXT: %[[C:.+]] = cta.channel : <?, !cta.smem<64x64xbf16,
// CHECK: scf.for
// CHECK: %[[PT:.+]] = cta.acquire %[[T]]
// CHECK-NEXT: %[[A:.+]] = cta.copy %A{{.*}}<tma>
// CHECK-NEXT: cta.commit %[[T]], %[[PT]] (%[[A]])
// CHECK: %[[VIEW:.+]] = memref.subview %B
// CHECK: %[[PC:.+]] = cta.acquire %[[C]]
// CHECK-NEXT: %[[B:.+]] = cta.copy %[[VIEW]]{{.*}} limit = {{.*}}<cp_async>, vector = 4
// CHECK-NEXT: cta.commit %[[C]], %[[PC]] (%[[B]])
// CHECK: %[[QT:.+]], %[[TA:.+]] = cta.wait %[[T]]
// CHECK-NEXT: %[[QC:.+]], %[[TB:.+]] = cta.wait %[[C]]
// CHECK-NEXT: cta.wgmma %[[TA]], %[[TB]]
// CHECK-NEXT: cta.release %[[C]], %[[QC]]
// CHECK-NEXT: cta.release %[[T]], %[[QT]]
tile.kernel @two_mechanisms(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<producers = 4, stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @two_mechanisms_0 blocks() {
    scf.for %k = %c0 to %K step %c64 {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %rest = arith.subi %K, %k : index
      %view = memref.subview %B[%k, 0] [64, 64] [1, 1] : memref<?x?xbf16> to memref<64x64xbf16, strided<[?, 1], offset: ?>>
      %b = cta.copy %view[%c0, %c0] limit = [%rest, _] {mechanism = #cta.mechanism<cp_async>, vector = 4} : memref<64x64xbf16, strided<[?, 1], offset: ?>> -> !tile
      %d = cta.wgmma %a, %b : !tile, !tile -> !sum
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// A limit that comes from a tile is nothing that a producer knows.
// CHECK-LABEL: tile.kernel @limit_of_a_tile(
// CHECK-NOT: cta.channel
// CHECK: cta.copy {{.*}}why = "not pipelined: its coordinates or a bound around it depend on a tile"}
tile.kernel @limit_of_a_tile(%A: memref<?x?xbf16>, %I: memref<i32>, %C: memref<?x?xf32>, %K: index) attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<producers = 4, stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @limit_of_a_tile_0 blocks() {
    %t = cta.load %I[] dims = [] : memref<i32> -> tensor<i32, #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>>
    %x = cta.extract %t : tensor<i32, #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>> -> i32
    %n = arith.index_cast %x : i32 to index
    scf.for %k = %c0 to %K step %c64 {
      %a = cta.copy %A[%c0, %k] limit = [%n, _] {mechanism = #cta.mechanism<cp_async>, vector = 4} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a : !tile, !tile -> !sum
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}
