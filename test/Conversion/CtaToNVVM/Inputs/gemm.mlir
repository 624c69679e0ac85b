#acc = #cta.frag<wgmma_acc, wg = 2>
#sa = #cta.swizzle<128, dim = 1>
tile.kernel @gemm(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                  %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %bm = arith.ceildivsi %M, %c128 : index
  %bn = arith.ceildivsi %N, %c256 : index
  cta.launch @gemm_0 blocks(%bm, %bn) attributes {threads = 256 : i64, shared = 114704 : i64, mbarriers = array<i64: 2>} {
    %b = cta.block_id : index
    %bi = arith.divui %b, %bn : index
    %bj = arith.remui %b, %bn : index
    %i = arith.muli %bi, %c128 : index
    %j = arith.muli %bj, %c256 : index
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %K = tile.dim "K" : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      cta.barrier
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 0 : i64} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sa>
      %w = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 16384 : i64} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sa>
      cta.await 0
      %d = cta.wgmma %a, %w, %c : !cta.smem<128x64xbf16, #sa>, !cta.smem<64x256xbf16, #sa> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    %out = arith.truncf %acc : tensor<128x256xf32, #acc> to tensor<128x256xbf16, #acc>
    %s = cta.stage %out {offset = 49152 : i64} : tensor<128x256xbf16, #acc> -> !cta.smem<128x256xbf16, #sa>
    cta.fence_async
    cta.barrier
    cta.copy_out %s, %C[%i, %j] {mechanism = #cta.mechanism<tma>} : !cta.smem<128x256xbf16, #sa> -> memref<?x?xbf16>
    cta.await_stores
  }
  tile.return
}
