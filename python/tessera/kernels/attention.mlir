// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention with the softmax computed online for tessera.torch.attention, as examples/attention-gqa.mlir: heads of any size up to 256, H / G heads of
// queries for each head of keys and values. tessera.torch binds HEAD, MASK, SUMS and PACKED; of the other parameters a call takes the choice that is
// predicted to be the fastest for its sizes.
//
// With PACKED = 2 sequences of different lengths lie one after the other in arrays of one batch: sequence n has the queries from CQ[n] to CQ[n+1] and the keys
// from CK[n] to CK[n+1], and `longest` is the number of queries of the longest one, or more. Where keys of a sequence end inside of a block, the block has keys
// of the next sequence, too, which are masked, and zeros for their values, so that these may be NaN. Rows of O that are in no sequence are not written.
//
// HEAD is the number of elements of a head, D. With MASK = 1 a query sees all keys, with 2 those up to its own place, both
// sequences ending together, with 3 the last `window` of those. With SUMS = 2 it writes LSE, too, the logarithms of the sums, for the gradients.
// Its rows may be longer than S, so that they begin at multiples of 16 bytes.
//
// BQ queries and BK keys: scores and output of a block are in registers. Three warpgroups share 192 queries, which keeps the tensor cores busy where
// heads are small; 64 queries are for short sequences.

// Where sequence n is: in which array, from which query to which, from which key to which. Packed sequences lie one after the other in one array; others have
// an array each.
func.func private @sequence(%n: index, %CQ: memref<?xi32>, %CK: memref<?xi32>, %S: index, %T: index, %packed: i1)
    -> (index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b, %q0, %q1, %k0, %k1 = scf.if %packed -> (index, index, index, index, index) {
    %next = arith.addi %n, %c1 : index
    %a32 = memref.load %CQ[%n] : memref<?xi32>
    %b32 = memref.load %CQ[%next] : memref<?xi32>
    %c32 = memref.load %CK[%n] : memref<?xi32>
    %d32 = memref.load %CK[%next] : memref<?xi32>
    // Also where they are no places of the arrays. Numbers of 32 bits take half as many registers.
    %zero = arith.constant 0 : i32
    %S32 = arith.index_cast %S : index to i32
    %T32 = arith.index_cast %T : index to i32
    %low = arith.maxsi %a32, %zero : i32
    %first32 = arith.minsi %low, %S32 : i32
    %high = arith.maxsi %b32, %first32 : i32
    %behind32 = arith.minsi %high, %S32 : i32
    %low_key = arith.maxsi %c32, %zero : i32
    %first_key32 = arith.minsi %low_key, %T32 : i32
    %high_key = arith.maxsi %d32, %first_key32 : i32
    %behind_key32 = arith.minsi %high_key, %T32 : i32
    %first = arith.index_cast %first32 : i32 to index
    %behind = arith.index_cast %behind32 : i32 to index
    %first_key = arith.index_cast %first_key32 : i32 to index
    %behind_key = arith.index_cast %behind_key32 : i32 to index
    scf.yield %c0, %first, %behind, %first_key, %behind_key : index, index, index, index, index
  } else {
    scf.yield %n, %c0, %S, %c0, %T : index, index, index, index, index
  }
  return %b, %q0, %q1, %k0, %k1 : index, index, index, index, index
}

tile.kernel @attention(%Q: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "H", "S", "D"]},
    %K: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "G", "T", "D"]},
    %V: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "G", "T", "D"]}, %scale: f32, %window: index,
    %CQ: memref<?xi32> {tile.shape = ["E"]}, %CK: memref<?xi32> {tile.shape = ["E"]}, %longest: index,
    %O: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "H", "S", "D"]}, %LSE: memref<?x?x?xf32>) {
  %HEAD = tile.param "HEAD" [128, 64, 96, 256, 192, 80, 112, 32, 16, 8, 24, 40, 48, 56, 72, 88, 104, 120, 136, 144, 152, 160, 168, 176,
                             184, 200, 208, 216, 224, 232, 240, 248] : index
  %MASK = tile.param "MASK" [1, 2, 3] : index
  %SUMS = tile.param "SUMS" [1, 2] : index
  %PACKED = tile.param "PACKED" [1, 2] : index
  %BQ = tile.param "BQ" [128, 192, 64] : index
  %BK = tile.param "BK" [128, 96, 64] : index
  // The extent of a head in a tile, as the tensor cores want it.
  %c16 = arith.constant 16 : index
  %sixteens = arith.ceildivui %HEAD, %c16 : index
  %WIDE = arith.muli %sixteens, %c16 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  // Registers hold scores of 128 keys beside heads of 128; of 96 beside 192 queries of a head of 96, or heads of 192; of 64 beside anything.
  %is192 = arith.cmpi eq, %BQ, %c192 : index
  %is64 = arith.cmpi eq, %BQ, %c64 : index
  %first = arith.select %is192, %c64, %c128 : index
  %second = arith.select %is192, %c96, %c192 : index
  %fits128 = arith.cmpi ule, %WIDE, %first : index
  %fits96 = arith.cmpi ule, %WIDE, %second : index
  %or64 = arith.select %fits96, %c96, %c64 : index
  %most = arith.select %fits128, %c128, %or64 : index
  %wanted = arith.select %is64, %c64, %most : index
  %goes = arith.cmpi eq, %BK, %wanted : index
  tile.assume %goes, "BK must be what the registers hold beside BQ and HEAD" : i1
  %three = arith.andi %is192, %fits96 : i1
  %true = arith.constant true
  %other = arith.xori %is192, %true : i1
  %shares = arith.ori %three, %other : i1
  tile.assume %shares, "192 queries are for heads of up to 96" : i1
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %causal = arith.cmpi uge, %MASK, %c2 : index
  %windowed = arith.cmpi eq, %MASK, %c3 : index
  %writes = arith.cmpi eq, %SUMS, %c2 : index
  %packed = arith.cmpi eq, %PACKED, %c2 : index
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %G = tile.dim "G" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  %D = tile.dim "D" : index
  %holds = arith.cmpi eq, %D, %HEAD : index
  tile.assume %holds, "a head has HEAD elements" : i1
  // No division by 0 where there are no heads.
  %some = arith.maxsi %G, %c1 : index
  %R = arith.divui %H, %some : index
  %product = arith.muli %R, %G : index
  %whole = arith.cmpi eq, %product, %H : index
  tile.assume %whole, "each head of keys has as many query heads" : i1
  // Places of queries and keys are computed in 32 bits.
  %limit = arith.constant 1073741824 : index
  %few_queries = arith.cmpi ule, %S, %limit : index
  tile.assume %few_queries, "there are at most 2^30 queries" : i1
  %few_keys = arith.cmpi ule, %T, %limit : index
  tile.assume %few_keys, "there are at most 2^30 keys" : i1
  scf.if %writes {
    %c0k = arith.constant 0 : index
    %batches = memref.dim %LSE, %c0k : memref<?x?x?xf32>
    %heads = memref.dim %LSE, %c1 : memref<?x?x?xf32>
    %queries = memref.dim %LSE, %c2 : memref<?x?x?xf32>
    %same_batches = arith.cmpi eq, %batches, %B : index
    %same_heads = arith.cmpi eq, %heads, %H : index
    %covers = arith.cmpi uge, %queries, %S : index
    %same = arith.andi %same_batches, %same_heads : i1
    %holds_all = arith.andi %same, %covers : i1
    tile.assume %holds_all, "LSE has an element for each query" : i1
  }
  scf.if %packed {
    %alone = arith.cmpi eq, %B, %c1 : index
    tile.assume %alone, "packed sequences are in one array" : i1
  }
  %E = tile.dim "E" : index
  %sequences = arith.subi %E, %c1 : index
  %count = arith.select %packed, %sequences, %B : index
  %length = arith.select %packed, %longest, %S : index
  tile.grid (%n, %h, %i) = (0, 0, 0) to (%count, %H, %length) step (1, 1, %BQ) {
    %c0 = arith.constant 0 : index
    %g = arith.divui %h, %R : index
    %b, %q0, %q1, %k0, %k1 = func.call @sequence(%n, %CQ, %CK, %S, %T, %packed)
        : (index, memref<?xi32>, memref<?xi32>, index, index, i1) -> (index, index, index, index, index)
    %queries = arith.subi %q1, %q0 : index
    %existing = arith.subi %k1, %k0 : index
    %row = arith.addi %q0, %i : index
    %q = tile.load %Q[%b, %h, %row, %c0] tile(%BQ, %WIDE) : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
    // exp(x) = exp2(x · log₂e): one factor for both.
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor[%BQ, %BK] : tensor<?x?xf32>
    %rows = tensor.splat %factor[%BQ] : tensor<?xf32>
    %least = arith.constant -1.0e30 : f32
    %floor = tensor.splat %least[%BQ] : tensor<?xf32>
    %none = arith.constant 0.0 : f32
    %zero = tensor.splat %none[%BQ] : tensor<?xf32>
    %nothing = tensor.splat %none[%BQ, %WIDE] : tensor<?x?xf32>
    %infinite = arith.constant 0xFF800000 : f32
    %never = tensor.splat %infinite[%BQ, %BK] : tensor<?x?xf32>
    // A query at row r sees the keys up to r + T − S.
    %shift = arith.subi %existing, %queries : index
    %first_key = arith.addi %i, %shift : index
    %last_key = arith.addi %first_key, %BQ : index
    %own_end = arith.minsi %last_key, %existing : index
    %until = arith.select %causal, %own_end, %existing : index
    // There is no such block in a sequence that is not the longest.
    %behind_all = arith.cmpi sge, %i, %queries : index
    %no_block = arith.andi %packed, %behind_all : i1
    %end = arith.select %no_block, %c0, %until : index
    // With a window it does not see those that are `width` and more keys before its own.
    %width = arith.minsi %window, %existing : index
    %behind = arith.subi %first_key, %width : index
    %nearest = arith.addi %behind, %c1 : index
    %lowest = arith.maxsi %nearest, %c0 : index
    %block = arith.divui %lowest, %BK : index
    %near_start = arith.muli %block, %BK : index
    %start = arith.select %windowed, %near_start, %c0 : index
    %behind32 = arith.index_cast %behind : index to i32
    %hidden = tile.iota dim = 0 from %behind32 extents(%BQ, %BK) : tensor<?x?xi32>
    %first32 = arith.index_cast %first_key : index to i32
    %own = tile.iota dim = 0 from %first32 extents(%BQ, %BK) : tensor<?x?xi32>
    %end32 = arith.index_cast %end : index to i32
    %keys = tensor.splat %end32[%BQ, %BK] : tensor<?x?xi32>
    %m, %l, %o = scf.for %j = %start to %end step %BK iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing)
        -> (tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>) {
      %place = arith.addi %k0, %j : index
      %k = tile.load %K[%b, %g, %place, %c0] tile(%WIDE, %BK) dims = [3, 2] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
      %qk = tile.mma %q, %k : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 extents(%BQ, %BK) : tensor<?x?xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<?x?xi32>
      %before = arith.cmpi sle, %key, %own : tensor<?x?xi32>
      %both = arith.andi %exists, %before : tensor<?x?xi1>
      %near = arith.cmpi sgt, %key, %hidden : tensor<?x?xi32>
      %all = arith.andi %both, %near : tensor<?x?xi1>
      %some_seen = arith.select %causal, %both, %exists : tensor<?x?xi1>
      %seen = arith.select %windowed, %all, %some_seen : tensor<?x?xi1>
      %s = arith.select %seen, %qk, %never : tensor<?x?xi1>, tensor<?x?xf32>
      %here = tile.reduce maximumf %s dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
      %m1 = arith.maximumf %m0, %here : tensor<?xf32>
      %scaled = arith.mulf %s, %factors : tensor<?x?xf32>
      %ms = arith.mulf %m1, %rows : tensor<?xf32>
      %top = tile.broadcast %ms dims = [0] extents(%BQ, %BK) : tensor<?xf32> -> tensor<?x?xf32>
      %d = arith.subf %scaled, %top : tensor<?x?xf32>
      %p = math.exp2 %d fastmath<afn> : tensor<?x?xf32>
      %drop = arith.subf %m0, %m1 : tensor<?xf32>
      %fall = arith.mulf %drop, %rows : tensor<?xf32>
      %a = math.exp2 %fall fastmath<afn> : tensor<?xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
      %kept = arith.mulf %l0, %a : tensor<?xf32>
      %l1 = arith.addf %kept, %part : tensor<?xf32>
      %as = tile.broadcast %a dims = [0] extents(%BQ, %WIDE) : tensor<?xf32> -> tensor<?x?xf32>
      %rescaled = arith.mulf %o0, %as : tensor<?x?xf32>
      %narrow = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xbf16>
      %v = tile.load %V[%b, %g, %place, %c0] tile(%BK, %WIDE) limit = [%k1, _]
          : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
      %o1 = tile.mma %narrow, %v, %rescaled : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %m1, %l1, %o1 : tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>
    }
    // A row that sees no key has l = 0 and o = 0: divide by 1. Its LSE is −∞, and ln 0 too.
    %empty = arith.cmpf oeq, %l, %zero : tensor<?xf32>
    %unit = arith.constant 1.0 : f32
    %one = tensor.splat %unit[%BQ] : tensor<?xf32>
    %divisor = arith.select %empty, %one, %l : tensor<?xi1>, tensor<?xf32>
    %inverse = arith.divf %one, %divisor : tensor<?xf32>
    %inverses = tile.broadcast %inverse dims = [0] extents(%BQ, %WIDE) : tensor<?xf32> -> tensor<?x?xf32>
    %r = arith.mulf %o, %inverses : tensor<?x?xf32>
    %out = arith.truncf %r : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %out, %O[%b, %h, %row, %c0] limit = [%q1, _] : tensor<?x?xbf16> -> memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>>
    scf.if %writes {
      %scales = tensor.splat %scale[%BQ] : tensor<?xf32>
      %base = arith.mulf %m, %scales : tensor<?xf32>
      %logs = math.log %l : tensor<?xf32>
      %lse = arith.addf %base, %logs : tensor<?xf32>
      %whole_row = memref.dim %LSE, %c2 : memref<?x?x?xf32>
      %lse_end = arith.select %packed, %q1, %whole_row : index
      tile.store %lse, %LSE[%b, %h, %row] limit = [%lse_end] : tensor<?xf32> -> memref<?x?x?xf32>
    }
  }
  tile.return
}
