// Causal linear attention in chunks, O[t] = scale · Q[t] · (sum of K[s]ᵀ V[s] for s ≤ t): keys before a chunk have become a state, a matrix of 128 x 128, and those
// in it are products with a mask; bf16 in and out, state and sums in f32.
//
//   for each batch b, head h and 64 columns of V from j:
//     z = 0                                           (the state, 128x64: sum of K[s]ᵀ V[s, j:j+64] so far)
//     for t in 0, 128, … below T:
//       q = Q[b, h, t:t+128, :];  kᵀ = K[b, h, t:t+128, :]ᵀ;  v = V[b, h, t:t+128, j:j+64]
//       a = q · kᵀ, 0 where key > query
//       O[b, h, t:t+128, j:j+64] = scale · (q · bf16(z) + bf16(a) · v)
//       z = z + kᵀ · v
//
// A pass over T is sequential, and its work grows with T · 128 and not with T². Columns of V are independent: two blocks share a head.
//
// Shapes: Q, K, V, O are BxHxTx128; any B, H, T.
//
//   tilec examples/linear-attention.mlir -o linear-attention.so --target=cpu
//   tile-run linear-attention.so randn:1x2x500x128xbf16 randn:1x2x500x128xbf16 randn:1x2x500x128xbf16 0.005 nan:1x2x500x128xbf16 --out O=o.npy

tile.kernel @linear_attention(%Q: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "T", 128]},
                              %K: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "T", 128]},
                              %V: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "T", 128]}, %scale: f32,
                              %O: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "T", 128]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %T = tile.dim "T" : index
  tile.grid (%b, %h, %j) = (0, 0, 0) to (%B, %H, 128) step (1, 1, 64) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %scales = tensor.splat %scale : tensor<128x64xf32>
    %none = arith.constant dense<0.0> : tensor<128x128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128x64xf32>
    // The same in all chunks: both begin at t.
    %query = tile.iota dim = 0 : tensor<128x128xi32>
    %key = tile.iota dim = 1 : tensor<128x128xi32>
    %seen = arith.cmpi sle, %key, %query : tensor<128x128xi32>
    scf.for %t = %c0 to %T step %step iter_args(%z = %nothing) -> (tensor<128x64xf32>) {
      %q = tile.load %Q[%b, %h, %t, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
      %k = tile.load %K[%b, %h, %t, %c0] dims = [3, 2] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
      %v = tile.load %V[%b, %h, %t, %j] : memref<?x?x?x128xbf16> -> tensor<128x64xbf16>
      %qk = tile.mma %q, %k : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      %a = arith.select %seen, %qk, %none : tensor<128x128xi1>, tensor<128x128xf32>
      %z16 = arith.truncf %z : tensor<128x64xf32> to tensor<128x64xbf16>
      %before = tile.mma %q, %z16 : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      %a16 = arith.truncf %a : tensor<128x128xf32> to tensor<128x128xbf16>
      %o = tile.mma %a16, %v, %before : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      %r = arith.mulf %o, %scales : tensor<128x64xf32>
      %out = arith.truncf %r : tensor<128x64xf32> to tensor<128x64xbf16>
      tile.store %out, %O[%b, %h, %t, %j] : tensor<128x64xbf16> -> memref<?x?x?x128xbf16>
      %next = tile.mma %k, %v, %z : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    }
  }
  tile.return
}
