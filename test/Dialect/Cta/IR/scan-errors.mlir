// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @dim(%x: tensor<8x8xf32>, %z: f32) {
  // expected-error @+1 {{scan_c1: dim = 2 is not below the rank 2}}
  %0, %1 = cta.scan (%x) dim = 2 init(%z) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : tensor<8x8xf32> -> tensor<8x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @shapes(%x: tensor<8x8xf32>, %y: tensor<4x8xf32>, %z: f32) {
  // expected-error @+1 {{scan_c1: all inputs must have one shape, got 'tensor<8x8xf32>' and 'tensor<4x8xf32>'}}
  %0, %1, %2, %3 = cta.scan (%x, %y) dim = 1 init(%z, %z) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  } : tensor<8x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>
  return
}

// -----

func.func @result_types(%x: tensor<8x8xf32>, %z: f32) {
  // expected-error @+4 {{expected two result types for each input}}
  %0, %1 = cta.scan (%x) dim = 1 init(%z) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @scanned(%x: tensor<8x8xf32>, %z: f32) {
  // expected-error @+1 {{scan_c3: scanned tile 0 must be 'tensor<8x8xf32>', got 'tensor<8x4xf32>'}}
  %0, %1 = cta.scan (%x) dim = 1 init(%z) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : tensor<8x8xf32> -> tensor<8x4xf32>, tensor<8xf32>
  return
}

// -----

func.func @total(%x: tensor<8x8xf32>, %z: f32) {
  // expected-error @+1 {{scan_c3: total 0 must be 'tensor<8xf32>', got 'tensor<4xf32>'}}
  %0, %1 = cta.scan (%x) dim = 1 init(%z) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : tensor<8x8xf32> -> tensor<8x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @combiner(%x: tensor<8x8xf32>, %z: f32) {
  // expected-error @+1 {{scan_c4: needs as many identities as inputs, two combiner arguments for each, and a tile.yield of as many values}}
  %0, %1 = cta.scan (%x) dim = 1 init(%z) {
  ^bb0(%a: f32):
    tile.yield %a : f32
  } : tensor<8x8xf32> -> tensor<8x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @types(%x: tensor<8x8xf32>, %z: f32) {
  // expected-error @+1 {{scan_c4: identity, combiner arguments and yielded value 0 must have type 'f32'}}
  %0, %1 = cta.scan (%x) dim = 1 init(%z) {
  ^bb0(%a: f32, %b: i32):
    tile.yield %a : f32
  } : tensor<8x8xf32> -> tensor<8x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @partial_layout(%x: tensor<8x8xf32>, %z: f32) {
  // expected-error @+1 {{scan_c5: a partial scan needs inputs with a layout whose vectors move along 'dim' by powers of two and along nothing else, got 'tensor<8x8xf32>'}}
  %0, %1 = cta.scan (%x) dim = 1 init(%z) attributes {partial} {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : tensor<8x8xf32> -> tensor<8x8xf32>, tensor<8x2xf32>
  return
}

// -----

#row = #cta.frag<regs = [], lanes = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warps = [[0, 4], [0, 8]]>
func.func @partial_totals(%x: tensor<8x16xf32, #row>, %z: f32) {
  // expected-error @+1 {{scan_c5: the totals of the parts must be 'tensor<8x4xf32, #cta.frag<}}
  %0, %1 = cta.scan (%x) dim = 1 init(%z) attributes {partial} {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : tensor<8x16xf32, #row> -> tensor<8x16xf32, #row>, tensor<8x16xf32, #row>
  return
}

// -----

#row = #cta.frag<regs = [], lanes = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warps = [[0, 4], [0, 8]]>
#parts = #cta.frag<regs = [], lanes = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warps = [[0, 1], [0, 2]]>
func.func @partial_carry(%x: tensor<8x16xf32, #row>, %c: tensor<8x4xf32, #parts>, %z: f32) {
  // expected-error @+1 {{scan_c5: a partial scan has no carry; the scan of the parts has it}}
  %0, %1 = cta.scan (%x) dim = 1 init(%z) carry(%c) attributes {partial} {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : tensor<8x16xf32, #row> -> tensor<8x16xf32, #row>, tensor<8x4xf32, #parts>
  return
}

// -----

func.func @repeat_dim(%x: tensor<8x2xf32>) {
  // expected-error @+1 {{repeat_c1: dim = 2 is not a dimension of 'tensor<8x8xf32>'}}
  %0 = cta.repeat %x dim = 2 times = 4 : tensor<8x2xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @repeat_times(%x: tensor<8x3xf32>) {
  // expected-error @+1 {{repeat_c1: 'times' must be a power of two, got 3}}
  %0 = cta.repeat %x dim = 1 times = 3 : tensor<8x3xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @repeat_source(%x: tensor<8x3xf32>) {
  // expected-error @+1 {{repeat_c2: the source must be 'tensor<8x2xf32>', got 'tensor<8x3xf32>'}}
  %0 = cta.repeat %x dim = 1 times = 4 : tensor<8x3xf32> -> tensor<8x8xf32>
  return
}
