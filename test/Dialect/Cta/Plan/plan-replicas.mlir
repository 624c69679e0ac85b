// RUN: tile-opt %s -cta-plan-replicas=remarks -verify-diagnostics | FileCheck %s
// Warpgroups that use ping-pong, and plans that stay.

// A bias; the grid ends with dimensions of C, so that it can run in clusters.
// CHECK-LABEL: tile.kernel @bias(
// CHECK-SAME: plan = #cta.plan<replicate = blocks, warpgroups = 2, cluster = 2>
tile.kernel @bias(%A: memref<?x?xbf16> {tile.align = 16 : i64, tile.shape = ["M", "K"], tile.size_max = array<i64: 100000, 100000>, tile.stride_divisible = array<i64: 8, 1>, tile.size_divisible = array<i64: 1, 8>}, %B: memref<?x?xbf16> {tile.align = 16 : i64, tile.shape = ["K", "N"], tile.size_max = array<i64: 100000, 100000>, tile.stride_divisible = array<i64: 8, 1>, tile.size_divisible = array<i64: 1, 8>}, %bias: memref<?xf32> {tile.shape = ["N"]}, %C: memref<?x?xbf16> {tile.align = 16 : i64, tile.shape = ["M", "N"], tile.size_max = array<i64: 100000, 100000>, tile.stride_divisible = array<i64: 8, 1>, tile.size_divisible = array<i64: 1, 8>}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x192xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
      scf.yield %d : tensor<128x192xf32>
    }
    %row = tile.load %bias[%j] : memref<?xf32> -> tensor<192xf32>
    %rows = tile.broadcast %row dims = [1] : tensor<192xf32> -> tensor<128x192xf32>
    %z = arith.addf %acc, %rows : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// Numbers instead: an output tile beyond the end of the grid might be inside of C.
// CHECK-LABEL: tile.kernel @static(
// CHECK-SAME: plan = #cta.plan<replicate = blocks, warpgroups = 2, cluster = 1>
tile.kernel @static(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x192xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
      scf.yield %d : tensor<128x192xf32>
    }
    %row = tile.load %bias[%j] : memref<9216xf32> -> tensor<192xf32>
    %rows = tile.broadcast %row dims = [1] : tensor<192xf32> -> tensor<128x192xf32>
    %z = arith.addf %acc, %rows : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// A residual.
// CHECK-LABEL: tile.kernel @residual(
// CHECK-SAME: plan = #cta.plan<replicate = blocks, warpgroups = 2, cluster = 1>
tile.kernel @residual(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %R: memref<8192x9216xbf16> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x192xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
      scf.yield %d : tensor<128x192xf32>
    }
    %r = tile.load %R[%i, %j] : memref<8192x9216xbf16> -> tensor<128x192xbf16>
    %r32 = arith.extf %r : tensor<128x192xbf16> to tensor<128x192xf32>
    %z = arith.addf %acc, %r32 : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// Arithmetic only.
// CHECK-LABEL: tile.kernel @computes(
// CHECK-SAME: plan = #cta.plan<replicate = blocks, warpgroups = 2, cluster = 1>
tile.kernel @computes(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x192xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
      scf.yield %d : tensor<128x192xf32>
    }
    %z = arith.addf %acc, %acc : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// The transposed tile.
// CHECK-LABEL: tile.kernel @transposed(
// CHECK-SAME: plan = #cta.plan<replicate = blocks, warpgroups = 2, cluster = 1>
tile.kernel @transposed(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<8192xf32> {tile.align = 16 : i64}, %C: memref<9216x8192xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x192xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
      scf.yield %d : tensor<128x192xf32>
    }
    %row = tile.load %bias[%i] : memref<8192xf32> -> tensor<128xf32>
    %rows = tile.broadcast %row dims = [0] : tensor<128xf32> -> tensor<128x192xf32>
    %z = arith.addf %acc, %rows : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%j, %i] dims = [1, 0] : tensor<128x192xbf16> -> memref<9216x8192xbf16>
  }
  tile.return
}

// With iterations of 512 cycles two blocks would wait for each other: no cluster.
// CHECK-LABEL: tile.kernel @short(
// CHECK-SAME: plan = #cta.plan<replicate = blocks, warpgroups = 2, cluster = 1>
tile.kernel @short(%A: memref<?x?xbf16> {tile.align = 16 : i64, tile.shape = ["M", "K"], tile.size_max = array<i64: 100000, 100000>, tile.stride_divisible = array<i64: 8, 1>, tile.size_divisible = array<i64: 1, 8>}, %B: memref<?x?xbf16> {tile.align = 16 : i64, tile.shape = ["K", "N"], tile.size_max = array<i64: 100000, 100000>, tile.stride_divisible = array<i64: 8, 1>, tile.size_divisible = array<i64: 1, 8>}, %bias: memref<?xf32> {tile.shape = ["N"]}, %C: memref<?x?xbf16> {tile.align = 16 : i64, tile.shape = ["M", "N"], tile.size_max = array<i64: 100000, 100000>, tile.stride_divisible = array<i64: 8, 1>, tile.size_divisible = array<i64: 1, 8>}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<64x256xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x256xbf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xbf16>, tensor<64x256xbf16> -> tensor<64x256xf32>
      scf.yield %d : tensor<64x256xf32>
    }
    %row = tile.load %bias[%j] : memref<?xf32> -> tensor<256xf32>
    %rows = tile.broadcast %row dims = [1] : tensor<256xf32> -> tensor<64x256xf32>
    %z = arith.addf %acc, %rows : tensor<64x256xf32>
    %o = arith.truncf %z : tensor<64x256xf32> to tensor<64x256xbf16>
    tile.store %o, %C[%i, %j] : tensor<64x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// Grids that copy operands do not count.
// CHECK-LABEL: tile.kernel @copied(
// CHECK-SAME: plan = #cta.plan<replicate = blocks, warpgroups = 2, cluster = 1>
tile.kernel @copied(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %X: memref<64x64xbf16> {tile.align = 16 : i64}, %Y: memref<64x64xbf16> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%x) = (0) to (64) step (64) attributes {tile.copies} {
    %c = arith.constant 0 : index
    %t = tile.load %X[%x, %c] : memref<64x64xbf16> -> tensor<64x64xbf16>
    tile.store %t, %Y[%x, %c] : tensor<64x64xbf16> -> memref<64x64xbf16>
  }
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x192xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
      scf.yield %d : tensor<128x192xf32>
    }
    %z = arith.addf %acc, %acc : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// A plan that was given stays, also one that has no such entry, and so do warpgroups.
// CHECK-LABEL: tile.kernel @given(
// CHECK-SAME: plan = #cta.plan<group = 8>
tile.kernel @given(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) attributes {plan = #cta.plan<group = 8>} {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x192xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
      scf.yield %d : tensor<128x192xf32>
    }
    %row = tile.load %bias[%j] : memref<9216xf32> -> tensor<192xf32>
    %rows = tile.broadcast %row dims = [1] : tensor<192xf32> -> tensor<128x192xf32>
    %z = arith.addf %acc, %rows : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @warpgroups(
// CHECK-SAME: attributes {warpgroups = 2 : i64}
tile.kernel @warpgroups(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) attributes {warpgroups = 2 : i64} {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x192xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
      scf.yield %d : tensor<128x192xf32>
    }
    %row = tile.load %bias[%j] : memref<9216xf32> -> tensor<192xf32>
    %rows = tile.broadcast %row dims = [1] : tensor<192xf32> -> tensor<128x192xf32>
    %z = arith.addf %acc, %rows : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// The width that tilec tries next.
// CHECK-LABEL: tile.kernel @next(
// CHECK-SAME: attributes {plan = #cta.plan<replicate = blocks, warpgroups = 2, cluster = 1, epilogue = 32>}
tile.kernel @next(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) attributes {cta.replica_part = 32 : i64} {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x192xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
      scf.yield %d : tensor<128x192xf32>
    }
    %row = tile.load %bias[%j] : memref<9216xf32> -> tensor<192xf32>
    %rows = tile.broadcast %row dims = [1] : tensor<192xf32> -> tensor<128x192xf32>
    %z = arith.addf %acc, %rows : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}
