// Attention in f16 with heads of 64 elements; the layout is that of models that do not transpose (BxSxHx64); scores, maximum, sum and output in f32.
//
//   for each batch b, head h and block i of 192 queries:
//     q = Q[b, i:i+192, h, :];  f = scale · log₂e
//     m = −1e30; l = 0; o = 0                         (maximum, sum, output so far, of each row)
//     for j in 0, 128, … below T:
//       s = q · K[b, j:j+128, h, :]ᵀ
//       s = −∞ where the key does not exist
//       m' = max(m, max of the rows of s)
//       p = exp2(f · s − f · m');  a = exp2(f · (m − m'))
//       l = a · l + sum of the rows of p
//       o = a · o + f16(p) · V[b, j:j+128, h, :];  m = m'
//     O[b, i:i+192, h, :] = o / l                     (0 without keys)
//
// p is 1 at most and o is a mean of rows of V: nothing but the scores could leave the range of f16, and they are f32.
//
// Shapes: Q, O are BxSxHx64, K, V are BxTxHx64; any B, H, S, T.
//
//   tilec examples/attention-f16.mlir -o attention-f16.so --target=cpu
//   tile-run attention-f16.so randn:1x200x2x64xf16 randn:1x300x2x64xf16 randn:1x300x2x64xf16 0.125 nan:1x200x2x64xf16 --out O=o.npy

tile.kernel @attention_f16(%Q: memref<?x?x?x64xf16> {tile.shape = ["B", "S", "H", 64]},
                           %K: memref<?x?x?x64xf16> {tile.shape = ["B", "T", "H", 64]},
                           %V: memref<?x?x?x64xf16> {tile.shape = ["B", "T", "H", 64]}, %scale: f32,
                           %O: memref<?x?x?x64xf16> {tile.shape = ["B", "S", "H", 64]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %q = tile.load %Q[%b, %i, %h, %c0] dims = [1, 3] : memref<?x?x?x64xf16> -> tensor<192x64xf16>
    // exp(x) = exp2(x · log₂e): one factor for both.
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<192x128xf32>
    %rows = tensor.splat %factor : tensor<192xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<192xf32>
    %zero = arith.constant dense<0.0> : tensor<192xf32>
    %nothing = arith.constant dense<0.0> : tensor<192x64xf32>
    %never = arith.constant dense<0xFF800000> : tensor<192x128xf32>
    %end32 = arith.index_cast %T : index to i32
    %keys = tensor.splat %end32 : tensor<192x128xi32>
    %m, %l, %o = scf.for %j = %c0 to %T step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing)
        -> (tensor<192xf32>, tensor<192xf32>, tensor<192x64xf32>) {
      %k = tile.load %K[%b, %j, %h, %c0] dims = [3, 1] : memref<?x?x?x64xf16> -> tensor<64x128xf16>
      %qk = tile.mma %q, %k : tensor<192x64xf16>, tensor<64x128xf16> -> tensor<192x128xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 : tensor<192x128xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<192x128xi32>
      %s = arith.select %exists, %qk, %never : tensor<192x128xi1>, tensor<192x128xf32>
      %here = tile.reduce maximumf %s dims = [1] : tensor<192x128xf32> -> tensor<192xf32>
      %m1 = arith.maximumf %m0, %here : tensor<192xf32>
      %scaled = arith.mulf %s, %factors : tensor<192x128xf32>
      %ms = arith.mulf %m1, %rows : tensor<192xf32>
      %top = tile.broadcast %ms dims = [0] : tensor<192xf32> -> tensor<192x128xf32>
      %d = arith.subf %scaled, %top : tensor<192x128xf32>
      %p = math.exp2 %d fastmath<afn> : tensor<192x128xf32>
      %drop = arith.subf %m0, %m1 : tensor<192xf32>
      %fall = arith.mulf %drop, %rows : tensor<192xf32>
      %a = math.exp2 %fall fastmath<afn> : tensor<192xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<192x128xf32> -> tensor<192xf32>
      %kept = arith.mulf %l0, %a : tensor<192xf32>
      %l1 = arith.addf %kept, %part : tensor<192xf32>
      %as = tile.broadcast %a dims = [0] : tensor<192xf32> -> tensor<192x64xf32>
      %rescaled = arith.mulf %o0, %as : tensor<192x64xf32>
      %narrow = arith.truncf %p : tensor<192x128xf32> to tensor<192x128xf16>
      %v = tile.load %V[%b, %j, %h, %c0] dims = [1, 3] : memref<?x?x?x64xf16> -> tensor<128x64xf16>
      %o1 = tile.mma %narrow, %v, %rescaled : tensor<192x128xf16>, tensor<128x64xf16> -> tensor<192x64xf32>
      scf.yield %m1, %l1, %o1 : tensor<192xf32>, tensor<192xf32>, tensor<192x64xf32>
    }
    // A row that sees no key has l = 0 and o = 0: divide by 1.
    %empty = arith.cmpf oeq, %l, %zero : tensor<192xf32>
    %one = arith.constant dense<1.0> : tensor<192xf32>
    %divisor = arith.select %empty, %one, %l : tensor<192xi1>, tensor<192xf32>
    %inverse = arith.divf %one, %divisor : tensor<192xf32>
    %inverses = tile.broadcast %inverse dims = [0] : tensor<192xf32> -> tensor<192x64xf32>
    %r = arith.mulf %o, %inverses : tensor<192x64xf32>
    %out = arith.truncf %r : tensor<192x64xf32> to tensor<192x64xf16>
    tile.store %out, %O[%b, %i, %h, %c0] dims = [1, 3] : tensor<192x64xf16> -> memref<?x?x?x64xf16>
  }
  tile.return
}
