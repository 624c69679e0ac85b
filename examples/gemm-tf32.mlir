// Matrix product in f32 on the tensor cores, C = A · Bᵀ: `precision = tf32` allows them to use 10 bits of each factor's fraction. Sums are
// in f32; blocks of 128x256, 32 of K at a time.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, 32, … below K:
//       acc += tf32(A[i:i+128, k:k+32]) · tf32(B[j:j+256, k:k+32])ᵀ
//     C[i:i+128, j:j+256] = acc
//
// Without `precision = tf32` the same product runs on the FMA units, which are 15 times slower, and every factor counts in full. B is NxK:
// the tensor cores read operands of 32 bits only with K contiguous.
// Shapes: A MxK, B NxK, C MxN; any M, N, K.
//
//   tilec examples/gemm-tf32.mlir -o gemm-tf32.so --target=cpu
//   tile-run gemm-tf32.so randn:1000x500xf32 randn:700x500xf32 nan:1000x700xf32 --out C=c.npy

tile.kernel @gemm_tf32(%A: memref<?x?xf32> {tile.shape = ["M", "K"]}, %B: memref<?x?xf32> {tile.shape = ["N", "K"]},
                       %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf32> -> tensor<128x32xf32>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xf32> -> tensor<32x256xf32>
      %next = tile.mma %a, %b, %sum precision = tf32 : tensor<128x32xf32>, tensor<32x256xf32> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<128x256xf32> -> memref<?x?xf32>
  }
  tile.return
}
