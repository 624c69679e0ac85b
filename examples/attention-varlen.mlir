// Attention of sequences of different lengths that lie one after the other, without padding between them (varlen, ragged batches); causal; head size 128,
// heads of queries share heads of keys, bf16 in and out, scores, maximum, sum and output in f32.
//
//   for each sequence n, head h of queries and block i of 128 queries below the length of the longest sequence:
//     a, S = CQ[n], CQ[n+1] − CQ[n];  c, T = CK[n], CK[n+1] − CK[n];  g = h / (H / G)
//     end = min(i + 128 + T − S, T), or 0 if i ≥ S: there is no such block in this sequence
//     q = Q[a+i:a+i+128, h, :];  f = scale · log₂e
//     m = −1e30; l = 0; o = 0                         (maximum, sum, output so far, of each row)
//     for j in 0, 128, … below end:
//       s = q · K[c+j:c+j+128, g, :]ᵀ
//       s = −∞ where the key is none of this sequence, or key > query + T − S: queries and keys end together
//       m' = max(m, max of the rows of s)
//       p = exp2(f · s − f · m');  α = exp2(f · (m − m'))
//       l = α · l + sum of the rows of p
//       o = α · o + bf16(p) · V[c+j:c+j+128, g, :];  m = m'
//     O[a+i:a+i+128, h, :] = o / l, the rows of the sequence    (0 for a row that sees no key)
//
// A block at the end of a sequence reads rows of the next one and drops them: the scores are masked, and the store has a limit. So has the load of V, since
// 0 · NaN is NaN.
//
// Shapes: Q, O are MxHx128, K, V are NxGx128, CQ and CK have one element more than there are sequences (ascending, from 0 to M and N); longest is the
// length of the longest sequence of queries, or more; any M, N, G, any number of sequences, also empty ones, and H a multiple of G.
//
//   tilec examples/attention-varlen.mlir -o attention-varlen.so --target=cpu
//   tile-run attention-varlen.so randn:400x4x128xbf16 randn:400x2x128xbf16 randn:400x2x128xbf16 arange:5xi32:step=100 arange:5xi32:step=100 100 0.0883883 nan:400x4x128xbf16 --out O=o.npy

tile.kernel @attention_varlen(%Q: memref<?x?x128xbf16> {tile.shape = ["M", "H", 128]},
                              %K: memref<?x?x128xbf16> {tile.shape = ["N", "G", 128]},
                              %V: memref<?x?x128xbf16> {tile.shape = ["N", "G", 128]}, %CQ: memref<?xi32> {tile.shape = ["E"]},
                              %CK: memref<?xi32> {tile.shape = ["E"]}, %longest: i32, %scale: f32,
                              %O: memref<?x?x128xbf16> {tile.shape = ["M", "H", 128]}) {
  %H = tile.dim "H" : index
  %G = tile.dim "G" : index
  %E = tile.dim "E" : index
  // No division by 0 where there are no heads.
  %c1 = arith.constant 1 : index
  %some = arith.maxsi %G, %c1 : index
  %R = arith.divui %H, %some : index
  %product = arith.muli %R, %G : index
  %whole = arith.cmpi eq, %product, %H : index
  tile.assume %whole, "each head of keys has as many query heads" : i1
  %sequences = arith.subi %E, %c1 : index
  %rows_of_longest = arith.index_cast %longest : i32 to index
  tile.grid (%n, %h, %i) = (0, 0, 0) to (%sequences, %H, %rows_of_longest) step (1, 1, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %g = arith.divui %h, %R : index
    %n1 = arith.addi %n, %c1 : index
    %a32 = memref.load %CQ[%n] : memref<?xi32>
    %z32 = memref.load %CQ[%n1] : memref<?xi32>
    %c32 = memref.load %CK[%n] : memref<?xi32>
    %e32 = memref.load %CK[%n1] : memref<?xi32>
    %a = arith.index_cast %a32 : i32 to index
    %z = arith.index_cast %z32 : i32 to index
    %c = arith.index_cast %c32 : i32 to index
    %e = arith.index_cast %e32 : i32 to index
    %S = arith.subi %z, %a : index
    %T = arith.subi %e, %c : index
    %row = arith.addi %a, %i : index
    %q = tile.load %Q[%row, %h, %c0] dims = [0, 2] : memref<?x?x128xbf16> -> tensor<128x128xbf16>
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
    %until = arith.minsi %last, %T : index
    // Nothing is to be done beyond the end of the sequence.
    %any = arith.cmpi slt, %i, %S : index
    %end = arith.select %any, %until, %c0 : index
    %first32 = arith.index_cast %first : index to i32
    %own = tile.iota dim = 0 from %first32 : tensor<128x128xi32>
    %end32 = arith.index_cast %end : index to i32
    %keys = tensor.splat %end32 : tensor<128x128xi32>
    %m, %l, %o = scf.for %j = %c0 to %end step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing)
        -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
      %place = arith.addi %c, %j : index
      %k = tile.load %K[%place, %g, %c0] dims = [2, 0] : memref<?x?x128xbf16> -> tensor<128x128xbf16>
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
      %alpha = math.exp2 %fall fastmath<afn> : tensor<128xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<128x128xf32> -> tensor<128xf32>
      %kept = arith.mulf %l0, %alpha : tensor<128xf32>
      %l1 = arith.addf %kept, %part : tensor<128xf32>
      %as = tile.broadcast %alpha dims = [0] : tensor<128xf32> -> tensor<128x128xf32>
      %rescaled = arith.mulf %o0, %as : tensor<128x128xf32>
      %narrow = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xbf16>
      %v = tile.load %V[%place, %g, %c0] dims = [0, 2] limit = [%e, _] : memref<?x?x128xbf16> -> tensor<128x128xbf16>
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
    tile.store %out, %O[%row, %h, %c0] dims = [0, 2] limit = [%z, _] : tensor<128x128xbf16> -> memref<?x?x128xbf16>
  }
  tile.return
}
