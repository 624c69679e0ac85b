// First-order linear recurrences, f32, as in state space models: H[i, t] = A[i, t] · H[i, t-1] + B[i, t], with H[i, -1] = 0.
//
//   for each block i of 4 rows:
//     h = 0
//     for t in 0, 512, … below T:
//       a, b = A[i:i+4, t:t+512], B[i:i+4, t:t+512]
//       H[i:i+4, t:t+512] = for each column of the tile: h = a · h + b
//
// A step h → a · h + b is a pair (a, b), and two steps are one: (a0, b0) before (a1, b1) is (a0 · a1, b0 · a1 + b1). This is associative, so that
// all columns of a tile are computed at once, but not commutative.
//
// Shapes: A, B and H have M rows and T columns, any M and T.
//
//   tilec examples/linear-recurrence.mlir -o linear-recurrence.so --target=cpu
//   tile-run linear-recurrence.so randn:100x1000xf32 randn:100x1000xf32 nan:100x1000xf32 --out H=h.npy

tile.kernel @linear_recurrence(%A: memref<?x?xf32> {tile.shape = ["M", "T"]}, %B: memref<?x?xf32> {tile.shape = ["M", "T"]},
                               %H: memref<?x?xf32> {tile.shape = ["M", "T"]}) {
  %M = tile.dim "M" : index
  %T = tile.dim "T" : index
  tile.grid (%i) = (0) to (%M) step (4) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 512 : index
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %ones = arith.constant dense<1.0> : tensor<4xf32>
    %start = arith.constant dense<0.0> : tensor<4xf32>
    scf.for %t = %c0 to %T step %step iter_args(%h = %start) -> (tensor<4xf32>) {
      %a = tile.load %A[%i, %t] : memref<?x?xf32> -> tensor<4x512xf32>
      %b = tile.load %B[%i, %t] : memref<?x?xf32> -> tensor<4x512xf32>
      %p, %q, %pn, %next = tile.scan (%a, %b) dim = 1 init(%one, %zero) carry(%ones, %h) {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %product = arith.mulf %a0, %a1 : f32
        %moved = arith.mulf %b0, %a1 : f32
        %sum = arith.addf %moved, %b1 : f32
        tile.yield %product, %sum : f32, f32
      } : tensor<4x512xf32>, tensor<4x512xf32> -> tensor<4x512xf32>, tensor<4x512xf32>, tensor<4xf32>, tensor<4xf32>
      tile.store %q, %H[%i, %t] : tensor<4x512xf32> -> memref<?x?xf32>
      scf.yield %next : tensor<4xf32>
    }
  }
  tile.return
}
