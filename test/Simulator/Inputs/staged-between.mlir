// Two products an iteration, of which the second one reads a tile that the block computes and stages.
tile.kernel @two(%Q: memref<?x64xbf16> {tile.shape = ["S", 64]}, %K: memref<?x64xbf16> {tile.shape = ["T", 64]}, %W: memref<?x64xbf16> {tile.shape = ["S", 64]}, %O: memref<?x64xf32> {tile.shape = ["S", 64]}) {
  %S = tile.dim "S" : index
  %T = tile.dim "T" : index
  tile.grid (%i) = (0) to (%S) step (192) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %q = tile.load %Q[%i, %c0] : memref<?x64xbf16> -> tensor<192x64xbf16>
    %w = tile.load %W[%i, %c0] : memref<?x64xbf16> -> tensor<192x64xbf16>
    %z = arith.constant dense<0.0> : tensor<192x64xf32>
    %one = arith.constant dense<1.0> : tensor<64x64xf32>
    %r:2 = scf.for %j = %c0 to %T step %step iter_args(%a = %z, %o = %z) -> (tensor<192x64xf32>, tensor<192x64xf32>) {
      %k = tile.load %K[%j, %c0] dims = [1, 0] : memref<?x64xbf16> -> tensor<64x64xbf16>
      %v = tile.load %K[%j, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16>
      %s = tile.mma %q, %k : tensor<192x64xbf16>, tensor<64x64xbf16> -> tensor<192x64xf32>
      %vf = arith.extf %v : tensor<64x64xbf16> to tensor<64x64xf32>
      %vg = arith.addf %vf, %one : tensor<64x64xf32>
      %vh = arith.truncf %vg : tensor<64x64xf32> to tensor<64x64xbf16>
      %u = tile.mma %w, %vh : tensor<192x64xbf16>, tensor<64x64xbf16> -> tensor<192x64xf32>
      %e = math.exp2 %s : tensor<192x64xf32>
      %f = math.exp2 %u : tensor<192x64xf32>
      %m = arith.mulf %e, %f : tensor<192x64xf32>
      %a1 = arith.addf %a, %m : tensor<192x64xf32>
      %o1 = arith.addf %o, %f : tensor<192x64xf32>
      scf.yield %a1, %o1 : tensor<192x64xf32>, tensor<192x64xf32>
    }
    %x = arith.addf %r#0, %r#1 : tensor<192x64xf32>
    tile.store %x, %O[%i, %c0] : tensor<192x64xf32> -> memref<?x64xf32>
  }
  tile.return
}
