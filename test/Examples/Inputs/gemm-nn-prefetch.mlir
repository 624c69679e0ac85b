// The GEMM of examples/gemm-nn.mlir in phase scheduled: every slot is filled two iterations before it is read, whatever the block, and the last two are never
// read.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<3, !tile, !tile, index>
tile.kernel @gemm_nn(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                     %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %c64 = arith.constant 64 : index
  %rows = arith.ceildivsi %M, %c64 : index
  %columns = arith.ceildivsi %N, %c64 : index
  cta.launch @gemm_nn_0 blocks(%rows, %columns) {
    %ch = cta.channel : !channel
    %id = cta.block_id : index
    %c0 = arith.constant 0 : index
    %ck = arith.constant 64 : index
    %c2k = arith.constant 128 : index
    %r = arith.divui %id, %columns : index
    %c = arith.remui %id, %columns : index
    %i = arith.muli %r, %ck : index
    %j = arith.muli %c, %ck : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %p0 = cta.acquire %ch : !channel
    %a0 = cta.copy %A[%i, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    %b0 = cta.copy %B[%c0, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p0 (%a0, %b0, %i) : !channel
    %p1 = cta.acquire %ch : !channel
    %a1 = cta.copy %A[%i, %ck] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    %b1 = cta.copy %B[%ck, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p1 (%a1, %b1, %i) : !channel
    %acc:2 = scf.for %k = %c0 to %K step %ck iter_args(%sum = %zero, %old = %c0) -> (tensor<64x64xf32, #acc>, index) {
      %next = arith.addi %k, %c2k : index
      %even = arith.remui %k, %c2k : index
      %is = arith.cmpi eq, %even, %c0 : index
      %q, %ta, %tb, %ti = cta.wait %ch : !channel
      scf.if %is {
        %p = cta.acquire %ch : !channel
        %a = cta.copy %A[%i, %next] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
        %b = cta.copy %B[%next, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a, %b, %i) : !channel
      } else {
        %p = cta.acquire %ch : !channel
        %a = cta.copy %A[%ti, %next] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
        %b = cta.copy %B[%next, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a, %b, %ti) : !channel
      }
      %d = cta.wgmma %ta, %tb, %sum : !tile, !tile -> tensor<64x64xf32, #acc>
      cta.release %ch, %q : !channel
      scf.yield %d, %ti : tensor<64x64xf32, #acc>, index
    }
    %o = arith.truncf %acc#0 : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
    %s = cta.stage %o : tensor<64x64xbf16, #acc> -> !tile
    cta.copy_out %s, %C[%i, %j] {mechanism = #cta.mechanism<tma>} : !tile -> memref<?x?xbf16>
  }
  tile.return
}
