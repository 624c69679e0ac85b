// Matrix product with weights of 8 bits, C = X · (S W)ᵀ, in any tile: the extents are parameters. X and C in bf16, accumulators in f32. Each row of W, which
// makes a column of C, has a scale.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, BK, 2*BK, … below K:
//       acc += bf16(W[j:j+BN, k:k+BK]) · X[i:i+BM, k:k+BK]ᵀ
//     C[i:i+BM, j:j+BN] = bf16(S[j:j+BN] · acc)ᵀ
//
// The product is computed with the weights on its left: they go from the registers in which they become bf16 into the product. So a tile has few rows of
// weights beside many of X, for each of which it would convert them again. Few rows of X (16) are the columns of a narrow product.
//
// Shapes: X MxK, W NxK, S N, C MxN; any M, N, K.
//
//   tilec examples/gemm-w8.mlir -o gemm-w8.so --target=cpu
//   tile-run gemm-w8.so randn:300x1024xbf16 randint:1000x1024xi8:low=-128:high=127 randn:1000xbf16:scale=0.05 nan:300x1000xbf16 --out C=c.npy

tile.kernel @gemm_w8(%X: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %W: memref<?x?xi8> {tile.shape = ["N", "K"]},
                     %S: memref<?xbf16> {tile.shape = ["N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [256, 128, 64, 16] : index
  %BN = tile.param "BN" [128, 64] : index
  %BK = tile.param "BK" [64, 256] : index
  // Each weight is converted once for all rows of the tile, and a product waits for that: more weights than rows of X do not pay, but for 16 rows, because
  // a product has at least 64 weights. 64 weights beside 256 rows are one warpgroup's, and the tensor cores wait while it converts.
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %isHigh = arith.cmpi sge, %BM, %c128 : index
  %most = arith.select %isHigh, %c128, %c64 : index
  %isMost = arith.cmpi eq, %BM, %c256 : index
  %least = arith.select %isMost, %c128, %c64 : index
  %isBelow = arith.cmpi sle, %BN, %most : index
  %isAbove = arith.cmpi sge, %BN, %least : index
  %isWithin = arith.andi %isBelow, %isAbove : i1
  tile.assume %isWithin, "16 and 64 rows have 64 weights, 256 rows 128, 128 rows either" : i1
  // Long steps in K are for tiles with few accumulators, which read longer pieces of the rows of W and wait less often.
  %c4096 = arith.constant 4096 : index
  %accumulators = arith.muli %BM, %BN : index
  %isSmall = arith.cmpi sle, %accumulators, %c4096 : index
  %step = arith.select %isSmall, %c256, %c64 : index
  %steps = arith.cmpi eq, %BK, %step : index
  tile.assume %steps, "tiles of up to 4096 elements have steps of 256 in K, others of 64" : i1
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%j, %i) = (0, 0) to (%N, %M) step (%BN, %BM) {
    %c0 = arith.constant 0 : index
    %none = arith.constant 0.0 : f32
    %zero = tensor.splat %none[%BN, %BM] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %numbers = tile.load %W[%j, %k] tile(%BN, %BK) : memref<?x?xi8> -> tensor<?x?xi8>
      %x = tile.load %X[%i, %k] tile(%BK, %BM) dims = [1, 0] : memref<?x?xbf16> -> tensor<?x?xbf16>
      %w = arith.sitofp %numbers : tensor<?x?xi8> to tensor<?x?xbf16>
      %next = tile.mma %w, %x, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %scale = tile.load %S[%j] tile(%BN) : memref<?xbf16> -> tensor<?xbf16>
    %wide = arith.extf %scale : tensor<?xbf16> to tensor<?xf32>
    %scales = tile.broadcast %wide dims = [0] extents(%BN, %BM) : tensor<?xf32> -> tensor<?x?xf32>
    %scaled = arith.mulf %acc, %scales : tensor<?x?xf32>
    %out = arith.truncf %scaled : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %out, %C[%i, %j] dims = [1, 0] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
