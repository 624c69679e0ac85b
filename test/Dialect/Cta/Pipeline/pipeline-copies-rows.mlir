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

// A row that is read while the operands are held anyway is read where it stands, if a thread has no registers to keep it from the wait on. 64 registers
// are carried, the first product has 32, and the row 16; of 112 a thread has 86 for tiles.
// CHECK-LABEL: tile.kernel @held(
// CHECK: scf.for
// CHECK: cta.wait
// CHECK-NEXT: %[[D:.*]] = cta.wgmma
// CHECK-NEXT: cta.read
// CHECK: cta.release
// With more registers it is read before the product.
// CHECK-LABEL: tile.kernel @early(
// CHECK: scf.for
// CHECK: cta.wait
// CHECK-NEXT: cta.read
// CHECK-NEXT: cta.wgmma
#columns = #cta.frag<regs = [[1]], lanes = [[2], [4], [0], [0], [0]], warps = [[0], [0]], wg = 1>
tile.kernel @held(%A: memref<?x?xbf16>, %R: memref<?x?xf32>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 2, producers = 4, registers = 112>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @held_0 blocks() {
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c1 iter_args(%c = %zero) -> (tensor<64x128xf32, #acc>) {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
      %d = cta.wgmma %a, %a : !tile, !tile -> !sum
      %l = cta.copy %R[%k, %c0] {mechanism = #tma} : memref<?x?xf32> -> !row
      %r = cta.read %l : !row -> tensor<64xf32, #columns>
      %w = cta.broadcast %r dims = [1] : tensor<64xf32, #columns> -> !sum
      %t = arith.subf %d, %w : !sum
      %n = arith.truncf %t : !sum to tensor<64x64xbf16, #acc>
      %x = cta.convert_layout %n {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #fa>
      %e = cta.wgmma %x, %b, %c : tensor<64x64xbf16, #fa>, !cta.smem<64x128xbf16, #sw> -> tensor<64x128xf32, #acc>
      %f = cta.wgmma %a, %b, %e : !tile, !cta.smem<64x128xbf16, #sw> -> tensor<64x128xf32, #acc>
      scf.yield %f : tensor<64x128xf32, #acc>
    }
    cta.store %acc, %C[%c0, %c0] : tensor<64x128xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @early(%A: memref<?x?xbf16>, %R: memref<?x?xf32>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 2, producers = 4, registers = 160>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @early_0 blocks() {
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c1 iter_args(%c = %zero) -> (tensor<64x128xf32, #acc>) {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
      %d = cta.wgmma %a, %a : !tile, !tile -> !sum
      %l = cta.copy %R[%k, %c0] {mechanism = #tma} : memref<?x?xf32> -> !row
      %r = cta.read %l : !row -> tensor<64xf32, #columns>
      %w = cta.broadcast %r dims = [1] : tensor<64xf32, #columns> -> !sum
      %t = arith.subf %d, %w : !sum
      %n = arith.truncf %t : !sum to tensor<64x64xbf16, #acc>
      %x = cta.convert_layout %n {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #fa>
      %e = cta.wgmma %x, %b, %c : tensor<64x64xbf16, #fa>, !cta.smem<64x128xbf16, #sw> -> tensor<64x128xf32, #acc>
      %f = cta.wgmma %a, %b, %e : !tile, !cta.smem<64x128xbf16, #sw> -> tensor<64x128xf32, #acc>
      scf.yield %f : tensor<64x128xf32, #acc>
    }
    cta.store %acc, %C[%c0, %c0] : tensor<64x128xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}
