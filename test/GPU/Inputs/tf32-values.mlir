// Factors that tf32 drops bits of, C = A · Bᵀ: each row of A and of B has one value, in column 0 (../tf32_values.py).
tile.kernel @tf32_values(%A: memref<?x32xf32> {tile.shape = ["M", 32]}, %B: memref<?x32xf32> {tile.shape = ["N", 32]},
                         %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 16) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<?x32xf32> -> tensor<64x32xf32>
    %b = tile.load %B[%j, %c0] dims = [1, 0] : memref<?x32xf32> -> tensor<32x16xf32>
    %c = tile.mma %a, %b precision = tf32 require = [wgmma] : tensor<64x32xf32>, tensor<32x16xf32> -> tensor<64x16xf32>
    tile.store %c, %C[%i, %j] : tensor<64x16xf32> -> memref<?x?xf32>
  }
  tile.return
}
