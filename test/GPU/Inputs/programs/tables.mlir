// Atomics that blocks count in private tables: all kinds and types, rows, boxes, bounds and masks. On the device they agree with the CPU.

tile.kernel @kinds(%X: memref<?xi32> {tile.shape = ["N"]}, %V: memref<?xi32> {tile.shape = ["N"]}, %A: memref<100xi32>, %B: memref<100xi32>, %C: memref<100xi32>,
                   %D: memref<100xi32>, %E: memref<100xi32>, %F: memref<100xi32>, %G: memref<100xi32>, %H: memref<100xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (1024) {
    %x = tile.load %X[%i] pad = -1 : i32 : memref<?xi32> -> tensor<1024xi32>
    %v = tile.load %V[%i] : memref<?xi32> -> tensor<1024xi32>
    tile.atomic add %v, %A[%x : tensor<1024xi32>] : tensor<1024xi32> -> memref<100xi32>
    tile.atomic min %v, %B[%x : tensor<1024xi32>] : tensor<1024xi32> -> memref<100xi32>
    tile.atomic max %v, %C[%x : tensor<1024xi32>] : tensor<1024xi32> -> memref<100xi32>
    tile.atomic umin %v, %D[%x : tensor<1024xi32>] : tensor<1024xi32> -> memref<100xi32>
    tile.atomic umax %v, %E[%x : tensor<1024xi32>] : tensor<1024xi32> -> memref<100xi32>
    tile.atomic and %v, %F[%x : tensor<1024xi32>] : tensor<1024xi32> -> memref<100xi32>
    tile.atomic or %v, %G[%x : tensor<1024xi32>] : tensor<1024xi32> -> memref<100xi32>
    tile.atomic xor %v, %H[%x : tensor<1024xi32>] : tensor<1024xi32> -> memref<100xi32>
  }
  tile.return
}

// Sums that carry into the upper half, many times; two atomics on one table.
tile.kernel @wide(%X: memref<?xi32> {tile.shape = ["N"]}, %V: memref<?xi64> {tile.shape = ["N"]}, %A: memref<?xi64> {tile.shape = ["B"]}, %B: memref<70xi64>,
                  %C: memref<70xi64>, %D: memref<70xi64>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (1024) {
    %large = arith.constant dense<1099511627776003> : tensor<1024xi64>
    %most = arith.constant dense<4294967295> : tensor<1024xi64>
    %x = tile.load %X[%i] pad = -1 : i32 : memref<?xi32> -> tensor<1024xi32>
    %v = tile.load %V[%i] : memref<?xi64> -> tensor<1024xi64>
    %product = arith.muli %v, %large : tensor<1024xi64>
    tile.atomic add %product, %A[%x : tensor<1024xi32>] : tensor<1024xi64> -> memref<?xi64>
    tile.atomic add %most, %A[%x : tensor<1024xi32>] : tensor<1024xi64> -> memref<?xi64>
    tile.atomic and %product, %B[%x : tensor<1024xi32>] : tensor<1024xi64> -> memref<70xi64>
    tile.atomic or %product, %C[%x : tensor<1024xi32>] : tensor<1024xi64> -> memref<70xi64>
    tile.atomic xor %product, %D[%x : tensor<1024xi32>] : tensor<1024xi64> -> memref<70xi64>
  }
  tile.return
}

// A row of each output tile, and of each iteration of a loop; all rows; a column.
tile.kernel @rows(%X: memref<?x?xi32> {tile.shape = ["R", "N"]}, %H: memref<?x?xi32> {tile.shape = ["R", "B"]}, %T: memref<37x?xi32> {tile.shape = [37, "R"]},
                  %S: memref<4x64xi32>) {
  %R = tile.dim "R" : index
  %N = tile.dim "N" : index
  tile.grid (%r, %i) = (0, 0) to (%R, %N) step (1, 1024) {
    %one = arith.constant dense<1> : tensor<1024xi32>
    %x = tile.load %X[%r, %i] pad = -1 : i32 : memref<?x?xi32> -> tensor<1024xi32>
    tile.atomic add %one, %H[%r, %x : tensor<1024xi32>] : tensor<1024xi32> -> memref<?x?xi32>
    tile.atomic add %x, %S[%r, %x : tensor<1024xi32>] : tensor<1024xi32> -> memref<4x64xi32>
  }
  tile.grid (%q, %i) = (0, 0) to (%R, %N) step (2, 256) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant dense<1> : tensor<256xi32>
    %end = arith.addi %q, %c2 : index
    scf.for %r = %q to %end step %c1 {
      %x = tile.load %X[%r, %i] pad = -1 : i32 : memref<?x?xi32> -> tensor<256xi32>
      tile.atomic add %one, %T[%x : tensor<256xi32>, %r] dims = [0] : tensor<256xi32> -> memref<37x?xi32>
    }
  }
  tile.return
}

// Index tiles in two dimensions, a constant between them; rows by index with a box of columns, a limit and a mask.
tile.kernel @boxes_by_index(%X: memref<?xi32> {tile.shape = ["N"]}, %V: memref<?x48xi32> {tile.shape = ["N", 48]}, %M: memref<?xi1> {tile.shape = ["N"]}, %P: memref<6x3x5xi32>,
                            %H: memref<9x40xi32>) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c37 = arith.constant 37 : index
    %three = arith.constant dense<3> : tensor<64x64xi32>
    %x = tile.load %X[%i] pad = -1 : i32 : memref<?xi32> -> tensor<64xi32>
    %m = tile.load %M[%i] : memref<?xi1> -> tensor<64xi1>
    %v = tile.load %V[%i, %c0] dims = [1, 0] : memref<?x48xi32> -> tensor<48x64xi32>
    tile.atomic add %three, %P[%x : tensor<64xi32>, %c1, %x : tensor<64xi32>] dims = [0, 2] : tensor<64x64xi32> -> memref<6x3x5xi32>
    tile.atomic add %v, %H[%x : tensor<64xi32>, %c3] dims = [1, 0] limit = [%c37, _] mask = %m on [1] : tensor<48x64xi32> -> memref<9x40xi32>
  }
  tile.return
}

// Boxes of types for which shared memory has no atomics: gradients of a bias, in a row of parts, and always the same box.
tile.kernel @bias(%D: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %B: memref<?xf32> {tile.shape = ["N"]}, %L: memref<?xbf16> {tile.shape = ["N"]}, %W: memref<128xf64>,
                  %S: memref<?xi16> {tile.shape = ["N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (8, 128) {
    %c0 = arith.constant 0 : index
    %d = tile.load %D[%i, %j] : memref<?x?xbf16> -> tensor<8x128xbf16>
    %x = arith.extf %d : tensor<8x128xbf16> to tensor<8x128xf32>
    %sum = tile.reduce addf %x dims = [0] : tensor<8x128xf32> -> tensor<128xf32>
    %most = tile.reduce maximumf %d dims = [0] : tensor<8x128xbf16> -> tensor<128xbf16>
    %wide = arith.extf %most : tensor<128xbf16> to tensor<128xf64>
    %whole = arith.fptosi %most : tensor<128xbf16> to tensor<128xi16>
    tile.atomic add %sum, %B[%j] : tensor<128xf32> -> memref<?xf32>
    tile.atomic max %most, %L[%j] : tensor<128xbf16> -> memref<?xbf16>
    tile.atomic min %wide, %W[%c0] : tensor<128xf64> -> memref<128xf64>
    tile.atomic add %whole, %S[%j] : tensor<128xi16> -> memref<?xi16>
  }
  tile.return
}
