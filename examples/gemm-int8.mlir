// Matrix product of quantised operands: C = r · (A · Bᵀ) · c. i8 operands, accumulators in i32, a scale for each row of A and each row of B,
// bf16 out; blocks of 128x256, 128 of K at a time.
//
//   for each block (i, j) of C:
//     acc = 0                                             (i32: exact)
//     for k in 0, 128, … below K:
//       acc += A[i:i+128, k:k+128] · B[j:j+256, k:k+128]ᵀ
//     C[i:i+128, j:j+256] = bf16(f32(acc) · rowscale[i:i+128] · colscale[j:j+256])
//
// B is NxK, as the weights of a linear layer are: the tensor cores read operands of i8 only with K contiguous.
// Shapes: A MxK, B NxK, rowscale M, colscale N, C MxN; any M, N, K.
//
//   tilec examples/gemm-int8.mlir -o gemm-int8.so --target=cpu
//   tile-run gemm-int8.so randint:1000x500xi8 randint:700x500xi8 randn:1000xf32 randn:700xf32 nan:1000x700xbf16 --out C=c.npy

tile.kernel @gemm_int8(%A: memref<?x?xi8> {tile.shape = ["M", "K"]}, %B: memref<?x?xi8> {tile.shape = ["N", "K"]},
                       %rowscale: memref<?xf32> {tile.shape = ["M"]}, %colscale: memref<?xf32> {tile.shape = ["N"]},
                       %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %zero = arith.constant dense<0> : tensor<128x256xi32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xi32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xi8> -> tensor<128x128xi8>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xi8> -> tensor<128x256xi8>
      %next = tile.mma %a, %b, %sum : tensor<128x128xi8>, tensor<128x256xi8> -> tensor<128x256xi32>
      scf.yield %next : tensor<128x256xi32>
    }
    %r = tile.load %rowscale[%i] : memref<?xf32> -> tensor<128xf32>
    %c = tile.load %colscale[%j] : memref<?xf32> -> tensor<256xf32>
    %rows = tile.broadcast %r dims = [0] : tensor<128xf32> -> tensor<128x256xf32>
    %columns = tile.broadcast %c dims = [1] : tensor<256xf32> -> tensor<128x256xf32>
    %wide = arith.sitofp %acc : tensor<128x256xi32> to tensor<128x256xf32>
    %half = arith.mulf %wide, %rows : tensor<128x256xf32>
    %scaled = arith.mulf %half, %columns : tensor<128x256xf32>
    %out = arith.truncf %scaled : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %out, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
