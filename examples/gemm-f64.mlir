// Matrix product in f64 on the tensor cores, C = A · B, in blocks of 64x64, 16 of K at a time. Factors, products and sums are of f64.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, 16, … below K:
//       acc += A[i:i+64, k:k+16] · B[k:k+16, j:j+64]
//     C[i:i+64, j:j+64] = acc
//
// Each warp computes a quarter of the block by `mma.sync`. Four blocks share an SM, and one multiplies while the others load.
// Shapes: A MxK, B KxN, C MxN; any M, N, K.
//
//   tilec examples/gemm-f64.mlir -o gemm-f64.so --target=cpu
//   tile-run gemm-f64.so randn:500x300xf64 randn:300x200xf64 nan:500x200xf64 --out C=c.npy

tile.kernel @gemm_f64(%A: memref<?x?xf64> {tile.shape = ["M", "K"]}, %B: memref<?x?xf64> {tile.shape = ["K", "N"]},
                      %C: memref<?x?xf64> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf64>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<64x64xf64>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf64> -> tensor<64x16xf64>
      %b = tile.load %B[%k, %j] : memref<?x?xf64> -> tensor<16x64xf64>
      %next = tile.mma %a, %b, %sum : tensor<64x16xf64>, tensor<16x64xf64> -> tensor<64x64xf64>
      scf.yield %next : tensor<64x64xf64>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf64> -> memref<?x?xf64>
  }
  tile.return
}
