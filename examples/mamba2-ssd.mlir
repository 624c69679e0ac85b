// The state space layer of Mamba-2 in chunks (state-space duality, SSD), h[t] = exp(dt[t] · A) · h[t−1] + dt[t] · B[t]ᵀ x[t], y[t] = C[t] · h[t], from h = 0 on,
// with a state of 128 x 64 for each head; groups of heads share B and C; bf16 in and out, time steps, decays, state and sums in f32.
//
//   for each batch b and head h:
//     g = h / (H / G);  z = 0                         (the state, 128x64)
//     for t in 0, 64, … below T:
//       d = dt[b, h, t:t+64];  x = X[b, t:t+64, h, :];  k = B[b, t:t+64, g, :];  q = C[b, t:t+64, g, :]
//       c = cumulative sums of d · A[h] · log₂e;  e = the last of them;  l = c − log₂ d
//       p = (q · kᵀ) · exp2(c of the row − l of the column), 0 where column > row
//       Y[b, t:t+64, h, :] = bf16(p) · x + exp2(c of the row) · (q · bf16(z))
//       z = exp2(e) · z + kᵀ · bf16(x · exp2(e − l of the row))
//     Z[b, h, :, :] = z                               (the last state, for the tokens to come)
//
// exp2(c − l) is exp(time between · A) · d: what is long ago becomes 0, and nothing overflows, as dt · A is 0 at most. A step of 0, also beyond T, has l = ∞ and adds
// nothing.
//
// Shapes: X, Y are BxTxHx64, dt is BxHxT (not negative), A has H elements (not positive), B, C are BxTxGx128, Z is BxHx128x64; any number of batches, T, G, and
// H a multiple of G.
//
//   tilec examples/mamba2-ssd.mlir -o mamba2-ssd.so --target=cpu
//   tile-run mamba2-ssd.so randn:1x500x4x64xbf16 randint:1x4x500xf32:low=0:high=1 list:4xf32:values=-1,-0.5,-0.1,-0.01 randn:1x500x2x128xbf16 randn:1x500x2x128xbf16 nan:1x500x4x64xbf16 nan:1x4x128x64xf32 --out Y=y.npy --out Z=z.npy

tile.kernel @mamba2_ssd(%X: memref<?x?x?x64xbf16> {tile.shape = ["N", "T", "H", 64]}, %dt: memref<?x?x?xf32> {tile.shape = ["N", "H", "T"]},
                        %A: memref<?xf32> {tile.shape = ["H"]}, %B: memref<?x?x?x128xbf16> {tile.shape = ["N", "T", "G", 128]},
                        %C: memref<?x?x?x128xbf16> {tile.shape = ["N", "T", "G", 128]}, %Y: memref<?x?x?x64xbf16> {tile.shape = ["N", "T", "H", 64]},
                        %Z: memref<?x?x128x64xf32> {tile.shape = ["N", "H", 128, 64]}) {
  %N = tile.dim "N" : index
  %T = tile.dim "T" : index
  %H = tile.dim "H" : index
  %G = tile.dim "G" : index
  // No division by 0 where there are no heads.
  %c1 = arith.constant 1 : index
  %some = arith.maxsi %G, %c1 : index
  %R = arith.divui %H, %some : index
  %product = arith.muli %R, %G : index
  %whole = arith.cmpi eq, %product, %H : index
  tile.assume %whole, "each group has as many heads" : i1
  tile.grid (%b, %h) = (0, 0) to (%N, %H) step (1, 1) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %g = arith.divui %h, %R : index
    %log2e = arith.constant 1.44269504 : f32
    %rate = memref.load %A[%h] : memref<?xf32>
    %rate2 = arith.mulf %rate, %log2e : f32
    %rates = tensor.splat %rate2 : tensor<64xf32>
    %nothing = arith.constant dense<0.0> : tensor<128x64xf32>
    %never = arith.constant dense<0xFF800000> : tensor<64x64xf32>
    %row = tile.iota dim = 0 : tensor<64x64xi32>
    %column = tile.iota dim = 1 : tensor<64x64xi32>
    %past = arith.cmpi sle, %column, %row : tensor<64x64xi32>
    %last = scf.for %t = %c0 to %T step %step iter_args(%z = %nothing) -> (tensor<128x64xf32>) {
      %d = tile.load %dt[%b, %h, %t] : memref<?x?x?xf32> -> tensor<64xf32>
      %x = tile.load %X[%b, %t, %h, %c0] dims = [1, 3] : memref<?x?x?x64xbf16> -> tensor<64x64xbf16>
      %k = tile.load %B[%b, %t, %g, %c0] dims = [3, 1] : memref<?x?x?x128xbf16> -> tensor<128x64xbf16>
      %q = tile.load %C[%b, %t, %g, %c0] dims = [1, 3] : memref<?x?x?x128xbf16> -> tensor<64x128xbf16>
      // Within the chunk: this product is computed while the sums are.
      %qk = tile.mma %q, %k : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
      %decay = arith.mulf %d, %rates : tensor<64xf32>
      %c, %e = tile.scan addf %decay dim = 0 : tensor<64xf32> -> tensor<64xf32>, tensor<f32>
      %log = math.log2 %d fastmath<afn> : tensor<64xf32>
      %l = arith.subf %c, %log : tensor<64xf32>
      %ci = tile.broadcast %c dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
      %lj = tile.broadcast %l dims = [1] : tensor<64xf32> -> tensor<64x64xf32>
      %between = arith.subf %ci, %lj : tensor<64x64xf32>
      %since = arith.select %past, %between, %never : tensor<64x64xi1>, tensor<64x64xf32>
      %kept = math.exp2 %since fastmath<afn> : tensor<64x64xf32>
      %p = arith.mulf %qk, %kept : tensor<64x64xf32>
      %p16 = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xbf16>
      // The state is read while no product is in flight, because reading it waits for all of them.
      %z16 = arith.truncf %z : tensor<128x64xf32> to tensor<128x64xbf16>
      %all = math.exp2 %e fastmath<afn> : tensor<f32>
      %alls = tile.broadcast %all dims = [] : tensor<f32> -> tensor<128x64xf32>
      %old = arith.mulf %z, %alls : tensor<128x64xf32>
      // From the chunks before, and, while that is computed, what goes into the chunks to come.
      %qz = tile.mma %q, %z16 : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
      %end = tile.broadcast %e dims = [] : tensor<f32> -> tensor<64xf32>
      %left = arith.subf %end, %l : tensor<64xf32>
      %share = math.exp2 %left fastmath<afn> : tensor<64xf32>
      %shares = tile.broadcast %share dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
      %wide = arith.extf %x : tensor<64x64xbf16> to tensor<64x64xf32>
      %weighted = arith.mulf %wide, %shares : tensor<64x64xf32>
      %xw = arith.truncf %weighted : tensor<64x64xf32> to tensor<64x64xbf16>
      %fall = math.exp2 %c fastmath<afn> : tensor<64xf32>
      %falls = tile.broadcast %fall dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
      %before = arith.mulf %qz, %falls : tensor<64x64xf32>
      %y = tile.mma %p16, %x, %before : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %next = tile.mma %k, %xw, %old : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      %out = arith.truncf %y : tensor<64x64xf32> to tensor<64x64xbf16>
      tile.store %out, %Y[%b, %t, %h, %c0] dims = [1, 3] : tensor<64x64xbf16> -> memref<?x?x?x64xbf16>
      scf.yield %next : tensor<128x64xf32>
    }
    tile.store %last, %Z[%b, %h, %c0, %c0] : tensor<128x64xf32> -> memref<?x?x128x64xf32>
  }
  tile.return
}
