// Matrix product, C = A · Bᵀ: B transposed in memory ("nt"). bf16 in and out, accumulators in f32; blocks of 128x128, 64 of K at a time.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, 64, 2*64, … below K:
//       acc += A[i:i+128, k:k+64] · B[j:j+128, k:k+64]ᵀ
//     C[i:i+128, j:j+128] = bf16(acc)
//
// `dims = [1, 0]`: the tile's rows are the memref's columns. A transposed operand is a load like any other.
// Shapes: A MxK, B NxK, C MxN; any M, N, K: loads give zeros beyond the ends, stores stop there.
//
//   tilec examples/gemm-nt-128x128x64.mlir -o gemm-nt-128x128x64.so --target=cpu
//   tile-run gemm-nt-128x128x64.so randn:1000x500xbf16 randn:700x500xbf16 nan:1000x700xbf16 --out C=c.npy

tile.kernel @gemm_nt(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]},
                     %B: memref<?x?xbf16> {tile.shape = ["N", "K"]},
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
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
