// The first result is stored through scratch before the second product of the same operands.
tile.kernel @two(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %D: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %a = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %b = tile.load %B[%c0, %j] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %a2 = tile.load %A[%i, %c64] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %b2 = tile.load %B[%c64, %j] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %d = tile.mma %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %o = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xbf16>
    %lim = arith.constant 100 : index
    tile.store %o, %C[%i, %j] limit = [%lim, %lim] : tensor<64x64xbf16> -> memref<?x?xbf16>
    %d2 = tile.mma %a, %b, %d : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %o2 = arith.truncf %d2 : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %o2, %D[%i, %j] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
