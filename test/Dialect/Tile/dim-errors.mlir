// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @unknown(%x: memref<?xf32> {tile.shape = ["N"]}) {
  // expected-error @+1 {{dim_c1: no argument of the kernel has a tile.shape with the name "M"}}
  %0 = tile.dim "M" : index
  tile.return
}

// -----

tile.kernel @number(%x: memref<?xf32> {tile.shape = [4]}) {
  // expected-error @+1 {{dim_c1: no argument of the kernel has a tile.shape with the name "4"}}
  %0 = tile.dim "4" : index
  tile.return
}

// -----

func.func @function() {
  // expected-error @+1 {{dim_c1: must be inside a tile.kernel}}
  %0 = tile.dim "M" : index
  return
}

// -----

tile.kernel @type(%x: memref<?xf32> {tile.shape = ["N"]}) {
  // expected-error @+1 {{expected builtin.index, but found 'i32'}}
  %0 = tile.dim "N" : i32
  tile.return
}

// -----

tile.kernel @not_a_name(%x: memref<?xf32> {tile.shape = ["N"]}) {
  // expected-error @+1 {{expected attribute value}}
  %0 = tile.dim N : index
  tile.return
}
