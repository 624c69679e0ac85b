// One matrix product for each batch, C[b] = A[b] · B[b], in any tile: the extents are parameters. bf16 in and out, accumulators in f32.
//
//   for each batch b and block (i, j) of C[b]:
//     acc = 0
//     for k in 0, BK, 2*BK, … below K:
//       acc += A[b, i:i+BM, k:k+BK] · B[b, k:k+BK, j:j+BN]
//     C[b, i:i+BM, j:j+BN] = bf16(acc)
//
// The first choices give the program of batched-gemm.mlir. Small products want small tiles, so that all SMs have some.
// Shapes: A ZxMxK, B ZxKxN, C ZxMxN; any Z, M, N, K. The tiles have rank 2: the batch is a coordinate only.
//
//   tilec examples/batched-gemm-tiles.mlir -o batched-gemm-tiles.so --target=cpu
//   tile-run batched-gemm-tiles.so randn:3x200x100xbf16 randn:3x100x150xbf16 nan:3x200x150xbf16 --out C=c.npy

tile.kernel @batched_gemm(%A: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "K"]},
                          %B: memref<?x?x?xbf16> {tile.shape = ["Z", "K", "N"]},
                          %C: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "N"]}) {
  %BM = tile.param "BM" [128, 64, 192] : index
  %BN = tile.param "BN" [256, 128, 64, 192] : index
  %BK = tile.param "BK" [64, 128] : index
  %area = arith.muli %BM, %BN : index
  tile.assume %area {max = 32768} : index
  // A stage is at most 64 KiB, so that three fit into shared memory.
  %both = arith.addi %BM, %BN : index
  %stage = arith.muli %both, %BK : index
  tile.assume %stage {max = 32768} : index
  %Z = tile.dim "Z" : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%Z, %M, %N) step (1, %BM, %BN) {
    %c0 = arith.constant 0 : index
    %none = arith.constant 0.0 : f32
    %zero = tensor.splat %none[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %x = tile.load %A[%b, %i, %k] tile(%BM, %BK) : memref<?x?x?xbf16> -> tensor<?x?xbf16>
      %y = tile.load %B[%b, %k, %j] tile(%BK, %BN) : memref<?x?x?xbf16> -> tensor<?x?xbf16>
      %next = tile.mma %x, %y, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %c = arith.truncf %acc : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%b, %i, %j] : tensor<?x?xbf16> -> memref<?x?x?xbf16>
  }
  tile.return
}
