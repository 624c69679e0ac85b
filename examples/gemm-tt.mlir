// Matrix product, C = Aᵀ · Bᵀ: both transposed in memory ("tt"). bf16 in and out, accumulators in f32; blocks of 128x256, 64 of K at a time.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, 64, 2*64, … below K:
//       acc += A[k:k+64, i:i+128]ᵀ · B[j:j+256, k:k+64]ᵀ
//     C[i:i+128, j:j+256] = bf16(acc)
//
// `dims = [1, 0]`: the tile's rows are the memref's columns. A transposed operand is a load like any other.
// Shapes: A KxM, B NxK, C MxN; any M, N, K: loads give zeros beyond the ends, stores stop there.
//
//   tilec examples/gemm-tt.mlir -o gemm-tt.so --target=cpu
//   tile-run gemm-tt.so randn:500x1000xbf16 randn:700x500xbf16 nan:1000x700xbf16 --out C=c.npy

tile.kernel @gemm_tt(%A: memref<?x?xbf16> {tile.shape = ["K", "M"]},
                     %B: memref<?x?xbf16> {tile.shape = ["N", "K"]},
                     %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  // The compiler chooses the order of the blocks (`group` in its plan), so that operands stay in the L2 cache.
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%k, %i] dims = [1, 0] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x256xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
