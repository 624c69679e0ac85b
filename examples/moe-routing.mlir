// Routing of a mixture of experts: each token goes to the two experts with the largest logits, and the tokens of an expert are counted
// and get places one after the other, so that one grouped product (grouped-gemm.mlir) can do the work of all experts.
//
// moe_route, in three grids:
//   for each block of 64 tokens i:
//     p = softmax of the rows of L[i:i+64, :]           (E experts)
//     e0, e1 = the columns of the two largest of each row, the first column of equal ones
//     W[i:i+64, :] = p[e0], p[e1], divided by their sum
//     X[i:i+64, :] = e0, e1
//     P[i/64, :] = how many of the block's tokens go to each expert
//   in one block:
//     c = 0
//     for each row b of P: P[b, :], c = c, c + P[b, :]  (how many are in earlier blocks)
//     O[0:E+1] = exclusive cumulative sum of c          (where the rows of each expert begin, and the last ones end)
//   for each block of 64 tokens i:
//     A[t, :] = O[e] + P[i/64, e] + how many tokens of the block before t go to e,  for e = X[t, 0], X[t, 1]
//
// moe_dispatch:  R[A[t, 0], :] = T[t, :];  R[A[t, 1], :] = T[t, :]           (for each token t)
// moe_combine:   T[t, :] = W[t, 0] · R[A[t, 0], :] + W[t, 1] · R[A[t, 1], :]
//
// Shapes: L is TxE; W, X, A are Tx2; O has F = E + 1 elements; 2 ≤ E ≤ 64, any T. R is RxN with R = 2T rows, T is TxN. The launcher provides P, ⌈T/64⌉xE.
//
//   tilec examples/moe-routing.mlir -o moe-routing.so --target=cpu
//   tile-run moe-routing.so --kernel=moe_route randn:1000x8xf32 nan:1000x2xf32 nan:1000x2xi32 nan:1000x2xi32 nan:9xi32 --out O=o.npy

// How many times each token (row) goes to each expert (column): 0 or 1, since the two experts of a token differ. Tokens beyond %T go nowhere.
func.func private @chosen(%e0: tensor<64xi32>, %e1: tensor<64xi32>, %i: index, %T: index) -> tensor<64x64xi32> {
  %expert = tile.iota dim = 1 : tensor<64x64xi32>
  %firsts = tile.broadcast %e0 dims = [0] : tensor<64xi32> -> tensor<64x64xi32>
  %seconds = tile.broadcast %e1 dims = [0] : tensor<64xi32> -> tensor<64x64xi32>
  %is0 = arith.cmpi eq, %expert, %firsts : tensor<64x64xi32>
  %is1 = arith.cmpi eq, %expert, %seconds : tensor<64x64xi32>
  %is = arith.ori %is0, %is1 : tensor<64x64xi1>
  %i32 = arith.index_cast %i : index to i32
  %token = tile.iota dim = 0 from %i32 : tensor<64x64xi32>
  %t32 = arith.index_cast %T : index to i32
  %end = tensor.splat %t32 : tensor<64x64xi32>
  %exists = arith.cmpi slt, %token, %end : tensor<64x64xi32>
  %goes = arith.andi %is, %exists : tensor<64x64xi1>
  %counts = arith.extui %goes : tensor<64x64xi1> to tensor<64x64xi32>
  return %counts : tensor<64x64xi32>
}

// From each row of a table the number in the column that %e names.
func.func private @pick(%table: tensor<64x64xi32>, %e: tensor<64xi32>) -> tensor<64xi32> {
  %expert = tile.iota dim = 1 : tensor<64x64xi32>
  %wanted = tile.broadcast %e dims = [0] : tensor<64xi32> -> tensor<64x64xi32>
  %is = arith.cmpi eq, %expert, %wanted : tensor<64x64xi32>
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %only = arith.select %is, %table, %zero : tensor<64x64xi1>, tensor<64x64xi32>
  %picked = tile.reduce addi %only dims = [1] : tensor<64x64xi32> -> tensor<64xi32>
  return %picked : tensor<64xi32>
}

tile.kernel @moe_route(%L: memref<?x?xf32> {tile.shape = ["T", "E"]}, %W: memref<?x2xf32> {tile.shape = ["T", 2]},
                       %X: memref<?x2xi32> {tile.shape = ["T", 2]}, %A: memref<?x2xi32> {tile.shape = ["T", 2]},
                       %O: memref<?xi32> {tile.shape = ["F"]}) {
  %T = tile.dim "T" : index
  %E = tile.dim "E" : index
  %F = tile.dim "F" : index
  %two = arith.constant 2 : index
  %most = arith.constant 64 : index
  %atLeast = arith.cmpi sge, %E, %two : index
  %atMost = arith.cmpi sle, %E, %most : index
  %fits = arith.andi %atLeast, %atMost : i1
  tile.assume %fits, "moe_route is for 2 to 64 experts" : i1
  %one = arith.constant 1 : index
  %ends = arith.addi %E, %one : index
  %same = arith.cmpi eq, %F, %ends : index
  tile.assume %same, "O has one element more than there are experts" : i1
  %blocks = arith.ceildivsi %T, %most : index
  %P = memref.alloc(%blocks, %E) : memref<?x?xi32>
  tile.grid (%i) = (0) to (%T) step (64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %logits = tile.load %L[%i, %c0] pad = neg_inf : memref<?x?xf32> -> tensor<64x64xf32>
    %m, %e0 = tile.argreduce max %logits dim = 1 : tensor<64x64xf32> -> tensor<64xf32>, tensor<64xi32>
    // Without the first one. Columns beyond E are −∞ as well, but come later, and there are two experts at least.
    %expert = tile.iota dim = 1 : tensor<64x64xi32>
    %firsts = tile.broadcast %e0 dims = [0] : tensor<64xi32> -> tensor<64x64xi32>
    %is0 = arith.cmpi eq, %expert, %firsts : tensor<64x64xi32>
    %never = arith.constant dense<0xFF800000> : tensor<64x64xf32>
    %others = arith.select %is0, %never, %logits : tensor<64x64xi1>, tensor<64x64xf32>
    %m1, %e1 = tile.argreduce max %others dim = 1 : tensor<64x64xf32> -> tensor<64xf32>, tensor<64xi32>
    // p0 / (p0 + p1) of a softmax does not need the softmax: 1 / (1 + exp(m1 − m)).
    %d = arith.subf %m1, %m : tensor<64xf32>
    %ratio = math.exp %d : tensor<64xf32>
    %ones = arith.constant dense<1.0> : tensor<64xf32>
    %both = arith.addf %ratio, %ones : tensor<64xf32>
    %w0 = arith.divf %ones, %both : tensor<64xf32>
    %w1 = arith.divf %ratio, %both : tensor<64xf32>
    tile.store %w0, %W[%i, %c0] dims = [0] : tensor<64xf32> -> memref<?x2xf32>
    tile.store %w1, %W[%i, %c1] dims = [0] : tensor<64xf32> -> memref<?x2xf32>
    tile.store %e0, %X[%i, %c0] dims = [0] : tensor<64xi32> -> memref<?x2xi32>
    tile.store %e1, %X[%i, %c1] dims = [0] : tensor<64xi32> -> memref<?x2xi32>
    %goes = func.call @chosen(%e0, %e1, %i, %T) : (tensor<64xi32>, tensor<64xi32>, index, index) -> tensor<64x64xi32>
    %counts = tile.reduce addi %goes dims = [0] : tensor<64x64xi32> -> tensor<64xi32>
    %p = arith.divui %i, %most : index
    tile.store %counts, %P[%p, %c0] : tensor<64xi32> -> memref<?x?xi32>
  }
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0> : tensor<64xi32>
    %counts = scf.for %b = %c0 to %blocks step %c1 iter_args(%c = %zero) -> (tensor<64xi32>) {
      %here = tile.load %P[%b, %c0] : memref<?x?xi32> -> tensor<64xi32>
      tile.store %c, %P[%b, %c0] : tensor<64xi32> -> memref<?x?xi32>
      %next = arith.addi %c, %here : tensor<64xi32>
      scf.yield %next : tensor<64xi32>
    }
    %before, %all = tile.scan addi %counts dim = 0 exclusive : tensor<64xi32> -> tensor<64xi32>, tensor<i32>
    tile.store %before, %O[%c0] : tensor<64xi32> -> memref<?xi32>
    %total = tensor.extract %all[] : tensor<i32>
    memref.store %total, %O[%E] : memref<?xi32>
  }
  tile.grid (%i) = (0) to (%T) step (64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %e0 = tile.load %X[%i, %c0] dims = [0] : memref<?x2xi32> -> tensor<64xi32>
    %e1 = tile.load %X[%i, %c1] dims = [0] : memref<?x2xi32> -> tensor<64xi32>
    %goes = func.call @chosen(%e0, %e1, %i, %T) : (tensor<64xi32>, tensor<64xi32>, index, index) -> tensor<64x64xi32>
    %before, %counts = tile.scan addi %goes dim = 0 exclusive : tensor<64x64xi32> -> tensor<64x64xi32>, tensor<64xi32>
    %p = arith.divui %i, %most : index
    %earlier = tile.load %P[%p, %c0] : memref<?x?xi32> -> tensor<64xi32>
    %begin = tile.load %O[%c0] : memref<?xi32> -> tensor<64xi32>
    %first = arith.addi %begin, %earlier : tensor<64xi32>
    %firsts = tile.broadcast %first dims = [1] : tensor<64xi32> -> tensor<64x64xi32>
    %places = arith.addi %before, %firsts : tensor<64x64xi32>
    %a0 = func.call @pick(%places, %e0) : (tensor<64x64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %a1 = func.call @pick(%places, %e1) : (tensor<64x64xi32>, tensor<64xi32>) -> tensor<64xi32>
    tile.store %a0, %A[%i, %c0] dims = [0] : tensor<64xi32> -> memref<?x2xi32>
    tile.store %a1, %A[%i, %c1] dims = [0] : tensor<64xi32> -> memref<?x2xi32>
  }
  tile.return
}

tile.kernel @moe_dispatch(%T: memref<?x?xbf16> {tile.shape = ["T", "N"]}, %A: memref<?x2xi32> {tile.shape = ["T", 2]},
                          %R: memref<?x?xbf16> {tile.shape = ["R", "N"]}) {
  %tokens = tile.dim "T" : index
  %N = tile.dim "N" : index
  tile.grid (%t, %j) = (0, 0) to (%tokens, %N) step (1, 2048) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a0 = memref.load %A[%t, %c0] : memref<?x2xi32>
    %a1 = memref.load %A[%t, %c1] : memref<?x2xi32>
    %r0 = arith.index_cast %a0 : i32 to index
    %r1 = arith.index_cast %a1 : i32 to index
    %x = tile.load %T[%t, %j] : memref<?x?xbf16> -> tensor<2048xbf16>
    tile.store %x, %R[%r0, %j] : tensor<2048xbf16> -> memref<?x?xbf16>
    tile.store %x, %R[%r1, %j] : tensor<2048xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @moe_combine(%R: memref<?x?xbf16> {tile.shape = ["R", "N"]}, %A: memref<?x2xi32> {tile.shape = ["T", 2]},
                         %W: memref<?x2xf32> {tile.shape = ["T", 2]}, %T: memref<?x?xbf16> {tile.shape = ["T", "N"]}) {
  %tokens = tile.dim "T" : index
  %N = tile.dim "N" : index
  tile.grid (%t, %j) = (0, 0) to (%tokens, %N) step (1, 2048) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a0 = memref.load %A[%t, %c0] : memref<?x2xi32>
    %a1 = memref.load %A[%t, %c1] : memref<?x2xi32>
    %w0 = memref.load %W[%t, %c0] : memref<?x2xf32>
    %w1 = memref.load %W[%t, %c1] : memref<?x2xf32>
    %r0 = arith.index_cast %a0 : i32 to index
    %r1 = arith.index_cast %a1 : i32 to index
    %x0 = tile.load %R[%r0, %j] : memref<?x?xbf16> -> tensor<2048xbf16>
    %x1 = tile.load %R[%r1, %j] : memref<?x?xbf16> -> tensor<2048xbf16>
    %y0 = arith.extf %x0 : tensor<2048xbf16> to tensor<2048xf32>
    %y1 = arith.extf %x1 : tensor<2048xbf16> to tensor<2048xf32>
    %f0 = tensor.splat %w0 : tensor<2048xf32>
    %f1 = tensor.splat %w1 : tensor<2048xf32>
    %z0 = arith.mulf %y0, %f0 : tensor<2048xf32>
    %z1 = arith.mulf %y1, %f1 : tensor<2048xf32>
    %z = arith.addf %z0, %z1 : tensor<2048xf32>
    %out = arith.truncf %z : tensor<2048xf32> to tensor<2048xbf16>
    tile.store %out, %T[%t, %j] : tensor<2048xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
