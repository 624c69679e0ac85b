// RUN: tile-opt %s -tile-verify -split-input-file -verify-diagnostics -allow-unregistered-dialect

// Types that are not of the language.

tile.kernel @vector(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{has type 'vector<8xf32>'; values are tiles, memrefs, and scalars of f64 f32 f16 bf16 f8E4M3FN f8E5M2 i64 i32 i16 i8 i1 index; tiles are tensors}}
    %0 = arith.constant dense<1.0> : vector<8xf32>
  }
  tile.return
}

// -----

tile.kernel @dynamic(%x: memref<?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{has type 'tensor<?xf32>'; a tile has a static shape: load a tile of fixed extents}}
    %0 = tile.load %x[%i] : memref<?xf32> -> tensor<?xf32>
  }
  tile.return
}

// -----

tile.kernel @encoding(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{a tile of the language has no encoding}}
    %0 = arith.constant dense<1.0> : tensor<8xf32, "shared">
  }
  tile.return
}

// -----

tile.kernel @rank_5(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{of rank 5; a tile has rank 0 to 4}}
    %0 = arith.constant dense<1.0> : tensor<1x1x1x1x1xf32>
  }
  tile.return
}

// -----

tile.kernel @no_elements(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{the extents of a tile are at least 1}}
    %0 = arith.constant dense<> : tensor<0xf32>
  }
  tile.return
}

// -----

tile.kernel @f8(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{of the floats of 8 bits and less only these two are supported}}
    %0 = arith.truncf %m : tensor<8x8xf32> to tensor<8x8xf8E4M3>
  }
  tile.return
}

// -----

tile.kernel @f4(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{of the floats of 8 bits and less only these two are supported}}
    %0 = arith.truncf %m : tensor<8x8xf32> to tensor<8x8xf4E2M1FN>
  }
  tile.return
}

// -----

tile.kernel @i4(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{integers of less than 8 bits (but i1) are not yet supported}}
    %0 = arith.constant dense<1> : tensor<8xi4>
  }
  tile.return
}

// -----

tile.kernel @i7(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{the elements of a tile are f64 f32 f16 bf16 f8E4M3FN f8E5M2 i64 i32 i16 i8 i1 index}}
    %0 = arith.constant dense<1> : tensor<8xi7>
  }
  tile.return
}

// -----

tile.kernel @tf32(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    %m = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @+1 {{tf32 is a precision of tile.mma on f32}}
    %0 = arith.truncf %m : tensor<8x8xf32> to tensor<8x8xtf32>
  }
  tile.return
}

// -----

tile.kernel @complex(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{complex numbers are pairs of tiles, real and imaginary}}
    %0 = arith.constant dense<(1.0, 2.0)> : tensor<8xcomplex<f32>>
  }
  tile.return
}

// -----

tile.kernel @signed(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{integers are signless, ops are signed or unsigned}}
    %0 = arith.constant dense<1> : tensor<8xsi32>
  }
  tile.return
}

// -----

tile.kernel @scalar_f8(%f: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{has type 'f8E4M3B11FNUZ'; values are tiles, memrefs, and scalars}}
    %0 = arith.truncf %f : f32 to f8E4M3B11FNUZ
  }
  tile.return
}

// -----

tile.kernel @i128(%A: memref<?x?xf32>, %n: index, %c: i1) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{has type 'i128'; values are tiles, memrefs, and scalars}}
    %0 = arith.constant 1 : i128
  }
  tile.return
}

// -----

tile.kernel @loop_type() {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{docs/Language.md lists the ops}}
    %d = "my.tile"() : () -> tensor<?xf32>
    // expected-error @+1 {{has type 'tensor<?xf32>'; a tile has a static shape}}
    %0 = scf.for %j = %i to %i step %i iter_args(%t = %d) -> (tensor<?xf32>) {
    scf.yield %t : tensor<?xf32>
    }
  }
  tile.return
}

// -----

tile.kernel @dynamic_splat(%f: f32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // expected-error @+1 {{has type 'tensor<?xf32>'; a tile has a static shape}}
    %0 = tensor.splat %f[%i] : tensor<?xf32>
  }
  tile.return
}
