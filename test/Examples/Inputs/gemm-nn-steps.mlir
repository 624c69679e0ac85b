// The GEMM of examples/gemm-nn.mlir in phase scheduled: steps, two channels; the products of an iteration stay in flight until the next has issued its own,
// and so does what they read. The first iteration stands before the loop.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<3, !tile>
!async = !cta.async<tensor<64x64xf32, #acc>>
tile.kernel @gemm_nn(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                     %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %c64 = arith.constant 64 : index
  %rows = arith.ceildivsi %M, %c64 : index
  %columns = arith.ceildivsi %N, %c64 : index
  cta.launch @gemm_nn_0 blocks(%rows, %columns) {
    %cha = cta.channel : !channel
    %chb = cta.channel : !channel
    %id = cta.block_id : index
    %c0 = arith.constant 0 : index
    %ck = arith.constant 64 : index
    %r = arith.divui %id, %columns : index
    %c = arith.remui %id, %columns : index
    %i = arith.muli %r, %ck : index
    %j = arith.muli %c, %ck : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %some = arith.cmpi sgt, %K, %c0 : index
    %acc = scf.if %some -> (tensor<64x64xf32, #acc>) {
      %pa0 = cta.acquire %cha : !channel
      %a0 = cta.copy %A[%i, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %cha, %pa0 (%a0) : !channel
      %pb0 = cta.acquire %chb : !channel
      %b0 = cta.copy %B[%c0, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %chb, %pb0 (%b0) : !channel
      %qa0, %ta0 = cta.wait %cha : !channel
      %qb0, %tb0 = cta.wait %chb : !channel
      %start = cta.ready %zero : tensor<64x64xf32, #acc>
      %d0 = cta.wgmma %ta0, %tb0, %start : !tile, !tile -> !async
      %all:3 = scf.for %k = %ck to %K step %ck iter_args(%sum = %d0, %pa = %qa0, %pb = %qb0) -> (!async, !cta.credit, !cta.credit) {
        cta.step @load role(producer) stage(0) attributes {schedule = #cta.schedule<[@load, @mma, @free], ii = 128>} {
          %xa = cta.acquire %cha : !channel
          %a1 = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
          cta.commit %cha, %xa (%a1) : !channel
          %xb = cta.acquire %chb : !channel
          %b1 = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
          cta.commit %chb, %xb (%b1) : !channel
        }
        %m:3 = cta.step @mma role(math) stage(1) {
          %qa, %ta = cta.wait %cha : !channel
          %qb, %tb = cta.wait %chb : !channel
          %d = cta.wgmma %ta, %tb, %sum : !tile, !tile -> !async
          cta.yield %d, %qa, %qb : !async, !cta.credit, !cta.credit
        } : !async, !cta.credit, !cta.credit
        cta.step @free role(math) stage(1) {
          cta.release %cha, %pa after(%sum : !async) : !channel
          cta.release %chb, %pb after(%sum : !async) : !channel
        }
        scf.yield %m#0, %m#1, %m#2 : !async, !cta.credit, !cta.credit
      }
      cta.release %cha, %all#1 after(%all#0 : !async) : !channel
      cta.release %chb, %all#2 after(%all#0 : !async) : !channel
      %done = cta.complete %all#0 : !async
      scf.yield %done : tensor<64x64xf32, #acc>
    } else {
      scf.yield %zero : tensor<64x64xf32, #acc>
    }
    %o = arith.truncf %acc : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
    %s = cta.stage %o : tensor<64x64xbf16, #acc> -> !tile
    cta.copy_out %s, %C[%i, %j] {mechanism = #cta.mechanism<tma>} : !tile -> memref<?x?xbf16>
  }
  tile.return
}
