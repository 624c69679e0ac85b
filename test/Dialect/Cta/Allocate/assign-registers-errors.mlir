// RUN: tile-opt %s -split-input-file -cta-assign-registers -verify-diagnostics

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
tile.kernel @large(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @large_0 blocks() {
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%c0, %k] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #cta.mechanism<tma>, offset = 16384, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      // expected-error @below {{this product and the tiles that live across it need 256 registers a thread, but of the 255 that a block of 128 threads has only 229 are left; make the tile smaller in M or N, or use more warpgroups}}
      // expected-note @below {{256 registers: 'tensor<128x256xf32>'}}
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    cta.store %acc, %C[%c0, %c0] : tensor<128x256xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Two accumulators that fit separately but not together.

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
tile.kernel @two(%A: memref<?x?xbf16>, %C: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @two_0 blocks() {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %b = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 16384, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
    // expected-note @below {{128 registers: 'tensor<64x256xf32>'}}
    %d = cta.wgmma %a, %b : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<64x256xf32, #acc>
    // expected-error @below {{need 256 registers a thread}}
    // expected-note @below {{128 registers: 'tensor<64x256xf32>'}}
    %e = cta.wgmma %a, %b : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<64x256xf32, #acc>
    %s = arith.mulf %d, %e : tensor<64x256xf32, #acc>
    cta.store %s, %C[%c0, %c0] : tensor<64x256xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

#all = #cta.frag<splat, rank = 2, warps = 2, wg = 1>
tile.kernel @everything(%x: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @everything_0 blocks() {
    // expected-error @below {{the tile 'tensor<128x64xf32>' takes 8192 registers a thread, more than 4096: make it smaller, use more warpgroups, or loop over parts of it}}
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<128x64xf32, #all>
    cta.store %t, %x[%c0, %c0] : tensor<128x64xf32, #all> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @threads() attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  // expected-error @below {{has threads = 128, but its roles or the kernel's warpgroups make it 256}}
  cta.launch @threads_0 blocks() attributes {threads = 128} {
  }
  tile.return
}

// -----

tile.kernel @registers() attributes {phase = #tile.phase<allocated>, warpgroups = 4} {
  // expected-error @below {{has max_registers = 168, but 512 threads of an SM have 128 each}}
  cta.launch @registers_0 blocks() attributes {max_registers = 168} {
  }
  tile.return
}

// -----

// What a plan needs of an SM, pipelined or not: threads, shared memory, registers.
tile.kernel @threads() attributes {phase = #tile.phase<allocated>, plan = #cta.plan<blocks_per_sm = 4>, warpgroups = 8} {
  // expected-error @below {{4 blocks of 1024 threads shall share an SM, which has 2048: at most 2 fit; plan a smaller blocks_per_sm}}
  cta.launch @threads_0 blocks() attributes {min_blocks = 4} {
  }
  tile.return
}

// -----

tile.kernel @shared() attributes {phase = #tile.phase<allocated>, plan = #cta.plan<blocks_per_sm = 3>, warpgroups = 1} {
  // expected-error @below {{3 blocks of 101024 bytes of shared memory shall share an SM, which has 233472: at most 2 fit; plan a smaller blocks_per_sm}}
  cta.launch @shared_0 blocks() attributes {shared = 100000, min_blocks = 3} {
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
tile.kernel @registers(%A: memref<?x?xbf16>, %C: memref<?x?xf32>)
    attributes {phase = #tile.phase<allocated>, plan = #cta.plan<blocks_per_sm = 3, stages = 0>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @registers_0 blocks() attributes {min_blocks = 3} {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
    %b = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 16384, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
    // expected-error @below {{this product and the tiles that live across it need 64 registers a thread, but of the 80 that a thread of 3 blocks of 256 threads on an SM has only 54 are left; plan a smaller blocks_per_sm, or make the tile smaller in M or N}}
    // expected-note @below {{64 registers: 'tensor<128x128xf32>'}}
    %d = cta.wgmma %a, %b : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
    cta.store %d, %C[%c0, %c0] : tensor<128x128xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// The next iteration may take the other branch: what it needs lives through this one. (Two tiles of 128 registers.)
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
tile.kernel @two(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @two_0 blocks() {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %b = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 16384, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
    // expected-note @+1 {{128 registers}}
    %big = cta.load %C[%c0, %c0] : memref<?x?xf32> -> tensor<64x256xf32, #acc>
    scf.for %k = %c0 to %K step %c1 {
      %even = arith.cmpi eq, %k, %c1 : index
      scf.if %even {
        // expected-note @+2 {{128 registers}}
        // expected-error @+1 {{this product and the tiles that live across it need 256 registers a thread}}
        %e = cta.wgmma %a, %b : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<64x256xf32, #acc>
        cta.store %e, %C[%c0, %c0] : tensor<64x256xf32, #acc> -> memref<?x?xf32>
      } else {
        cta.store %big, %C[%c0, %c0] : tensor<64x256xf32, #acc> -> memref<?x?xf32>
      }
    }
  }
  tile.return
}
