// Cumulative sum of a vector, f32, in three phases: sums of blocks, their cumulative sum, and that of
// each block from there on.
//
//   for each block i of 4096 elements:
//     S[i/4096] = sum of X[i:i+4096]
//   in one block:
//     c = 0
//     for p in 0, 4096, … below the number of elements of S:
//       S[p:p+4096], c = sums of the elements before each, from c on; c + sum of S[p:p+4096]
//   for each block i of 4096 elements:
//     Y[i:i+4096] = cumulative sum of X[i:i+4096], from S[i/4096] on
//
// Shapes: X and Y have N elements, any N. The launcher provides S, ⌈N/4096⌉ elements.
//
//   tilec examples/cumulative-sum.mlir -o cumulative-sum.so --target=cpu
//   tile-run cumulative-sum.so randn:100000xf32 nan:100000xf32 --out Y=y.npy

tile.kernel @cumulative_sum(%X: memref<?xf32> {tile.shape = ["N"]}, %Y: memref<?xf32> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  %size = arith.constant 4096 : index
  %blocks = arith.ceildivsi %N, %size : index
  %S = memref.alloc(%blocks) : memref<?xf32>
  tile.grid (%i) = (0) to (%N) step (4096) {
    %p = arith.divui %i, %size : index
    %x = tile.load %X[%i] : memref<?xf32> -> tensor<4096xf32>
    %sum = tile.reduce addf %x dims = [0] : tensor<4096xf32> -> tensor<f32>
    %s = tensor.extract %sum[] : tensor<f32>
    memref.store %s, %S[%p] : memref<?xf32>
  }
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<f32>
    scf.for %p = %c0 to %blocks step %size iter_args(%carry = %zero) -> (tensor<f32>) {
      %x = tile.load %S[%p] : memref<?xf32> -> tensor<4096xf32>
      %before, %next = tile.scan addf %x dim = 0 exclusive carry(%carry) : tensor<4096xf32> -> tensor<4096xf32>, tensor<f32>
      tile.store %before, %S[%p] : tensor<4096xf32> -> memref<?xf32>
      scf.yield %next : tensor<f32>
    }
  }
  tile.grid (%i) = (0) to (%N) step (4096) {
    %p = arith.divui %i, %size : index
    %s = memref.load %S[%p] : memref<?xf32>
    %carry = tensor.from_elements %s : tensor<f32>
    %x = tile.load %X[%i] : memref<?xf32> -> tensor<4096xf32>
    %y, %total = tile.scan addf %x dim = 0 carry(%carry) : tensor<4096xf32> -> tensor<4096xf32>, tensor<f32>
    tile.store %y, %Y[%i] : tensor<4096xf32> -> memref<?xf32>
  }
  tile.return
}
