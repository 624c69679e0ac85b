// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @kind(%x: memref<?xi32>, %v: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected a kind of atomic, got 'sub'; there are add, min, max, umin, umax, and, or, xor, exchange and cas}}
    tile.atomic sub %v, %x[%i] : i32 -> memref<?xi32>
  }
  tile.return
}

// -----

tile.kernel @no_kind(%x: memref<?xi32>, %v: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected a kind of atomic; there are add, min, max, umin, umax, and, or, xor, exchange and cas}}
    tile.atomic %v, %x[%i] : i32 -> memref<?xi32>
  }
  tile.return
}

// -----

tile.kernel @order_word(%x: memref<?xi32>, %v: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{unknown word 'seq_cst'; expected an order (relaxed, acquire, release, acq_rel), a scope (device, system), 'returning', in this order, or the value}}
    tile.atomic add seq_cst %v, %x[%i] : i32 -> memref<?xi32>
  }
  tile.return
}

// -----

tile.kernel @order_of_words(%x: memref<?xi32>, %v: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{unknown word 'acquire'; expected an order (relaxed, acquire, release, acq_rel), a scope (device, system), 'returning', in this order, or the value}}
    tile.atomic add system acquire %v, %x[%i] : i32 -> memref<?xi32>
  }
  tile.return
}

// -----

tile.kernel @no_number(%x: memref<?xi32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected a ranked tensor or a number, got 'memref<?xi32>'}}
    tile.atomic add %x, %x[%i] : memref<?xi32> -> memref<?xi32>
  }
  tile.return
}

// -----

tile.kernel @narrow(%x: memref<?xi8>, %v: i8) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{atomic_c12: elements of 'i8' have no atomics; there are those of i16, i32, i64, index, f16, bf16, f32 and f64}}
    tile.atomic add %v, %x[%i] : i8 -> memref<?xi8>
  }
  tile.return
}

// -----

tile.kernel @boolean(%x: memref<?xi1>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %v = arith.constant dense<true> : tensor<8xi1>
    // expected-error @+1 {{atomic_c12: elements of 'i1' have no atomics}}
    tile.atomic or %v, %x[%i] : tensor<8xi1> -> memref<?xi1>
  }
  tile.return
}

// -----

tile.kernel @float8(%x: memref<?xf8E5M2>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %v = arith.constant 1.0 : f8E5M2
    // expected-error @+1 {{atomic_c12: elements of 'f8E5M2' have no atomics}}
    tile.atomic add %v, %x[%i] : f8E5M2 -> memref<?xf8E5M2>
  }
  tile.return
}

// -----

tile.kernel @unsigned_floats(%x: memref<?xf32>, %v: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{atomic_c12: 'umax' is for integers, got 'f32'}}
    tile.atomic umax %v, %x[%i] : f32 -> memref<?xf32>
  }
  tile.return
}

// -----

tile.kernel @bits_of_floats(%x: memref<?xbf16>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %v = arith.constant dense<1.0> : tensor<8xbf16>
    // expected-error @+1 {{atomic_c12: 'xor' is for integers, got 'bf16'}}
    tile.atomic xor %v, %x[%i] : tensor<8xbf16> -> memref<?xbf16>
  }
  tile.return
}

// -----

tile.kernel @cas_of_one(%x: memref<?xi32>, %v: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{atomic_c13: 'cas' takes two values: what is expected, and what replaces it}}
    "tile.atomic"(%v, %x, %i) <{kind = #tile.atomic_kind<cas>, order = #tile.memory_order<relaxed>, scope = #tile.memory_scope<device>, dims = array<i64>,
        limited = array<i1>, maskDims = array<i64>, indexed = array<i64>, operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>}> : (i32, memref<?xi32>, index) -> ()
  }
  tile.return
}

// -----

tile.kernel @add_of_two(%x: memref<?xi32>, %v: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{atomic_c13: 'add' takes one value}}
    "tile.atomic"(%v, %v, %x, %i) <{kind = #tile.atomic_kind<add>, order = #tile.memory_order<relaxed>, scope = #tile.memory_scope<device>, dims = array<i64>,
        limited = array<i1>, maskDims = array<i64>, indexed = array<i64>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (i32, i32, memref<?xi32>, index) -> ()
  }
  tile.return
}

// -----

tile.kernel @cas_of_types(%x: memref<?xi32>, %v: i32, %w: i64) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{atomic_c13: the two values have types 'i32' and 'i64'}}
    "tile.atomic"(%v, %w, %x, %i) <{kind = #tile.atomic_kind<cas>, order = #tile.memory_order<relaxed>, scope = #tile.memory_scope<device>, dims = array<i64>,
        limited = array<i1>, maskDims = array<i64>, indexed = array<i64>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (i32, i64, memref<?xi32>, index) -> ()
  }
  tile.return
}

// -----

tile.kernel @result(%x: memref<?xi32>, %v: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{atomic_c13: the result has the type of the value, 'i32', got 'i64'}}
    %r = "tile.atomic"(%v, %x, %i) <{kind = #tile.atomic_kind<add>, order = #tile.memory_order<relaxed>, scope = #tile.memory_scope<device>, dims = array<i64>,
        limited = array<i1>, maskDims = array<i64>, indexed = array<i64>, operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>}> : (i32, memref<?xi32>, index) -> i64
  }
  tile.return
}

// -----

tile.kernel @ordered_tile(%x: memref<?xi32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %v = arith.constant dense<1> : tensor<8xi32>
    // expected-error @+1 {{atomic_c14: orders (release), but a tile is many steps in any order; use a scalar, or relaxed}}
    tile.atomic add release %v, %x[%i] : tensor<8xi32> -> memref<?xi32>
  }
  tile.return
}

// -----

tile.kernel @coordinates(%x: memref<?x?xi32>, %v: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{store_c1: needs one coordinate for each of the 2 dimensions of 'memref<?x?xi32>', got 1}}
    tile.atomic add %v, %x[%i] : i32 -> memref<?x?xi32>
  }
  tile.return
}

// -----

tile.kernel @element(%x: memref<?xi64>, %v: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{store_c3: the memref holds 'i64' but the tile 'i32'; convert with arith.extsi before the atomic}}
    tile.atomic add %v, %x[%i] : i32 -> memref<?xi64>
  }
  tile.return
}

// -----

tile.kernel @indices(%x: memref<?xi32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %at = arith.constant dense<0> : tensor<4xi32>
    %v = arith.constant dense<1> : tensor<8xi32>
    // expected-error @+1 {{store_c8: the index tile for dimension 0 must have rank 1 and extent 8}}
    tile.atomic add %v, %x[%at : tensor<4xi32>] : tensor<8xi32> -> memref<?xi32>
  }
  tile.return
}

// -----

tile.kernel @steps(%x: memref<?xi32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %v = arith.constant dense<1> : tensor<8xi32>
    // expected-error @+1 {{store_c9: an element step must be positive, got 0}}
    tile.atomic add %v, %x[%i] strides = [0] : tensor<8xi32> -> memref<?xi32>
  }
  tile.return
}

// -----

tile.kernel @stride_0(%x: memref<8xi32, strided<[0]>>, %v: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{store_c6: dimension 0 of 'memref<8xi32, strided<[0]>>' has stride 0: it may be loaded, not stored}}
    tile.atomic add %v, %x[%i] : i32 -> memref<8xi32, strided<[0]>>
  }
  tile.return
}

// -----

tile.kernel @hints(%x: memref<?xi32>, %v: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{expected ':'}}
    tile.atomic add %v, %x[%i] cache = last : i32 -> memref<?xi32>
  }
  tile.return
}
