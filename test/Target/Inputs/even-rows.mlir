// Rows of A lie at multiples of 8 bytes, never of 16: TMA fetches its copy in the variant repack, whatever the arguments are.
tile.kernel @even(%A: memref<?x1028xf16>, %B: memref<1028x?xf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %M = memref.dim %A, %c0 : memref<?x1028xf16>
  %N = memref.dim %B, %c1 : memref<1028x?xf16>
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %K = arith.constant 1028 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x1028xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%k, %j] : memref<1028x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
