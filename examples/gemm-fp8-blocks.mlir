// Matrix product of f8 operands with a scale for each 128 elements of a row of A, and for each 128x128 elements of B. Blocks of 192x128,
// 128 of K at a time, which have one scale for each row: the products of a step are scaled and added to the sum in f32, by the threads.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, 128, … below K:
//       part = A[i:i+192, k:k+128] · B[j:j+128, k:k+128]ᵀ
//       acc += part · ascale[k/128, i:i+192] · bscale[j/128, k/128]
//     C[i:i+192, j:j+128] = bf16(acc)
//
// The scales of the rows of a block lie one after the other in memory, and those of B are loaded four at a time, so that TMA can fetch both: 16 bytes is
// the least that it does. While it has asked memory for the next operands, a load by threads would wait for all of those.
//
// Shapes: A MxK, B NxK, ascale ceil(K/128) x M, bscale ceil(N/128) x ceil(K/128), C MxN; any M, N, K.
//
//   tilec examples/gemm-fp8-blocks.mlir -o gemm-fp8-blocks.so --target=cpu
//   tile-run gemm-fp8-blocks.so randn:1000x500xf8E4M3FN randn:700x500xf8E4M3FN randn:4x1000xf32 randn:6x4xf32 nan:1000x700xbf16 --out C=c.npy

tile.kernel @gemm_fp8_blocks(%A: memref<?x?xf8E4M3FN> {tile.shape = ["M", "K"]}, %B: memref<?x?xf8E4M3FN> {tile.shape = ["N", "K"]},
                             %ascale: memref<?x?xf32> {tile.shape = ["KB", "M"]}, %bscale: memref<?x?xf32> {tile.shape = ["NB", "KB"]},
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
  tile.assume %hasK, "the scales have a row or column for each 128 of K" : i1
  tile.assume %hasN, "bscale has a row for each 128 rows of B" : i1
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (192, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<192x128xf32>
    %nb = arith.divsi %j, %step : index
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<192x128xf32>) {
      %kb = arith.divsi %k, %step : index
      %a = tile.load %A[%i, %k] : memref<?x?xf8E4M3FN> -> tensor<192x128xf8E4M3FN>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %part = tile.mma %a, %b : tensor<192x128xf8E4M3FN>, tensor<128x128xf8E4M3FN> -> tensor<192x128xf32>
      %r = tile.load %ascale[%kb, %i] dims = [1] : memref<?x?xf32> -> tensor<192xf32>
      %four = arith.constant 4 : index
      %quad = arith.divsi %kb, %four : index
      %kb4 = arith.muli %quad, %four : index
      %left = arith.subi %kb, %kb4 : index
      %at = arith.index_cast %left : index to i32
      %all = tensor.splat %at : tensor<192xi32>
      %s4 = tile.load %bscale[%nb, %kb4] dims = [1] : memref<?x?xf32> -> tensor<4xf32>
      %s = tile.take %s4 at %all dim = 0 : tensor<4xf32>, tensor<192xi32> -> tensor<192xf32>
      %factor = arith.mulf %r, %s : tensor<192xf32>
      %rows = tile.broadcast %factor dims = [0] : tensor<192xf32> -> tensor<192x128xf32>
      %scaled = arith.mulf %part, %rows : tensor<192x128xf32>
      %next = arith.addf %sum, %scaled : tensor<192x128xf32>
      scf.yield %next : tensor<192x128xf32>
    }
    %out = arith.truncf %acc : tensor<192x128xf32> to tensor<192x128xbf16>
    tile.store %out, %C[%i, %j] : tensor<192x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
