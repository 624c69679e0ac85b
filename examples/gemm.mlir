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
  %BN = tile.param "BN" [256, 64, 96, 128, 192] : index
  %BK = tile.param "BK" [64, 128, 256] : index
  // Which extents go together. Tiles of 128 rows have widths of 64 to 256. 152 rows are what two math warpgroups hold beside 256 columns. Fewer rows
  // are for few output tiles, and for products of few rows: they are narrow, so that many blocks read B.
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %isLow = arith.cmpi slt, %BM, %c64 : index
  %isMiddle = arith.cmpi eq, %BM, %c64 : index
  %isHigh = arith.cmpi sgt, %BM, %c128 : index
  %unitOfLow = arith.select %isMiddle, %c32, %c64 : index
  %unit = arith.select %isHigh, %c128, %unitOfLow : index
  %rest = arith.remui %BN, %unit : index
  %zeroIndex = arith.constant 0 : index
  %divides = arith.cmpi eq, %rest, %zeroIndex : index
  tile.assume %divides, "columns are multiples of 64, beside 64 rows of 32, beside 152 rows of 128" : i1
  %mostOfMiddle = arith.select %isMiddle, %c96, %c256 : index
  %most = arith.select %isLow, %c64, %mostOfMiddle : index
  %isWithin = arith.cmpi sle, %BN, %most : index
  tile.assume %isWithin, "64 rows have 96 columns at most, fewer rows 64" : i1
  // A long step in K is for tiles with few accumulators: it reads longer pieces of the rows of B, and waits less often.
  %isSquare = arith.cmpi eq, %BN, %BM : index
  %isLong = arith.andi %isMiddle, %isSquare : i1
  %stepOfMost = arith.select %isLong, %c256, %c64 : index
  %step = arith.select %isLow, %c128, %stepOfMost : index
  %steps = arith.cmpi eq, %BK, %step : index
  tile.assume %steps, "16 and 32 rows have steps of 128 in K, tiles of 64x64 of 256, all others of 64" : i1
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
