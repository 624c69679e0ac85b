// RUN: tile-opt %s -tile-verify -split-input-file -verify-diagnostics -allow-unregistered-dialect

// Ops that are not of the language, and what is wrong with those that are.

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
    // expected-error @+1 {{use tile.insert for a slice in place, or tensor.concat}}
    %0 = tensor.insert %f into %m[%i, %i] : tensor<8x8xf32>
  }
  tile.return
}

// -----

tile.kernel @insert_slice(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{use tile.insert for a slice in place}}
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
    // expected-error @+1 {{each block is one point of a tile.grid; use scf.for for a loop}}
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
    // expected-error @+1 {{use tile.atomic}}
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

tile.kernel @unregistered(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{docs/Language.md lists the ops}}
    "my.op"() : () -> ()
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

// Demands that no pass would read.
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

// -----

// What is not known to be deterministic, where that is demanded.
tile.kernel @atomic(%A: memref<?xf32>, %f: f32) attributes {require = #tile.require<[deterministic]>} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0] : memref<?xf32> -> tensor<8xf32>
    tile.store %x, %A[%c0] : tensor<8xf32> -> memref<?xf32>
    memref.store %f, %A[%c0] : memref<?xf32>
    // expected-error @+1 {{may leave other bits each time, as 'require = [deterministic]' forbids: it is not known to write the same in every order of blocks}}
    %y = memref.atomic_rmw addf %f, %A[%c0] : (f32, memref<?xf32>) -> f32
  }
  tile.return
}

// -----

tile.kernel @loops(%n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i0 = %c0 to %n step %c1 {
    scf.for %i1 = %c0 to %n step %c1 {
    scf.for %i2 = %c0 to %n step %c1 {
    scf.for %i3 = %c0 to %n step %c1 {
    scf.for %i4 = %c0 to %n step %c1 {
    scf.for %i5 = %c0 to %n step %c1 {
    scf.for %i6 = %c0 to %n step %c1 {
    scf.for %i7 = %c0 to %n step %c1 {
    scf.for %i8 = %c0 to %n step %c1 {
    scf.for %i9 = %c0 to %n step %c1 {
    scf.for %i10 = %c0 to %n step %c1 {
    scf.for %i11 = %c0 to %n step %c1 {
    scf.for %i12 = %c0 to %n step %c1 {
    scf.for %i13 = %c0 to %n step %c1 {
    scf.for %i14 = %c0 to %n step %c1 {
    scf.for %i15 = %c0 to %n step %c1 {
    // expected-error @+1 {{is nested in 16 other loops, which is the limit: analyses of loops take twice the time for each level; make one loop of several}}
    scf.for %i16 = %c0 to %n step %c1 {
    }}}}}}}}}}}}}}}}}
  }
  tile.return
}
