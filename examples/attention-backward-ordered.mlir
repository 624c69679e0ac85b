// The gradients of attention as attention-backward.mlir has them, and always the same bits: dQ has blocks of its own, which compute the softmax once more.
// Seven products where that has five.
//
//   for each row of queries:  E = sum of O · DO;  L = LSE · log₂e
//   for each batch b, head g of keys and block j of 128 keys: dk and dv as there
//   for each batch b, head h of queries and block i of 128 queries:
//     q = Q[b, h, i:i+128, :];  do = DO[b, h, i:i+128, :];  dq = 0
//     for j in 0, 64, … below the number of keys:
//       p = exp2(f · q · K[b, g, j:j+64, :]ᵀ − L[b, h, i:i+128])      (0 where the key does not exist, or must not be seen)
//       ds = p · (do · V[b, g, j:j+64, :]ᵀ − E[b, h, i:i+128])
//       dq += bf16(ds) · K[b, g, j:j+64, :]
//     DQ[b, h, i:i+128, :] = scale · dq
//
// Shapes: as there. The launcher provides L and E.
//
//   tilec examples/attention-backward-ordered.mlir -o attention-backward-ordered.so --target=cpu
//   tile-run attention-backward-ordered.so --kernel=attention_backward_ordered randn:1x2x70x128xbf16 randn:1x1x90x128xbf16 randn:1x1x90x128xbf16 randn:1x2x70x128xbf16 randn:1x2x70x128xbf16 ones:1x2x70xf32 0.0883883 nan:1x2x70x128xbf16 nan:1x1x90x128xbf16 nan:1x1x90x128xbf16 --out DQ=dq.npy

tile.kernel @attention_backward_ordered(
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
      %p = math.exp2 %x fastmath<afn> : tensor<128x64xf32>
      %pn = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xbf16>
      %e = tile.load %E[%b, %h, %i] : memref<?x?x?xf32> -> tensor<64xf32>
      %es = tile.broadcast %e dims = [1] : tensor<64xf32> -> tensor<128x64xf32>
      %above = arith.subf %dp, %es : tensor<128x64xf32>
      %ds = arith.mulf %p, %above : tensor<128x64xf32>
      %dsn = arith.truncf %ds : tensor<128x64xf32> to tensor<128x64xbf16>
      %dv1 = tile.mma %pn, %do, %dv0 : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      %dk1 = tile.mma %dsn, %q, %dk0 : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
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
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<128x64xf32>
    %nothing = arith.constant dense<0.0> : tensor<128x128xf32>
    %never = arith.constant dense<0xFF800000> : tensor<128x64xf32>
    %g = arith.divui %h, %R : index
    %q = tile.load %Q[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
    %do = tile.load %DO[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
    %l = tile.load %L[%b, %h, %i] : memref<?x?x?xf32> -> tensor<128xf32>
    %e = tile.load %E[%b, %h, %i] : memref<?x?x?xf32> -> tensor<128xf32>
    %ls = tile.broadcast %l dims = [0] : tensor<128xf32> -> tensor<128x64xf32>
    %es = tile.broadcast %e dims = [0] : tensor<128xf32> -> tensor<128x64xf32>
    %end32 = arith.index_cast %T : index to i32
    %keys = tensor.splat %end32 : tensor<128x64xi32>
    %dq = scf.for %j = %c0 to %T step %step iter_args(%dq0 = %nothing) -> (tensor<128x128xf32>) {
      %k = tile.load %K[%b, %g, %j, %c0] : memref<?x?x?x128xbf16> -> tensor<64x128xbf16>
      %kt = tile.transpose %k dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %s = tile.mma %q, %kt : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      %scaled = arith.mulf %s, %factors : tensor<128x64xf32>
      %x = arith.subf %scaled, %ls : tensor<128x64xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 : tensor<128x64xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<128x64xi32>
      %y = arith.select %exists, %x, %never : tensor<128x64xi1>, tensor<128x64xf32>
      %p = math.exp2 %y fastmath<afn> : tensor<128x64xf32>
      %v = tile.load %V[%b, %g, %j, %c0] dims = [3, 2] : memref<?x?x?x128xbf16> -> tensor<128x64xbf16>
      %dp = tile.mma %do, %v : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      %above = arith.subf %dp, %es : tensor<128x64xf32>
      %ds = arith.mulf %p, %above : tensor<128x64xf32>
      %dsn = arith.truncf %ds : tensor<128x64xf32> to tensor<128x64xbf16>
      %dq1 = tile.mma %dsn, %k, %dq0 : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %dq1 : tensor<128x128xf32>
    }
    %scales = tensor.splat %scale : tensor<128x128xf32>
    %dqs = arith.mulf %dq, %scales : tensor<128x128xf32>
    %dqn = arith.truncf %dqs : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %dqn, %DQ[%b, %h, %i, %c0] : tensor<128x128xbf16> -> memref<?x?x?x128xbf16>
  }
  tile.return
}

tile.kernel @attention_backward_ordered_causal(
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
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<128x64xf32>
    %nothing = arith.constant dense<0.0> : tensor<128x128xf32>
    %never = arith.constant dense<0xFF800000> : tensor<128x64xf32>
    %g = arith.divui %h, %R : index
    %q = tile.load %Q[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
    %do = tile.load %DO[%b, %h, %i, %c0] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>
    %l = tile.load %L[%b, %h, %i] : memref<?x?x?xf32> -> tensor<128xf32>
    %e = tile.load %E[%b, %h, %i] : memref<?x?x?xf32> -> tensor<128xf32>
    %ls = tile.broadcast %l dims = [0] : tensor<128xf32> -> tensor<128x64xf32>
    %es = tile.broadcast %e dims = [0] : tensor<128xf32> -> tensor<128x64xf32>
    // A query at row r sees the keys up to r + T − S.
    %tall = arith.constant 128 : index
    %shift = arith.subi %T, %S : index
    %first = arith.addi %i, %shift : index
    %last = arith.addi %first, %tall : index
    %end = arith.minsi %last, %T : index
    %first32 = arith.index_cast %first : index to i32
    %own = tile.iota dim = 0 from %first32 : tensor<128x64xi32>
    %end32 = arith.index_cast %end : index to i32
    %keys = tensor.splat %end32 : tensor<128x64xi32>
    %dq = scf.for %j = %c0 to %end step %step iter_args(%dq0 = %nothing) -> (tensor<128x128xf32>) {
      %k = tile.load %K[%b, %g, %j, %c0] : memref<?x?x?x128xbf16> -> tensor<64x128xbf16>
      %kt = tile.transpose %k dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %s = tile.mma %q, %kt : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      %scaled = arith.mulf %s, %factors : tensor<128x64xf32>
      %x = arith.subf %scaled, %ls : tensor<128x64xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 : tensor<128x64xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<128x64xi32>
      %before = arith.cmpi sle, %key, %own : tensor<128x64xi32>
      %seen = arith.andi %exists, %before : tensor<128x64xi1>
      %y = arith.select %seen, %x, %never : tensor<128x64xi1>, tensor<128x64xf32>
      %p = math.exp2 %y fastmath<afn> : tensor<128x64xf32>
      %v = tile.load %V[%b, %g, %j, %c0] dims = [3, 2] : memref<?x?x?x128xbf16> -> tensor<128x64xbf16>
      %dp = tile.mma %do, %v : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
      %above = arith.subf %dp, %es : tensor<128x64xf32>
      %ds = arith.mulf %p, %above : tensor<128x64xf32>
      %dsn = arith.truncf %ds : tensor<128x64xf32> to tensor<128x64xbf16>
      %dq1 = tile.mma %dsn, %k, %dq0 : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %dq1 : tensor<128x128xf32>
    }
    %scales = tensor.splat %scale : tensor<128x128xf32>
    %dqs = arith.mulf %dq, %scales : tensor<128x128xf32>
    %dqn = arith.truncf %dqs : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %dqn, %DQ[%b, %h, %i, %c0] : tensor<128x128xbf16> -> memref<?x?x?x128xbf16>
  }
  tile.return
}
