// RUN: tile-opt %s --tessera-to-planned=variants=any | FileCheck %s
// Threads that shift pieces into place fill one slot after another: no loads of a block are on their way together, however few output tiles there are.

// Two blocks on an SM, 16 pieces of a thread of rows of 256 bytes: 800 + 16 · 150 cycles. All iterations of a block that is alone on its SM take
// `by_itself`, which is as long as those of one of two.
// CHECK-LABEL: tile.kernel @whole_any(
// CHECK: cta.prediction = {blocks_per_sm = 2 : i64, bound = "shifted copies", by_itself = 3200 : i64, {{.*}}iteration = 3200 : i64, {{.*}}slots = 0 : i64}
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
    %step = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
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

// A part of a divided output tile takes as long as beside another one, also if there are no more parts than SMs: two shares of 1600 cycles.
// CHECK-LABEL: tile.kernel @divided_any(
// CHECK: cta.prediction = {blocks_per_sm = 2 : i64, {{.*}}slots = 0 : i64, stream_k = 2 : i64
// CHECK: arith.divui %{{.*}}, %c2{{.*}} : index
// CHECK: %[[LONGEST:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK: %[[OF_PARTS:.*]] = arith.muli %[[LONGEST]], %c2{{.*}} : index
// CHECK: %[[ALL:.*]] = arith.addi %{{.*}}, %[[OF_PARTS]] : index
// CHECK: arith.muli %[[ALL]], %c102400{{.*}} : index
// CHECK: tile.cost
tile.kernel @divided(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {tile.member_of = "divided", tile.member = "BM=64", plan = #cta.plan<blocks_per_sm = 2, stream_k = 2>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
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
// CHECK: cta.prediction = {blocks_per_sm = 1 : i64, bound = "shifted copies", cluster
// CHECK-NOT: by_itself
// CHECK: tile.cost
tile.kernel @single(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {tile.member_of = "single", tile.member = "BM=64", plan = #cta.plan<blocks_per_sm = 1>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
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

// Pieces of rows of 128 bytes take 1.26 times as long, as the third root of 256 / 128: eight of them.
// CHECK-LABEL: tile.kernel @narrow_any(
// CHECK: cta.prediction = {{.*}}bound = "shifted copies", {{.*}}iteration = 2312 : i64
tile.kernel @narrow(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {tile.member_of = "narrow", tile.member = "BM=64", plan = #cta.plan<blocks_per_sm = 1>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %c = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %c, %C[%i, %j] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// The producer keeps 3 · 80 - 2 · 88 = 64 registers, of which 32 are for pieces: they take twice as long, also where the block is by itself.
// CHECK-LABEL: tile.kernel @few_any(
// CHECK: cta.prediction = {{.*}}bound = "shifted copies", by_itself = 5714 : i64, {{.*}}iteration = 5714 : i64
tile.kernel @few(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {tile.member_of = "few", tile.member = "BM=80", plan = #cta.plan<blocks_per_sm = 2, producers = 4, registers = 88>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (80, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<80x128xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<80x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<80x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<80x64xbf16>, tensor<64x128xbf16> -> tensor<80x128xf32>
      scf.yield %next : tensor<80x128xf32>
    }
    %c = arith.truncf %acc : tensor<80x128xf32> to tensor<80x128xbf16>
    tile.store %c, %C[%i, %j] : tensor<80x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
