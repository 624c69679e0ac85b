// Columns of C are stored one after the other: each block waits for the one with the number before it.
tile.kernel @p(%A: memref<256x?xbf16> {tile.shape = [256, "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<256x?xbf16> {tile.shape = [256, "N"]}, %F: memref<1xi32>) {
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %c255 = arith.constant 255 : index
  %c256 = arith.constant 256 : index
  %n0 = arith.addi %N, %c255 : index
  %columns = arith.divui %n0, %c256 : index
  tile.grid (%i, %j) = (0, 0) to (256, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %z = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %d = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%i, %k] : memref<256x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x256xbf16>
      %n = tile.mma %a, %b, %acc : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %n : tensor<128x256xf32>
    }
    %row = arith.divui %i, %c128 : index
    %col = arith.divui %j, %c256 : index
    %before = arith.muli %row, %columns : index
    %number = arith.addi %before, %col : index
    %mine = arith.index_cast %number : index to i32
    scf.while : () -> () {
      %was = tile.atomic cas acquire returning %mine, %mine, %F[%c0] : i32 -> memref<1xi32>
      %busy = arith.cmpi ne, %was, %mine : i32
      scf.condition(%busy)
    } do {
      scf.yield
    }
    %f = arith.truncf %d : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %f, %C[%i, %j] : tensor<128x256xbf16> -> memref<256x?xbf16>
    tile.atomic add release %one, %F[%c0] : i32 -> memref<1xi32>
  }
  tile.return
}
