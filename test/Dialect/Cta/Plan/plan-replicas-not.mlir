// RUN: tile-opt %s -cta-plan-replicas=remarks -verify-diagnostics | FileCheck %s
// What keeps warpgroups from using ping-pong.

// An epilogue that converts.
// CHECK-LABEL: tile.kernel @converts(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: its epilogue converts and stores only}}
tile.kernel @converts(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
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
    %o = arith.truncf %acc : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// A load or arithmetic without an effect does not make the epilogue longer.
// CHECK-LABEL: tile.kernel @dead(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: its epilogue converts and stores only}}
tile.kernel @dead(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %R: memref<8192x9216xbf16> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
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
    %r = tile.load %R[%i, %j] : memref<8192x9216xbf16> -> tensor<128x192xbf16>
    %o = arith.truncf %acc : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// Few accumulators: two blocks share an SM.
// CHECK-LABEL: tile.kernel @few(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: 64 accumulators of a thread are few: other blocks on the SM run concurrently with its epilogue}}
tile.kernel @few(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (64, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    %row = tile.load %bias[%j] : memref<9216xf32> -> tensor<128xf32>
    %rows = tile.broadcast %row dims = [1] : tensor<128xf32> -> tensor<64x128xf32>
    %z = arith.addf %acc, %rows : tensor<64x128xf32>
    %o = arith.truncf %z : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %o, %C[%i, %j] : tensor<64x128xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// Many.
// CHECK-LABEL: tile.kernel @many(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: 256 accumulators of a thread, if one warpgroup computes a whole output tile; at most 192 leave registers for an epilogue}}
tile.kernel @many(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x256xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %d : tensor<128x256xf32>
    }
    %row = tile.load %bias[%j] : memref<9216xf32> -> tensor<256xf32>
    %rows = tile.broadcast %row dims = [1] : tensor<256xf32> -> tensor<128x256xf32>
    %z = arith.addf %acc, %rows : tensor<128x256xf32>
    %o = arith.truncf %z : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x256xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// Rows that the tensor cores do not take.
// CHECK-LABEL: tile.kernel @rows(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: M = 96 is not a multiple of 64, the rows of a warpgroup; a larger tile is padded with zeros by the load}}
tile.kernel @rows(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (96, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<96x128xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<96x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<96x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %a, %b, %c : tensor<96x64xbf16>, tensor<64x128xbf16> -> tensor<96x128xf32>
      scf.yield %d : tensor<96x128xf32>
    }
    %row = tile.load %bias[%j] : memref<9216xf32> -> tensor<128xf32>
    %rows = tile.broadcast %row dims = [1] : tensor<128xf32> -> tensor<96x128xf32>
    %z = arith.addf %acc, %rows : tensor<96x128xf32>
    %o = arith.truncf %z : tensor<96x128xf32> to tensor<96x128xbf16>
    tile.store %o, %C[%i, %j] : tensor<96x128xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// Three slots fit.
// CHECK-LABEL: tile.kernel @stages(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: 4 slots of 81920 bytes and 16480 bytes of other tiles are 344160 bytes of shared memory, but each of 1 block on an SM has 232448: at most 2 slots fit}}
tile.kernel @stages(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x128xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<128x192xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x128xbf16>, tensor<128x192xbf16> -> tensor<128x192xf32>
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

// One output tile for each warpgroup.
// CHECK-LABEL: tile.kernel @points(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: 253 output tiles: 132 SMs must have two each, or nothing runs concurrently with an epilogue}}
tile.kernel @points(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (1408, 4416) step (128, 192) {
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

// An operand that TMA cannot fetch.
// CHECK-LABEL: tile.kernel @unaligned(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: the base of %A is not known to be a multiple of 16 bytes; add tile.align = 16 to it}}
tile.kernel @unaligned(%A: memref<8192x4096xbf16> {tile.align = 8 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
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

// A result that TMA cannot store.
// CHECK-LABEL: tile.kernel @unaligned_result(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: the base of %C is not known to be a multiple of 16 bytes; add tile.align = 16 to it}}
tile.kernel @unaligned_result(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 8 : i64}) {
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

// A residual that TMA cannot fetch, or that may be the result.
// CHECK-LABEL: tile.kernel @in_place(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: the grid also stores to memory that may be what it reads}}
tile.kernel @in_place(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
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
    %r = tile.load %C[%i, %j] : memref<8192x9216xbf16> -> tensor<128x192xbf16>
    %r32 = arith.extf %r : tensor<128x192xbf16> to tensor<128x192xf32>
    %z = arith.addf %acc, %r32 : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// What is no store writes, too: an operand has a counter, or is written by index tiles.
// CHECK-LABEL: tile.kernel @atomic(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: the grid also stores to memory that may be what it reads}}
tile.kernel @atomic(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : bf16
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
    tile.atomic add %one, %A[%c0, %c0] : bf16 -> memref<8192x4096xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @scatter(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: the grid also stores to memory that may be what it reads}}
tile.kernel @scatter(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
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
    %at = tile.iota dim = 0 : tensor<128xi32>
    tile.scatter %o, %A[%at : tensor<128xi32>, %j] : tensor<128x192xbf16> -> memref<8192x4096xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// The result may overlap an operand.
// CHECK-LABEL: tile.kernel @overlaps(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: the grid also stores to memory that may be what it reads}}
tile.kernel @overlaps(%A: memref<8192x4096xbf16> {tile.align = 16 : i64, tile.alias = "x"}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64, tile.alias = "x"}) {
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

// Two products.
// CHECK-LABEL: tile.kernel @two(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: its loop does more than one product}}
tile.kernel @two(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x192xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
      %e = tile.mma %a, %b, %d : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
      scf.yield %e : tensor<128x192xf32>
    }
    %row = tile.load %bias[%j] : memref<9216xf32> -> tensor<192xf32>
    %rows = tile.broadcast %row dims = [1] : tensor<192xf32> -> tensor<128x192xf32>
    %z = arith.addf %acc, %rows : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// Arithmetic in the loop.
// CHECK-LABEL: tile.kernel @scaled_sums(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: its loop does more than one product}}
tile.kernel @scaled_sums(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x192xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
      %e = arith.addf %d, %d : tensor<128x192xf32>
      scf.yield %e : tensor<128x192xf32>
    }
    %row = tile.load %bias[%j] : memref<9216xf32> -> tensor<192xf32>
    %rows = tile.broadcast %row dims = [1] : tensor<192xf32> -> tensor<128x192xf32>
    %z = arith.addf %acc, %rows : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// An operand that is computed.
// CHECK-LABEL: tile.kernel @computed(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: its loop does more than one product}}
tile.kernel @computed(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x192xbf16>
      %s = arith.addf %a, %a : tensor<128x64xbf16>
      %d = tile.mma %s, %b, %c : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
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

// A bias that lives through the loop.
// CHECK-LABEL: tile.kernel @early(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: it does more than scalar arithmetic before its loop}}
tile.kernel @early(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %bias: memref<9216xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%i, %j) = (0, 0) to (8192, 9216) step (128, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %cK = arith.constant 4096 : index
    %zero = arith.constant dense<0.0> : tensor<128x192xf32>
    %row = tile.load %bias[%j] : memref<9216xf32> -> tensor<192xf32>
    %acc = scf.for %k = %c0 to %cK step %step iter_args(%c = %zero) -> (tensor<128x192xf32>) {
      %a = tile.load %A[%i, %k] : memref<8192x4096xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<4096x9216xbf16> -> tensor<64x192xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x192xbf16> -> tensor<128x192xf32>
      scf.yield %d : tensor<128x192xf32>
    }
    %rows = tile.broadcast %row dims = [1] : tensor<192xf32> -> tensor<128x192xf32>
    %z = arith.addf %acc, %rows : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// A reduction after the loop.
// CHECK-LABEL: tile.kernel @reduces(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: its epilogue does more than elementwise arithmetic on the tile}}
tile.kernel @reduces(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %S: memref<8192xf32> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
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
    %s = tile.reduce addf %acc dims = [1] : tensor<128x192xf32> -> tensor<128xf32>
    tile.store %s, %S[%i] : tensor<128xf32> -> memref<8192xf32>
    %z = arith.addf %acc, %acc : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// Something else than the product is stored.
// CHECK-LABEL: tile.kernel @stored(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: a store is not of the product's tile}}
tile.kernel @stored(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %R: memref<8192x9216xbf16> {tile.align = 16 : i64}, %D: memref<8192x9216xbf16> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
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
    tile.store %r, %D[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
    %z = arith.addf %acc, %acc : tensor<128x192xf32>
    %o = arith.truncf %z : tensor<128x192xf32> to tensor<128x192xbf16>
    tile.store %o, %C[%i, %j] : tensor<128x192xbf16> -> memref<8192x9216xbf16>
  }
  tile.return
}

// A grid without a product.
// CHECK-LABEL: tile.kernel @other(
// CHECK-NOT: plan
// CHECK: tile.return
// expected-remark @below {{its warpgroups do not take turns: it does more than scalar arithmetic before its loop}}
tile.kernel @other(%A: memref<8192x4096xbf16> {tile.align = 16 : i64}, %B: memref<4096x9216xbf16> {tile.align = 16 : i64}, %X: memref<64x64xbf16> {tile.align = 16 : i64}, %Y: memref<64x64xbf16> {tile.align = 16 : i64}, %C: memref<8192x9216xbf16> {tile.align = 16 : i64}) {
  tile.grid (%x) = (0) to (64) step (64) {
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
