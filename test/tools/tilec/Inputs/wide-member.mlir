// Sums of rows, in tiles of whole rows.
tile.kernel @sums(%X: memref<?x?xf32> {tile.shape = ["M", "N"]}, %Y: memref<?xf32> {tile.shape = ["M"]}) {
  %W = tile.param "W" [1024, 4096, 32768] : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %fits = arith.cmpi sle, %N, %W : index
  tile.assume %fits, "a row has at most W columns" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%i, %c0] tile(%W) : memref<?x?xf32> -> tensor<1x?xf32>
    %s = tile.reduce addf %x dims = [1] : tensor<1x?xf32> -> tensor<1xf32>
    tile.store %s, %Y[%i] : tensor<1xf32> -> memref<?xf32>
  }
  tile.return
}
