tile.kernel @product(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %M: index, %N: index) attributes {plan = #cta.plan<stages = 2, persistent = 1>} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %a = tile.load %A[%i, %c0] : memref<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%c0, %j] : memref<?x?xf16> -> tensor<64x128xf16>
    %d = tile.mma %a, %b, %zero : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    tile.store %d, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
