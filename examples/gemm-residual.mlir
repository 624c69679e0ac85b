// Matrix product that is added to what there is, C = A · B + R: bf16 in and out, accumulators in f32. As the last layer of a block with a residual connection.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, 64, … below K:
//       acc += A[i:i+176, k:k+64] · B[k:k+64, j:j+128]
//     C[i:i+176, j:j+128] = acc + R[i:i+176, j:j+128]
//
// R and C must not overlap: the program does not say that they may (`tile.alias`), so blocks read ahead.
// Shapes: A MxK, B KxN, R MxN, C MxN; any M, N, K.
//
//   tilec examples/gemm-residual.mlir -o gemm-residual.so --target=cpu
//   tile-run gemm-residual.so randn:1000x500xbf16:scale=0.1 randn:500x700xbf16 randn:1000x700xbf16 nan:1000x700xbf16 --out C=c.npy

tile.kernel @gemm_residual(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                           %R: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (176, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<176x128xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<176x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<176x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<176x64xbf16>, tensor<64x128xbf16> -> tensor<176x128xf32>
      scf.yield %next : tensor<176x128xf32>
    }
    %r = tile.load %R[%i, %j] : memref<?x?xbf16> -> tensor<176x128xbf16>
    %wide = arith.extf %r : tensor<176x128xbf16> to tensor<176x128xf32>
    %total = arith.addf %acc, %wide : tensor<176x128xf32>
    %out = arith.truncf %total : tensor<176x128xf32> to tensor<176x128xbf16>
    tile.store %out, %C[%i, %j] : tensor<176x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
