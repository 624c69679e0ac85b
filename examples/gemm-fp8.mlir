// Matrix product of f8 operands with a scale for each row of A and each row of B: C = r · (A · Bᵀ) · c. Accumulators in f32, bf16 out; blocks
// of 128x256, 128 of K at a time.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, 128, … below K:
//       acc += A[i:i+128, k:k+128] · B[j:j+256, k:k+128]ᵀ
//     C[i:i+128, j:j+256] = bf16(acc · rowscale[i:i+128] · colscale[j:j+256])
//
// The tensor cores of Hopper keep fewer bits of sums of f8 than f32 has; `accumulate_every = 128` on the product adds each 128 products in
// f32 by the threads (gemm-fp8-blocks.mlir does that, too). They read operands of f8 only with K contiguous, so B is NxK.
// Shapes: A MxK, B NxK, rowscale M, colscale N, C MxN; any M, N, K.
//
//   tilec examples/gemm-fp8.mlir -o gemm-fp8.so --target=cpu
//   tile-run gemm-fp8.so randn:1000x500xf8E4M3FN randn:700x500xf8E4M3FN randn:1000xf32 randn:700xf32 nan:1000x700xbf16 --out C=c.npy

tile.kernel @gemm_fp8(%A: memref<?x?xf8E4M3FN> {tile.shape = ["M", "K"]}, %B: memref<?x?xf8E4M3FN> {tile.shape = ["N", "K"]},
                       %rowscale: memref<?xf32> {tile.shape = ["M"]}, %colscale: memref<?xf32> {tile.shape = ["N"]},
                       %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xf8E4M3FN> -> tensor<128x256xf8E4M3FN>
      %next = tile.mma %a, %b, %sum : tensor<128x128xf8E4M3FN>, tensor<128x256xf8E4M3FN> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %r = tile.load %rowscale[%i] : memref<?xf32> -> tensor<128xf32>
    %c = tile.load %colscale[%j] : memref<?xf32> -> tensor<256xf32>
    %rows = tile.broadcast %r dims = [0] : tensor<128xf32> -> tensor<128x256xf32>
    %columns = tile.broadcast %c dims = [1] : tensor<256xf32> -> tensor<128x256xf32>
    %half = arith.mulf %acc, %rows : tensor<128x256xf32>
    %scaled = arith.mulf %half, %columns : tensor<128x256xf32>
    %out = arith.truncf %scaled : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %out, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
