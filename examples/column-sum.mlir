// Sums of the columns of a matrix, f32, in two phases: a second grid adds what the blocks of the first one
// left in workspace. The result does not depend on the order in which blocks run.
//
//   for each block (i, j) of 256x128:
//     P[i/256, j:j+128] = sum over rows of X[i:i+256, j:j+128]
//   for each block j of 128 columns:
//     s = 0
//     for p in 0, 64, … below the number of rows of P:
//       s += sum over rows of P[p:p+64, j:j+128]
//     Y[j:j+128] = s
//
// Shapes: X is MxN, Y has N elements, any M and N. The launcher provides P, ⌈M/256⌉xN.
//
//   tilec examples/column-sum.mlir -o column-sum.so --target=cpu
//   tile-run column-sum.so randn:1000x300xf32 nan:300xf32 --out Y=y.npy

tile.kernel @column_sum(%X: memref<?x?xf32> {tile.shape = ["M", "N"]}, %Y: memref<?xf32> {tile.shape = ["N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %rows = arith.constant 256 : index
  %blocks = arith.ceildivsi %M, %rows : index
  %P = memref.alloc(%blocks, %N) : memref<?x?xf32>
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (256, 128) {
    %p = arith.divui %i, %rows : index
    %x = tile.load %X[%i, %j] : memref<?x?xf32> -> tensor<256x128xf32>
    %sum = tile.reduce addf %x dims = [0] : tensor<256x128xf32> -> tensor<128xf32>
    tile.store %sum, %P[%p, %j] : tensor<128xf32> -> memref<?x?xf32>
  }
  tile.grid (%j) = (0) to (%N) step (128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %sum = scf.for %p = %c0 to %blocks step %step iter_args(%s = %zero) -> (tensor<128xf32>) {
      %x = tile.load %P[%p, %j] : memref<?x?xf32> -> tensor<64x128xf32>
      %part = tile.reduce addf %x dims = [0] : tensor<64x128xf32> -> tensor<128xf32>
      %next = arith.addf %s, %part : tensor<128xf32>
      scf.yield %next : tensor<128xf32>
    }
    tile.store %sum, %Y[%j] : tensor<128xf32> -> memref<?xf32>
  }
  tile.return
}
