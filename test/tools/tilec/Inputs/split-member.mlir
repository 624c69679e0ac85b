// Doubles; each member takes other sizes.
tile.kernel @split(%X: memref<?xf32> {tile.shape = ["N"]}, %Y: memref<?xf32> {tile.shape = ["N"]}) {
  %W = tile.param "W" [128, 1024, 8192] : index
  %c8 = arith.constant 8 : index
  %N = tile.dim "N" : index
  %least = arith.floordivsi %W, %c8 : index
  %small = arith.cmpi sge, %N, %least : index
  tile.assume %small, "N is too small" : i1
  %fits = arith.cmpi sle, %N, %W : index
  tile.assume %fits, "N is too large" : i1
  tile.grid (%i) = (0) to (%N) step (%W) {
    %x = tile.load %X[%i] tile(%W) : memref<?xf32> -> tensor<?xf32>
    %y = arith.addf %x, %x : tensor<?xf32>
    tile.store %y, %Y[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}
