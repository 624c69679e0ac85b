// Matrix product, C = A · B, in any tile: gemm.mlir for a B whose rows lie along N. bf16 in and out, accumulators in f32.
//
//   for each block (i, j) of C:
//     acc = 0
//     for k in 0, BK, 2*BK, … below K:
//       acc += A[i:i+BM, k:k+BK] · B[k:k+BK, j:j+BN]
//     C[i:i+BM, j:j+BN] = bf16(acc)
//
// The first choices give the program of gemm-nn.mlir; `-D` takes others: tilec examples/gemm-nn-tiles.mlir -D BM=64,BN=128
// Shapes: A MxK, B KxN, C MxN; any M, N, K.
//
//   tilec examples/gemm-nn-tiles.mlir -o gemm-nn-tiles.so --target=cpu
//   tile-run gemm-nn-tiles.so randn:1000x500xbf16 randn:500x700xbf16 nan:1000x700xbf16 --out C=c.npy

tile.kernel @gemm_nn(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]},
                     %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                     %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 32, 64, 80, 96, 152, 176] : index
  %BN = tile.param "BN" [256, 64, 128] : index
  %BK = tile.param "BK" [64, 128, 256] : index
  // Which extents go together. Tiles of 128 rows have 64 to 256 columns. 152 rows are what two math warpgroups hold beside 256 columns; other heights are for
  // products whose rows they cover with less left over. Few rows have few columns: they are for few output tiles, of which many blocks read B. 96 columns,
  // which gemm.mlir has, are missing: B's rows lie along N, so that each of a tile's would come in three pieces of 64 bytes.
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c152 = arith.constant 152 : index
  %c256 = arith.constant 256 : index
  %isLow = arith.cmpi slt, %BM, %c64 : index
  %isMiddle = arith.cmpi eq, %BM, %c64 : index
  %is128 = arith.cmpi eq, %BM, %c128 : index
  %is152 = arith.cmpi eq, %BM, %c152 : index
  %isFew = arith.ori %isLow, %isMiddle : i1
  %isNarrow = arith.ori %isFew, %is128 : i1
  %unit = arith.select %isNarrow, %c64, %c128 : index
  %rest = arith.remui %BN, %unit : index
  %zeroIndex = arith.constant 0 : index
  %divides = arith.cmpi eq, %rest, %zeroIndex : index
  tile.assume %divides, "columns are multiples of 64 beside 16, 32, 64 and 128 rows, of 128 beside others" : i1
  %isWide = arith.ori %is128, %is152 : i1
  %mostOfWide = arith.select %isWide, %c256, %c128 : index
  %most = arith.select %isLow, %c64, %mostOfWide : index
  %isWithin = arith.cmpi sle, %BN, %most : index
  tile.assume %isWithin, "128 and 152 rows have up to 256 columns, 16 and 32 rows 64, others 128" : i1
  // A long step in K is for tiles with few accumulators: it waits less often.
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
      %b = tile.load %B[%k, %j] tile(%BK, %BN) : memref<?x?xbf16> -> tensor<?x?xbf16>
      %next = tile.mma %a, %b, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %c = arith.truncf %acc : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
