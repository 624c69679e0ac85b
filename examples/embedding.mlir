// Embedding, bf16: rows of a table that tokens name. And its gradient, f32: the rows of the
// gradient are added to the rows of the table's.
//
//   Y[n, :] = E[T[n], :]                                     a token that is no row of E gives zeros
//   dE[v, :] = sum of dY[n, :] over all n with T[n] = v
//
// Shapes: T has N elements, E and dE have V x D, Y and dY N x D; any numbers. A token may come
// several times, so the gradient is added by atomics, after a grid that clears it; the order of
// these sums is not fixed.
//
//   tilec examples/embedding.mlir -o embedding.so --target=cpu
//   tile-run embedding.so --kernel=embedding randint:100xi32:low=0:high=49 randn:50x300xbf16 nan:100x300xbf16 --out Y=y.npy

tile.kernel @embedding(%T: memref<?xi32> {tile.shape = ["N"]}, %E: memref<?x?xbf16> {tile.shape = ["V", "D"]},
                       %Y: memref<?x?xbf16> {tile.shape = ["N", "D"]}) {
  %N = tile.dim "N" : index
  %D = tile.dim "D" : index
  tile.grid (%i, %j) = (0, 0) to (%N, %D) step (32, 256) {
    %tokens = tile.load %T[%i] : memref<?xi32> -> tensor<32xi32>
    %rows = tile.load %E[%tokens : tensor<32xi32>, %j] : memref<?x?xbf16> -> tensor<32x256xbf16>
    tile.store %rows, %Y[%i, %j] : tensor<32x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @embedding_gradient(%T: memref<?xi32> {tile.shape = ["N"]}, %dY: memref<?x?xbf16> {tile.shape = ["N", "D"]},
                                %dE: memref<?x?xf32> {tile.shape = ["V", "D"]}) {
  %N = tile.dim "N" : index
  %V = tile.dim "V" : index
  %D = tile.dim "D" : index
  tile.grid (%v, %j) = (0, 0) to (%V, %D) step (16, 256) {
    %zero = arith.constant dense<0.0> : tensor<16x256xf32>
    tile.store %zero, %dE[%v, %j] : tensor<16x256xf32> -> memref<?x?xf32>
  }
  tile.grid (%i, %j) = (0, 0) to (%N, %D) step (16, 256) {
    // Rows beyond the last token go nowhere.
    %tokens = tile.load %T[%i] pad = -1 : i32 : memref<?xi32> -> tensor<16xi32>
    %rows = tile.load %dY[%i, %j] : memref<?x?xbf16> -> tensor<16x256xbf16>
    %wide = arith.extf %rows : tensor<16x256xbf16> to tensor<16x256xf32>
    tile.atomic add %wide, %dE[%tokens : tensor<16xi32>, %j] : tensor<16x256xf32> -> memref<?x?xf32>
  }
  tile.return
}
