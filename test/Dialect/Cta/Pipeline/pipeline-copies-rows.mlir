// RUN: tile-opt %s -cta-pipeline-copies -cta-verify | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 1>
#fa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#rows = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!row = !cta.smem<64xf32, #cta.swizzle<linear>>
!sum = tensor<64x64xf32, #acc>

// A row of numbers that threads read comes in the slots of the operands. It is fetched with them, and read before the product.
// CHECK-LABEL: tile.kernel @scales(
// CHECK: cta.launch
// CHECK-NEXT: %[[CH:.*]] = cta.channel : <?, !cta.smem<64xf32, #cta.swizzle<linear>>, !cta.smem<64x64xbf16, {{.*}}>>
// CHECK-NOT: = cta.channel
// CHECK: scf.for
// CHECK-NEXT: %[[P:.*]] = cta.acquire %[[CH]]
// CHECK-NEXT: %[[R:.*]] = cta.copy %R[
// CHECK-NEXT: %[[A:.*]] = cta.copy %A[
// CHECK-NEXT: cta.commit %[[CH]], %[[P]] (%[[R]], %[[A]])
// CHECK-NEXT: %[[Q:.*]], %[[V:.*]]:2 = cta.wait %[[CH]]
// CHECK-NEXT: %[[S:.*]] = cta.read %[[V]]#0
// CHECK-NEXT: cta.wgmma %[[V]]#1, %[[V]]#1
// CHECK-NEXT: cta.release %[[CH]], %[[Q]]
// CHECK-NEXT: cta.broadcast %[[S]]
tile.kernel @scales(%A: memref<?x?xbf16>, %R: memref<?x?xf32>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @scales_0 blocks() {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c1 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a : !tile, !tile -> !sum
      %l = cta.copy %R[%k, %c0] {mechanism = #tma} : memref<?x?xf32> -> !row
      %r = cta.read %l : !row -> tensor<64xf32, #rows>
      %b = cta.broadcast %r dims = [0] : tensor<64xf32, #rows> -> !sum
      %t = math.fma %d, %b, %c : !sum
      scf.yield %t : !sum
    }
    cta.store %acc, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Of several channels it is that of a tile that threads read.
// CHECK-LABEL: tile.kernel @weights(
// CHECK: cta.launch
// CHECK-NEXT: cta.channel : <?, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
// CHECK-NEXT: %[[W:.*]] = cta.channel : <?, !cta.smem<64xf32, #cta.swizzle<linear>>, !cta.smem<64x64xbf16, #cta.swizzle<linear>>>
// CHECK: %{{.*}}, %[[V:.*]]:2 = cta.wait %[[W]]
// CHECK-NEXT: cta.read %[[V]]#0
// CHECK-NEXT: cta.read %[[V]]#1
// CHECK-NEXT: cta.release %[[W]]
tile.kernel @weights(%A: memref<?x?xbf16>, %R: memref<?x?xf32>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @weights_0 blocks() {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c1 iter_args(%c = %zero) -> (!sum) {
      %x = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<linear>>
      %w = cta.read %a : !cta.smem<64x64xbf16, #cta.swizzle<linear>> -> tensor<64x64xbf16, #fa>
      %d = cta.wgmma %w, %x : tensor<64x64xbf16, #fa>, !tile -> !sum
      %l = cta.copy %R[%k, %c0] {mechanism = #tma} : memref<?x?xf32> -> !row
      %r = cta.read %l : !row -> tensor<64xf32, #rows>
      %b = cta.broadcast %r dims = [0] : tensor<64xf32, #rows> -> !sum
      %t = math.fma %d, %b, %c : !sum
      scf.yield %t : !sum
    }
    cta.store %acc, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Alone it has a channel of its own.
// CHECK-LABEL: tile.kernel @apart(
// CHECK: cta.launch
// CHECK-NEXT: %[[R:.*]] = cta.channel : <?, !cta.smem<64xf32, #cta.swizzle<linear>>>
// CHECK-NOT: = cta.channel
// CHECK: cta.wait %[[R]]
// CHECK-NEXT: cta.read
// CHECK-NEXT: cta.release %[[R]]
tile.kernel @apart(%R: memref<?x?xf32>, %C: memref<?xf32>, %K: index)
    attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @apart_0 blocks() {
    %zero = arith.constant dense<0.0> : tensor<64xf32, #rows>
    %acc = scf.for %k = %c0 to %K step %c1 iter_args(%c = %zero) -> (tensor<64xf32, #rows>) {
      %l = cta.copy %R[%k, %c0] {mechanism = #tma} : memref<?x?xf32> -> !row
      %r = cta.read %l : !row -> tensor<64xf32, #rows>
      %t = arith.addf %r, %c : tensor<64xf32, #rows>
      scf.yield %t : tensor<64xf32, #rows>
    }
    cta.store %acc, %C[%c0] : tensor<64xf32, #rows> -> memref<?xf32>
  }
  tile.return
}

// Not where it is read in front of the copies of the tiles: a wait for their slot would come before what fills it.
// CHECK-LABEL: tile.kernel @first(
// CHECK: cta.launch
// CHECK-DAG: %[[R:.*]] = cta.channel : <?, !cta.smem<64xf32, #cta.swizzle<linear>>>
// CHECK-DAG: %[[A:.*]] = cta.channel : <?, !cta.smem<64x64xbf16, {{.*}}>>
// CHECK: scf.for
// CHECK: cta.commit %[[R]]
// CHECK: cta.wait %[[R]]
// CHECK: tile.return
tile.kernel @first(%A: memref<?x?xbf16>, %R: memref<?x?xf32>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @first_0 blocks() {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c1 iter_args(%c = %zero) -> (!sum) {
      %l = cta.copy %R[%k, %c0] {mechanism = #tma} : memref<?x?xf32> -> !row
      %r = cta.read %l : !row -> tensor<64xf32, #rows>
      %b = cta.broadcast %r dims = [0] : tensor<64xf32, #rows> -> !sum
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a : !tile, !tile -> !sum
      %t = math.fma %d, %b, %c : !sum
      scf.yield %t : !sum
    }
    cta.store %acc, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}
