// RUN: tile-opt %s --split-input-file --verify-diagnostics --convert-tile-to-cta

// expected-error @+1 {{convert-tile-to-cta needs a kernel in phase L0 (no phase), but this one is in phase raw; run the passes in the order of the pipeline}}
tile.kernel @twice() attributes {phase = #tile.phase<raw>} {
  tile.return
}

// -----

tile.kernel @pieces() {
  tile.grid () = () to () step () {
    %a = arith.constant dense<1.0> : tensor<8x16xf32>
    %b = arith.constant dense<1.0> : tensor<16x8xf32>
    // expected-error @+1 {{has 'accumulate_every', which tile-expand-ops writes as several products; run it first}}
    %d = tile.mma %a, %b accumulate_every = 8 : tensor<8x16xf32>, tensor<16x8xf32> -> tensor<8x8xf32>
  }
  tile.return
}

// -----

tile.kernel @dynamic(%X: memref<?xf32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%c0] : memref<?xf32> -> tensor<16xf32>
    // expected-error @+1 {{slices a tile at dynamic offsets or sizes; only static ones are supported: load the part from memory instead}}
    %t = tensor.extract_slice %x[%n] [4] [1] : tensor<16xf32> to tensor<4xf32>
    tile.store %t, %X[%c0] : tensor<4xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

tile.kernel @reversed(%X: memref<?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%c0] : memref<?xf32> -> tensor<16xf32>
    // expected-error @+1 {{slices a tile with strides that are dynamic or not positive}}
    %t = tensor.extract_slice %x[15] [8] [-1] : tensor<16xf32> to tensor<8xf32>
    tile.store %t, %X[%c0] : tensor<8xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

tile.kernel @element(%X: memref<?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%c0] : memref<?xf32> -> tensor<16xf32>
    // expected-error @+1 {{takes an element of a tile of rank 1; only tiles of rank 0 have scalars: reduce the tile to rank 0 first, or memref.load the element}}
    %t = tensor.extract %x[%c0] : tensor<16xf32>
    memref.store %t, %X[%c0] : memref<?xf32>
  }
  tile.return
}

// -----

tile.kernel @pad(%X: memref<?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %f = arith.constant 0.0 : f32
    %x = tile.load %X[%c0] : memref<?xf32> -> tensor<16xf32>
    // expected-error @+1 {{'tensor.pad' op is not an op of the tile language}}
    %t = tensor.pad %x low[0] high[16] {
    ^bb0(%i: index):
      tensor.yield %f : f32
    } : tensor<16xf32> to tensor<32xf32>
    tile.store %t, %X[%c0] : tensor<32xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// expected-error @below {{has warpgroups = 1, but its plan says 2}}
tile.kernel @plan() attributes {warpgroups = 1, plan = #cta.plan<warpgroups = 2>} {
  tile.return
}
