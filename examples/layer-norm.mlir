// Layer normalisation of the rows of a matrix, bf16 in memory, f32 in between.
//
//   for each row i:
//     x = X[i, 0:8192]
//     mean = sum(x) / N
//     d = x − mean                         (0 beyond column N: those must not count)
//     Y[i, :] = d · rsqrt(sum(d²) / N + eps) · G + B
//
// Shapes: X, Y are MxN with N up to 8192, G and B have N elements.
//
//   tilec examples/layer-norm.mlir -o layer-norm.so --target=cpu
//   tile-run layer-norm.so randn:100x1000xbf16 randn:1000xbf16 randn:1000xbf16 1e-5 nan:100x1000xbf16 --out Y=y.npy

tile.kernel @layer_norm(%X: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %G: memref<?xbf16> {tile.shape = ["N"]},
                        %B: memref<?xbf16> {tile.shape = ["N"]}, %eps: f32,
                        %Y: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 8192 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "layer_norm is for rows of up to 8192 columns" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %in = tile.load %X[%i, %c0] : memref<?x?xbf16> -> tensor<1x8192xbf16>
    %gain = tile.load %G[%c0] : memref<?xbf16> -> tensor<8192xbf16>
    %bias = tile.load %B[%c0] : memref<?xbf16> -> tensor<8192xbf16>
    %x = arith.extf %in : tensor<1x8192xbf16> to tensor<1x8192xf32>
    %n = arith.index_cast %N : index to i32
    %nf = arith.sitofp %n : i32 to f32
    %count = tensor.splat %nf : tensor<1xf32>
    %sum = tile.reduce addf %x dims = [1] : tensor<1x8192xf32> -> tensor<1xf32>
    %mean = arith.divf %sum, %count : tensor<1xf32>
    %means = tile.broadcast %mean dims = [0] : tensor<1xf32> -> tensor<1x8192xf32>
    %all = arith.subf %x, %means : tensor<1x8192xf32>
    // Which columns there are.
    %column = tile.iota dim = 1 : tensor<1x8192xi32>
    %end = tensor.splat %n : tensor<1x8192xi32>
    %inside = arith.cmpi slt, %column, %end : tensor<1x8192xi32>
    %zero = arith.constant dense<0.0> : tensor<1x8192xf32>
    %d = arith.select %inside, %all, %zero : tensor<1x8192xi1>, tensor<1x8192xf32>
    %square = arith.mulf %d, %d : tensor<1x8192xf32>
    %squares = tile.reduce addf %square dims = [1] : tensor<1x8192xf32> -> tensor<1xf32>
    %variance = arith.divf %squares, %count : tensor<1xf32>
    %small = tensor.splat %eps : tensor<1xf32>
    %shifted = arith.addf %variance, %small : tensor<1xf32>
    %scale = math.rsqrt %shifted : tensor<1xf32>
    %scales = tile.broadcast %scale dims = [0] : tensor<1xf32> -> tensor<1x8192xf32>
    %scaled = arith.mulf %d, %scales : tensor<1x8192xf32>
    %g = arith.extf %gain : tensor<8192xbf16> to tensor<8192xf32>
    %gs = tile.broadcast %g dims = [1] : tensor<8192xf32> -> tensor<1x8192xf32>
    %b = arith.extf %bias : tensor<8192xbf16> to tensor<8192xf32>
    %bs = tile.broadcast %b dims = [1] : tensor<8192xf32> -> tensor<1x8192xf32>
    %weighted = arith.mulf %scaled, %gs : tensor<1x8192xf32>
    %y = arith.addf %weighted, %bs : tensor<1x8192xf32>
    %out = arith.truncf %y : tensor<1x8192xf32> to tensor<1x8192xbf16>
    tile.store %out, %Y[%i, %c0] : tensor<1x8192xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
