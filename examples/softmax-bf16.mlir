// Softmax of the rows of a matrix, bf16 in memory, f32 inside. A row is one tile: read once, written once.
//
//   for each row i:
//     x = X[i, 0:8192] in f32            (−∞ beyond column N)
//     e = exp(x − max(x))                (0 beyond column N)
//     Y[i, :] = e / sum(e), rounded to bf16
//
// Shapes: X, Y are MxN, N up to 8192; the launcher refuses a larger N.
//
//   tilec examples/softmax-bf16.mlir -o softmax-bf16.so --target=cpu
//   tile-run softmax-bf16.so randn:100x8000xbf16 nan:100x8000xbf16 --out Y=y.npy

tile.kernel @softmax_bf16(%X: memref<?x?xbf16> {tile.shape = ["M", "N"]},
                          %Y: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 8192 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "softmax_bf16 is for rows of up to 8192 columns" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %narrow = tile.load %X[%i, %c0] pad = neg_inf : memref<?x?xbf16> -> tensor<1x8192xbf16>
    %x = arith.extf %narrow : tensor<1x8192xbf16> to tensor<1x8192xf32>
    %max = tile.reduce maximumf %x dims = [1] : tensor<1x8192xf32> -> tensor<1xf32>
    %maxes = tile.broadcast %max dims = [0] : tensor<1xf32> -> tensor<1x8192xf32>
    %d = arith.subf %x, %maxes : tensor<1x8192xf32>
    // d ≤ 0, so the fast exponential (afn) is off by 1e-5 of its value at most: bf16 shows 4e-3.
    %e = math.exp %d fastmath<afn> : tensor<1x8192xf32>
    %sum = tile.reduce addf %e dims = [1] : tensor<1x8192xf32> -> tensor<1xf32>
    %one = arith.constant dense<1.0> : tensor<1xf32>
    %inverse = arith.divf %one, %sum : tensor<1xf32>
    %inverses = tile.broadcast %inverse dims = [0] : tensor<1xf32> -> tensor<1x8192xf32>
    %y = arith.mulf %e, %inverses : tensor<1x8192xf32>
    %out = arith.truncf %y : tensor<1x8192xf32> to tensor<1x8192xbf16>
    tile.store %out, %Y[%i, %c0] : tensor<1x8192xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
