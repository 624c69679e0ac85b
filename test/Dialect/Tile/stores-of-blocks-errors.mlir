// RUN: tile-opt %s -tile-verify -split-input-file -verify-diagnostics

// Stores of which neighbouring blocks write the same elements: errors if each launch has the race, or if the step is known; else warnings.

tile.kernel @one_dimension(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %n = tile.dim "N" : index
  // expected-note @+1 {{dimension 0 of this grid has the step 1000}}
  tile.grid (%i) = (0) to (%n) step (1000) {
    %t = tile.load %x[%i] : memref<?xf32> -> tensor<1024xf32>
    // expected-error @+1 {{writes 1024 elements of %y in dimension 0, but the next block along dimension 0 of the grid begins 1000 elements further: both write the elements between, which is a race; let the grid have a step of at least 1024, or give the store a limit where the next block begins}}
    tile.store %t, %y[%i] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// The rows are apart, the columns are not.
tile.kernel @two_dimensions(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  // expected-note @+1 {{dimension 1 of this grid has the step 100}}
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 100) {
    %t = tile.load %x[%i, %j] : memref<?x?xf32> -> tensor<64x128xf32>
    // expected-error @+1 {{writes 128 elements of %y in dimension 1, but the next block along dimension 1 of the grid begins 100 elements further}}
    tile.store %t, %y[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// `dims` says which dimension of the memref the 128 elements are in.
tile.kernel @transposed(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  // expected-note @+1 {{dimension 0 of this grid has the step 64}}
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 128) {
    %t = tile.load %x[%i, %j] : memref<?x?xf32> -> tensor<64x128xf32>
    // expected-error @+1 {{writes 128 elements of %y in dimension 0, but the next block along dimension 0 of the grid begins 64 elements further: both write the elements between, which is a race; let the grid have a step of at least 128}}
    tile.store %t, %y[%i, %j] dims = [1, 0] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// A coordinate that is computed: 500 elements for each step.
tile.kernel @computed(%y: memref<?xf32>, %n: index) {
  %c5 = arith.constant 5 : index
  // expected-note @+1 {{dimension 0 of this grid has the step 100}}
  tile.grid (%i) = (0) to (%n) step (100) {
    %t = arith.constant dense<1.0> : tensor<512xf32>
    %c7 = arith.constant 7 : index
    %wide = arith.muli %c5, %i : index
    %small = arith.index_cast %wide : index to i64
    %back = arith.index_cast %small : i64 to index
    %at = arith.subi %back, %c7 : index
    // expected-error @+1 {{writes 512 elements of %y in dimension 0, but the next block along dimension 0 of the grid begins 500 elements further: both write the elements between, which is a race; let the grid have a step of at least 103}}
    tile.store %t, %y[%at] : tensor<512xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// The linear part of a map, a coordinate that falls, a sum in which the coordinate cancels.
tile.kernel @maps(%y: memref<?xf32>, %z: memref<?xf32>, %w: memref<?xf32>, %n: index) {
  // expected-note @+1 {{this grid has the step 10}}
  tile.grid (%i) = (0) to (%n) step (10) {
    %t = arith.constant dense<1.0> : tensor<32xf32>
    %a = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 floordiv 4 + 1)>(%i)[%n]
    // expected-error @+1 {{writes 32 elements of %y in dimension 0, but the next block along dimension 0 of the grid begins 30 elements further}}
    tile.store %t, %y[%a] : tensor<32xf32> -> memref<?xf32>
    %b = arith.subi %n, %i : index
    // expected-error @+1 {{writes 32 elements of %z in dimension 0, but the next block along dimension 0 of the grid begins 10 elements away: both write the elements between, which is a race; let the grid have a step of at least 32}}
    tile.store %t, %z[%b] : tensor<32xf32> -> memref<?xf32>
    %c = arith.addi %b, %i : index
    // expected-warning @+1 {{writes the same elements of %w in all blocks along dimension 0 of the grid, which is a race as soon as the grid has two blocks along dimension 0: no coordinate of the store changes along dimension 0; make one depend on it, or store where scf.if chooses one block}}
    tile.store %t, %w[%c] : tensor<32xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// Each block along the second dimension writes the whole result. One message, though the third
// dimension races, too.
tile.kernel @not_separated(%y: memref<?xf32>, %m: index, %n: index) {
  // expected-note @+1 {{dimension 1 of this grid has the step 32}}
  tile.grid (%i, %j, %k) = (0, 0, 0) to (%m, %n, 2) step (64, 32, 1) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    // expected-warning @+1 {{writes the same elements of %y in all blocks along dimension 1 of the grid, which is a race as soon as the grid has two blocks along dimension 1: no coordinate of the store changes along dimension 1}}
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// Iterations of loops are compared that have the same number. Loops may begin where their block does.
tile.kernel @loops(%y: memref<?x?xf32>, %z: memref<?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  // expected-note @+1 {{this grid has the step 16}}
  tile.grid (%i) = (0) to (%m) step (16) {
    %t = arith.constant dense<1.0> : tensor<32x8xf32>
    %s = arith.constant dense<1.0> : tensor<32xf32>
    scf.for %j = %c0 to %n step %c8 {
      // expected-warning @+1 {{both write the elements between, which is a race as soon as the grid has two blocks along dimension 0 and the loops around the store run; let the grid}}
      tile.store %t, %y[%i, %j] : tensor<32x8xf32> -> memref<?x?xf32>
    }
    %end = arith.addi %i, %c64 : index
    scf.for %j = %i to %end step %c8 {
      // expected-error @+1 {{writes 32 elements of %z in dimension 0}}
      tile.store %s, %z[%j] : tensor<32xf32> -> memref<?xf32>
    }
  }
  tile.return
}

// -----

// Scalars have extent 1; workspace; a view that all blocks share; tiles with fewer dimensions.
tile.kernel @others(%y: memref<?xf32>, %n: index) {
  %w = memref.alloc(%n) : memref<4x?xf32>
  // expected-note @+1 {{this grid has the step 1}}
  tile.grid (%i) = (0) to (%n) step (1) {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %one = arith.constant 1.0 : f32
    // expected-warning @+1 {{'memref.store' op writes the same elements of %y in all blocks along dimension 0 of the grid}}
    memref.store %one, %y[%c0] : memref<?xf32>
    %t = arith.constant dense<1.0> : tensor<2xf32>
    %v = memref.subview %w[%c3, 0] [1, %n] [1, 1] : memref<4x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    // expected-error @+1 {{'tile.store' op writes 2 elements of the workspace in dimension 1, but the next block along dimension 0 of the grid begins 1 element further}}
    tile.store %t, %v[%c0, %i] : tensor<2xf32> -> memref<1x?xf32, strided<[?, 1], offset: ?>>
    %s = arith.constant dense<1.0> : tensor<f32>
    // expected-warning @+1 {{'tile.store' op writes the same elements of the workspace}}
    tile.store %s, %w[%c0, %c3] : tensor<f32> -> memref<4x?xf32>
  }
  tile.return
}

// -----

// A static size that does not hide it: the second block begins inside.
tile.kernel @static_size(%y: memref<1500xf32>) {
  // expected-note @+1 {{this grid has the step 1000}}
  tile.grid (%i) = (0) to (1500) step (1000) {
    %t = arith.constant dense<1.0> : tensor<1024xf32>
    // expected-error @+1 {{writes 1024 elements of %y in dimension 0}}
    tile.store %t, %y[%i] : tensor<1024xf32> -> memref<1500xf32>
  }
  // Boxes that begin before the array, and end in it.
  // expected-note @+1 {{this grid has the step 500}}
  tile.grid (%i) = (-1000) to (0) step (500) {
    %t = arith.constant dense<1.0> : tensor<1024xf32>
    // expected-error @+1 {{writes 1024 elements of %y in dimension 0}}
    tile.store %t, %y[%i] : tensor<1024xf32> -> memref<1500xf32>
  }
  tile.return
}

// -----

// Where the first block begins is not known, or how long the array is at most.
tile.kernel @places(%y: memref<1000xf32>, %z: memref<?xf32> {tile.size_max = array<i64: 1000>}, %n: index, %base: index) {
  // expected-note @+1 {{this grid has the step 500}}
  tile.grid (%i) = (0) to (%n) step (500) {
    %t = arith.constant dense<1.0> : tensor<1024xf32>
    %at = arith.addi %i, %base : index
    // expected-warning @+1 {{which is a race as soon as the grid has two blocks along dimension 0 and %y has these elements; let}}
    tile.store %t, %y[%at] : tensor<1024xf32> -> memref<1000xf32>
    // expected-warning @+1 {{and %z has these elements; let}}
    tile.store %t, %z[%at] : tensor<1024xf32> -> memref<?xf32>
    // expected-error @+1 {{which is a race; let}}
    tile.store %t, %z[%i] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// No coordinate changes, and each launch has several blocks: an error if the elements are there for sure.
tile.kernel @always(%y: memref<64xf32>, %z: memref<?xf32>, %s: memref<?xf32>, %m: index, %n: index) {
  tile.assume %n {min = 33} : index
  // expected-note @+1 {{this grid has the step 32}}
  tile.grid (%i) = (0) to (%n) step (32) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<64xf32>
    %one = arith.constant 1.0 : f32
    // expected-error @+1 {{writes the same elements of %y in all blocks along dimension 0 of the grid, which is a race: no coordinate}}
    tile.store %t, %y[%c0] : tensor<64xf32> -> memref<64xf32>
    // expected-warning @+1 {{writes the same elements of %z in all blocks along dimension 0 of the grid, which is a race as soon as %z has these elements: no coordinate}}
    tile.store %t, %z[%c0] : tensor<64xf32> -> memref<?xf32>
    // expected-error @+1 {{writes the same elements of %s}}
    memref.store %one, %s[%n] : memref<?xf32>
  }
  // The other dimension may have no block.
  // expected-note @+1 {{this grid has the step 32}}
  tile.grid (%i, %j) = (0, 0) to (%n, %m) step (32, 1) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    // expected-warning @+1 {{which is a race as soon as the grid has two blocks along dimension 0: no coordinate of the store changes along dimension 0}}
    tile.store %t, %y[%j] : tensor<64xf32> -> memref<64xf32>
  }
  tile.return
}

// -----

// Narrow integers wrap around; those that are known to fit do not, nor do those that are equal in both blocks.
tile.kernel @wrap(%y: memref<?xf32>, %n: index, %few: index, %k: i32) {
  tile.assume %few {min = 0, max = 1000} : index
  // expected-note @+1 {{this grid has the step 8}}
  tile.grid (%i) = (0) to (%n) step (8) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    %word = arith.index_cast %i : index to i32
    %signed = arith.index_cast %word : i32 to index
    // expected-warning @+1 {{as soon as the grid has two blocks along dimension 0 and no narrow integer wraps around on the way to a coordinate; let}}
    tile.store %t, %y[%signed] : tensor<64xf32> -> memref<?xf32>
    %long = arith.index_cast %i : index to i64
    %short = arith.trunci %long : i64 to i16
    %wide = arith.extui %short : i16 to i64
    %unsigned = arith.index_castui %wide : i64 to index
    // expected-warning @+1 {{and no narrow integer wraps around}}
    tile.store %t, %y[%unsigned] : tensor<64xf32> -> memref<?xf32>
    %zero = arith.subi %signed, %i : index
    // expected-warning @+1 {{writes the same elements of %y in all blocks along dimension 0 of the grid, which is a race as soon as the grid has two blocks along dimension 0 and no narrow integer wraps around on the way to a coordinate: no coordinate}}
    tile.store %t, %y[%zero] : tensor<64xf32> -> memref<?xf32>
    %twice = arith.addi %k, %k : i32
    %same = arith.index_cast %twice : i32 to index
    %at = arith.addi %i, %same : index
    // expected-error @+1 {{which is a race; let}}
    tile.store %t, %y[%at] : tensor<64xf32> -> memref<?xf32>
  }
  // expected-note @+1 {{this grid has the step 8}}
  tile.grid (%i) = (0) to (%few) step (8) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    %word = arith.index_cast %i : index to i32
    %unsigned = arith.index_castui %word : i32 to index
    // expected-error @+1 {{which is a race; let}}
    tile.store %t, %y[%unsigned] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// A step that is not known is at least 1.
tile.kernel @step(%y: memref<?xf32>, %n: index, %step: index) {
  // expected-note @+1 {{dimension 0 of this grid has the step that this op has as an operand}}
  tile.grid (%i) = (0) to (%n) step (%step) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    // expected-warning @+1 {{'tile.store' op writes 64 elements of %y in dimension 0; that is a race unless dimension 0 of the grid has a step of at least 64, which is not known: say so with tile.assume, or give the store a limit where the next block begins}}
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// Promises that are not enough: it may be one block.
tile.kernel @promises(%y: memref<?xf32>, %n: index, %few: index, %least: index) {
  tile.assume %few {max = 63} : index
  tile.assume %least {min = 32} : index
  // expected-note @+1 {{dimension 0 of this grid has the step that this op has as an operand}}
  tile.grid (%i) = (0) to (%n) step (%few) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    // expected-warning @+1 {{writes 64 elements of %y in dimension 0, but the next block along dimension 0 of the grid begins at least 1 element further: both write the elements between, which is a race as soon as the grid has two blocks along dimension 0; let}}
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  // expected-note @+1 {{dimension 0 of this grid has the step that this op has as an operand}}
  tile.grid (%i) = (0) to (%n) step (%least) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    // expected-warning @+1 {{a race unless dimension 0 of the grid has a step of at least 64}}
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// No coordinate depends on the grid's: no step helps.
tile.kernel @any_step(%y: memref<?xf32>, %n: index, %step: index) {
  // expected-note @+1 {{dimension 0 of this grid has the step that this op has as an operand}}
  tile.grid (%i) = (0) to (%n) step (%step) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    // expected-warning @+1 {{writes the same elements of %y in all blocks}}
    tile.store %t, %y[%n] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// Steps between bounds: an error if each launch has two blocks, and the array the elements. Steps are multiples of their divisors.
tile.kernel @bounded_step(%y: memref<100xf32>, %few: index {tile.divisible = 8}) {
  tile.assume %few {max = 33} : index
  // expected-note @+1 {{dimension 0 of this grid has the step that this op has as an operand}}
  tile.grid (%i) = (0) to (33) step (%few) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    // expected-error @+1 {{the next block along dimension 0 of the grid begins at least 8 elements further: both write the elements between, which is a race; let}}
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<100xf32>
  }
  // expected-note @+1 {{dimension 0 of this grid has the step that this op has as an operand}}
  tile.grid (%i) = (0) to (32) step (%few) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    // expected-warning @+1 {{which is a race as soon as the grid has two blocks along dimension 0; let}}
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<100xf32>
  }
  tile.return
}
