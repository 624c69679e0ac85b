// Matrix product with an epilogue, C = gelu(A · B + bias): bf16 in and out, accumulators and the epilogue in f32.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, 64, … below K:
//       acc += A[i:i+192, k:k+64] · B[k:k+64, j:j+128]
//     z = acc + bias[j:j+128]              (the same row for all rows)
//     C[i:i+192, j:j+128] = z/2 · (1 + tanh(√(2/π) · (z + 0.044715 z³)))
//
// Shapes: A MxK, B KxN, bias N, C MxN; any M, N, K.
// `tile.transposed`: the tensor cores compute the tile's transpose, two products of 64x192 instead of three of 64x128, which read less of shared memory.
//
//   tilec examples/gemm-bias-gelu.mlir -o gemm-bias-gelu.so --target=cpu
//   tile-run gemm-bias-gelu.so randn:1000x500xbf16:scale=0.1 randn:500x700xbf16 randn:700xbf16 nan:1000x700xbf16 --out C=c.npy

tile.kernel @gemm_bias_gelu(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                            %bias: memref<?xbf16> {tile.shape = ["N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (192, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<192x128xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<192x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<192x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum {tile.transposed = true} : tensor<192x64xbf16>, tensor<64x128xbf16> -> tensor<192x128xf32>
      scf.yield %next : tensor<192x128xf32>
    }
    %row = tile.load %bias[%j] : memref<?xbf16> -> tensor<128xbf16>
    %wide = arith.extf %row : tensor<128xbf16> to tensor<128xf32>
    %rows = tile.broadcast %wide dims = [1] : tensor<128xf32> -> tensor<192x128xf32>
    %z = arith.addf %acc, %rows : tensor<192x128xf32>
    %half = arith.constant dense<0.5> : tensor<192x128xf32>
    %one = arith.constant dense<1.0> : tensor<192x128xf32>
    %cubic = arith.constant dense<0.044715> : tensor<192x128xf32>
    %scale = arith.constant dense<0.797884561> : tensor<192x128xf32>
    %square = arith.mulf %z, %z : tensor<192x128xf32>
    %c = arith.mulf %square, %cubic : tensor<192x128xf32>
    %factor = arith.addf %c, %one : tensor<192x128xf32>
    %inner = arith.mulf %z, %factor : tensor<192x128xf32>
    %scaled = arith.mulf %inner, %scale : tensor<192x128xf32>
    %tanh = math.tanh %scaled : tensor<192x128xf32>
    %plus = arith.addf %tanh, %one : tensor<192x128xf32>
    %halves = arith.mulf %z, %half : tensor<192x128xf32>
    %gelu = arith.mulf %halves, %plus : tensor<192x128xf32>
    %out = arith.truncf %gelu : tensor<192x128xf32> to tensor<192x128xbf16>
    tile.store %out, %C[%i, %j] : tensor<192x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
