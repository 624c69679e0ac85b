// A family of 20 bindings: the product of examples/gemm.mlir, with more choices.

tile.kernel @gemm_nt(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]},
                     %B: memref<?x?xbf16> {tile.shape = ["N", "K"]},
                     %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [128, 16, 64, 152, 192, 256] : index
  %BN = tile.param "BN" [256, 64, 128, 192] : index
  %BK = tile.param "BK" [64, 256] : index
  // 152x256 is what two math warpgroups hold beside the operands.
  %area = arith.muli %BM, %BN : index
  tile.assume %area {max = 38912} : index
  // A stage is at most 64 KiB, so that three fit into shared memory.
  %both = arith.addi %BM, %BN : index
  %stage = arith.muli %both, %BK : index
  tile.assume %stage {max = 32768} : index
  // Few rows have few accumulators however wide they are: then K should be long.
  %c64 = arith.constant 64 : index
  %high = arith.cmpi sge, %BM, %c64 : index
  %narrow = arith.cmpi eq, %BN, %c64 : index
  %balanced = arith.ori %high, %narrow : i1
  tile.assume %balanced, "tiles of 16 rows have 64 columns" : i1
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
