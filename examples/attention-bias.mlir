// Attention with a bias that is added to the scores, as relative positions and masks of any form are (also −∞ for keys that must not be seen); head size 128,
// bf16 in and out, all else in f32.
//
//   for each batch b, head h and block i of 128 queries:
//     q = Q[b, h, i:i+128, :];  f = scale · log₂e
//     m = −1e30; l = 0; o = 0                         (maximum, sum, output so far, of each row)
//     for j in 0, 96, … below T:
//       s = f · (q · K[b, h, j:j+96, :]ᵀ) + log₂e · bias[b, h, i:i+128, j:j+96]
//       s = −∞ where the key does not exist
//       m' = max(m, max of the rows of s)
//       p = exp2(s − m');  a = exp2(m − m')
//       l = a · l + sum of the rows of p
//       o = a · o + bf16(p) · V[b, h, j:j+96, :];  m = m'
//     O[b, h, i:i+128, :] = o / l                     (0 for a row that sees no key)
//
// 96 keys an iteration and not 128, so that two iterations of K, V and bias fit into shared memory. The sum of two products is a math.fma, because
// contraction by itself takes neither of them.
//
// A bias that is the same for all batches or heads has stride 0 there: the array is strided, and nothing is copied.
//
// Shapes: Q, O are BxHxSx128, K, V are BxHxTx128, bias is BxHxSxT; any B, H, S, T.
//
//   tilec examples/attention-bias.mlir -o attention-bias.so --target=cpu
//   tile-run attention-bias.so randn:1x2x200x128xbf16 randn:1x2x300x128xbf16 randn:1x2x300x128xbf16 randn:1x2x200x300xbf16 0.0883883 nan:1x2x200x128xbf16 --out O=o.npy

tile.kernel @attention_bias(%Q: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]},
                            %K: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "T", 128]},
                            %V: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "T", 128]}, %bias: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> {tile.shape = ["B", "H", "S", "T"]}, %scale: f32,
                            %O: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 96 : index
    %q = tile.load %Q[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
    // exp(x) = exp2(x · log₂e): one factor for both.
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<128x96xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<128xf32>
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128x128xf32>
    %never = arith.constant dense<0xFF800000> : tensor<128x96xf32>
    %logs = tensor.splat %log2e : tensor<128x96xf32>
    %end32 = arith.index_cast %T : index to i32
    %keys = tensor.splat %end32 : tensor<128x96xi32>
    %m, %l, %o = scf.for %j = %c0 to %T step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing)
        -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
      %k = tile.load %K[%b, %h, %j, %c0] dims = [3, 2] : memref<?x?x?x128xbf16> -> tensor<128x96xbf16>
      %qk = tile.mma %q, %k : tensor<128x128xbf16>, tensor<128x96xbf16> -> tensor<128x96xf32>
      %raw = tile.load %bias[%b, %h, %i, %j] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>> -> tensor<128x96xbf16>
      %wide = arith.extf %raw : tensor<128x96xbf16> to tensor<128x96xf32>
      %bias2 = arith.mulf %wide, %logs : tensor<128x96xf32>
      %biased = math.fma %qk, %factors, %bias2 : tensor<128x96xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 : tensor<128x96xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<128x96xi32>
      %s = arith.select %exists, %biased, %never : tensor<128x96xi1>, tensor<128x96xf32>
      %here = tile.reduce maximumf %s dims = [1] : tensor<128x96xf32> -> tensor<128xf32>
      %m1 = arith.maximumf %m0, %here : tensor<128xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<128xf32> -> tensor<128x96xf32>
      %d = arith.subf %s, %top : tensor<128x96xf32>
      %p = math.exp2 %d fastmath<afn> : tensor<128x96xf32>
      %drop = arith.subf %m0, %m1 : tensor<128xf32>
      %a = math.exp2 %drop fastmath<afn> : tensor<128xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<128x96xf32> -> tensor<128xf32>
      %kept = arith.mulf %l0, %a : tensor<128xf32>
      %l1 = arith.addf %kept, %part : tensor<128xf32>
      %as = tile.broadcast %a dims = [0] : tensor<128xf32> -> tensor<128x128xf32>
      %rescaled = arith.mulf %o0, %as : tensor<128x128xf32>
      %narrow = arith.truncf %p : tensor<128x96xf32> to tensor<128x96xbf16>
      %v = tile.load %V[%b, %h, %j, %c0] : memref<?x?x?x128xbf16> -> tensor<96x128xbf16>
      %o1 = tile.mma %narrow, %v, %rescaled : tensor<128x96xbf16>, tensor<96x128xbf16> -> tensor<128x128xf32>
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
  }
  tile.return
}
