// Doubles numbers in place, by as many steps as the first of them says: twice as many in each launch.
tile.kernel @counts(%y: memref<?xi32>) {
  %W = tile.param "W" [256, 128] : index
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  tile.grid (%i) = (0) to (%n) step (%W) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = tile.load %y[%i] tile(%W) : memref<?xi32> -> tensor<?xi32>
    %steps = memref.load %y[%i] : memref<?xi32>
    %sum = scf.for %k = %zero to %steps step %one iter_args(%s = %zero) -> (i32) : i32 {
      %next = arith.addi %s, %one : i32
      scf.yield %next : i32
    }
    %u = tensor.splat %sum[%W] : tensor<?xi32>
    %v = arith.addi %t, %u : tensor<?xi32>
    tile.store %v, %y[%i] : tensor<?xi32> -> memref<?xi32>
  }
  tile.return
}
