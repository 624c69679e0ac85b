// Twice the numbers of a vector, in blocks of any size that fits.
tile.kernel @scale(%x: memref<?xf32> {tile.shape = ["N"]}, %f: f32, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %W = tile.param "W" [256, 1024, 4096] : index
  %N = tile.dim "N" : index
  %fits = arith.cmpi sge, %N, %W : index
  tile.assume %fits, "a block is not larger than the vector" : i1
  tile.grid (%i) = (0) to (%N) step (%W) {
    %t = tile.load %x[%i] tile(%W) : memref<?xf32> -> tensor<?xf32>
    %s = tensor.splat %f[%W] : tensor<?xf32>
    %r = arith.mulf %t, %s : tensor<?xf32>
    tile.store %r, %y[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}
