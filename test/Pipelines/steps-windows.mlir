// RUN: tilec %s --variants=aligned --emit=placed -o - | FileCheck %s
// RUN: not tilec %s --variants=aligned --require=tma --emit=placed -o - 2>&1 | FileCheck %s --check-prefix=DEMAND

// What is a window with element steps, and what is none.

// Both index tiles are the same value, of one element: its step means nothing.
// CHECK-LABEL: tile.kernel @one
// CHECK: cta.copy %A[{{.*}}] strides = [1, 1, 2, 1] {{{.*}}mechanism = #cta.mechanism<tma>
tile.kernel @one(%A: memref<?x?x?x?xbf16> {tile.shape = ["D", "H", "W", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %x = tile.load %A[%i, %i, %j, %k] strides = [2, 2, 2, 1] : memref<?x?x?x?xbf16> -> tensor<1x1x64x64xbf16>
      %a = tensor.collapse_shape %x [[0, 1, 2], [3]] : tensor<1x1x64x64xbf16> into tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %acc : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// A step of more than 8 along a dimension of one element.
// CHECK-LABEL: tile.kernel @large
// CHECK: cta.copy %A[{{.*}}] strides = [1, 2, 1] {{{.*}}mechanism = #cta.mechanism<tma>
tile.kernel @large(%A: memref<?x?x?xbf16> {tile.shape = ["H", "W", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %x = tile.load %A[%i, %j, %k] strides = [16, 2, 1] : memref<?x?x?xbf16> -> tensor<1x64x64xbf16>
      %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x64x64xbf16> into tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %acc : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Indices one after the other are a plain box.
// CHECK-LABEL: tile.kernel @consecutive
// CHECK-NOT: strides
// CHECK: cta.copy %A[%i, %{{.*}}] {{{.*}}mechanism = #cta.mechanism<tma>
tile.kernel @consecutive(%A: memref<?x?xbf16> {tile.shape = ["R", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %rows = tile.iota dim = 0 from %i : tensor<64xindex>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%rows : tensor<64xindex>, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %acc : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Of i64, and along dimension 0 of the array, which is dimension 1 of the tile: columns of B.
// CHECK-LABEL: tile.kernel @columns
// CHECK: cta.copy %A[%{{.*}}, %{{.*}}] strides = [4, 1] {{{.*}}mechanism = #cta.mechanism<tma>
tile.kernel @columns(%A: memref<?x?xbf16> {tile.shape = ["R", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %first = arith.index_cast %i : index to i64
    %rows = tile.iota dim = 0 from %first : tensor<64xi64>
    %four = arith.constant dense<4> : tensor<64xi64>
    %apart = arith.muli %rows, %four : tensor<64xi64>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%apart : tensor<64xi64>, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %acc : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// One progression beside indices that are loaded.
// CHECK-LABEL: tile.kernel @loaded
// CHECK: cta.gather %A[
tile.kernel @loaded(%A: memref<?x?x?xbf16> {tile.shape = ["H", "W", "K"]}, %I: memref<?xindex> {tile.shape = ["L"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %pages = tile.load %I[%i] : memref<?xindex> -> tensor<4xindex>
    %rows = tile.iota dim = 0 from %j : tensor<16xindex>
    %two = arith.constant dense<2> : tensor<16xindex>
    %apart = arith.muli %rows, %two : tensor<16xindex>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %x = tile.load %A[%pages : tensor<4xindex>, %apart : tensor<16xindex>, %k] : memref<?x?x?xbf16> -> tensor<4x16x64xbf16>
      %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x16x64xbf16> into tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %acc : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// A limit inside of the array, which TMA does not know: by cp.async.
// CHECK-LABEL: tile.kernel @limited
// CHECK-NOT: strides
// CHECK: cta.copy %A[{{.*}}] limit = [%j, _] {mechanism = #cta.mechanism<cp_async>
tile.kernel @limited(%A: memref<?x?xbf16> {tile.shape = ["R", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] limit = [%j, _] strides = [2, 1] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %acc : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Padding that is not zero.
// CHECK-LABEL: tile.kernel @padded
// CHECK: cta.gather %A[{{.*}}] pad = 1.0
tile.kernel @padded(%A: memref<?x?xbf16> {tile.shape = ["R", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] strides = [2, 1] pad = 1.0 : bf16 : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %acc : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// A progression along the contiguous dimension, which begins anywhere. Beside it one that begins at a multiple of 16 bytes, but reaches too
// far: what is known of that coordinate is not known of the other one.
// CHECK-LABEL: tile.kernel @contiguous
// CHECK-NOT: strides
// CHECK: tile.return
tile.kernel @contiguous(%A: memref<?x?xbf16> {tile.shape = ["R", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %rows = tile.iota dim = 0 from %i : tensor<64xindex>
    %two = arith.constant dense<2> : tensor<64xindex>
    %nine = arith.constant dense<9> : tensor<64xindex>
    %far = arith.muli %rows, %nine : tensor<64xindex>
    %apart = arith.muli %rows, %two : tensor<64xindex>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %columns = tile.iota dim = 0 from %k : tensor<64xindex>
      %eight = arith.constant dense<8> : tensor<64xindex>
      %three = arith.constant dense<3> : tensor<64xindex>
      %even = arith.addi %columns, %eight : tensor<64xindex>
      %odd = arith.addi %columns, %three : tensor<64xindex>
      %x = tile.load %A[%far : tensor<64xindex>, %even : tensor<64xindex>] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %y = tile.load %A[%apart : tensor<64xindex>, %odd : tensor<64xindex>] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %half = tile.mma %y, %b, %acc : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      %next = tile.mma %x, %b, %half : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// DEMAND: error: {{.*}}cannot use TMA, as 'require = [tma]' demands
