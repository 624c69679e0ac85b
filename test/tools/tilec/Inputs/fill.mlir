tile.kernel @fill(%y: memref<?xf32> {tile.shape = ["N"]}, %value: f32) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (64) {
    %t = tile.broadcast %value dims = [] : f32 -> tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}
