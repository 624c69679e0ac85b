// Convolution with 3x3 weights and a stride of 2, one pixel of zeros around the image, in any tile: PY rows of PX output pixels of PB images, and
// BN output channels, which are parameters. bf16 in and out, accumulators in f32.
//
//   for PB images from b on, their output pixels from (y, x) on, and BN output channels from k:
//     acc = 0
//     for dy in −1, 0, 1, for dx in −1, 0, 1, for c in 0, 64, … below C:
//       acc += X[b:b+PB, every second of 2y+dy:2(y+PY)+dy, every second of 2x+dx:2(x+PX)+dx, c:c+64] · F[dy+1, dx+1, c:c+64, k:k+BN]
//     Y[b:b+PB, y:y+PY, x:x+PX, k:k+BN] = acc
//
// `strides` of the load are the steps: TMA fetches every second pixel of a box, and nothing else. conv3x3-tiles.mlir has a stride of 1.
// Shapes: X is BxHxWxC, F is 3x3xCxK, Y is BxPxQxK, any B, H, W, C, K; P is H/2 and Q is W/2, rounded up.
//
//   tilec examples/conv3x3-stride2-tiles.mlir -o conv3x3-stride2-tiles.so --target=cpu
//   tile-run conv3x3-stride2-tiles.so randn:2x30x51x100xbf16 randn:3x3x100x130xbf16:scale=0.03 nan:2x15x26x130xbf16 --out Y=y.npy

tile.kernel @conv3x3_stride2(%X: memref<?x?x?x?xbf16> {tile.shape = ["B", "H", "W", "C"]},
                             %F: memref<3x3x?x?xbf16> {tile.shape = [3, 3, "C", "K"]},
                             %Y: memref<?x?x?x?xbf16> {tile.shape = ["B", "P", "Q", "K"]}) {
  %PB = tile.param "PB" [1, 2, 8] : index
  %PY = tile.param "PY" [8, 16, 4, 24] : index
  %PX = tile.param "PX" [16, 8, 4, 32] : index
  %BN = tile.param "BN" [256, 128] : index
  // 128 or 192 pixels, so that two or three math warpgroups have 64 each, and accumulators that they hold.
  %image = arith.muli %PY, %PX : index
  %pixels = arith.muli %PB, %image : index
  tile.assume %pixels {min = 128, max = 192, divisible = 64} : index
  %area = arith.muli %pixels, %BN : index
  tile.assume %area {max = 32768} : index
  %B = tile.dim "B" : index
  %P = tile.dim "P" : index
  %Q = tile.dim "Q" : index
  %C = tile.dim "C" : index
  %K = tile.dim "K" : index
  // Steps along the channels, times nine shifts.
  %c9 = arith.constant 9 : index
  %BC = arith.constant 64 : index
  %steps = arith.ceildivsi %C, %BC : index
  %all = arith.muli %steps, %c9 : index
  tile.grid (%b, %y, %x, %k) = (0, 0, 0, 0) to (%B, %P, %Q, %K) step (%PB, %PY, %PX, %BN) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %y2 = arith.muli %y, %c2 : index
    %x2 = arith.muli %x, %c2 : index
    %none = arith.constant 0.0 : f32
    %zero = tensor.splat %none[%pixels, %BN] : tensor<?x?xf32>
    %acc = scf.for %n = %c0 to %all step %c1 iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %shift = arith.divui %n, %steps : index
      %step = arith.remui %n, %steps : index
      %c = arith.muli %step, %BC : index
      %dy = arith.divui %shift, %c3 : index
      %dx = arith.remui %shift, %c3 : index
      %down = arith.addi %y2, %dy : index
      %right = arith.addi %x2, %dx : index
      %top = arith.subi %down, %c1 : index
      %left = arith.subi %right, %c1 : index
      %box = tile.load %X[%b, %top, %left, %c] tile(%PB, %PY, %PX, %BC) strides = [1, 2, 2, 1] : memref<?x?x?x?xbf16> -> tensor<?x?x?x?xbf16>
      %a = tensor.collapse_shape %box [[0, 1, 2], [3]] : tensor<?x?x?x?xbf16> into tensor<?x?xbf16>
      %f = tile.load %F[%dy, %dx, %c, %k] tile(%BC, %BN) : memref<3x3x?x?xbf16> -> tensor<?x?xbf16>
      %next = tile.mma %a, %f, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %rows = arith.truncf %acc : tensor<?x?xf32> to tensor<?x?xbf16>
    %out = tensor.expand_shape %rows [[0, 1, 2], [3]] output_shape [%PB, %PY, %PX, %BN] : tensor<?x?xbf16> into tensor<?x?x?x?xbf16>
    tile.store %out, %Y[%b, %y, %x, %k] : tensor<?x?x?x?xbf16> -> memref<?x?x?x?xbf16>
  }
  tile.return
}
