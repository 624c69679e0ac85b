// RUN: tile-opt %s -cta-pipeline-copies -cta-verify | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#placed = #tile.phase<planned>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!out = tensor<64x64xbf16, #acc>

// If warpgroups take output tiles of their own, a residual is fetched while the others' products run: it has no channel, whose turns would make one
// epilogue wait for the other's. What products read (Q) has one.
// CHECK-LABEL: tile.kernel @replicas(
// CHECK: %[[Q:.*]] = cta.channel
// CHECK-NEXT: %[[CH:.*]] = cta.channel
// CHECK-NOT: cta.channel
// CHECK: cta.acquire %[[Q]]
// CHECK: cta.acquire %[[CH]]
// CHECK: cta.copy %R{{.*}}why = "not pipelined: with replicate = blocks another warpgroup's products run while it is fetched"

// CHECK-LABEL: tile.kernel @split(
// CHECK-COUNT-3: cta.channel
// CHECK-NOT: why =
tile.kernel @replicas(%X: memref<?x?xbf16>, %B: memref<?x?xbf16>, %R: memref<?x?xbf16>, %C: memref<?x?xbf16>, %n: index, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<replicate = blocks, warpgroups = 2, producers = 1, stages = 3, persistent = 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  cta.launch @replicas_0 blocks(%n) {
    %zero = arith.constant dense<0.0> : !sum
    cta.for_output_tiles %t = %c0 to %n step %c1 {
      %q = cta.copy %X[%t, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
        %b = cta.copy %B[%k, %t] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        %d = cta.wgmma %q, %b, %c : !tile, !tile -> !sum
        scf.yield %d : !sum
      }
      %s = cta.copy %R[%t, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %r = cta.read %s : !tile -> !out
      %wide = arith.extf %r : !out to !sum
      %total = arith.addf %acc, %wide : !sum
      %o = arith.truncf %total : !sum to !out
      cta.store %o, %C[%t, %c0] : !out -> memref<?x?xbf16>
    }
  }
  tile.return
}

// All warpgroups share an output tile: the residual is fetched ahead, through a channel.
tile.kernel @split(%X: memref<?x?xbf16>, %B: memref<?x?xbf16>, %R: memref<?x?xbf16>, %C: memref<?x?xbf16>, %n: index, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<producers = 1, stages = 3, persistent = 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  cta.launch @split_0 blocks(%n) {
    %zero = arith.constant dense<0.0> : !sum
    cta.for_output_tiles %t = %c0 to %n step %c1 {
      %q = cta.copy %X[%t, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
        %b = cta.copy %B[%k, %t] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        %d = cta.wgmma %q, %b, %c : !tile, !tile -> !sum
        scf.yield %d : !sum
      }
      %s = cta.copy %R[%t, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %r = cta.read %s : !tile -> !out
      %wide = arith.extf %r : !out to !sum
      %total = arith.addf %acc, %wide : !sum
      %o = arith.truncf %total : !sum to !out
      cta.store %o, %C[%t, %c0] : !out -> memref<?x?xbf16>
    }
  }
  tile.return
}
