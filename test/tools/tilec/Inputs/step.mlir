// A step that is known at launch only.
tile.kernel @step(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}, %step: index) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (%step) {
    %t = tile.load %x[%i] : memref<?xf32> -> tensor<1024xf32>
    tile.store %t, %y[%i] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.return
}
