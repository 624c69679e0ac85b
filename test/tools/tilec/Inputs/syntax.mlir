tile.kernel @f(%y: memref<?xf32>, %v: f32) {
  tile.grid (%i) = (0) to (16) step (16) {
    tile.store %v, %y[%i], %x : f32 -> memref<?xf32>
  }
  tile.return
}
