// RUN: tile-opt %s -split-input-file -cta-allocate-shared -verify-diagnostics

#sw = #cta.swizzle<128, dim = 1>
#acc = #cta.frag<wgmma_acc, wg = 1>

tile.kernel @large(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{a block of @large_0 needs 262144 bytes of shared memory, but Hopper has 232440 for its tiles; make the tiles of the program smaller, for example the largest, '!cta.smem<256x256xbf16, #cta.swizzle<128, dim = 1>>', of at most 101368 bytes}}
  cta.launch @large_0 blocks() {
    // expected-note @below {{131072 bytes: '!cta.smem<256x256xbf16, #cta.swizzle<128, dim = 1>>'}}
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<256x256xbf16, #sw>
    // expected-note @below {{131072 bytes: '!cta.smem<256x256xbf16, #cta.swizzle<128, dim = 1>>'}}
    %b = cta.copy %B[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<256x256xbf16, #sw>
    %d = cta.wgmma %a, %b : !cta.smem<256x256xbf16, #sw>, !cta.smem<256x256xbf16, #sw> -> tensor<256x256xf32, #acc>
    cta.store %d, %C[%c0, %c0] : tensor<256x256xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @grid() attributes {phase = #tile.phase<specialized>} {
  // expected-error @below {{cta-allocate-shared works on launches; run cta-lower-grid first}}
  tile.grid () = () to () step () {
  }
  tile.return
}

// -----

// expected-error @below {{cta-allocate-shared needs a kernel in phase specialized, but this one is in phase raw}}
tile.kernel @raw() attributes {phase = #tile.phase<raw>} {
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#lin = #cta.swizzle<linear>
tile.kernel @carried(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @carried_0 blocks() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
    // expected-note @below {{the tile is made here}}
    %s = cta.stage %t : tensor<64x64xf32, #acc> -> !cta.smem<64x64xf32, #lin>
    // expected-error @below {{carries a shared tile out of its block; a shared tile is used where it is made, or in blocks inside: stage it there}}
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %s) -> (!cta.smem<64x64xf32, #lin>) {
      scf.yield %x : !cta.smem<64x64xf32, #lin>
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#lin = #cta.swizzle<linear>
tile.kernel @over(%x: memref<?x?xf32>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @over_0 blocks() {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
    // expected-error @below {{offset 0 puts it over a tile that lives at the same time}}
    %a = cta.stage %t {offset = 0} : tensor<64x64xf32, #acc> -> !cta.smem<64x64xf32, #lin>
    // expected-note @below {{this one, at [1024, 17408)}}
    %b = cta.stage %t {offset = 1024} : tensor<64x64xf32, #acc> -> !cta.smem<64x64xf32, #lin>
    %ra = cta.read %a : !cta.smem<64x64xf32, #lin> -> tensor<64x64xf32, #acc>
    %rb = cta.read %b : !cta.smem<64x64xf32, #lin> -> tensor<64x64xf32, #acc>
    %sum = arith.addf %ra, %rb : tensor<64x64xf32, #acc>
    cta.store %sum, %x[%c0, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @unaligned(%x: memref<?x?xf32>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @unaligned_0 blocks() {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
    // expected-error @below {{offset 512 is not a multiple of 1024, which #cta.swizzle<128, dim = 1> needs}}
    %a = cta.stage %t {offset = 512} : tensor<64x64xf32, #acc> -> !cta.smem<64x64xf32, #cta.swizzle<128, dim = 1>>
    %ra = cta.read %a : !cta.smem<64x64xf32, #cta.swizzle<128, dim = 1>> -> tensor<64x64xf32, #acc>
    cta.store %ra, %x[%c0, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @impossible(%x: memref<?x?xf32>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @impossible_0 blocks() {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<64x40xf32, #acc>
    // expected-error @below {{makes a shared tile with an impossible layout}}
    %a = cta.stage %t : tensor<64x40xf32, #acc> -> !cta.smem<64x40xf32, #cta.swizzle<128, dim = 1>>
    %ra = cta.read %a : !cta.smem<64x40xf32, #cta.swizzle<128, dim = 1>> -> tensor<64x40xf32, #acc>
    cta.store %ra, %x[%c0, %c0] : tensor<64x40xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}
