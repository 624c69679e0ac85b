// The product of a mixture of experts, whose rows lie where the tokens are: place p of the result belongs to the token R[p], and the places of
// expert e are O[e], …, O[e+1] − 1 (moe-routing.mlir makes them). grouped-gemm.mlir is the same for rows that were moved first; bf16 in and out,
// accumulators in f32.
//
//   for each n below ⌈P/128⌉ + E, and 256 columns from j:
//     e, i = the n-th block of 128 places when those of each expert are cut into such blocks
//     r = R[i:i+128], −1 from O[e+1] on
//     acc = 0
//     for k in 0, 64, … below K:
//       acc += A[r, k:k+64] · B[e, k:k+64, j:j+256]             (0 for rows −1)
//     C[i:i+128, j:j+256] = acc, the rows below O[e+1]
//
// The index tile is loaded once for an output tile. Its rows are fetched ahead of the products that read them, as boxes are.
//
// Shapes: A is TxK, R has P elements, B is ExKxN, O has F = E + 1 elements (ascending, from 0 to P), C is PxN, any T, P, N, K, E.
//
//   tilec examples/moe-gemm.mlir -o moe-gemm.so --target=cpu
//   tile-run moe-gemm.so randn:300x304xbf16 randint:400xi32:low=0:high=299 randn:4x304x500xbf16 arange:5xi32:step=100 nan:400x500xbf16 --out C=c.npy

tile.kernel @moe_gemm(%A: memref<?x?xbf16> {tile.shape = ["T", "K"]}, %R: memref<?xi32> {tile.shape = ["P"]},
                      %B: memref<?x?x?xbf16> {tile.shape = ["E", "K", "N"]}, %O: memref<?xi32> {tile.shape = ["F"]},
                      %C: memref<?x?xbf16> {tile.shape = ["P", "N"]}) {
  %P = tile.dim "P" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %E = tile.dim "E" : index
  %F = tile.dim "F" : index
  %one = arith.constant 1 : index
  %ends = arith.addi %E, %one : index
  %same = arith.cmpi eq, %F, %ends : index
  tile.assume %same, "O has one element more than there are experts" : i1
  %rows = arith.constant 128 : index
  %full = arith.ceildivsi %P, %rows : index
  %blocks = arith.addi %full, %E : index
  tile.grid (%n, %j) = (0, 0) to (%blocks, %N) step (1, 256) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    // %left counts down over the blocks of the experts. It is below 0 once the expert is found.
    %e, %i, %end, %none = scf.for %x = %c0 to %E step %one iter_args(%expert = %c0, %place = %c0, %limit = %c0, %left = %n)
        -> (index, index, index, index) {
      %x1 = arith.addi %x, %one : index
      %first32 = memref.load %O[%x] : memref<?xi32>
      %last32 = memref.load %O[%x1] : memref<?xi32>
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
      %expert1 = arith.select %found, %x, %expert : index
      %place1 = arith.select %found, %begin, %place : index
      %limit1 = arith.select %found, %last, %limit : index
      scf.yield %expert1, %place1, %limit1, %next : index, index, index, index
    }
    // Without an expert the limit is 0: no products, and nothing is stored.
    %any = arith.cmpi slt, %i, %end : index
    %depth = arith.select %any, %K, %c0 : index
    %tokens = tile.load %R[%i] limit = [%end] pad = -1 : i32 : memref<?xi32> -> tensor<128xi32>
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %depth step %c64 iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%tokens : tensor<128xi32>, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%e, %k, %j] : memref<?x?x?xbf16> -> tensor<64x256xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %out = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %out, %C[%i, %j] limit = [%end, _] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
