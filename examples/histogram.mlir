// Histogram: how often each number occurs.
//
//   H[b] = number of n with X[n] = b                          for each bin b
//
// Shapes: X has N elements, i32; H has B bins, i32. Numbers that are no bin do not count. The first
// grid clears H, the second one counts by atomics: several elements of a tile, and several blocks,
// may meet the same bin. On the GPU each block counts few bins in shared memory first.
//
//   tilec examples/histogram.mlir -o histogram.so --target=cpu
//   tile-run histogram.so randint:100000xi32:low=-1:high=300 nan:256xi32 --out H=h.npy

tile.kernel @histogram(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<?xi32> {tile.shape = ["B"]}) {
  %N = tile.dim "N" : index
  %B = tile.dim "B" : index
  tile.grid (%b) = (0) to (%B) step (1024) {
    %none = arith.constant dense<0> : tensor<1024xi32>
    tile.store %none, %H[%b] : tensor<1024xi32> -> memref<?xi32>
  }
  tile.grid (%i) = (0) to (%N) step (4096) {
    %x = tile.load %X[%i] pad = -1 : i32 : memref<?xi32> -> tensor<4096xi32>
    %one = arith.constant dense<1> : tensor<4096xi32>
    tile.atomic add %one, %H[%x : tensor<4096xi32>] : tensor<4096xi32> -> memref<?xi32>
  }
  tile.return
}
