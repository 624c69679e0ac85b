// Matrix product with weights of 4 bits: C = X · Wᵀ, as of a linear layer whose weights are quantised. X and C in bf16, accumulators in f32. Weights
// are signed, two in a byte (the one with the even column in the low four bits); each 128 columns of a row have a scale.
//
//   for each block (i, j) of C:
//     acc = 0
//     for g in 0, 1, … below G:            (k = 128g)
//       w = W[j:j+128, k/2:k/2+64]         (bytes; two numbers each)
//       acc += (w · X[i:i+16, k:k+128]ᵀ) · S[g, j:j+128]
//     C[i:i+16, j:j+128] = accᵀ
//
// The product is computed with the weights on its left, because tensor cores multiply at least 64 rows and few columns: 16 rows of X, as when a
// language model generates text, are 16 columns of Xᵀ. The weights go from the registers in which they are unpacked into the product.
//
// Shapes: X MxK, W NxB with B = K/2 bytes, S GxN with G = K/128 rounded up, C MxN; any M, N and even K.
//
//   tilec examples/gemm-i4.mlir -o gemm-i4.so --target=cpu
//   tile-run gemm-i4.so randn:16x1024xbf16 randint:1000x512xi8:low=-128:high=127 randn:8x1000xbf16:scale=0.05 nan:16x1000xbf16 --out C=c.npy

tile.kernel @gemm_i4(%X: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %W: memref<?x?xi8> {tile.shape = ["N", "B"]},
                     %S: memref<?x?xbf16> {tile.shape = ["G", "N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %B = tile.dim "B" : index
  %G = tile.dim "G" : index
  %two = arith.constant 2 : index
  %group = arith.constant 128 : index
  %columns = arith.muli %B, %two : index
  %even = arith.cmpi eq, %columns, %K : index
  tile.assume %even, "W must have half as many columns as X" : i1
  %groups = arith.ceildivsi %K, %group : index
  %enough = arith.cmpi eq, %groups, %G : index
  tile.assume %enough, "S must have a row for each 128 columns of X" : i1
  tile.grid (%j, %i) = (0, 0) to (%N, %M) step (128, 16) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x16xf32>
    %acc = scf.for %g = %c0 to %G step %c1 iter_args(%sum = %zero) -> (tensor<128x16xf32>) {
      %byte = arith.muli %g, %c64 : index
      %k = arith.muli %g, %c128 : index
      %packed = tile.load %W[%j, %byte] : memref<?x?xi8> -> tensor<128x64xi8>
      %x = tile.load %X[%i, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<128x16xbf16>
      %scale = tile.load %S[%g, %j] dims = [1] : memref<?x?xbf16> -> tensor<128xbf16>
      %numbers = tile.unpack %packed bits = 4 signed : tensor<128x64xi8> -> tensor<128x128xi8>
      %w = arith.sitofp %numbers : tensor<128x128xi8> to tensor<128x128xbf16>
      %part = tile.mma %w, %x : tensor<128x128xbf16>, tensor<128x16xbf16> -> tensor<128x16xf32>
      %wide = arith.extf %scale : tensor<128xbf16> to tensor<128xf32>
      %scales = tile.broadcast %wide dims = [0] : tensor<128xf32> -> tensor<128x16xf32>
      %scaled = arith.mulf %part, %scales : tensor<128x16xf32>
      %next = arith.addf %sum, %scaled : tensor<128x16xf32>
      scf.yield %next : tensor<128x16xf32>
    }
    %out = arith.truncf %acc : tensor<128x16xf32> to tensor<128x16xbf16>
    tile.store %out, %C[%i, %j] dims = [1, 0] : tensor<128x16xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
