// RUN: tile-opt %s --split-input-file --cta-plan | FileCheck %s

// The loop computes with the results of two products, one of which does not need the other: products are in flight until their results are needed.
// The tensor cores wait for all other instructions, which take 264 cycles to issue; output tiles are spread.
// CHECK-LABEL: tile.kernel @several(
// CHECK-SAME:  pending = 1,
// CHECK-NOT:   spread =
// CHECK:       cta.prediction = {{.*}}bound = "issue",{{.*}}iteration = 1348 : i64
#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<128x64xbf16, #sw>
!sum = tensor<128x128xf32, #acc>
tile.kernel @several(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b = cta.copy %B[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %s = cta.wgmma %a, %b {transpose_b} : !tile, !tile -> !sum
      %d = cta.wgmma %b, %a {transpose_b} : !tile, !tile -> !sum
      %p = math.exp2 %s : !sum
      %x = arith.mulf %p, %d : !sum
      %e = arith.addf %c, %x : !sum
      scf.yield %e : !sum
    }
    cta.store %sum, %C[%i, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// What threads write to shared memory counts with what the tensor cores read there: 768 + 512 cycles, longer than the products take, and 560 to issue all other instructions.
// CHECK-LABEL: tile.kernel @staged(
// CHECK:       cta.prediction = {{.*}}bound = "issue",{{.*}}iteration = 1900 : i64
#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<128x64xbf16, #sw>
!sum = tensor<128x128xf32, #acc>
!half = tensor<128x128xbf16, #acc>
!square = !cta.smem<128x128xbf16, #sw>
tile.kernel @staged(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b = cta.copy %B[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %s = cta.wgmma %a, %b {transpose_b} : !tile, !tile -> !sum
      %d = cta.wgmma %b, %a {transpose_b} : !tile, !tile -> !sum
      %p = math.exp2 %s : !sum
      %x = arith.mulf %p, %d : !sum
      %h = arith.truncf %p : !sum to !half
      %y = arith.truncf %x : !sum to !half
      %u = cta.stage %h : !half -> !square
      %v = cta.stage %y : !half -> !square
      %e = arith.addf %c, %x : !sum
      scf.yield %e : !sum
    }
    cta.store %sum, %C[%i, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Blocks that share an SM stay where they are: two that compute take twice as long.
// CHECK-LABEL: tile.kernel @two_blocks(
// CHECK-SAME:  blocks_per_sm = 2, {{.*}}, spread = 0>
// CHECK:       cta.prediction = {{.*}}bound = "issue",
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
tile.kernel @two_blocks(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index) attributes {phase = #tile.phase<placed>, warpgroups = 1, plan = #cta.plan<blocks_per_sm = 2>} {
  tile.grid (%i) = (0) to (%M) step (64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b = cta.copy %B[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %s = cta.wgmma %a, %b {transpose_b} : !tile, !tile -> !sum
      %d = cta.wgmma %b, %a {transpose_b} : !tile, !tile -> !sum
      %p = math.exp2 %s : !sum
      %x = arith.mulf %p, %d : !sum
      %e = arith.addf %c, %x : !sum
      scf.yield %e : !sum
    }
    cta.store %sum, %C[%i, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Here nobody computes with the result of the second product in the iteration.
// CHECK-LABEL: tile.kernel @one(
// CHECK-SAME:  pending = 0,
// CHECK:       cta.prediction = {{.*}}bound = "tensor",{{.*}}iteration = 1024 : i64
#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<128x64xbf16, #sw>
!sum = tensor<128x128xf32, #acc>
tile.kernel @one(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %sum:2 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero, %f = %zero) -> (!sum, !sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b = cta.copy %B[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %s = cta.wgmma %a, %b {transpose_b} : !tile, !tile -> !sum
      %d = cta.wgmma %b, %a, %f {transpose_b} : !tile, !tile -> !sum
      %p = math.exp2 %s : !sum
      %e = arith.addf %c, %p : !sum
      scf.yield %e, %d : !sum, !sum
    }
    cta.store %sum#0, %C[%i, %c0] : !sum -> memref<?x?xf32>
    cta.store %sum#1, %C[%i, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Sums that a product leaves to itself stay in flight, with as many slots as fit; two products that add to the same sums as well.
// CHECK-LABEL: tile.kernel @added(
// CHECK-SAME:  stages = 4, {{.*}}pending = 0,
// CHECK-LABEL: tile.kernel @plain(
// CHECK-SAME:  stages = 9, {{.*}}pending = 1,
#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#t = #cta.swizzle<128, dim = 0>
#tma = #cta.mechanism<tma>
!rows = !cta.smem<128x64xbf16, #sw>
!columns = !cta.smem<64x64xbf16, #t>
!sum = tensor<128x64xf32, #acc>
tile.kernel @added(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>}, %C: memref<?x?xf32>, %M: index, %N: index, %K: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !rows
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !columns
      %d = cta.wgmma %a, %b : !rows, !columns -> !sum
      %e = arith.addf %c, %d : !sum
      scf.yield %e : !sum
    }
    cta.store %sum, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @plain(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>}, %C: memref<?x?xf32>, %M: index, %N: index, %K: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !rows
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !columns
      %d = cta.wgmma %a, %b, %c : !rows, !columns -> !sum
      scf.yield %d : !sum
    }
    cta.store %sum, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Scaled sums, which the threads compute before the product goes on adding: nothing is in flight meanwhile, so more slots gain nothing.
// CHECK-LABEL: tile.kernel @scaled(
// CHECK-SAME:  stages = 4, {{.*}}pending = 0,
// Off the cache lines four blocks share the rows; two where blocks share an SM, and none where the plan says so.
// CHECK-LABEL: tile.kernel @four(
// CHECK-SAME:  stages = 8, {{.*}}cluster = 4, {{.*}}pending = 1,
// CHECK-LABEL: tile.kernel @two_on_an_sm(
// CHECK-SAME:  blocks_per_sm = 2, cluster = 2,
// CHECK-LABEL: tile.kernel @none(
// CHECK-SAME:  cluster = 1,
#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#t = #cta.swizzle<128, dim = 0>
#tma = #cta.mechanism<tma>
!rows = !cta.smem<128x64xbf16, #sw>
!columns = !cta.smem<64x64xbf16, #t>
!sum = tensor<128x64xf32, #acc>
tile.kernel @scaled(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>}, %C: memref<?x?xbf16>, %M: index, %N: index, %K: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %half = arith.constant dense<0.5> : !sum
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !rows
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !columns
      %s = arith.mulf %c, %half : !sum
      %d = cta.wgmma %a, %b, %s : !rows, !columns -> !sum
      scf.yield %d : !sum
    }
    %o = arith.truncf %sum : !sum to tensor<128x64xbf16, #acc>
    %s = cta.stage %o : tensor<128x64xbf16, #acc> -> <128x64xbf16, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !rows -> memref<?x?xbf16>
  }
  tile.return
}
tile.kernel @four(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !rows
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !columns
      %d = cta.wgmma %a, %b, %c : !rows, !columns -> !sum
      scf.yield %d : !sum
    }
    %o = arith.truncf %sum : !sum to tensor<128x64xbf16, #acc>
    %s = cta.stage %o : tensor<128x64xbf16, #acc> -> <128x64xbf16, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !rows -> memref<?x?xbf16>
  }
  tile.return
}
tile.kernel @two_on_an_sm(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<blocks_per_sm = 2>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !rows
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !columns
      %d = cta.wgmma %a, %b, %c : !rows, !columns -> !sum
      scf.yield %d : !sum
    }
    %o = arith.truncf %sum : !sum to tensor<128x64xbf16, #acc>
    %s = cta.stage %o : tensor<128x64xbf16, #acc> -> <128x64xbf16, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !rows -> memref<?x?xbf16>
  }
  tile.return
}
tile.kernel @none(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<cluster = 1>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !rows
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !columns
      %d = cta.wgmma %a, %b, %c : !rows, !columns -> !sum
      scf.yield %d : !sum
    }
    %o = arith.truncf %sum : !sum to tensor<128x64xbf16, #acc>
    %s = cta.stage %o : tensor<128x64xbf16, #acc> -> <128x64xbf16, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !rows -> memref<?x?xbf16>
  }
  tile.return
}
