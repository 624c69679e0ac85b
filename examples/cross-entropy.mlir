// Cross entropy of rows of logits with one label each, and its gradient: bf16 in memory, f32 in between, rows of any length.
//
//   for each row i:
//     m = −1e30; s = 0; z = 0                           (maximum, sum, the label's logit)
//     for j in 0, 4096, … below N:
//       x = X[i, j:j+4096]                              (−∞ beyond column N)
//       m' = max(m, max(x))
//       s = s · exp(m − m') + sum(exp(x − m'));  m = m'
//       z += sum of x where the column is L[i]
//     loss[i] = log(s) + m − z
//     for j in 0, 4096, … below N:
//       D[i, j:j+4096] = g · (exp(X[i, j:j+4096] − m) / s − (1 where the column is L[i]))
//
// A row whose label is no column (−100 is usual) is ignored: its loss and its gradient are 0. g is the gradient of the loss of a row,
// 1/M for the mean of M rows.
//
// Shapes: X and D are MxN, L and loss have M elements, any M, N.
//
//   tilec examples/cross-entropy.mlir -o cross-entropy.so --target=cpu
//   tile-run cross-entropy.so randn:50x10000xbf16 randint:50xi32:low=0:high=9999 0.02 nan:50xf32 nan:50x10000xbf16 --out loss=loss.npy

tile.kernel @cross_entropy(%X: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %L: memref<?xi32> {tile.shape = ["M"]}, %g: f32,
                           %loss: memref<?xf32> {tile.shape = ["M"]}, %D: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 4096 : index
    %label = memref.load %L[%i] : memref<?xi32>
    %labels = tensor.splat %label : tensor<4096xi32>
    %none = arith.constant dense<0.0> : tensor<4096xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<f32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %max, %sum, %own = scf.for %j = %c0 to %N step %step iter_args(%m = %floor, %s = %zero, %z = %zero)
        -> (tensor<f32>, tensor<f32>, tensor<f32>) {
      %in = tile.load %X[%i, %j] pad = neg_inf : memref<?x?xbf16> -> tensor<4096xbf16>
      %x = arith.extf %in : tensor<4096xbf16> to tensor<4096xf32>
      %here = tile.reduce maximumf %x dims = [0] : tensor<4096xf32> -> tensor<f32>
      %next = arith.maximumf %m, %here : tensor<f32>
      %nexts = tile.broadcast %next dims = [] : tensor<f32> -> tensor<4096xf32>
      %d = arith.subf %x, %nexts : tensor<4096xf32>
      %e = math.exp %d : tensor<4096xf32>
      %part = tile.reduce addf %e dims = [0] : tensor<4096xf32> -> tensor<f32>
      %drop = arith.subf %m, %next : tensor<f32>
      %factor = math.exp %drop : tensor<f32>
      %old = arith.mulf %s, %factor : tensor<f32>
      %new = arith.addf %old, %part : tensor<f32>
      // The label's logit is the sum of what the other columns do not add to.
      %j32 = arith.index_cast %j : index to i32
      %column = tile.iota dim = 0 from %j32 : tensor<4096xi32>
      %is = arith.cmpi eq, %column, %labels : tensor<4096xi32>
      %only = arith.select %is, %x, %none : tensor<4096xi1>, tensor<4096xf32>
      %found = tile.reduce addf %only dims = [0] : tensor<4096xf32> -> tensor<f32>
      %picked = arith.addf %z, %found : tensor<f32>
      scf.yield %next, %new, %picked : tensor<f32>, tensor<f32>, tensor<f32>
    }
    %n32 = arith.index_cast %N : index to i32
    %zero32 = arith.constant 0 : i32
    %from = arith.cmpi sge, %label, %zero32 : i32
    %to = arith.cmpi slt, %label, %n32 : i32
    %counts = arith.andi %from, %to : i1
    %log = math.log %sum : tensor<f32>
    %top = arith.addf %log, %max : tensor<f32>
    %entropy = arith.subf %top, %own : tensor<f32>
    %value = tensor.extract %entropy[] : tensor<f32>
    %f0 = arith.constant 0.0 : f32
    %result = arith.select %counts, %value, %f0 : f32
    memref.store %result, %loss[%i] : memref<?xf32>

    %weight = arith.select %counts, %g, %f0 : f32
    %weights = tensor.splat %weight : tensor<4096xf32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %inverse = arith.divf %one, %sum : tensor<f32>
    %inverses = tile.broadcast %inverse dims = [] : tensor<f32> -> tensor<4096xf32>
    %maxes = tile.broadcast %max dims = [] : tensor<f32> -> tensor<4096xf32>
    %ones = arith.constant dense<1.0> : tensor<4096xf32>
    scf.for %j = %c0 to %N step %step {
      %in = tile.load %X[%i, %j] : memref<?x?xbf16> -> tensor<4096xbf16>
      %x = arith.extf %in : tensor<4096xbf16> to tensor<4096xf32>
      %d = arith.subf %x, %maxes : tensor<4096xf32>
      %e = math.exp %d : tensor<4096xf32>
      %p = arith.mulf %e, %inverses : tensor<4096xf32>
      %j32 = arith.index_cast %j : index to i32
      %column = tile.iota dim = 0 from %j32 : tensor<4096xi32>
      %is = arith.cmpi eq, %column, %labels : tensor<4096xi32>
      %hot = arith.select %is, %ones, %none : tensor<4096xi1>, tensor<4096xf32>
      %difference = arith.subf %p, %hot : tensor<4096xf32>
      %scaled = arith.mulf %difference, %weights : tensor<4096xf32>
      %out = arith.truncf %scaled : tensor<4096xf32> to tensor<4096xbf16>
      tile.store %out, %D[%i, %j] : tensor<4096xbf16> -> memref<?x?xbf16>
    }
  }
  tile.return
}
