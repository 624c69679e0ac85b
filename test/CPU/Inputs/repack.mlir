// Products of operands that no TMA could fetch, each in another way.

// Rows 1, 4, 7, … and columns 2, 4, 6, … of %A, and a transposed %B, both read by two grids; the first result is written over a part of %A's middle,
// so that the second grid needs a copy of its own.
tile.kernel @views(%A: memref<400x300xf16>, %B: memref<?x70xf16> {tile.size_max = array<i64: 1000, 70>}, %C: memref<130x?xf32>, %D: memref<130x?xf32>) {
  %c0 = arith.constant 0 : index
  %N = memref.dim %B, %c0 : memref<?x70xf16>
  %v = memref.subview %A[1, 2] [133, 70] [3, 2] : memref<400x300xf16> to memref<133x70xf16, strided<[900, 2], offset: 302>>
  tile.grid (%i, %j) = (0, 0) to (130, %N) step (64, 128) {
    %z = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %end = arith.constant 70 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %z to %end step %c32 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %x = tile.load %v[%i, %k] : memref<133x70xf16, strided<[900, 2], offset: 302>> -> tensor<64x32xf16>
      %y = tile.load %B[%j, %k] dims = [1, 0] : memref<?x70xf16> -> tensor<32x128xf16>
      %d = tile.mma %x, %y, %c : tensor<64x32xf16>, tensor<32x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<130x?xf32>
  }
  tile.grid (%i) = (0) to (400) step (16) {
    %c100 = arith.constant 100 : index
    %old = tile.load %A[%i, %c100] : memref<400x300xf16> -> tensor<16x32xf16>
    %new = arith.addf %old, %old : tensor<16x32xf16>
    tile.store %new, %A[%i, %c100] : tensor<16x32xf16> -> memref<400x300xf16>
  }
  tile.grid (%i, %j) = (0, 0) to (130, %N) step (64, 128) {
    %z = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %end = arith.constant 70 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %w = memref.subview %A[1, 2] [133, 70] [3, 2] : memref<400x300xf16> to memref<133x70xf16, strided<[900, 2], offset: 302>>
    %acc = scf.for %k = %z to %end step %c32 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %x = tile.load %w[%i, %k] : memref<133x70xf16, strided<[900, 2], offset: 302>> -> tensor<64x32xf16>
      %y = tile.load %B[%j, %k] dims = [1, 0] : memref<?x70xf16> -> tensor<32x128xf16>
      %d = tile.mma %x, %y, %c : tensor<64x32xf16>, tensor<32x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %D[%i, %j] : tensor<64x128xf32> -> memref<130x?xf32>
  }
  tile.return
}

// Workspace of the program that is an operand, a batch whose matrices are not the last dimensions, negative coordinates, and a matrix by its own transpose.
tile.kernel @batch(%A: memref<3x?x5x?xbf16> {tile.size_max = array<i64: 3, 1000, 5, 1000>}, %C: memref<3x5x?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %M = memref.dim %A, %c1 : memref<3x?x5x?xbf16>
  %K = memref.dim %A, %c3 : memref<3x?x5x?xbf16>
  %some = arith.cmpi sge, %M, %c1 : index
  tile.assume %some, "no empty matrices" : i1
  %W = memref.alloc(%M, %K) : memref<3x?x5x?xbf16>
  tile.grid (%b, %i, %h, %k) = (0, 0, 0, 0) to (3, %M, 5, %K) step (1, 32, 1, 64) {
    %a = tile.load %A[%b, %i, %h, %k] dims = [1, 3] : memref<3x?x5x?xbf16> -> tensor<32x64xbf16>
    %n = arith.negf %a : tensor<32x64xbf16>
    tile.store %n, %W[%b, %i, %h, %k] dims = [1, 3] : tensor<32x64xbf16> -> memref<3x?x5x?xbf16>
  }
  tile.grid (%b, %h, %i, %j) = (0, 0, -64, -64) to (3, 5, %M, %M) step (1, 1, 64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %W[%b, %i, %h, %k] dims = [1, 3] : memref<3x?x5x?xbf16> -> tensor<64x64xbf16>
      %y = tile.load %W[%b, %j, %h, %k] dims = [3, 1] : memref<3x?x5x?xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%b, %h, %i, %j] : tensor<64x64xf32> -> memref<3x5x?x?xf32>
  }
  tile.return
}

// Tiles of several matrices.
tile.kernel @several(%A: memref<5x65x?xbf16> {tile.shape = [unit, unit, "K"], tile.size_max = array<i64: 5, 65, 1000>}, %B: memref<5x?x65xbf16> {tile.shape = [unit, "K", unit], tile.size_max = array<i64: 5, 1000, 65>}, %C: memref<5x65x65xf32>) {
  %K = tile.dim "K" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (5, 65, 65) step (2, 64, 64) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<2x64x64xf32>
    %acc = scf.for %k = %c0 to %K step %c32 iter_args(%c = %zero) -> (tensor<2x64x64xf32>) {
      %x = tile.load %A[%b, %i, %k] : memref<5x65x?xbf16> -> tensor<2x64x32xbf16>
      %y = tile.load %B[%b, %k, %j] : memref<5x?x65xbf16> -> tensor<2x32x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<2x64x32xbf16>, tensor<2x32x64xbf16> -> tensor<2x64x64xf32>
      scf.yield %d : tensor<2x64x64xf32>
    }
    tile.store %acc, %C[%b, %i, %j] : tensor<2x64x64xf32> -> memref<5x65x65xf32>
  }
  tile.return
}
