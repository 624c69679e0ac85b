// The division, with numbers for the sizes, the SMs and the block: output tiles of 64x128, 64 of K in each iteration, shares of at least 4 iterations.
// DEFINE: %{M} =
// DEFINE: %{N} = 128
// DEFINE: %{K} =
// DEFINE: %{block} =
// DEFINE: %{check} =
// DEFINE: %{run} = tile-opt %s -cta-lower-grid -cta-stream-k | sed -e 's/tile.dim "M"/arith.constant %{M}/' -e 's/tile.dim "N"/arith.constant %{N}/' -e 's/tile.dim "K"/arith.constant %{K}/' \
// DEFINE:   -e 's/tile.num_cores/arith.constant 4/' -e 's/cta.block_id/arith.constant %{block}/' -e 's/cta.num_blocks/arith.constant 4/' | tile-opt -canonicalize -cse | FileCheck %s --check-prefix=%{check}

// Four output tiles on four blocks: nothing remains, and no block has more than one output tile.
// REDEFINE: %{M} = 256
// REDEFINE: %{K} = 1024
// REDEFINE: %{block} = 3
// REDEFINE: %{check} = FULL
// RUN: %{run}
// FULL-LABEL: cta.launch
// FULL-NOT:   partial
// FULL:       scf.for %{{.*}} = %c0{{.*}} to %c1024 step
// FULL-NOT:   scf.for
// FULL-NOT:   partial
// FULL:       tile.return

// One output tile of 16 iterations: four shares of four. The block with the highest number has the first one, and adds those of the three before it.
// REDEFINE: %{M} = 64
// REDEFINE: %{check} = HEAD
// RUN: %{run}
// HEAD-LABEL: cta.launch
// HEAD:       scf.for %{{.*}} = %c0{{.*}} to %c256 step
// HEAD:       scf.for %{{.*}} = %c1_i32 to %c4_i32
// HEAD:         cta.add_partial
// HEAD-NOT:   cta.put_partial
// HEAD:       cta.store
// HEAD:       tile.return

// REDEFINE: %{block} = 0
// REDEFINE: %{check} = TAIL
// RUN: %{run}
// TAIL-LABEL: cta.launch
// TAIL-NOT:   cta.add_partial
// TAIL:       scf.for %{{.*}} = %c768 to %c1024 step
// TAIL-NOT:   cta.store
// TAIL:       cta.put_partial %{{.*}}, %{{.*}}[%c0]
// TAIL:       tile.return

// Three output tiles of 6 iterations are 18 iterations, in four shares of up to 5.
// REDEFINE: %{M} = 192
// REDEFINE: %{K} = 384
// REDEFINE: %{block} = 2
// REDEFINE: %{check} = WHOLE
// RUN: %{run}
// Shares must spare four iterations: 6 less 5 is fewer.
// WHOLE-LABEL: cta.launch
// WHOLE-NOT:   partial
// WHOLE:       scf.for %{{.*}} = %c0{{.*}} to %c384 step
// WHOLE-NOT:   partial
// WHOLE:       tile.return

// The same with 24 iterations for each output tile and shares of 18: the last six of the first output tile, which remain for another block, and twelve of the second.
// REDEFINE: %{K} = 1536
// REDEFINE: %{check} = BOTH
// RUN: %{run}
// BOTH-LABEL: cta.launch
// BOTH:       cta.for_output_tiles %[[ITEM:.*]] = %c0_i32 to %c2_i32
// BOTH:         cta.add_partial
// BOTH:         cta.put_partial
// BOTH:       tile.return

// Two output tiles on four blocks: each is cut in two, so that blocks with the same rows are at the same iterations. Block 3 begins the first one.
// REDEFINE: %{M} = 128
// REDEFINE: %{K} = 1088
// REDEFINE: %{block} = 3
// REDEFINE: %{check} = FIRST
// RUN: %{run}
// FIRST-LABEL: cta.launch
// FIRST:       scf.for %{{.*}} = %c0{{.*}} to %c576 step
// FIRST:       cta.add_partial %{{.*}}, %{{.*}}[%c2]
// FIRST-NOT:   partial
// FIRST:       tile.return

// Block 0 ends the second one. Of 17 iterations it has 8.
// REDEFINE: %{block} = 0
// REDEFINE: %{check} = SECOND
// RUN: %{run}
// SECOND-LABEL: cta.launch
// SECOND-NOT:   cta.add_partial
// SECOND:       scf.for %{{.*}} = %c576 to %c1088 step
// SECOND:       cta.put_partial %{{.*}}, %{{.*}}[%c0]
// SECOND:       tile.return

// Three output tiles of 24 iterations remain of 15 on four blocks, as for BOTH. But there are rows and columns of output tiles, so that blocks at different
// iterations would fetch the same rows at different times. So block 2 has three whole ones and one of those that remain.
// REDEFINE: %{M} = 320
// REDEFINE: %{N} = 384
// REDEFINE: %{K} = 1536
// REDEFINE: %{block} = 2
// REDEFINE: %{check} = GRID
// RUN: %{run}
// GRID-LABEL: cta.launch
// GRID:       cta.for_output_tiles %{{.*}} = %c0_i32 to %c4_i32
// GRID:       tile.return

// Without iterations the output tile is stored all the same.
// REDEFINE: %{M} = 64
// REDEFINE: %{N} = 128
// REDEFINE: %{K} = 0
// REDEFINE: %{block} = 3
// REDEFINE: %{check} = EMPTY
// RUN: %{run}
// EMPTY-LABEL: cta.launch
// EMPTY-NOT:   partial
// EMPTY:       cta.store
// EMPTY-NOT:   partial
// EMPTY:       tile.return

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>
tile.kernel @gemm(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #tile.phase<planned>, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}
