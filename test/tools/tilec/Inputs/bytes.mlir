tile.kernel @named(%x: memref<?xf32> {tile.shape = ["\B5K"]}) {
  tile.grid (%i) = (0) to (8) step (8) {
    %t = tile.load %x[%i] : memref<?xf32> -> tensor<8xf32>
    tile.store %t, %x[%i] : tensor<8xf32> -> memref<?xf32>
  }
  tile.return
}
