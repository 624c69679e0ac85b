// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention with the softmax computed online for tessera.torch.attention, heads of 64: attention_64 sees all keys,
// attention_causal_64 those up to its own place, both sequences ending together. As examples/attention-tiles.mlir: a family, of whose members a
// call takes the one for its sizes. Three warpgroups share an output tile of 192 queries: with heads of 64 there are registers for that, and two
// would leave the tensor cores waiting. Short sequences have smaller ones.

tile.kernel @attention_64(%Q: memref<?x?x?x64xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "H", "S", 64]},
    %K: memref<?x?x?x64xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "H", "T", 64]},
    %V: memref<?x?x?x64xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "H", "T", 64]}, %scale: f32,
    %O: memref<?x?x?x64xbf16> {tile.shape = ["B", "H", "S", 64]}) {
  %BQ = tile.param "BQ" [192, 128, 64] : index
  %BK = tile.param "BK" [128, 64] : index
  %most = arith.constant 128 : index
  %square = arith.minsi %BQ, %most : index
  %goes = arith.cmpi eq, %BK, %square : index
  tile.assume %goes, "64 queries go with 64 keys, more with 128" : i1
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, %BQ) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%b, %h, %i, %c0] tile(%BQ) : memref<?x?x?x64xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x64xbf16>
    // exp(x) = exp2(x · log₂e): one factor for both.
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor[%BQ, %BK] : tensor<?x?xf32>
    %rows = tensor.splat %factor[%BQ] : tensor<?xf32>
    %least = arith.constant -1.0e30 : f32
    %floor = tensor.splat %least[%BQ] : tensor<?xf32>
    %none = arith.constant 0.0 : f32
    %zero = tensor.splat %none[%BQ] : tensor<?xf32>
    %nothing = tensor.splat %none[%BQ] : tensor<?x64xf32>
    %infinite = arith.constant 0xFF800000 : f32
    %never = tensor.splat %infinite[%BQ, %BK] : tensor<?x?xf32>
    %end32 = arith.index_cast %T : index to i32
    %keys = tensor.splat %end32[%BQ, %BK] : tensor<?x?xi32>
    %m, %l, %o = scf.for %j = %c0 to %T step %BK iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing)
        -> (tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>) {
      %k = tile.load %K[%b, %h, %j, %c0] tile(%BK) dims = [3, 2] : memref<?x?x?x64xbf16, strided<[?, ?, ?, 1]>> -> tensor<64x?xbf16>
      %qk = tile.mma %q, %k : tensor<?x64xbf16>, tensor<64x?xbf16> -> tensor<?x?xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 extents(%BQ, %BK) : tensor<?x?xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<?x?xi32>
      %s = arith.select %exists, %qk, %never : tensor<?x?xi1>, tensor<?x?xf32>
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
      %as = tile.broadcast %a dims = [0] extents(%BQ) : tensor<?xf32> -> tensor<?x64xf32>
      %rescaled = arith.mulf %o0, %as : tensor<?x64xf32>
      %narrow = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xbf16>
      %v = tile.load %V[%b, %h, %j, %c0] tile(%BK) : memref<?x?x?x64xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x64xbf16>
      %o1 = tile.mma %narrow, %v, %rescaled : tensor<?x?xbf16>, tensor<?x64xbf16> -> tensor<?x64xf32>
      scf.yield %m1, %l1, %o1 : tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>
    }
    // A row that sees no key has l = 0 and o = 0: divide by 1.
    %empty = arith.cmpf oeq, %l, %zero : tensor<?xf32>
    %unit = arith.constant 1.0 : f32
    %one = tensor.splat %unit[%BQ] : tensor<?xf32>
    %divisor = arith.select %empty, %one, %l : tensor<?xi1>, tensor<?xf32>
    %inverse = arith.divf %one, %divisor : tensor<?xf32>
    %inverses = tile.broadcast %inverse dims = [0] extents(%BQ) : tensor<?xf32> -> tensor<?x64xf32>
    %r = arith.mulf %o, %inverses : tensor<?x64xf32>
    %out = arith.truncf %r : tensor<?x64xf32> to tensor<?x64xbf16>
    tile.store %out, %O[%b, %h, %i, %c0] : tensor<?x64xbf16> -> memref<?x?x?x64xbf16>
  }
  tile.return
}

tile.kernel @attention_causal_64(%Q: memref<?x?x?x64xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "H", "S", 64]},
    %K: memref<?x?x?x64xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "H", "T", 64]},
    %V: memref<?x?x?x64xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "H", "T", 64]}, %scale: f32,
    %O: memref<?x?x?x64xbf16> {tile.shape = ["B", "H", "S", 64]}) {
  %BQ = tile.param "BQ" [192, 128, 64] : index
  %BK = tile.param "BK" [128, 64] : index
  %most = arith.constant 128 : index
  %square = arith.minsi %BQ, %most : index
  %goes = arith.cmpi eq, %BK, %square : index
  tile.assume %goes, "64 queries go with 64 keys, more with 128" : i1
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, %BQ) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%b, %h, %i, %c0] tile(%BQ) : memref<?x?x?x64xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x64xbf16>
    // exp(x) = exp2(x · log₂e): one factor for both.
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor[%BQ, %BK] : tensor<?x?xf32>
    %rows = tensor.splat %factor[%BQ] : tensor<?xf32>
    %least = arith.constant -1.0e30 : f32
    %floor = tensor.splat %least[%BQ] : tensor<?xf32>
    %none = arith.constant 0.0 : f32
    %zero = tensor.splat %none[%BQ] : tensor<?xf32>
    %nothing = tensor.splat %none[%BQ] : tensor<?x64xf32>
    %infinite = arith.constant 0xFF800000 : f32
    %never = tensor.splat %infinite[%BQ, %BK] : tensor<?x?xf32>
    // A query at row r sees the keys up to r + T − S.
    %shift = arith.subi %T, %S : index
    %first = arith.addi %i, %shift : index
    %last = arith.addi %first, %BQ : index
    %end = arith.minsi %last, %T : index
    %first32 = arith.index_cast %first : index to i32
    %own = tile.iota dim = 0 from %first32 extents(%BQ, %BK) : tensor<?x?xi32>
    %end32 = arith.index_cast %end : index to i32
    %keys = tensor.splat %end32[%BQ, %BK] : tensor<?x?xi32>
    %m, %l, %o = scf.for %j = %c0 to %end step %BK iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing)
        -> (tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>) {
      %k = tile.load %K[%b, %h, %j, %c0] tile(%BK) dims = [3, 2] : memref<?x?x?x64xbf16, strided<[?, ?, ?, 1]>> -> tensor<64x?xbf16>
      %qk = tile.mma %q, %k : tensor<?x64xbf16>, tensor<64x?xbf16> -> tensor<?x?xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 extents(%BQ, %BK) : tensor<?x?xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<?x?xi32>
      %before = arith.cmpi sle, %key, %own : tensor<?x?xi32>
      %seen = arith.andi %exists, %before : tensor<?x?xi1>
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
      %as = tile.broadcast %a dims = [0] extents(%BQ) : tensor<?xf32> -> tensor<?x64xf32>
      %rescaled = arith.mulf %o0, %as : tensor<?x64xf32>
      %narrow = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xbf16>
      %v = tile.load %V[%b, %h, %j, %c0] tile(%BK) : memref<?x?x?x64xbf16, strided<[?, ?, ?, 1]>> -> tensor<?x64xbf16>
      %o1 = tile.mma %narrow, %v, %rescaled : tensor<?x?xbf16>, tensor<?x64xbf16> -> tensor<?x64xf32>
      scf.yield %m1, %l1, %o1 : tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>
    }
    // A row that sees no key has l = 0 and o = 0: divide by 1.
    %empty = arith.cmpf oeq, %l, %zero : tensor<?xf32>
    %unit = arith.constant 1.0 : f32
    %one = tensor.splat %unit[%BQ] : tensor<?xf32>
    %divisor = arith.select %empty, %one, %l : tensor<?xi1>, tensor<?xf32>
    %inverse = arith.divf %one, %divisor : tensor<?xf32>
    %inverses = tile.broadcast %inverse dims = [0] extents(%BQ) : tensor<?xf32> -> tensor<?x64xf32>
    %r = arith.mulf %o, %inverses : tensor<?x64xf32>
    %out = arith.truncf %r : tensor<?x64xf32> to tensor<?x64xbf16>
    tile.store %out, %O[%b, %h, %i, %c0] : tensor<?x64xbf16> -> memref<?x?x?x64xbf16>
  }
  tile.return
}
