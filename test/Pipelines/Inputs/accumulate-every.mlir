tile.kernel @product(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]},
                     %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %c = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %acc accumulate_every = 32 require = [wgmma] : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tile.store %c, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
