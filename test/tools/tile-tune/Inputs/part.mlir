// One member is for vectors of less than 600 numbers, the other one for all others.
tile.kernel @part(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %W = tile.param "W" [256, 1024] : index
  %N = tile.dim "N" : index
  %c600 = arith.constant 600 : index
  %c1024 = arith.constant 1024 : index
  %isWide = arith.cmpi eq, %W, %c1024 : index
  %isLong = arith.cmpi sge, %N, %c600 : index
  %fits = arith.cmpi eq, %isWide, %isLong : i1
  tile.assume %fits, "the block fits the vector" : i1
  tile.grid (%i) = (0) to (%N) step (%W) {
    %t = tile.load %x[%i] tile(%W) : memref<?xf32> -> tensor<?xf32>
    tile.store %t, %y[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}
