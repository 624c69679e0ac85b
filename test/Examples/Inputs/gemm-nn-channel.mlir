// The GEMM of examples/gemm-nn.mlir in phase scheduled, as cta-pipeline-copies leaves it: blocks of 64x64 in a persistent loop, one channel.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<?, !tile, !tile>
tile.kernel @gemm_nn(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                     %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %rows = arith.ceildivsi %M, %c64 : index
  %columns = arith.ceildivsi %N, %c64 : index
  %blocks = arith.muli %rows, %columns : index
  %ctas = arith.minsi %blocks, %c3 : index
  cta.launch @gemm_nn_0 blocks(%ctas) {
    %ch = cta.channel : !channel
    %id = cta.block_id : index
    %n = cta.num_blocks : index
    %first = arith.index_castui %id : index to i32
    %step = arith.index_castui %n : index to i32
    %last = arith.index_castui %blocks : index to i32
    %width = arith.index_castui %columns : index to i32
    %c0 = arith.constant 0 : index
    %ck = arith.constant 64 : index
    scf.for %t = %first to %last step %step : i32 {
      %row = arith.divui %t, %width : i32
      %column = arith.remui %t, %width : i32
      %r = arith.index_castui %row : i32 to index
      %c = arith.index_castui %column : i32 to index
      %i = arith.muli %r, %ck : index
      %j = arith.muli %c, %ck : index
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %acc = scf.for %k = %c0 to %K step %ck iter_args(%sum = %zero) -> (tensor<64x64xf32, #acc>) {
        %p = cta.acquire %ch : !channel
        %a0 = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
        %b0 = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a0, %b0) : !channel
        %q, %a, %b = cta.wait %ch : !channel
        %d = cta.wgmma %a, %b, %sum : !tile, !tile -> tensor<64x64xf32, #acc>
        cta.release %ch, %q : !channel
        scf.yield %d : tensor<64x64xf32, #acc>
      }
      %o = arith.truncf %acc : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
      %s = cta.stage %o : tensor<64x64xbf16, #acc> -> !tile
      cta.copy_out %s, %C[%i, %j] {mechanism = #cta.mechanism<tma>} : !tile -> memref<?x?xbf16>
    }
  }
  tile.return
}
