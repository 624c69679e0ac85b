// A product of 128 rows next to a chain of two of 64 rows, whose columns two warpgroups share.
tile.kernel @mixed(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %D: memref<?x?xbf16> {tile.shape = ["M", "N"]}) attributes {plan = #cta.plan<warpgroups = 2>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant dense<0.0> : tensor<128x64xf32>
    %z2 = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc:2 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %z, %o = %z2) -> (tensor<128x64xf32>, tensor<64x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      %a2 = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %s = tile.mma %a2, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
      %e = tile.mma %p, %b, %o : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d, %e : tensor<128x64xf32>, tensor<64x64xf32>
    }
    tile.store %acc#0, %C[%i, %j] : tensor<128x64xf32> -> memref<?x?xf32>
    %t = arith.truncf %acc#1 : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %t, %D[%i, %j] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// Two warpgroups share 16 columns: 8 each, which is half of what four matrices hold.
tile.kernel @narrow(%A: memref<?x32xbf16> {tile.shape = ["M", 32]}, %B: memref<32x?xbf16> {tile.shape = [32, "K"]}, %V: memref<?x16xbf16> {tile.shape = ["K", 16]},
                    %O: memref<?x16xf32> {tile.shape = ["M", 16]}, %P: memref<?x48xf32> {tile.shape = ["M", 48]}, %W: memref<?x48xbf16> {tile.shape = ["K", 48]})
    attributes {warpgroups = 2 : i64} {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  tile.grid (%i) = (0) to (%M) step (64) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %a = tile.load %A[%i, %c0] : memref<?x32xbf16> -> tensor<64x32xbf16>
    %z = arith.constant dense<0.0> : tensor<64x16xf32>
    %y = arith.constant dense<0.0> : tensor<64x48xf32>
    %r:2 = scf.for %k = %c0 to %K step %c16 iter_args(%o = %z, %p = %y) -> (tensor<64x16xf32>, tensor<64x48xf32>) {
      %b = tile.load %B[%c0, %k] : memref<32x?xbf16> -> tensor<32x16xbf16>
      %s = tile.mma %a, %b : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
      %t = arith.truncf %s : tensor<64x16xf32> to tensor<64x16xbf16>
      %v = tile.load %V[%k, %c0] : memref<?x16xbf16> -> tensor<16x16xbf16>
      %w = tile.load %W[%k, %c0] : memref<?x48xbf16> -> tensor<16x48xbf16>
      %d = tile.mma %t, %v, %o : tensor<64x16xbf16>, tensor<16x16xbf16> -> tensor<64x16xf32>
      %e = tile.mma %t, %w, %p : tensor<64x16xbf16>, tensor<16x48xbf16> -> tensor<64x48xf32>
      scf.yield %d, %e : tensor<64x16xf32>, tensor<64x48xf32>
    }
    tile.store %r#0, %O[%i, %c0] : tensor<64x16xf32> -> memref<?x16xf32>
    tile.store %r#1, %P[%i, %c0] : tensor<64x48xf32> -> memref<?x48xf32>
  }
  tile.return
}
