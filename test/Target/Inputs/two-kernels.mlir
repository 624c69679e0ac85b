// Two products whose warpgroups take turns by what is derived. The second demands that its residual comes through a channel, as no plan does in which they take turns.
tile.kernel @scaled(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                    %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %half = arith.constant dense<0.5> : tensor<128x128xf32>
    %less = arith.mulf %acc, %half : tensor<128x128xf32>
    %out = arith.truncf %less : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %out, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @residual(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                      %R: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %r = tile.load %R[%i, %j] require = [pipelined] : memref<?x?xbf16> -> tensor<128x128xbf16>
    %wide = arith.extf %r : tensor<128x128xbf16> to tensor<128x128xf32>
    %total = arith.addf %acc, %wide : tensor<128x128xf32>
    %out = arith.truncf %total : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %out, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
