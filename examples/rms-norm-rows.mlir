// RMS normalisation of the rows of a matrix, R rows of up to W columns in a tile: both are parameters. bf16 in memory, f32 in between.
//
//   for each block i of R rows:
//     x = X[i:i+R, 0:W]                    (0 beyond column N)
//     Y[i:i+R, :] = x · rsqrt(sum(x²) / N + eps) · G
//
// Narrow rows are fast several at a time. With the first choices it is rms-norm.mlir. `tilec --list-members` prints what there is.
// Shapes: X, Y are MxN with N up to W, which the launcher checks; G has N elements.
//
//   tilec examples/rms-norm-rows.mlir -o rms-norm-rows.so --target=cpu
//   tile-run rms-norm-rows.so randn:100x1000xbf16 randn:1000xbf16 1e-6 nan:100x1000xbf16 --out Y=y.npy

tile.kernel @rms_norm(%X: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %G: memref<?xbf16> {tile.shape = ["N"]},
                      %eps: f32, %Y: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %R = tile.param "R" [1, 2, 4, 8, 16] : index
  %W = tile.param "W" [8192, 4096, 2048, 1024, 512] : index
  // A tile is 16 to 32 KiB of f32: less leaves threads without work, more does not fit the registers.
  %elements = arith.muli %R, %W : index
  tile.assume %elements {min = 4096, max = 8192} : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %fits = arith.cmpi sle, %N, %W : index
  tile.assume %fits, "a row has at most W columns" : i1
  tile.grid (%i) = (0) to (%M) step (%R) {
    %c0 = arith.constant 0 : index
    %in = tile.load %X[%i, %c0] tile(%R, %W) : memref<?x?xbf16> -> tensor<?x?xbf16>
    %weights = tile.load %G[%c0] tile(%W) : memref<?xbf16> -> tensor<?xbf16>
    %x = arith.extf %in : tensor<?x?xbf16> to tensor<?x?xf32>
    %square = arith.mulf %x, %x : tensor<?x?xf32>
    %sum = tile.reduce addf %square dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
    // The mean over the N columns there are, not over the tile.
    %n = arith.index_cast %N : index to i32
    %nf = arith.sitofp %n : i32 to f32
    %count = tensor.splat %nf[%R] : tensor<?xf32>
    %mean = arith.divf %sum, %count : tensor<?xf32>
    %small = tensor.splat %eps[%R] : tensor<?xf32>
    %shifted = arith.addf %mean, %small : tensor<?xf32>
    %scale = math.rsqrt %shifted : tensor<?xf32>
    %scales = tile.broadcast %scale dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
    %scaled = arith.mulf %x, %scales : tensor<?x?xf32>
    %w = arith.extf %weights : tensor<?xbf16> to tensor<?xf32>
    %ws = tile.broadcast %w dims = [1] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
    %y = arith.mulf %scaled, %ws : tensor<?x?xf32>
    %out = arith.truncf %y : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %out, %Y[%i, %c0] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
