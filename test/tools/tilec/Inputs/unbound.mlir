// Outside the language: tile-verify says so.
tile.kernel @f(%y: memref<16xf32>, %v: f32) {
  tile.grid (%i) = (0) to (16) step (16) {
    %r = tensor.generate {
    ^bb0(%j: index):
      tensor.yield %v : f32
    } : tensor<16xf32>
    tile.store %r, %y[%i] : tensor<16xf32> -> memref<16xf32>
  }
  tile.return
}
