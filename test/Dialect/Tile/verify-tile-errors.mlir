// RUN: tile-opt %s -tile-verify -split-input-file -verify-diagnostics -allow-unregistered-dialect

tile.kernel @matmul(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{is not part of the tile language: use tile.mma}}
    %0 = linalg.matmul ins(%m, %m : tensor<8x8xf32>, tensor<8x8xf32>) outs(%m : tensor<8x8xf32>) -> tensor<8x8xf32>
  }
  tile.return
}

// -----

tile.kernel @fill(%f: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{use arith.constant dense<...> or tensor.splat}}
    %0 = linalg.fill ins(%f : f32) outs(%m : tensor<8x8xf32>) -> tensor<8x8xf32>
  }
  tile.return
}

// -----

tile.kernel @transpose(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{use tile.transpose}}
    %0 = linalg.transpose ins(%m : tensor<8x8xf32>) outs(%m : tensor<8x8xf32>) permutation = [1, 0]
  }
  tile.return
}

// -----

tile.kernel @elementwise(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{use arith on tiles, tile.broadcast, tile.reduce and tile.mma}}
    %0 = linalg.exp ins(%m : tensor<8x8xf32>) outs(%m : tensor<8x8xf32>) -> tensor<8x8xf32>
  }
  tile.return
}

// -----

tile.kernel @empty(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{'tensor.empty' op is not part of the tile language: use arith.constant dense<...> or tensor.splat}}
    %0 = tensor.empty() : tensor<8xf32>
  }
  tile.return
}

// -----

tile.kernel @insert(%f: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{tiles are built whole: use tensor.concat}}
    %0 = tensor.insert %f into %m[%i, %i] : tensor<8x8xf32>
  }
  tile.return
}

// -----

tile.kernel @insert_slice(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{tiles are built whole}}
    %0 = tensor.insert_slice %m into %m[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x8xf32>
  }
  tile.return
}

// -----

tile.kernel @pad(%f: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{use the 'pad' of tile.load}}
    %0 = tensor.pad %m low[0, 0] high[1, 1] {
    ^bb0(%a: index, %b: index):
    tensor.yield %f : f32
    } : tensor<8x8xf32> to tensor<9x9xf32>
  }
  tile.return
}

// -----

tile.kernel @cast(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{tiles have static shapes}}
    %0 = tensor.cast %m : tensor<8x8xf32> to tensor<?x8xf32>
  }
  tile.return
}

// -----

tile.kernel @forall(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{blocks are the points of tile.grid; use scf.for for a loop}}
    scf.forall (%j) in (8) {
    }
  }
  tile.return
}

// -----

tile.kernel @execute(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{inline its region}}
    scf.execute_region {
    scf.yield
    }
  }
  tile.return
}

// -----

tile.kernel @alloc(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{must stand in the body of the kernel, outside the grids: workspace is one buffer for all blocks}}
    %0 = memref.alloc() : memref<8xf32>
  }
  tile.return
}

// -----

tile.kernel @copy(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{use tile.load and tile.store in a grid}}
    memref.copy %A, %A : memref<?x?xf32> to memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @atomic(%A: memref<?x?xf32>, %n: index, %c: i1, %f: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{atomics on memrefs are not yet supported}}
    %0 = memref.atomic_rmw addf %f, %A[%i, %i] : (f32, memref<?x?xf32>) -> f32
  }
  tile.return
}

// -----

func.func private @helper() {
  return
}

tile.kernel @call(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{run the inliner first (--inline)}}
    func.call @helper() : () -> ()
  }
  tile.return
}

// -----

tile.kernel @affine_for(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{use scf.for}}
    affine.for %j = 0 to 8 {
    }
  }
  tile.return
}

// -----

tile.kernel @affine_load(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{use memref.load for a scalar, tile.load for a tile}}
    %0 = affine.load %A[%n, %n] : memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @cast_left_over(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{finish the conversion that left it}}
    %0 = builtin.unrealized_conversion_cast %n : index to i64
  }
  tile.return
}

// -----

tile.kernel @vector(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{has type 'vector<8xf32>'; values are tiles, memrefs, and scalars of f64 f32 f16 bf16 i64 i32 i16 i8 i1 index; tiles are tensors}}
    %0 = arith.constant dense<1.0> : vector<8xf32>
  }
  tile.return
}

// -----

tile.kernel @unregistered(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{docs/Language.md lists the ops}}
    "my.op"() : () -> ()
  }
  tile.return
}

// -----

tile.kernel @dynamic(%x: memref<?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{has type 'tensor<?xf32>'; a tile has a static shape: load a tile of fixed extents}}
    %0 = tile.load %x[%i] : memref<?xf32> -> tensor<?xf32>
  }
  tile.return
}

// -----

tile.kernel @encoding(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{a tile of the language has no encoding}}
    %0 = arith.constant dense<1.0> : tensor<8xf32, "shared">
  }
  tile.return
}

// -----

tile.kernel @rank_5(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{of rank 5; a tile has rank 0 to 4}}
    %0 = arith.constant dense<1.0> : tensor<1x1x1x1x1xf32>
  }
  tile.return
}

// -----

tile.kernel @no_elements(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{the extents of a tile are at least 1}}
    %0 = arith.constant dense<> : tensor<0xf32>
  }
  tile.return
}

// -----

tile.kernel @f8(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{floats of 8 bits and less are not yet supported}}
    %0 = arith.truncf %m : tensor<8x8xf32> to tensor<8x8xf8E4M3FN>
  }
  tile.return
}

// -----

tile.kernel @f4(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{floats of 8 bits and less are not yet supported}}
    %0 = arith.truncf %m : tensor<8x8xf32> to tensor<8x8xf4E2M1FN>
  }
  tile.return
}

// -----

tile.kernel @i4(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{integers of less than 8 bits (but i1) are not yet supported}}
    %0 = arith.constant dense<1> : tensor<8xi4>
  }
  tile.return
}

// -----

tile.kernel @i7(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{the elements of a tile are f64 f32 f16 bf16 i64 i32 i16 i8 i1 index}}
    %0 = arith.constant dense<1> : tensor<8xi7>
  }
  tile.return
}

// -----

tile.kernel @tf32(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{tf32 is a precision of tile.mma on f32}}
    %0 = arith.truncf %m : tensor<8x8xf32> to tensor<8x8xtf32>
  }
  tile.return
}

// -----

tile.kernel @complex(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{complex numbers are pairs of tiles, real and imaginary}}
    %0 = arith.constant dense<(1.0, 2.0)> : tensor<8xcomplex<f32>>
  }
  tile.return
}

// -----

tile.kernel @signed(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{integers are signless, ops are signed or unsigned}}
    %0 = arith.constant dense<1> : tensor<8xsi32>
  }
  tile.return
}

// -----

tile.kernel @scalar_f8(%f: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{has type 'f8E5M2'; values are tiles, memrefs, and scalars}}
    %0 = arith.truncf %f : f32 to f8E5M2
  }
  tile.return
}

// -----

tile.kernel @i128(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{has type 'i128'; values are tiles, memrefs, and scalars}}
    %0 = arith.constant 1 : i128
  }
  tile.return
}

// -----

tile.kernel @loop_type() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{docs/Language.md lists the ops}}
    %d = "my.tile"() : () -> tensor<?xf32>
    // expected-error @+1 {{has type 'tensor<?xf32>'; a tile has a static shape}}
    %0 = scf.for %j = %i to %i step %i iter_args(%t = %d) -> (tensor<?xf32>) {
    scf.yield %t : tensor<?xf32>
    }
  }
  tile.return
}

// -----

tile.kernel @extract(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{reads one element of a tile: use tile.reduce to make a tile of rank 0, or memref.load}}
    %0 = tensor.extract %m[%i, %i] : tensor<8x8xf32>
  }
  tile.return
}

// -----

tile.kernel @dynamic_slice(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{has dynamic offsets, sizes or strides; a slice of a tile is static}}
    %0 = tensor.extract_slice %m[%i, 0] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @strided_slice(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{has a stride that is not positive; the language has no reversal}}
    %0 = tensor.extract_slice %m[7, 0] [4, 4] [-2, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  }
  tile.return
}

// -----

tile.kernel @resource() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{must be a dense constant}}
    %0 = arith.constant dense_resource<blob> : tensor<2xi32>
  }
  tile.return
}

// -----

tile.kernel @choose(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{chooses between memrefs; the root of every access is known at compile time}}
    %0 = arith.select %c, %A, %A : memref<?x?xf32>
  }
  tile.return
}

// -----

tile.kernel @choose_if(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{chooses between memrefs}}
    %0 = scf.if %c -> memref<?x?xf32> {
    scf.yield %A : memref<?x?xf32>
    } else {
    scf.yield %A : memref<?x?xf32>
    }
  }
  tile.return
}

// -----

tile.kernel @unsigned_loop(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{compares unsigned; loops of the language are signed}}
    scf.for unsigned %j = %n to %n step %n {
    }
  }
  tile.return
}

// -----

tile.kernel @dynamic_splat(%f: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{has type 'tensor<?xf32>'; a tile has a static shape}}
    %0 = tensor.splat %f[%i] : tensor<?xf32>
  }
  tile.return
}

// -----

tile.kernel @nested(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    scf.if %c {
    scf.for %j = %n to %n step %n {
    // expected-error @+1 {{use tile.mma}}
    %0 = linalg.matmul ins(%m, %m : tensor<8x8xf32>, tensor<8x8xf32>) outs(%m : tensor<8x8xf32>) -> tensor<8x8xf32>
    }
    }
  }
  tile.return
}

// -----

// The body of a kernel.

tile.kernel @phase() attributes {phase = #tile.phase<raw>} { // expected-error {{tile-verify is for kernels at L0, this one is at phase raw}}
  tile.return
}

// -----

tile.kernel @access(%A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{must stand inside a tile.grid: the body of a kernel only says what is launched}}
  %0 = tile.load %A[%c0] : memref<?xf32> -> tensor<8xf32>
  // expected-error @+1 {{must stand inside a tile.grid}}
  %1 = memref.load %A[%c0] : memref<?xf32>
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

tile.kernel @workspace_constant() {
  %n = arith.constant 8 : index
  // expected-error @+1 {{has a constant size; write it in the type, since canonicalize would lose tile.init}}
  %0 = memref.alloc(%n) {tile.init = 0.0 : f32} : memref<?xf32>
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

// All errors of a kernel are reported, not only the first one.
tile.kernel @several() {
  tile.grid () = () to () step () {
    // expected-error @+1 {{not part of the tile language}}
    %0 = tensor.empty() : tensor<8xf32>
    // expected-error @+1 {{not yet supported}}
    %1 = arith.constant dense<1> : tensor<8xi4>
  }
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

// -----

// Demands that nobody would look at.
tile.kernel @demands(%A: memref<?x?xf16>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{demands 'wgmma', which says nothing about it; it may demand tma, pipelined, peeled}}
    %a = tile.load %A[%c0, %c0] require = [tma, wgmma] : memref<?x?xf16> -> tensor<64x64xf16>
    // expected-error @+1 {{demands 'tma', which says nothing about it; it may demand wgmma}}
    %d = tile.mma %a, %a {require = #tile.require<[tma]>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    // expected-error @+1 {{demands 'pipelined', which says nothing about it; it may demand tma}}
    tile.store %a, %A[%c0, %c0] require = [pipelined] : tensor<64x64xf16> -> memref<?x?xf16>
  }
  tile.return
}
