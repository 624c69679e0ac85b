// Two columns of output tiles, a known number; the rows of A and B may begin anywhere along cache lines.
tile.kernel @p(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x256xbf16> {tile.shape = ["K", 256]}, %C: memref<?x256xbf16> {tile.shape = ["M", 256]}) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, 256) step (256, 128) {
    %zero = arith.constant dense<0.0> : tensor<256x128xf32>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %d = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<256x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<256x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x256xbf16> -> tensor<64x128xbf16>
      %n = tile.mma %a, %b, %acc : tensor<256x64xbf16>, tensor<64x128xbf16> -> tensor<256x128xf32>
      scf.yield %n : tensor<256x128xf32>
    }
    %f = arith.truncf %d : tensor<256x128xf32> to tensor<256x128xbf16>
    tile.store %f, %C[%i, %j] : tensor<256x128xbf16> -> memref<?x256xbf16>
  }
  tile.return
}
