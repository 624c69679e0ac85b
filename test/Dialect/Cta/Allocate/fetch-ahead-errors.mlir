// RUN: tile-opt %s -cta-fetch-ahead -verify-diagnostics -split-input-file

// Tiles that have offsets already are an error.
// expected-error @below {{cta-fetch-ahead needs a kernel in phase specialized, but this one is in phase allocated; run the passes in the order of the pipeline}}
tile.kernel @allocated(%n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  tile.return
}

// -----

// The size of a tile that cannot be placed cannot be counted.
tile.kernel @unknown(%R: memref<?x?xbf16>, %i: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @unknown_0 blocks() {
    // expected-error @below {{makes a shared tile without a layout; cta-swizzle-shared chooses one}}
    %r0 = cta.copy %R[%i, %i] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %0 = cta.read %r0 : !cta.smem<64x64xbf16, #cta.swizzle<?>> -> tensor<64x64xbf16, #cta.frag<wgmma_acc, wg = 1>>
    %r1 = cta.copy %R[%i, %i] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %1 = cta.read %r1 : !cta.smem<64x64xbf16, #cta.swizzle<?>> -> tensor<64x64xbf16, #cta.frag<wgmma_acc, wg = 1>>
    %2 = arith.addf %0, %1 : tensor<64x64xbf16, #cta.frag<wgmma_acc, wg = 1>>
    %s = cta.stage %2 : tensor<64x64xbf16, #cta.frag<wgmma_acc, wg = 1>> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    cta.copy_out %s, %R[%i, %i] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x64xbf16, #cta.swizzle<?>> -> memref<?x?xbf16>
  }
  tile.return
}
