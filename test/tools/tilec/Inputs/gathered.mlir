// A product whose left operand has the rows of %A that %T names.
tile.kernel @picked(%T: memref<?xi32> {tile.shape = ["M"]}, %A: memref<?x?xbf16> {tile.shape = ["V", "K"]},
                    %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %rows = tile.load %T[%i] pad = -1 : i32 : memref<?xi32> -> tensor<64xi32>
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %c = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%rows : tensor<64xi32>, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %a, %b, %acc : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %c, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
