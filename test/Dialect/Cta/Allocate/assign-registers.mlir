// RUN: tile-opt %s -cta-assign-registers | FileCheck %s
// RUN: tile-opt %s -cta-assign-registers -cta-assign-registers | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 2>
#acc1 = #cta.frag<wgmma_acc, wg = 1>
#a = #cta.frag<wgmma_a, bits = 16, wg = 1>
#rows = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]],
                  warps = [[4, 0], [8, 0]], wg = 4 on 0>
#sw = #cta.swizzle<128, dim = 1>

// 64 accumulators of each thread, 32 KiB: two blocks share an SM, and each thread may have 128 registers.
// CHECK-LABEL: tile.kernel @gemm128(
// CHECK: cta.launch @gemm128_0 blocks() attributes {max_registers = 128 : i64, min_blocks = 2 : i64, shared = 32776 : i64, threads = 256 : i64}
tile.kernel @gemm128(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @gemm128_0 blocks() attributes {shared = 32776} {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%c0, %k] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #cta.mechanism<tma>, offset = 16384, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %d : tensor<128x128xf32, #acc>
    }
    cta.store %acc, %C[%c0, %c0] : tensor<128x128xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// 128 accumulators: one block.
// CHECK-LABEL: tile.kernel @gemm256(
// CHECK: cta.launch @gemm256_0 blocks() attributes {max_registers = 255 : i64, shared = 49160 : i64, threads = 256 : i64}
tile.kernel @gemm256(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @gemm256_0 blocks() attributes {shared = 49160} {
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%c0, %k] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #cta.mechanism<tma>, offset = 16384, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    cta.store %acc, %C[%c0, %c0] : tensor<128x256xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// Attention: at the second product its accumulators (64) and A (32) are live, at the first the 64 of the result and 64 of S. Shared memory for
// one block only.
// CHECK-LABEL: tile.kernel @attention(
// CHECK: max_registers = 255 : i64, shared = 131072 : i64, threads = 128 : i64
tile.kernel @attention(%Q: memref<?x?xbf16>, %O: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  cta.launch @attention_0 blocks() attributes {shared = 131072} {
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #acc1>
    %o = scf.for %j = %c0 to %n step %c128 iter_args(%c = %zero) -> (tensor<64x128xf32, #acc1>) {
      %q = cta.copy %Q[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
      %k = cta.copy %Q[%c0, %j] {mechanism = #cta.mechanism<tma>, offset = 16384, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<128x128xbf16, #sw>
      %s = cta.wgmma %q, %k : !cta.smem<64x128xbf16, #sw>, !cta.smem<128x128xbf16, #sw> -> tensor<64x128xf32, #acc1>
      %p = arith.truncf %s : tensor<64x128xf32, #acc1> to tensor<64x128xbf16, #acc1>
      %pa = cta.convert_layout %p {how = #cta.conversion<no_op>} : tensor<64x128xbf16, #acc1> -> tensor<64x128xbf16, #a>
      %d = cta.wgmma %pa, %k, %c : tensor<64x128xbf16, #a>, !cta.smem<128x128xbf16, #sw> -> tensor<64x128xf32, #acc1>
      scf.yield %d : tensor<64x128xf32, #acc1>
    }
    cta.store %o, %O[%c0, %c0] : tensor<64x128xf32, #acc1> -> memref<?x?xf32>
  }
  tile.return
}

// Without a product there is only the limit, and no wish for several blocks. What the IR says is kept.
// CHECK-LABEL: tile.kernel @plain(
// CHECK: cta.launch @plain_0 blocks() attributes {max_registers = 128 : i64, shared = 0 : i64, threads = 512 : i64}
// CHECK: cta.launch @plain_1 blocks() attributes {max_registers = 40 : i64, min_blocks = 3 : i64, shared = 0 : i64, threads = 512 : i64}
tile.kernel @plain(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 4} {
  %c0 = arith.constant 0 : index
  cta.launch @plain_0 blocks() attributes {shared = 0} {
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<16x64xf32, #rows>
    cta.store %t, %y[%c0, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
  }
  cta.launch @plain_1 blocks() attributes {shared = 0, min_blocks = 3} {
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<16x64xf32, #rows>
    cta.store %t, %y[%c0, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
  }
  tile.return
}

// A variant after the one for which the plan was made: as many blocks as fit an SM.
// CHECK-LABEL: tile.kernel @fallback(
// CHECK: cta.launch @fallback_0 blocks() attributes {max_registers = 64 : i64, min_blocks = 2 : i64, threads = 512 : i64}
// CHECK: cta.launch @fallback_1 blocks() attributes {max_registers = 128 : i64, min_blocks = 1 : i64, shared = 200000 : i64, threads = 512 : i64}
// CHECK: cta.launch @fallback_2 blocks() attributes {max_registers = 64 : i64, min_blocks = 2 : i64, threads = 512 : i64}
tile.kernel @fallback(%A: memref<?x?xbf16>, %C: memref<?x?xf32>)
    attributes {phase = #tile.phase<allocated>, plan = #cta.plan<blocks_per_sm = 4>, tile.fallback, warpgroups = 4} {
  %c0 = arith.constant 0 : index
  cta.launch @fallback_0 blocks() attributes {min_blocks = 2} {
  }
  cta.launch @fallback_1 blocks() attributes {min_blocks = 4, shared = 200000} {
  }
  cta.launch @fallback_2 blocks() attributes {min_blocks = 4} {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<256x64xbf16, #sw>
    %b = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 32768, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %d = cta.wgmma %a, %b : !cta.smem<256x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<256x64xf32, #cta.frag<wgmma_acc, wg = 4>>
    cta.store %d, %C[%c0, %c0] : tensor<256x64xf32, #cta.frag<wgmma_acc, wg = 4>> -> memref<?x?xf32>
  }
  tile.return
}

// What only the other branch needs takes no registers in this one.
// CHECK-LABEL: tile.kernel @alternatives
// CHECK: cta.launch @alternatives_0 blocks() attributes {max_registers = 255 : i64
tile.kernel @alternatives(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @alternatives_0 blocks() {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %b = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 16384, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
    %big = cta.load %C[%c0, %c0] : memref<?x?xf32> -> tensor<64x256xf32, #acc1>
    %even = arith.cmpi eq, %K, %c1 : index
    scf.if %even {
      %e = cta.wgmma %a, %b : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<64x256xf32, #acc1>
      cta.store %e, %C[%c0, %c0] : tensor<64x256xf32, #acc1> -> memref<?x?xf32>
    } else {
      cta.store %big, %C[%c0, %c0] : tensor<64x256xf32, #acc1> -> memref<?x?xf32>
    }
  }
  tile.return
}
