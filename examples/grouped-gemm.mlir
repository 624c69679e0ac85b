// Grouped matrix product: the rows of each group lie one after the other in A, and group e has a matrix B[e] of its own; bf16 in and
// out, accumulators in f32. The rows of group e are O[e], …, O[e+1] − 1, as moe-routing.mlir makes them for experts.
//
//   for each n below ⌈M/128⌉ + E, and 256 columns from j:
//     e, i = the n-th block of 128 rows when groups are cut into such blocks one after the other
//     acc = 0
//     for k in 0, 64, … below K:
//       acc += A[i:i+128, k:k+64] · B[e, k:k+64, j:j+256]
//     C[i:i+128, j:j+256] = acc, the rows below O[e+1]
//
// The groups are only known when the kernel runs, so there are as many blocks as groups can need: each may add one that is not full.
// A block finds its group by counting; blocks that are left find none and compute nothing. The store has a limit at the end of the
// group. The loads have none, so that TMA can fetch them: rows of the next group are multiplied, too, and dropped.
//
// Shapes: A is MxK, B is ExKxN, O has F = E + 1 elements (ascending, from 0 to M), C is MxN, any M, N, K, E.
//
//   tilec examples/grouped-gemm.mlir -o grouped-gemm.so --target=cpu
//   tile-run grouped-gemm.so randn:400x300xbf16 randn:4x300x500xbf16 arange:5xi32:step=100 nan:400x500xbf16 --out C=c.npy

tile.kernel @grouped_gemm(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?x?xbf16> {tile.shape = ["E", "K", "N"]},
                          %O: memref<?xi32> {tile.shape = ["F"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %E = tile.dim "E" : index
  %F = tile.dim "F" : index
  %one = arith.constant 1 : index
  %ends = arith.addi %E, %one : index
  %same = arith.cmpi eq, %F, %ends : index
  tile.assume %same, "O has one element more than there are groups" : i1
  %rows = arith.constant 128 : index
  %full = arith.ceildivsi %M, %rows : index
  %blocks = arith.addi %full, %E : index
  tile.grid (%n, %j) = (0, 0) to (%blocks, %N) step (1, 256) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    // %left counts down over the blocks of the groups. It is below 0 once the group is found.
    %e, %i, %end, %none = scf.for %g = %c0 to %E step %one iter_args(%group = %c0, %row = %c0, %limit = %c0, %left = %n)
        -> (index, index, index, index) {
      %g1 = arith.addi %g, %one : index
      %first32 = memref.load %O[%g] : memref<?xi32>
      %last32 = memref.load %O[%g1] : memref<?xi32>
      %first = arith.index_cast %first32 : i32 to index
      %last = arith.index_cast %last32 : i32 to index
      %size = arith.subi %last, %first : index
      %here = arith.ceildivsi %size, %rows : index
      %waiting = arith.cmpi sge, %left, %c0 : index
      %next = arith.subi %left, %here : index
      %ends_here = arith.cmpi slt, %next, %c0 : index
      %found = arith.andi %waiting, %ends_here : i1
      %offset = arith.muli %left, %rows : index
      %begin = arith.addi %first, %offset : index
      %group1 = arith.select %found, %g, %group : index
      %row1 = arith.select %found, %begin, %row : index
      %limit1 = arith.select %found, %last, %limit : index
      scf.yield %group1, %row1, %limit1, %next : index, index, index, index
    }
    // Without a group the limit is 0: no products, and nothing is stored.
    %any = arith.cmpi slt, %i, %end : index
    %depth = arith.select %any, %K, %c0 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %depth step %c64 iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%e, %k, %j] : memref<?x?x?xbf16> -> tensor<64x256xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %out = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %out, %C[%i, %j] limit = [%end, _] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
