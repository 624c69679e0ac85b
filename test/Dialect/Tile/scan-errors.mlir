// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @dim(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tile.scan' op scan_c1: dim = 2 is not a dimension of 'tensor<4x5xf32>'}}
  %a, %t = tile.scan addf %x dim = 2 : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
  return
}

// -----

func.func @negative(%x: tensor<f32>) {
  // expected-error @+1 {{scan_c1: dim = 0 is not a dimension of 'tensor<f32>'}}
  %a, %t = tile.scan addf %x dim = 0 : tensor<f32> -> tensor<f32>, tensor<f32>
  return
}

// -----

func.func @kind(%x: tensor<4x5xi32>) {
  // expected-error @+1 {{scan_c2: addf does not combine elements of type 'i32'}}
  %a, %t = tile.scan addf %x dim = 1 : tensor<4x5xi32> -> tensor<4x5xi32>, tensor<4xi32>
  return
}

// -----

func.func @kind_of_floats(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{scan_c2: xori does not combine elements of type 'f32'}}
  %a, %t = tile.scan xori %x dim = 1 : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
  return
}

// -----

func.func @elements(%x: tensor<4x5xcomplex<f32>>) {
  // expected-error @+1 {{scan_c2: addi does not combine elements of type 'complex<f32>'}}
  %a, %t = tile.scan addi %x dim = 1 : tensor<4x5xcomplex<f32>> -> tensor<4x5xcomplex<f32>>, tensor<4xcomplex<f32>>
  return
}

// -----

func.func @result(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{scan_c3: scanned tile 0 must be 'tensor<4x5xf32>', got 'tensor<4x6xf32>'}}
  %a, %t = tile.scan addf %x dim = 1 : tensor<4x5xf32> -> tensor<4x6xf32>, tensor<4xf32>
  return
}

// -----

func.func @total(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{scan_c3: total 0 must be 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %a, %t = tile.scan addf %x dim = 1 : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<5xf32>
  return
}

// -----

func.func @unknown(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{unknown combination 'sub' (addf mulf maximumf minimumf maxnumf minnumf addi muli maxsi minsi maxui minui andi ori xori, or the general form with a combiner)}}
  %a, %t = tile.scan sub %x dim = 1 : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
  return
}

// -----

// expected-note @+1 {{prior use here}}
func.func @carry(%x: tensor<4x5xf32>, %c: tensor<5xf32>) {
  // expected-error @+1 {{use of value '%c' expects different type than prior uses: 'tensor<4xf32>' vs 'tensor<5xf32>'}}
  %a, %t = tile.scan addf %x dim = 1 carry(%c) : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
  return
}

// -----

func.func @generic_carry(%x: tensor<4x5xf32>, %c: tensor<5xf32>) {
  // expected-error @+1 {{scan_c3: carry 0 must be 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %a, %t = "tile.scan"(%x, %c) <{dim = 1 : i64, kind = #tile.reduce_kind<addf>, operandSegmentSizes = array<i32: 1, 0, 1>}> ({}) : (tensor<4x5xf32>, tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>)
  return
}

// -----

func.func @result_types(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{expected two result types for each input, those of the scanned tiles first and then those of the totals: 2, got 1}}
  %a = tile.scan addf %x dim = 1 : tensor<4x5xf32> -> tensor<4x5xf32>
  return
}

// -----

func.func @no_combiner(%x: tensor<4x5xf32>, %z: f32) {
  // expected-error @+1 {{scan_c2: the named form has one input, no identity and no combiner}}
  %a, %t = "tile.scan"(%x, %z) <{dim = 1 : i64, kind = #tile.reduce_kind<addf>, operandSegmentSizes = array<i32: 1, 1, 0>}> ({}) : (tensor<4x5xf32>, f32) -> (tensor<4x5xf32>, tensor<4xf32>)
  return
}

// -----

func.func @shapes(%x: tensor<4x5xf32>, %y: tensor<5x4xf32>, %z: f32) {
  // expected-error @+1 {{scan_c1: all inputs must have one shape, got 'tensor<4x5xf32>' and 'tensor<5x4xf32>'}}
  %a, %b, %s, %t = tile.scan (%x, %y) dim = 1 init(%z, %z) {
  ^bb0(%p: f32, %q: f32, %r: f32, %u: f32):
    tile.yield %p, %q : f32, f32
  } : tensor<4x5xf32>, tensor<5x4xf32> -> tensor<4x5xf32>, tensor<5x4xf32>, tensor<4xf32>, tensor<5xf32>
  return
}

// -----

func.func @carries(%x: tensor<4x5xf32>, %c: tensor<4xf32>, %z: f32) {
  // expected-error @+1 {{scan_c3: needs a carry for each of the 2 inputs, or none, got 1}}
  %a, %b, %s, %t = "tile.scan"(%x, %x, %z, %z, %c) <{dim = 1 : i64, operandSegmentSizes = array<i32: 2, 2, 1>}> ({
  ^bb0(%p: f32, %q: f32, %r: f32, %u: f32):
    tile.yield %p, %q : f32, f32
  }) : (tensor<4x5xf32>, tensor<4x5xf32>, f32, f32, tensor<4xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @identities(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{scan_c4: needs one identity for each of the 1 inputs, got 0}}
  %a, %t = "tile.scan"(%x) <{dim = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }) : (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>)
  return
}

// -----

func.func @arguments(%x: tensor<4x5xf32>, %z: f32) {
  // expected-error @+1 {{scan_c4: the combiner must have 2 arguments: the elements that come first, then the others}}
  %a, %t = tile.scan (%x) dim = 1 init(%z) {
  ^bb0(%p: f32):
    tile.yield %p : f32
  } : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
  return
}

// -----

func.func @argument_types(%x: tensor<4x5xf32>, %z: f32) {
  // expected-error @+1 {{scan_c4: identity and combiner arguments of input 0 must have type 'f32'}}
  %a, %t = tile.scan (%x) dim = 1 init(%z) {
  ^bb0(%p: f32, %q: i32):
    tile.yield %p : f32
  } : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
  return
}

// -----

func.func @yields(%x: tensor<4x5xf32>, %z: f32) {
  // expected-error @+1 {{scan_c4: the combiner must end with a tile.yield of 1 values}}
  %a, %t = tile.scan (%x) dim = 1 init(%z) {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p, %q : f32, f32
  } : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
  return
}

// -----

func.func @yield_types(%x: tensor<4x5xf32>, %z: f32) {
  %a, %t = tile.scan (%x) dim = 1 init(%z) {
  ^bb0(%p: f32, %q: f32):
    %i = arith.fptosi %p : f32 to i32
    // expected-error @+1 {{scan_c4: value 0 must have type 'f32'}}
    tile.yield %i : i32
  } : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
  return
}

// -----

func.func @combiner_reads(%x: tensor<4x5xf32>, %z: f32, %m: memref<f32>) {
  %a, %t = tile.scan (%x) dim = 1 init(%z) {
  ^bb0(%p: f32, %q: f32):
    // expected-error @+1 {{scan_c4: a combiner uses elementwise ops on scalars (arith, math) without side effects only}}
    %r = memref.load %m[] : memref<f32>
    tile.yield %r : f32
  } : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
  return
}

// -----

func.func @combiner_from_outside(%x: tensor<4x5xf32>, %z: f32) {
  %a, %t = tile.scan (%x) dim = 1 init(%z) {
  ^bb0(%p: f32, %q: f32):
    // expected-error @+1 {{scan_c4: a combiner may use its arguments and constants only}}
    %r = arith.mulf %p, %z : f32
    tile.yield %r : f32
  } : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<4xf32>
  return
}

// -----

func.func @zip_rank(%x: tensor<f32>) {
  // expected-error @+1 {{'tile.zip' op zip_c1: the tiles must have a dimension along which to interleave them}}
  %z = tile.zip %x, %x : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @zip_type(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{zip_c2: the result must be 'tensor<4x10xf32>', got 'tensor<8x5xf32>'}}
  %z = tile.zip %x, %x : tensor<4x5xf32> -> tensor<8x5xf32>
  return
}

// -----

func.func @unzip_odd(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'tile.unzip' op unzip_c1: the last extent must be even, got 'tensor<4x5xf32>'}}
  %a, %b = tile.unzip %x : tensor<4x5xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @unzip_type(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{unzip_c2: each result must be 'tensor<4x3xf32>', got 'tensor<4x3xf16>'}}
  %a, %b = tile.unzip %x : tensor<4x6xf32> -> tensor<4x3xf16>
  return
}

// -----

func.func @assert_type(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tile.assert' op assert_c1: the condition must be an i1 or a tile of i1, got 'tensor<4xi32>'}}
  tile.assert %x, "text" : tensor<4xi32>
  return
}

// -----

func.func @saturate(%x: tensor<4xf32>) {
  // expected-error @+1 {{'arith.addf' op has the attribute 'tile.saturate'}}
  %y = arith.addf %x, %x {tile.saturate} : tensor<4xf32>
  return
}
