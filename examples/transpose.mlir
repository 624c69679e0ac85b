// Transposition of a matrix, f32, in tiles of 64x64.
//
//   for each block (i, j):
//     B[j:j+64, i:i+64] = A[i:i+64, j:j+64]ᵀ
//
// Shapes: A is MxN, B is NxM, any M and N.
//
//   tilec examples/transpose.mlir -o transpose.so --target=cpu
//   tile-run transpose.so randn:300x500xf32 nan:500x300xf32 --out B=b.npy

tile.kernel @transpose(%A: memref<?x?xf32> {tile.shape = ["M", "N"]}, %B: memref<?x?xf32> {tile.shape = ["N", "M"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %a = tile.load %A[%i, %j] : memref<?x?xf32> -> tensor<64x64xf32>
    %t = tile.transpose %a dims = [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    tile.store %t, %B[%j, %i] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}
