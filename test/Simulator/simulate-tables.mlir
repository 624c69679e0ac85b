// RUN: tile-opt %s -o /dev/null -split-input-file -verify-diagnostics --cta-simulate="sizes=N=2048 timings=16 verbose"

// Private tables: threads make steps in any order, but not before all is clear, and nobody adds the table before all steps are made.

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>
!table = !cta.smem<512xi32, #lin>
tile.kernel @right(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<512xi32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  // expected-remark@+1 {{@k: simulated 1 of 1 blocks, 16 timings each: 16 events, no violation}}
  cta.launch @k blocks() attributes {threads = 128 : i64, shared = 2048 : i64} {
    %t = cta.table add %H dims = [0] {offset = 0} : memref<512xi32> -> !table
    cta.barrier
    scf.for %i = %c0 to %N step %c512 {
      %x = cta.load %X[%i] : memref<?xi32> -> tensor<512xi32, #l>
      cta.atomic add %x, %H[%x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<512xi32> into %t : !table
      cta.atomic add %x, %H[%i] : tensor<512xi32, #l> -> memref<512xi32> into %t : !table
    }
    cta.barrier
    cta.flush %t, %H[] : !table -> memref<512xi32>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>
!table = !cta.smem<512xi32, #lin>
tile.kernel @not_clear(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<512xi32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{in block 0 of @k, timing 0}}
  cta.launch @k blocks() attributes {threads = 128 : i64, shared = 2048 : i64} {
    // expected-note@+1 {{written here}}
    %t = cta.table add %H dims = [0] {offset = 0} : memref<512xi32> -> !table
    %x = cta.load %X[%c0] : memref<?xi32> -> tensor<512xi32, #l>
    // expected-error@+1 {{warp 0 of the block reads a tile that other warps have not written yet; a barrier must come between}}
    cta.atomic add %x, %H[%x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<512xi32> into %t : !table
    cta.barrier
    cta.flush %t, %H[] : !table -> memref<512xi32>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>
!table = !cta.smem<512xi32, #lin>
tile.kernel @too_early(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<512xi32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{in block 0 of @k, timing 0}}
  cta.launch @k blocks() attributes {threads = 128 : i64, shared = 2048 : i64} {
    %t = cta.table add %H dims = [0] {offset = 0} : memref<512xi32> -> !table
    %x = cta.load %X[%c0] : memref<?xi32> -> tensor<512xi32, #l>
    cta.barrier
    // expected-error@+1 {{warp 1 of the block overwrites shared memory while others may still read it; a barrier or a release must come between}}
    cta.atomic add %x, %H[%x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<512xi32> into %t : !table
    // expected-note@+1 {{the other access is here, cta.flush by warp 0 of the block}}
    cta.flush %t, %H[] : !table -> memref<512xi32>
  }
  tile.return
}

// -----

// What the iteration before has not added yet is cleared.
#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>
!table = !cta.smem<512xi32, #lin>
tile.kernel @again(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<?x512xi32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  // expected-note@+1 {{in block 0 of @k, timing 0}}
  cta.launch @k blocks() attributes {threads = 128 : i64, shared = 2048 : i64} {
    scf.for %i = %c0 to %N step %c512 {
      // expected-note@+1 {{by this}}
      %t = cta.table add %H dims = [1] {offset = 0} : memref<?x512xi32> -> !table
      cta.barrier
      %x = cta.load %X[%i] : memref<?xi32> -> tensor<512xi32, #l>
      cta.atomic add %x, %H[%i, %x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<?x512xi32> into %t : !table
      cta.barrier
      // expected-error@+1 {{warp 1 of the block reads a tile that has been overwritten}}
      cta.flush %t, %H[%i] : !table -> memref<?x512xi32>
    }
  }
  tile.return
}

// -----

// Boxes of floats are loaded and stored: one that moves meets what other threads store. The first one is always the same.
#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>
!floats = !cta.smem<512xf32, #lin>
tile.kernel @same_box(%X: memref<?xf32> {tile.shape = ["N"]}, %H: memref<512xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  // expected-remark@+1 {{@k: simulated 1 of 1 blocks, 16 timings each: 12 events, no violation}}
  cta.launch @k blocks() attributes {threads = 128 : i64, shared = 2048 : i64} {
    %t = cta.table add %H dims = [0] {offset = 0} : memref<512xf32> -> !floats
    cta.barrier
    scf.for %i = %c0 to %N step %c512 {
      %x = cta.load %X[%i] : memref<?xf32> -> tensor<512xf32, #l>
      cta.atomic add %x, %H[%c0] : tensor<512xf32, #l> -> memref<512xf32> into %t : !floats
    }
    cta.barrier
    cta.flush %t, %H[] : !floats -> memref<512xf32>
  }
  tile.return
}
tile.kernel @moving_box(%X: memref<?xf32> {tile.shape = ["N"]}, %H: memref<512xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %N = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  // expected-note@+1 {{in block 0 of @m, timing 0}}
  cta.launch @m blocks() attributes {threads = 128 : i64, shared = 2048 : i64} {
    %t = cta.table add %H dims = [0] {offset = 0} : memref<512xf32> -> !floats
    cta.barrier
    scf.for %i = %c0 to %N step %c512 {
      %x = cta.load %X[%i] : memref<?xf32> -> tensor<512xf32, #l>
      // expected-error@+2 {{warp 1 of the block overwrites shared memory that may not be written yet; a barrier or a release must come between}}
      // expected-note@+1 {{the other access is here, cta.atomic by warp 0 of the block}}
      cta.atomic add %x, %H[%i] : tensor<512xf32, #l> -> memref<512xf32> into %t : !floats
    }
    cta.barrier
    cta.flush %t, %H[] : !floats -> memref<512xf32>
  }
  tile.return
}
