// C = A · B + bias in tiles of 128x256: with a bias loaded ahead there would be no register left.
tile.kernel @gemm_bias(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                            %bias: memref<?xbf16> {tile.shape = ["N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) order = <group = 16> {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x256xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %row = tile.load %bias[%j] : memref<?xbf16> -> tensor<256xbf16>
    %wide = arith.extf %row : tensor<256xbf16> to tensor<256xf32>
    %rows = tile.broadcast %wide dims = [1] : tensor<256xf32> -> tensor<128x256xf32>
    %z = arith.addf %acc, %rows : tensor<128x256xf32>
    %out = arith.truncf %z : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %out, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
