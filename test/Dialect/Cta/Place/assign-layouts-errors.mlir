// RUN: tile-opt %s --split-input-file --verify-diagnostics --cta-assign-layouts

// expected-error @+1 {{cta-assign-layouts needs a kernel in phase raw, but this one is in phase L0}}
tile.kernel @l0(%X: memref<?xf32>) {
  tile.return
}

// -----

// The layout has one warpgroup, the kernel two.
tile.kernel @two(%a: memref<?x?xbf16>) attributes {phase = #tile.phase<raw>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %x = cta.load %a[%c0, %c0] : memref<?x?xbf16> -> tensor<128x16xbf16>
    %y = cta.load %a[%c0, %c0] : memref<?x?xbf16> -> tensor<16x16xbf16>
    %s = cta.stage %x : tensor<128x16xbf16> -> !cta.smem<128x16xbf16, #cta.swizzle<?>>
    %t = cta.stage %y : tensor<16x16xbf16> -> !cta.smem<16x16xbf16, #cta.swizzle<?>>
    // expected-error @+2 {{two layouts are demanded of one tile: the type of this value needs #cta.frag<wgmma_acc, wg = 1>}}
    // expected-note @+1 {{the accumulator of this cta.wgmma needs #cta.frag<wgmma_acc, wg = 2>; put a cta.convert_layout between them}}
    %d = cta.wgmma %s, %t : !cta.smem<128x16xbf16, #cta.swizzle<?>>, !cta.smem<16x16xbf16, #cta.swizzle<?>> -> tensor<128x16xf32, #cta.frag<wgmma_acc, wg = 1>>
  }
  tile.return
}
