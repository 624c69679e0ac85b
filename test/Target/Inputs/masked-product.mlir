// A product of which some columns are stored: by threads, whose addresses and masks are live together with the accumulators.
tile.kernel @masked(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %c0 = arith.constant 0 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x256xf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %out = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xf16>
    %column = tile.iota dim = 0 : tensor<256xi32>
    %most = arith.constant dense<131> : tensor<256xi32>
    %kept = arith.cmpi slt, %column, %most : tensor<256xi32>
    tile.store %out, %C[%i, %j] mask = %kept on [1] : tensor<128x256xf16> -> memref<?x?xf16>
  }
  tile.return
}
