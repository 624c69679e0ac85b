// Rows that a flag selects, one after the other, and how many they are; any type of 16 bits (here bf16).
//
//   n = 0                                          (one block)
//   for i in 0, 1024, … below M:
//     for each i' in i … i+1023 with F[i'] ≠ 0, at place p among them:  L[n + p] = i'
//     n += number of these
//   for each block of 16 rows i below n and 256 columns from j:
//     Y[i:i+16, j:j+256] = X[L[i:i+16], j:j+256], the rows below n
//
// The first grid finds out how many rows there are, and the bound of the second grid is that number: it is read from memory by the blocks,
// while the host knows nothing of it. So the second grid is as many blocks as the device has cores for, and each takes rows until there
// are no more. Work that nobody needs is not launched, and the host does not wait.
//
// Shapes: F has M elements, X and Y are MxN, n has one; rows of Y from n on are not written. The launcher provides L.
//
//   tilec examples/select-rows.mlir -o select-rows.so --target=cpu
//   tile-run select-rows.so randint:1000xi8 randn:1000x300xbf16 nan:1000x300xbf16 zeros:1xi32 --print n

tile.kernel @select_rows(%F: memref<?xi8> {tile.shape = ["M"]}, %X: memref<?x?xbf16> {tile.shape = ["M", "N"]},
                         %Y: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %n: memref<1xi32>) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %first = arith.constant 0 : index
  %L = memref.alloc(%M) : memref<?xi32>
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant dense<0> : tensor<i32>
    %off = arith.constant dense<0> : tensor<1024xi8>
    %total = scf.for %i = %c0 to %M step %c1024 iter_args(%sum = %zero) -> (tensor<i32>) {
      %f = tile.load %F[%i] : memref<?xi8> -> tensor<1024xi8>
      %keep = arith.cmpi ne, %f, %off : tensor<1024xi8>
      %ones = arith.extui %keep : tensor<1024xi1> to tensor<1024xi32>
      %place, %next = tile.scan addi %ones dim = 0 exclusive carry(%sum) : tensor<1024xi32> -> tensor<1024xi32>, tensor<i32>
      %i32 = arith.index_cast %i : index to i32
      %row = tile.iota dim = 0 from %i32 : tensor<1024xi32>
      tile.store %row, %L[%place : tensor<1024xi32>] mask = %keep : tensor<1024xi32> -> memref<?xi32>
      scf.yield %next : tensor<i32>
    }
    %count = tensor.extract %total[] : tensor<i32>
    memref.store %count, %n[%c0] : memref<1xi32>
  }
  %n32 = memref.load %n[%first] : memref<1xi32>
  %rows = arith.index_cast %n32 : i32 to index
  tile.grid (%i, %j) = (0, 0) to (%rows, %N) step (16, 256) {
    // A row number of -1 is out of bounds: nothing is read.
    %l = tile.load %L[%i] limit = [%rows] pad = -1 : i32 : memref<?xi32> -> tensor<16xi32>
    %x = tile.load %X[%l : tensor<16xi32>, %j] : memref<?x?xbf16> -> tensor<16x256xbf16>
    tile.store %x, %Y[%i, %j] limit = [%rows, _] : tensor<16x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
