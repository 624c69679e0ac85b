// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @inputs() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{reduce_c1: needs at least one input}}
    "tile.reduce"() <{dims = array<i64: 0>, operandSegmentSizes = array<i32: 0, 0>}> ({
    }) : () -> ()
  }
  tile.return
}

// -----

tile.kernel @shapes() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4xf32>
    %y = arith.constant dense<1.0> : tensor<5xf32>
    %z = arith.constant 0.0 : f32
    // expected-error @+1 {{reduce_c1: all inputs must have one shape}}
    %r, %s = tile.reduce (%x, %y) dims = [0] init(%z, %z) {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
    } : tensor<4xf32>, tensor<5xf32> -> tensor<f32>, tensor<f32>
  }
  tile.return
}

// -----

tile.kernel @no_dims() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{reduce_c2: 'dims' is empty}}
    %r = tile.reduce addf %x dims = [] : tensor<4x8xf32> -> tensor<4x8xf32>
  }
  tile.return
}

// -----

tile.kernel @dims_order() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{reduce_c2: 'dims' must ascend and be below the rank 2}}
    %r = tile.reduce addf %x dims = [1, 0] : tensor<4x8xf32> -> tensor<f32>
  }
  tile.return
}

// -----

tile.kernel @dims_twice() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{reduce_c2: 'dims' must ascend}}
    %r = tile.reduce addf %x dims = [1, 1] : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @dims_range() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{reduce_c2: 'dims' must ascend and be below the rank 2}}
    %r = tile.reduce addf %x dims = [2] : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @dims_negative() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{reduce_c2: 'dims' must ascend}}
    %r = tile.reduce addf %x dims = [-1] : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @results() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{reduce_c3: needs one result for each of the 1 inputs}}
    %r, %s = tile.reduce addf %x dims = [1] : tensor<4x8xf32> -> tensor<4xf32>, tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @result_shape() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{reduce_c3: the result must be 'tensor<4xf32>', got 'tensor<8xf32>'}}
    %r = tile.reduce addf %x dims = [1] : tensor<4x8xf32> -> tensor<8xf32>
  }
  tile.return
}

// -----

tile.kernel @result_element() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{reduce_c3: the result must be 'tensor<4xf32>', got 'tensor<4xf64>'}}
    %r = tile.reduce addf %x dims = [1] : tensor<4x8xf32> -> tensor<4xf64>
  }
  tile.return
}

// -----

tile.kernel @float_kind() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1> : tensor<4x8xi32>
    // expected-error @+1 {{reduce_c4: addf does not combine elements of type 'i32'}}
    %r = tile.reduce addf %x dims = [1] : tensor<4x8xi32> -> tensor<4xi32>
  }
  tile.return
}

// -----

tile.kernel @integer_kind() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{reduce_c4: maxsi does not combine elements of type 'f32'}}
    %r = tile.reduce maxsi %x dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @named_form() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{reduce_c4: the named form has one input, no identity and no combiner}}
    %r = "tile.reduce"(%x, %zero) <{dims = array<i64: 1>, kind = #tile.reduce_kind<addf>, operandSegmentSizes = array<i32: 1, 1>}> ({
    }) : (tensor<4x8xf32>, f32) -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @identities() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{reduce_c5: needs one identity for each of the 1 inputs, got 0}}
    %r = "tile.reduce"(%x) <{dims = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0>}> ({
    }) : (tensor<4x8xf32>) -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @no_combiner() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{reduce_c5: the combiner must have 2 arguments}}
    %r = "tile.reduce"(%x, %zero) <{dims = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1>}> ({
    }) : (tensor<4x8xf32>, f32) -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @arguments() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{reduce_c5: the combiner must have 2 arguments: the left elements, then the right ones}}
    %r = tile.reduce (%x) dims = [1] init(%zero) {
    ^bb0(%a: f32):
    tile.yield %a : f32
    } : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @argument_types() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{reduce_c5: identity and combiner arguments of input 0 must have type 'f32'}}
    %r = tile.reduce (%x) dims = [1] init(%zero) {
    ^bb0(%a: f32, %b: f64):
    tile.yield %a : f32
    } : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @identity_type() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %zero = arith.constant 0 : i32
    // expected-error @+1 {{reduce_c5: identity and combiner arguments of input 0 must have type 'f32'}}
    %r = "tile.reduce"(%x, %zero) <{dims = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%a: f32, %b: f32):
    "tile.yield"(%a) : (f32) -> ()
    }) : (tensor<4x8xf32>, i32) -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @yield_count() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{reduce_c5: the combiner must end with a tile.yield of 1 values}}
    %r = tile.reduce (%x) dims = [1] init(%zero) {
    ^bb0(%a: f32, %b: f32):
    tile.yield %a, %b : f32, f32
    } : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @yield_type() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    %r = tile.reduce (%x) dims = [1] init(%zero) {
    ^bb0(%a: f32, %b: f32):
    %c = arith.constant 1 : i32
    // expected-error @+1 {{reduce_c5: value 0 must have type 'f32'}}
    tile.yield %c : i32
    } : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @other_end() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{reduce_c5: the combiner must end with a tile.yield of 1 values}}
    %r = tile.reduce (%x) dims = [1] init(%zero) {
    ^bb0(%a: f32, %b: f32):
    scf.yield %a : f32
    } : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @side_effect(%m: memref<f32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    %r = tile.reduce (%x) dims = [1] init(%zero) {
    ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{reduce_c5: a combiner uses scalar ops without side effects and without regions only}}
    memref.store %a, %m[] : memref<f32>
    tile.yield %a : f32
    } : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @region(%c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    %r = tile.reduce (%x) dims = [1] init(%zero) {
    ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{reduce_c5: a combiner uses scalar ops without side effects and without regions only}}
    %q = scf.if %c -> f32 {
    scf.yield %a : f32
    } else {
    scf.yield %b : f32
    }
    tile.yield %q : f32
    } : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @tiles() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    %r = tile.reduce (%x) dims = [1] init(%zero) {
    ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{reduce_c5: a combiner uses scalar ops}}
    %q = tensor.from_elements %a : tensor<1xf32>
    tile.yield %a : f32
    } : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @capture(%s: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    %r = tile.reduce (%x) dims = [1] init(%zero) {
    ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{reduce_c5: a combiner may use its arguments and constants only}}
    %q = arith.mulf %a, %s : f32
    tile.yield %q : f32
    } : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @yield_capture(%s: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    %r = tile.reduce (%x) dims = [1] init(%zero) {
    ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{reduce_c5: a combiner may use its arguments and constants only}}
    tile.yield %s : f32
    } : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @kind() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{unknown reduction 'add' (addf mulf maximumf}}
    %r = tile.reduce add %x dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @keyword() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{expected 'dims'}}
    %r = tile.reduce addf %x dim = 1 : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @no_init() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{expected 'init'}}
    %r = tile.reduce (%x) dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @no_region() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{expected '{' to begin a region}}
    %r = tile.reduce (%x) dims = [1] init(%x) : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @not_tensor() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{expected ranked tensors, got 'f32'}}
    %r = tile.reduce addf %x dims = [1] : f32 -> f32
  }
  tile.return
}

// -----

tile.kernel @two_named() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{expected 'dims'}}
    %r = tile.reduce addf %x, %x dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}

// -----

tile.kernel @type_count() {
  tile.grid (%i) = (0) to (8) step (1) {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{number of operands and types do not match: got 1 operands and 2 types}}
    %r = tile.reduce addf %x dims = [1] : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4xf32>
  }
  tile.return
}
