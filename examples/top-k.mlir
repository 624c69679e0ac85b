// The K largest elements of each row of a matrix and their columns, the largest first, f32. Of equal elements the first column comes
// first. NaN counts as larger than all numbers (with its sign bit set as smaller), and 0 as larger than −0.
//
//   for each row i:
//     x = keys of X[i, 0:4096]             (less than all keys beyond column N)
//     for r in 0, 1, …, K−1:
//       I[i, r] = argmax(x)
//       V[i, r] = max(x)                   (as a float again)
//       x[I[i, r]] = less than all keys
//
// Keys are integers in the order of the floats: the bits of a float, and of one with a sign all other bits inverted. So elements that were taken,
// or that do not exist, have a key that no element has: with floats they would look like −∞, which a row may hold.
//
// Shapes: X is MxN, V and I are MxK, with K up to N and N up to 4096.
//
//   tilec examples/top-k.mlir -o top-k.so --target=cpu
//   tile-run top-k.so randn:100x1000xf32 nan:100x10xf32 nan:100x10xi32 --out V=v.npy --out I=i.npy

tile.kernel @top_k(%X: memref<?x?xf32> {tile.shape = ["M", "N"]}, %V: memref<?x?xf32> {tile.shape = ["M", "K"]},
                   %I: memref<?x?xi32> {tile.shape = ["M", "K"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %most = arith.constant 4096 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "top_k is for rows of up to 4096 columns" : i1
  %enough = arith.cmpi sle, %K, %N : index
  tile.assume %enough, "a row has no more than N elements to take" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %in = tile.load %X[%i, %c0] : memref<?x?xf32> -> tensor<1x4096xf32>
    %bits = arith.bitcast %in : tensor<1x4096xf32> to tensor<1x4096xi32>
    %zero = arith.constant dense<0> : tensor<1x4096xi32>
    %numbers = arith.constant dense<0x7FFFFFFF> : tensor<1x4096xi32>
    %negative = arith.cmpi slt, %bits, %zero : tensor<1x4096xi32>
    %inverted = arith.xori %bits, %numbers : tensor<1x4096xi32>
    %keys = arith.select %negative, %inverted, %bits : tensor<1x4096xi1>, tensor<1x4096xi32>
    %column = tile.iota dim = 1 : tensor<1x4096xi32>
    %n = arith.index_cast %N : index to i32
    %end = tensor.splat %n : tensor<1x4096xi32>
    %exists = arith.cmpi slt, %column, %end : tensor<1x4096xi32>
    %least = arith.constant dense<0x80000000> : tensor<1x4096xi32>
    %all = arith.select %exists, %keys, %least : tensor<1x4096xi1>, tensor<1x4096xi32>
    scf.for %r = %c0 to %K step %c1 iter_args(%left = %all) -> (tensor<1x4096xi32>) {
      %top, %at = tile.argreduce max %left dim = 1 : tensor<1x4096xi32> -> tensor<1xi32>, tensor<1xi32>
      %zero1 = arith.constant dense<0> : tensor<1xi32>
      %numbers1 = arith.constant dense<0x7FFFFFFF> : tensor<1xi32>
      %below = arith.cmpi slt, %top, %zero1 : tensor<1xi32>
      %back = arith.xori %top, %numbers1 : tensor<1xi32>
      %raw = arith.select %below, %back, %top : tensor<1xi1>, tensor<1xi32>
      %value = arith.bitcast %raw : tensor<1xi32> to tensor<1xf32>
      tile.store %value, %V[%i, %r] dims = [0] : tensor<1xf32> -> memref<?x?xf32>
      tile.store %at, %I[%i, %r] dims = [0] : tensor<1xi32> -> memref<?x?xi32>
      %ats = tile.broadcast %at dims = [0] : tensor<1xi32> -> tensor<1x4096xi32>
      %taken = arith.cmpi eq, %column, %ats : tensor<1x4096xi32>
      %rest = arith.select %taken, %least, %left : tensor<1x4096xi1>, tensor<1x4096xi32>
      scf.yield %rest : tensor<1x4096xi32>
    }
  }
  tile.return
}
