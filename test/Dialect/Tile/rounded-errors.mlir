// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @unknown(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected what is computed (addf, subf, mulf, divf, sqrt, fma, sitofp, uitofp, maximumf, minimumf, maxnumf, minnumf, exp2 or rsqrt), got 'add'}}
  %r = tile.rounded add %x, %x upward : tensor<4xf32>
  return
}

// -----

func.func @clause(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a rounding mode (to_nearest_even, downward, upward or toward_zero), 'flush_to_zero' or 'afn', got 'up'}}
  %r = tile.rounded addf %x, %x up : tensor<4xf32>
  return
}

// -----

func.func @twice(%x: tensor<4xf32>) {
  // expected-error @+1 {{'roundingmode' is given twice}}
  %r = tile.rounded addf %x, %x upward downward : tensor<4xf32>
  return
}

// -----

func.func @count(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.rounded' op rounded_c1: fma has 3 operands, got 2}}
  %r = tile.rounded fma %x, %x upward : tensor<4xf32>
  return
}

// -----

func.func @none() {
  // expected-error @+1 {{'tile.rounded' op expected 1 or more operands, but found 0}}
  %r = tile.rounded sqrt upward : tensor<4xf32>
  return
}

// -----

func.func @types(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{rounded_c1: the operands must have one type, got 'tensor<4xf32>' and 'tensor<4xf64>'}}
  %r = "tile.rounded"(%x, %y) <{kind = #tile.rounded_kind<addf>}> : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @shapes(%x: tensor<4xf32>) {
  // expected-error @+1 {{op requires the same shape for all operands and results}}
  %r = tile.rounded sitofp %x upward : tensor<4xf32> to tensor<8xf32>
  return
}

// -----

func.func @narrowing(%x: tensor<4xf32>) {
  // expected-error @+1 {{rounded_c1: the result has the type of the operands, 'tensor<4xf32>', got 'tensor<4xf16>'; arith.truncf has a rounding mode of its own}}
  %r = tile.rounded addf %x, %x upward : tensor<4xf32> to tensor<4xf16>
  return
}

// -----

func.func @from_float(%x: f32) {
  // expected-error @+1 {{rounded_c1: sitofp converts from integers of 8 to 64 bits or index to floats, got 'f32' to 'f64'}}
  %r = tile.rounded sitofp %x upward : f32 to f64
  return
}

// -----

func.func @from_bool(%x: tensor<4xi1>) {
  // expected-error @+1 {{rounded_c1: uitofp converts from integers of 8 to 64 bits or index to floats, got 'tensor<4xi1>' to 'tensor<4xf32>'}}
  %r = tile.rounded uitofp %x upward : tensor<4xi1> to tensor<4xf32>
  return
}

// -----

func.func @integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{rounded_c2: addf computes floats, got 'tensor<4xi32>'}}
  %r = tile.rounded addf %x, %x upward : tensor<4xi32>
  return
}

// -----

func.func @ties_away(%x: tensor<4xf32>) {
  // expected-error @+1 {{rounded_c2: 'to_nearest_away' is no mode of this op; it has to_nearest_even, downward, upward and toward_zero}}
  %r = tile.rounded addf %x, %x to_nearest_away : tensor<4xf32>
  return
}

// -----

func.func @no_mode(%x: tensor<4xf32>) {
  // expected-error @+1 {{rounded_c2: maximumf has no rounding mode; a direction is for addf, subf, mulf, divf, sqrt, fma, sitofp and uitofp}}
  %r = tile.rounded maximumf %x, %x upward flush_to_zero : tensor<4xf32>
  return
}

// -----

func.func @flush_f64(%x: tensor<4xf64>) {
  // expected-error @+1 {{rounded_c3: 'flush_to_zero' is for operands of f32, got 'tensor<4xf64>'; other types keep their denormals}}
  %r = tile.rounded addf %x, %x flush_to_zero : tensor<4xf64>
  return
}

// -----

func.func @flush_conversion(%x: tensor<4xi32>) {
  // expected-error @+1 {{rounded_c3: 'flush_to_zero' is for operands of f32, got 'tensor<4xi32>'}}
  %r = tile.rounded sitofp %x upward flush_to_zero : tensor<4xi32> to tensor<4xf32>
  return
}

// -----

func.func @afn_kind(%x: tensor<4xf32>) {
  // expected-error @+1 {{rounded_c4: 'afn' is for divf, sqrt, exp2 and rsqrt, got addf}}
  %r = tile.rounded addf %x, %x flush_to_zero afn : tensor<4xf32>
  return
}

// -----

func.func @afn_direction(%x: tensor<4xf32>) {
  // expected-error @+1 {{rounded_c4: 'afn' needs 'flush_to_zero' and no direction}}
  %r = tile.rounded divf %x, %x upward flush_to_zero afn : tensor<4xf32>
  return
}

// -----

func.func @afn_alone(%x: tensor<4xf32>) {
  // expected-error @+1 {{rounded_c4: 'afn' needs 'flush_to_zero' and no direction; without denormals and modes in play, say 'fastmath<afn>' on the op of arith or math}}
  %r = tile.rounded exp2 %x afn : tensor<4xf32>
  return
}
