// The elements of each row of a matrix in ascending order, f32, by Batcher's bitonic sort. NaN comes last (with its sign bit set first), and
// −0 before 0.
//
//   for each row i:
//     x = keys of X[i, 0:1024]             (larger than all others beyond column N)
//     for k in 2, 4, …, 1024:              (now runs of k/2 elements are sorted, every other one descending)
//       for j in k/2, k/4, …, 1:
//         y = x[0^j], x[1^j], x[2^j], …    (each element of a pair takes the other one)
//         x = min(x, y) where it comes first in its pair and the run ascends, or neither; else max(x, y)
//     Y[i, :] = x, as floats again
//
// Keys are integers in the order of the floats: the bits of a float, and of one with a sign all other bits inverted.
//
// Shapes: X and Y are MxN, any M, N up to 1024.
//
//   tilec examples/bitonic-sort.mlir -o bitonic-sort.so --target=cpu
//   tile-run bitonic-sort.so randn:100x1000xf32 nan:100x1000xf32 --out Y=y.npy

tile.kernel @bitonic_sort(%X: memref<?x?xf32> {tile.shape = ["M", "N"]}, %Y: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 1024 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "bitonic_sort is for rows of up to 1024 columns" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c11 = arith.constant 11 : index
    %one = arith.constant 1 : i32
    %zeros = arith.constant dense<0> : tensor<1024xi32>
    %numbers = arith.constant dense<0x7FFFFFFF> : tensor<1024xi32>

    %in = tile.load %X[%i, %c0] dims = [1] : memref<?x?xf32> -> tensor<1024xf32>
    %bits = arith.bitcast %in : tensor<1024xf32> to tensor<1024xi32>
    %negative = arith.cmpi slt, %bits, %zeros : tensor<1024xi32>
    %inverted = arith.xori %bits, %numbers : tensor<1024xi32>
    %keys = arith.select %negative, %inverted, %bits : tensor<1024xi1>, tensor<1024xi32>
    %place = tile.iota dim = 0 : tensor<1024xi32>
    %n = arith.index_cast %N : index to i32
    %end = tensor.splat %n : tensor<1024xi32>
    %exists = arith.cmpi slt, %place, %end : tensor<1024xi32>
    %all = arith.select %exists, %keys, %numbers : tensor<1024xi1>, tensor<1024xi32>

    %sorted = scf.for %p = %c1 to %c11 step %c1 iter_args(%x = %all) -> (tensor<1024xi32>) {
      %log_k = arith.index_cast %p : index to i32
      %k = arith.shli %one, %log_k : i32
      %ks = tensor.splat %k : tensor<1024xi32>
      %run = arith.andi %place, %ks : tensor<1024xi32>
      %ascends = arith.cmpi eq, %run, %zeros : tensor<1024xi32>
      %merged = scf.for %q = %c0 to %p step %c1 iter_args(%y = %x) -> (tensor<1024xi32>) {
        %left = arith.subi %p, %q : index
        %log_2j = arith.index_cast %left : index to i32
        %log_j = arith.subi %log_2j, %one : i32
        %j = arith.shli %one, %log_j : i32
        %js = tensor.splat %j : tensor<1024xi32>
        %partner = arith.xori %place, %js : tensor<1024xi32>
        %other = tile.take %y at %partner dim = 0 : tensor<1024xi32>, tensor<1024xi32> -> tensor<1024xi32>
        %bit = arith.andi %place, %js : tensor<1024xi32>
        %first = arith.cmpi eq, %bit, %zeros : tensor<1024xi32>
        %smaller = arith.cmpi eq, %first, %ascends : tensor<1024xi1>
        %min = arith.minsi %y, %other : tensor<1024xi32>
        %max = arith.maxsi %y, %other : tensor<1024xi32>
        %next = arith.select %smaller, %min, %max : tensor<1024xi1>, tensor<1024xi32>
        scf.yield %next : tensor<1024xi32>
      }
      scf.yield %merged : tensor<1024xi32>
    }

    %below = arith.cmpi slt, %sorted, %zeros : tensor<1024xi32>
    %back = arith.xori %sorted, %numbers : tensor<1024xi32>
    %raw = arith.select %below, %back, %sorted : tensor<1024xi1>, tensor<1024xi32>
    %out = arith.bitcast %raw : tensor<1024xi32> to tensor<1024xf32>
    tile.store %out, %Y[%i, %c0] dims = [1] : tensor<1024xf32> -> memref<?x?xf32>
  }
  tile.return
}
