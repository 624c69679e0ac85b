tile.kernel @k(%A: memref<?x?x?x?xbf16> {tile.shape = ["B", "H", "M", "K"], tile.align = 16, tile.stride_divisible = array<i64: 8, 8, 8, 1>}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"], tile.align = 16, tile.stride_divisible = array<i64: 8, 1>, tile.size_divisible = array<i64: 1, 8>},
                     %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %c = scf.for %k = %c0 to %K step %c128 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %a4 = tile.load %A[%c0, %c0, %i, %k] : memref<?x?x?x?xbf16> -> tensor<1x1x128x128xbf16>
      %a = tensor.collapse_shape %a4 [[0, 1, 2], [3]] : tensor<1x1x128x128xbf16> into tensor<128x128xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<128x128xbf16>
      %d = tile.mma %a, %b, %acc : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tile.store %c, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
