// Attention of one new token of each sequence to all its earlier ones, whose keys and values lie in pages of 16 tokens anywhere in a
// cache; head size 128, groups of query heads share a head of keys: bf16 in and out, scores, maximum, sum and output in f32.
//
//   for each sequence s, and head g of keys with its query heads h = g·R, …, g·R + R − 1:
//     q = Q[s, g·R:g·R+64, :];  f = scale · log₂e       (rows beyond R belong to others: they are computed and dropped)
//     m = −1e30; l = 0; o = 0                           (maximum, sum, output so far, of each row)
//     for j in 0, 8, … below n = ⌈length[s] / 16⌉:
//       t = pages[s, j:j+8], −1 from n on
//       x = q · (K[t, :, g, :] as 128 tokens)ᵀ          (0 for pages −1)
//       x = −∞ where the token 16·j + column is not below length[s]
//       m' = max(m, max of the rows of x)
//       p = exp2(f · x − f · m');  a = exp2(f · (m − m'))
//       l = a · l + sum of the rows of p
//       o = a · o + bf16(p) · (V[t, :, g, :] as 128 tokens);  m = m'
//     O[s, g·R:g·R+R, :] = o / l                        (0 for a sequence without tokens)
//
// Pages of so few tokens are no tiles: eight of them are one, and an index tile has their numbers. On the GPU TMA fetches a box for each page.
// paged-attention.mlir has pages that are tiles, each with a scalar as its number, and takes no notice of what they have beyond the length. Here
// V has to be finite there, as in a cache that was zero at first: 0 · NaN is NaN.
//
// Shapes: Q, O are SxHx128; K, V are Px16xGx128 with H = R·G, R up to 64; pages is SxX of numbers below P; length has S elements, up to
// 16·X; any S, G, P, X.
//
//   tilec examples/paged-attention-16.mlir -o paged-attention-16.so --target=cpu
//   tile-run paged-attention-16.so randn:3x8x128xbf16 randn:80x16x2x128xbf16 randn:80x16x2x128xbf16 randint:3x20xi32:low=0:high=79 randint:3xi32:low=0:high=320 0.0883883 nan:3x8x128xbf16 --out O=o.npy

tile.kernel @paged_attention_16(%Q: memref<?x?x128xbf16> {tile.shape = ["S", "H", 128]},
                                %K: memref<?x16x?x128xbf16> {tile.shape = ["P", 16, "G", 128]},
                                %V: memref<?x16x?x128xbf16> {tile.shape = ["P", 16, "G", 128]},
                                %pages: memref<?x?xi32> {tile.shape = ["S", "X"]}, %length: memref<?xi32> {tile.shape = ["S"]}, %scale: f32,
                                %O: memref<?x?x128xbf16> {tile.shape = ["S", "H", 128]}) {
  %S = tile.dim "S" : index
  %H = tile.dim "H" : index
  %G = tile.dim "G" : index
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  // No division by 0 where there are no heads.
  %divisor = arith.maxsi %G, %c1 : index
  %R = arith.divui %H, %divisor : index
  %product = arith.muli %R, %G : index
  %whole = arith.cmpi eq, %product, %H : index
  tile.assume %whole, "each head of keys has as many query heads" : i1
  %fits = arith.cmpi sle, %R, %c64 : index
  tile.assume %fits, "paged_attention_16 is for up to 64 query heads for one head of keys" : i1
  tile.grid (%s, %g) = (0, 0) to (%S, %G) step (1, 1) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %h = arith.muli %g, %R : index
    %end = arith.addi %h, %R : index
    %q = tile.load %Q[%s, %h, %c0] : memref<?x?x128xbf16> -> tensor<64x128xbf16>
    %length32 = memref.load %length[%s] : memref<?xi32>
    %tokens = arith.index_cast %length32 : i32 to index
    %count = arith.ceildivsi %tokens, %c16 : index
    %lengths = tensor.splat %length32 : tensor<64x128xi32>
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<64x128xf32>
    %rows = tensor.splat %factor : tensor<64xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<64xf32>
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %nothing = arith.constant dense<0.0> : tensor<64x128xf32>
    %never = arith.constant dense<0xFF800000> : tensor<64x128xf32>
    %m, %l, %o = scf.for %j = %c0 to %count step %c8 iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing)
        -> (tensor<64xf32>, tensor<64xf32>, tensor<64x128xf32>) {
      %page = tile.load %pages[%s, %j] limit = [%count] pad = -1 : i32 : memref<?x?xi32> -> tensor<8xi32>
      %k8 = tile.load %K[%page : tensor<8xi32>, %c0, %g, %c0] dims = [0, 1, 3] : memref<?x16x?x128xbf16> -> tensor<8x16x128xbf16>
      %kt = tensor.collapse_shape %k8 [[0, 1], [2]] : tensor<8x16x128xbf16> into tensor<128x128xbf16>
      %k = tile.transpose %kt dims = [1, 0] : tensor<128x128xbf16> -> tensor<128x128xbf16>
      %qk = tile.mma %q, %k : tensor<64x128xbf16>, tensor<128x128xbf16> -> tensor<64x128xf32>
      %first = arith.muli %j, %c16 : index
      %first32 = arith.index_cast %first : index to i32
      %token = tile.iota dim = 1 from %first32 : tensor<64x128xi32>
      %exists = arith.cmpi slt, %token, %lengths : tensor<64x128xi32>
      %x = arith.select %exists, %qk, %never : tensor<64x128xi1>, tensor<64x128xf32>
      %here = tile.reduce maximumf %x dims = [1] : tensor<64x128xf32> -> tensor<64xf32>
      %m1 = arith.maximumf %m0, %here : tensor<64xf32>
      %scaled = arith.mulf %x, %factors : tensor<64x128xf32>
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
      %v8 = tile.load %V[%page : tensor<8xi32>, %c0, %g, %c0] dims = [0, 1, 3] : memref<?x16x?x128xbf16> -> tensor<8x16x128xbf16>
      %v = tensor.collapse_shape %v8 [[0, 1], [2]] : tensor<8x16x128xbf16> into tensor<128x128xbf16>
      %o1 = tile.mma %narrow, %v, %rescaled : tensor<64x128xbf16>, tensor<128x128xbf16> -> tensor<64x128xf32>
      scf.yield %m1, %l1, %o1 : tensor<64xf32>, tensor<64xf32>, tensor<64x128xf32>
    }
    // A sequence without tokens has l = 0 and o = 0: divide by 1.
    %empty = arith.cmpf oeq, %l, %zero : tensor<64xf32>
    %one = arith.constant dense<1.0> : tensor<64xf32>
    %divisors = arith.select %empty, %one, %l : tensor<64xi1>, tensor<64xf32>
    %inverse = arith.divf %one, %divisors : tensor<64xf32>
    %inverses = tile.broadcast %inverse dims = [0] : tensor<64xf32> -> tensor<64x128xf32>
    %r = arith.mulf %o, %inverses : tensor<64x128xf32>
    %out = arith.truncf %r : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %out, %O[%s, %h, %c0] limit = [%end, _] : tensor<64x128xbf16> -> memref<?x?x128xbf16>
  }
  tile.return
}
