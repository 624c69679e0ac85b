// Matrix product, C = A · B: A and B as they are written ("nn"). bf16 in and out, accumulators in f32; blocks of 128x128, 64 of K at a time.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, 64, 2*64, … below K:
//       acc += A[i:i+128, k:k+64] · B[k:k+64, j:j+128]
//     C[i:i+128, j:j+128] = bf16(acc)
//
// Shapes: A MxK, B KxN, C MxN; any M, N, K: loads give zeros beyond the ends, stores stop there.
//
//   tilec examples/gemm-nn-128x128x64.mlir -o gemm-nn-128x128x64.so --target=cpu
//   tile-run gemm-nn-128x128x64.so randn:1000x500xbf16 randn:500x700xbf16 nan:1000x700xbf16 --out C=c.npy

tile.kernel @gemm_nn(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]},
                     %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                     %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  // The compiler chooses the order of the blocks (`group` in its plan), so that operands stay in the L2 cache.
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
