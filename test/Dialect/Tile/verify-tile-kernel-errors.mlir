// RUN: tile-opt %s -tile-verify -split-input-file -verify-diagnostics -allow-unregistered-dialect

// The body of a kernel.

tile.kernel @phase() attributes {phase = #tile.phase<raw>} { // expected-error {{tile-verify is for kernels at L0, this one is at phase raw}}
  tile.return
}

// -----

tile.kernel @access(%A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{must stand inside a tile.grid: the body of a kernel only says what is launched}}
  %0 = tile.load %A[%c0] : memref<?xf32> -> tensor<8xf32>
  %value = arith.constant 1.0 : f32
  // expected-error @+1 {{must stand inside a tile.grid}}
  memref.store %value, %A[%c0] : memref<?xf32>
  // expected-error @+1 {{must stand inside a tile.grid}}
  scf.for %i = %c0 to %c0 step %c0 {
  }
  // expected-error @+1 {{the launcher frees workspace}}
  memref.dealloc %A : memref<?xf32>
  tile.return
}

// -----

tile.kernel @constant_outside() {
  // expected-error @+1 {{makes a tile outside the grids; tiles may not cross the border of a tile.grid: move it inside}}
  %0 = arith.constant dense<1.0> : tensor<8xf32>
  tile.return
}

// -----

tile.kernel @workspace_layout(%n: index) {
  // expected-error @+1 {{workspace has no offset, and strides of at least 1}}
  %0 = memref.alloc(%n) : memref<4x?xf32, strided<[0, 4]>>
  // expected-error @+1 {{workspace has no offset, and strides of at least 1}}
  %1 = memref.alloc() : memref<4x8xf32, strided<[8, 1], offset: 2>>
  tile.return
}

// -----

tile.kernel @workspace_init(%n: index) {
  // expected-error @+1 {{has tile.init = 0 : i64; it must be a number of type 'f32'}}
  %0 = memref.alloc(%n) {tile.init = 0} : memref<?xf32>
  tile.return
}

// -----

tile.kernel @workspace_restored(%n: index) {
  // expected-error @+1 {{has tile.restored, which says that the kernel leaves it filled with tile.init, but no tile.init}}
  %0 = memref.alloc(%n) {tile.restored} : memref<?xf32>
  tile.return
}

// -----

tile.kernel @workspace_space() {
  // expected-error @+1 {{with memory space 3 : i64; the language knows global memory only}}
  %0 = memref.alloc() : memref<8xf32, 3>
  tile.return
}

// -----

tile.kernel @workspace_size(%x: f32) {
  // expected-note @+1 {{this op}}
  %n = arith.fptosi %x : f32 to i64
  %i = arith.index_cast %n : i64 to index
  // expected-error @+1 {{a size of the workspace depends on arith.fptosi, which the launcher cannot compute; use arguments, tile.dim, integer arith and affine}}
  %0 = memref.alloc(%i) : memref<?xf32>
  tile.return
}

// -----

tile.kernel @bound(%n: index) {
  // expected-note @+1 {{this op}}
  %m = math.ctlz %n : index
  // expected-error @+1 {{a bound or step of the grid depends on math.ctlz, which the launcher cannot compute}}
  tile.grid (%i) = (0) to (%m) step (1) {
  }
  tile.return
}

// -----

tile.kernel @condition(%x: f32) {
  %zero = arith.constant 0.0 : f32
  // expected-note @+1 {{this op}}
  %c = arith.cmpf ogt, %x, %zero : f32
  // expected-error @+1 {{the condition depends on arith.cmpf, which the launcher cannot compute}}
  tile.assume %c, "x must be positive" : i1
  tile.return
}

// -----

tile.kernel @guard_of_no_variant(%c: i1) {
  // expected-error @+1 {{is a guard, but the kernel is no variant of another (variant_of): there is no next one to try; leave out 'guard' to refuse the launch}}
  tile.assume guard %c, "c" : i1
  tile.return
}

// -----

tile.kernel @view_size(%A: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %v = memref.subview %A[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  // expected-note @+1 {{this op}}
  %d = memref.dim %v, %c0 : memref<?xf32, strided<[1]>>
  // expected-error @+1 {{a bound or step of the grid depends on the size of a view; take the size of its root}}
  tile.grid (%i) = (0) to (%d) step (1) {
  }
  tile.return
}

// -----

tile.kernel @choice(%A: memref<?xf32>, %c: i1) {
  // expected-error @+1 {{chooses between memrefs}}
  %v = arith.select %c, %A, %A : memref<?xf32>
  tile.return
}

// -----

tile.kernel @other_dialect() {
  // expected-error @+1 {{is not part of the tile language: docs/Language.md lists the ops}}
  "my.op"() : () -> ()
  tile.return
}

// -----

tile.kernel @zero_step(%A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{has the step 0; a step must be at least 1}}
  tile.grid (%i) = (0) to (8) step (%c0) {
  }
  tile.return
}
