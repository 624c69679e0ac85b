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
  // expected-error @+1 {{scan_c3: the first result must be 'tensor<4x5xf32>', got 'tensor<4x6xf32>'}}
  %a, %t = tile.scan addf %x dim = 1 : tensor<4x5xf32> -> tensor<4x6xf32>, tensor<4xf32>
  return
}

// -----

func.func @total(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{scan_c3: the second result must be 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %a, %t = tile.scan addf %x dim = 1 : tensor<4x5xf32> -> tensor<4x5xf32>, tensor<5xf32>
  return
}

// -----

func.func @unknown(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{unknown combination 'sub' (addf mulf maximumf minimumf maxnumf minnumf addi muli maxsi minsi maxui minui andi ori xori)}}
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
  // expected-error @+1 {{scan_c3: the carry must be 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %a, %t = "tile.scan"(%x, %c) <{dim = 1 : i64, kind = #tile.reduce_kind<addf>}> : (tensor<4x5xf32>, tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>)
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
