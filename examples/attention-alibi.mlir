// Causal attention with linear biases (ALiBi): each head h has a slope, and a score loses slope · (query − key); head size 128, bf16 in and out, all else in f32.
//
//   for each batch b, head h and block i of 128 queries:
//     q = Q[b, h, i:i+128, :];  f = scale · log₂e;  g = slopes[h] · log₂e
//     m = −1e30; l = 0; o = 0                         (maximum, sum, output so far, of each row)
//     for j in 0, 128, … below min(i + 128 + T − S, T):
//       s = f · (q · K[b, h, j:j+128, :]ᵀ) + g · (key − j);  c = g · (j − i − T + S)
//       s = −∞ where the key does not exist, or key > query + T − S
//       m' = max(m, c + max of the rows of s)
//       p = exp2(s − (m' − c));  a = exp2(m − m')
//       l = a · l + sum of the rows of p
//       o = a · o + bf16(p) · V[b, h, j:j+128, :];  m = m'
//     O[b, h, i:i+128, :] = o / l                     (0 for a row that sees no key)
//
// What depends on the query alone adds the same to all scores of a row, and the softmax does not see it. So the bias is one number for each key, which is 0 for the
// key of the block's first query. It has two parts. The first one, g · (key − j), is the same in all iterations, so it is computed once, before the loop. The second
// one, c, is the same for all keys of an iteration, so it is added to the maximum of a row and not to its scores. This leaves one instruction for the bias of a score.
// c is rounded to 24 bits, by the same amount for all keys of an iteration, so p has a relative error of |c| · 1e-7. With the slopes of ALiBi, above 0 and at most 1,
// it is small where c is, and keys with a large c weigh nothing, however long the sequence is. Slopes of more than 1000 are not for this text.
//
// Shapes: Q, O are BxHxSx128, K, V are BxHxTx128, slopes has H elements; any B, H, S, T.
//
//   tilec examples/attention-alibi.mlir -o attention-alibi.so --target=cpu
//   tile-run attention-alibi.so randn:1x2x200x128xbf16 randn:1x2x200x128xbf16 randn:1x2x200x128xbf16 list:2xf32:values=0.0625,0.00390625 0.0883883 nan:1x2x200x128xbf16 --out O=o.npy

tile.kernel @attention_alibi(%Q: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]},
                             %K: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "T", 128]},
                             %V: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "T", 128]}, %slopes: memref<?xf32> {tile.shape = ["H"]}, %scale: f32,
                             %O: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %q = tile.load %Q[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
    // exp(x) = exp2(x · log₂e): one factor for both.
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<128x128xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<128xf32>
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128x128xf32>
    %never = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %slope = memref.load %slopes[%h] : memref<?xf32>
    %bias = arith.mulf %slope, %log2e : f32
    %biases = tensor.splat %bias : tensor<128xf32>
    // A query at row r sees the keys up to r + T − S.
    %shift = arith.subi %T, %S : index
    %first = arith.addi %i, %shift : index
    %last = arith.addi %first, %step : index
    %end = arith.minsi %last, %T : index
    %first32 = arith.index_cast %first : index to i32
    %own = tile.iota dim = 0 from %first32 : tensor<128x128xi32>
    %end32 = arith.index_cast %end : index to i32
    %keys = tensor.splat %end32 : tensor<128x128xi32>
    %n0 = arith.constant 0 : i32
    %near = tile.iota dim = 0 from %n0 : tensor<128xi32>
    %distance = arith.sitofp %near : tensor<128xi32> to tensor<128xf32>
    %bias_of_key = arith.mulf %distance, %biases : tensor<128xf32>
    %bias_of_keys = tile.broadcast %bias_of_key dims = [1] : tensor<128xf32> -> tensor<128x128xf32>
    %m, %l, %o = scf.for %j = %c0 to %end step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing)
        -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
      %k = tile.load %K[%b, %h, %j, %c0] dims = [3, 2] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
      %qk = tile.mma %q, %k : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      %j32 = arith.index_cast %j : index to i32
      %far32 = arith.subi %j32, %first32 : i32
      %farf = arith.sitofp %far32 : i32 to f32
      %bias_of_block = arith.mulf %farf, %bias : f32
      %bias_of_rows = tensor.splat %bias_of_block : tensor<128xf32>
      %scaled = arith.mulf %qk, %factors : tensor<128x128xf32>
      %biased = arith.addf %scaled, %bias_of_keys : tensor<128x128xf32>
      %key = tile.iota dim = 1 from %j32 : tensor<128x128xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<128x128xi32>
      %before = arith.cmpi sle, %key, %own : tensor<128x128xi32>
      %seen = arith.andi %exists, %before : tensor<128x128xi1>
      %s = arith.select %seen, %biased, %never : tensor<128x128xi1>, tensor<128x128xf32>
      %here = tile.reduce maximumf %s dims = [1] : tensor<128x128xf32> -> tensor<128xf32>
      %here_all = arith.addf %here, %bias_of_rows : tensor<128xf32>
      %m1 = arith.maximumf %m0, %here_all : tensor<128xf32>
      %m1_near = arith.subf %m1, %bias_of_rows : tensor<128xf32>
      %top = tile.broadcast %m1_near dims = [0] : tensor<128xf32> -> tensor<128x128xf32>
      %d = arith.subf %s, %top : tensor<128x128xf32>
      %p = math.exp2 %d fastmath<afn> : tensor<128x128xf32>
      %drop = arith.subf %m0, %m1 : tensor<128xf32>
      %a = math.exp2 %drop fastmath<afn> : tensor<128xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<128x128xf32> -> tensor<128xf32>
      %kept = arith.mulf %l0, %a : tensor<128xf32>
      %l1 = arith.addf %kept, %part : tensor<128xf32>
      %as = tile.broadcast %a dims = [0] : tensor<128xf32> -> tensor<128x128xf32>
      %rescaled = arith.mulf %o0, %as : tensor<128x128xf32>
      %narrow = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xbf16>
      %v = tile.load %V[%b, %h, %j, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
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
  }
  tile.return
}
