// The gradients of attention of sequences of different lengths that lie one after the other (attention-varlen.mlir): dQ, dK, dV from Q, K, V, O, the gradient DO of O and
// the logarithms LSE of the sums; causal; head size 128, heads of queries share heads of keys, bf16 in and out, all else in f32. As in
// attention-backward.mlir blocks add their parts of dQ in memory, so that its last bits differ from run to run.
//
//   for each sequence n, a, S = CQ[n], CQ[n+1] − CQ[n];  c, T = CK[n], CK[n+1] − CK[n];  r = a + 64 n, rounded down to a multiple of 64:
//     for each head h and query i:  E[h, r+i] = sum of O[a+i, h] · DO[a+i, h];  L[h, r+i] = LSE[h, a+i] · log₂e;  A[a+i, h, :] = 0
//     L = ∞ behind the last query, up to the next multiple of 64
//   for each sequence n, head g of keys and block j of 128 keys below the length of the longest sequence:
//     end = S, or 0 if j ≥ T: there is no such block in this sequence
//     k = K[c+j:c+j+128, g, :];  v = V[c+j:c+j+128, g, :];  f = scale · log₂e
//     dk = 0; dv = 0
//     for each of the H / G heads h of queries that share the keys, and i below end in steps of 64, from the block of the first query that sees key j:
//       q = Q[a+i:a+i+64, h, :];  do = DO[a+i:a+i+64, h, :]
//       p = exp2(f · k · qᵀ − L[h, r+i:r+i+64])           (a row for each key; 0 where the query must not see it)
//       ds = p · (v · doᵀ − E[h, r+i:r+i+64])
//       dv += bf16(p) · do
//       dk += bf16(ds) · q
//       A[a+i:a+i+64, h, :] += (kᵀ · bf16(ds))ᵀ
//     DK[c+j:c+j+128, g, :] = scale · dk;  DV[c+j:c+j+128, g, :] = dv, the rows of the sequence
//   for each row of queries and head:  DQ = scale · A
//
// A block at the end of a sequence reads rows of the next one: with L = ∞ their p is 0, so that it adds zeros to their sums, and the stores of DK and DV have a limit.
// The loads have none, so that TMA can fetch them; for the same reason E and L of a sequence begin at a multiple of 64. All inputs but LSE have to be finite, and
// so small that no product of neighbouring sequences overflows f32: 0 · ∞ is NaN. A row that sees no key has LSE = −∞, and L = ∞, too.
//
// Shapes: Q, O, DO, DQ are MxHx128, K, V, DK, DV are NxGx128, LSE is HxM, CQ and CK have one element more than there are sequences (ascending, from 0 to M and
// N); longest_q and longest_k are the lengths of the longest sequences of queries and of keys, or more; any M, N, G, any number of sequences, also empty ones, and H a multiple of G. The launcher
// provides A, L and E.
//
//   tilec examples/attention-backward-varlen.mlir -o attention-backward-varlen.so --target=cpu
//   tile-run attention-backward-varlen.so randn:200x2x128xbf16 randn:200x1x128xbf16 randn:200x1x128xbf16 randn:200x2x128xbf16 randn:200x2x128xbf16 ones:2x200xf32 arange:3xi32:step=100 arange:3xi32:step=100 100 100 0.0883883 nan:200x2x128xbf16 nan:200x1x128xbf16 nan:200x1x128xbf16 --out DQ=dq.npy

tile.kernel @attention_backward_varlen(
    %Q: memref<?x?x128xbf16> {tile.shape = ["M", "H", 128]}, %K: memref<?x?x128xbf16> {tile.shape = ["N", "G", 128]}, %V: memref<?x?x128xbf16> {tile.shape = ["N", "G", 128]},
    %O: memref<?x?x128xbf16> {tile.shape = ["M", "H", 128]}, %DO: memref<?x?x128xbf16> {tile.shape = ["M", "H", 128]},
    %LSE: memref<?x?xf32> {tile.shape = ["H", "M"]}, %CQ: memref<?xi32> {tile.shape = ["X"]}, %CK: memref<?xi32> {tile.shape = ["X"]}, %longest_q: i32, %longest_k: i32, %scale: f32,
    %DQ: memref<?x?x128xbf16> {tile.shape = ["M", "H", 128]}, %DK: memref<?x?x128xbf16> {tile.shape = ["N", "G", 128]}, %DV: memref<?x?x128xbf16> {tile.shape = ["N", "G", 128]}) {
  %M = tile.dim "M" : index
  %H = tile.dim "H" : index
  %G = tile.dim "G" : index
  %X = tile.dim "X" : index
  // No division by 0 where there are no heads.
  %c1 = arith.constant 1 : index
  %heads = arith.maxsi %G, %c1 : index
  %R = arith.divui %H, %heads : index
  %product = arith.muli %R, %G : index
  %whole = arith.cmpi eq, %product, %H : index
  tile.assume %whole, "each head of keys has as many query heads" : i1
  %sequences = arith.subi %X, %c1 : index
  %queries_of_longest = arith.index_cast %longest_q : i32 to index
  %keys_of_longest = arith.index_cast %longest_k : i32 to index
  %c64 = arith.constant 64 : index
  %between = arith.muli %X, %c64 : index
  %together = arith.addi %M, %between : index
  %steps = arith.divui %together, %c64 : index
  %round = arith.muli %steps, %c64 : index
  %places = arith.maxsi %round, %c64 : index
  tile.assume %places {max = 2147483647} : index
  %L = memref.alloc(%H, %places) : memref<?x?xf32>
  %E = memref.alloc(%H, %places) : memref<?x?xf32>
  %A = memref.alloc(%M, %H) : memref<?x?x128xf32>
  tile.grid (%n, %h, %i) = (0, 0, 0) to (%sequences, %H, %queries_of_longest) step (1, 1, 64) {
    %c0 = arith.constant 0 : index
    %n1 = arith.addi %n, %c1 : index
    %a32 = memref.load %CQ[%n] : memref<?xi32>
    %z32 = memref.load %CQ[%n1] : memref<?xi32>
    %a = arith.index_cast %a32 : i32 to index
    %z = arith.index_cast %z32 : i32 to index
    tile.assume %a {min = 0} : index
    %S = arith.subi %z, %a : index
    %apart = arith.muli %n, %c64 : index
    %sum = arith.addi %a, %apart : index
    %blocks = arith.divui %sum, %c64 : index
    %r = arith.muli %blocks, %c64 : index
    %row = arith.addi %a, %i : index
    %place = arith.addi %r, %i : index
    %o = tile.load %O[%row, %h, %c0] dims = [0, 2] : memref<?x?x128xbf16> -> tensor<64x128xbf16>
    %g = tile.load %DO[%row, %h, %c0] dims = [0, 2] : memref<?x?x128xbf16> -> tensor<64x128xbf16>
    %ow = arith.extf %o : tensor<64x128xbf16> to tensor<64x128xf32>
    %gw = arith.extf %g : tensor<64x128xbf16> to tensor<64x128xf32>
    %og = arith.mulf %ow, %gw : tensor<64x128xf32>
    %e = tile.reduce addf %og dims = [1] : tensor<64x128xf32> -> tensor<64xf32>
    // A block behind the end of the sequence stores nothing.
    %c63 = arith.constant 63 : index
    %above = arith.addi %S, %c63 : index
    %whole_blocks = arith.divui %above, %c64 : index
    %extent = arith.muli %whole_blocks, %c64 : index
    %behind = arith.addi %r, %extent : index
    tile.store %e, %E[%h, %place] limit = [%behind] : tensor<64xf32> -> memref<?x?xf32>
    %lse = tile.load %LSE[%h, %row] : memref<?x?xf32> -> tensor<64xf32>
    %log2e = arith.constant dense<1.44269504> : tensor<64xf32>
    %none = arith.constant dense<0xFF800000> : tensor<64xf32>
    %never = arith.constant dense<0x7F800000> : tensor<64xf32>
    %l2 = arith.mulf %lse, %log2e : tensor<64xf32>
    %blind = arith.cmpf oeq, %lse, %none : tensor<64xf32>
    %known = arith.select %blind, %never, %l2 : tensor<64xi1>, tensor<64xf32>
    // Behind the last row of the sequence come those of the next one, which do not count here.
    %query = tile.iota dim = 0 from %i : tensor<64xindex>
    %ends = tensor.splat %S : tensor<64xindex>
    %own = arith.cmpi slt, %query, %ends : tensor<64xindex>
    %l = arith.select %own, %known, %never : tensor<64xi1>, tensor<64xf32>
    tile.store %l, %L[%h, %place] limit = [%behind] : tensor<64xf32> -> memref<?x?xf32>
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    tile.store %zero, %A[%row, %h, %c0] dims = [0, 2] limit = [%z, _] : tensor<64x128xf32> -> memref<?x?x128xf32>
  }
  tile.grid (%n, %g, %j) = (0, 0, 0) to (%sequences, %G, %keys_of_longest) step (1, 1, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %n1 = arith.addi %n, %c1 : index
    %a32 = memref.load %CQ[%n] : memref<?xi32>
    %z32 = memref.load %CQ[%n1] : memref<?xi32>
    %a = arith.index_cast %a32 : i32 to index
    %z = arith.index_cast %z32 : i32 to index
    tile.assume %a {min = 0} : index
    %S = arith.subi %z, %a : index
    %apart = arith.muli %n, %c64 : index
    %sum = arith.addi %a, %apart : index
    %blocks = arith.divui %sum, %c64 : index
    %r = arith.muli %blocks, %c64 : index
    %c32 = memref.load %CK[%n] : memref<?xi32>
    %e32 = memref.load %CK[%n1] : memref<?xi32>
    %c = arith.index_cast %c32 : i32 to index
    %e_keys = arith.index_cast %e32 : i32 to index
    %T = arith.subi %e_keys, %c : index
    %place = arith.addi %c, %j : index
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<128x64xf32>
    %nothing = arith.constant dense<0.0> : tensor<128x128xf32>
    %k = tile.load %K[%place, %g, %c0] dims = [0, 2] : memref<?x?x128xbf16> -> tensor<128x128xbf16>
    %v = tile.load %V[%place, %g, %c0] dims = [0, 2] : memref<?x?x128xbf16> -> tensor<128x128xbf16>
    // Key j is seen by the queries from j + S − T on. No key beyond the sequence is seen by a query of it.
    %shift = arith.subi %S, %T : index
    %first = arith.addi %j, %shift : index
    %some = arith.maxsi %first, %c0 : index
    %block = arith.divui %some, %step : index
    %start = arith.muli %block, %step : index
    %any = arith.cmpi slt, %j, %T : index
    %end = arith.select %any, %S, %c0 : index
    %first32 = arith.index_cast %first : index to i32
    %own = tile.iota dim = 0 from %first32 : tensor<128x64xi32>
    %never = arith.constant dense<0xFF800000> : tensor<128x64xf32>
    %head = arith.muli %g, %R : index
    %after = arith.addi %head, %R : index
    %last = arith.minsi %after, %H : index
    %dk, %dv = scf.for %h = %head to %last step %c1 iter_args(%dk2 = %nothing, %dv2 = %nothing) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
      %dks, %dvs = scf.for %i = %start to %end step %step iter_args(%dk0 = %dk2, %dv0 = %dv2) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
        %row = arith.addi %a, %i : index
        tile.assume %row {min = 0, max = 2147483647} : index
        %at = arith.addi %r, %i : index
        %q = tile.load %Q[%row, %h, %c0] dims = [0, 2] : memref<?x?x128xbf16> -> tensor<64x128xbf16>
        %qt = tile.transpose %q dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
        %s = tile.mma %k, %qt : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
        %do = tile.load %DO[%row, %h, %c0] dims = [0, 2] : memref<?x?x128xbf16> -> tensor<64x128xbf16>
        %dot = tile.transpose %do dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
        %dp = tile.mma %v, %dot : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
        %l = tile.load %L[%h, %at] : memref<?x?xf32> -> tensor<64xf32>
        %scaled = arith.mulf %s, %factors : tensor<128x64xf32>
        %ls = tile.broadcast %l dims = [1] : tensor<64xf32> -> tensor<128x64xf32>
        %x = arith.subf %scaled, %ls : tensor<128x64xf32>
        %i32 = arith.index_cast %i : index to i32
        %query = tile.iota dim = 1 from %i32 : tensor<128x64xi32>
        %seen = arith.cmpi sge, %query, %own : tensor<128x64xi32>
        %y = arith.select %seen, %x, %never : tensor<128x64xi1>, tensor<128x64xf32>
        %p = math.exp2 %y fastmath<afn> : tensor<128x64xf32>
        %pn = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xbf16>
        %e = tile.load %E[%h, %at] : memref<?x?xf32> -> tensor<64xf32>
        %es = tile.broadcast %e dims = [1] : tensor<64xf32> -> tensor<128x64xf32>
        %above = arith.subf %dp, %es : tensor<128x64xf32>
        %ds = arith.mulf %p, %above : tensor<128x64xf32>
        %dsn = arith.truncf %ds : tensor<128x64xf32> to tensor<128x64xbf16>
        %dv1 = tile.mma %pn, %do, %dv0 : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
        %dk1 = tile.mma %dsn, %q, %dk0 : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
        %kt = tile.transpose %k dims = [1, 0] : tensor<128x128xbf16> -> tensor<128x128xbf16>
        %dqt = tile.mma %kt, %dsn : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
        tile.atomic add %dqt, %A[%row, %h, %c0] dims = [2, 0] : tensor<128x64xf32> -> memref<?x?x128xf32>
        scf.yield %dk1, %dv1 : tensor<128x128xf32>, tensor<128x128xf32>
      }
      scf.yield %dks, %dvs : tensor<128x128xf32>, tensor<128x128xf32>
    }
    %scales = tensor.splat %scale : tensor<128x128xf32>
    %dkw = arith.mulf %dk, %scales : tensor<128x128xf32>
    %dkn = arith.truncf %dkw : tensor<128x128xf32> to tensor<128x128xbf16>
    %dvn = arith.truncf %dv : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %dkn, %DK[%place, %g, %c0] dims = [0, 2] limit = [%e_keys, _] : tensor<128x128xbf16> -> memref<?x?x128xbf16>
    tile.store %dvn, %DV[%place, %g, %c0] dims = [0, 2] limit = [%e_keys, _] : tensor<128x128xbf16> -> memref<?x?x128xbf16>
  }
  tile.grid (%h, %i) = (0, 0) to (%H, %M) step (1, 64) {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%i, %h, %c0] dims = [0, 2] : memref<?x?x128xf32> -> tensor<64x128xf32>
    %scales = tensor.splat %scale : tensor<64x128xf32>
    %y = arith.mulf %x, %scales : tensor<64x128xf32>
    %z = arith.truncf %y : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %z, %DQ[%i, %h, %c0] dims = [0, 2] : tensor<64x128xbf16> -> memref<?x?x128xbf16>
  }
  tile.return
}
