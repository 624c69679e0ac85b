// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @need(%n: tensor<4xi8>, %x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tile.rare' op rare_c1: the need is an i1, or a tile of i1 of rank 1 with an element for each row, not 'tensor<4xi8>'}}
  %r = tile.rare %n passing(%x) {
    tile.yield %x : tensor<4x5xf32>
  } : tensor<4xi8>, tensor<4x5xf32>
  return
}

// -----

func.func @need_scalar(%n: i32, %x: tensor<4x5xf32>) {
  // expected-error @+1 {{rare_c1: the need is an i1, or a tile of i1 of rank 1 with an element for each row, not 'i32'}}
  %r = tile.rare %n passing(%x) {
    tile.yield %x : tensor<4x5xf32>
  } : i32, tensor<4x5xf32>
  return
}

// -----

func.func @need_memref(%n: memref<4xi1>, %x: tensor<4x5xf32>) {
  // expected-error @+1 {{rare_c1: the need is an i1, or a tile of i1 of rank 1 with an element for each row, not 'memref<4xi1>'}}
  %r = tile.rare %n passing(%x) {
    tile.yield %x : tensor<4x5xf32>
  } : memref<4xi1>, tensor<4x5xf32>
  return
}

// -----

func.func @need_of_elements(%n: tensor<4x5xi1>, %x: tensor<4x5xf32>) {
  // expected-error @+1 {{rare_c1: the need must have rank 1, one element for each row, not 'tensor<4x5xi1>'; reduce the other dimensions, as in tile.reduce ori %need dims = [1]}}
  %r = tile.rare %n passing(%x) {
    tile.yield %x : tensor<4x5xf32>
  } : tensor<4x5xi1>, tensor<4x5xf32>
  return
}

// -----

func.func @need_of_rank_0(%n: tensor<i1>, %x: tensor<4x5xf32>) {
  // expected-error @+1 {{rare_c1: the need must have rank 1, one element for each row, not 'tensor<i1>'; tensor.extract makes a scalar of it, which is allowed}}
  %r = tile.rare %n passing(%x) {
    tile.yield %x : tensor<4x5xf32>
  } : tensor<i1>, tensor<4x5xf32>
  return
}

// -----

func.func @nothing(%n: tensor<4xi1>) {
  // expected-error @+1 {{rare_c2: passes no value}}
  tile.rare %n passing() {
    tile.yield
  } : tensor<4xi1>
  return
}

// -----

func.func @rows(%n: tensor<4xi1>, %x: tensor<5x4xf32>) {
  // expected-error @+1 {{rare_c2: value 0 has 5 rows ('tensor<5x4xf32>'), but the need is for 4; rows are along dimension 0: transpose the value if they are along another one}}
  %r = tile.rare %n passing(%x) {
    tile.yield %x : tensor<5x4xf32>
  } : tensor<4xi1>, tensor<5x4xf32>
  return
}

// -----

func.func @rank_0(%n: tensor<4xi1>, %x: tensor<f32>) {
  // expected-error @+1 {{rare_c2: value 0 has rank 0, and no rows; with a need of rank 1 values are tiles of 4 rows}}
  %r = tile.rare %n passing(%x) {
    tile.yield %x : tensor<f32>
  } : tensor<4xi1>, tensor<f32>
  return
}

// -----

func.func @scalar(%n: tensor<4xi1>, %x: tensor<4xf32>, %y: f32) {
  // expected-error @+1 {{rare_c2: value 1 is a scalar, which has no rows; with a need of rank 1 values are tiles of 4 rows}}
  %r, %s = tile.rare %n passing(%x, %y) {
    tile.yield %x, %y : tensor<4xf32>, f32
  } : tensor<4xi1>, tensor<4xf32>, f32
  return
}

// -----

func.func @memory(%n: i1, %x: memref<4xf32>) {
  // expected-error @+1 {{rare_c2: value 0 must be a tile or a scalar, not 'memref<4xf32>'}}
  %r = tile.rare %n passing(%x) {
    tile.yield %x : memref<4xf32>
  } : i1, memref<4xf32>
  return
}

// -----

func.func @results(%n: i1, %x: tensor<4xf32>) {
  // expected-error @+1 {{rare_c3: the results must have the types of the values passed}}
  %r = "tile.rare"(%n, %x) ({
    tile.yield %x : tensor<4xf32>
  }) : (i1, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @arguments(%n: i1, %x: tensor<4xf32>) {
  // expected-error @+1 {{rare_c4: the region has no arguments; it uses the values from outside}}
  %r = tile.rare %n passing(%x) {
  ^bb0(%y: tensor<4xf32>):
    tile.yield %y : tensor<4xf32>
  } : i1, tensor<4xf32>
  return
}

// -----

func.func @count(%n: i1, %x: tensor<4xf32>) {
  %r = tile.rare %n passing(%x) {
    // expected-error @+1 {{'tile.yield' op rare_c4: must yield one value for each value passed: 1, got 2}}
    tile.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  } : i1, tensor<4xf32>
  return
}

// -----

func.func @type(%n: i1, %x: tensor<4xf32>, %y: tensor<5xf32>) {
  %r = tile.rare %n passing(%x) {
    // expected-error @+1 {{rare_c4: value 0 must have the type of the value passed, 'tensor<4xf32>', not 'tensor<5xf32>'}}
    tile.yield %y : tensor<5xf32>
  } : i1, tensor<4xf32>
  return
}

// -----

func.func @terminator(%n: i1, %x: tensor<4xf32>) {
  // expected-error @+1 {{rare_c4: the region must end in a tile.yield of 1 value}}
  %r = tile.rare %n passing(%x) {
    scf.yield %x : tensor<4xf32>
  } : i1, tensor<4xf32>
  return
}

// -----

func.func @store(%n: i1, %x: tensor<4xf32>, %A: memref<?xf32>, %i: index) {
  %r = tile.rare %n passing(%x) {
    // expected-error @+1 {{'tile.store' op rare_c5: writes memory in the region of a tile.rare, which may be skipped or run although no row needs it; do that after it, or use scf.if with a condition of the whole block}}
    tile.store %x, %A[%i] : tensor<4xf32> -> memref<?xf32>
    tile.yield %x : tensor<4xf32>
  } : i1, tensor<4xf32>
  return
}

// -----

func.func @store_in_loop(%n: i1, %x: tensor<4xf32>, %y: f32, %A: memref<?xf32>, %i: index) {
  %r = tile.rare %n passing(%x) {
    scf.for %j = %i to %i step %i {
      scf.if %n {
        // expected-error @+1 {{'memref.store' op rare_c5: writes memory}}
        memref.store %y, %A[%j] : memref<?xf32>
      }
    }
    tile.yield %x : tensor<4xf32>
  } : i1, tensor<4xf32>
  return
}

// -----

func.func @atomic(%n: i1, %x: tensor<4xf32>, %A: memref<?xf32>, %i: index) {
  %r = tile.rare %n passing(%x) {
    // expected-error @+1 {{'tile.atomic' op rare_c5: writes memory}}
    tile.atomic add %x, %A[%i] : tensor<4xf32> -> memref<?xf32>
    tile.yield %x : tensor<4xf32>
  } : i1, tensor<4xf32>
  return
}

// -----

func.func @print(%n: i1, %x: tensor<4xf32>) {
  %r = tile.rare %n passing(%x) {
    // expected-error @+1 {{'tile.print' op rare_c5: prints in the region of a tile.rare}}
    tile.print "x" %x : tensor<4xf32>
    tile.yield %x : tensor<4xf32>
  } : i1, tensor<4xf32>
  return
}

// -----

func.func @assert(%n: i1, %x: tensor<4xf32>) {
  %r = tile.rare %n passing(%x) {
    // expected-error @+1 {{'tile.assert' op rare_c5: ends the program in the region of a tile.rare}}
    tile.assert %n, "no" : i1
    tile.yield %x : tensor<4xf32>
  } : i1, tensor<4xf32>
  return
}

// -----

func.func @alloc(%n: i1, %x: tensor<4xf32>) {
  %r = tile.rare %n passing(%x) {
    // expected-error @+1 {{'memref.alloc' op rare_c5: allocates memory}}
    %a = memref.alloc() : memref<4xf32>
    tile.yield %x : tensor<4xf32>
  } : i1, tensor<4xf32>
  return
}

// -----

func.func @types(%n: i1, %x: tensor<4xf32>) {
  %r = tile.rare %n passing(%x) {
    tile.yield %x : tensor<4xf32>
  // expected-error @+1 {{expected the type of the need and the type of each value that is passed: 2, got 1}}
  } : tensor<4xf32>
  return
}
