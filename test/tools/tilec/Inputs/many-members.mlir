// Rows are doubled; 17 · 17 · 17 members, of which the last parameter changes nothing.
tile.kernel @many(%X: memref<?x512xf32> {tile.shape = ["M", 512]}, %Y: memref<?x512xf32> {tile.shape = ["M", 512]}) {
  %R = tile.param "R" [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17] : index
  %W = tile.param "W" [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17] : index
  %Z = tile.param "Z" [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17] : index
  %c8 = arith.constant 8 : index
  %columns = arith.muli %W, %c8 : index
  %M = tile.dim "M" : index
  tile.grid (%i, %j) = (0, 0) to (%M, 512) step (%R, %columns) {
    %x = tile.load %X[%i, %j] tile(%R, %columns) : memref<?x512xf32> -> tensor<?x?xf32>
    %y = arith.addf %x, %x : tensor<?x?xf32>
    tile.store %y, %Y[%i, %j] : tensor<?x?xf32> -> memref<?x512xf32>
  }
  tile.return
}
