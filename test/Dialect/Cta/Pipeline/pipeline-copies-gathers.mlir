// RUN: tile-opt %s -split-input-file -cta-pipeline-copies -cta-verify | FileCheck %s
// RUN: tile-opt %s -split-input-file -canonicalize -cse -loop-invariant-code-motion -cta-pipeline-copies -canonicalize -cse -loop-invariant-code-motion -cta-verify -o /dev/null

// Copies with an index tile feed channels if the producer can compute the indices for itself.

// The tile is loaded before the loop or in it; it stays where it is, and the copy between acquire and commit.
#acc = #cta.frag<wgmma_acc, wg = 1>
#all = #cta.frag<splat, rank = 1, warps = 2, wg = 1>
#pages = #cta.swizzle<128, dim = 2>
#tma = #cta.mechanism<tma>
!pages = !cta.smem<4x16x64xbf16, #pages>
!tile = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!sum = tensor<64x64xf32, #acc>
// CHECK-LABEL: tile.kernel @feeds(
// CHECK: %[[ONE:.+]] = cta.channel : <?, !cta.smem<4x16x64xbf16, {{.*}}>, !cta.smem<4x16x64xbf16, {{.*}}>>
// CHECK: %[[R:.+]] = cta.load %R[%c0]
// CHECK: scf.for
// CHECK-NEXT: %[[S:.+]] = cta.load %R[%
// CHECK-NEXT: %[[T:.+]] = arith.addi %[[S]], %[[R]]
// CHECK-NEXT: %[[P:.+]] = cta.acquire %[[ONE]]
// CHECK-NEXT: %[[A:.+]] = cta.copy %A[%[[R]] : tensor<4xi32, #{{.+}}>, %c0, %
// CHECK-NEXT: %[[B:.+]] = cta.copy %A[%[[T]] : tensor<4xi32, #{{.+}}>, %c0, %
// CHECK-NEXT: cta.commit %[[ONE]], %[[P]] (%[[A]], %[[B]])
// Views come behind the wait.
// CHECK-NEXT: %[[Q:.+]], %[[V:.+]]:2 = cta.wait %[[ONE]]
// CHECK-DAG: %[[VA:.+]] = cta.view %[[V]]#0
// CHECK-DAG: %[[VB:.+]] = cta.view %[[V]]#1
// CHECK: cta.wgmma %[[VA]], %[[VB]]
// CHECK-NEXT: cta.release %[[ONE]], %[[Q]]
tile.kernel @feeds(%A: memref<?x16x?xbf16>, %R: memref<?xi32>, %C: memref<?x?xf32>, %K: index) attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @feeds_0 blocks() {
    %r = cta.load %R[%c0] : memref<?xi32> -> tensor<4xi32, #all>
    scf.for %k = %c0 to %K step %c64 {
      %s = cta.load %R[%k] : memref<?xi32> -> tensor<4xi32, #all>
      %t = arith.addi %s, %r : tensor<4xi32, #all>
      %a = cta.copy %A[%r : tensor<4xi32, #all>, %c0, %k] {mechanism = #tma} : memref<?x16x?xbf16> -> !pages
      %b = cta.copy %A[%t : tensor<4xi32, #all>, %c0, %k] {mechanism = #tma} : memref<?x16x?xbf16> -> !pages
      %va = cta.view %a : !pages -> !tile
      %vb = cta.view %b : !pages -> !tile
      %d = cta.wgmma %va, %vb : !tile, !tile -> !sum
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// -----

// What only the math threads have, what the launch writes, and scalars that depend on either.
#acc = #cta.frag<wgmma_acc, wg = 1>
#all = #cta.frag<splat, rank = 1, warps = 2, wg = 1>
#all2 = #cta.frag<splat, rank = 2, warps = 2, wg = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!sum = tensor<64x64xf32, #acc>
// CHECK-LABEL: tile.kernel @stays(
// CHECK-NOT: cta.channel
// CHECK: cta.copy %A{{.*}}why = "not pipelined: its index tile is computed by 'cta.reduce', which the threads that copy cannot do for themselves"}
// CHECK: cta.copy %A{{.*}}why = "not pipelined: its index tile is carried by a loop"}
// CHECK: cta.copy %A{{.*}}why = "not pipelined: its index tile is read from memory that the launch writes"}
// CHECK: cta.copy %A{{.*}}why = "not pipelined: a scalar that it depends on is loaded from memory that the launch writes"}
// CHECK: cta.copy %A{{.*}}why = "not pipelined: its coordinates or a bound around it depend on a tile"}
tile.kernel @stays(%A: memref<?x?xbf16>, %R: memref<?xi32>, %W: memref<?xi32>, %C: memref<?x?xf32>, %K: index) attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  cta.launch @stays_0 blocks() {
    %r = cta.load %R[%c0] : memref<?xi32> -> tensor<64xi32, #all>
    %0 = scf.for %k = %c0 to %K step %c64 iter_args(%t = %r) -> (tensor<64xi32, #all>) {
      %b = cta.broadcast %r dims = [0] : tensor<64xi32, #all> -> tensor<64x2xi32, #all2>
      %s = cta.reduce (%b) dims = [1] init(%zero) {
      ^bb0(%x: i32, %y: i32):
        %m = arith.maxsi %x, %y : i32
        tile.yield %m : i32
      } : tensor<64x2xi32, #all2> -> tensor<64xi32, #all>
      %a0 = cta.copy %A[%s : tensor<64xi32, #all>, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d0 = cta.wgmma %a0, %a0 : !tile, !tile -> !sum
      %a1 = cta.copy %A[%t : tensor<64xi32, #all>, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d1 = cta.wgmma %a1, %a1, %d0 : !tile, !tile -> !sum
      %w = cta.load %W[%k] : memref<?xi32> -> tensor<64xi32, #all>
      %a2 = cta.copy %A[%w : tensor<64xi32, #all>, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d2 = cta.wgmma %a2, %a2, %d1 : !tile, !tile -> !sum
      %n = memref.load %W[%k] : memref<?xi32>
      %ns = cta.broadcast %n dims = [] : i32 -> tensor<64xi32, #all>
      %a3 = cta.copy %A[%ns : tensor<64xi32, #all>, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d3 = cta.wgmma %a3, %a3, %d2 : !tile, !tile -> !sum
      %e = cta.reduce (%t) dims = [0] init(%zero) {
      ^bb0(%x: i32, %y: i32):
        %m = arith.maxsi %x, %y : i32
        tile.yield %m : i32
      } : tensor<64xi32, #all> -> tensor<i32, #cta.frag<splat, rank = 0, warps = 2, wg = 1>>
      %f = cta.extract %e : tensor<i32, #cta.frag<splat, rank = 0, warps = 2, wg = 1>> -> i32
      %fs = cta.broadcast %f dims = [] : i32 -> tensor<64xi32, #all>
      %a4 = cta.copy %A[%fs : tensor<64xi32, #all>, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d4 = cta.wgmma %a4, %a4, %d3 : !tile, !tile -> !sum
      cta.store %d4, %C[%c0, %k] : !sum -> memref<?x?xf32>
      memref.store %zero, %W[%k] : memref<?xi32>
      %next = arith.addi %t, %r : tensor<64xi32, #all>
      scf.yield %next : tensor<64xi32, #all>
    }
  }
  tile.return
}

// -----

// The blocks of a cluster share the tile of B, but not what an index tile gathers, though all of them gather the same.
#acc = #cta.frag<wgmma_acc, wg = 1>
#all = #cta.frag<splat, rank = 1, warps = 2, wg = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!sum = tensor<64x64xf32, #acc>
// CHECK-LABEL: tile.kernel @cluster(
// CHECK: cta.copy %A[%{{.+}} : tensor<64xi32, #{{.+}}>, %{{.+}}] {mechanism = #cta.mechanism<tma>} :
// CHECK: cta.copy %B{{.*}}multicast = 2
tile.kernel @cluster(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %R: memref<?xi32>, %C: memref<?x?xf32>, %K: index, %n: index)
    attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 2, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @cluster_0 blocks(%n) attributes {cluster = 2} {
    %r = cta.load %R[%c0] : memref<?xi32> -> tensor<64xi32, #all>
    scf.for %k = %c0 to %K step %c64 {
      %a = cta.copy %A[%r : tensor<64xi32, #all>, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b = cta.copy %B[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %b : !tile, !tile -> !sum
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}
