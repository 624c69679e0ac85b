// Matrix product whose rows and columns are scaled, then SiLU: C = silu(r · (A · B) · c), as of a linear layer with quantised operands. bf16 in
// and out, factors, accumulators and the epilogue in f32.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, 64, … below K:
//       acc += A[i:i+176, k:k+64] · B[k:k+64, j:j+128]
//     z = acc · rowscale[i:i+176] · colscale[j:j+128]     (a number for each row, one for each column)
//     C[i:i+176, j:j+128] = z / (1 + exp(-z))
//
// `dims = [0]`: the numbers lie along the rows of the tile; `dims = [1]`: along its columns.
// Shapes: A MxK, B KxN, rowscale M, colscale N, C MxN; any M, N, K.
//
//   tilec examples/gemm-scales-silu.mlir -o gemm-scales-silu.so --target=cpu
//   tile-run gemm-scales-silu.so randn:1000x500xbf16:scale=0.1 randn:500x700xbf16 randn:1000xf32 randn:700xf32 nan:1000x700xbf16 --out C=c.npy

tile.kernel @gemm_scales_silu(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                              %rowscale: memref<?xf32> {tile.shape = ["M"]}, %colscale: memref<?xf32> {tile.shape = ["N"]},
                              %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
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
    %r = tile.load %rowscale[%i] : memref<?xf32> -> tensor<176xf32>
    %c = tile.load %colscale[%j] : memref<?xf32> -> tensor<128xf32>
    %rows = tile.broadcast %r dims = [0] : tensor<176xf32> -> tensor<176x128xf32>
    %columns = tile.broadcast %c dims = [1] : tensor<128xf32> -> tensor<176x128xf32>
    %half = arith.mulf %acc, %rows : tensor<176x128xf32>
    %z = arith.mulf %half, %columns : tensor<176x128xf32>
    %one = arith.constant dense<1.0> : tensor<176x128xf32>
    %negative = arith.negf %z : tensor<176x128xf32>
    %exp = math.exp %negative : tensor<176x128xf32>
    %denominator = arith.addf %exp, %one : tensor<176x128xf32>
    %silu = arith.divf %z, %denominator : tensor<176x128xf32>
    %out = arith.truncf %silu : tensor<176x128xf32> to tensor<176x128xbf16>
    tile.store %out, %C[%i, %j] : tensor<176x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
