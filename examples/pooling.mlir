// Average and maximum of each 2x2 pixels of images, bf16 in memory, f32 in between.
//
//   for each image b, row p of the result, 16 pixels of it from q, and 64 channels from c:
//     x = X[b, 2p:2p+2, 2q:2q+32, c:c+64]               (2 rows, 32 pixels, 64 channels)
//     x = x as 2 rows, 16 pairs of pixels, 2 pixels, 64 channels
//     Y[b, p, q:q+16, c:c+64] = sum(x over rows and pixels of a pair) / 4, or their maximum
//
// A reshape makes a dimension of its own of the two pixels of a pair. The last row and the last pixel of odd sizes are left out. The
// maximum is NaN if one of the four is.
//
// Shapes: X is BxHxWxC, Y is BxPxQxC with P = ⌊H/2⌋ and Q = ⌊W/2⌋, any B, H, W, C.
//
//   tilec examples/pooling.mlir -o pooling.so --target=cpu
//   tile-run pooling.so --kernel=average_pool randn:2x31x50x100xbf16 nan:2x15x25x100xbf16 --out Y=y.npy

// The 2x2 pixels of each pixel of the result. The last coordinate of a load may be beyond the image only where the result's is.
func.func private @pairs(%X: memref<?x?x?x?xbf16>, %b: index, %p: index, %q: index, %c: index) -> tensor<2x16x2x64xf32> {
  %two = arith.constant 2 : index
  %y = arith.muli %p, %two : index
  %x = arith.muli %q, %two : index
  %in = tile.load %X[%b, %y, %x, %c] : memref<?x?x?x?xbf16> -> tensor<2x32x64xbf16>
  %four = tensor.expand_shape %in [[0], [1, 2], [3]] output_shape [2, 16, 2, 64] : tensor<2x32x64xbf16> into tensor<2x16x2x64xbf16>
  %wide = arith.extf %four : tensor<2x16x2x64xbf16> to tensor<2x16x2x64xf32>
  return %wide : tensor<2x16x2x64xf32>
}

tile.kernel @average_pool(%X: memref<?x?x?x?xbf16> {tile.shape = ["B", "H", "W", "C"]},
                          %Y: memref<?x?x?x?xbf16> {tile.shape = ["B", "P", "Q", "C"]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %W = tile.dim "W" : index
  %P = tile.dim "P" : index
  %Q = tile.dim "Q" : index
  %C = tile.dim "C" : index
  %two = arith.constant 2 : index
  %halfH = arith.divui %H, %two : index
  %halfW = arith.divui %W, %two : index
  %sameP = arith.cmpi eq, %P, %halfH : index
  %sameQ = arith.cmpi eq, %Q, %halfW : index
  %same = arith.andi %sameP, %sameQ : i1
  tile.assume %same, "the result has half as many rows and pixels as X, rounded down" : i1
  tile.grid (%b, %p, %q, %c) = (0, 0, 0, 0) to (%B, %P, %Q, %C) step (1, 1, 16, 64) {
    %x = func.call @pairs(%X, %b, %p, %q, %c) : (memref<?x?x?x?xbf16>, index, index, index, index) -> tensor<2x16x2x64xf32>
    %sum = tile.reduce addf %x dims = [0, 2] : tensor<2x16x2x64xf32> -> tensor<16x64xf32>
    %quarter = arith.constant dense<0.25> : tensor<16x64xf32>
    %average = arith.mulf %sum, %quarter : tensor<16x64xf32>
    %out = arith.truncf %average : tensor<16x64xf32> to tensor<16x64xbf16>
    tile.store %out, %Y[%b, %p, %q, %c] : tensor<16x64xbf16> -> memref<?x?x?x?xbf16>
  }
  tile.return
}

tile.kernel @max_pool(%X: memref<?x?x?x?xbf16> {tile.shape = ["B", "H", "W", "C"]},
                      %Y: memref<?x?x?x?xbf16> {tile.shape = ["B", "P", "Q", "C"]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %W = tile.dim "W" : index
  %P = tile.dim "P" : index
  %Q = tile.dim "Q" : index
  %C = tile.dim "C" : index
  %two = arith.constant 2 : index
  %halfH = arith.divui %H, %two : index
  %halfW = arith.divui %W, %two : index
  %sameP = arith.cmpi eq, %P, %halfH : index
  %sameQ = arith.cmpi eq, %Q, %halfW : index
  %same = arith.andi %sameP, %sameQ : i1
  tile.assume %same, "the result has half as many rows and pixels as X, rounded down" : i1
  tile.grid (%b, %p, %q, %c) = (0, 0, 0, 0) to (%B, %P, %Q, %C) step (1, 1, 16, 64) {
    %x = func.call @pairs(%X, %b, %p, %q, %c) : (memref<?x?x?x?xbf16>, index, index, index, index) -> tensor<2x16x2x64xf32>
    %max = tile.reduce maximumf %x dims = [0, 2] : tensor<2x16x2x64xf32> -> tensor<16x64xf32>
    %out = arith.truncf %max : tensor<16x64xf32> to tensor<16x64xbf16>
    tile.store %out, %Y[%b, %p, %q, %c] : tensor<16x64xbf16> -> memref<?x?x?x?xbf16>
  }
  tile.return
}
