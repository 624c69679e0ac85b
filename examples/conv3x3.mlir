// Convolution with 3x3 weights, one pixel of zeros around the image: bf16 in and out, accumulators in f32. It is not lowered to a
// matrix: the nine shifted images are loaded as they lie, each times its own matrix of weights.
//
//   for each image b, row y, 64 pixels of it from x, and 256 output channels from k:
//     acc = 0
//     for dy in −1, 0, 1, for dx in −1, 0, 1, for c in 0, 64, … below C:
//       acc += X[b, y+dy, x+dx:x+dx+64, c:c+64] · F[dy+1, dx+1, c:c+64, k:k+256]
//     Y[b, y, x:x+64, k:k+256] = acc
//
// Pixels outside the image, at negative coordinates too, are not there: loads give zero. The three loops are one, so that loads of
// the next shift run ahead of the products of this one.
//
// Shapes: X is BxHxWxC, F is 3x3xCxK, Y is BxHxWxK, any B, H, W, C, K.
//
//   tilec examples/conv3x3.mlir -o conv3x3.so --target=cpu
//   tile-run conv3x3.so randn:2x30x50x100xbf16 randn:3x3x100x130xbf16:scale=0.03 nan:2x30x50x130xbf16 --out Y=y.npy

tile.kernel @conv3x3(%X: memref<?x?x?x?xbf16> {tile.shape = ["B", "H", "W", "C"]},
                     %F: memref<3x3x?x?xbf16> {tile.shape = [3, 3, "C", "K"]},
                     %Y: memref<?x?x?x?xbf16> {tile.shape = ["B", "H", "W", "K"]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %W = tile.dim "W" : index
  %C = tile.dim "C" : index
  %K = tile.dim "K" : index
  // Steps along the channels, times nine shifts.
  %c9 = arith.constant 9 : index
  %c64 = arith.constant 64 : index
  %steps = arith.ceildivsi %C, %c64 : index
  %all = arith.muli %steps, %c9 : index
  tile.grid (%b, %y, %x, %k) = (0, 0, 0, 0) to (%B, %H, %W, %K) step (1, 1, 64, 256) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant dense<0.0> : tensor<64x256xf32>
    %acc = scf.for %n = %c0 to %all step %c1 iter_args(%sum = %zero) -> (tensor<64x256xf32>) {
      %shift = arith.divui %n, %steps : index
      %step = arith.remui %n, %steps : index
      %c = arith.muli %step, %c64 : index
      %dy = arith.divui %shift, %c3 : index
      %dx = arith.remui %shift, %c3 : index
      %down = arith.addi %y, %dy : index
      %right = arith.addi %x, %dx : index
      %top = arith.subi %down, %c1 : index
      %left = arith.subi %right, %c1 : index
      %a = tile.load %X[%b, %top, %left, %c] : memref<?x?x?x?xbf16> -> tensor<64x64xbf16>
      %f = tile.load %F[%dy, %dx, %c, %k] : memref<3x3x?x?xbf16> -> tensor<64x256xbf16>
      %next = tile.mma %a, %f, %sum : tensor<64x64xbf16>, tensor<64x256xbf16> -> tensor<64x256xf32>
      scf.yield %next : tensor<64x256xf32>
    }
    %out = arith.truncf %acc : tensor<64x256xf32> to tensor<64x256xbf16>
    tile.store %out, %Y[%b, %y, %x, %k] : tensor<64x256xbf16> -> memref<?x?x?x?xbf16>
  }
  tile.return
}
