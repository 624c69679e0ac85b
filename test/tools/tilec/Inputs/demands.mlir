// A kernel that demands TMA, and that loads run ahead.
tile.kernel @k(%A: memref<?x?xbf16> {tile.align = 16 : i64, tile.shape = ["M", "K"], tile.stride_divisible = array<i64: 8, 1>, tile.size_max = array<i64: 65536, 65536>},
               %B: memref<?x?xbf16> {tile.align = 16 : i64, tile.shape = ["K", "N"], tile.stride_divisible = array<i64: 8, 1>, tile.size_max = array<i64: 65536, 65536>},
               %C: memref<?x?xbf16> {tile.align = 16 : i64, tile.shape = ["M", "N"], tile.stride_divisible = array<i64: 8, 1>, tile.size_divisible = array<i64: 1, 8>, tile.size_max = array<i64: 65536, 65536>})
    attributes {require = #tile.require<[tma, pipelined, peeled]>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%s = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %a, %b, %s : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %c = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %c, %C[%i, %j] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
