// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax of the rows of a matrix for tessera.torch.softmax, f32: softmax_<n> for rows of up to <n> columns, softmax_any for all.
// As examples/softmax.mlir.

tile.kernel @softmax_1024(%X: memref<?x?xf32, strided<[?, 1]>> {tile.shape = ["M", "N"]}, %Y: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 1024 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "softmax_1024 is for rows of up to 1024 columns" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%i, %c0] pad = neg_inf : memref<?x?xf32, strided<[?, 1]>> -> tensor<1x1024xf32>
    %max = tile.reduce maximumf %x dims = [1] : tensor<1x1024xf32> -> tensor<1xf32>
    %maxes = tile.broadcast %max dims = [0] : tensor<1xf32> -> tensor<1x1024xf32>
    %d = arith.subf %x, %maxes : tensor<1x1024xf32>
    %e = math.exp %d : tensor<1x1024xf32>
    %sum = tile.reduce addf %e dims = [1] : tensor<1x1024xf32> -> tensor<1xf32>
    %one = arith.constant dense<1.0> : tensor<1xf32>
    %inverse = arith.divf %one, %sum : tensor<1xf32>
    %inverses = tile.broadcast %inverse dims = [0] : tensor<1xf32> -> tensor<1x1024xf32>
    %y = arith.mulf %e, %inverses : tensor<1x1024xf32>
    tile.store %y, %Y[%i, %c0] : tensor<1x1024xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @softmax_2048(%X: memref<?x?xf32, strided<[?, 1]>> {tile.shape = ["M", "N"]}, %Y: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 2048 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "softmax_2048 is for rows of up to 2048 columns" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%i, %c0] pad = neg_inf : memref<?x?xf32, strided<[?, 1]>> -> tensor<1x2048xf32>
    %max = tile.reduce maximumf %x dims = [1] : tensor<1x2048xf32> -> tensor<1xf32>
    %maxes = tile.broadcast %max dims = [0] : tensor<1xf32> -> tensor<1x2048xf32>
    %d = arith.subf %x, %maxes : tensor<1x2048xf32>
    %e = math.exp %d : tensor<1x2048xf32>
    %sum = tile.reduce addf %e dims = [1] : tensor<1x2048xf32> -> tensor<1xf32>
    %one = arith.constant dense<1.0> : tensor<1xf32>
    %inverse = arith.divf %one, %sum : tensor<1xf32>
    %inverses = tile.broadcast %inverse dims = [0] : tensor<1xf32> -> tensor<1x2048xf32>
    %y = arith.mulf %e, %inverses : tensor<1x2048xf32>
    tile.store %y, %Y[%i, %c0] : tensor<1x2048xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @softmax_4096(%X: memref<?x?xf32, strided<[?, 1]>> {tile.shape = ["M", "N"]}, %Y: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 4096 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "softmax_4096 is for rows of up to 4096 columns" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%i, %c0] pad = neg_inf : memref<?x?xf32, strided<[?, 1]>> -> tensor<1x4096xf32>
    %max = tile.reduce maximumf %x dims = [1] : tensor<1x4096xf32> -> tensor<1xf32>
    %maxes = tile.broadcast %max dims = [0] : tensor<1xf32> -> tensor<1x4096xf32>
    %d = arith.subf %x, %maxes : tensor<1x4096xf32>
    %e = math.exp %d : tensor<1x4096xf32>
    %sum = tile.reduce addf %e dims = [1] : tensor<1x4096xf32> -> tensor<1xf32>
    %one = arith.constant dense<1.0> : tensor<1xf32>
    %inverse = arith.divf %one, %sum : tensor<1xf32>
    %inverses = tile.broadcast %inverse dims = [0] : tensor<1xf32> -> tensor<1x4096xf32>
    %y = arith.mulf %e, %inverses : tensor<1x4096xf32>
    tile.store %y, %Y[%i, %c0] : tensor<1x4096xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @softmax_8192(%X: memref<?x?xf32, strided<[?, 1]>> {tile.shape = ["M", "N"]}, %Y: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %most = arith.constant 8192 : index
  %fits = arith.cmpi sle, %N, %most : index
  tile.assume %fits, "softmax_8192 is for rows of up to 8192 columns" : i1
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%i, %c0] pad = neg_inf : memref<?x?xf32, strided<[?, 1]>> -> tensor<1x8192xf32>
    %max = tile.reduce maximumf %x dims = [1] : tensor<1x8192xf32> -> tensor<1xf32>
    %maxes = tile.broadcast %max dims = [0] : tensor<1xf32> -> tensor<1x8192xf32>
    %d = arith.subf %x, %maxes : tensor<1x8192xf32>
    %e = math.exp %d : tensor<1x8192xf32>
    %sum = tile.reduce addf %e dims = [1] : tensor<1x8192xf32> -> tensor<1xf32>
    %one = arith.constant dense<1.0> : tensor<1xf32>
    %inverse = arith.divf %one, %sum : tensor<1xf32>
    %inverses = tile.broadcast %inverse dims = [0] : tensor<1xf32> -> tensor<1x8192xf32>
    %y = arith.mulf %e, %inverses : tensor<1x8192xf32>
    tile.store %y, %Y[%i, %c0] : tensor<1x8192xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @softmax_any(%X: memref<?x?xf32, strided<[?, 1]>> {tile.shape = ["M", "N"]}, %Y: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%M) step (1) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 2048 : index
    // The least finite number, not −∞: then m − m' would be NaN as long as every element is −∞.
    %floor = arith.constant dense<-3.40282347e+38> : tensor<1xf32>
    %zero = arith.constant dense<0.0> : tensor<1xf32>
    %max, %sum = scf.for %j = %c0 to %N step %step iter_args(%m = %floor, %s = %zero) -> (tensor<1xf32>, tensor<1xf32>) {
      %x = tile.load %X[%i, %j] pad = neg_inf : memref<?x?xf32, strided<[?, 1]>> -> tensor<1x2048xf32>
      %here = tile.reduce maximumf %x dims = [1] : tensor<1x2048xf32> -> tensor<1xf32>
      %next = arith.maximumf %m, %here : tensor<1xf32>
      %nexts = tile.broadcast %next dims = [0] : tensor<1xf32> -> tensor<1x2048xf32>
      %d = arith.subf %x, %nexts : tensor<1x2048xf32>
      %e = math.exp %d : tensor<1x2048xf32>
      %part = tile.reduce addf %e dims = [1] : tensor<1x2048xf32> -> tensor<1xf32>
      %drop = arith.subf %m, %next : tensor<1xf32>
      %factor = math.exp %drop : tensor<1xf32>
      %old = arith.mulf %s, %factor : tensor<1xf32>
      %new = arith.addf %old, %part : tensor<1xf32>
      scf.yield %next, %new : tensor<1xf32>, tensor<1xf32>
    }
    %maxes = tile.broadcast %max dims = [0] : tensor<1xf32> -> tensor<1x2048xf32>
    %one = arith.constant dense<1.0> : tensor<1xf32>
    %inverse = arith.divf %one, %sum : tensor<1xf32>
    %inverses = tile.broadcast %inverse dims = [0] : tensor<1xf32> -> tensor<1x2048xf32>
    scf.for %j = %c0 to %N step %step {
      %x = tile.load %X[%i, %j] pad = neg_inf : memref<?x?xf32, strided<[?, 1]>> -> tensor<1x2048xf32>
      %d = arith.subf %x, %maxes : tensor<1x2048xf32>
      %e = math.exp %d : tensor<1x2048xf32>
      %y = arith.mulf %e, %inverses : tensor<1x2048xf32>
      tile.store %y, %Y[%i, %j] : tensor<1x2048xf32> -> memref<?x?xf32>
    }
  }
  tile.return
}
