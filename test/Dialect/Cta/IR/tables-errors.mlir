// RUN: tile-opt %s -split-input-file -verify-diagnostics

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>

tile.kernel @no_identity(%H: memref<?xi32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    // expected-error @+1 {{table_c1: 'exchange' of 'i32' has no element that changes nothing, with which a table could begin}}
    %t = cta.table exchange %H dims = [0] : memref<?xi32> -> !cta.smem<64xi32, #lin>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>

tile.kernel @no_bits_of_floats(%H: memref<?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    // expected-error @+1 {{table_c1: 'and' of 'f32' has no element that changes nothing}}
    %t = cta.table and %H dims = [0] : memref<?xf32> -> !cta.smem<64xf32, #lin>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>

tile.kernel @no_atomics_of_bytes(%H: memref<?xi8>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    // expected-error @+1 {{atomic_c12: elements of 'i8' have no atomics}}
    %t = cta.table add %H dims = [0] : memref<?xi8> -> !cta.smem<64xi8, #lin>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>

tile.kernel @dims_descend(%H: memref<?x?xi32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    // expected-error @+1 {{table_c2: 'dims' are dimensions of 'memref<?x?xi32>', ascending, got [1, 0]}}
    %t = cta.table add %H dims = [1, 0] : memref<?x?xi32> -> !cta.smem<64xi32, #lin>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>

tile.kernel @dims_beyond(%H: memref<?xi32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    // expected-error @+1 {{table_c2: 'dims' are dimensions of 'memref<?xi32>', ascending, got [1]}}
    %t = cta.table add %H dims = [1] : memref<?xi32> -> !cta.smem<64xi32, #lin>
  }
  tile.return
}

// -----

#pad = #cta.swizzle<linear, pad = 16>

tile.kernel @padded(%H: memref<?xi32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    // expected-error @+1 {{table_c3: the table is a linear shared tile of rank 1 of 'i32', without padding, got '!cta.smem<64xi32}}
    %t = cta.table add %H dims = [0] : memref<?xi32> -> !cta.smem<64xi32, #pad>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>

tile.kernel @other_elements(%H: memref<?xi32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    // expected-error @+1 {{table_c3: the table is a linear shared tile of rank 1 of 'i32'}}
    %t = cta.table add %H dims = [0] : memref<?xi32> -> !cta.smem<64xi64, #lin>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>

tile.kernel @too_small(%H: memref<16x?x8xi32>, %c: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c2 = arith.constant 2 : index
    // As large as the sizes that are known, times the copies.
    %t = cta.table add %H dims = [0, 1, 2] copies = %c2 : memref<16x?x8xi32> -> !cta.smem<256xi32, #lin>
    // expected-error @+1 {{table_c3: there are 256 places at least, but room for 255}}
    %u = cta.table add %H dims = [0, 1, 2] copies = %c2 : memref<16x?x8xi32> -> !cta.smem<255xi32, #lin>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>

tile.kernel @odd_copies(%H: memref<?xi32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c3 = arith.constant 3 : index
    // expected-error @+1 {{table_c4: 'copies' is a power of two from 1 to 32, got 3}}
    %t = cta.table add %H dims = [0] copies = %c3 : memref<?xi32> -> !cta.smem<64xi32, #lin>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>

tile.kernel @many_copies(%H: memref<?xi32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c64 = arith.constant 64 : index
    // expected-error @+1 {{table_c4: 'copies' is a power of two from 1 to 32, got 64}}
    %t = cta.table add %H dims = [0] copies = %c64 : memref<?xi32> -> !cta.smem<64xi32, #lin>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>

tile.kernel @read(%H: memref<?xi32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    // expected-error @+1 {{table_c5: only cta.atomic (into) and cta.flush use a table}}
    %t = cta.table add %H dims = [0] : memref<?xi32> -> !cta.smem<512xi32, #lin>
    // expected-note @+1 {{here it is used otherwise}}
    %x = cta.read %t : !cta.smem<512xi32, #lin> -> tensor<512xi32, #l>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>

tile.kernel @in_a_role(%H: memref<?xi32>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c1 = arith.constant 1 : index
  cta.launch @in_a_role_0 blocks(%c1) {
    cta.role @math warps(4) {
      // expected-error @+1 {{table_c6: stands in a role, but all threads of a block count in its table}}
      %t = cta.table add %H dims = [0] : memref<?xi32> -> !cta.smem<512xi32, #lin>
    }
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>

tile.kernel @flush_elsewhere(%H: memref<?xi32>, %G: memref<?xi32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %t = cta.table add %H dims = [0] : memref<?xi32> -> !cta.smem<512xi32, #lin>
    // expected-error @+1 {{flush_c1: adds a cta.table of the same memref to it}}
    cta.flush %t, %G[] : !cta.smem<512xi32, #lin> -> memref<?xi32>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>

tile.kernel @flush_coords(%H: memref<?x?xi32>, %i: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %t = cta.table add %H dims = [1] : memref<?x?xi32> -> !cta.smem<512xi32, #lin>
    // expected-error @+1 {{flush_c2: the table lacks 1 dimensions of the memref, but there are 0 coordinates}}
    cta.flush %t, %H[] : !cta.smem<512xi32, #lin> -> memref<?x?xi32>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>

tile.kernel @no_table(%H: memref<?xi32>, %x: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %v = arith.constant dense<1> : tensor<512xi32, #l>
    %s = cta.stage %v : tensor<512xi32, #l> -> !cta.smem<512xi32, #lin>
    // expected-error @+1 {{atomic_c15: 'into' is no cta.table}}
    cta.atomic add %v, %H[%x] : tensor<512xi32, #l> -> memref<?xi32> into %s : !cta.smem<512xi32, #lin>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>

tile.kernel @other_kind(%H: memref<?xi32>, %x: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %v = arith.constant dense<1> : tensor<512xi32, #l>
    %t = cta.table add %H dims = [0] : memref<?xi32> -> !cta.smem<512xi32, #lin>
    // expected-error @+1 {{atomic_c15: the table is for 'add' on another memref or of another kind}}
    cta.atomic max %v, %H[%x] : tensor<512xi32, #l> -> memref<?xi32> into %t : !cta.smem<512xi32, #lin>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>

tile.kernel @returns(%H: memref<?xi32>, %x: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %v = arith.constant dense<1> : tensor<512xi32, #l>
    %t = cta.table add %H dims = [0] : memref<?xi32> -> !cta.smem<512xi32, #lin>
    // expected-error @+1 {{atomic_c15: what other blocks and the host see of steps in a table is their sum}}
    %0 = cta.atomic add returning %v, %H[%x] : tensor<512xi32, #l> -> memref<?xi32> into %t : !cta.smem<512xi32, #lin>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>

tile.kernel @system(%H: memref<?xi32>, %x: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %v = arith.constant dense<1> : tensor<512xi32, #l>
    %t = cta.table add %H dims = [0] : memref<?xi32> -> !cta.smem<512xi32, #lin>
    // expected-error @+1 {{atomic_c15: what other blocks and the host see of steps in a table is their sum}}
    cta.atomic add system %v, %H[%x] : tensor<512xi32, #l> -> memref<?xi32> into %t : !cta.smem<512xi32, #lin>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>

tile.kernel @lacks_dimension(%H: memref<?x?xi32>, %x: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %v = arith.constant dense<1> : tensor<512xi32, #l>
    %t = cta.table add %H dims = [0] : memref<?x?xi32> -> !cta.smem<512xi32, #lin>
    // expected-error @+1 {{atomic_c15: the table does not have dimension 1, in which the op accesses several coordinates}}
    cta.atomic add %v, %H[%x, %x] : tensor<512xi32, #l> -> memref<?x?xi32> into %t : !cta.smem<512xi32, #lin>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>

tile.kernel @floats_meet(%H: memref<?xf32>, %X: memref<?xi32>, %x: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %v = arith.constant dense<1.0> : tensor<512xf32, #l>
    %i = cta.load %X[%x] : memref<?xi32> -> tensor<512xi32, #l>
    %t = cta.table add %H dims = [0] : memref<?xf32> -> !cta.smem<512xf32, #lin>
    // expected-error @+1 {{atomic_c16: shared memory has no steps of 'add' of 'f32', but elements of an index tile may meet}}
    cta.atomic add %v, %H[%i : tensor<512xi32, #l>] : tensor<512xf32, #l> -> memref<?xf32> into %t : !cta.smem<512xf32, #lin>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>

tile.kernel @extremes_of_i64_meet(%H: memref<?xi64>, %X: memref<?xi32>, %x: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %v = arith.constant dense<1> : tensor<512xi64, #l>
    %i = cta.load %X[%x] : memref<?xi32> -> tensor<512xi32, #l>
    %t = cta.table max %H dims = [0] : memref<?xi64> -> !cta.smem<512xi64, #lin>
    // expected-error @+1 {{atomic_c16: shared memory has no steps of 'max' of 'i64'}}
    cta.atomic max %v, %H[%i : tensor<512xi32, #l>] : tensor<512xi64, #l> -> memref<?xi64> into %t : !cta.smem<512xi64, #lin>
  }
  tile.return
}

// -----

tile.kernel @helper(%X: memref<?xi32>) {
  // expected-error @+1 {{has the attribute 'cta.persistent' = "x", which must be an integer}}
  tile.grid () = () to () step () attributes {cta.persistent = "x"} {
  }
  tile.return
}

// -----

// expected-error @+1 {{has the attribute 'tile.tables' = 3 : i64, which must be unit}}
tile.kernel @helper(%X: memref<?xi32>) attributes {tile.tables = 3} {
  tile.return
}
