// Attention of a few new tokens of each sequence to a long cache (decoding, also speculative or of several tokens at once): the keys are split among blocks,
// whose parts a second grid combines (split-K, flash decoding); head size 128, bf16 in and out, all else in f32.
//
//   for each batch b, head g of keys, and split z of `splits`:
//     q = Q[b, g, 0:64, :], the queries of all heads that share g;  f = scale · log₂e
//     n = ⌈⌈length[b] / 128⌉ / splits⌉ · 128, the keys of a split
//     m = −1e30; l = 0; o = 0                         (maximum, sum, output so far, of each row)
//     for j in z·n, z·n + 128, … below min(z·n + n, length[b]):
//       s = q · K[b, g, j:j+128, :]ᵀ
//       s = −∞ where key > length[b] − tokens + (row mod tokens): the new tokens are the last of the sequence
//       m' = max(m, max of the rows of s)
//       p = exp2(f · s − f · m');  a = exp2(f · (m − m'))
//       l = a · l + sum of the rows of p
//       o = a · o + bf16(p) · V[b, g, j:j+128, :];  m = m'
//     if splits is 1:  O[b, g, :, :] = o / l         (0 without keys), and that is all
//     PM[b·G+g, :, z] = m;  PL[b·G+g, :, z] = l;  PO[b·G+g, z, :, :] = o
//   for each batch b, head g and row p:
//     m = max over z of PM[b·G+g, p, z];  w = exp2(f · (PM[b·G+g, p, :] − m))
//     O[b, g, p, :] = (sum over z of w · PO[b·G+g, z, p, :]) / (sum of w · PL[b·G+g, p, :])    (0 without keys)
//
// The rows of a tile are (head, token) of one group: that is how Q of shape BxHxSx128 lies in memory, as BxGx(H/G·S)x128. So a key is read once for all heads
// that share it. Keys beyond the length are masked; V has to be finite there, as in a cache that was zero at first: 0 · NaN is NaN.
//
// Shapes: Q, O are BxGxPx128 with P = H/G · tokens up to 64, K, V are BxGxTx128, length has B elements, up to T; splits is 1 or more: as many as give
// each SM a block, 132 / (B · G), are fast. The launcher provides PM, PL (B·G x P x splits) and PO (B·G x splits x P x 128). Any B, G, T.
//
//   tilec examples/attention-decode.mlir -o attention-decode.so --target=cpu
//   tile-run attention-decode.so randn:2x2x8x128xbf16 randn:2x2x1000x128xbf16 randn:2x2x1000x128xbf16 list:2xi32:values=1000,600 2 3 0.0883883 nan:2x2x8x128xbf16 --out O=o.npy

tile.kernel @attention_decode(%Q: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "P", 128]},
                              %K: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]},
                              %V: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]}, %length: memref<?xi32> {tile.shape = ["B"]},
                              %tokens: i32, %splits: i32, %scale: f32, %O: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "P", 128]}) {
  %B = tile.dim "B" : index
  %G = tile.dim "G" : index
  %P = tile.dim "P" : index
  %c64 = arith.constant 64 : index
  %one32 = arith.constant 1 : i32
  %fits = arith.cmpi sle, %P, %c64 : index
  tile.assume %fits, "attention_decode is for up to 64 rows: tokens times query heads for one head of keys" : i1
  %counted = arith.cmpi sge, %tokens, %one32 : i32
  tile.assume %counted, "a row belongs to one of tokens, which is 1 or more" : i1
  %split = arith.cmpi sge, %splits, %one32 : i32
  tile.assume %split, "splits is 1 or more" : i1
  %Z = arith.index_cast %splits : i32 to index
  %whole = arith.cmpi eq, %splits, %one32 : i32
  %heads = arith.muli %B, %G : index
  %PM = memref.alloc(%heads, %P, %Z) : memref<?x?x?xf32>
  %PL = memref.alloc(%heads, %P, %Z) : memref<?x?x?xf32>
  %PO = memref.alloc(%heads, %Z, %P) : memref<?x?x?x128xf32>
  tile.grid (%b, %g, %z) = (0, 0, 0) to (%B, %G, %Z) step (1, 1, 1) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %q = tile.load %Q[%b, %g, %c0, %c0] : memref<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %length32 = memref.load %length[%b] : memref<?xi32>
    %n = arith.index_cast %length32 : i32 to index
    %tiles = arith.ceildivsi %n, %step : index
    %share = arith.ceildivsi %tiles, %Z : index
    %size = arith.muli %share, %step : index
    %begin = arith.muli %z, %size : index
    %last = arith.addi %begin, %size : index
    %end = arith.minsi %last, %n : index
    // The last key that each row sees.
    %row = tile.iota dim = 0 : tensor<64xi32>
    %every = tensor.splat %tokens : tensor<64xi32>
    %token = arith.remsi %row, %every : tensor<64xi32>
    %old = arith.subi %length32, %tokens : i32
    %olds = tensor.splat %old : tensor<64xi32>
    %own_of_row = arith.addi %token, %olds : tensor<64xi32>
    %own = tile.broadcast %own_of_row dims = [0] : tensor<64xi32> -> tensor<64x128xi32>
    // exp(x) = exp2(x · log₂e): one factor for both.
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<64x128xf32>
    %rows = tensor.splat %factor : tensor<64xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<64xf32>
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %nothing = arith.constant dense<0.0> : tensor<64x128xf32>
    %never = arith.constant dense<0xFF800000> : tensor<64x128xf32>
    %m, %l, %o = scf.for %j = %begin to %end step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing)
        -> (tensor<64xf32>, tensor<64xf32>, tensor<64x128xf32>) {
      %k = tile.load %K[%b, %g, %j, %c0] dims = [3, 2] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
      %qk = tile.mma %q, %k : tensor<64x128xbf16>, tensor<128x128xbf16> -> tensor<64x128xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 : tensor<64x128xi32>
      %seen = arith.cmpi sle, %key, %own : tensor<64x128xi32>
      %s = arith.select %seen, %qk, %never : tensor<64x128xi1>, tensor<64x128xf32>
      %here = tile.reduce maximumf %s dims = [1] : tensor<64x128xf32> -> tensor<64xf32>
      %m1 = arith.maximumf %m0, %here : tensor<64xf32>
      %scaled = arith.mulf %s, %factors : tensor<64x128xf32>
      %ms = arith.mulf %m1, %rows : tensor<64xf32>
      %top = tile.broadcast %ms dims = [0] : tensor<64xf32> -> tensor<64x128xf32>
      %d = arith.subf %scaled, %top : tensor<64x128xf32>
      %p = math.exp2 %d fastmath<afn> : tensor<64x128xf32>
      %drop = arith.subf %m0, %m1 : tensor<64xf32>
      %fall = arith.mulf %drop, %rows : tensor<64xf32>
      %a = math.exp2 %fall fastmath<afn> : tensor<64xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<64x128xf32> -> tensor<64xf32>
      %kept = arith.mulf %l0, %a : tensor<64xf32>
      %l1 = arith.addf %kept, %part : tensor<64xf32>
      %as = tile.broadcast %a dims = [0] : tensor<64xf32> -> tensor<64x128xf32>
      %rescaled = arith.mulf %o0, %as : tensor<64x128xf32>
      %narrow = arith.truncf %p : tensor<64x128xf32> to tensor<64x128xbf16>
      %v = tile.load %V[%b, %g, %j, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
      %o1 = tile.mma %narrow, %v, %rescaled : tensor<64x128xbf16>, tensor<128x128xbf16> -> tensor<64x128xf32>
      scf.yield %m1, %l1, %o1 : tensor<64xf32>, tensor<64xf32>, tensor<64x128xf32>
    }
    %head = arith.muli %b, %G : index
    %at = arith.addi %head, %g : index
    scf.if %whole {
      // A sequence without keys has l = 0 and o = 0: divide by 1.
      %empty = arith.cmpf oeq, %l, %zero : tensor<64xf32>
      %one = arith.constant dense<1.0> : tensor<64xf32>
      %divisor = arith.select %empty, %one, %l : tensor<64xi1>, tensor<64xf32>
      %inverse = arith.divf %one, %divisor : tensor<64xf32>
      %inverses = tile.broadcast %inverse dims = [0] : tensor<64xf32> -> tensor<64x128xf32>
      %r = arith.mulf %o, %inverses : tensor<64x128xf32>
      %out = arith.truncf %r : tensor<64x128xf32> to tensor<64x128xbf16>
      tile.store %out, %O[%b, %g, %c0, %c0] : tensor<64x128xbf16> -> memref<?x?x?x128xbf16>
    } else {
      tile.store %m, %PM[%at, %c0, %z] dims = [1] : tensor<64xf32> -> memref<?x?x?xf32>
      tile.store %l, %PL[%at, %c0, %z] dims = [1] : tensor<64xf32> -> memref<?x?x?xf32>
      tile.store %o, %PO[%at, %z, %c0, %c0] : tensor<64x128xf32> -> memref<?x?x?x128xf32>
    }
  }
  // Nothing is combined if there is one part.
  %none = arith.constant 0 : index
  %rows_in_parts = arith.select %whole, %none, %P : index
  tile.grid (%b, %g, %p) = (0, 0, 0) to (%B, %G, %rows_in_parts) step (1, 1, 1) {
    %c0 = arith.constant 0 : index
    %head = arith.muli %b, %G : index
    %at = arith.addi %head, %g : index
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<64xf32>
    %factor1 = tensor.splat %factor : tensor<f32>
    %floor = arith.constant dense<-1.0e30> : tensor<f32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %nothing = arith.constant dense<0.0> : tensor<128xf32>
    %m, %l, %o = scf.for %z = %c0 to %Z step %c64 iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<f32>, tensor<f32>, tensor<128xf32>) {
      %pm = tile.load %PM[%at, %p, %z] pad = neg_inf : memref<?x?x?xf32> -> tensor<64xf32>
      %pl = tile.load %PL[%at, %p, %z] : memref<?x?x?xf32> -> tensor<64xf32>
      %po = tile.load %PO[%at, %z, %p, %c0] dims = [1, 3] : memref<?x?x?x128xf32> -> tensor<64x128xf32>
      %here = tile.reduce maximumf %pm dims = [0] : tensor<64xf32> -> tensor<f32>
      %m1 = arith.maximumf %m0, %here : tensor<f32>
      %drop = arith.subf %m0, %m1 : tensor<f32>
      %fall = arith.mulf %drop, %factor1 : tensor<f32>
      %a = math.exp2 %fall fastmath<afn> : tensor<f32>
      %top = tile.broadcast %m1 dims = [] : tensor<f32> -> tensor<64xf32>
      %below = arith.subf %pm, %top : tensor<64xf32>
      %exponent = arith.mulf %below, %factors : tensor<64xf32>
      %w = math.exp2 %exponent fastmath<afn> : tensor<64xf32>
      %wl = arith.mulf %w, %pl : tensor<64xf32>
      %part = tile.reduce addf %wl dims = [0] : tensor<64xf32> -> tensor<f32>
      %kept = arith.mulf %l0, %a : tensor<f32>
      %l1 = arith.addf %kept, %part : tensor<f32>
      %ws = tile.broadcast %w dims = [0] : tensor<64xf32> -> tensor<64x128xf32>
      %wo = arith.mulf %ws, %po : tensor<64x128xf32>
      %sum = tile.reduce addf %wo dims = [0] : tensor<64x128xf32> -> tensor<128xf32>
      %as = tile.broadcast %a dims = [] : tensor<f32> -> tensor<128xf32>
      %rescaled = arith.mulf %o0, %as : tensor<128xf32>
      %o1 = arith.addf %rescaled, %sum : tensor<128xf32>
      scf.yield %m1, %l1, %o1 : tensor<f32>, tensor<f32>, tensor<128xf32>
    }
    // A sequence without keys has l = 0 and o = 0: divide by 1.
    %empty = arith.cmpf oeq, %l, %zero : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %divisor = arith.select %empty, %one, %l : tensor<i1>, tensor<f32>
    %inverse = arith.divf %one, %divisor : tensor<f32>
    %inverses = tile.broadcast %inverse dims = [] : tensor<f32> -> tensor<128xf32>
    %r = arith.mulf %o, %inverses : tensor<128xf32>
    %out = arith.truncf %r : tensor<128xf32> to tensor<128xbf16>
    tile.store %out, %O[%b, %g, %p, %c0] : tensor<128xbf16> -> memref<?x?x?x128xbf16>
  }
  tile.return
}
