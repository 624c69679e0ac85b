// Product of a block-sparse matrix with a dense one, C = S · B: bf16 in and out, accumulators in f32. S has blocks of 64x64 in
// compressed rows (block CSR): the blocks of row r are V[R[r]], V[R[r]+1], …, up to V[R[r+1]−1], and I says in which column of blocks
// each of them is. How often a block of the grid loops, and what it loads, is read from memory.
//
//   for each row of blocks r, and 128 columns from j:
//     acc = 0
//     for n in R[r], …, R[r+1] − 1:
//       k = 64 · I[n]
//       acc += V[n, :, :] · B[k:k+64, j:j+128]
//     C[64 r:64 r+64, j:j+128] = acc
//
// Shapes: V is Zx64x64 for Z blocks, I has Z elements, R has P; B is KxN, C is MxN with M up to 64·(P − 1), any Z, K, N. The last rows
// of S beyond M, and columns beyond K, may hold anything finite.
//
//   tilec examples/block-sparse.mlir -o block-sparse.so --target=cpu
//   tile-run block-sparse.so randn:12x64x64xbf16 randint:12xi32:low=0:high=4 arange:5xi32:step=3 randn:320x100xbf16 nan:250x100xbf16 --out C=c.npy

tile.kernel @block_sparse(%V: memref<?x64x64xbf16> {tile.shape = ["Z", 64, 64]}, %I: memref<?xi32> {tile.shape = ["Z"]},
                          %R: memref<?xi32> {tile.shape = ["P"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                          %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %P = tile.dim "P" : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %c64 = arith.constant 64 : index
  %rows = arith.ceildivsi %M, %c64 : index
  %enough = arith.cmpi slt, %rows, %P : index
  tile.assume %enough, "R needs a first block for each 64 rows of C, and one more" : i1
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = arith.divui %i, %c64 : index
    %r1 = arith.addi %r, %c1 : index
    %first32 = memref.load %R[%r] : memref<?xi32>
    %last32 = memref.load %R[%r1] : memref<?xi32>
    %first = arith.index_cast %first32 : i32 to index
    %last = arith.index_cast %last32 : i32 to index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %n = %first to %last step %c1 iter_args(%sum = %zero) -> (tensor<64x128xf32>) {
      %column32 = memref.load %I[%n] : memref<?xi32>
      %column = arith.index_cast %column32 : i32 to index
      %k = arith.muli %column, %c64 : index
      %a = tile.load %V[%n, %c0, %c0] : memref<?x64x64xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    %out = arith.truncf %acc : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %out, %C[%i, %j] : tensor<64x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
