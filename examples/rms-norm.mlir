// RMS normalisation of the rows of a matrix, bf16 in memory, f32 in between.
//
//   for each row i:
//     x = X[i, 0:8192]                     (0 beyond column N)
//     Y[i, :] = x · rsqrt(sum(x²) / N + eps) · W
//
// Shapes: X, Y are MxN with N up to 8192, W has N elements.
//
//   tilec examples/rms-norm.mlir -o rms-norm.so --target=cpu
//   tile-run rms-norm.so randn:100x1000xbf16 randn:1000xbf16 1e-6 nan:100x1000xbf16 --out Y=y.npy

tile.kernel @rms_norm(%X: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %W: memref<?xbf16> {tile.shape = ["N"]},
                      %eps: f32, %Y: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 8192 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "rms_norm is for rows of up to 8192 columns" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %in = tile.load %X[%i, %c0] : memref<?x?xbf16> -> tensor<1x8192xbf16>
    %weights = tile.load %W[%c0] : memref<?xbf16> -> tensor<8192xbf16>
    %x = arith.extf %in : tensor<1x8192xbf16> to tensor<1x8192xf32>
    %square = arith.mulf %x, %x : tensor<1x8192xf32>
    %sum = tile.reduce addf %square dims = [1] : tensor<1x8192xf32> -> tensor<1xf32>
    // The mean over the N columns there are, not over the tile.
    %n = arith.index_cast %N : index to i32
    %nf = arith.sitofp %n : i32 to f32
    %count = tensor.splat %nf : tensor<1xf32>
    %mean = arith.divf %sum, %count : tensor<1xf32>
    %small = tensor.splat %eps : tensor<1xf32>
    %shifted = arith.addf %mean, %small : tensor<1xf32>
    %scale = math.rsqrt %shifted : tensor<1xf32>
    %scales = tile.broadcast %scale dims = [0] : tensor<1xf32> -> tensor<1x8192xf32>
    %scaled = arith.mulf %x, %scales : tensor<1x8192xf32>
    %w = arith.extf %weights : tensor<8192xbf16> to tensor<8192xf32>
    %ws = tile.broadcast %w dims = [1] : tensor<8192xf32> -> tensor<1x8192xf32>
    %y = arith.mulf %scaled, %ws : tensor<1x8192xf32>
    %out = arith.truncf %y : tensor<1x8192xf32> to tensor<1x8192xbf16>
    tile.store %out, %Y[%i, %c0] : tensor<1x8192xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
