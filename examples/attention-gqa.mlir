// Attention with fewer heads of keys and values than of queries (grouped-query attention, GQA; one head for all: MQA), causal, with as many keys as one
// likes (cross attention), and with the logarithm of the sum that a backward pass or a merge of parts needs; head size 128, bf16 in and out, all else in f32.
//
//   for each batch b, head h of queries and block i of 128 queries:
//     g = h / (H / G), the head of keys and values that H / G heads of queries share
//     q = Q[b, h, i:i+128, :];  f = scale · log₂e
//     m = −1e30; l = 0; o = 0              (maximum, sum, output so far, of each row)
//     for j in 0, 128, … below min(i + 128 + T − S, T):
//       s = q · K[b, g, j:j+128, :]ᵀ
//       s = −∞ where the key does not exist, or key > query + T − S: both sequences end together
//       m' = max(m, max of the rows of s)
//       p = exp2(f · s − f · m');  a = exp2(f · (m − m'))
//       l = a · l + sum of the rows of p
//       o = a · o + bf16(p) · V[b, g, j:j+128, :];  m = m'
//     O[b, h, i:i+128, :] = o / l                     (0 for a row that sees no key)
//     LSE[b, h, i:i+128] = scale · m + ln l           (−∞ for a row that sees no key)
//
// Blocks of heads that share keys run at about the same time, so that all but the first find them in L2. attention.mlir says why m begins at −1e30.
//
// Shapes: Q, O are BxHxSx128, K, V are BxGxTx128, LSE is BxHxS; any B, S, T, G, and H a multiple of G.
//
//   tilec examples/attention-gqa.mlir -o attention-gqa.so --target=cpu
//   tile-run attention-gqa.so randn:1x6x200x128xbf16 randn:1x2x300x128xbf16 randn:1x2x300x128xbf16 0.0883883 nan:1x6x200x128xbf16 nan:1x6x200xf32 --out O=o.npy --out LSE=lse.npy

tile.kernel @attention_gqa(%Q: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]},
                           %K: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]},
                           %V: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]}, %scale: f32,
                           %O: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]},
                           %LSE: memref<?x?x?xf32> {tile.shape = ["B", "H", "S"]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %G = tile.dim "G" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  // No division by 0 where there are no heads.
  %c1 = arith.constant 1 : index
  %some = arith.maxsi %G, %c1 : index
  %R = arith.divui %H, %some : index
  %product = arith.muli %R, %G : index
  %whole = arith.cmpi eq, %product, %H : index
  tile.assume %whole, "each head of keys has as many query heads" : i1
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %g = arith.divui %h, %R : index
    %q = tile.load %Q[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
    // exp(x) = exp2(x · log₂e): one factor for both.
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<128x128xf32>
    %rows = tensor.splat %factor : tensor<128xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<128xf32>
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128x128xf32>
    %never = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    // A query at row r sees the keys up to r + T − S.
    %shift = arith.subi %T, %S : index
    %first = arith.addi %i, %shift : index
    %last = arith.addi %first, %step : index
    %end = arith.minsi %last, %T : index
    %first32 = arith.index_cast %first : index to i32
    %own = tile.iota dim = 0 from %first32 : tensor<128x128xi32>
    %end32 = arith.index_cast %end : index to i32
    %keys = tensor.splat %end32 : tensor<128x128xi32>
    %m, %l, %o = scf.for %j = %c0 to %end step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing)
        -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
      %k = tile.load %K[%b, %g, %j, %c0] dims = [3, 2] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
      %qk = tile.mma %q, %k : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 : tensor<128x128xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<128x128xi32>
      %before = arith.cmpi sle, %key, %own : tensor<128x128xi32>
      %seen = arith.andi %exists, %before : tensor<128x128xi1>
      %s = arith.select %seen, %qk, %never : tensor<128x128xi1>, tensor<128x128xf32>
      %here = tile.reduce maximumf %s dims = [1] : tensor<128x128xf32> -> tensor<128xf32>
      %m1 = arith.maximumf %m0, %here : tensor<128xf32>
      %scaled = arith.mulf %s, %factors : tensor<128x128xf32>
      %ms = arith.mulf %m1, %rows : tensor<128xf32>
      %top = tile.broadcast %ms dims = [0] : tensor<128xf32> -> tensor<128x128xf32>
      %d = arith.subf %scaled, %top : tensor<128x128xf32>
      %p = math.exp2 %d fastmath<afn> : tensor<128x128xf32>
      %drop = arith.subf %m0, %m1 : tensor<128xf32>
      %fall = arith.mulf %drop, %rows : tensor<128xf32>
      %a = math.exp2 %fall fastmath<afn> : tensor<128xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<128x128xf32> -> tensor<128xf32>
      %kept = arith.mulf %l0, %a : tensor<128xf32>
      %l1 = arith.addf %kept, %part : tensor<128xf32>
      %as = tile.broadcast %a dims = [0] : tensor<128xf32> -> tensor<128x128xf32>
      %rescaled = arith.mulf %o0, %as : tensor<128x128xf32>
      %narrow = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xbf16>
      %v = tile.load %V[%b, %g, %j, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
      %o1 = tile.mma %narrow, %v, %rescaled : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      scf.yield %m1, %l1, %o1 : tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>
    }
    // A row that sees no key has l = 0 and o = 0: divide by 1.
    %empty = arith.cmpf oeq, %l, %zero : tensor<128xf32>
    %one = arith.constant dense<1.0> : tensor<128xf32>
    %divisor = arith.select %empty, %one, %l : tensor<128xi1>, tensor<128xf32>
    %inverse = arith.divf %one, %divisor : tensor<128xf32>
    %inverses = tile.broadcast %inverse dims = [0] : tensor<128xf32> -> tensor<128x128xf32>
    %r = arith.mulf %o, %inverses : tensor<128x128xf32>
    %out = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %out, %O[%b, %h, %i, %c0] : tensor<128x128xbf16> -> memref<?x?x?x128xbf16>
    // The natural logarithm of the sum of exp(scale · s): −∞ where there was nothing to add.
    %scales = tensor.splat %scale : tensor<128xf32>
    %high = arith.mulf %m, %scales : tensor<128xf32>
    %ln = math.log %divisor : tensor<128xf32>
    %sum = arith.addf %high, %ln : tensor<128xf32>
    %none = arith.constant dense<0xFF800000> : tensor<128xf32>
    %lse = arith.select %empty, %none, %sum : tensor<128xi1>, tensor<128xf32>
    tile.store %lse, %LSE[%b, %h, %i] : tensor<128xf32> -> memref<?x?x?xf32>
  }
  tile.return
}
