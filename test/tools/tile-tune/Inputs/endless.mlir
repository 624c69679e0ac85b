// Counts to %n, which takes as long as one likes.
tile.kernel @endless(%n: index, %y: memref<?xi32>) {
  %W = tile.param "W" [256, 128] : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = memref.dim %y, %c0 : memref<?xi32>
  tile.grid (%i) = (0) to (%size) step (%W) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (i32) {
      memref.store %s, %y[%i] : memref<?xi32>
      %next = arith.addi %s, %one : i32
      scf.yield %next : i32
    }
    %t = tensor.splat %sum[%W] : tensor<?xi32>
    tile.store %t, %y[%i] : tensor<?xi32> -> memref<?xi32>
  }
  tile.return
}
