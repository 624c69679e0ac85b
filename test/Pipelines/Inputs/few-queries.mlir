// Two products, of which the second takes the first's result.
tile.kernel @few_queries(%Q: memref<16x64xbf16>, %K: memref<?x64xbf16>, %O: memref<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %K, %c0 : memref<?x64xbf16>
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    %q = tile.load %Q[%z, %z] : memref<16x64xbf16> -> tensor<16x64xbf16>
    %o = scf.for %k = %z to %n step %c64 iter_args(%c = %zero) -> (tensor<16x64xf32>) {
      %kt = tile.load %K[%k, %z] dims = [1, 0] : memref<?x64xbf16> -> tensor<64x64xbf16>
      %s = tile.mma %q, %kt : tensor<16x64xbf16>, tensor<64x64xbf16> -> tensor<16x64xf32>
      %p = arith.truncf %s : tensor<16x64xf32> to tensor<16x64xbf16>
      %v = tile.load %K[%k, %z] : memref<?x64xbf16> -> tensor<64x64xbf16>
      %next = tile.mma %p, %v, %c : tensor<16x64xbf16>, tensor<64x64xbf16> -> tensor<16x64xf32>
      scf.yield %next : tensor<16x64xf32>
    }
    tile.store %o, %O[%z, %z] : tensor<16x64xf32> -> memref<16x64xf32>
  }
  tile.return
}
