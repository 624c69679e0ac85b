// RUN: tile-opt %s -split-input-file -verify-diagnostics -tile-transpose-products

tile.kernel @border_in_loop(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    scf.for %k = %c0 to %n step %c16 {
      %a = tile.load %A[%c0, %k] : memref<?x?xbf16> -> tensor<16x16xbf16>
      %b = tile.load %A[%c0, %k] : memref<?x?xbf16> -> tensor<16x64xbf16>
      // expected-error @below {{cannot be computed transposed, as tile.transposed = true demands: 'tensor.collapse_shape' takes a tile in a loop}}
      %d = tile.mma %a, %b {tile.transposed = true} : tensor<16x16xbf16>, tensor<16x64xbf16> -> tensor<16x64xf32>
      %out = tensor.collapse_shape %d [[0, 1]] : tensor<16x64xf32> into tensor<1024xf32>
      tile.store %out, %C[%k, %c0] dims = [1] : tensor<1024xf32> -> memref<?x?xf32>
    }
  }
  tile.return
}

// -----

tile.kernel @both(%A: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x16xbf16>
    %b = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x64xbf16>
    // expected-error @below {{has tile.transposed = true, but shares tiles with a product that has tile.transposed = false}}
    %d = tile.mma %a, %b {tile.transposed = true} : tensor<16x16xbf16>, tensor<16x64xbf16> -> tensor<16x64xf32>
    // expected-note @below {{this one}}
    %e = tile.mma %a, %b {tile.transposed = false} : tensor<16x16xbf16>, tensor<16x64xbf16> -> tensor<16x64xf32>
    tile.store %d, %C[%c0, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
    tile.store %e, %C[%c0, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// expected-error @below {{tile-transpose-products is for kernels at L0, this one is at phase raw}}
tile.kernel @late() attributes {phase = #tile.phase<raw>} {
  tile.return
}
