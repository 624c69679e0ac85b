// Matrix product, C = A · Bᵀ, in any tile: the extents are parameters. bf16 in and out, accumulators in f32.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, BK, 2*BK, … below K:
//       acc += A[i:i+BM, k:k+BK] · B[j:j+BN, k:k+BK]ᵀ
//     C[i:i+BM, j:j+BN] = bf16(acc)
//
// `tile.param` names a number that is chosen when the kernel is compiled, and its choices. A tile may then have the extents `?`; a load says
// what they are by `tile(%BM, %BK)`, `tensor.splat` by its sizes, and those of all others follow. `tile.assume` says which choices go together.
// The first choices give the program of gemm-nt.mlir; `-D` takes others: tilec examples/gemm.mlir -D BM=64,BN=128
// Shapes: A MxK, B NxK, C MxN; any M, N, K: loads give zeros beyond the ends, stores stop there.
//
//   tilec examples/gemm.mlir -o gemm.so --target=cpu
//   tile-run gemm.so randn:1000x500xbf16 randn:700x500xbf16 nan:1000x700xbf16 --out C=c.npy

tile.kernel @gemm_nt(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]},
                     %B: memref<?x?xbf16> {tile.shape = ["N", "K"]},
                     %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 32, 64, 152] : index
  %BN = tile.param "BN" [256, 64, 128, 192] : index
  %BK = tile.param "BK" [64, 128, 256] : index
  // Tiles of 128 rows in all widths, and 152x256, which is what two math warpgroups hold beside the operands. Lower ones are for few rows: they are
  // as narrow as the tensor cores allow, so that many blocks read B.
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %is128 = arith.cmpi eq, %BM, %c128 : index
  %isHigh = arith.cmpi sgt, %BM, %c128 : index
  %isWide = arith.cmpi eq, %BN, %c256 : index
  %isNarrow = arith.cmpi eq, %BN, %c64 : index
  %suits = arith.select %isHigh, %isWide, %isNarrow : i1
  %goes = arith.ori %is128, %suits : i1
  tile.assume %goes, "152 rows have 256 columns, fewer than 128 rows have 64" : i1
  // A long step in K is for tiles with few accumulators: it reads longer pieces of the rows of B, and waits less often.
  %isLow = arith.cmpi sle, %BM, %c64 : index
  %isLowest = arith.cmpi slt, %BM, %c64 : index
  %ofLow = arith.select %isLowest, %c128, %c256 : index
  %step = arith.select %isLow, %ofLow, %c64 : index
  %steps = arith.cmpi eq, %BK, %step : index
  tile.assume %steps, "16 and 32 rows have steps of 128 in K, 64 rows of 256, more rows of 64" : i1
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (%BM, %BN) {
    %c0 = arith.constant 0 : index
    %none = arith.constant 0.0 : f32
    %zero = tensor.splat %none[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %a = tile.load %A[%i, %k] tile(%BM, %BK) : memref<?x?xbf16> -> tensor<?x?xbf16>
      %b = tile.load %B[%j, %k] tile(%BK, %BN) dims = [1, 0] : memref<?x?xbf16> -> tensor<?x?xbf16>
      %next = tile.mma %a, %b, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %c = arith.truncf %acc : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
