// One product reads a tile of keys as rows, the other its transpose: it is fetched and staged once.
tile.kernel @both_ways(%Q: memref<?x?xbf16> {tile.shape = ["S", "D"]}, %K: memref<?x?xbf16> {tile.shape = ["T", "D"]},
                       %O: memref<?x?xf32> {tile.shape = ["S", "D"]}) {
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  tile.grid (%i) = (0) to (%S) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %q = tile.load %Q[%i, %c0] : memref<?x?xbf16> -> tensor<128x128xbf16>
    %o = scf.for %k = %c0 to %T step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32>) {
      %kt = tile.load %K[%k, %c0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %kk = tile.transpose %kt dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %s = tile.mma %q, %kk : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      %p = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xbf16>
      %next = tile.mma %p, %kt, %c : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    tile.store %o, %O[%i, %c0] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
