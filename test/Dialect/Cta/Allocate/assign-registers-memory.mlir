// RUN: tile-opt %s -cta-assign-registers | FileCheck %s
// RUN: tile-opt %s -cta-assign-registers -cta-assign-registers | FileCheck %s

// Threads that load, reduce and store: so many blocks share an SM that 48 KiB are under way, as far as the registers reach that live across loads and reductions.

#x = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warps = [[0, 256], [0, 512]]>
#g = #cta.frag<regs = [[1], [2], [4]], lanes = [[8], [16], [32], [64], [128]], warps = [[256], [512]]>
#part = #cta.frag<regs = [], lanes = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warps = [[0, 1], [0, 2]]>
#one = #cta.frag<splat, rank = 1, warps = 2, wg = 1>
#four = #cta.frag<splat, rank = 2, warps = 2, wg = 1>

// 16 KiB of X: three blocks. The gain, which all blocks load alike, does not count as bytes, but its 32 registers and the 32 of X, which
// its conversion is made from again, live across the reduction.
// CHECK-LABEL: tile.kernel @rows(
// CHECK: cta.launch @rows_0 blocks(%{{.+}}) attributes {cta.blocks_for_memory, max_registers = 168 : i64, min_blocks = 3 : i64, shared = 16 : i64, threads = 128 : i64}
tile.kernel @rows(%X: memref<?x8192xbf16>, %G: memref<8192xbf16>, %Y: memref<?x8192xbf16>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @rows_0 blocks(%n) attributes {shared = 16} {
    %c0 = arith.constant 0 : index
    %i = cta.block_id : index
    %in = cta.load %X[%i, %c0] {vector = 8 : i64} : memref<?x8192xbf16> -> tensor<1x8192xbf16, #x>
    %gain = cta.load %G[%c0] {vector = 8 : i64} : memref<8192xbf16> -> tensor<8192xbf16, #g>
    %x = arith.extf %in : tensor<1x8192xbf16, #x> to tensor<1x8192xf32, #x>
    %init = arith.constant -0.0 : f32
    %sum = cta.reduce (%x) dims = [1] init(%init) attributes {partial} {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    } : tensor<1x8192xf32, #x> -> tensor<1x4xf32, #part>
    %staged = cta.stage %sum {offset = 0} : tensor<1x4xf32, #part> -> !cta.smem<1x4xf32, #cta.swizzle<linear>>
    cta.barrier
    %parts = cta.read %staged : !cta.smem<1x4xf32, #cta.swizzle<linear>> -> tensor<1x4xf32, #four>
    %all = cta.reduce (%parts) dims = [1] init(%init) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    } : tensor<1x4xf32, #four> -> tensor<1xf32, #one>
    %alls = cta.broadcast %all dims = [0] : tensor<1xf32, #one> -> tensor<1x8192xf32, #x>
    %scaled = arith.mulf %x, %alls : tensor<1x8192xf32, #x>
    %g = arith.extf %gain : tensor<8192xbf16, #g> to tensor<8192xf32, #g>
    %gs = cta.broadcast %g dims = [1] : tensor<8192xf32, #g> -> tensor<1x8192xf32, #x>
    %y = arith.mulf %scaled, %gs : tensor<1x8192xf32, #x>
    %out = arith.truncf %y : tensor<1x8192xf32, #x> to tensor<1x8192xbf16, #x>
    cta.store %out, %Y[%i, %c0] {vector = 8 : i64} : tensor<1x8192xbf16, #x> -> memref<?x8192xbf16>
  }
  tile.return
}

// The same of single elements: a register each, and no conversion that is cheaper to keep. 64 + 64 + 26 still leave room for three blocks; with a third array there is room for two.
// CHECK-LABEL: tile.kernel @elements(
// CHECK: cta.launch @elements_0 blocks(%{{.+}}) attributes {cta.blocks_for_memory, max_registers = 168 : i64, min_blocks = 3 : i64
// CHECK: cta.launch @elements_1 blocks(%{{.+}}) attributes {cta.blocks_for_memory, max_registers = 255 : i64, min_blocks = 2 : i64
tile.kernel @elements(%X: memref<?x8192xbf16>, %G: memref<8192xbf16>, %Y: memref<?x8192xbf16>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @elements_0 blocks(%n) attributes {} {
    %c0 = arith.constant 0 : index
    %i = cta.block_id : index
    %x = cta.load %X[%i, %c0] : memref<?x8192xbf16> -> tensor<1x8192xbf16, #x>
    %gain = cta.load %G[%c0] : memref<8192xbf16> -> tensor<8192xbf16, #g>
    %gains = cta.broadcast %gain dims = [1] : tensor<8192xbf16, #g> -> tensor<1x8192xbf16, #x>
    %y = arith.mulf %x, %gains : tensor<1x8192xbf16, #x>
    cta.store %y, %Y[%i, %c0] : tensor<1x8192xbf16, #x> -> memref<?x8192xbf16>
  }
  cta.launch @elements_1 blocks(%n) attributes {} {
    %c0 = arith.constant 0 : index
    %i = cta.block_id : index
    %x = cta.load %X[%i, %c0] : memref<?x8192xbf16> -> tensor<1x8192xbf16, #x>
    %gain = cta.load %G[%c0] : memref<8192xbf16> -> tensor<8192xbf16, #g>
    %bias = cta.load %G[%c0] : memref<8192xbf16> -> tensor<8192xbf16, #g>
    %gains = cta.broadcast %gain dims = [1] : tensor<8192xbf16, #g> -> tensor<1x8192xbf16, #x>
    %scaled = arith.mulf %x, %gains : tensor<1x8192xbf16, #x>
    %biases = cta.broadcast %bias dims = [1] : tensor<8192xbf16, #g> -> tensor<1x8192xbf16, #x>
    %y = arith.addf %scaled, %biases : tensor<1x8192xbf16, #x>
    cta.store %y, %Y[%i, %c0] : tensor<1x8192xbf16, #x> -> memref<?x8192xbf16>
  }
  tile.return
}

// Enough bytes in one block: still two, so that one loads while the other computes; shared memory may be for one only. What the source IR gives is kept.
// CHECK-LABEL: tile.kernel @large(
// CHECK: cta.launch @large_0 blocks(%{{.+}}) attributes {cta.blocks_for_memory, max_registers = 255 : i64, min_blocks = 2 : i64, threads = 128 : i64}
// CHECK: cta.launch @large_1 blocks(%{{.+}}) attributes {max_registers = 255 : i64, shared = 131072 : i64, threads = 128 : i64}
// CHECK: cta.launch @large_2 blocks(%{{.+}}) attributes {max_registers = 255 : i64, min_blocks = 1 : i64, threads = 128 : i64}
tile.kernel @large(%X: memref<?x16384xf32>, %Y: memref<?x16384xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @large_0 blocks(%n) attributes {} {
    %c0 = arith.constant 0 : index
    %i = cta.block_id : index
    %x = cta.load %X[%i, %c0] {vector = 4 : i64} : memref<?x16384xf32> -> tensor<1x16384xf32, #x>
    cta.store %x, %Y[%i, %c0] {vector = 4 : i64} : tensor<1x16384xf32, #x> -> memref<?x16384xf32>
  }
  cta.launch @large_1 blocks(%n) attributes {shared = 131072} {
    %c0 = arith.constant 0 : index
    %i = cta.block_id : index
    %x = cta.load %X[%i, %c0] {vector = 4 : i64} : memref<?x16384xf32> -> tensor<1x16384xf32, #x>
    cta.store %x, %Y[%i, %c0] {vector = 4 : i64} : tensor<1x16384xf32, #x> -> memref<?x16384xf32>
  }
  cta.launch @large_2 blocks(%n) attributes {min_blocks = 1} {
    %c0 = arith.constant 0 : index
    %i = cta.block_id : index
    %x = cta.load %X[%i, %c0] {vector = 4 : i64} : memref<?x16384xf32> -> tensor<1x16384xf32, #x>
    cta.store %x, %Y[%i, %c0] {vector = 4 : i64} : tensor<1x16384xf32, #x> -> memref<?x16384xf32>
  }
  tile.return
}

// Nothing is known of loads in a loop, and nothing to ask for where all blocks load the same, or where nothing is loaded.
// CHECK-LABEL: tile.kernel @others(
// CHECK-NOT: min_blocks
// CHECK: tile.return
tile.kernel @others(%X: memref<?x8192xf32>, %G: memref<8192xf32>, %Y: memref<?x8192xf32>, %n: index, %m: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @loop_0 blocks(%n) attributes {} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i = cta.block_id : index
    %zero = arith.constant dense<0.0> : tensor<1x8192xf32, #x>
    %sum = scf.for %j = %i to %m step %c1 iter_args(%s = %zero) -> (tensor<1x8192xf32, #x>) {
      %x = cta.load %X[%j, %c0] {vector = 4 : i64} : memref<?x8192xf32> -> tensor<1x8192xf32, #x>
      %t = arith.addf %s, %x : tensor<1x8192xf32, #x>
      scf.yield %t : tensor<1x8192xf32, #x>
    }
    cta.store %sum, %Y[%i, %c0] {vector = 4 : i64} : tensor<1x8192xf32, #x> -> memref<?x8192xf32>
  }
  cta.launch @same_0 blocks(%n) attributes {} {
    %c0 = arith.constant 0 : index
    %i = cta.block_id : index
    %g = cta.load %G[%c0] {vector = 4 : i64} : memref<8192xf32> -> tensor<8192xf32, #g>
    %x = cta.broadcast %g dims = [1] : tensor<8192xf32, #g> -> tensor<1x8192xf32, #x>
    cta.store %x, %Y[%i, %c0] {vector = 4 : i64} : tensor<1x8192xf32, #x> -> memref<?x8192xf32>
  }
  cta.launch @fill_0 blocks(%n) attributes {} {
    %c0 = arith.constant 0 : index
    %i = cta.block_id : index
    %zero = arith.constant dense<0.0> : tensor<1x8192xf32, #x>
    cta.store %zero, %Y[%i, %c0] {vector = 4 : i64} : tensor<1x8192xf32, #x> -> memref<?x8192xf32>
  }
  tile.return
}

// A row that the block's number reaches only through what it loads is its own, too, and so is one that control flow decides: a branch, a loop over as many
// rows as the block's number says, a search.
// CHECK-LABEL: tile.kernel @chosen(
// CHECK: cta.launch @chosen_0 blocks(%{{.+}}) attributes {cta.blocks_for_memory, max_registers = 255 : i64, min_blocks = 2 : i64, threads = 128 : i64}
// CHECK: cta.launch @branch_0 blocks(%{{.+}}) attributes {cta.blocks_for_memory, max_registers = 255 : i64, min_blocks = 2 : i64, threads = 128 : i64}
// CHECK: cta.launch @loop_0 blocks(%{{.+}}) attributes {cta.blocks_for_memory, max_registers = 255 : i64, min_blocks = 2 : i64, threads = 128 : i64}
// CHECK: cta.launch @search_0 blocks(%{{.+}}) attributes {cta.blocks_for_memory, max_registers = 255 : i64, min_blocks = 2 : i64, threads = 128 : i64}
tile.kernel @chosen(%X: memref<?x8192xf32>, %R: memref<?xi32>, %Y: memref<?x8192xf32>, %n: index, %c: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @chosen_0 blocks(%n) attributes {} {
    %c0 = arith.constant 0 : index
    %i = cta.block_id : index
    %row = memref.load %R[%i] : memref<?xi32>
    %at = arith.index_cast %row : i32 to index
    %x = cta.load %X[%at, %c0] {vector = 4 : i64} : memref<?x8192xf32> -> tensor<1x8192xf32, #x>
    cta.store %x, %Y[%i, %c0] {vector = 4 : i64} : tensor<1x8192xf32, #x> -> memref<?x8192xf32>
  }
  cta.launch @branch_0 blocks(%n) attributes {} {
    %c0 = arith.constant 0 : index
    %i = cta.block_id : index
    %at = scf.if %c -> (index) {
      scf.yield %i : index
    } else {
      scf.yield %c0 : index
    }
    %x = cta.load %X[%at, %c0] {vector = 4 : i64} : memref<?x8192xf32> -> tensor<1x8192xf32, #x>
    cta.store %x, %Y[%i, %c0] {vector = 4 : i64} : tensor<1x8192xf32, #x> -> memref<?x8192xf32>
  }
  cta.launch @loop_0 blocks(%n) attributes {} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i = cta.block_id : index
    %at = scf.for %k = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
      %t = arith.addi %s, %i : index
      scf.yield %t : index
    }
    %x = cta.load %X[%at, %c0] {vector = 4 : i64} : memref<?x8192xf32> -> tensor<1x8192xf32, #x>
    cta.store %x, %Y[%i, %c0] {vector = 4 : i64} : tensor<1x8192xf32, #x> -> memref<?x8192xf32>
  }
  cta.launch @search_0 blocks(%n) attributes {} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i = cta.block_id : index
    %at = scf.while (%s = %c0) : (index) -> index {
      %below = arith.cmpi slt, %s, %i : index
      scf.condition(%below) %s : index
    } do {
    ^bb0(%s: index):
      %t = arith.addi %s, %c1 : index
      scf.yield %t : index
    }
    %x = cta.load %X[%at, %c0] {vector = 4 : i64} : memref<?x8192xf32> -> tensor<1x8192xf32, #x>
    cta.store %x, %Y[%i, %c0] {vector = 4 : i64} : tensor<1x8192xf32, #x> -> memref<?x8192xf32>
  }
  tile.return
}

// What an atomic returns is another ticket in each block.
// CHECK-LABEL: tile.kernel @ticket(
// CHECK: cta.launch @ticket_0 blocks(%{{.+}}) attributes {cta.blocks_for_memory, max_registers = 255 : i64, min_blocks = 2 : i64, threads = 128 : i64}
tile.kernel @ticket(%X: memref<?x8192xf32>, %C: memref<1xi32>, %Y: memref<?x8192xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @ticket_0 blocks(%n) attributes {} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %i = cta.block_id : index
    %ticket = memref.atomic_rmw addi %one, %C[%c0] : (i32, memref<1xi32>) -> i32
    %at = arith.index_cast %ticket : i32 to index
    %x = cta.load %X[%at, %c0] {vector = 4 : i64} : memref<?x8192xf32> -> tensor<1x8192xf32, #x>
    cta.store %x, %Y[%i, %c0] {vector = 4 : i64} : tensor<1x8192xf32, #x> -> memref<?x8192xf32>
  }
  tile.return
}

// Of the regions of a branch one is executed. A given number of registers is for one block.
// CHECK-LABEL: tile.kernel @bounded(
// CHECK: cta.launch @alternatives_0 blocks(%{{.+}}) attributes {cta.blocks_for_memory, max_registers = 168 : i64, min_blocks = 3 : i64, threads = 128 : i64}
// CHECK: cta.launch @registers_0 blocks(%{{.+}}) attributes {max_registers = 200 : i64, threads = 128 : i64}
tile.kernel @bounded(%X: memref<?x8192xbf16>, %Y: memref<?x8192xbf16>, %n: index, %c: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @alternatives_0 blocks(%n) attributes {} {
    %c0 = arith.constant 0 : index
    %i = cta.block_id : index
    scf.if %c {
      %x = cta.load %X[%i, %c0] {vector = 8 : i64} : memref<?x8192xbf16> -> tensor<1x8192xbf16, #x>
      cta.store %x, %Y[%i, %c0] {vector = 8 : i64} : tensor<1x8192xbf16, #x> -> memref<?x8192xbf16>
    } else {
      %x = cta.load %X[%c0, %i] {vector = 8 : i64} : memref<?x8192xbf16> -> tensor<1x8192xbf16, #x>
      cta.store %x, %Y[%i, %c0] {vector = 8 : i64} : tensor<1x8192xbf16, #x> -> memref<?x8192xbf16>
    }
  }
  cta.launch @registers_0 blocks(%n) attributes {max_registers = 200} {
    %c0 = arith.constant 0 : index
    %i = cta.block_id : index
    %x = cta.load %X[%i, %c0] {vector = 8 : i64} : memref<?x8192xbf16> -> tensor<1x8192xbf16, #x>
    cta.store %x, %Y[%i, %c0] {vector = 8 : i64} : tensor<1x8192xbf16, #x> -> memref<?x8192xbf16>
  }
  tile.return
}

// A thread keeps little of 2 KiB in a block, but with fewer than 40 registers it computes too little at a time: 12 blocks instead of 16.
// CHECK-LABEL: tile.kernel @small(
// CHECK: cta.launch @small_0 blocks(%{{.+}}) attributes {cta.blocks_for_memory, max_registers = 40 : i64, min_blocks = 12 : i64, threads = 128 : i64}
tile.kernel @small(%X: memref<?x1024xbf16>, %Y: memref<?x1024xbf16>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @small_0 blocks(%n) attributes {} {
    %c0 = arith.constant 0 : index
    %i = cta.block_id : index
    %x = cta.load %X[%i, %c0] {vector = 8 : i64} : memref<?x1024xbf16> -> tensor<1x1024xbf16, #x>
    cta.store %x, %Y[%i, %c0] {vector = 8 : i64} : tensor<1x1024xbf16, #x> -> memref<?x1024xbf16>
  }
  tile.return
}
