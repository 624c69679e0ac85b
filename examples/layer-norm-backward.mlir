// The gradients of layer normalisation, y = (x − mean) · r · G + B with r = 1 / sqrt(variance + eps): bf16 in memory, f32 in between.
// `mean` and `r` of each row are those of the forward pass.
//
//   for each block of 32 rows i:
//     g = 0; b = 0                                    (sums of the block, N columns)
//     for each row k of the block:
//       h = (X[k, :] − mean[k]) · r[k];  d = D[k, :]  (0 beyond column N)
//       w = d · G
//       DX[k, :] = r[k] · (w − sum(w)/N − h · sum(w · h)/N)
//       g += d · h;  b += d
//     P[i/32, :] = g;  Q[i/32, :] = b
//   for each block of 128 columns j:
//     DG[j:j+128] = sum over rows of P[:, j:j+128];  DB[j:j+128] = sum over rows of Q[:, j:j+128]
//
// The sums over all rows have two grids: the second one adds, in a fixed order, what blocks of the first one left in workspace.
//
// Shapes: X, D (the gradient of y), DX are MxN with N up to 4096; G, DG, DB have N elements; mean and r have M. The launcher provides P
// and Q, ⌈M/32⌉xN.
//
//   tilec examples/layer-norm-backward.mlir -o layer-norm-backward.so --target=cpu
//   tile-run layer-norm-backward.so randn:100x1000xbf16 randn:100x1000xbf16 randn:1000xbf16 randn:100xf32 ones:100xf32 nan:100x1000xbf16 nan:1000xf32 nan:1000xf32 --out DX=dx.npy

tile.kernel @layer_norm_backward(%X: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %D: memref<?x?xbf16> {tile.shape = ["M", "N"]},
                                 %G: memref<?xbf16> {tile.shape = ["N"]}, %mean: memref<?xf32> {tile.shape = ["M"]},
                                 %r: memref<?xf32> {tile.shape = ["M"]}, %DX: memref<?x?xbf16> {tile.shape = ["M", "N"]},
                                 %DG: memref<?xf32> {tile.shape = ["N"]}, %DB: memref<?xf32> {tile.shape = ["N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 4096 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "layer_norm_backward is for rows of up to 4096 columns" : i1
  %rows = arith.constant 32 : index
  %blocks = arith.ceildivsi %M, %rows : index
  %P = memref.alloc(%blocks, %N) : memref<?x?xf32>
  %Q = memref.alloc(%blocks, %N) : memref<?x?xf32>
  tile.grid (%i) = (0) to (%M) step (32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = arith.addi %i, %rows : index
    %end = arith.minsi %last, %M : index
    %n = arith.index_cast %N : index to i32
    %count = arith.sitofp %n : i32 to f32
    %narrow = tile.load %G[%c0] : memref<?xbf16> -> tensor<4096xbf16>
    %gain = arith.extf %narrow : tensor<4096xbf16> to tensor<4096xf32>
    %zero = arith.constant dense<0.0> : tensor<4096xf32>
    %sums:2 = scf.for %k = %i to %end step %c1 iter_args(%g = %zero, %b = %zero) -> (tensor<4096xf32>, tensor<4096xf32>) {
      // d is 0 beyond column N, and so are all terms of the sums.
      %x16 = tile.load %X[%k, %c0] : memref<?x?xbf16> -> tensor<4096xbf16>
      %d16 = tile.load %D[%k, %c0] : memref<?x?xbf16> -> tensor<4096xbf16>
      %x = arith.extf %x16 : tensor<4096xbf16> to tensor<4096xf32>
      %d = arith.extf %d16 : tensor<4096xbf16> to tensor<4096xf32>
      %mk = memref.load %mean[%k] : memref<?xf32>
      %rk = memref.load %r[%k] : memref<?xf32>
      %means = tensor.splat %mk : tensor<4096xf32>
      %rs = tensor.splat %rk : tensor<4096xf32>
      %centred = arith.subf %x, %means : tensor<4096xf32>
      %h = arith.mulf %centred, %rs : tensor<4096xf32>
      %w = arith.mulf %d, %gain : tensor<4096xf32>
      %wh = arith.mulf %w, %h : tensor<4096xf32>
      %sum1 = tile.reduce addf %w dims = [0] : tensor<4096xf32> -> tensor<f32>
      %sum2 = tile.reduce addf %wh dims = [0] : tensor<4096xf32> -> tensor<f32>
      %counts = tensor.from_elements %count : tensor<f32>
      %mean1 = arith.divf %sum1, %counts : tensor<f32>
      %mean2 = arith.divf %sum2, %counts : tensor<f32>
      %means1 = tile.broadcast %mean1 dims = [] : tensor<f32> -> tensor<4096xf32>
      %means2 = tile.broadcast %mean2 dims = [] : tensor<f32> -> tensor<4096xf32>
      %along = arith.mulf %h, %means2 : tensor<4096xf32>
      %first = arith.subf %w, %means1 : tensor<4096xf32>
      %second = arith.subf %first, %along : tensor<4096xf32>
      %dx = arith.mulf %second, %rs : tensor<4096xf32>
      %out = arith.truncf %dx : tensor<4096xf32> to tensor<4096xbf16>
      tile.store %out, %DX[%k, %c0] : tensor<4096xbf16> -> memref<?x?xbf16>
      %dh = arith.mulf %d, %h : tensor<4096xf32>
      %g1 = arith.addf %g, %dh : tensor<4096xf32>
      %b1 = arith.addf %b, %d : tensor<4096xf32>
      scf.yield %g1, %b1 : tensor<4096xf32>, tensor<4096xf32>
    }
    %p = arith.divui %i, %rows : index
    tile.store %sums#0, %P[%p, %c0] : tensor<4096xf32> -> memref<?x?xf32>
    tile.store %sums#1, %Q[%p, %c0] : tensor<4096xf32> -> memref<?x?xf32>
  }
  tile.grid (%j) = (0) to (%N) step (128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %sums:2 = scf.for %p = %c0 to %blocks step %step iter_args(%g = %zero, %b = %zero) -> (tensor<128xf32>, tensor<128xf32>) {
      %x = tile.load %P[%p, %j] : memref<?x?xf32> -> tensor<32x128xf32>
      %y = tile.load %Q[%p, %j] : memref<?x?xf32> -> tensor<32x128xf32>
      %xs = tile.reduce addf %x dims = [0] : tensor<32x128xf32> -> tensor<128xf32>
      %ys = tile.reduce addf %y dims = [0] : tensor<32x128xf32> -> tensor<128xf32>
      %g1 = arith.addf %g, %xs : tensor<128xf32>
      %b1 = arith.addf %b, %ys : tensor<128xf32>
      scf.yield %g1, %b1 : tensor<128xf32>, tensor<128xf32>
    }
    tile.store %sums#0, %DG[%j] : tensor<128xf32> -> memref<?xf32>
    tile.store %sums#1, %DB[%j] : tensor<128xf32> -> memref<?xf32>
  }
  tile.return
}
