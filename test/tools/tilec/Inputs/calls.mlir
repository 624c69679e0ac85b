func.func private @multiply(%a: tensor<64x64xf16>, %b: tensor<64x128xf16>, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %d = tile.mma %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
  return %d : tensor<64x128xf32>
}
func.func private @twice(%a: tensor<64x64xf16>, %b: tensor<64x128xf16>, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %d = func.call @multiply(%a, %b, %c) : (tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %d : tensor<64x128xf32>
}
func.func private @sum(%A: memref<4096x4096xf16>, %B: memref<4096x4096xf16>, %i: index, %j: index) -> tensor<64x128xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %c = scf.for %k = %c0 to %c4096 step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %a = tile.load %A[%i, %k] : memref<4096x4096xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%k, %j] : memref<4096x4096xf16> -> tensor<64x128xf16>
    %d = func.call @multiply(%a, %b, %acc) : (tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
    %e = func.call @twice(%a, %b, %d) : (tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
    scf.yield %e : tensor<64x128xf32>
  }
  return %c : tensor<64x128xf32>
}
tile.kernel @products(%A: memref<4096x4096xf16>, %B: memref<4096x4096xf16>, %C: memref<4096x4096xf32>) {
  tile.grid (%i, %j) = (0, 0) to (4096, 4096) step (64, 128) {
    %c = func.call @sum(%A, %B, %i, %j) : (memref<4096x4096xf16>, memref<4096x4096xf16>, index, index) -> tensor<64x128xf32>
    tile.store %c, %C[%i, %j] : tensor<64x128xf32> -> memref<4096x4096xf32>
  }
  tile.return
}
