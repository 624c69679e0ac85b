// examples/gemm.mlir with more tiles, and with all combinations: what the model of products is fitted to. products.members names those that were
// timed (bench/results/products.json, products-random.json), replay.py says what the launcher would choose among them.
tile.kernel @gemm_nt(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]},
                     %B: memref<?x?xbf16> {tile.shape = ["N", "K"]},
                     %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [16, 32, 64, 80, 96, 128, 144, 152, 176, 192, 256] : index
  %BN = tile.param "BN" [64, 80, 96, 112, 128, 144, 192, 256] : index
  %BK = tile.param "BK" [64, 128, 256] : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (%BM, %BN) {
    %c0 = arith.constant 0 : index
    %none = arith.constant 0.0 : f32
    %zero = tensor.splat %none[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %a = tile.load %A[%i, %k] tile(%BM, %BK) : memref<?x?xbf16> -> tensor<?x?xbf16>
      %b = tile.load %B[%j, %k] tile(%BK, %BN) dims = [1, 0] : memref<?x?xbf16> -> tensor<?x?xbf16>
      %next = tile.mma %a, %b, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %c = arith.truncf %acc : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
