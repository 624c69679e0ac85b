// RUN: tile-opt %s -cta-split-epilogue | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 1>
#row = #cta.frag<regs = [[1]], lanes = [[2], [4], [0], [0], [0]], warps = [[0], [0]], wg = 1>
#tma = #cta.mechanism<tma>
#sw = #cta.swizzle<128, dim = 1>
!sum = tensor<64x128xf32, #acc>
!half = tensor<64x128xbf16, #acc>
!a = !cta.smem<64x64xbf16, #sw>
!b = !cta.smem<64x128xbf16, #sw>
!c = !cta.smem<64x128xbf16, #sw>
#placed = #tile.phase<placed>
#plan = #cta.plan<epilogue = 64>

// The bias of the first subtile is loaded before the products, that of the second one before the first one's work.
// CHECK-LABEL: tile.kernel @bias(
// CHECK: tile.grid (%[[I:.*]], %[[J:.*]]) =
// CHECK: %[[B0:.*]] = cta.load %bias[%[[J]]] : memref<?xbf16> -> tensor<64xbf16
// CHECK: scf.for
// CHECK: cta.wgmma
// CHECK: %[[J1:.*]] = arith.addi %[[J]], %
// CHECK: %[[B1:.*]] = cta.load %bias[%[[J1]]] : memref<?xbf16> -> tensor<64xbf16
// CHECK: cta.slice
// CHECK: arith.extf %[[B0]]
// CHECK: cta.copy_out
// CHECK: cta.slice
// CHECK: arith.extf %[[B1]]
// CHECK: cta.copy_out
tile.kernel @bias(%A: memref<?x?xbf16>, %bias: memref<?xbf16>, %C: memref<?x?xbf16>, %M: index, %K: index) attributes {phase = #placed, plan = #plan, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%M, %M) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %A[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %s : !a, !b -> !sum
      scf.yield %d : !sum
    }
    %r = cta.load %bias[%j] : memref<?xbf16> -> tensor<128xbf16, #row>
    %w = arith.extf %r : tensor<128xbf16, #row> to tensor<128xf32, #row>
    %rows = cta.broadcast %w dims = [1] : tensor<128xf32, #row> -> !sum
    %v = arith.addf %acc, %rows : !sum
    %o = arith.truncf %v : !sum to !half
    %s = cta.stage %o : !half -> !c
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !c -> memref<?x?xbf16>
  }
  tile.return
}

// Five such blocks share the registers of an SM: a thread has 72 when it starts, too few for the bias next to 64 accumulators.
// CHECK-LABEL: tile.kernel @crowded(
// CHECK-NOT: cta.load %bias
// CHECK: scf.for
// CHECK: cta.wgmma
// CHECK: cta.load %bias
tile.kernel @crowded(%A: memref<?x?xbf16>, %bias: memref<?xbf16>, %C: memref<?x?xbf16>, %M: index, %K: index) attributes {phase = #placed, plan = #cta.plan<epilogue = 64, blocks_per_sm = 5>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%M, %M) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %A[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %s : !a, !b -> !sum
      scf.yield %d : !sum
    }
    %r = cta.load %bias[%j] : memref<?xbf16> -> tensor<128xbf16, #row>
    %w = arith.extf %r : tensor<128xbf16, #row> to tensor<128xf32, #row>
    %rows = cta.broadcast %w dims = [1] : tensor<128xf32, #row> -> !sum
    %v = arith.addf %acc, %rows : !sum
    %o = arith.truncf %v : !sum to !half
    %s = cta.stage %o : !half -> !c
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !c -> memref<?x?xbf16>
  }
  tile.return
}

// If the loop writes what is loaded, the load of the first subtile stays after it; that of the second subtile moves over the first subtile only.
// CHECK-LABEL: tile.kernel @written(
// CHECK: scf.for
// CHECK: cta.store
// CHECK: }
// CHECK: cta.load %bias
// CHECK: cta.slice
// CHECK: cta.load %bias
// CHECK: cta.copy_out
// CHECK: cta.copy_out
tile.kernel @written(%A: memref<?x?xbf16>, %bias: memref<?xbf16>, %C: memref<?x?xbf16>, %M: index, %K: index) attributes {phase = #placed, plan = #plan, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%M, %M) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %new = arith.constant dense<0.0> : tensor<128xbf16, #row>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %A[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %s : !a, !b -> !sum
      cta.store %new, %bias[%k] : tensor<128xbf16, #row> -> memref<?xbf16>
      scf.yield %d : !sum
    }
    %r = cta.load %bias[%j] : memref<?xbf16> -> tensor<128xbf16, #row>
    %w = arith.extf %r : tensor<128xbf16, #row> to tensor<128xf32, #row>
    %rows = cta.broadcast %w dims = [1] : tensor<128xf32, #row> -> !sum
    %v = arith.addf %acc, %rows : !sum
    %o = arith.truncf %v : !sum to !half
    %s = cta.stage %o : !half -> !c
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !c -> memref<?x?xbf16>
  }
  tile.return
}

// A residual in registers is too much to hold for a later subtile.
// CHECK-LABEL: tile.kernel @large(
// CHECK: scf.for
// CHECK: cta.load %R
// CHECK: cta.copy_out
// CHECK: cta.load %R
// CHECK: cta.copy_out
tile.kernel @large(%A: memref<?x?xbf16>, %R: memref<?x?xf32>, %C: memref<?x?xbf16>, %M: index, %K: index) attributes {phase = #placed, plan = #plan, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%M, %M) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %A[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %s : !a, !b -> !sum
      scf.yield %d : !sum
    }
    %r = cta.load %R[%i, %j] : memref<?x?xf32> -> !sum
    %v = arith.addf %acc, %r : !sum
    %o = arith.truncf %v : !sum to !half
    %s = cta.stage %o : !half -> !c
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !c -> memref<?x?xbf16>
  }
  tile.return
}

// The same if the bias comes first in the sum, so that a subtile begins with its load: each load moves over one subtile, and not all of them to the front.
// CHECK-LABEL: tile.kernel @first(
// CHECK: cta.load %bias
// CHECK: scf.for
// CHECK: cta.load %bias
// CHECK: cta.slice
// CHECK: cta.copy_out
// CHECK: cta.load %bias
// CHECK: cta.slice
// CHECK: cta.copy_out
// CHECK: cta.slice
// CHECK: cta.copy_out
tile.kernel @first(%A: memref<?x?xbf16>, %bias: memref<?xbf16>, %C: memref<?x?xbf16>, %M: index, %K: index) attributes {phase = #placed, plan = #plan, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%M, %M) step (64, 192) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x192xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x192xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %A[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x192xbf16, #sw>
      %d = cta.wgmma %a, %b, %s : !a, !cta.smem<64x192xbf16, #sw> -> tensor<64x192xf32, #acc>
      scf.yield %d : tensor<64x192xf32, #acc>
    }
    %r = cta.load %bias[%j] : memref<?xbf16> -> tensor<192xbf16, #row>
    %w = arith.extf %r : tensor<192xbf16, #row> to tensor<192xf32, #row>
    %rows = cta.broadcast %w dims = [1] : tensor<192xf32, #row> -> tensor<64x192xf32, #acc>
    %v = arith.addf %rows, %acc : tensor<64x192xf32, #acc>
    %o = arith.truncf %v : tensor<64x192xf32, #acc> to tensor<64x192xbf16, #acc>
    %s = cta.stage %o : tensor<64x192xbf16, #acc> -> !cta.smem<64x192xbf16, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<64x192xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}
