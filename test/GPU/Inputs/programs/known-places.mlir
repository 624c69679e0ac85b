// Coordinates of grouped heads, of pages and of branches, which TMA takes by what is known of them.
tile.kernel @heads(%Q: memref<?x?x?x64xbf16> {tile.shape = ["B", "H", "S", 64]}, %K: memref<?x?x?x64xbf16> {tile.shape = ["B", "H", "T", 64]},
                   %O: memref<?x?x?x?xf32> {tile.shape = ["B", "H", "S", "T"]}, %P: memref<?x?x?x?xf32> {tile.shape = ["B", "H", "S", "T"]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %more = arith.addi %H, %c1 : index
  %half = arith.divui %more, %c2 : index
  %group = arith.ceildivui %H, %half : index
  tile.grid (%b, %h, %i, %j) = (0, 0, 0, 0) to (%B, %H, %S, %T) step (1, 1, 64, 64) {
    %c0 = arith.constant 0 : index
    %g = arith.divui %h, %group : index
    %q = tile.load %Q[%b, %h, %i, %c0] : memref<?x?x?x64xbf16> -> tensor<64x64xbf16>
    %k = tile.load %K[%b, %g, %j, %c0] dims = [3, 2] : memref<?x?x?x64xbf16> -> tensor<64x64xbf16>
    %s = tile.mma %q, %k : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %first = arith.cmpi ult, %h, %group : index
    %row = scf.if %first -> index {
      scf.yield %i : index
    } else {
      scf.yield %i : index
    }
    tile.store %s, %O[%b, %h, %row, %j] : tensor<64x64xf32> -> memref<?x?x?x?xf32>
    scf.if %first {
      tile.assume %h {min = 0, max = 1000} : index
      tile.store %s, %P[%b, %h, %i, %j] : tensor<64x64xf32> -> memref<?x?x?x?xf32>
    } else {
      tile.store %s, %P[%b, %h, %i, %j] : tensor<64x64xf32> -> memref<?x?x?x?xf32>
    }
  }
  tile.return
}
