// Each block writes 24 elements of the next one.
tile.kernel @overlap(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (1000) {
    %t = tile.load %x[%i] : memref<?xf32> -> tensor<1024xf32>
    tile.store %t, %y[%i] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.return
}
