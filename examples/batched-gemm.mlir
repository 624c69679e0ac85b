// One matrix product for each batch, C[b] = A[b] · B[b]: bf16 in and out, accumulators in f32.
//
//   for each batch b and block (i, j) of C[b]:
//     acc = 0
//     for k in 0, 64, … below K:
//       acc += A[b, i:i+128, k:k+64] · B[b, k:k+64, j:j+256]
//     C[b, i:i+128, j:j+256] = bf16(acc)
//
// Shapes: A ZxMxK, B ZxKxN, C ZxMxN; any Z, M, N, K. The tiles have rank 2: the batch is a coordinate only.
//
//   tilec examples/batched-gemm.mlir -o batched-gemm.so --target=cpu
//   tile-run batched-gemm.so randn:3x200x100xbf16 randn:3x100x150xbf16 nan:3x200x150xbf16 --out C=c.npy

tile.kernel @batched_gemm(%A: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "K"]},
                          %B: memref<?x?x?xbf16> {tile.shape = ["Z", "K", "N"]},
                          %C: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "N"]}) {
  %Z = tile.dim "Z" : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%Z, %M, %N) step (1, 128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %A[%b, %i, %k] : memref<?x?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %B[%b, %k, %j] : memref<?x?x?xbf16> -> tensor<64x256xbf16>
      %next = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %c, %C[%b, %i, %j] : tensor<128x256xbf16> -> memref<?x?x?xbf16>
  }
  tile.return
}
