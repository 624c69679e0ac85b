// Two blocks of this product share an SM: it is narrow, so that loads bind it in every plan.
tile.kernel @product(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]},
                     %C: memref<?x?xf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 32) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x32xf32>
    %c = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x32xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x32xf16>
      %d = tile.mma %a, %b, %acc : tensor<64x64xf16>, tensor<64x32xf16> -> tensor<64x32xf32>
      scf.yield %d : tensor<64x32xf32>
    }
    %h = arith.truncf %c : tensor<64x32xf32> to tensor<64x32xf16>
    tile.store %h, %C[%i, %j] : tensor<64x32xf16> -> memref<?x?xf16>
  }
  tile.return
}
