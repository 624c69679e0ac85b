// Matrix product with weights of 4 bits for many rows of X, as when a prompt is read, in any tile: the extents are parameters. The weights are stored as for
// gemm-i4.mlir, which is for few rows: two signed numbers in a byte, and each 128 columns of a row have a scale.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, BK, 2*BK, … below K:
//       w = bf16(W[j:j+BN, k/2:(k+BK)/2] · S[k/128, j:j+BN])     (bytes; two numbers each)
//       acc += w · X[i:i+BM, k:k+BK]ᵀ
//     C[i:i+BM, j:j+BN] = bf16(acc)ᵀ
//
// The weights are scaled and not the sums, which are many more here: a weight times its scale is rounded to bf16. They go from the registers in which they are
// unpacked into the product, on its left.
//
// Shapes: X MxK, W NxB with B = K/2 bytes, S GxN with G = K/128 rounded up, C MxN; any M, N and even K.
//
//   tilec examples/gemm-i4-tiles.mlir -o gemm-i4-tiles.so --target=cpu
//   tile-run gemm-i4-tiles.so randn:300x1024xbf16 randint:1000x512xi8:low=-128:high=127 randn:8x1000xbf16:scale=0.05 nan:300x1000xbf16 --out C=c.npy

tile.kernel @gemm_i4(%X: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %W: memref<?x?xi8> {tile.shape = ["N", "B"]},
                     %S: memref<?x?xbf16> {tile.shape = ["G", "N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [256, 128, 64] : index
  %BN = tile.param "BN" [128, 64] : index
  %BK = tile.param "BK" [64, 128] : index
  %two = arith.constant 2 : index
  %group = arith.constant 128 : index
  %BB = arith.divsi %BK, %two : index
  // Each weight is converted once for all rows of the tile, and a product waits for that: more weights than rows of X do not pay. Steps of 128 wait less
  // often; beside 256 rows of X they would leave room for fewer slots. 64 weights beside 256 rows are one warpgroup's, and the tensor cores wait while it
  // converts.
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %isMost = arith.cmpi eq, %BM, %c256 : index
  %step = arith.select %isMost, %c64, %group : index
  %isStep = arith.cmpi eq, %BK, %step : index
  tile.assume %isStep, "256 rows have steps of 64 in K, others of 128" : i1
  %least = arith.select %isMost, %group, %c64 : index
  %most = arith.minsi %BM, %group : index
  %isAbove = arith.cmpi sge, %BN, %least : index
  %isBelow = arith.cmpi sle, %BN, %most : index
  %isWithin = arith.andi %isAbove, %isBelow : i1
  tile.assume %isWithin, "64 rows have 64 weights, 256 rows 128, 128 rows either" : i1
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %B = tile.dim "B" : index
  %G = tile.dim "G" : index
  %columns = arith.muli %B, %two : index
  %even = arith.cmpi eq, %columns, %K : index
  tile.assume %even, "W must have half as many columns as X" : i1
  %groups = arith.ceildivsi %K, %group : index
  %enough = arith.cmpi eq, %groups, %G : index
  tile.assume %enough, "S must have a row for each 128 columns of X" : i1
  tile.grid (%j, %i) = (0, 0) to (%N, %M) step (%BN, %BM) {
    %c0 = arith.constant 0 : index
    %none = arith.constant 0.0 : f32
    %zero = tensor.splat %none[%BN, %BM] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %byte = arith.divsi %k, %two : index
      %g = arith.divsi %k, %group : index
      %packed = tile.load %W[%j, %byte] tile(%BN, %BB) : memref<?x?xi8> -> tensor<?x?xi8>
      %scale = tile.load %S[%g, %j] tile(%BN) dims = [1] : memref<?x?xbf16> -> tensor<?xbf16>
      %x = tile.load %X[%i, %k] tile(%BK, %BM) dims = [1, 0] : memref<?x?xbf16> -> tensor<?x?xbf16>
      %numbers = tile.unpack %packed bits = 4 signed : tensor<?x?xi8> -> tensor<?x?xi8>
      %unscaled = arith.sitofp %numbers : tensor<?x?xi8> to tensor<?x?xbf16>
      %scales = tile.broadcast %scale dims = [0] extents(%BN, %BK) : tensor<?xbf16> -> tensor<?x?xbf16>
      %w = arith.mulf %unscaled, %scales : tensor<?x?xbf16>
      %next = tile.mma %w, %x, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %out = arith.truncf %acc : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %out, %C[%i, %j] dims = [1, 0] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
