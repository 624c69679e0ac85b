// Certified bounds of products of a matrix and a vector of intervals, f32.
//
//   L[i] <= sum over k of A[i, k] · x[k] <= U[i]   for every x with XL[k] <= x[k] <= XU[k]
//
// Every operation is rounded down on the way to L and up on the way to U, so that the bounds hold whatever was rounded on
// the way. Where A is negative the lower bound takes the upper end of the interval. Sums may be made in any order: each
// partial sum is a bound of its own.
//
// Shapes: A is MxK, XL and XU have K elements.
//
//   tilec examples/interval-dot.mlir -o interval-dot.so --target=cpu
//   tile-run interval-dot.so randn:100x1000xf32 randn:1000xf32 randn:1000xf32 nan:100xf32 nan:100xf32 --out L=l.npy --out U=u.npy

tile.kernel @interval_dot(%A: memref<?x?xf32> {tile.shape = ["M", "K"]}, %XL: memref<?xf32> {tile.shape = ["K"]}, %XU: memref<?xf32> {tile.shape = ["K"]},
                          %L: memref<?xf32> {tile.shape = ["M"]}, %U: memref<?xf32> {tile.shape = ["M"]}) {
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  tile.grid (%i) = (0) to (%M) step (32) {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %f0 = arith.constant 0.0 : f32
    %zero = arith.constant dense<0.0> : tensor<32x128xf32>
    %low, %high = scf.for %k = %c0 to %K step %c128 iter_args(%l = %zero, %u = %zero) -> (tensor<32x128xf32>, tensor<32x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf32> -> tensor<32x128xf32>
      %xl = tile.load %XL[%k] : memref<?xf32> -> tensor<128xf32>
      %xu = tile.load %XU[%k] : memref<?xf32> -> tensor<128xf32>
      %lower = tile.broadcast %xl dims = [1] : tensor<128xf32> -> tensor<32x128xf32>
      %upper = tile.broadcast %xu dims = [1] : tensor<128xf32> -> tensor<32x128xf32>
      %negative = arith.cmpf olt, %a, %zero : tensor<32x128xf32>
      %forLow = arith.select %negative, %upper, %lower : tensor<32x128xi1>, tensor<32x128xf32>
      %forHigh = arith.select %negative, %lower, %upper : tensor<32x128xi1>, tensor<32x128xf32>
      %ln = tile.rounded fma %a, %forLow, %l downward : tensor<32x128xf32>
      %un = tile.rounded fma %a, %forHigh, %u upward : tensor<32x128xf32>
      scf.yield %ln, %un : tensor<32x128xf32>, tensor<32x128xf32>
    }
    %sl = tile.reduce (%low) dims = [1] init(%f0) {
    ^bb0(%x: f32, %y: f32):
      %s = tile.rounded addf %x, %y downward : f32
      tile.yield %s : f32
    } : tensor<32x128xf32> -> tensor<32xf32>
    %su = tile.reduce (%high) dims = [1] init(%f0) {
    ^bb0(%x: f32, %y: f32):
      %s = tile.rounded addf %x, %y upward : f32
      tile.yield %s : f32
    } : tensor<32x128xf32> -> tensor<32xf32>
    tile.store %sl, %L[%i] : tensor<32xf32> -> memref<?xf32>
    tile.store %su, %U[%i] : tensor<32xf32> -> memref<?xf32>
  }
  tile.return
}
