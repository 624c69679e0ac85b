// Grids that read what the one before has just written, in the opposite order of blocks: who does not wait for the whole of
// it reads old numbers.
//
//   eight times, x and y in turn: for each block i of 1024 elements
//     y[i:i+1024] = 3 * x[N-1024-i:N-i] + 1
//
// Shapes: x and y have N elements, a multiple of 1024.
tile.kernel @chain(%x: memref<?xi32> {tile.shape = ["N"], tile.size_divisible = array<i64: 1024>}, %y: memref<?xi32> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  %size = arith.constant 1024 : index
  %last = arith.subi %N, %size : index
  tile.grid (%i) = (0) to (%N) step (1024) {
    %three = arith.constant dense<3> : tensor<1024xi32>
    %one = arith.constant dense<1> : tensor<1024xi32>
    %j = arith.subi %last, %i : index
    %v = tile.load %x[%j] : memref<?xi32> -> tensor<1024xi32>
    %p = arith.muli %v, %three : tensor<1024xi32>
    %s = arith.addi %p, %one : tensor<1024xi32>
    tile.store %s, %y[%i] : tensor<1024xi32> -> memref<?xi32>
  }
  tile.grid (%i) = (0) to (%N) step (1024) {
    %three = arith.constant dense<3> : tensor<1024xi32>
    %one = arith.constant dense<1> : tensor<1024xi32>
    %j = arith.subi %last, %i : index
    %v = tile.load %y[%j] : memref<?xi32> -> tensor<1024xi32>
    %p = arith.muli %v, %three : tensor<1024xi32>
    %s = arith.addi %p, %one : tensor<1024xi32>
    tile.store %s, %x[%i] : tensor<1024xi32> -> memref<?xi32>
  }
  tile.grid (%i) = (0) to (%N) step (1024) {
    %three = arith.constant dense<3> : tensor<1024xi32>
    %one = arith.constant dense<1> : tensor<1024xi32>
    %j = arith.subi %last, %i : index
    %v = tile.load %x[%j] : memref<?xi32> -> tensor<1024xi32>
    %p = arith.muli %v, %three : tensor<1024xi32>
    %s = arith.addi %p, %one : tensor<1024xi32>
    tile.store %s, %y[%i] : tensor<1024xi32> -> memref<?xi32>
  }
  tile.grid (%i) = (0) to (%N) step (1024) {
    %three = arith.constant dense<3> : tensor<1024xi32>
    %one = arith.constant dense<1> : tensor<1024xi32>
    %j = arith.subi %last, %i : index
    %v = tile.load %y[%j] : memref<?xi32> -> tensor<1024xi32>
    %p = arith.muli %v, %three : tensor<1024xi32>
    %s = arith.addi %p, %one : tensor<1024xi32>
    tile.store %s, %x[%i] : tensor<1024xi32> -> memref<?xi32>
  }
  tile.grid (%i) = (0) to (%N) step (1024) {
    %three = arith.constant dense<3> : tensor<1024xi32>
    %one = arith.constant dense<1> : tensor<1024xi32>
    %j = arith.subi %last, %i : index
    %v = tile.load %x[%j] : memref<?xi32> -> tensor<1024xi32>
    %p = arith.muli %v, %three : tensor<1024xi32>
    %s = arith.addi %p, %one : tensor<1024xi32>
    tile.store %s, %y[%i] : tensor<1024xi32> -> memref<?xi32>
  }
  tile.grid (%i) = (0) to (%N) step (1024) {
    %three = arith.constant dense<3> : tensor<1024xi32>
    %one = arith.constant dense<1> : tensor<1024xi32>
    %j = arith.subi %last, %i : index
    %v = tile.load %y[%j] : memref<?xi32> -> tensor<1024xi32>
    %p = arith.muli %v, %three : tensor<1024xi32>
    %s = arith.addi %p, %one : tensor<1024xi32>
    tile.store %s, %x[%i] : tensor<1024xi32> -> memref<?xi32>
  }
  tile.grid (%i) = (0) to (%N) step (1024) {
    %three = arith.constant dense<3> : tensor<1024xi32>
    %one = arith.constant dense<1> : tensor<1024xi32>
    %j = arith.subi %last, %i : index
    %v = tile.load %x[%j] : memref<?xi32> -> tensor<1024xi32>
    %p = arith.muli %v, %three : tensor<1024xi32>
    %s = arith.addi %p, %one : tensor<1024xi32>
    tile.store %s, %y[%i] : tensor<1024xi32> -> memref<?xi32>
  }
  tile.grid (%i) = (0) to (%N) step (1024) {
    %three = arith.constant dense<3> : tensor<1024xi32>
    %one = arith.constant dense<1> : tensor<1024xi32>
    %j = arith.subi %last, %i : index
    %v = tile.load %y[%j] : memref<?xi32> -> tensor<1024xi32>
    %p = arith.muli %v, %three : tensor<1024xi32>
    %s = arith.addi %p, %one : tensor<1024xi32>
    tile.store %s, %x[%i] : tensor<1024xi32> -> memref<?xi32>
  }
  tile.return
}
