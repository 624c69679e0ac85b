// The gradients of attention (attention-gqa.mlir, attention.mlir): dQ, dK, dV from Q, K, V, O, the gradient DO of O and the logarithms LSE of the sums, head size 128:
// bf16 in and out, all else in f32. Blocks add their parts of dQ in memory, so that its last bits differ from run to run; attention-backward-ordered.mlir has an order.
//
//   for each row of queries:  E = sum of O · DO;  L = LSE · log₂e;  A = 0
//   for each batch b, head g of keys and block j of 128 keys:
//     k = K[b, g, j:j+128, :];  v = V[b, g, j:j+128, :];  f = scale · log₂e
//     dk = 0; dv = 0
//     for each of the H / G heads h of queries that share the keys, and i in 0, 64, … below the number of queries:
//       q = Q[b, h, i:i+64, :];  do = DO[b, h, i:i+64, :]
//       p = exp2(f · k · qᵀ − L[b, h, i:i+64])           (the softmax again, transposed: a row for each key; 0 where the key does not exist, or the query must not see it)
//       ds = p · (v · doᵀ − E[b, h, i:i+64])
//       dv += bf16(p) · do
//       dk += bf16(ds) · q
//       A[b, h, i:i+64, :] += (kᵀ · bf16(ds))ᵀ
//     DK[b, g, j:j+128, :] = scale · dk;  DV[b, g, j:j+128, :] = dv
//   for each row of queries:  DQ = scale · A
//
// A row that sees no key has LSE = −∞. With L = ∞ it has p = 0, and not NaN.
//
// Shapes: Q, O, DO, DQ are BxHxSx128, K, V, DK, DV are BxGxTx128, LSE is BxHxS; any B, S, T, G, and H a multiple of G. `attention_backward` sees all keys,
// `attention_backward_causal` those up to its own place, both sequences ending together. The launcher provides A, L and E.
//
//   tilec examples/attention-backward.mlir -o attention-backward.so --target=cpu
//   tile-run attention-backward.so --kernel=attention_backward randn:1x2x70x128xbf16 randn:1x1x90x128xbf16 randn:1x1x90x128xbf16 randn:1x2x70x128xbf16 randn:1x2x70x128xbf16 ones:1x2x70xf32 0.0883883 nan:1x2x70x128xbf16 nan:1x1x90x128xbf16 nan:1x1x90x128xbf16 --out DQ=dq.npy

tile.kernel @attention_backward(
    %Q: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]}, %K: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]}, %V: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]},
    %O: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]}, %DO: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]},
    %LSE: memref<?x?x?xf32> {tile.shape = ["B", "H", "S"]}, %scale: f32,
    %DQ: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]}, %DK: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]}, %DV: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %G = tile.dim "G" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  // No division by 0 where there are no heads.
  %c1 = arith.constant 1 : index
  %heads = arith.maxsi %G, %c1 : index
  %R = arith.divui %H, %heads : index
  %product = arith.muli %R, %G : index
  %whole = arith.cmpi eq, %product, %H : index
  tile.assume %whole, "each head of keys has as many query heads" : i1
  %L = memref.alloc(%B, %H, %S) : memref<?x?x?xf32>
  %E = memref.alloc(%B, %H, %S) : memref<?x?x?xf32>
  %A = memref.alloc(%B, %H, %S) : memref<?x?x?x128xf32>
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 64) {
    %c0 = arith.constant 0 : index
    %o = tile.load %O[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %g = tile.load %DO[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %ow = arith.extf %o : tensor<64x128xbf16> to tensor<64x128xf32>
    %gw = arith.extf %g : tensor<64x128xbf16> to tensor<64x128xf32>
    %og = arith.mulf %ow, %gw : tensor<64x128xf32>
    %e = tile.reduce addf %og dims = [1] : tensor<64x128xf32> -> tensor<64xf32>
    tile.store %e, %E[%b, %h, %i] : tensor<64xf32> -> memref<?x?x?xf32>
    %lse = tile.load %LSE[%b, %h, %i] : memref<?x?x?xf32> -> tensor<64xf32>
    %log2e = arith.constant dense<1.44269504> : tensor<64xf32>
    %none = arith.constant dense<0xFF800000> : tensor<64xf32>
    %never = arith.constant dense<0x7F800000> : tensor<64xf32>
    %l2 = arith.mulf %lse, %log2e : tensor<64xf32>
    %blind = arith.cmpf oeq, %lse, %none : tensor<64xf32>
    %l = arith.select %blind, %never, %l2 : tensor<64xi1>, tensor<64xf32>
    tile.store %l, %L[%b, %h, %i] : tensor<64xf32> -> memref<?x?x?xf32>
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    tile.store %zero, %A[%b, %h, %i, %c0] : tensor<64x128xf32> -> memref<?x?x?x128xf32>
  }
  tile.grid (%b, %g, %j) = (0, 0, 0) to (%B, %G, %T) step (1, 1, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<128x64xf32>
    %nothing = arith.constant dense<0.0> : tensor<128x128xf32>
    %k = tile.load %K[%b, %g, %j, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
    %v = tile.load %V[%b, %g, %j, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
    // A key that does not exist has k = 0, but p = exp2(−l): 0 · ∞ would be NaN in the gradient of queries.
    %j32 = arith.index_cast %j : index to i32
    %end32 = arith.index_cast %T : index to i32
    %key = tile.iota dim = 0 from %j32 : tensor<128x64xi32>
    %keys = tensor.splat %end32 : tensor<128x64xi32>
    %exists = arith.cmpi slt, %key, %keys : tensor<128x64xi32>
    %never = arith.constant dense<0xFF800000> : tensor<128x64xf32>
    %head = arith.muli %g, %R : index
    %after = arith.addi %head, %R : index
    %last = arith.minsi %after, %H : index
    %dk, %dv = scf.for %h = %head to %last step %c1 iter_args(%dk2 = %nothing, %dv2 = %nothing) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
      %dks, %dvs = scf.for %i = %c0 to %S step %step iter_args(%dk0 = %dk2, %dv0 = %dv2) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
      %q = tile.load %Q[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<64x128xbf16>
      %qt = tile.transpose %q dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %s = tile.mma %k, %qt : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      %do = tile.load %DO[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<64x128xbf16>
      %dot = tile.transpose %do dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %dp = tile.mma %v, %dot : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      %l = tile.load %L[%b, %h, %i] : memref<?x?x?xf32> -> tensor<64xf32>
      %scaled = arith.mulf %s, %factors : tensor<128x64xf32>
      %ls = tile.broadcast %l dims = [1] : tensor<64xf32> -> tensor<128x64xf32>
      %x = arith.subf %scaled, %ls : tensor<128x64xf32>
      %y = arith.select %exists, %x, %never : tensor<128x64xi1>, tensor<128x64xf32>
      %p = math.exp2 %y fastmath<afn> : tensor<128x64xf32>
      %pn = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xbf16>
      %e = tile.load %E[%b, %h, %i] : memref<?x?x?xf32> -> tensor<64xf32>
      %es = tile.broadcast %e dims = [1] : tensor<64xf32> -> tensor<128x64xf32>
      %above = arith.subf %dp, %es : tensor<128x64xf32>
      %ds = arith.mulf %p, %above : tensor<128x64xf32>
      %dsn = arith.truncf %ds : tensor<128x64xf32> to tensor<128x64xbf16>
      %dv1 = tile.mma %pn, %do, %dv0 : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      %dk1 = tile.mma %dsn, %q, %dk0 : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      %kt = tile.transpose %k dims = [1, 0] : tensor<128x128xbf16> -> tensor<128x128xbf16>
      %dqt = tile.mma %kt, %dsn : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      tile.atomic add %dqt, %A[%b, %h, %i, %c0] dims = [3, 2] : tensor<128x64xf32> -> memref<?x?x?x128xf32>
      scf.yield %dk1, %dv1 : tensor<128x128xf32>, tensor<128x128xf32>
      }
      scf.yield %dks, %dvs : tensor<128x128xf32>, tensor<128x128xf32>
    }
    %scales = tensor.splat %scale : tensor<128x128xf32>
    %dkw = arith.mulf %dk, %scales : tensor<128x128xf32>
    %dkn = arith.truncf %dkw : tensor<128x128xf32> to tensor<128x128xbf16>
    %dvn = arith.truncf %dv : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %dkn, %DK[%b, %g, %j, %c0] : tensor<128x128xbf16> -> memref<?x?x?x128xbf16>
    tile.store %dvn, %DV[%b, %g, %j, %c0] : tensor<128x128xbf16> -> memref<?x?x?x128xbf16>
  }
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 64) {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%b, %h, %i, %c0] : memref<?x?x?x128xf32> -> tensor<64x128xf32>
    %scales = tensor.splat %scale : tensor<64x128xf32>
    %y = arith.mulf %x, %scales : tensor<64x128xf32>
    %z = arith.truncf %y : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %z, %DQ[%b, %h, %i, %c0] : tensor<64x128xbf16> -> memref<?x?x?x128xbf16>
  }
  tile.return
}

tile.kernel @attention_backward_causal(
    %Q: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]}, %K: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]}, %V: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]},
    %O: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]}, %DO: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]},
    %LSE: memref<?x?x?xf32> {tile.shape = ["B", "H", "S"]}, %scale: f32,
    %DQ: memref<?x?x?x128xbf16> {tile.shape = ["B", "H", "S", 128]}, %DK: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]}, %DV: memref<?x?x?x128xbf16> {tile.shape = ["B", "G", "T", 128]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %G = tile.dim "G" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  // No division by 0 where there are no heads.
  %c1 = arith.constant 1 : index
  %heads = arith.maxsi %G, %c1 : index
  %R = arith.divui %H, %heads : index
  %product = arith.muli %R, %G : index
  %whole = arith.cmpi eq, %product, %H : index
  tile.assume %whole, "each head of keys has as many query heads" : i1
  %L = memref.alloc(%B, %H, %S) : memref<?x?x?xf32>
  %E = memref.alloc(%B, %H, %S) : memref<?x?x?xf32>
  %A = memref.alloc(%B, %H, %S) : memref<?x?x?x128xf32>
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 64) {
    %c0 = arith.constant 0 : index
    %o = tile.load %O[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %g = tile.load %DO[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %ow = arith.extf %o : tensor<64x128xbf16> to tensor<64x128xf32>
    %gw = arith.extf %g : tensor<64x128xbf16> to tensor<64x128xf32>
    %og = arith.mulf %ow, %gw : tensor<64x128xf32>
    %e = tile.reduce addf %og dims = [1] : tensor<64x128xf32> -> tensor<64xf32>
    tile.store %e, %E[%b, %h, %i] : tensor<64xf32> -> memref<?x?x?xf32>
    %lse = tile.load %LSE[%b, %h, %i] : memref<?x?x?xf32> -> tensor<64xf32>
    %log2e = arith.constant dense<1.44269504> : tensor<64xf32>
    %none = arith.constant dense<0xFF800000> : tensor<64xf32>
    %never = arith.constant dense<0x7F800000> : tensor<64xf32>
    %l2 = arith.mulf %lse, %log2e : tensor<64xf32>
    %blind = arith.cmpf oeq, %lse, %none : tensor<64xf32>
    %l = arith.select %blind, %never, %l2 : tensor<64xi1>, tensor<64xf32>
    tile.store %l, %L[%b, %h, %i] : tensor<64xf32> -> memref<?x?x?xf32>
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    tile.store %zero, %A[%b, %h, %i, %c0] : tensor<64x128xf32> -> memref<?x?x?x128xf32>
  }
  tile.grid (%b, %g, %j) = (0, 0, 0) to (%B, %G, %T) step (1, 1, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<128x64xf32>
    %nothing = arith.constant dense<0.0> : tensor<128x128xf32>
    %k = tile.load %K[%b, %g, %j, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
    %v = tile.load %V[%b, %g, %j, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
    // Key j is seen by the queries from j + S − T on.
    %shift = arith.subi %S, %T : index
    %first = arith.addi %j, %shift : index
    %some = arith.maxsi %first, %c0 : index
    %block = arith.divui %some, %step : index
    %start = arith.muli %block, %step : index
    %first32 = arith.index_cast %first : index to i32
    %own = tile.iota dim = 0 from %first32 : tensor<128x64xi32>
    %never = arith.constant dense<0xFF800000> : tensor<128x64xf32>
    %head = arith.muli %g, %R : index
    %after = arith.addi %head, %R : index
    %last = arith.minsi %after, %H : index
    %dk, %dv = scf.for %h = %head to %last step %c1 iter_args(%dk2 = %nothing, %dv2 = %nothing) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
      %dks, %dvs = scf.for %i = %start to %S step %step iter_args(%dk0 = %dk2, %dv0 = %dv2) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
      %q = tile.load %Q[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<64x128xbf16>
      %qt = tile.transpose %q dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %s = tile.mma %k, %qt : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      %do = tile.load %DO[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<64x128xbf16>
      %dot = tile.transpose %do dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %dp = tile.mma %v, %dot : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      %l = tile.load %L[%b, %h, %i] : memref<?x?x?xf32> -> tensor<64xf32>
      %scaled = arith.mulf %s, %factors : tensor<128x64xf32>
      %ls = tile.broadcast %l dims = [1] : tensor<64xf32> -> tensor<128x64xf32>
      %x = arith.subf %scaled, %ls : tensor<128x64xf32>
      %i32 = arith.index_cast %i : index to i32
      %query = tile.iota dim = 1 from %i32 : tensor<128x64xi32>
      %seen = arith.cmpi sge, %query, %own : tensor<128x64xi32>
      %y = arith.select %seen, %x, %never : tensor<128x64xi1>, tensor<128x64xf32>
      %p = math.exp2 %y fastmath<afn> : tensor<128x64xf32>
      %pn = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xbf16>
      %e = tile.load %E[%b, %h, %i] : memref<?x?x?xf32> -> tensor<64xf32>
      %es = tile.broadcast %e dims = [1] : tensor<64xf32> -> tensor<128x64xf32>
      %above = arith.subf %dp, %es : tensor<128x64xf32>
      %ds = arith.mulf %p, %above : tensor<128x64xf32>
      %dsn = arith.truncf %ds : tensor<128x64xf32> to tensor<128x64xbf16>
      %dv1 = tile.mma %pn, %do, %dv0 : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      %dk1 = tile.mma %dsn, %q, %dk0 : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      %kt = tile.transpose %k dims = [1, 0] : tensor<128x128xbf16> -> tensor<128x128xbf16>
      %dqt = tile.mma %kt, %dsn : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      tile.atomic add %dqt, %A[%b, %h, %i, %c0] dims = [3, 2] : tensor<128x64xf32> -> memref<?x?x?x128xf32>
      scf.yield %dk1, %dv1 : tensor<128x128xf32>, tensor<128x128xf32>
      }
      scf.yield %dks, %dvs : tensor<128x128xf32>, tensor<128x128xf32>
    }
    %scales = tensor.splat %scale : tensor<128x128xf32>
    %dkw = arith.mulf %dk, %scales : tensor<128x128xf32>
    %dkn = arith.truncf %dkw : tensor<128x128xf32> to tensor<128x128xbf16>
    %dvn = arith.truncf %dv : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %dkn, %DK[%b, %g, %j, %c0] : tensor<128x128xbf16> -> memref<?x?x?x128xbf16>
    tile.store %dvn, %DV[%b, %g, %j, %c0] : tensor<128x128xbf16> -> memref<?x?x?x128xbf16>
  }
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 64) {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%b, %h, %i, %c0] : memref<?x?x?x128xf32> -> tensor<64x128xf32>
    %scales = tensor.splat %scale : tensor<64x128xf32>
    %y = arith.mulf %x, %scales : tensor<64x128xf32>
    %z = arith.truncf %y : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %z, %DQ[%b, %h, %i, %c0] : tensor<64x128xbf16> -> memref<?x?x?x128xbf16>
  }
  tile.return
}
