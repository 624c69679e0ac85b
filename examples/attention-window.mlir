// Causal attention in a sliding window, as in models of long contexts: a query sees its own key and those shortly before it, `window` keys in all; head size
// 128, heads of queries share heads of keys, bf16 in and out, scores, maximum, sum and output in f32.
//
//   for each batch b, head h of queries and block i of 128 queries:
//     g = h / (H / G);  q = Q[b, h, i:i+128, :];  f = scale · log₂e
//     m = −1e30; l = 0; o = 0                         (maximum, sum, output so far, of each row)
//     begin = the first key that query i sees, max(i + T − S − window + 1, 0), down to a multiple of 128
//     for j in begin, begin + 128, … below min(i + 128 + T − S, T):
//       s = q · K[b, g, j:j+128, :]ᵀ
//       s = −∞ where the key does not exist, key > query + T − S, or key ≤ query + T − S − window
//       m' = max(m, max of the rows of s)
//       p = exp2(f · s − f · m');  a = exp2(f · (m − m'))
//       l = a · l + sum of the rows of p
//       o = a · o + bf16(p) · V[b, g, j:j+128, :];  m = m'
//     O[b, h, i:i+128, :] = o / l                     (0 for a row that sees no key)
//
// The loop reads no block of keys that is outside of the window of all its queries: the work grows with S · window. A block of keys may have rows that see
// none of them before the first that they see; m is −1e30 still then, which is why p is 0 and not NaN there.
//
// Shapes: Q, O are BxHxSx128, K, V are BxGxTx128; any B, S, T, G, and H a multiple of G; window is 1 or more.
//
//   tilec examples/attention-window.mlir -o attention-window.so --target=cpu
//   tile-run attention-window.so randn:1x4x500x128xbf16 randn:1x2x500x128xbf16 randn:1x2x500x128xbf16 0.0883883 150 nan:1x4x500x128xbf16 --out O=o.npy

tile.kernel @attention_window(%Q: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]},
                              %K: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]},
                              %V: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]}, %scale: f32, %window: i32,
                              %O: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]}) {
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
  %one32 = arith.constant 1 : i32
  %sees = arith.cmpi sge, %window, %one32 : i32
  tile.assume %sees, "a window has at least one key" : i1
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
    // It sees none at r + T − S − window or before: %gone is the last of these.
    %width = arith.index_cast %window : i32 to index
    %gone_first = arith.subi %first, %width : index
    %next = arith.addi %gone_first, %c1 : index
    %from = arith.maxsi %next, %c0 : index
    %block = arith.divui %from, %step : index
    %begin = arith.muli %block, %step : index
    %gone32 = arith.index_cast %gone_first : index to i32
    %gone = tile.iota dim = 0 from %gone32 : tensor<128x128xi32>
    %m, %l, %o = scf.for %j = %begin to %end step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing)
        -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
      %k = tile.load %K[%b, %g, %j, %c0] dims = [3, 2] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
      %qk = tile.mma %q, %k : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 : tensor<128x128xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<128x128xi32>
      %before = arith.cmpi sle, %key, %own : tensor<128x128xi32>
      %past = arith.andi %exists, %before : tensor<128x128xi1>
      %near = arith.cmpi sgt, %key, %gone : tensor<128x128xi32>
      %seen = arith.andi %past, %near : tensor<128x128xi1>
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
  }
  tile.return
}
