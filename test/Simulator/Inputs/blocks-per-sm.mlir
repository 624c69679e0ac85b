// Two persistent launches that have different numbers of blocks on an SM.
tile.kernel @k(%A: memref<?xf32>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  tile.grid (%i) = (0) to (%n) step (128) attributes {cta.persistent = 1 : i64} {
    %a = tile.load %A[%i] : memref<?xf32> -> tensor<128xf32>
    tile.store %a, %B[%i] : tensor<128xf32> -> memref<?xf32>
  }
  tile.grid (%i) = (0) to (%n) step (128) attributes {cta.persistent = 2 : i64} {
    %a = tile.load %B[%i] : memref<?xf32> -> tensor<128xf32>
    tile.store %a, %A[%i] : tensor<128xf32> -> memref<?xf32>
  }
  tile.return
}
