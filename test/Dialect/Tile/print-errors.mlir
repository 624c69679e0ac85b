// RUN: tile-opt %s -split-input-file -verify-diagnostics -tile-verify

tile.kernel @large(%x: memref<?x?xf32>) {
  tile.grid () = () to () step () {
    %a = arith.constant dense<1.0> : tensor<128x64xf32>
    // expected-error @+1 {{'tile.print' op print_c1: a tile that is printed has at most 4096 elements, got 8192; print a slice of it}}
    tile.print "a" %a : tensor<128x64xf32>
  }
  tile.return
}

// -----

// The number of elements does not fit into 64 bits.
tile.kernel @huge(%x: f32) {
  tile.grid () = () to () step () {
    %t = tile.broadcast %x dims = [] : f32 -> tensor<4294967296x4294967296x2xf32>
    // expected-error @+1 {{print_c1: a tile that is printed has at most 4096 elements, got 18446744073709551615; print a slice of it}}
    tile.print "x" %t : tensor<4294967296x4294967296x2xf32>
  }
  tile.return
}

// -----

tile.kernel @memref(%x: memref<?x?xf32>) {
  tile.grid () = () to () step () {
    // expected-error @+1 {{print_c1: prints scalars and tiles of numbers, got 'memref<?x?xf32>'}}
    tile.print "x" %x : memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @text(%n: index) {
  tile.grid () = () to () step () {
    // expected-error @+1 {{print_c2: the message is one line of printable text}}
    tile.print "a\nb" %n : index
  }
  tile.return
}

// -----

tile.kernel @outside(%n: index) {
  // expected-error @+1 {{'tile.print' op}}
  tile.print "n" %n : index
  tile.return
}
