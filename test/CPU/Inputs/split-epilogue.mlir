// Products whose epilogues end in several stores: by rows and by columns scaled, with limits, masks, a residual, coordinates as values.

tile.kernel @several(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %R: memref<?x?xbf16> {tile.shape = ["M", "N"]},
                     %rows: memref<?xf32> {tile.shape = ["M"]}, %columns: memref<?xf32> {tile.shape = ["N"]},
                     %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %D: memref<?x?xf32> {tile.shape = ["N", "M"]}, %E: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {plan = #cta.plan<epilogue = 32>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %z = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %z to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %x, %y, %c : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %row = tile.load %rows[%i] : memref<?xf32> -> tensor<128xf32>
    %column = tile.load %columns[%j] : memref<?xf32> -> tensor<128xf32>
    %r = tile.load %R[%i, %j] : memref<?x?xbf16> -> tensor<128x128xbf16>
    %r32 = arith.extf %r : tensor<128x128xbf16> to tensor<128x128xf32>
    %byRow = tile.broadcast %row dims = [0] : tensor<128xf32> -> tensor<128x128xf32>
    %byColumn = tile.broadcast %column dims = [1] : tensor<128xf32> -> tensor<128x128xf32>
    %s0 = arith.mulf %acc, %byRow : tensor<128x128xf32>
    %s1 = arith.mulf %s0, %byColumn : tensor<128x128xf32>
    %sum = arith.addf %s1, %r32 : tensor<128x128xf32>
    %even = math.absf %sum : tensor<128x128xf32>
    %out = arith.truncf %even : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %out, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
    // The transpose of what is not above the diagonal.
    %at = tile.iota dim = 0 : tensor<128x128xi32>
    %across = tile.iota dim = 1 : tensor<128x128xi32>
    %below = arith.cmpi sge, %at, %across : tensor<128x128xi32>
    tile.store %sum, %D[%j, %i] dims = [1, 0] mask = %below on [0, 1] : tensor<128x128xf32> -> memref<?x?xf32>
    // Every third column, up to a limit.
    %three = arith.constant dense<3> : tensor<128xi32>
    %none = arith.constant dense<0> : tensor<128xi32>
    %numbers = tile.iota dim = 0 : tensor<128xi32>
    %rest = arith.remsi %numbers, %three : tensor<128xi32>
    %third = arith.cmpi eq, %rest, %none : tensor<128xi32>
    %end = arith.constant 200 : index
    tile.store %sum, %E[%i, %j] limit = [_, %end] mask = %third on [1] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// In place: what is read is what was there.
tile.kernel @in_place(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {plan = #cta.plan<epilogue = 32>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %z = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %old = tile.load %C[%i, %j] : memref<?x?xf32> -> tensor<128x128xf32>
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %z to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %x, %y, %c : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %sum = arith.addf %acc, %old : tensor<128x128xf32>
    tile.store %sum, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
    %twice = arith.addf %sum, %sum : tensor<128x128xf32>
    tile.store %twice, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
