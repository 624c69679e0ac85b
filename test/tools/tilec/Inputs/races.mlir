// Blocks whose stores race, which the compiler cannot see: %i / 2 is not linear, %at is in memory.
tile.kernel @quotient(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (64) {
    %c2 = arith.constant 2 : index
    %t = tile.load %x[%i] : memref<?xf32> -> tensor<64xf32>
    %half = arith.divsi %i, %c2 : index
    tile.store %t, %y[%half] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

tile.kernel @scatter(%at: memref<?xi32> {tile.shape = ["N"]}, %y: memref<?x8xbf16, strided<[?, 1]>>, %z: memref<?xi64>,
                     %scale: index) {
  %n = tile.dim "N" : index
  %w = memref.alloc(%n) : memref<?x8xbf16>
  tile.grid (%i) = (0) to (%n) step (1) {
    %c0 = arith.constant 0 : index
    %word = memref.load %at[%i] : memref<?xi32>
    %row = arith.index_cast %word : i32 to index
    %t = arith.constant dense<1.0> : tensor<8xbf16>
    %view = memref.subview %w[%row, 0] [1, 8] [1, 1] : memref<?x8xbf16> to memref<1x8xbf16, strided<[8, 1], offset: ?>>
    tile.store %t, %view[%c0, %c0] : tensor<8xbf16> -> memref<1x8xbf16, strided<[8, 1], offset: ?>>
  }
  // Other grids may write what the first one wrote.
  tile.grid (%i) = (0) to (%n) step (1) {
    %c0 = arith.constant 0 : index
    %t = tile.load %w[%i, %c0] : memref<?x8xbf16> -> tensor<8xbf16>
    tile.store %t, %y[%i, %c0] : tensor<8xbf16> -> memref<?x8xbf16, strided<[?, 1]>>
    tile.store %t, %w[%i, %c0] : tensor<8xbf16> -> memref<?x8xbf16>
  }
  // Scalars, by a coordinate of two dimensions.
  tile.grid (%i, %j) = (0, 0) to (%n, 2) step (1, 1) {
    %word = memref.load %at[%i] : memref<?xi32>
    %row = arith.index_cast %word : i32 to index
    %first = arith.muli %row, %scale : index
    %column = arith.addi %first, %j : index
    %number = arith.index_cast %i : index to i64
    memref.store %number, %z[%column] : memref<?xi64>
  }
  tile.return
}

// What limits and masks drop is written by nobody. A block may write its own elements again.
tile.kernel @limited(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (1000) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c1000 = arith.constant 1000 : i32
    %c1000_index = arith.constant 1000 : index
    %end = arith.addi %i, %c1000_index : index
    %t = tile.load %x[%i] : memref<?xf32> -> tensor<1024xf32>
    scf.for %j = %c0 to %c3 step %c1 {
      tile.store %t, %y[%i] limit = [%end] : tensor<1024xf32> -> memref<?xf32>
    }
    %lane = tile.iota dim = 0 : tensor<1024xi32>
    %bound = tensor.splat %c1000 : tensor<1024xi32>
    %mask = arith.cmpi slt, %lane, %bound : tensor<1024xi32>
    tile.store %t, %y[%i] mask = %mask : tensor<1024xf32> -> memref<?xf32>
  }
  tile.return
}
