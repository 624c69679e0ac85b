// Rows are doubled, R at a time.
tile.kernel @double(%X: memref<?x4096xf32> {tile.shape = ["M", 4096]}, %Y: memref<?x4096xf32> {tile.shape = ["M", 4096]}) {
  %R = tile.param "R" [4096, 1, 2] : index
  %M = tile.dim "M" : index
  tile.grid (%i) = (0) to (%M) step (%R) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%i, %c0] tile(%R) : memref<?x4096xf32> -> tensor<?x4096xf32>
    %y = arith.addf %x, %x : tensor<?x4096xf32>
    tile.store %y, %Y[%i, %c0] : tensor<?x4096xf32> -> memref<?x4096xf32>
  }
  tile.return
}
