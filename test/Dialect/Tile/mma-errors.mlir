// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @rank_1() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<8xf32>
    %b = arith.constant dense<0.0> : tensor<8xf32>
    // expected-error @+1 {{mma_c1: operands and result must all have rank 2, or all rank 3 (batched), got 1, 1 and 1}}
    %d = tile.mma %a, %b : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  }
  tile.return
}

// -----

tile.kernel @rank_4() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<1x1x8x8xf32>
    %b = arith.constant dense<0.0> : tensor<1x1x8x8xf32>
    // expected-error @+1 {{mma_c1: operands and result must all have rank 2, or all rank 3 (batched), got 4, 4 and 4}}
    %d = tile.mma %a, %b : tensor<1x1x8x8xf32>, tensor<1x1x8x8xf32> -> tensor<1x1x8x8xf32>
  }
  tile.return
}

// -----

tile.kernel @rank_mixed() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<2x8x8xf32>
    %b = arith.constant dense<0.0> : tensor<8x8xf32>
    // expected-error @+1 {{mma_c1: operands and result must all have rank 2, or all rank 3 (batched), got 3, 2 and 3}}
    %d = tile.mma %a, %b : tensor<2x8x8xf32>, tensor<8x8xf32> -> tensor<2x8x8xf32>
  }
  tile.return
}

// -----

tile.kernel @k() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<4x16xf32>
    %b = arith.constant dense<0.0> : tensor<8x8xf32>
    // expected-error @+1 {{mma_c1: K differs: 16 columns of a, 8 rows of b}}
    %d = tile.mma %a, %b : tensor<4x16xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @m() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<4x8xf32>
    %b = arith.constant dense<0.0> : tensor<8x8xf32>
    // expected-error @+1 {{mma_c1: 'tensor<4x8xf32>' times 'tensor<8x8xf32>' does not give 'tensor<5x8xf32>'}}
    %d = tile.mma %a, %b : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<5x8xf32>
  }
  tile.return
}

// -----

tile.kernel @n() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<4x8xf32>
    %b = arith.constant dense<0.0> : tensor<8x8xf32>
    // expected-error @+1 {{does not give 'tensor<4x9xf32>'}}
    %d = tile.mma %a, %b : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x9xf32>
  }
  tile.return
}

// -----

tile.kernel @batch() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<2x4x8xf32>
    %b = arith.constant dense<0.0> : tensor<3x8x8xf32>
    // expected-error @+1 {{mma_c1: the batch extents differ}}
    %d = tile.mma %a, %b : tensor<2x4x8xf32>, tensor<3x8x8xf32> -> tensor<2x4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @operand_types() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<4x8xf16>
    %b = arith.constant dense<0.0> : tensor<8x8xbf16>
    // expected-error @+1 {{mma_c2: both operands must have one element type, got 'f16', 'bf16' -> 'f32'}}
    %d = tile.mma %a, %b : tensor<4x8xf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @bf16_result() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<4x8xbf16>
    %b = arith.constant dense<0.0> : tensor<8x8xbf16>
    // expected-error @+1 {{mma_c2: bf16 accumulates in f32, got 'bf16', 'bf16' -> 'bf16'}}
    %d = tile.mma %a, %b : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xbf16>
  }
  tile.return
}

// -----

tile.kernel @f16_result() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<4x8xf16>
    %b = arith.constant dense<0.0> : tensor<8x8xf16>
    // expected-error @+1 {{mma_c2: f16 accumulates in f32 or f16}}
    %d = tile.mma %a, %b : tensor<4x8xf16>, tensor<8x8xf16> -> tensor<4x8xf64>
  }
  tile.return
}

// -----

tile.kernel @f32_result() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<4x8xf32>
    %b = arith.constant dense<0.0> : tensor<8x8xf32>
    // expected-error @+1 {{mma_c2: f32 accumulates in f32}}
    %d = tile.mma %a, %b : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf64>
  }
  tile.return
}

// -----

tile.kernel @f64_result() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<4x8xf64>
    %b = arith.constant dense<0.0> : tensor<8x8xf64>
    // expected-error @+1 {{mma_c2: f64 accumulates in f64}}
    %d = tile.mma %a, %b : tensor<4x8xf64>, tensor<8x8xf64> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @f8_result() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<4x8xf8E5M2>
    %b = arith.constant dense<0.0> : tensor<8x8xf8E4M3FN>
    // expected-error @+1 {{mma_c2: f8 accumulates in f32 or f16, got 'f8E5M2', 'f8E4M3FN' -> 'bf16'}}
    %d = tile.mma %a, %b : tensor<4x8xf8E5M2>, tensor<8x8xf8E4M3FN> -> tensor<4x8xbf16>
  }
  tile.return
}

// -----

tile.kernel @i8_result() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0> : tensor<4x8xi8>
    %b = arith.constant dense<0> : tensor<8x8xi8>
    // expected-error @+1 {{mma_c2: integers accumulate in i32}}
    %d = tile.mma %a, %b : tensor<4x8xi8>, tensor<8x8xi8> -> tensor<4x8xi8>
  }
  tile.return
}

// -----

tile.kernel @i64() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0> : tensor<4x8xi64>
    %b = arith.constant dense<0> : tensor<8x8xi64>
    // expected-error @+1 {{mma_c2: the operands must be f16, bf16, f8E4M3FN, f8E5M2, f32, f64, i8, i16 or i32, got 'i64'}}
    %d = tile.mma %a, %b : tensor<4x8xi64>, tensor<8x8xi64> -> tensor<4x8xi64>
  }
  tile.return
}

// -----

tile.kernel @i1() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0> : tensor<4x8xi1>
    %b = arith.constant dense<0> : tensor<8x8xi1>
    // expected-error @+1 {{mma_c2: the operands must be}}
    %d = tile.mma %a, %b : tensor<4x8xi1>, tensor<8x8xi1> -> tensor<4x8xi32>
  }
  tile.return
}

// -----

tile.kernel @accumulator() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<8x8xbf16>
    %c = arith.constant dense<0.0> : tensor<8x8xf16>
    // expected-error @+1 {{mma_c3: c must have the type of the result, 'tensor<8x8xf32>', got 'tensor<8x8xf16>'}}
    %d = "tile.mma"(%a, %a, %c) : (tensor<8x8xbf16>, tensor<8x8xbf16>, tensor<8x8xf16>) -> tensor<8x8xf32>
  }
  tile.return
}

// -----

tile.kernel @unsigned_float() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<4x8xf32>
    %b = arith.constant dense<0.0> : tensor<8x8xf32>
    // expected-error @+1 {{mma_c4: lhs = unsigned and rhs = unsigned are for i8 and i16, got 'f32'}}
    %d = tile.mma %a, %b lhs = unsigned : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @tf32() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<4x8xbf16>
    %b = arith.constant dense<0.0> : tensor<8x8xbf16>
    // expected-error @+1 {{mma_c4: precision = tf32 is for f32, got 'bf16'}}
    %d = tile.mma %a, %b precision = tf32 : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @accumulate_every() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<4x8xf32>
    %b = arith.constant dense<0.0> : tensor<8x8xf32>
    // expected-error @+1 {{mma_c4: accumulate_every must be positive}}
    %d = tile.mma %a, %b accumulate_every = 0 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @operands() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<8x8xf32>
    // expected-error @+1 {{expected two or three operands: a, b and optionally c}}
    %d = tile.mma %a : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  }
  tile.return
}

// -----

tile.kernel @vectors(%v: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected ranked tensors}}
    %d = tile.mma %v, %v : f32, f32 -> f32
  }
  tile.return
}

// -----

tile.kernel @clause() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0> : tensor<4x8xi8>
    %b = arith.constant dense<0> : tensor<8x8xi8>
    // expected-error @+1 {{expected 'unsigned'}}
    %d = tile.mma %a, %b lhs = signed : tensor<4x8xi8>, tensor<8x8xi8> -> tensor<4x8xi32>
  }
  tile.return
}

// -----

tile.kernel @twice() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0> : tensor<4x8xi8>
    %b = arith.constant dense<0> : tensor<8x8xi8>
    // expected-error @+1 {{'rhs' is given twice}}
    %d = tile.mma %a, %b rhs = unsigned rhs = unsigned : tensor<4x8xi8>, tensor<8x8xi8> -> tensor<4x8xi32>
  }
  tile.return
}

// -----

tile.kernel @precision() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<4x8xf32>
    %b = arith.constant dense<0.0> : tensor<8x8xf32>
    // expected-error @+1 {{expected one of [ieee, tf32]}}
    %d = tile.mma %a, %b precision = fast : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @missing_type() {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<0.0> : tensor<8x8xf32>
    // expected-error @+1 {{expected ','}}
    %d = tile.mma %a, %a : tensor<8x8xf32> -> tensor<8x8xf32>
  }
  tile.return
}

// -----

tile.kernel @unknown_clause() {
  tile.grid () = () to () step () {
    %a = arith.constant dense<0> : tensor<16x16xi8>
    // expected-error @+1 {{unknown clause 'stages'; expected precision, lhs, rhs, accumulate_every, require, attributes in braces or ':'}}
    %d = tile.mma %a, %a stages = 2 : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xi32>
  }
  tile.return
}
