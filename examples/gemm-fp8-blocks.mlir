// Matrix product of f8 operands with a scale for each 128 elements of a row of A, and for each 128x128 elements of B. Blocks of 128x128,
// 128 of K at a time, which have one scale for each row: the products of a step are scaled and added to the sum in f32, by the threads.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, 128, … below K:
//       part = A[i:i+128, k:k+128] · B[j:j+128, k:k+128]ᵀ
//       acc += part · ascale[i:i+128, k/128] · bscale[j/128, k/128]
//     C[i:i+128, j:j+128] = bf16(acc)
//
// Shapes: A MxK, B NxK, ascale M x ceil(K/128), bscale ceil(N/128) x ceil(K/128), C MxN; any M, N, K.
//
//   tilec examples/gemm-fp8-blocks.mlir -o gemm-fp8-blocks.so --target=cpu
//   tile-run gemm-fp8-blocks.so randn:1000x500xf8E4M3FN randn:700x500xf8E4M3FN randn:1000x4xf32 randn:6x4xf32 nan:1000x700xbf16 --out C=c.npy

tile.kernel @gemm_fp8_blocks(%A: memref<?x?xf8E4M3FN> {tile.shape = ["M", "K"]}, %B: memref<?x?xf8E4M3FN> {tile.shape = ["N", "K"]},
                             %ascale: memref<?x?xf32> {tile.shape = ["M", "KB"]}, %bscale: memref<?x?xf32> {tile.shape = ["NB", "KB"]},
                             %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %NB = tile.dim "NB" : index
  %KB = tile.dim "KB" : index
  %block = arith.constant 128 : index
  %needK = arith.ceildivsi %K, %block : index
  %needN = arith.ceildivsi %N, %block : index
  %hasK = arith.cmpi sge, %KB, %needK : index
  %hasN = arith.cmpi sge, %NB, %needN : index
  tile.assume %hasK, "the scales have a column for each 128 of K" : i1
  tile.assume %hasN, "bscale has a row for each 128 rows of B" : i1
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %nb = arith.divsi %j, %step : index
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %kb = arith.divsi %k, %step : index
      %a = tile.load %A[%i, %k] : memref<?x?xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %part = tile.mma %a, %b : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN> -> tensor<128x128xf32>
      %r = tile.load %ascale[%i, %kb] dims = [0] : memref<?x?xf32> -> tensor<128xf32>
      %s = memref.load %bscale[%nb, %kb] : memref<?x?xf32>
      %splat = tensor.splat %s : tensor<128xf32>
      %factor = arith.mulf %r, %splat : tensor<128xf32>
      %rows = tile.broadcast %factor dims = [0] : tensor<128xf32> -> tensor<128x128xf32>
      %scaled = arith.mulf %part, %rows : tensor<128x128xf32>
      %next = arith.addf %sum, %scaled : tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %out, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
