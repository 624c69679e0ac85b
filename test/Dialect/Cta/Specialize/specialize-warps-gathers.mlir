// RUN: tile-opt %s -split-input-file -cta-specialize-warps -cta-verify | FileCheck %s
// RUN: tile-opt %s -split-input-file -canonicalize -cse -loop-invariant-code-motion -cta-specialize-warps -canonicalize -cse -loop-invariant-code-motion -cta-verify -o /dev/null

// Two math warpgroups and a producing one. The index tile goes with its copy, outside the loop where it was outside, in the layout of 128 threads instead of 256; its four
// registers (128 indices, eight threads for a row of 128 bytes, 16 rows at a time) are eight then, which the producer keeps besides. The math role loads the same rows for its
// store, in its own layout.
#rows = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 2 on 0>
#acc = #cta.frag<wgmma_acc, wg = 2>
#of_acc = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 2 on 0>
!tile = !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
!sum = tensor<128x128xf32, #acc>
!channel = !cta.channel<2, !tile>
// CHECK: #[[$MATH:.+]] = #cta.frag<regs = {{.*}}, wg = 2 on 0>
// CHECK-NEXT: #[[$OWN:.+]] = #cta.frag<regs = [], lanes = {{\[}}[0], [0], [0], [1], [2]], warps = {{\[}}[4], [8]]>
// CHECK-LABEL: tile.kernel @rows(
// CHECK: cta.role @math warps(8) attributes {registers = 208 : i64}
// CHECK: %[[M:.+]] = cta.load %R{{.*}} -> tensor<128xi32, #[[$MATH]]>
// CHECK-NOT: cta.load
// CHECK: scf.for
// CHECK: cta.scatter %{{.+}}, %C[%[[M]] : tensor<128xi32, #[[$MATH]]>
// CHECK: cta.role @producer warps(4) attributes {registers = 64 : i64} {
// CHECK-NOT: cta.elect
// CHECK: %[[ONE:.+]] = arith.constant dense<1> : tensor<128xi32, #[[$OWN]]>
// CHECK-NEXT: %[[LOADED:.+]] = cta.load %R[%c0] : memref<?xi32> -> tensor<128xi32, #[[$OWN]]>
// CHECK-NEXT: %[[R:.+]] = arith.addi %[[LOADED]], %[[ONE]] : tensor<128xi32, #[[$OWN]]>
// CHECK: scf.for
// CHECK-NOT: cta.load
// CHECK: cta.acquire
// CHECK-NEXT: cta.copy %A[%[[R]] : tensor<128xi32, #[[$OWN]]>, %{{.+}}] {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64}
// CHECK-NEXT: cta.commit
tile.kernel @rows(%A: memref<?x?xbf16>, %R: memref<?xi32>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 2, plan = #cta.plan<producers = 4, stages = 2, registers = 208>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @rows_0 blocks() {
    %ch = cta.channel : !channel
    %zero = arith.constant dense<0.0> : !sum
    %one = arith.constant dense<1> : tensor<128xi32, #rows>
    %loaded = cta.load %R[%c0] {vector = 1} : memref<?xi32> -> tensor<128xi32, #rows>
    %r = arith.addi %loaded, %one : tensor<128xi32, #rows>
    %mine = cta.load %R[%c0] : memref<?xi32> -> tensor<128xi32, #of_acc>
    %d = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%r : tensor<128xi32, #rows>, %k] {mechanism = #cta.mechanism<cp_async>, vector = 8} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      %next = cta.wgmma %a, %a, %c {transpose_b} : !tile, !tile -> !sum
      cta.release %ch, %q : !channel
      scf.yield %next : !sum
    }
    cta.scatter %d, %C[%mine : tensor<128xi32, #of_acc>, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// By TMA one thread has all indices: in cta.elect, and in the loop where they are loaded in the loop. Eight registers besides the 40. Each side has its view.
#all = #cta.frag<splat, rank = 1, warps = 2, wg = 2>
!pages = !cta.smem<8x16x64xbf16, #cta.swizzle<128, dim = 2>>
!tile = !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
!sum = tensor<128x128xf32, #cta.frag<wgmma_acc, wg = 2>>
!channel = !cta.channel<2, !pages>
// CHECK: #splat = #cta.frag<splat, rank = 1, warps = 2, wg = 1>
// CHECK-LABEL: tile.kernel @pages(
// CHECK: cta.role @math warps(8)
// CHECK-NOT: cta.load
// CHECK: %{{.+}}, %[[T:.+]] = cta.wait
// CHECK-NEXT: cta.view %[[T]]
// CHECK: cta.role @producer warps(4) attributes {registers = 48 : i64} {
// CHECK-NEXT: cta.elect {
// CHECK: scf.for
// CHECK: %[[R:.+]] = cta.load %R[%{{.+}}] : memref<?xi32> -> tensor<8xi32, #splat>
// CHECK-NEXT: cta.acquire
// CHECK-NEXT: cta.copy %A[%[[R]] : tensor<8xi32, #splat>, %{{.+}}, %{{.+}}] {mechanism = #cta.mechanism<tma>}
// CHECK-NEXT: cta.commit
// CHECK-NOT: cta.view
tile.kernel @pages(%A: memref<?x16x64xbf16>, %R: memref<?xi32>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 2, plan = #cta.plan<producers = 4, stages = 2, registers = 208>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  cta.launch @pages_0 blocks() {
    %ch = cta.channel : !channel
    %zero = arith.constant dense<0.0> : !sum
    %d = scf.for %k = %c0 to %K step %c8 iter_args(%c = %zero) -> (!sum) {
      %r = cta.load %R[%k] : memref<?xi32> -> tensor<8xi32, #all>
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%r : tensor<8xi32, #all>, %c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x16x64xbf16> -> !pages
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      %v = cta.view %a : !pages -> !tile
      %next = cta.wgmma %v, %v, %c {transpose_b} : !tile, !tile -> !sum
      cta.release %ch, %q : !channel
      scf.yield %next : !sum
    }
    cta.store %d, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// An iteration that is peeled off has an index tile of its own, which is gone in the next one: eight registers besides the 56, not sixteen. The tile from outside the loop is
// needed in all iterations: eight more.
#rows = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 2 on 0>
!tile = !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
!sum = tensor<128x128xf32, #cta.frag<wgmma_acc, wg = 2>>
!channel = !cta.channel<2, !tile, !tile>
// CHECK-LABEL: tile.kernel @peeled(
// CHECK: cta.role @producer warps(4) attributes {registers = 72 : i64} {
// CHECK: cta.copy %A
// CHECK: cta.copy %A
// CHECK: scf.for
// CHECK: cta.copy %A
// CHECK: cta.copy %A
// CHECK-NOT: cta.copy
tile.kernel @peeled(%A: memref<?x?xbf16>, %R: memref<?xi32>, %K: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 2, plan = #cta.plan<producers = 4, stages = 2, registers = 208>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  cta.launch @peeled_0 blocks() {
    %ch = cta.channel : !channel
    %zero = arith.constant dense<0.0> : !sum
    %all = cta.load %R[%c0] : memref<?xi32> -> tensor<128xi32, #rows>
    %first = cta.load %R[%c1] : memref<?xi32> -> tensor<128xi32, #rows>
    %p0 = cta.acquire %ch : !channel
    %a0 = cta.copy %A[%first : tensor<128xi32, #rows>, %c0] {mechanism = #cta.mechanism<cp_async>, vector = 8} : memref<?x?xbf16> -> !tile
    %b0 = cta.copy %A[%all : tensor<128xi32, #rows>, %c0] {mechanism = #cta.mechanism<cp_async>, vector = 8} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p0 (%a0, %b0) : !channel
    %q0, %a1, %b1 = cta.wait %ch : !channel
    %start = cta.wgmma %a1, %b1, %zero {transpose_b} : !tile, !tile -> !sum
    cta.release %ch, %q0 : !channel
    %d = scf.for %k = %c64 to %K step %c64 iter_args(%c = %start) -> (!sum) {
      %r = cta.load %R[%k] : memref<?xi32> -> tensor<128xi32, #rows>
      %p = cta.acquire %ch : !channel
      %a2 = cta.copy %A[%r : tensor<128xi32, #rows>, %k] {mechanism = #cta.mechanism<cp_async>, vector = 8} : memref<?x?xbf16> -> !tile
      %b2 = cta.copy %A[%all : tensor<128xi32, #rows>, %k] {mechanism = #cta.mechanism<cp_async>, vector = 8} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a2, %b2) : !channel
      %q, %a, %b = cta.wait %ch : !channel
      %next = cta.wgmma %a, %b, %c {transpose_b} : !tile, !tile -> !sum
      cta.release %ch, %q : !channel
      scf.yield %next : !sum
    }
  }
  tile.return
}
