// Layer normalisation of the rows of a matrix in one text, R rows of W columns in a tile, in one of two ways. All three are parameters.
// bf16 in memory, f32 in between.
//
//   WAY = 1, for N up to W: a row is read once
//     for each block i of R rows:
//       x = X[i:i+R, 0:W]
//       mean = sum(x) / N
//       d = x − mean                         (0 beyond column N: those must not count)
//       Y[i:i+R, :] = d · rsqrt(sum(d²) / N + eps) · G + B
//
//   WAY = 2, for any N: two passes over the row, W columns at a time
//     for each block i of R rows:
//       mean = 0; q = 0                      (of the columns so far; q: the sum of (x − mean)²)
//       for j in 0, W, … below N:
//         x = X[i:i+R, j:j+W], h columns of it; p = sum(x) / h
//         move = (p − mean) · h / (j + h)
//         q = q + sum((x − p)²) + (p − mean) · move · j
//         mean = mean + move
//       for j in 0, W, … below N:
//         Y[i:i+R, j:j+W] = (X[i:i+R, j:j+W] − mean) · rsqrt(q / N + eps) · G[j:j+W] + B[j:j+W]
//     How means and sums of squares of two parts are combined: Chan, Golub and LeVeque, 1979.
//
// With the first choices it is layer-norm.mlir.
// Shapes: X, Y are MxN, G and B have N elements.
//
//   tilec examples/layer-norm-rows.mlir -o layer-norm-rows.so --target=cpu
//   tile-run layer-norm-rows.so randn:100x1000xbf16 randn:1000xbf16 randn:1000xbf16 1e-5 nan:100x1000xbf16 --out Y=y.npy

tile.kernel @layer_norm(%X: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %G: memref<?xbf16> {tile.shape = ["N"]},
                        %B: memref<?xbf16> {tile.shape = ["N"]}, %eps: f32,
                        %Y: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %WAY = tile.param "WAY" [1, 2] : index
  %R = tile.param "R" [1, 2, 4, 8, 16, 32] : index
  %W = tile.param "W" [8192, 4096, 2048, 1024, 512, 6144, 5120, 3072, 1536, 768, 384, 256, 128, 12288] : index
  // A tile is 16 to 32 KiB of f32: less leaves threads without work. Of wider ones one row fits the registers.
  %elements = arith.muli %R, %W : index
  %widest = arith.constant 8192 : index
  %narrow = arith.cmpi sle, %W, %widest : index
  scf.if %narrow {
    tile.assume %elements {min = 4096, max = 8192} : index
  } else {
    tile.assume %R {max = 1} : index
  }
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %one = arith.constant 1 : index
  %whole = arith.cmpi eq, %WAY, %one : index
  scf.if %whole {
    %fits = arith.cmpi sle, %N, %W : index
    tile.assume %fits, "a row has at most W columns" : i1
    tile.grid (%i) = (0) to (%M) step (%R) {
      %c0 = arith.constant 0 : index
      %in = tile.load %X[%i, %c0] tile(%R, %W) : memref<?x?xbf16> -> tensor<?x?xbf16>
      %gain = tile.load %G[%c0] tile(%W) : memref<?xbf16> -> tensor<?xbf16>
      %bias = tile.load %B[%c0] tile(%W) : memref<?xbf16> -> tensor<?xbf16>
      %x = arith.extf %in : tensor<?x?xbf16> to tensor<?x?xf32>
      %n = arith.index_cast %N : index to i32
      %nf = arith.sitofp %n : i32 to f32
      %count = tensor.splat %nf[%R] : tensor<?xf32>
      %sum = tile.reduce addf %x dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
      %mean = arith.divf %sum, %count : tensor<?xf32>
      %means = tile.broadcast %mean dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      %all = arith.subf %x, %means : tensor<?x?xf32>
      // Which columns there are.
      %column = tile.iota dim = 1 extents(%R, %W) : tensor<?x?xi32>
      %end = tensor.splat %n[%R, %W] : tensor<?x?xi32>
      %inside = arith.cmpi slt, %column, %end : tensor<?x?xi32>
      %none = arith.constant 0.0 : f32
      %zero = tensor.splat %none[%R, %W] : tensor<?x?xf32>
      %d = arith.select %inside, %all, %zero : tensor<?x?xi1>, tensor<?x?xf32>
      %square = arith.mulf %d, %d : tensor<?x?xf32>
      %squares = tile.reduce addf %square dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
      %variance = arith.divf %squares, %count : tensor<?xf32>
      %small = tensor.splat %eps[%R] : tensor<?xf32>
      %shifted = arith.addf %variance, %small : tensor<?xf32>
      %scale = math.rsqrt %shifted : tensor<?xf32>
      %scales = tile.broadcast %scale dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      %scaled = arith.mulf %d, %scales : tensor<?x?xf32>
      %g = arith.extf %gain : tensor<?xbf16> to tensor<?xf32>
      %gs = tile.broadcast %g dims = [1] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      %b = arith.extf %bias : tensor<?xbf16> to tensor<?xf32>
      %bs = tile.broadcast %b dims = [1] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      %weighted = arith.mulf %scaled, %gs : tensor<?x?xf32>
      %y = arith.addf %weighted, %bs : tensor<?x?xf32>
      %out = arith.truncf %y : tensor<?x?xf32> to tensor<?x?xbf16>
      tile.store %out, %Y[%i, %c0] : tensor<?x?xbf16> -> memref<?x?xbf16>
    }
  } else {
    // Rows that come in pieces are long: one at a time is enough.
    tile.assume %R {max = 1} : index
    tile.assume %W {min = 8192, max = 8192} : index
    tile.grid (%i) = (0) to (%M) step (%R) {
      %c0 = arith.constant 0 : index
      %none = arith.constant 0.0 : f32
      %zero = tensor.splat %none[%R] : tensor<?xf32>
      %nothing = tensor.splat %none[%R, %W] : tensor<?x?xf32>
      %mean, %squares = scf.for %j = %c0 to %N step %W iter_args(%m = %zero, %q = %zero) -> (tensor<?xf32>, tensor<?xf32>) {
        %in = tile.load %X[%i, %j] tile(%R, %W) : memref<?x?xbf16> -> tensor<?x?xbf16>
        %x = arith.extf %in : tensor<?x?xbf16> to tensor<?x?xf32>
        // The columns before this piece, in it, and their sum.
        %rest = arith.subi %N, %j : index
        %here = arith.minsi %rest, %W : index
        %h = arith.index_cast %here : index to i32
        %hf = arith.sitofp %h : i32 to f32
        %before = arith.index_cast %j : index to i64
        %bf = arith.sitofp %before : i64 to f32
        %all = arith.addf %bf, %hf : f32
        %count = tensor.splat %hf[%R] : tensor<?xf32>
        %sum = tile.reduce addf %x dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
        %part = arith.divf %sum, %count : tensor<?xf32>
        %parts = tile.broadcast %part dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
        %off = arith.subf %x, %parts : tensor<?x?xf32>
        %column = tile.iota dim = 1 extents(%R, %W) : tensor<?x?xi32>
        %end = tensor.splat %h[%R, %W] : tensor<?x?xi32>
        %inside = arith.cmpi slt, %column, %end : tensor<?x?xi32>
        %d = arith.select %inside, %off, %nothing : tensor<?x?xi1>, tensor<?x?xf32>
        %square = arith.mulf %d, %d : tensor<?x?xf32>
        %own = tile.reduce addf %square dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
        // The mean moves by the piece's share of the columns.
        %share = arith.divf %hf, %all : f32
        %shares = tensor.splat %share[%R] : tensor<?xf32>
        %delta = arith.subf %part, %m : tensor<?xf32>
        %move = arith.mulf %delta, %shares : tensor<?xf32>
        %next = arith.addf %m, %move : tensor<?xf32>
        %befores = tensor.splat %bf[%R] : tensor<?xf32>
        %spread = arith.mulf %delta, %move : tensor<?xf32>
        %between = arith.mulf %spread, %befores : tensor<?xf32>
        %both = arith.addf %own, %between : tensor<?xf32>
        %sums = arith.addf %q, %both : tensor<?xf32>
        scf.yield %next, %sums : tensor<?xf32>, tensor<?xf32>
      }
      %n = arith.index_cast %N : index to i64
      %nf = arith.sitofp %n : i64 to f32
      %count = tensor.splat %nf[%R] : tensor<?xf32>
      %variance = arith.divf %squares, %count : tensor<?xf32>
      %small = tensor.splat %eps[%R] : tensor<?xf32>
      %shifted = arith.addf %variance, %small : tensor<?xf32>
      %scale = math.rsqrt %shifted : tensor<?xf32>
      %scales = tile.broadcast %scale dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      %means = tile.broadcast %mean dims = [0] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
      scf.for %j = %c0 to %N step %W {
        %in = tile.load %X[%i, %j] tile(%R, %W) : memref<?x?xbf16> -> tensor<?x?xbf16>
        %gain = tile.load %G[%j] tile(%W) : memref<?xbf16> -> tensor<?xbf16>
        %bias = tile.load %B[%j] tile(%W) : memref<?xbf16> -> tensor<?xbf16>
        %x = arith.extf %in : tensor<?x?xbf16> to tensor<?x?xf32>
        %d = arith.subf %x, %means : tensor<?x?xf32>
        %scaled = arith.mulf %d, %scales : tensor<?x?xf32>
        %g = arith.extf %gain : tensor<?xbf16> to tensor<?xf32>
        %gs = tile.broadcast %g dims = [1] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
        %b = arith.extf %bias : tensor<?xbf16> to tensor<?xf32>
        %bs = tile.broadcast %b dims = [1] extents(%R, %W) : tensor<?xf32> -> tensor<?x?xf32>
        %weighted = arith.mulf %scaled, %gs : tensor<?x?xf32>
        %y = arith.addf %weighted, %bs : tensor<?x?xf32>
        %out = arith.truncf %y : tensor<?x?xf32> to tensor<?x?xbf16>
        tile.store %out, %Y[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
      }
    }
  }
  tile.return
}
