// RUN: tile-opt %s -tile-verify -split-input-file -verify-diagnostics

// Without parameters there is no `?`.
tile.kernel @no_parameter(%x: memref<?xf32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{only extents that parameters give (tile.param) may be '?'}}
    %t = tile.load %x[%c0] tile(%n) : memref<?xf32> -> tensor<?xf32>
  }
  tile.return
}

// -----

// expected-note @+1 {{it depends on this}}
tile.kernel @size(%x: memref<?xf32>, %n: index) {
  %p = tile.param "P" [64] : index
  %extent = arith.minsi %n, %p : index
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{has an extent that parameters alone do not give}}
    %t = tile.load %x[%c0] tile(%extent) : memref<?xf32> -> tensor<?xf32>
  }
  tile.return
}

// -----

tile.kernel @dim(%x: memref<?xf32> {tile.shape = ["N"]}, %f: f32) {
  %p = tile.param "P" [64] : index
  // expected-note @+1 {{it depends on this}}
  %n = tile.dim "N" : index
  tile.grid () = () to () step () {
    // expected-error @+1 {{has an extent that parameters alone do not give}}
    %t = tensor.splat %f[%n] : tensor<?xf32>
  }
  tile.return
}

// -----

tile.kernel @coordinate(%f: f32) {
  %p = tile.param "P" [64] : index
  // expected-note @+1 {{it depends on this}}
  tile.grid (%i) = (0) to (1000) step (%p) {
    // expected-error @+1 {{has an extent that parameters alone do not give}}
    %t = tile.iota dim = 0 extents(%i) : tensor<?xi32>
  }
  tile.return
}

// -----

tile.kernel @slice(%x: memref<?xf32>) {
  %p = tile.param "P" [64] : index
  tile.grid (%i) = (0) to (1000) step (%p) {
    %t = tile.load %x[%i] tile(%p) : memref<?xf32> -> tensor<?xf32>
    // expected-error @+1 {{has dynamic offsets, sizes or strides}}
    %s = tensor.extract_slice %t[%i] [%p] [1] : tensor<?xf32> to tensor<?xf32>
  }
  tile.return
}

// -----

// The rules of tiles hold.
tile.kernel @rank(%f: f32) {
  %p = tile.param "P" [64] : index
  tile.grid () = () to () step () {
    // expected-error @+1 {{of rank 5; a tile has rank 0 to 4}}
    %t = tensor.splat %f[%p] : tensor<?x1x1x1x1xf32>
  }
  tile.return
}

// -----

tile.kernel @way(%x: memref<?xf32> {tile.shape = ["N"]}, %c: i1) {
  %p = tile.param "P" [64] : index
  %n = tile.dim "N" : index
  // expected-error @+1 {{chooses between grids by something else than parameters (tile.param)}}
  scf.if %c {
    tile.grid (%i) = (0) to (%n) step (%p) {
    }
  }
  tile.return
}

// -----

tile.kernel @way_without_parameters(%x: memref<?xf32> {tile.shape = ["N"]}, %c: i1) {
  // expected-error @+1 {{chooses between grids by something else than parameters (tile.param)}}
  scf.if %c {
    tile.grid (%i) = (0) to (8) step (8) {
    }
  }
  tile.return
}

// -----

tile.kernel @loop(%x: memref<?xf32>) {
  %p = tile.param "P" [64] : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{must stand inside a tile.grid}}
  scf.for %i = %c0 to %p step %c1 {
  }
  tile.return
}

// -----

tile.kernel @step(%x: memref<?xf32>) {
  %p = tile.param "P" [64] : index
  %d = arith.constant 2.0 : f32
  %e = math.exp %d : f32
  // expected-note @+1 {{this op}}
  %f = arith.fptosi %e : f32 to i64
  %s = arith.index_cast %f : i64 to index
  // expected-error @+1 {{a bound or step of the grid depends on arith.fptosi, which the launcher cannot compute}}
  tile.grid (%i) = (0) to (1000) step (%s) {
  }
  tile.return
}
