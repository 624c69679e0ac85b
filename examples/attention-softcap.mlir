// Causal attention whose scores are capped, cap · tanh(scale · q · k / cap), so that none is above `cap`; head size 128, bf16 in and out, scores, maximum, sum and
// output in f32.
//
// A softmax is the same for scores that are all larger by one number, and tanh(x) = 2 / (1 + e^(−2x)) − 1. So the scores are 2 · cap · s with
// s = 1 / (1 + e^(−2x)), with which the main loop has half the instructions: a tanh has another form for small x, so that it is right to its last place.
//
//   for each batch b, head h and block i of 128 queries:
//     q = Q[b, h, i:i+128, :];  f = 2 · cap · log₂e;  g = −2 · log₂e · scale / cap
//     m = −1e30; l = 0; o = 0                         (maximum, sum, output so far, of each row)
//     for j in 0, 128, … below min(i + 128 + T − S, T):
//       s = 1 / (1 + exp2(g · (q · K[b, h, j:j+128, :]ᵀ)))
//       s = −∞ where the key does not exist, or key > query + T − S
//       m' = max(m, max of the rows of s)
//       p = exp2(f · s − f · m');  a = exp2(f · (m − m'))
//       l = a · l + sum of the rows of p
//       o = a · o + bf16(p) · V[b, h, j:j+128, :];  m = m'
//     O[b, h, i:i+128, :] = o / l                     (0 for a row that sees no key)
//
// m is the maximum of s: the cap, which must be positive, is part of the multiplication before exp2. It also multiplies the rounding of s: p has a
// relative error of cap · 1.6e-7, which is that of bf16 (4e-3) at a cap of 25000. For larger ones, scores should not be capped, or by math.tanh. `math.tanh`
// with fastmath<afn> is one instruction, with other f and g; a cap of 50 makes its error of 5e-4 2 % of p.
//
// Shapes: Q, O are BxHxSx128, K, V are BxHxTx128; any B, H, S, T.
//
//   tilec examples/attention-softcap.mlir -o attention-softcap.so --target=cpu
//   tile-run attention-softcap.so randn:1x2x200x128xbf16 randn:1x2x200x128xbf16 randn:1x2x200x128xbf16 0.0883883 30 nan:1x2x200x128xbf16 --out O=o.npy

tile.kernel @attention_softcap(%Q: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]},
                               %K: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "T", 128]},
                               %V: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "T", 128]}, %scale: f32, %cap: f32,
                               %O: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %q = tile.load %Q[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
    // exp(2x) = exp2(x · 2 log₂e): one factor for both.
    %two_log2e = arith.constant 2.88539008 : f32
    %factor = arith.mulf %cap, %two_log2e : f32
    %factors = tensor.splat %factor : tensor<128x128xf32>
    %rows = tensor.splat %factor : tensor<128xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<128xf32>
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128x128xf32>
    %never = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %relative = arith.divf %scale, %cap : f32
    %minus = arith.constant -2.88539008 : f32
    %inner = arith.mulf %relative, %minus : f32
    %inners = tensor.splat %inner : tensor<128x128xf32>
    %ones = arith.constant dense<1.0> : tensor<128x128xf32>
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
      %k = tile.load %K[%b, %h, %j, %c0] dims = [3, 2] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
      %qk = tile.mma %q, %k : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      %x = arith.mulf %qk, %inners : tensor<128x128xf32>
      %e = math.exp2 %x fastmath<afn> : tensor<128x128xf32>
      %below = arith.addf %ones, %e : tensor<128x128xf32>
      %capped = arith.divf %ones, %below fastmath<afn> : tensor<128x128xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 : tensor<128x128xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<128x128xi32>
      %before = arith.cmpi sle, %key, %own : tensor<128x128xi32>
      %seen = arith.andi %exists, %before : tensor<128x128xi1>
      %s = arith.select %seen, %capped, %never : tensor<128x128xi1>, tensor<128x128xf32>
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
