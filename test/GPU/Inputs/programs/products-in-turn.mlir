// Products after stores of products: what is staged for a store, for the next product and for TMA shares scratch. Accumulators begin with a number
// other than 0.
tile.kernel @in_turn(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                     %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %D: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %one = arith.constant dense<1.5> : tensor<128x128xf32>
    %a = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
    %d = tile.mma %a, %b, %one : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
    tile.store %d, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
    %t = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xbf16>
    %tt = tile.transpose %t dims = [1, 0] : tensor<128x128xbf16> -> tensor<128x128xbf16>
    %e = tile.mma %t, %tt, %one : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
    %u = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %u, %D[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// Products of tiles with fewer elements than threads.
tile.kernel @small(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]},
                   %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (16, 16) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %acc = scf.for %k = %c0 to %K step %c16 iter_args(%c = %zero) -> (tensor<16x16xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<16x16xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<16x16xf16>
      %d = tile.mma %a, %b, %c : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %d : tensor<16x16xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<16x16xf32> -> memref<?x?xf32>
  }
  tile.return
}
