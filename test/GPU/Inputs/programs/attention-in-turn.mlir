// Attention with heads of 64 and output tiles of 192 queries: three warpgroups issue the products of an iteration in turn. The text of
// bench/attention/programs.py.

tile.kernel @attention(%Q: memref<?x?x?x64xbf16> {tile.shape = ["B", "H", "S", 64]}, %K: memref<?x?x?x64xbf16> {tile.shape = ["B", "H", "T", 64]},
                    %V: memref<?x?x?x64xbf16> {tile.shape = ["B", "H", "T", 64]}, %scale: f32, %O: memref<?x?x?x64xbf16> {tile.shape = ["B", "H", "S", 64]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %q = tile.load %Q[%b, %h, %i, %c0] : memref<?x?x?x64xbf16> -> tensor<192x64xbf16>
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<192x128xf32>
    %rows = tensor.splat %factor : tensor<192xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<192xf32>
    %zero = arith.constant dense<0.0> : tensor<192xf32>
    %nothing = arith.constant dense<0.0> : tensor<192x64xf32>
    %never = arith.constant dense<0xFF800000> : tensor<192x128xf32>
    %end32 = arith.index_cast %T : index to i32
    %keys = tensor.splat %end32 : tensor<192x128xi32>
    %m, %l, %o = scf.for %j = %c0 to %T step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<192xf32>, tensor<192xf32>, tensor<192x64xf32>) {
      %k = tile.load %K[%b, %h, %j, %c0] dims = [3, 2] : memref<?x?x?x64xbf16> -> tensor<64x128xbf16>
      %qk = tile.mma %q, %k : tensor<192x64xbf16>, tensor<64x128xbf16> -> tensor<192x128xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 : tensor<192x128xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<192x128xi32>
      %s = arith.select %exists, %qk, %never : tensor<192x128xi1>, tensor<192x128xf32>
      %here = tile.reduce maximumf %s dims = [1] : tensor<192x128xf32> -> tensor<192xf32>
      %m1 = arith.maximumf %m0, %here : tensor<192xf32>
      %scaled = arith.mulf %s, %factors : tensor<192x128xf32>
      %ms = arith.mulf %m1, %rows : tensor<192xf32>
      %top = tile.broadcast %ms dims = [0] : tensor<192xf32> -> tensor<192x128xf32>
      %d = arith.subf %scaled, %top : tensor<192x128xf32>
      %p = math.exp2 %d fastmath<afn> : tensor<192x128xf32>
      %drop = arith.subf %m0, %m1 : tensor<192xf32>
      %fall = arith.mulf %drop, %rows : tensor<192xf32>
      %a = math.exp2 %fall fastmath<afn> : tensor<192xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<192x128xf32> -> tensor<192xf32>
      %kept = arith.mulf %l0, %a : tensor<192xf32>
      %l1 = arith.addf %kept, %part : tensor<192xf32>
      %as = tile.broadcast %a dims = [0] : tensor<192xf32> -> tensor<192x64xf32>
      %rescaled = arith.mulf %o0, %as : tensor<192x64xf32>
      %narrow = arith.truncf %p : tensor<192x128xf32> to tensor<192x128xbf16>
      %v = tile.load %V[%b, %h, %j, %c0] : memref<?x?x?x64xbf16> -> tensor<128x64xbf16>
      %o1 = tile.mma %narrow, %v, %rescaled : tensor<192x128xbf16>, tensor<128x64xbf16> -> tensor<192x64xf32>
      scf.yield %m1, %l1, %o1 : tensor<192xf32>, tensor<192xf32>, tensor<192x64xf32>
    }
    %empty = arith.cmpf oeq, %l, %zero : tensor<192xf32>
    %one = arith.constant dense<1.0> : tensor<192xf32>
    %divisor = arith.select %empty, %one, %l : tensor<192xi1>, tensor<192xf32>
    %inverse = arith.divf %one, %divisor : tensor<192xf32>
    %inverses = tile.broadcast %inverse dims = [0] : tensor<192xf32> -> tensor<192x64xf32>
    %r = arith.mulf %o, %inverses : tensor<192x64xf32>
    %out = arith.truncf %r : tensor<192x64xf32> to tensor<192x64xbf16>
    tile.store %out, %O[%b, %h, %i, %c0] : tensor<192x64xbf16> -> memref<?x?x?x64xbf16>
  }
  tile.return
}


tile.kernel @attention_causal(%Q: memref<?x?x?x64xbf16> {tile.shape = ["B", "H", "S", 64]}, %K: memref<?x?x?x64xbf16> {tile.shape = ["B", "H", "T", 64]},
                    %V: memref<?x?x?x64xbf16> {tile.shape = ["B", "H", "T", 64]}, %scale: f32, %O: memref<?x?x?x64xbf16> {tile.shape = ["B", "H", "S", 64]}) {
  %B = tile.dim "B" : index
  %H = tile.dim "H" : index
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %q = tile.load %Q[%b, %h, %i, %c0] : memref<?x?x?x64xbf16> -> tensor<192x64xbf16>
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %factors = tensor.splat %factor : tensor<192x128xf32>
    %rows = tensor.splat %factor : tensor<192xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<192xf32>
    %zero = arith.constant dense<0.0> : tensor<192xf32>
    %nothing = arith.constant dense<0.0> : tensor<192x64xf32>
    %never = arith.constant dense<0xFF800000> : tensor<192x128xf32>
    %shift = arith.subi %T, %S : index
    %first = arith.addi %i, %shift : index
    %tall = arith.constant 192 : index
    %last = arith.addi %first, %tall : index
    %end = arith.minsi %last, %T : index
    %first32 = arith.index_cast %first : index to i32
    %own = tile.iota dim = 0 from %first32 : tensor<192x128xi32>
    %end32 = arith.index_cast %end : index to i32
    %keys = tensor.splat %end32 : tensor<192x128xi32>
    %m, %l, %o = scf.for %j = %c0 to %end step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<192xf32>, tensor<192xf32>, tensor<192x64xf32>) {
      %k = tile.load %K[%b, %h, %j, %c0] dims = [3, 2] : memref<?x?x?x64xbf16> -> tensor<64x128xbf16>
      %qk = tile.mma %q, %k : tensor<192x64xbf16>, tensor<64x128xbf16> -> tensor<192x128xf32>
      %j32 = arith.index_cast %j : index to i32
      %key = tile.iota dim = 1 from %j32 : tensor<192x128xi32>
      %exists = arith.cmpi slt, %key, %keys : tensor<192x128xi32>
      %before = arith.cmpi sle, %key, %own : tensor<192x128xi32>
      %seen = arith.andi %exists, %before : tensor<192x128xi1>
      %s = arith.select %seen, %qk, %never : tensor<192x128xi1>, tensor<192x128xf32>
      %here = tile.reduce maximumf %s dims = [1] : tensor<192x128xf32> -> tensor<192xf32>
      %m1 = arith.maximumf %m0, %here : tensor<192xf32>
      %scaled = arith.mulf %s, %factors : tensor<192x128xf32>
      %ms = arith.mulf %m1, %rows : tensor<192xf32>
      %top = tile.broadcast %ms dims = [0] : tensor<192xf32> -> tensor<192x128xf32>
      %d = arith.subf %scaled, %top : tensor<192x128xf32>
      %p = math.exp2 %d fastmath<afn> : tensor<192x128xf32>
      %drop = arith.subf %m0, %m1 : tensor<192xf32>
      %fall = arith.mulf %drop, %rows : tensor<192xf32>
      %a = math.exp2 %fall fastmath<afn> : tensor<192xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<192x128xf32> -> tensor<192xf32>
      %kept = arith.mulf %l0, %a : tensor<192xf32>
      %l1 = arith.addf %kept, %part : tensor<192xf32>
      %as = tile.broadcast %a dims = [0] : tensor<192xf32> -> tensor<192x64xf32>
      %rescaled = arith.mulf %o0, %as : tensor<192x64xf32>
      %narrow = arith.truncf %p : tensor<192x128xf32> to tensor<192x128xbf16>
      %v = tile.load %V[%b, %h, %j, %c0] : memref<?x?x?x64xbf16> -> tensor<128x64xbf16>
      %o1 = tile.mma %narrow, %v, %rescaled : tensor<192x128xbf16>, tensor<128x64xbf16> -> tensor<192x64xf32>
      scf.yield %m1, %l1, %o1 : tensor<192xf32>, tensor<192xf32>, tensor<192x64xf32>
    }
    %empty = arith.cmpf oeq, %l, %zero : tensor<192xf32>
    %one = arith.constant dense<1.0> : tensor<192xf32>
    %divisor = arith.select %empty, %one, %l : tensor<192xi1>, tensor<192xf32>
    %inverse = arith.divf %one, %divisor : tensor<192xf32>
    %inverses = tile.broadcast %inverse dims = [0] : tensor<192xf32> -> tensor<192x64xf32>
    %r = arith.mulf %o, %inverses : tensor<192x64xf32>
    %out = arith.truncf %r : tensor<192x64xf32> to tensor<192x64xbf16>
    tile.store %out, %O[%b, %h, %i, %c0] : tensor<192x64xbf16> -> memref<?x?x?x64xbf16>
  }
  tile.return
}
