// RUN: tile-opt %s --split-input-file --verify-diagnostics --cta-form-wgmma

// expected-error @+1 {{cta-form-wgmma needs a kernel in phase raw, but this one is in phase L0 (no phase)}}
tile.kernel @l0() {
  tile.return
}

// -----

tile.kernel @demand() attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %at = arith.constant dense<1.0> : tensor<48x16xf16>
    %a = cta.stage %at : tensor<48x16xf16> -> !cta.smem<48x16xf16, #cta.swizzle<?>>
    %bt = arith.constant dense<1.0> : tensor<16x16xf16>
    %b = cta.stage %bt : tensor<16x16xf16> -> !cta.smem<16x16xf16, #cta.swizzle<?>>
    // expected-error @+1 {{cannot be computed by wgmma, as 'require = [wgmma]' demands: M = 48 is not a multiple of 64, the rows of a warpgroup; a larger tile is padded with zeros by the load}}
    %d = cta.mma %a, %b {require = #tile.require<[wgmma]>} : !cta.smem<48x16xf16, #cta.swizzle<?>>, !cta.smem<16x16xf16, #cta.swizzle<?>> -> tensor<48x16xf32>
  }
  tile.return
}

// -----

// Of the whole kernel.
tile.kernel @all() attributes {phase = #tile.phase<raw>, warpgroups = 1, require = #tile.require<[wgmma]>} {
  tile.grid () = () to () step () {
    %at = arith.constant dense<1.0> : tensor<64x16xf32>
    %a = cta.stage %at : tensor<64x16xf32> -> !cta.smem<64x16xf32, #cta.swizzle<?>>
    %bt = arith.constant dense<1.0> : tensor<16x16xf32>
    %b = cta.stage %bt : tensor<16x16xf32> -> !cta.smem<16x16xf32, #cta.swizzle<?>>
    // expected-error @+1 {{cannot be computed by wgmma, as 'require = [wgmma]' demands: the operands are f32}}
    %d = cta.mma %a, %b : !cta.smem<64x16xf32, #cta.swizzle<?>>, !cta.smem<16x16xf32, #cta.swizzle<?>> -> tensor<64x16xf32>
  }
  tile.return
}

// -----

// Warpgroups of a plan into which nothing can be split; with one of them it could.
tile.kernel @warpgroups() attributes {phase = #tile.phase<raw>, plan = #cta.plan<warpgroups = 7>, warpgroups = 7} {
  tile.grid () = () to () step () {
    %at = arith.constant dense<1.0> : tensor<128x16xf16>
    %as = cta.stage %at : tensor<128x16xf16> -> !cta.smem<128x16xf16, #cta.swizzle<?>>
    %bt = arith.constant dense<1.0> : tensor<16x16xf16>
    %bs = cta.stage %bt : tensor<16x16xf16> -> !cta.smem<16x16xf16, #cta.swizzle<?>>
    %c = arith.constant dense<0.0> : tensor<128x16xf32>
    // expected-error @+1 {{cannot be split as its plan says: M = 128 is not a multiple of 448 (64 rows for each of 7 warpgroups), and N = 16 is none of 56, so that they could share columns; plan warpgroups = 2 (for each output tile, if replicate = blocks), or make the tile larger in M}}
    %d = cta.mma %as, %bs, %c : !cta.smem<128x16xf16, #cta.swizzle<?>>, !cta.smem<16x16xf16, #cta.swizzle<?>> -> tensor<128x16xf32>
  }
  tile.return
}

// -----

tile.kernel @f64(%C: memref<64x64xf64>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = cta.load %C[%c0, %c0] : memref<64x64xf64> -> tensor<64x64xf64>
    %s = cta.stage %a : tensor<64x64xf64> -> !cta.smem<64x64xf64, #cta.swizzle<?>>
    // expected-error @+1 {{cannot be computed by wgmma, as 'require = [wgmma]' demands: it does not take f64}}
    %d = cta.mma %s, %s {require = #tile.require<[wgmma]>} : !cta.smem<64x64xf64, #cta.swizzle<?>>, !cta.smem<64x64xf64, #cta.swizzle<?>> -> tensor<64x64xf64>
    cta.store %d, %C[%c0, %c0] : tensor<64x64xf64> -> memref<64x64xf64>
  }
  tile.return
}
