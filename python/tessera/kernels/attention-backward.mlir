// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradients of attention.mlir for tessera.torch.attention, as examples/attention-backward.mlir and attention-backward-ordered.mlir: DQ, DK, DV from
// Q, K, V, O, the gradient DO of O and LSE, whose rows may be longer than S. tessera.torch binds HEAD, MASK, ORDER and PACKED,
// which are those of attention.mlir. Where a packed sequence ends inside of a block, the block has zeros for the rest.
//
// ORDER = 1: blocks of keys add their parts of DQ in memory, so that its last bits differ from run to run; for heads of up to 128. ORDER = 2: DQ has
// blocks of its own, which compute the softmax once more: two products more, and always the same bits. Heads of more than 128 have DK and DV in a grid
// each, since both do not fit the registers.

// Where sequence n is: in which array, from which query to which, from which key to which, and where its rows of L, E and A begin. Packed sequences lie one
// after the other in one array; others have an array each.
func.func private @sequence(%n: index, %CQ: memref<?xi32>, %CK: memref<?xi32>, %S: index, %T: index, %packed: i1)
    -> (index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %b, %q0, %q1, %k0, %k1, %r = scf.if %packed -> (index, index, index, index, index, index) {
    %next = arith.addi %n, %c1 : index
    %a32 = memref.load %CQ[%n] : memref<?xi32>
    %b32 = memref.load %CQ[%next] : memref<?xi32>
    %c32 = memref.load %CK[%n] : memref<?xi32>
    %d32 = memref.load %CK[%next] : memref<?xi32>
    %first = arith.index_cast %a32 : i32 to index
    %behind = arith.index_cast %b32 : i32 to index
    %first_key = arith.index_cast %c32 : i32 to index
    %behind_key = arith.index_cast %d32 : i32 to index
    tile.assume %first {min = 0, max = 1073741824} : index
    tile.assume %behind {min = 0, max = 1073741824} : index
    tile.assume %first_key {min = 0, max = 1073741824} : index
    tile.assume %behind_key {min = 0, max = 1073741824} : index
    %apart = arith.muli %n, %c128 : index
    %sum = arith.addi %first, %apart : index
    %blocks = arith.divui %sum, %c128 : index
    %rows = arith.muli %blocks, %c128 : index
    tile.assume %rows {min = 0, max = 1073741824} : index
    scf.yield %c0, %first, %behind, %first_key, %behind_key, %rows : index, index, index, index, index, index
  } else {
    scf.yield %n, %c0, %S, %c0, %T, %c0 : index, index, index, index, index, index
  }
  return %b, %q0, %q1, %k0, %k1, %r : index, index, index, index, index, index
}

// For a block of keys from j on: the first query that sees one of them, in whole steps, and the end of those that do; which keys exist; and for each key the
// first query that sees it, and the first one that does not any more.
func.func private @block_of_keys(%j: index, %r: index, %S: index, %T: index, %window: index, %KEYS: index, %QUERIES: index, %causal: i1, %windowed: i1)
    -> (index, index, tensor<?x?xi1>, tensor<?x?xi32>, tensor<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %j32 = arith.index_cast %j : index to i32
  %end32 = arith.index_cast %T : index to i32
  %key = tile.iota dim = 0 from %j32 extents(%KEYS, %QUERIES) : tensor<?x?xi32>
  %keys = tensor.splat %end32[%KEYS, %QUERIES] : tensor<?x?xi32>
  %exists = arith.cmpi slt, %key, %keys : tensor<?x?xi32>
  // Key j is seen by the queries from j + S − T on.
  %shift = arith.subi %S, %T : index
  %first = arith.addi %j, %shift : index
  %some = arith.maxsi %first, %c0 : index
  %block = arith.divui %some, %QUERIES : index
  %own_start = arith.muli %block, %QUERIES : index
  %own_first = arith.select %causal, %own_start, %c0 : index
  %start = arith.addi %r, %own_first : index
  // With a window key j is not seen by those from j + S − T + `width` on.
  %width = arith.minsi %window, %T : index
  %beyond = arith.addi %first, %width : index
  %last_key = arith.addi %beyond, %KEYS : index
  %near_end = arith.minsi %last_key, %S : index
  %own_end = arith.select %windowed, %near_end, %S : index
  %end = arith.addi %r, %own_end : index
  %beyond_place = arith.addi %r, %beyond : index
  %beyond32 = arith.index_cast %beyond_place : index to i32
  %hidden = tile.iota dim = 0 from %beyond32 extents(%KEYS, %QUERIES) : tensor<?x?xi32>
  %first_place = arith.addi %r, %first : index
  %first32 = arith.index_cast %first_place : index to i32
  %own = tile.iota dim = 0 from %first32 extents(%KEYS, %QUERIES) : tensor<?x?xi32>
  return %start, %end, %exists, %own, %hidden : index, index, tensor<?x?xi1>, tensor<?x?xi32>, tensor<?x?xi32>
}

// The softmax of scores, a row for each key: 0 where the query from i on does not see it.
func.func private @p_of_keys(%s: tensor<?x?xf32>, %l: tensor<?xf32>, %factors: tensor<?x?xf32>, %never: tensor<?x?xf32>, %i: index,
    %exists: tensor<?x?xi1>, %own: tensor<?x?xi32>, %hidden: tensor<?x?xi32>, %KEYS: index, %QUERIES: index, %causal: i1, %windowed: i1, %masks: i1)
    -> tensor<?x?xf32> {
  %scaled = arith.mulf %s, %factors : tensor<?x?xf32>
  %ls = tile.broadcast %l dims = [1] extents(%KEYS, %QUERIES) : tensor<?xf32> -> tensor<?x?xf32>
  %x = arith.subf %scaled, %ls : tensor<?x?xf32>
  %i32 = arith.index_cast %i : index to i32
  %query = tile.iota dim = 1 from %i32 extents(%KEYS, %QUERIES) : tensor<?x?xi32>
  %sees = arith.cmpi sge, %query, %own : tensor<?x?xi32>
  %near = arith.cmpi slt, %query, %hidden : tensor<?x?xi32>
  %both = arith.andi %sees, %near : tensor<?x?xi1>
  %some_seen = arith.select %causal, %sees, %exists : tensor<?x?xi1>
  %seen = arith.select %windowed, %both, %some_seen : tensor<?x?xi1>
  %inside = arith.select %seen, %x, %never : tensor<?x?xi1>, tensor<?x?xf32>
  %y = arith.select %masks, %inside, %x : tensor<?x?xf32>
  %p = math.exp2 %y fastmath<afn> : tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

tile.kernel @attention_backward(
    %Q: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "H", "S", "D"]},
    %K: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "G", "T", "D"]},
    %V: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "G", "T", "D"]},
    %O: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "H", "S", "D"]},
    %DO: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "H", "S", "D"]},
    %LSE: memref<?x?x?xf32> {tile.shape = ["B", "H", "P"]}, %scale: f32, %window: index,
    %CQ: memref<?xi32> {tile.shape = ["X"]}, %CK: memref<?xi32> {tile.shape = ["X"]}, %longest_q: index, %longest_k: index,
    %DQ: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "H", "S", "D"]},
    %DK: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "G", "T", "D"]},
    %DV: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "G", "T", "D"]}) {
  %HEAD = tile.param "HEAD" [128, 64, 96, 256, 192, 80, 112, 32, 16, 8, 24, 40, 48, 56, 72, 88, 104, 120, 136, 144, 152, 160, 168, 176,
                             184, 200, 208, 216, 224, 232, 240, 248] : index
  %MASK = tile.param "MASK" [1, 2, 3] : index
  %ORDER = tile.param "ORDER" [1, 2] : index
  %PACKED = tile.param "PACKED" [1, 2] : index
  %c0k = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // The extent of a head in a tile, as the tensor cores want it.
  %c16 = arith.constant 16 : index
  %sixteens = arith.ceildivui %HEAD, %c16 : index
  %WIDE = arith.muli %sixteens, %c16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c3 = arith.constant 3 : index
  %causal = arith.cmpi uge, %MASK, %c2 : index
  %windowed = arith.cmpi eq, %MASK, %c3 : index
  %adds = arith.cmpi eq, %ORDER, %c1 : index
  %together = arith.cmpi ule, %WIDE, %c128 : index
  %packed = arith.cmpi eq, %PACKED, %c2 : index
  %ordered = arith.cmpi eq, %ORDER, %c2 : index
  %room = arith.ori %together, %ordered : i1
  tile.assume %room, "the gradient of queries is a third sum, for which heads of more than 128 have no registers" : i1
  // A key that does not exist has k = 0, but p = exp2(−l): 0 · ∞ would be NaN in the gradient of queries. Elsewhere its row is not stored.
  %masks = arith.ori %causal, %adds : i1
  %rest64 = arith.remui %WIDE, %c64 : index
  %turned = arith.cmpi eq, %rest64, %c0k : index
  %is64 = arith.cmpi eq, %WIDE, %c64 : index
  %KEYS = arith.select %together, %c128, %c64 : index
  %QUERIES = arith.select %is64, %c128, %c64 : index
  %ROWS = arith.select %together, %c128, %c64 : index
  %COLUMNS = arith.constant 64 : index
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %G = tile.dim "G" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  %D = tile.dim "D" : index
  %P = tile.dim "P" : index
  %covers = arith.cmpi uge, %P, %S : index
  tile.assume %covers, "LSE has an element for each query" : i1
  %holds = arith.cmpi eq, %D, %HEAD : index
  tile.assume %holds, "a head has HEAD elements" : i1
  // No division by 0 where there are no heads.
  %heads = arith.maxsi %G, %c1 : index
  %R = arith.divui %H, %heads : index
  %product = arith.muli %R, %G : index
  %whole = arith.cmpi eq, %product, %H : index
  tile.assume %whole, "each head of keys has as many query heads" : i1
  %X = tile.dim "X" : index
  %sequences = arith.subi %X, %c1 : index
  %count = arith.select %packed, %sequences, %B : index
  %most_queries = arith.select %packed, %longest_q, %S : index
  %most_keys = arith.select %packed, %longest_k, %T : index
  // L, E and A have whole blocks of rows, which TMA can fetch. Those behind the last query of a sequence have E = 0 and L = ∞, hence p = 0. Of packed
  // sequences each begins at a multiple of 128, after less than 128 rows that nobody uses.
  %blocks = arith.ceildivsi %most_queries, %c128 : index
  %rows = arith.muli %blocks, %c128 : index
  %apart = arith.muli %X, %c128 : index
  %with_gaps = arith.addi %S, %apart : index
  %all_blocks = arith.divui %with_gaps, %c128 : index
  %some_rows = arith.muli %all_blocks, %c128 : index
  %all_rows = arith.maxsi %some_rows, %c128 : index
  %places = arith.select %packed, %all_rows, %rows : index
  scf.if %packed {
    %alone = arith.cmpi eq, %B, %c1 : index
    tile.assume %alone, "packed sequences are in one array" : i1
    %most_places = arith.constant 1073741824 : index
    %few_places = arith.cmpi ule, %places, %most_places : index
    tile.assume %few_places, "packed sequences have at most 2^30 queries, and 128 less for each sequence" : i1
  }
  // Places of queries and keys are computed in 32 bits.
  %limit = arith.constant 1073741824 : index
  %few_queries = arith.cmpi ule, %S, %limit : index
  tile.assume %few_queries, "there are at most 2^30 queries" : i1
  %few_keys = arith.cmpi ule, %T, %limit : index
  tile.assume %few_keys, "there are at most 2^30 keys" : i1
  %L = memref.alloc(%B, %H, %places) : memref<?x?x?xf32>
  %E = memref.alloc(%B, %H, %places) : memref<?x?x?xf32>
  %added_rows = arith.select %packed, %places, %S : index
  %added = arith.select %adds, %added_rows, %c0k : index
  %A = memref.alloc(%B, %H, %added, %D) : memref<?x?x?x?xf32>
  tile.grid (%n, %h, %i) = (0, 0, 0) to (%count, %H, %rows) step (1, 1, 64) {
    %c0 = arith.constant 0 : index
    %b, %q0, %q1, %k0, %k1, %r = func.call @sequence(%n, %CQ, %CK, %S, %T, %packed)
        : (index, memref<?xi32>, memref<?xi32>, index, index, i1) -> (index, index, index, index, index, index)
    %own_queries = arith.subi %q1, %q0 : index
    // Where its rows of L, E and A end: a block behind the last query of a sequence that is not the longest stores nothing.
    %own_blocks = arith.ceildivsi %own_queries, %c128 : index
    %own_rows = arith.muli %own_blocks, %c128 : index
    %own_end = arith.addi %r, %own_rows : index
    %rows_end = arith.select %packed, %own_end, %rows : index
    %added_end = arith.select %packed, %own_end, %S : index
    %row = arith.addi %q0, %i : index
    %place = arith.addi %r, %i : index
    %o = tile.load %O[%b, %h, %row, %c0] tile(%c64, %WIDE) limit = [%q1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
    %g = tile.load %DO[%b, %h, %row, %c0] tile(%c64, %WIDE) limit = [%q1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
    %ow = arith.extf %o : tensor<?x?xbf16> to tensor<?x?xf32>
    %gw = arith.extf %g : tensor<?x?xbf16> to tensor<?x?xf32>
    %og = arith.mulf %ow, %gw : tensor<?x?xf32>
    %e = tile.reduce addf %og dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
    tile.store %e, %E[%b, %h, %place] limit = [%rows_end] : tensor<?xf32> -> memref<?x?x?xf32>
    %lse = tile.load %LSE[%b, %h, %row] tile(%c64) : memref<?x?x?xf32> -> tensor<?xf32>
    %log2e = arith.constant 1.44269504 : f32
    %least = arith.constant 0xFF800000 : f32
    %most = arith.constant 0x7F800000 : f32
    %factors = tensor.splat %log2e[%c64] : tensor<?xf32>
    %none = tensor.splat %least[%c64] : tensor<?xf32>
    %never = tensor.splat %most[%c64] : tensor<?xf32>
    %l2 = arith.mulf %lse, %factors : tensor<?xf32>
    // Of a row that sees no key, LSE is −∞, and of one behind the last query anything.
    %blind = arith.cmpf oeq, %lse, %none : tensor<?xf32>
    %i32 = arith.index_cast %i : index to i32
    %end32 = arith.index_cast %own_queries : index to i32
    %query = tile.iota dim = 0 from %i32 extents(%c64) : tensor<?xi32>
    %end = tensor.splat %end32[%c64] : tensor<?xi32>
    %behind = arith.cmpi sge, %query, %end : tensor<?xi32>
    %no_query = arith.ori %blind, %behind : tensor<?xi1>
    %l = arith.select %no_query, %never, %l2 : tensor<?xi1>, tensor<?xf32>
    tile.store %l, %L[%b, %h, %place] limit = [%rows_end] : tensor<?xf32> -> memref<?x?x?xf32>
    scf.if %adds {
      %nothing = arith.constant 0.0 : f32
      %zero = tensor.splat %nothing[%c64, %WIDE] : tensor<?x?xf32>
      tile.store %zero, %A[%b, %h, %place, %c0] limit = [%added_end, _] : tensor<?x?xf32> -> memref<?x?x?x?xf32>
    }
  }
  scf.if %together {
    tile.grid (%n, %g, %j) = (0, 0, 0) to (%count, %G, %most_keys) step (1, 1, %KEYS) {
      %c0 = arith.constant 0 : index
      %b, %q0, %q1, %k0, %k1, %r = func.call @sequence(%n, %CQ, %CK, %S, %T, %packed)
          : (index, memref<?xi32>, memref<?xi32>, index, index, i1) -> (index, index, index, index, index, index)
      %own_queries = arith.subi %q1, %q0 : index
      tile.assume %own_queries {min = 0, max = 1073741824} : index
      %own_keys = arith.subi %k1, %k0 : index
      tile.assume %own_keys {min = 0, max = 1073741824} : index
      %key = arith.addi %k0, %j : index
      %log2e = arith.constant 1.44269504 : f32
      %factor = arith.mulf %scale, %log2e : f32
      %factors = tensor.splat %factor[%KEYS, %QUERIES] : tensor<?x?xf32>
      %none = arith.constant 0.0 : f32
      %nothing = tensor.splat %none[%KEYS, %WIDE] : tensor<?x?xf32>
      %infinite = arith.constant 0xFF800000 : f32
      %never = tensor.splat %infinite[%KEYS, %QUERIES] : tensor<?x?xf32>
      %k = tile.load %K[%b, %g, %key, %c0] tile(%KEYS, %WIDE) limit = [%k1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
      %v = tile.load %V[%b, %g, %key, %c0] tile(%KEYS, %WIDE) limit = [%k1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
      %start, %seen_end, %exists, %own, %hidden = func.call @block_of_keys(%j, %r, %own_queries, %own_keys, %window, %KEYS, %QUERIES, %causal, %windowed)
          : (index, index, index, index, index, index, index, i1, i1) -> (index, index, tensor<?x?xi1>, tensor<?x?xi32>, tensor<?x?xi32>)
      // There is no such block in a sequence that is not the longest.
      %behind = arith.cmpi sge, %j, %own_keys : index
      %no_block = arith.andi %packed, %behind : i1
      %end = arith.select %no_block, %start, %seen_end : index
      // From a row of L, E and A to that of Q.
      %to_row = arith.subi %q0, %r : index
      %head = arith.muli %g, %R : index
      %after = arith.addi %head, %R : index
      %last = arith.minsi %after, %H : index
      %dk, %dv = scf.for %h = %head to %last step %c1 iter_args(%dk2 = %nothing, %dv2 = %nothing) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
        %dks, %dvs = scf.for %i = %start to %end step %QUERIES iter_args(%dk0 = %dk2, %dv0 = %dv2) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
          %row = arith.addi %i, %to_row : index
          tile.assume %row {min = 0, max = 2147483647} : index
          tile.assume %i {min = 0, max = 2147483647} : index
          %q = tile.load %Q[%b, %h, %row, %c0] tile(%QUERIES, %WIDE) limit = [%q1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
          %qt = tile.transpose %q dims = [1, 0] : tensor<?x?xbf16> -> tensor<?x?xbf16>
          %s = tile.mma %k, %qt : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
          %do = tile.load %DO[%b, %h, %row, %c0] tile(%QUERIES, %WIDE) limit = [%q1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
          %dot = tile.transpose %do dims = [1, 0] : tensor<?x?xbf16> -> tensor<?x?xbf16>
          %dp = tile.mma %v, %dot : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
          %l = tile.load %L[%b, %h, %i] tile(%QUERIES) : memref<?x?x?xf32> -> tensor<?xf32>
          %p = func.call @p_of_keys(%s, %l, %factors, %never, %i, %exists, %own, %hidden, %KEYS, %QUERIES, %causal, %windowed, %masks)
              : (tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, index, tensor<?x?xi1>, tensor<?x?xi32>, tensor<?x?xi32>,
                 index, index, i1, i1, i1) -> tensor<?x?xf32>
          %pn = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xbf16>
          %e = tile.load %E[%b, %h, %i] tile(%QUERIES) : memref<?x?x?xf32> -> tensor<?xf32>
          %es = tile.broadcast %e dims = [1] extents(%KEYS, %QUERIES) : tensor<?xf32> -> tensor<?x?xf32>
          %above = arith.subf %dp, %es : tensor<?x?xf32>
          %ds = arith.mulf %p, %above : tensor<?x?xf32>
          %dsn = arith.truncf %ds : tensor<?x?xf32> to tensor<?x?xbf16>
          %dv1 = tile.mma %pn, %do, %dv0 : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
          %dk1 = tile.mma %dsn, %q, %dk0 : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
          scf.if %adds {
            // The rows of a product on the tensor cores are multiples of 64.
            scf.if %turned {
              %kt = tile.transpose %k dims = [1, 0] : tensor<?x?xbf16> -> tensor<?x?xbf16>
              %dqt = tile.mma %kt, %dsn : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
              tile.atomic add %dqt, %A[%b, %h, %i, %c0] dims = [3, 2] : tensor<?x?xf32> -> memref<?x?x?x?xf32>
            } else {
              %dst = tile.transpose %dsn dims = [1, 0] : tensor<?x?xbf16> -> tensor<?x?xbf16>
              %dq = tile.mma %dst, %k : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
              tile.atomic add %dq, %A[%b, %h, %i, %c0] : tensor<?x?xf32> -> memref<?x?x?x?xf32>
            }
          }
          scf.yield %dk1, %dv1 : tensor<?x?xf32>, tensor<?x?xf32>
        }
        scf.yield %dks, %dvs : tensor<?x?xf32>, tensor<?x?xf32>
      }
      %scales = tensor.splat %scale[%KEYS, %WIDE] : tensor<?x?xf32>
      %dkw = arith.mulf %dk, %scales : tensor<?x?xf32>
      %dkn = arith.truncf %dkw : tensor<?x?xf32> to tensor<?x?xbf16>
      %dvn = arith.truncf %dv : tensor<?x?xf32> to tensor<?x?xbf16>
      tile.store %dkn, %DK[%b, %g, %key, %c0] limit = [%k1, _] : tensor<?x?xbf16> -> memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>>
      tile.store %dvn, %DV[%b, %g, %key, %c0] limit = [%k1, _] : tensor<?x?xbf16> -> memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>>
    }
  } else {
    tile.grid (%n, %g, %j) = (0, 0, 0) to (%count, %G, %most_keys) step (1, 1, %KEYS) {
      %c0 = arith.constant 0 : index
      %b, %q0, %q1, %k0, %k1, %r = func.call @sequence(%n, %CQ, %CK, %S, %T, %packed)
          : (index, memref<?xi32>, memref<?xi32>, index, index, i1) -> (index, index, index, index, index, index)
      %own_queries = arith.subi %q1, %q0 : index
      tile.assume %own_queries {min = 0, max = 1073741824} : index
      %own_keys = arith.subi %k1, %k0 : index
      tile.assume %own_keys {min = 0, max = 1073741824} : index
      %key = arith.addi %k0, %j : index
      %log2e = arith.constant 1.44269504 : f32
      %factor = arith.mulf %scale, %log2e : f32
      %factors = tensor.splat %factor[%KEYS, %QUERIES] : tensor<?x?xf32>
      %none = arith.constant 0.0 : f32
      %nothing = tensor.splat %none[%KEYS, %WIDE] : tensor<?x?xf32>
      %infinite = arith.constant 0xFF800000 : f32
      %never = tensor.splat %infinite[%KEYS, %QUERIES] : tensor<?x?xf32>
      %k = tile.load %K[%b, %g, %key, %c0] tile(%KEYS, %WIDE) limit = [%k1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
      %start, %seen_end, %exists, %own, %hidden = func.call @block_of_keys(%j, %r, %own_queries, %own_keys, %window, %KEYS, %QUERIES, %causal, %windowed)
          : (index, index, index, index, index, index, index, i1, i1) -> (index, index, tensor<?x?xi1>, tensor<?x?xi32>, tensor<?x?xi32>)
      // There is no such block in a sequence that is not the longest.
      %behind = arith.cmpi sge, %j, %own_keys : index
      %no_block = arith.andi %packed, %behind : i1
      %end = arith.select %no_block, %start, %seen_end : index
      // From a row of L, E and A to that of Q.
      %to_row = arith.subi %q0, %r : index
      %head = arith.muli %g, %R : index
      %after = arith.addi %head, %R : index
      %last = arith.minsi %after, %H : index
      %dv = scf.for %h = %head to %last step %c1 iter_args(%dv2 = %nothing) -> (tensor<?x?xf32>) {
        %dvs = scf.for %i = %start to %end step %QUERIES iter_args(%dv0 = %dv2) -> (tensor<?x?xf32>) {
          %row = arith.addi %i, %to_row : index
          tile.assume %row {min = 0, max = 2147483647} : index
          tile.assume %i {min = 0, max = 2147483647} : index
          %q = tile.load %Q[%b, %h, %row, %c0] tile(%QUERIES, %WIDE) limit = [%q1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
          %qt = tile.transpose %q dims = [1, 0] : tensor<?x?xbf16> -> tensor<?x?xbf16>
          %s = tile.mma %k, %qt : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
          %do = tile.load %DO[%b, %h, %row, %c0] tile(%QUERIES, %WIDE) limit = [%q1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
          %l = tile.load %L[%b, %h, %i] tile(%QUERIES) : memref<?x?x?xf32> -> tensor<?xf32>
          %p = func.call @p_of_keys(%s, %l, %factors, %never, %i, %exists, %own, %hidden, %KEYS, %QUERIES, %causal, %windowed, %masks)
              : (tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, index, tensor<?x?xi1>, tensor<?x?xi32>, tensor<?x?xi32>,
                 index, index, i1, i1, i1) -> tensor<?x?xf32>
          %pn = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xbf16>
          %dv1 = tile.mma %pn, %do, %dv0 : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
          scf.yield %dv1 : tensor<?x?xf32>
        }
        scf.yield %dvs : tensor<?x?xf32>
      }
      %dvn = arith.truncf %dv : tensor<?x?xf32> to tensor<?x?xbf16>
      tile.store %dvn, %DV[%b, %g, %key, %c0] limit = [%k1, _] : tensor<?x?xbf16> -> memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>>
    }
    tile.grid (%n, %g, %j) = (0, 0, 0) to (%count, %G, %most_keys) step (1, 1, %KEYS) {
      %c0 = arith.constant 0 : index
      %b, %q0, %q1, %k0, %k1, %r = func.call @sequence(%n, %CQ, %CK, %S, %T, %packed)
          : (index, memref<?xi32>, memref<?xi32>, index, index, i1) -> (index, index, index, index, index, index)
      %own_queries = arith.subi %q1, %q0 : index
      tile.assume %own_queries {min = 0, max = 1073741824} : index
      %own_keys = arith.subi %k1, %k0 : index
      tile.assume %own_keys {min = 0, max = 1073741824} : index
      %key = arith.addi %k0, %j : index
      %log2e = arith.constant 1.44269504 : f32
      %factor = arith.mulf %scale, %log2e : f32
      %factors = tensor.splat %factor[%KEYS, %QUERIES] : tensor<?x?xf32>
      %none = arith.constant 0.0 : f32
      %nothing = tensor.splat %none[%KEYS, %WIDE] : tensor<?x?xf32>
      %infinite = arith.constant 0xFF800000 : f32
      %never = tensor.splat %infinite[%KEYS, %QUERIES] : tensor<?x?xf32>
      %k = tile.load %K[%b, %g, %key, %c0] tile(%KEYS, %WIDE) limit = [%k1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
      %v = tile.load %V[%b, %g, %key, %c0] tile(%KEYS, %WIDE) limit = [%k1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
      %start, %seen_end, %exists, %own, %hidden = func.call @block_of_keys(%j, %r, %own_queries, %own_keys, %window, %KEYS, %QUERIES, %causal, %windowed)
          : (index, index, index, index, index, index, index, i1, i1) -> (index, index, tensor<?x?xi1>, tensor<?x?xi32>, tensor<?x?xi32>)
      // There is no such block in a sequence that is not the longest.
      %behind = arith.cmpi sge, %j, %own_keys : index
      %no_block = arith.andi %packed, %behind : i1
      %end = arith.select %no_block, %start, %seen_end : index
      // From a row of L, E and A to that of Q.
      %to_row = arith.subi %q0, %r : index
      %head = arith.muli %g, %R : index
      %after = arith.addi %head, %R : index
      %last = arith.minsi %after, %H : index
      %dk = scf.for %h = %head to %last step %c1 iter_args(%dk2 = %nothing) -> (tensor<?x?xf32>) {
        %dks = scf.for %i = %start to %end step %QUERIES iter_args(%dk0 = %dk2) -> (tensor<?x?xf32>) {
          %row = arith.addi %i, %to_row : index
          tile.assume %row {min = 0, max = 2147483647} : index
          tile.assume %i {min = 0, max = 2147483647} : index
          %q = tile.load %Q[%b, %h, %row, %c0] tile(%QUERIES, %WIDE) limit = [%q1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
          %qt = tile.transpose %q dims = [1, 0] : tensor<?x?xbf16> -> tensor<?x?xbf16>
          %s = tile.mma %k, %qt : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
          %do = tile.load %DO[%b, %h, %row, %c0] tile(%QUERIES, %WIDE) limit = [%q1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
          %dot = tile.transpose %do dims = [1, 0] : tensor<?x?xbf16> -> tensor<?x?xbf16>
          %dp = tile.mma %v, %dot : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
          %l = tile.load %L[%b, %h, %i] tile(%QUERIES) : memref<?x?x?xf32> -> tensor<?xf32>
          %p = func.call @p_of_keys(%s, %l, %factors, %never, %i, %exists, %own, %hidden, %KEYS, %QUERIES, %causal, %windowed, %masks)
              : (tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, index, tensor<?x?xi1>, tensor<?x?xi32>, tensor<?x?xi32>,
                 index, index, i1, i1, i1) -> tensor<?x?xf32>
          %e = tile.load %E[%b, %h, %i] tile(%QUERIES) : memref<?x?x?xf32> -> tensor<?xf32>
          %es = tile.broadcast %e dims = [1] extents(%KEYS, %QUERIES) : tensor<?xf32> -> tensor<?x?xf32>
          %above = arith.subf %dp, %es : tensor<?x?xf32>
          %ds = arith.mulf %p, %above : tensor<?x?xf32>
          %dsn = arith.truncf %ds : tensor<?x?xf32> to tensor<?x?xbf16>
          %dk1 = tile.mma %dsn, %q, %dk0 : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
          scf.yield %dk1 : tensor<?x?xf32>
        }
        scf.yield %dks : tensor<?x?xf32>
      }
      %scales = tensor.splat %scale[%KEYS, %WIDE] : tensor<?x?xf32>
      %dkw = arith.mulf %dk, %scales : tensor<?x?xf32>
      %dkn = arith.truncf %dkw : tensor<?x?xf32> to tensor<?x?xbf16>
      tile.store %dkn, %DK[%b, %g, %key, %c0] limit = [%k1, _] : tensor<?x?xbf16> -> memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>>
    }
  }
  scf.if %adds {
    tile.grid (%n, %h, %i) = (0, 0, 0) to (%count, %H, %most_queries) step (1, 1, 64) {
      %c0 = arith.constant 0 : index
      %b, %q0, %q1, %k0, %k1, %r = func.call @sequence(%n, %CQ, %CK, %S, %T, %packed)
          : (index, memref<?xi32>, memref<?xi32>, index, index, i1) -> (index, index, index, index, index, index)
      %row = arith.addi %q0, %i : index
      %place = arith.addi %r, %i : index
      %x = tile.load %A[%b, %h, %place, %c0] tile(%c64, %WIDE) : memref<?x?x?x?xf32> -> tensor<?x?xf32>
      %scales = tensor.splat %scale[%c64, %WIDE] : tensor<?x?xf32>
      %y = arith.mulf %x, %scales : tensor<?x?xf32>
      %z = arith.truncf %y : tensor<?x?xf32> to tensor<?x?xbf16>
      tile.store %z, %DQ[%b, %h, %row, %c0] limit = [%q1, _] : tensor<?x?xbf16> -> memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>>
    }
  } else {
    tile.grid (%n, %h, %i) = (0, 0, 0) to (%count, %H, %most_queries) step (1, 1, %ROWS) {
      %c0 = arith.constant 0 : index
      %b, %q0, %q1, %k0, %k1, %r = func.call @sequence(%n, %CQ, %CK, %S, %T, %packed)
          : (index, memref<?xi32>, memref<?xi32>, index, index, i1) -> (index, index, index, index, index, index)
      %own_queries = arith.subi %q1, %q0 : index
      tile.assume %own_queries {min = 0, max = 1073741824} : index
      %own_keys = arith.subi %k1, %k0 : index
      tile.assume %own_keys {min = 0, max = 1073741824} : index
      %row = arith.addi %q0, %i : index
      %place = arith.addi %r, %i : index
      %log2e = arith.constant 1.44269504 : f32
      %factor = arith.mulf %scale, %log2e : f32
      %factors = tensor.splat %factor[%ROWS, %COLUMNS] : tensor<?x?xf32>
      %none = arith.constant 0.0 : f32
      %nothing = tensor.splat %none[%ROWS, %WIDE] : tensor<?x?xf32>
      %infinite = arith.constant 0xFF800000 : f32
      %never = tensor.splat %infinite[%ROWS, %COLUMNS] : tensor<?x?xf32>
      %g = arith.divui %h, %R : index
      %q = tile.load %Q[%b, %h, %row, %c0] tile(%ROWS, %WIDE) limit = [%q1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
      %do = tile.load %DO[%b, %h, %row, %c0] tile(%ROWS, %WIDE) limit = [%q1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
      %l = tile.load %L[%b, %h, %place] tile(%ROWS) : memref<?x?x?xf32> -> tensor<?xf32>
      %e = tile.load %E[%b, %h, %place] tile(%ROWS) : memref<?x?x?xf32> -> tensor<?xf32>
      %ls = tile.broadcast %l dims = [0] extents(%ROWS, %COLUMNS) : tensor<?xf32> -> tensor<?x?xf32>
      %es = tile.broadcast %e dims = [0] extents(%ROWS, %COLUMNS) : tensor<?xf32> -> tensor<?x?xf32>
      // A query at row r sees the keys up to r + T − S.
      %shift = arith.subi %own_keys, %own_queries : index
      %first = arith.addi %i, %shift : index
      %last = arith.addi %first, %ROWS : index
      %own_end = arith.minsi %last, %own_keys : index
      %seen_end = arith.select %causal, %own_end, %own_keys : index
      %behind_all = arith.cmpi sge, %i, %own_queries : index
      %no_block = arith.andi %packed, %behind_all : i1
      %end = arith.select %no_block, %c0, %seen_end : index
      %width = arith.minsi %window, %own_keys : index
      %behind = arith.subi %first, %width : index
      %nearest = arith.addi %behind, %c1 : index
      %lowest = arith.maxsi %nearest, %c0 : index
      %block = arith.divui %lowest, %COLUMNS : index
      %near_start = arith.muli %block, %COLUMNS : index
      %start = arith.select %windowed, %near_start, %c0 : index
      %behind32 = arith.index_cast %behind : index to i32
      %hidden = tile.iota dim = 0 from %behind32 extents(%ROWS, %COLUMNS) : tensor<?x?xi32>
      %first32 = arith.index_cast %first : index to i32
      %own = tile.iota dim = 0 from %first32 extents(%ROWS, %COLUMNS) : tensor<?x?xi32>
      %end32 = arith.index_cast %end : index to i32
      %keys = tensor.splat %end32[%ROWS, %COLUMNS] : tensor<?x?xi32>
      %dq = scf.for %j = %start to %end step %COLUMNS iter_args(%dq0 = %nothing) -> (tensor<?x?xf32>) {
        %place_of_keys = arith.addi %k0, %j : index
        %k = tile.load %K[%b, %g, %place_of_keys, %c0] tile(%COLUMNS, %WIDE) limit = [%k1, _] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
        %kt = tile.transpose %k dims = [1, 0] : tensor<?x?xbf16> -> tensor<?x?xbf16>
        %s = tile.mma %q, %kt : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
        %scaled = arith.mulf %s, %factors : tensor<?x?xf32>
        %x = arith.subf %scaled, %ls : tensor<?x?xf32>
        %j32 = arith.index_cast %j : index to i32
        %key = tile.iota dim = 1 from %j32 extents(%ROWS, %COLUMNS) : tensor<?x?xi32>
        %exists = arith.cmpi slt, %key, %keys : tensor<?x?xi32>
        %before = arith.cmpi sle, %key, %own : tensor<?x?xi32>
        %both = arith.andi %exists, %before : tensor<?x?xi1>
        %near = arith.cmpi sgt, %key, %hidden : tensor<?x?xi32>
        %all = arith.andi %both, %near : tensor<?x?xi1>
        %some_seen = arith.select %causal, %both, %exists : tensor<?x?xi1>
        %seen = arith.select %windowed, %all, %some_seen : tensor<?x?xi1>
        %y = arith.select %seen, %x, %never : tensor<?x?xi1>, tensor<?x?xf32>
        %p = math.exp2 %y fastmath<afn> : tensor<?x?xf32>
        %v = tile.load %V[%b, %g, %place_of_keys, %c0] tile(%WIDE, %COLUMNS) dims = [3, 2] limit = [_, %k1]
            : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x?xbf16>
        %dp = tile.mma %do, %v : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
        %above = arith.subf %dp, %es : tensor<?x?xf32>
        %ds = arith.mulf %p, %above : tensor<?x?xf32>
        %dsn = arith.truncf %ds : tensor<?x?xf32> to tensor<?x?xbf16>
        %dq1 = tile.mma %dsn, %k, %dq0 : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
        scf.yield %dq1 : tensor<?x?xf32>
      }
      %scales = tensor.splat %scale[%ROWS, %WIDE] : tensor<?x?xf32>
      %dqs = arith.mulf %dq, %scales : tensor<?x?xf32>
      %dqn = arith.truncf %dqs : tensor<?x?xf32> to tensor<?x?xbf16>
      tile.store %dqn, %DQ[%b, %h, %row, %c0] limit = [%q1, _] : tensor<?x?xbf16> -> memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>>
    }
  }
  tile.return
}
