// Nine parameters of four choices, hardly any of which go together: their sum is at most 10.
tile.kernel @rare(%X: memref<?xf32> {tile.shape = ["N"]}) {
  %p1 = tile.param "P1" [1, 2, 3, 4] : index
  %p2 = tile.param "P2" [1, 2, 3, 4] : index
  %p3 = tile.param "P3" [1, 2, 3, 4] : index
  %p4 = tile.param "P4" [1, 2, 3, 4] : index
  %p5 = tile.param "P5" [1, 2, 3, 4] : index
  %p6 = tile.param "P6" [1, 2, 3, 4] : index
  %p7 = tile.param "P7" [1, 2, 3, 4] : index
  %p8 = tile.param "P8" [1, 2, 3, 4] : index
  %p9 = tile.param "P9" [1, 2, 3, 4] : index
  %s2 = arith.addi %p1, %p2 : index
  %s3 = arith.addi %s2, %p3 : index
  %s4 = arith.addi %s3, %p4 : index
  %s5 = arith.addi %s4, %p5 : index
  %s6 = arith.addi %s5, %p6 : index
  %s7 = arith.addi %s6, %p7 : index
  %s8 = arith.addi %s7, %p8 : index
  %s9 = arith.addi %s8, %p9 : index
  tile.assume %s9 {max = 10} : index
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (%s9) {
    %x = tile.load %X[%i] tile(%s9) : memref<?xf32> -> tensor<?xf32>
    tile.store %x, %X[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}
