// RUN: tile-opt %s -cta-plan | FileCheck %s
// RUN: tile-opt %s -cta-plan -cta-lower-grid -cta-stream-k | FileCheck %s --check-prefix=DIVIDED
// RUN: tile-opt %s -cta-plan | tile-opt | FileCheck %s
// A wish for stream-K (cta.stream_k): where the kernel may have it cta-plan says of how many iterations a part must be, and leaves out clusters.

#acc1 = #cta.frag<wgmma_acc, wg = 1>
#placed = #tile.phase<placed>
#tma = #cta.mechanism<tma>
!acc = tensor<64x128xf32, #acc1>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 0>>

// What two hand-overs of partial sums take, in iterations of 403 cycles: 2 (1200 + 32768 / 61).
// CHECK-LABEL: tile.kernel @wished(
// CHECK-NOT: cta.stream_k
// CHECK-SAME: stream_k = 9
// CHECK-NOT: cta.stream_k
// CHECK: cta.prediction = {{{.*}}hand_over = 1737 : i64{{.*}}stream_k = 9 : i64, sums = 32768 : i64}
// DIVIDED-LABEL: tile.kernel @wished(
// DIVIDED: cta.put_partial
tile.kernel @wished(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 1, cta.stream_k} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// Nobody wishes it.
// CHECK-LABEL: tile.kernel @plain(
// CHECK-SAME: stream_k = 0
// CHECK-NOT: hand_over
// DIVIDED-LABEL: tile.kernel @plain(
// DIVIDED-NOT: partial
tile.kernel @plain(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// Who states the entry has measured it.
// CHECK-LABEL: tile.kernel @stated(
// CHECK-SAME: stream_k = 3
// DIVIDED-LABEL: tile.kernel @stated(
// DIVIDED: cta.put_partial
tile.kernel @stated(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 1, cta.stream_k, plan = #cta.plan<stream_k = 3>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// It cannot be had with one block for each output tile, or without channels: the plan is the one without the wish.
// CHECK-LABEL: tile.kernel @one_each(
// CHECK-SAME: persistent = 0
// CHECK-SAME: stream_k = 0
// CHECK-LABEL: tile.kernel @unpipelined(
// CHECK-SAME: stages = 0
// CHECK-SAME: stream_k = 0
// DIVIDED-LABEL: tile.kernel @one_each(
// DIVIDED-NOT: partial
tile.kernel @one_each(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 1, cta.stream_k, plan = #cta.plan<persistent = 0>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @unpipelined(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 1, cta.stream_k, plan = #cta.plan<stages = 0>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}
