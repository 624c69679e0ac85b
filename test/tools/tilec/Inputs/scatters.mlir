// Blocks that scatter: rows that %at names, then places of single elements.
tile.kernel @rows(%at: memref<?xi32> {tile.shape = ["N"]}, %y: memref<?x8xf32>) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (4) {
    %c0 = arith.constant 0 : index
    %r = tile.load %at[%i] pad = -1 : i32 : memref<?xi32> -> tensor<4xi32>
    %t = arith.constant dense<1.0> : tensor<4x8xf32>
    tile.store %t, %y[%r : tensor<4xi32>, %c0] : tensor<4x8xf32> -> memref<?x8xf32>
  }
  tile.return
}
tile.kernel @places(%at: memref<?x2xi64> {tile.shape = ["N", 2]}, %y: memref<?xi8>) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (4) {
    %c0 = arith.constant 0 : index
    %p = tile.load %at[%i, %c0] pad = -1 : i64 : memref<?x2xi64> -> tensor<4x2xi64>
    %t = arith.constant dense<1> : tensor<4x2xi8>
    tile.store %t, %y[%p : tensor<4x2xi64>] : tensor<4x2xi8> -> memref<?xi8>
  }
  tile.return
}
