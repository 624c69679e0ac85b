// RUN: tile-opt %s --tessera-to-planned=variants=any | FileCheck %s
// Threads that shift pieces into place fill one slot after another: no loads of a block are on their way together, however few output tiles there are.

// Two blocks on an SM: all iterations of a block that is alone there take `by_itself`, which is as long as those of one of two.
// CHECK-LABEL: tile.kernel @whole_any(
// CHECK: cta.prediction = {blocks_per_sm = 2 : i64, bound = "shifted copies", by_itself = [[CYCLES:[0-9]+]] : i64, {{.*}}iteration = [[CYCLES]] : i64, {{.*}}slots = 0 : i64}
// In 64ths of a cycle; one of two blocks takes half of 3200.
// CHECK: %[[REST:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK: %[[OF_SM:.*]] = arith.ceildivsi %[[REST]], %{{.*}} : index
// CHECK: arith.muli %[[TRIPS:.*]], %c102400{{.*}} : index
// CHECK: %[[LAST:.*]] = arith.muli %[[OF_SM]], %{{.*}} : index
// CHECK: %[[WORKING:.*]] = arith.addi %{{.*}}, %[[LAST]] : index
// CHECK: %[[LATE:.*]] = arith.maxsi %[[TRIPS]], %c0{{.*}} : index
// CHECK: %[[LONGER:.*]] = arith.muli %[[LATE]], %c102400{{.*}} : index
// CHECK: %[[WAITING:.*]] = arith.muli %[[OF_SM]], %[[LONGER]] : index
// CHECK: arith.addi %[[WORKING]], %[[WAITING]] : index
// CHECK: tile.cost
tile.kernel @whole(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {tile.member_of = "whole", tile.member = "BM=64", plan = #cta.plan<blocks_per_sm = 2>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c128 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %next = tile.mma %a, %b, %sum : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %c = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %c, %C[%i, %j] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// So do those of a part of a divided output tile, if an SM has one block.
// CHECK-LABEL: tile.kernel @divided_any(
// CHECK: cta.prediction = {blocks_per_sm = 2 : i64, {{.*}}slots = 0 : i64, {{.*}}stream_k
// CHECK: %[[BLOCKS:.*]] = arith.select %{{.*}}, %c2{{.*}}, %{{.*}} : index
// CHECK: %[[OF_BOTH:.*]] = arith.muli %[[LONGEST:.*]], %[[BLOCKS]] : index
// CHECK: %[[IS_ALONE:.*]] = arith.cmpi slt, %[[BLOCKS]], %c2{{.*}} : index
// CHECK: %[[BY_ITSELF:.*]] = arith.muli %[[LONGEST]], %c204800{{.*}} : index
// CHECK: %[[SHARED:.*]] = arith.muli %[[OF_BOTH]], %c102400{{.*}} : index
// CHECK: arith.select %[[IS_ALONE]], %[[BY_ITSELF]], %[[SHARED]] : index
// CHECK: tile.cost
tile.kernel @divided(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {tile.member_of = "divided", tile.member = "BM=64", plan = #cta.plan<blocks_per_sm = 2, stream_k = 2>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c128 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %next = tile.mma %a, %b, %sum : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %c = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %c, %C[%i, %j] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// A block that has its SM for itself anyway has no such number.
// CHECK-LABEL: tile.kernel @single_any(
// CHECK: cta.prediction = {blocks_per_sm = 1 : i64, bound = "shifted copies",
// CHECK-NOT: by_itself
// CHECK: tile.cost
tile.kernel @single(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {tile.member_of = "single", tile.member = "BM=64", plan = #cta.plan<blocks_per_sm = 1>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c128 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %next = tile.mma %a, %b, %sum : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %c = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %c, %C[%i, %j] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
