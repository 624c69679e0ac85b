// Tiles that begin where TMA may not: inside 16 bytes along contiguous memory, and stores at negative coordinates. Loads at
// negative coordinates are TMA's. Once such launches ended with CUDA_ERROR_ILLEGAL_INSTRUCTION.
tile.kernel @places(%X: memref<?x?xf16> {tile.shape = ["R", "K"]}, %Y: memref<?x64xf16> {tile.shape = ["K", 64]},
                    %O: memref<?x64xf32> {tile.shape = ["R", 64]}, %P: memref<?x64xf32> {tile.shape = ["R", 64]},
                    %Q: memref<?x64xf32> {tile.shape = ["R", 64]}, %S: memref<?x64xf32> {tile.shape = ["R", 64]}) {
  %R = tile.dim "R" : index
  tile.grid (%i) = (0) to (%R) step (64) {
    %m16 = arith.constant -16 : index
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %up = arith.subi %i, %c8 : index
    %b = tile.load %Y[%c0, %c0] : memref<?x64xf16> -> tensor<32x64xf16>
    %a0 = tile.load %X[%i, %c4] : memref<?x?xf16> -> tensor<64x32xf16>
    %d0 = tile.mma %a0, %b : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    %a1 = tile.load %X[%up, %c16] : memref<?x?xf16> -> tensor<64x32xf16>
    %d1 = tile.mma %a1, %b : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    %a2 = tile.load %X[%i, %m16] : memref<?x?xf16> -> tensor<64x32xf16>
    %d2 = tile.mma %a2, %b, %d1 : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    tile.store %d0, %O[%i, %c0] : tensor<64x64xf32> -> memref<?x64xf32>
    tile.store %d2, %P[%up, %c0] : tensor<64x64xf32> -> memref<?x64xf32>
    tile.store %d1, %Q[%i, %m16] : tensor<64x64xf32> -> memref<?x64xf32>
    tile.store %d2, %S[%i, %c2] : tensor<64x64xf32> -> memref<?x64xf32>
  }
  tile.return
}

// The same for ranks 4 and 5, with small boxes of i8 and f32.
tile.kernel @ranks(%X: memref<?x3x?x48xi8> {tile.shape = ["A", 3, "B", 48]}, %O: memref<?x2x3x?x48xf32> {tile.shape = ["A", 2, 3, "B", 48]}) {
  %A = tile.dim "A" : index
  %B = tile.dim "B" : index
  tile.grid (%i, %j) = (0, 0) to (%A, %B) step (2, 16) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %m16 = arith.constant -16 : index
    %x = tile.load %X[%i, %c1, %j, %c8] dims = [0, 2, 3] : memref<?x3x?x48xi8> -> tensor<2x16x32xi8>
    %y = tile.load %X[%i, %c1, %j, %m16] dims = [0, 2, 3] : memref<?x3x?x48xi8> -> tensor<2x16x32xi8>
    %f = arith.sitofp %x : tensor<2x16x32xi8> to tensor<2x16x32xf32>
    %g = arith.sitofp %y : tensor<2x16x32xi8> to tensor<2x16x32xf32>
    tile.store %f, %O[%i, %c0, %c1, %j, %c8] dims = [0, 3, 4] : tensor<2x16x32xf32> -> memref<?x2x3x?x48xf32>
    tile.store %g, %O[%i, %c1, %c1, %j, %m16] dims = [0, 3, 4] : tensor<2x16x32xf32> -> memref<?x2x3x?x48xf32>
  }
  tile.return
}
