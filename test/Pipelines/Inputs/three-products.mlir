// Loops with three products over all keys but the last `skip`, for rotated.py.

// Each but the first reads what is computed from the one before: max(exp2(Q · Kᵀ − m) · W, 0) · V, with the maximum of the rows so far.
tile.kernel @chain(%Q: memref<?x64xbf16> {tile.shape = ["S", 64]}, %K: memref<?x64xbf16> {tile.shape = ["T", 64]}, %W: memref<?x64xbf16> {tile.shape = ["T", 64]},
                   %V: memref<?x64xbf16> {tile.shape = ["T", 64]}, %skip: index, %O: memref<?x64xf32> {tile.shape = ["S", 64]}) {
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  %most = arith.subi %T, %skip : index
  %end = arith.minsi %most, %T : index
  tile.grid (%i) = (0) to (%S) step (64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %floor = arith.constant dense<-1.0e30> : tensor<64xf32>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %q = tile.load %Q[%i, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16>
    %m, %o = scf.for %j = %c0 to %end step %c64 iter_args(%m0 = %floor, %o0 = %zero) -> (tensor<64xf32>, tensor<64x64xf32>) {
      %k = tile.load %K[%j, %c0] dims = [1, 0] : memref<?x64xbf16> -> tensor<64x64xbf16>
      %s = tile.mma %q, %k : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %here = tile.reduce maximumf %s dims = [1] : tensor<64x64xf32> -> tensor<64xf32>
      %m1 = arith.maximumf %m0, %here : tensor<64xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
      %d = arith.subf %s, %top : tensor<64x64xf32>
      %p = math.exp2 %d fastmath<afn> : tensor<64x64xf32>
      %ph = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xbf16>
      %w = tile.load %W[%j, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %ph, %w : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %r = arith.maximumf %t, %zero : tensor<64x64xf32>
      %rh = arith.truncf %r : tensor<64x64xf32> to tensor<64x64xbf16>
      %v = tile.load %V[%j, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16>
      %drop = arith.subf %m0, %m1 : tensor<64xf32>
      %a = math.exp2 %drop fastmath<afn> : tensor<64xf32>
      %as = tile.broadcast %a dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
      %kept = arith.mulf %o0, %as : tensor<64x64xf32>
      %o1 = tile.mma %rh, %v, %kept : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %m1, %o1 : tensor<64xf32>, tensor<64x64xf32>
    }
    %ms = tile.broadcast %m dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
    %out = arith.addf %o, %ms : tensor<64x64xf32>
    tile.store %out, %O[%i, %c0] : tensor<64x64xf32> -> memref<?x64xf32>
  }
  tile.return
}

// Two loads; two products of one of them, the third reads what is computed from both: (exp2(Q · Kᵀ − m) ∘ (W · Kᵀ)) · V.
tile.kernel @pair(%Q: memref<?x64xbf16> {tile.shape = ["S", 64]}, %K: memref<?x64xbf16> {tile.shape = ["T", 64]}, %W: memref<?x64xbf16> {tile.shape = ["S", 64]},
                  %V: memref<?x64xbf16> {tile.shape = ["T", 64]}, %skip: index, %O: memref<?x64xf32> {tile.shape = ["S", 64]}) {
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  %most = arith.subi %T, %skip : index
  %end = arith.minsi %most, %T : index
  tile.grid (%i) = (0) to (%S) step (64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %floor = arith.constant dense<-1.0e30> : tensor<64xf32>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %q = tile.load %Q[%i, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16>
    %w = tile.load %W[%i, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16>
    %m, %o = scf.for %j = %c0 to %end step %c64 iter_args(%m0 = %floor, %o0 = %zero) -> (tensor<64xf32>, tensor<64x64xf32>) {
      %k = tile.load %K[%j, %c0] dims = [1, 0] : memref<?x64xbf16> -> tensor<64x64xbf16>
      %s = tile.mma %q, %k : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %u = tile.mma %w, %k : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %here = tile.reduce maximumf %s dims = [1] : tensor<64x64xf32> -> tensor<64xf32>
      %m1 = arith.maximumf %m0, %here : tensor<64xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
      %d = arith.subf %s, %top : tensor<64x64xf32>
      %p = math.exp2 %d fastmath<afn> : tensor<64x64xf32>
      %x = arith.mulf %p, %u : tensor<64x64xf32>
      %xh = arith.truncf %x : tensor<64x64xf32> to tensor<64x64xbf16>
      %v = tile.load %V[%j, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16>
      %drop = arith.subf %m0, %m1 : tensor<64xf32>
      %a = math.exp2 %drop fastmath<afn> : tensor<64xf32>
      %as = tile.broadcast %a dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
      %kept = arith.mulf %o0, %as : tensor<64x64xf32>
      %o1 = tile.mma %xh, %v, %kept : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %m1, %o1 : tensor<64xf32>, tensor<64x64xf32>
    }
    tile.store %o, %O[%i, %c0] : tensor<64x64xf32> -> memref<?x64xf32>
  }
  tile.return
}

// Two products add to one accumulator, which the third reads: relu(Q · Kᵀ + Q · Wᵀ) · V. Each iteration adds its coordinate, too.
tile.kernel @sum(%Q: memref<?x64xbf16> {tile.shape = ["S", 64]}, %K: memref<?x64xbf16> {tile.shape = ["T", 64]}, %W: memref<?x64xbf16> {tile.shape = ["T", 64]},
                 %V: memref<?x64xbf16> {tile.shape = ["T", 64]}, %skip: index, %O: memref<?x64xf32> {tile.shape = ["S", 64]}) {
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  %most = arith.subi %T, %skip : index
  %end = arith.minsi %most, %T : index
  tile.grid (%i) = (0) to (%S) step (64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %q = tile.load %Q[%i, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16>
    %o = scf.for %j = %c0 to %end step %c64 iter_args(%o0 = %zero) -> (tensor<64x64xf32>) {
      %k = tile.load %K[%j, %c0] dims = [1, 0] : memref<?x64xbf16> -> tensor<64x64xbf16>
      %w = tile.load %W[%j, %c0] dims = [1, 0] : memref<?x64xbf16> -> tensor<64x64xbf16>
      %s = tile.mma %q, %k : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %u = tile.mma %q, %w, %s : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %r = arith.maximumf %u, %zero : tensor<64x64xf32>
      %h = arith.truncf %r : tensor<64x64xf32> to tensor<64x64xbf16>
      %v = tile.load %V[%j, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16>
      %j32 = arith.index_cast %j : index to i32
      %jf = arith.sitofp %j32 : i32 to f32
      %js = tile.broadcast %jf dims = [] : f32 -> tensor<64x64xf32>
      %kept = arith.addf %o0, %js : tensor<64x64xf32>
      %o1 = tile.mma %h, %v, %kept : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %o1 : tensor<64x64xf32>
    }
    tile.store %o, %O[%i, %c0] : tensor<64x64xf32> -> memref<?x64xf32>
  }
  tile.return
}
