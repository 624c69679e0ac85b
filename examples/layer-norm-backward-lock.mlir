// The gradients of layer normalisation, y = (x − mean) · r · G + B with r = 1 / sqrt(variance + eps), with a lock: bf16 in memory, f32 in
// between. `mean` and `r` of each row are those of the forward pass.
//
//   P = 0; Q = 0; lock = 0                              (32 partial sums of N columns each, and a lock for each)
//   for each block of 8 rows i:
//     g = 0; b = 0                                      (sums of the block)
//     for each row k of the block:
//       h = (X[k, :] − mean[k]) · r[k];  d = D[k, :]    (0 beyond column N)
//       w = d · G
//       DX[k, :] = r[k] · (w − sum(w)/N − h · sum(w · h)/N)
//       g += d · h;  b += d
//     s = i/8 mod 32
//     wait until lock[s] was 0 and is 1 by us           (compare and swap, acquire)
//     P[s, :] += g;  Q[s, :] += b
//     lock[s] = 0                                       (exchange, release)
//   for each block of 128 columns j:
//     DG[j:j+128] = sum over rows of P[:, j:j+128];  DB[j:j+128] = sum over rows of Q[:, j:j+128]
//
// Blocks whose numbers are equal modulo 32 share a partial sum, whatever the number of rows: workspace and the second grid stay small,
// where layer-norm-backward.mlir has a partial sum for each block. What was acquired is seen, what was written is released; who waits,
// waits for a block that runs. Blocks add in any order, so the last bits of DG and DB may differ from run to run.
//
// Shapes: X, D (the gradient of y), DX are MxN with N up to 4096; G, DG, DB have N elements; mean and r have M. The launcher provides P,
// Q and the locks, which are free again when the kernel ends.
//
//   tilec examples/layer-norm-backward-lock.mlir -o layer-norm-backward-lock.so --target=cpu
//   tile-run layer-norm-backward-lock.so randn:100x1000xbf16 randn:100x1000xbf16 randn:1000xbf16 randn:100xf32 ones:100xf32 nan:100x1000xbf16 nan:1000xf32 nan:1000xf32 --out DX=dx.npy

tile.kernel @layer_norm_backward_lock(%X: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %D: memref<?x?xbf16> {tile.shape = ["M", "N"]},
                                      %G: memref<?xbf16> {tile.shape = ["N"]}, %mean: memref<?xf32> {tile.shape = ["M"]},
                                      %r: memref<?xf32> {tile.shape = ["M"]}, %DX: memref<?x?xbf16> {tile.shape = ["M", "N"]},
                                      %DG: memref<?xf32> {tile.shape = ["N"]}, %DB: memref<?xf32> {tile.shape = ["N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 4096 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "layer_norm_backward_lock is for rows of up to 4096 columns" : i1
  %rows = arith.constant 8 : index
  %P = memref.alloc(%N) {tile.init = 0.0 : f32} : memref<32x?xf32>
  %Q = memref.alloc(%N) {tile.init = 0.0 : f32} : memref<32x?xf32>
  %lock = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<32xi32>
  tile.grid (%i) = (0) to (%M) step (8) {
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
    %number = arith.divui %i, %rows : index
    %partials = arith.constant 32 : index
    %s = arith.remui %number, %partials : index
    %free = arith.constant 0 : i32
    %taken = arith.constant 1 : i32
    scf.while : () -> () {
      %was = tile.atomic cas acquire returning %free, %taken, %lock[%s] : i32 -> memref<32xi32>
      %busy = arith.cmpi ne, %was, %free : i32
      scf.condition(%busy)
    } do {
      scf.yield
    }
    %p = tile.load %P[%s, %c0] : memref<32x?xf32> -> tensor<4096xf32>
    %q = tile.load %Q[%s, %c0] : memref<32x?xf32> -> tensor<4096xf32>
    %p1 = arith.addf %p, %sums#0 : tensor<4096xf32>
    %q1 = arith.addf %q, %sums#1 : tensor<4096xf32>
    tile.store %p1, %P[%s, %c0] : tensor<4096xf32> -> memref<32x?xf32>
    tile.store %q1, %Q[%s, %c0] : tensor<4096xf32> -> memref<32x?xf32>
    tile.atomic exchange release %free, %lock[%s] : i32 -> memref<32xi32>
  }
  tile.grid (%j) = (0) to (%N) step (128) {
    %c0 = arith.constant 0 : index
    %p = tile.load %P[%c0, %j] : memref<32x?xf32> -> tensor<32x128xf32>
    %q = tile.load %Q[%c0, %j] : memref<32x?xf32> -> tensor<32x128xf32>
    %ps = tile.reduce addf %p dims = [0] : tensor<32x128xf32> -> tensor<128xf32>
    %qs = tile.reduce addf %q dims = [0] : tensor<32x128xf32> -> tensor<128xf32>
    tile.store %ps, %DG[%j] : tensor<128xf32> -> memref<?xf32>
    tile.store %qs, %DB[%j] : tensor<128xf32> -> memref<?xf32>
  }
  tile.return
}
