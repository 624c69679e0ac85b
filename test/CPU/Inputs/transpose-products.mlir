// Every op that tile-transpose-products transposes, in products that it transposes by its rule or because the source IR demands it.

// Bias, a residual with a mask of both dimensions and a limit of each, a row mask, coordinates, a table, sums, and coordinates of extremes.
tile.kernel @ops(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %bias: memref<?xf32> {tile.shape = ["N"]},
                 %R: memref<?x?xf32> {tile.shape = ["N", "M"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %sums: memref<?xf32> {tile.shape = ["M"]},
                 %columns: memref<?x?xf32> {tile.shape = ["T", "N"]}, %places: memref<?xi32> {tile.shape = ["M"]}, %rows: index, %cols: index) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i) = (0) to (%M) step (8) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<8x64xf32>
    %acc = scf.for %k = %c0 to %K step %c32 iter_args(%sum = %zero) -> (tensor<8x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<8x32xbf16>
      %b = tile.load %B[%c0, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<32x64xbf16>
      %next = tile.mma %a, %b, %sum : tensor<8x32xbf16>, tensor<32x64xbf16> -> tensor<8x64xf32>
      scf.yield %next : tensor<8x64xf32>
    }
    %row = tile.load %bias[%c0] : memref<?xf32> -> tensor<64xf32>
    %wide = tensor.expand_shape %row [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %biases = tile.broadcast %wide dims = [0, 1] : tensor<1x64xf32> -> tensor<8x64xf32>
    %biased = arith.addf %acc, %biases : tensor<8x64xf32>
    %y = tile.iota dim = 0 from %i : tensor<8x64xindex>
    %x = tile.iota dim = 1 : tensor<8x64xindex>
    %near = arith.cmpi sle, %x, %y : tensor<8x64xindex>
    %y1 = tile.iota dim = 0 : tensor<8xindex>
    %five = arith.constant dense<5> : tensor<8xindex>
    %upper = arith.cmpi slt, %y1, %five : tensor<8xindex>
    %r = tile.load %R[%c0, %i] dims = [1, 0] limit = [%rows, %cols] pad = neg_inf mask = %near : memref<?x?xf32> -> tensor<8x64xf32>
    %s = tile.load %R[%c0, %i] dims = [1, 0] limit = [_, %cols] mask = %upper on [0] : memref<?x?xf32> -> tensor<8x64xf32>
    %larger = arith.maximumf %biased, %r : tensor<8x64xf32>
    %both = arith.addf %larger, %s : tensor<8x64xf32>
    %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 10.0], [11.0, 12.0], [13.0, 14.0], [15.0, 16.0]]> : tensor<8x2xf32>
    %left = tensor.extract_slice %both[0, 0] [8, 2] [1, 1] : tensor<8x64xf32> to tensor<8x2xf32>
    %middle = tensor.extract_slice %both[0, 3] [8, 30] [1, 2] : tensor<8x64xf32> to tensor<8x30xf32>
    %right = tensor.extract_slice %both[0, 32] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
    %scaled = arith.mulf %left, %table : tensor<8x2xf32>
    %all = tensor.concat dim(1) %scaled, %middle, %right : (tensor<8x2xf32>, tensor<8x30xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
    %sum = tile.reduce addf %all dims = [1] : tensor<8x64xf32> -> tensor<8xf32>
    tile.store %sum, %sums[%i] : tensor<8xf32> -> memref<?xf32>
    %t = arith.floordivsi %i, %c8 : index
    %column = tile.reduce maximumf %all dims = [0] : tensor<8x64xf32> -> tensor<64xf32>
    tile.store %column, %columns[%t, %c0] dims = [1] : tensor<64xf32> -> memref<?x?xf32>
    %m, %at = tile.argreduce max %all dim = 1 : tensor<8x64xf32> -> tensor<8xf32>, tensor<8xi32>
    tile.store %at, %places[%i] : tensor<8xi32> -> memref<?xi32>
    %ms = tile.broadcast %m dims = [0] : tensor<8xf32> -> tensor<8x64xf32>
    %out = arith.subf %all, %ms : tensor<8x64xf32>
    tile.store %out, %C[%i, %c0] limit = [%rows, _] mask = %upper on [0] : tensor<8x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Loops that end by a condition, branches, two accumulators that begin with the same zero and of which only one is transposed, the transposed result
// next to the result, and a reshape after the loop.
tile.kernel @control(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf16> {tile.shape = ["M", "N"]},
                     %D: memref<?x?xf16> {tile.shape = ["N", "M"]}, %E: memref<?xf16> {tile.shape = ["S"]}, %F: memref<?x?xf32> {tile.shape = ["K", "K2"]}, %G: memref<?x?xf32> {tile.shape = ["M", "N"]}, %which: i32) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i) = (0) to (%M) step (16) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    %k1, %acc = scf.while (%k = %c0, %sum = %zero) : (index, tensor<16x64xf32>) -> (index, tensor<16x64xf32>) {
      %more = arith.cmpi slt, %k, %K : index
      scf.condition(%more) %k, %sum : index, tensor<16x64xf32>
    } do {
    ^bb0(%k: index, %sum: tensor<16x64xf32>):
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<16x16xf16>
      %b = tile.load %B[%k, %c0] : memref<?x?xf16> -> tensor<16x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
      %on = arith.addi %k, %c16 : index
      scf.yield %on, %next : index, tensor<16x64xf32>
    }
    %first = arith.cmpi eq, %which, %one : i32
    %chosen = scf.if %first -> (tensor<16x64xf32>) {
      %negated = arith.negf %acc : tensor<16x64xf32>
      scf.yield %negated : tensor<16x64xf32>
    } else {
      scf.yield %zero : tensor<16x64xf32>
    }
    %index = arith.index_cast %which : i32 to index
    %again = scf.index_switch %index -> tensor<16x64xf32>
    case 2 {
      scf.yield %acc : tensor<16x64xf32>
    }
    default {
      scf.yield %chosen : tensor<16x64xf32>
    }
    %out = arith.truncf %again : tensor<16x64xf32> to tensor<16x64xf16>
    tile.store %out, %C[%i, %c0] : tensor<16x64xf16> -> memref<?x?xf16>
    %turned = tile.transpose %out dims = [1, 0] : tensor<16x64xf16> -> tensor<64x16xf16>
    tile.store %turned, %D[%c0, %i] : tensor<64x16xf16> -> memref<?x?xf16>
    %flat = tensor.collapse_shape %out [[0, 1]] : tensor<16x64xf16> into tensor<1024xf16>
    %at = arith.muli %i, %c64 : index
    tile.store %flat, %E[%at] : tensor<1024xf16> -> memref<?xf16>
    // Only the tensor cores' rule does not want this one.
    %p = tile.load %F[%c0, %c0] : memref<?x?xf32> -> tensor<16x64xf32>
    %q = tile.load %F[%c0, %c16] : memref<?x?xf32> -> tensor<64x64xf32>
    %other = scf.for %k = %c0 to %c16 step %c16 iter_args(%sum = %zero) -> (tensor<16x64xf32>) {
      %next = tile.mma %p, %q, %sum : tensor<16x64xf32>, tensor<64x64xf32> -> tensor<16x64xf32>
      scf.yield %next : tensor<16x64xf32>
    }
    tile.store %other, %G[%i, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Batches, whose sums over the batch, rows and columns all are stored; the mask has no batch.
tile.kernel @batch(%A: memref<?x?x?xbf16> {tile.shape = ["Z", "M", "K"]}, %B: memref<?x?x?xbf16> {tile.shape = ["Z", "K", "N"]},
                   %C: memref<?x?x?xf32> {tile.shape = ["Z", "M", "N"]}, %overZ: memref<?x?xf32> {tile.shape = ["M", "N"]},
                   %overM: memref<?x?xf32> {tile.shape = ["Z", "N"]}, %overN: memref<?x?xf32> {tile.shape = ["Z", "M"]}, %overZN: memref<?xf32> {tile.shape = ["M"]}) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0, %c0] : memref<?x?x?xbf16> -> tensor<3x24x16xbf16>
    %b = tile.load %B[%c0, %c0, %c0] : memref<?x?x?xbf16> -> tensor<3x16x64xbf16>
    %d = tile.mma %a, %b : tensor<3x24x16xbf16>, tensor<3x16x64xbf16> -> tensor<3x24x64xf32>
    %rows = tile.load %overN[%c0, %c0] : memref<?x?xf32> -> tensor<3x24xf32>
    %wide = tile.broadcast %rows dims = [0, 1] : tensor<3x24xf32> -> tensor<3x24x64xf32>
    %plane = tile.load %overZ[%c0, %c0] : memref<?x?xf32> -> tensor<24x64xf32>
    %deep = tile.broadcast %plane dims = [1, 2] : tensor<24x64xf32> -> tensor<3x24x64xf32>
    %x = arith.addf %d, %wide : tensor<3x24x64xf32>
    %y = arith.mulf %x, %deep : tensor<3x24x64xf32>
    %c = arith.constant dense<0.5> : tensor<24x64xf32>
    %mask = arith.cmpf ogt, %plane, %c : tensor<24x64xf32>
    tile.store %y, %C[%c0, %c0, %c0] mask = %mask on [1, 2] : tensor<3x24x64xf32> -> memref<?x?x?xf32>
    %z = tile.reduce addf %y dims = [0] : tensor<3x24x64xf32> -> tensor<24x64xf32>
    tile.store %z, %overZ[%c0, %c0] : tensor<24x64xf32> -> memref<?x?xf32>
    %m = tile.reduce addf %y dims = [1] : tensor<3x24x64xf32> -> tensor<3x64xf32>
    tile.store %m, %overM[%c0, %c0] : tensor<3x64xf32> -> memref<?x?xf32>
    %n = tile.reduce addf %y dims = [2] : tensor<3x24x64xf32> -> tensor<3x24xf32>
    tile.store %n, %overN[%c0, %c0] : tensor<3x24xf32> -> memref<?x?xf32>
    %zn = tile.reduce addf %y dims = [0, 2] : tensor<3x24x64xf32> -> tensor<24xf32>
    tile.store %zn, %overZN[%c0] : tensor<24xf32> -> memref<?xf32>
  }
  tile.return
}

// By demand: every type, signed times unsigned, a product whose operand is computed from another's result.
tile.kernel @types(%A: memref<?x?xi8> {tile.shape = ["M", "K"]}, %B: memref<?x?xi8> {tile.shape = ["K", "N"]}, %C: memref<?x?xi32> {tile.shape = ["M", "N"]},
                   %P: memref<?x?xf32> {tile.shape = ["M", "K"]}, %Q: memref<?x?xf32> {tile.shape = ["K", "N"]}, %R: memref<?x?xf32> {tile.shape = ["M", "N"]},
                   %S: memref<?x?xf32> {tile.shape = ["M", "N"]}, %U: memref<?x?xf64> {tile.shape = ["M", "N"]}) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<?x?xi8> -> tensor<20x12xi8>
    %b = tile.load %B[%c0, %c0] : memref<?x?xi8> -> tensor<12x33xi8>
    %c = tile.load %C[%c0, %c0] : memref<?x?xi32> -> tensor<20x33xi32>
    %d = tile.mma %a, %b, %c lhs = unsigned {tile.transposed = true} : tensor<20x12xi8>, tensor<12x33xi8> -> tensor<20x33xi32>
    tile.store %d, %C[%c0, %c0] : tensor<20x33xi32> -> memref<?x?xi32>
    %p = tile.load %P[%c0, %c0] : memref<?x?xf32> -> tensor<20x12xf32>
    %q = tile.load %Q[%c0, %c0] : memref<?x?xf32> -> tensor<12x33xf32>
    %r = tile.mma %p, %q {tile.transposed = true} : tensor<20x12xf32>, tensor<12x33xf32> -> tensor<20x33xf32>
    tile.store %r, %R[%c0, %c0] : tensor<20x33xf32> -> memref<?x?xf32>
    %e = math.sin %r : tensor<20x33xf32>
    %w = tile.load %S[%c0, %c0] dims = [1, 0] : memref<?x?xf32> -> tensor<33x33xf32>
    %s = tile.mma %e, %w precision = tf32 : tensor<20x33xf32>, tensor<33x33xf32> -> tensor<20x33xf32>
    tile.store %s, %S[%c0, %c0] : tensor<20x33xf32> -> memref<?x?xf32>
    %p64 = arith.extf %p : tensor<20x12xf32> to tensor<20x12xf64>
    %q64 = arith.extf %q : tensor<12x33xf32> to tensor<12x33xf64>
    %u = tile.mma %p64, %q64 : tensor<20x12xf64>, tensor<12x33xf64> -> tensor<20x33xf64>
    tile.store %u, %U[%c0, %c0] : tensor<20x33xf64> -> memref<?x?xf64>
  }
  tile.return
}
