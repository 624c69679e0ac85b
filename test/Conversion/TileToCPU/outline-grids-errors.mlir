// RUN: tile-opt %s -split-input-file -verify-diagnostics -convert-tile-to-cpu

// expected-error @+1 {{is at phase 'raw': the CPU target takes tile programs; run 'convert-cta-to-tile' first}}
tile.kernel @phase() attributes {phase = #tile.phase<raw>} {
  tile.return
}

// -----

tile.kernel @store_outside(%x: memref<?xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{has side effects outside the grids of the kernel: put it in a 'tile.grid () = () to () step ()' of its own}}
  memref.store %f, %x[%c0] : memref<?xf32>
  tile.return
}

// -----

tile.kernel @load_of_written(%x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{reads memory that the kernel writes, outside its grids: load it inside the grid that uses it}}
  %n = memref.load %x[%c0] : memref<?xindex>
  tile.grid () = () to () step () {
    memref.store %n, %x[%c0] : memref<?xindex>
  }
  tile.return
}

// -----

tile.kernel @bound_from_memory(%x: memref<?xindex>, %y: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{cannot be evaluated before the launch}}
  %n = memref.load %x[%c0] : memref<?xindex>
  // expected-note @+1 {{needed by this 'tile.grid': what a launch depends on is built from arguments, sizes and constants}}
  tile.grid (%i) = (0) to (%n) step (1) {
    memref.store %i, %y[%i] : memref<?xindex>
  }
  tile.return
}

// -----

func.func private @elsewhere(index)
tile.kernel @call(%n: index) {
  tile.grid () = () to () step () {
    // expected-error @+1 {{cannot be inlined: a kernel may call private functions of this module that are not recursive}}
    func.call @elsewhere(%n) : (index) -> ()
  }
  tile.return
}

// -----

tile.kernel @float_condition(%f: f32) {
  %c0 = arith.constant 0.0 : f32
  // expected-error @+1 {{cannot be evaluated before the launch}}
  %ok = arith.cmpf ogt, %f, %c0 : f32
  // expected-note @+1 {{needed by this 'tile.assume'}}
  tile.assume %ok, "f must be positive" : i1
  tile.return
}

// -----

tile.kernel @init() {
  // expected-error @+1 {{tile.init must be a number of type 'f32', got 1 : i32}}
  %w = memref.alloc() {tile.init = 1 : i32} : memref<4xf32>
  tile.return
}
