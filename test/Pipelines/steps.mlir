// RUN: tilec %s --variants=aligned --emit=placed -o - | FileCheck %s
// RUN: tilec %s --variants=aligned --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: tilec %s --variants=aligned --emit=json -o - | FileCheck %s --check-prefix=JSON
// RUN: tilec %s --variants=aligned -o %t.cubin --report=full 2>&1 | FileCheck %s --check-prefix=REPORT
// REQUIRES: ptxas

// Windows with element steps, as operands of products: by TMA with steps where it has them.

// Every second row of A. It is one copy, not one for each row.
// CHECK-LABEL: tile.kernel @rows
// CHECK-NOT: cta.gather
// CHECK-COUNT-1: cta.copy %A[%{{.*}}, %{{.*}}] strides = [2, 1] {{{.*}}mechanism = #cta.mechanism<tma>
// CHECK-NOT: cta.gather
// CHECK-NOT: cta.copy %A
// PTX-LABEL: .entry rows_aligned_0
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global
// PTX-NOT: ld.global.v4
// PTX-LABEL: .entry computed_aligned_0
// JSON: "name":"rows"
// REPORT: kernel @rows
// REPORT: predicted: 537 cycles an iteration (bound by L2)
// REPORT: load {{.*}}%a {{.*}} tma
tile.kernel @rows(%A: memref<?x?xbf16> {tile.shape = ["R", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                  %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %from = arith.muli %i, %c2 : index
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%from, %k] strides = [2, 1] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %acc : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// The same from an index tile that the program computes.
// CHECK-LABEL: tile.kernel @computed
// CHECK-NOT: cta.gather
// CHECK: cta.copy %A[%{{.*}}, %{{.*}}] strides = [2, 1] {{{.*}}mechanism = #cta.mechanism<tma>
// CHECK-NOT: cta.gather
tile.kernel @computed(%A: memref<?x?xbf16> {tile.shape = ["R", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                      %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %rows = tile.iota dim = 0 from %i : tensor<128xindex>
    %two = arith.constant dense<2> : tensor<128xindex>
    %one = arith.constant dense<1> : tensor<128xindex>
    %twice = arith.muli %two, %rows : tensor<128xindex>
    %odd = arith.subi %twice, %one : tensor<128xindex>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%odd : tensor<128xindex>, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %acc : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// A step of 3 reaches over more than a box: a copy by threads, and the report says why it is no TMA.
// CHECK-LABEL: tile.kernel @far
// CHECK-NOT: strides
// CHECK: cta.copy %A[{{.*}}mechanism = #cta.mechanism<cp_async>
// REPORT: kernel @far
// REPORT: %a {{.*}}with an element step of 3 a box reaches over 382 elements of dimension 0 of the tile, and TMA takes at most 256: use a smaller tile
tile.kernel @far(%A: memref<?x?xbf16> {tile.shape = ["R", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                 %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %from = arith.muli %i, %c3 : index
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%from, %k] strides = [3, 1] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %acc : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Two steps, of which one is too large: threads gather the tile. The prediction has the time of that: 1000 + 32 * 18 + 512 cycles.
// CHECK-LABEL: tile.kernel @twice
// CHECK: cta.gather
// REPORT: kernel @twice
// REPORT: predicted: 2088 cycles an iteration (bound by gathers)
// REPORT: gather %box {{.*}}no TMA: the element step of dimension 0 of the tile is 9, and TMA has steps of at most 8
tile.kernel @twice(%A: memref<?x?x?xbf16> {tile.shape = ["Q", "R", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                   %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %box = tile.load %A[%i, %c0, %k] strides = [9, 2, 1] : memref<?x?x?xbf16> -> tensor<8x16x64xbf16>
      %a = tensor.collapse_shape %box [[0, 1], [2]] : tensor<8x16x64xbf16> into tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %acc : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Indices of i32 may wrap where coordinates do not: they stay indices.
// CHECK-LABEL: tile.kernel @narrow
// CHECK-NOT: strides
tile.kernel @narrow(%A: memref<?x?xbf16> {tile.shape = ["R", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                    %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %i32 = arith.index_cast %i : index to i32
    %rows = tile.iota dim = 0 from %i32 : tensor<128xi32>
    %two = arith.constant dense<2> : tensor<128xi32>
    %twice = arith.muli %two, %rows : tensor<128xi32>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%twice : tensor<128xi32>, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %acc : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// JSON: "box":[128,64]{{.*}}"steps":[2,1]
