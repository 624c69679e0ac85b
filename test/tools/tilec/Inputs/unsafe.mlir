// y[i] = x[at] / d for scalars; %w is workspace that is written only where %fill says so.
tile.kernel @unsafe(%x: memref<?xi32> {tile.shape = ["N"]}, %y: memref<?xi32>, %at: index, %d: i32, %step: index) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (1) step (1) {
    tile.assume %at {max = 100} : index
    %v = memref.load %x[%at] : memref<?xi32>
    %q = arith.divsi %v, %d : i32
    scf.for %j = %i to %n step %step {
      memref.store %q, %y[%j] : memref<?xi32>
    }
  }
  tile.return
}

tile.kernel @workspace(%y: memref<?xf32> {tile.shape = ["N"]}) {
  %n = tile.dim "N" : index
  %w = memref.alloc(%n) : memref<?xf32>
  tile.grid (%i) = (0) to (%n) step (64) {
    %t = tile.load %w[%i] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}
