// RUN: tile-opt %s --split-input-file --verify-diagnostics

tile.kernel @slice_c1_beyond(%x: memref<?x?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %t = arith.constant dense<1.0> : tensor<8x16xf32>
    // expected-error @+1 {{slice_c1: takes [1, 18) of dimension 1 with extent 16}}
    %u = cta.slice %t offsets = [0, 1] strides = [1, 2] : tensor<8x16xf32> -> tensor<8x9xf32>
  }
  tile.return
}

// -----

tile.kernel @slice_c1_overflow(%x: memref<?x?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %t = arith.constant dense<1.0> : tensor<8x16xf32>
    // expected-error @+1 {{slice_c1: takes [1, 0) of dimension 1 with extent 16}}
    %u = cta.slice %t offsets = [0, 1] strides = [1, 9223372036854775807] : tensor<8x16xf32> -> tensor<8x3xf32>
  }
  tile.return
}

// -----

tile.kernel @slice_c2_count(%x: memref<?x?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %t = arith.constant dense<1.0> : tensor<8x16xf32>
    // expected-error @+1 {{slice_c2: 'strides' needs one entry for each of the 2 dimensions}}
    %u = cta.slice %t offsets = [0, 1] strides = [1] : tensor<8x16xf32> -> tensor<8x4xf32>
  }
  tile.return
}

// -----

tile.kernel @slice_c2_zero(%x: memref<?x?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %t = arith.constant dense<1.0> : tensor<8x16xf32>
    // expected-error @+1 {{slice_c2: a stride must be positive, got 0}}
    %u = cta.slice %t offsets = [0, 1] strides = [1, 0] : tensor<8x16xf32> -> tensor<8x4xf32>
  }
  tile.return
}

// -----

#linear = #cta.swizzle<linear>
tile.kernel @read_c1(%x: memref<?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %t = arith.constant dense<1.0> : tensor<16xf32>
    %s = cta.stage %t : tensor<16xf32> -> !cta.smem<16xf32, #linear>
    // expected-error @+1 {{read_c1: reads [2, 18) of dimension 0 with extent 16}}
    %u = cta.read %s offsets = [2] strides = [5] : !cta.smem<16xf32, #linear> -> tensor<4xf32>
  }
  tile.return
}

// -----

#linear = #cta.swizzle<linear>
tile.kernel @read_c2_negative(%x: memref<?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %t = arith.constant dense<1.0> : tensor<16xf32>
    %s = cta.stage %t : tensor<16xf32> -> !cta.smem<16xf32, #linear>
    // expected-error @+1 {{read_c2: a stride must be positive, got -1}}
    %u = cta.read %s offsets = [2] strides = [-1] : !cta.smem<16xf32, #linear> -> tensor<4xf32>
  }
  tile.return
}

// -----

#linear = #cta.swizzle<linear>
tile.kernel @read_c2_count(%x: memref<?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %t = arith.constant dense<1.0> : tensor<16xf32>
    %s = cta.stage %t : tensor<16xf32> -> !cta.smem<16xf32, #linear>
    // expected-error @+1 {{read_c2: 'offsets' and 'strides' need one entry for each of the 1 shared dimensions, 'dims' one for each of the 1 tile dimensions}}
    %u = cta.read %s strides = [1, 1] : !cta.smem<16xf32, #linear> -> tensor<4xf32>
  }
  tile.return
}
