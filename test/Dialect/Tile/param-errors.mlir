// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @name() {
  // expected-error @+1 {{param_c1: the name of a parameter is a letter or _, then letters, digits and _, got "B=M"}}
  %p = tile.param "B=M" : index
  tile.return
}

// -----

tile.kernel @digit() {
  // expected-error @+1 {{param_c1: the name of a parameter is a letter or _, then letters, digits and _, got "1st"}}
  %p = tile.param "1st" [1] : index
  tile.return
}

// -----

tile.kernel @nameless() {
  // expected-error @+1 {{param_c1}}
  %p = tile.param "" : index
  tile.return
}

// -----

tile.kernel @no_choice() {
  // expected-error @+1 {{param_c2: the list of choices is empty; leave it out where every positive number is a choice}}
  %p = tile.param "P" [] : index
  tile.return
}

// -----

tile.kernel @zero() {
  // expected-error @+1 {{param_c2: a choice is a positive number, at most 2147483648, got 0}}
  %p = tile.param "P" [64, 0] : index
  tile.return
}

// -----

tile.kernel @negative() {
  // expected-error @+1 {{param_c2: a choice is a positive number, at most 2147483648, got -8}}
  %p = tile.param "P" [-8] : index
  tile.return
}

// -----

tile.kernel @huge() {
  // expected-error @+1 {{param_c2: a choice is a positive number, at most 2147483648, got 9223372036854775807}}
  %p = tile.param "P" [9223372036854775807] : index
  tile.return
}

// -----

tile.kernel @repeated() {
  // expected-error @+1 {{param_c2: the choice 64 is there twice}}
  %p = tile.param "P" [64, 128, 64] : index
  tile.return
}

// -----

tile.kernel @twice() {
  // expected-note @+1 {{the other one}}
  %p = tile.param "P" [64] : index
  // expected-error @+1 {{param_c3: the kernel has a parameter "P" already}}
  %q = tile.param "P" [64] : index
  tile.return
}

// -----

tile.kernel @type() {
  // expected-error @+1 {{invalid kind of type specified: expected builtin.index, but found 'i32'}}
  %p = tile.param "P" [64] : i32
  tile.return
}

// -----

tile.kernel @in_a_grid() {
  tile.grid () = () to () step () {
    // expected-error @+1 {{'tile.param' op expects parent op 'tile.kernel'}}
    %p = tile.param "P" [64] : index
  }
  tile.return
}

// -----

tile.kernel @too_few(%x: memref<?x?xf32>) {
  %p = tile.param "P" [64] : index
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{load_c12: needs a number for each of the 2 '?' of 'tensor<?x?xf32>', got 1}}
    %t = tile.load %x[%c0, %c0] tile(%p) : memref<?x?xf32> -> tensor<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @too_many(%x: memref<?x?xf32>) {
  %p = tile.param "P" [64] : index
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{load_c12: needs a number for each of the 1 '?' of 'tensor<?x8xf32>', got 2}}
    %t = tile.load %x[%c0, %c0] tile(%p, %p) : memref<?x?xf32> -> tensor<?x8xf32>
  }
  tile.return
}

// -----

tile.kernel @none(%x: memref<?x?xf32>) {
  %p = tile.param "P" [64] : index
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{load_c12: has type 'tensor<?x?xf32>'; a tile has a static shape: load a tile of fixed extents, loads and stores stop at the end of the memref by themselves; or give each '?' by parameters (tile.param)}}
    %t = tile.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @others(%f: f32) {
  %p = tile.param "P" [64] : index
  tile.grid () = () to () step () {
    // expected-error @+1 {{broadcast_c4: has type 'tensor<?x4xf32>'; a tile has a static shape}}
    %t = tile.broadcast %f dims = [] : f32 -> tensor<?x4xf32>
  }
  tile.return
}

// -----

tile.kernel @iota() {
  %p = tile.param "P" [64] : index
  tile.grid () = () to () step () {
    // expected-error @+1 {{iota_c3: needs a number for each of the 0 '?' of 'tensor<8xi32>', got 1}}
    %t = tile.iota dim = 0 extents(%p) : tensor<8xi32>
  }
  tile.return
}

// -----

tile.kernel @extract(%i: index) {
  %p = tile.param "P" [4] : index
  tile.grid () = () to () step () {
    %x = arith.constant dense<1.0> : tensor<8xf32>
    // expected-error @+1 {{extract_c3: has type 'tensor<?xf32>'; a tile has a static shape}}
    %t = tile.extract %x[%i] : tensor<8xf32> -> tensor<?xf32>
  }
  tile.return
}

// -----

tile.kernel @clause_twice(%x: memref<?xf32>) {
  %p = tile.param "P" [64] : index
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'tile' is given twice}}
    %t = tile.load %x[%c0] tile(%p) tile(%p) : memref<?xf32> -> tensor<?xf32>
  }
  tile.return
}

// -----

// Only loads make a tile.
tile.kernel @store(%x: memref<?xf32>) {
  %p = tile.param "P" [64] : index
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%c0] tile(%p) : memref<?xf32> -> tensor<?xf32>
    // expected-error @+1 {{unknown clause 'tile'}}
    tile.store %t, %x[%c0] tile(%p) : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// Extents that are known must agree before they are bound.
tile.kernel @known(%x: memref<?x?xbf16>) {
  %p = tile.param "P" [64] : index
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] tile(%p) : memref<?x?xbf16> -> tensor<?x64xbf16>
    %b = tile.load %x[%c0, %c0] tile(%p) : memref<?x?xbf16> -> tensor<32x?xbf16>
    // expected-error @+1 {{mma_c1: K differs: 64 columns of a, 32 rows of b}}
    %d = tile.mma %a, %b : tensor<?x64xbf16>, tensor<32x?xbf16> -> tensor<?x?xf32>
  }
  tile.return
}
