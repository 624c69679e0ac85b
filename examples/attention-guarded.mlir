// Attention forward as in attention.mlir, with a guarded maximum: what the exponents are relative to moves only where it must.
//
//   for each batch b, head h and block i of 128 queries:
//     q = Q[b, h, i:i+128, :];  f = scale · log₂e
//     m = −1e30; l = 0; o = 0              (reference, sum, output so far, of each row)
//     for j in 0, 128, … below the number of keys:
//       s = q · K[b, h, j:j+128, :]ᵀ       (−∞ where the key does not exist)
//       t = max of the rows of s
//       in rows where f · (t − m) > 8:     (rare after the first block)
//         a = exp2(f · (m − max(m, t)));  l = a · l;  o = a · o;  m = max(m, t)
//       p = exp2(f · s − f · m)
//       l = l + sum of the rows of p
//       o = o + bf16(p) · V[b, h, j:j+128, :]
//     O[b, h, i:i+128, :] = o · (1 / l)    (0 for a row that sees no key)
//
// Softmax needs no maximum: any number near it gives the same quotient. With numbers up to 2⁸ above the reference p has as many digits as
// without the guard, in f32 and in bf16, and no sum comes near the end of the range. So the multiplication of the whole output by a, and the
// exponentials of a, are left out in all iterations that do not need them. `superset` says that a row which does not need it may take part: its
// reference is then its maximum, as in attention.mlir. On the GPU each warp decides for its own rows.
//
// A row whose first keys do not exist has t = −∞, which needs nothing, and p = exp2(−∞) = 0.
//
// Shapes: Q, O are BxHxSx128, K, V are BxHxTx128; any B, H, S, T.
//
//   tilec examples/attention-guarded.mlir -o attention-guarded.so --target=cpu
//   tile-run attention-guarded.so randn:1x2x200x128xbf16 randn:1x2x200x128xbf16 randn:1x2x200x128xbf16 0.0883883 nan:1x2x200x128xbf16 --out O=o.npy

tile.kernel @attention_guarded(%Q: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]},
                               %K: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "T", 128]},
                               %V: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "T", 128]}, %scale: f32,
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
    %rows = tensor.splat %factor : tensor<128xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<128xf32>
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %most = arith.constant dense<8.0> : tensor<128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128x128xf32>
    %never = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %end32 = arith.index_cast %T : index to i32
    %keys = tensor.splat %end32 : tensor<128x128xi32>
    %m, %l, %o = scf.for %j = %c0 to %T step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing)
        -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
      %k = tile.load %K[%b, %h, %j, %c0] dims = [3, 2] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
      %qk = tile.mma %q, %k : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 : tensor<128x128xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<128x128xi32>
      %s = arith.select %exists, %qk, %never : tensor<128x128xi1>, tensor<128x128xf32>
      %here = tile.reduce maximumf %s dims = [1] : tensor<128x128xf32> -> tensor<128xf32>
      %rise = arith.subf %here, %m0 : tensor<128xf32>
      %powers = arith.mulf %rise, %rows : tensor<128xf32>
      %need = arith.cmpf ogt, %powers, %most : tensor<128xf32>
      %m1, %l1, %o1 = tile.rare %need passing(%m0, %l0, %o0) superset {
        %mn = arith.maximumf %m0, %here : tensor<128xf32>
        %drop = arith.subf %m0, %mn : tensor<128xf32>
        %fall = arith.mulf %drop, %rows : tensor<128xf32>
        %a = math.exp2 %fall fastmath<afn> : tensor<128xf32>
        %ln = arith.mulf %l0, %a : tensor<128xf32>
        %as = tile.broadcast %a dims = [0] : tensor<128xf32> -> tensor<128x128xf32>
        %on = arith.mulf %o0, %as : tensor<128x128xf32>
        tile.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>
      } : tensor<128xi1>, tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>
      %scaled = arith.mulf %s, %factors : tensor<128x128xf32>
      %ms = arith.mulf %m1, %rows : tensor<128xf32>
      %top = tile.broadcast %ms dims = [0] : tensor<128xf32> -> tensor<128x128xf32>
      %d = arith.subf %scaled, %top : tensor<128x128xf32>
      %p = math.exp2 %d fastmath<afn> : tensor<128x128xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<128x128xf32> -> tensor<128xf32>
      %l2 = arith.addf %l1, %part : tensor<128xf32>
      %narrow = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xbf16>
      %v = tile.load %V[%b, %h, %j, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
      %o2 = tile.mma %narrow, %v, %o1 : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      scf.yield %m1, %l2, %o2 : tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>
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
