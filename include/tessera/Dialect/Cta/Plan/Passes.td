// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_PLAN_PASSES
#define TESSERA_CTA_PLAN_PASSES

include "tessera/Dialect/Cta/PassBase.td"

def PlanReplicas : CtaPass<"cta-plan-replicas"> {
  let summary = "Choose ping-pong for matrix products with arithmetic in the epilogue";
  let description = [{
    Requires and ensures L0. It runs after all passes that change tiles or the memory from which they are loaded, and before
    `convert-tile-to-cta`, which needs to know the warpgroups that share an output tile. A kernel without a plan and without `warpgroups`
    gets `replicate = blocks, warpgroups = 2` (ping-pong: the epilogue of an output tile runs concurrently with the products of the next
    one, see docs/design/Epilogues.md). It also gets `cluster = 2` if its grid can run in clusters and an iteration is long enough for two
    blocks to wait for each other. `cta-split-epilogue` and `cta-plan` decide the rest.

    Each grid, except those that copy operands (`tile.copies`), must have one main loop with one product. TMA fetches the operands, and
    nothing else in the loop touches the accumulators. The epilogue consists of elementwise arithmetic on the accumulators (more than a
    conversion), broadcasts, loads, and stores by TMA. Before the loop there are only scalars. The model (`tessera/Plan/Model.h`) decides
    whether

    * a warpgroup has the registers for a whole output tile: 96 to 192 accumulators a thread. With fewer, other blocks on the SM hide the
      epilogue.
    * an SM has the shared memory for four slots, and for two epilogue subtiles of each warpgroup.
    * there are two output tiles for each SM, if the source IR gives their number.

    ```mlir
    tile.kernel @gemm(…) {                         // 128x192 accumulators, bias
    // becomes
    tile.kernel @gemm(…) attributes {plan = #cta.plan<replicate = blocks, warpgroups = 2, cluster = 2>} {
    ```

    With `remarks` the pass says why a kernel is left as it is.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false", "Say why a kernel is left as it is.">];
}

def SplitEpilogue : CtaPass<"cta-split-epilogue"> {
  let summary = "Cut the epilogue of a matrix product into subtiles of some columns";
  let description = [{
    Requires and ensures *placed*, before `cta-decompose`. It takes effect with `epilogue = n` in the kernel's plan. A store of
    accumulators, by TMA or through registers, and the arithmetic, loads and conversions of its block on which it depends, are done for n
    columns at a time: one epilogue subtile after the other. Fewer values live at a time, tiles in shared memory and scratch are smaller,
    and the first columns are being stored while the others are computed. Slices of accumulators only rename registers. Stores of memory
    that does not overlap are split together if nothing between them could observe the difference. A store stays whole if n does not divide
    its columns. A tile stays whole if the memory from which it is loaded is written in between. For stores by TMA, small loads through
    registers (a bias) are prefetched: those of a subtile before the previous subtile, those of the first one before the main loop.

    With `derive` the pass chooses the width if the plan leaves it open. It is 64 if the computation of a store of more than 64 columns
    loads tiles, evaluates functions or has a scalar that is not a constant. It is 32 if all such stores go through registers. Otherwise it
    is 0. These widths keep the accumulators and the operands of the epilogue within the registers of a thread. A smaller width, 64 or 32
    (16 if nothing is pipelined otherwise), is chosen where the tiles of the epilogue leave too little shared memory for the slots of the
    products before it (a result of f32; long iterations). That is tried on a copy of the kernel.

    ```mlir
    %s = cta.stage %c : tensor<128x256xbf16, #acc> -> …
    cta.copy_out %s, %C[%i, %j] {…} : …
    // becomes, with epilogue = 128
    %c0 = cta.slice %c offsets = [0, 0] : tensor<128x256xbf16, #acc> -> tensor<128x128xbf16, #acc>
    %s0 = cta.stage %c0 : …
    cta.copy_out %s0, %C[%i, %j] {…} : …
    %c1 = cta.slice %c offsets = [0, 128] : …
    ```
  }];
  let options = [Option<"derive", "derive", "bool", "false", "Choose the width where the plan leaves it open.">];
}

def FormTables : CtaPass<"cta-form-tables"> {
  let summary = "Let each block make atomics that meet few elements in shared memory first";
  let description = [{
    Requires and ensures *placed*, after `cta-decompose`, when all other shared memory is explicit. The atomics of a grid on one array are
    made in a private table of the block, which it adds to the array at last. That is possible if

    * they are relaxed, of the device, without results, and of one kind that has an identity: no `exchange`, no `cas`.
    * nothing else in the grid reads or writes the array, or what may overlap it, and no block of the grid may wait for another one.
    * where elements of a tile may meet (index tiles), shared memory has such steps: of i32, and sums and bits of i64. Where they do not (boxes),
      each thread loads and stores its elements. Sums of floats need `reassoc`.
    * the number of elements is known to fit, and to be small against the number of atomics; or the guards of the variant say so
      (`tile.tables`).
    * the grid has no matrix products, which want the shared memory for their operands.

    A table has the dimensions of the array in which the atomics have tiles or differ. If their coordinates in the others are known outside
    the grid, the table serves all output tiles of a block, and the grid is marked `cta.persistent`: `cta-lower-grid` takes the table out
    of the loop over them. Otherwise it lives where these coordinates are known, for one output tile at most.

    A small table has several copies, so that threads of a warp meet less: as many as make it no larger than the number of atomics of an
    output tile, up to 32. `why` on an atomic that keeps accessing global memory says what it was.

    ```mlir
    tile.grid (%i) = (0) to (%n) step (4096) {
      cta.atomic add %v, %H[%x : tensor<4096xi32, #l>] : tensor<4096xi32, #l> -> memref<?xi32>
    }
    // becomes
    %copies = …                          // 16 if %H has 256 elements
    tile.grid (%i) = (0) to (%n) step (4096) attributes {cta.persistent = 4 : i64} {
      %t = cta.table add %H dims = [0] copies = %copies : memref<?xi32> -> !cta.smem<14336xi32, #cta.swizzle<linear>>
      cta.atomic add %v, %H[%x : tensor<4096xi32, #l>] : tensor<4096xi32, #l> -> memref<?xi32> into %t : …
      cta.flush %t, %H[] : …
    }
    ```
  }];
}

def NarrowVotes : CtaPass<"cta-narrow-votes"> {
  let summary = "Let each warp decide for itself where a branch concerns no other warp";
  let description = [{
    Requires and ensures *placed*, after `cta-decompose`, when all ways through shared memory are ops. A `cta.any` is a vote of the whole block.
    If its result is used as the condition of `scf.if` ops only, and what these hold, results of conversions and reductions included, stays within
    a warp, it becomes a vote of each warp (`warp`): warps none of whose rows need the branch skip it while others take it. No thread waits for
    another one.

    Not within a warp are barriers, accesses to shared memory, matrix products, and votes of the block. Where one of those is in a branch the vote
    stays as it is, and `why` on it says what it was.

    ```mlir
    %c = cta.any %need : tensor<128xi1, #rows>
    // becomes
    %c = cta.any warp %need : tensor<128xi1, #rows>
    ```
  }];
}

def VoteByLanes : CtaPass<"cta-vote-by-lanes"> {
  let summary = "Let each lane vote on what it holds, so that rows are reduced in the branch only";
  let description = [{
    Requires and ensures *placed*, after `cta-narrow-votes`. A `cta.any` with `rare` whose need is computed, element by element, from a maximum or
    minimum along a dimension that several lanes of a warp share is computed from what each lane has of it. The lane that holds the maximum
    finds the need of the row, so the vote is true wherever it was; where it is true more often, the region of a `tile.rare` runs although no row
    needs it, which it may. The shuffles that make the maximum of the row go into the branch, with the condition itself if the branch reads it.

    Left alone is a vote if the whole maximum or the condition is needed outside of its one branch, if warps share the dimension, or if the
    layout is one in which a bit moves more than one bit of a coordinate. A remark says which it is.

    ```mlir
    %t = cta.reduce (%s) dims = [1] init(%z) { … maximumf … } : tensor<128x128xf32, #acc> -> tensor<128xf32, #rows>
    %n = arith.cmpf ogt, %t, %limit : tensor<128xf32, #rows>
    %c = cta.any warp rare %n : tensor<128xi1, #rows>
    %m = scf.if %c -> (tensor<128xf32, #rows>) { … %t … }
    // becomes
    %q = cta.reshape %s : tensor<128x128xf32, #acc> -> tensor<128x16x4x2xf32, #split>
    %l = cta.reduce (%q) dims = [1, 3] init(%z) { … } : tensor<128x16x4x2xf32, #split> -> tensor<128x4xf32, #lanes>
    %b = cta.broadcast %limit dims = [0]
    %n = arith.cmpf ogt, %l, %b : tensor<128x4xf32, #lanes>
    %c = cta.any warp rare %n : tensor<128x4xi1, #lanes>
    %m = scf.if %c -> (tensor<128xf32, #rows>) {
      %t = cta.reduce (%l) dims = [1] init(%z) { … } : tensor<128x4xf32, #lanes> -> tensor<128xf32, #rows>
    ```
  }];
}

def SplitBranches : CtaPass<"cta-split-branches"> {
  let summary = "Give what only accumulators need of a rare branch a branch of its own";
  let description = [{
    Requires and ensures *placed*, before the plan. A branch on a `cta.any` with `rare`, whose other side only passes values, becomes several
    branches on the same vote: one for each result that products of the block add to and nobody else reads, and before them one for the rest. An
    op is in the first branch if the rest needs it, too; what the others take from there is a further result, zero where no branch is taken. So
    `cta-rotate-loops` can put each in the stage of its users. Branches with effects stay.

    ```mlir
    %m, %o = scf.if %vote { %a = …; %s = arith.mulf %o0, %a; scf.yield %m1, %s } else { scf.yield %m0, %o0 }
    // becomes
    %m, %f = scf.if %vote { %a = …; scf.yield %m1, %a } else { scf.yield %m0, %zero }
    %o = scf.if %vote { %s = arith.mulf %o0, %f; scf.yield %s } else { scf.yield %o0 }
    ```
  }];
}

def Decompose : CtaPass<"cta-decompose"> {
  let summary = "Turn layout conversions, reductions and shape ops into register moves, shuffles and explicit scratch";
  let description = [{
    Requires and ensures *placed*. Afterwards every `cta.convert_layout` has its `how` (no instruction, register moves, or cheap shuffles),
    every `cta.reshape` keeps all registers, and every `cta.reduce` stays within warps. There is no `cta.slice` and no `cta.concat`. All
    other cases go through scratch: `cta.stage`, `cta.view` and `cta.read` of linear tiles, with padding where that avoids bank conflicts. A
    reduction across warps becomes a partial reduction, a `cta.stage`, a `cta.read` that brings the parts into registers, and the reduction
    of the parts. A `how` that the source IR gives is kept if it is possible.

    ```mlir
    %b = cta.convert_layout %a : tensor<64x64xf32, #acc> -> tensor<64x64xf32, #rows>
    // becomes
    %s = cta.stage %a : tensor<64x64xf32, #acc> -> !cta.smem<64x64xf32, #cta.swizzle<linear, pad = 32>>
    %b = cta.read %s : !cta.smem<64x64xf32, #cta.swizzle<linear, pad = 32>> -> tensor<64x64xf32, #rows>
    ```
  }];
}

def LoadEarly : CtaPass<"cta-load-early"> {
  let summary = "Issue small loads into registers before an iteration awaits shared tiles";
  let description = [{
    Requires and ensures *placed*, before `cta-plan`, which counts the registers that are live. It considers loop bodies that fetch shared tiles
    with `cta.copy`. A `cta.load` that stands behind the first use of such a tile would begin when the tile has arrived, so that the latency of
    one comes on top of the latency of the other. It moves before that use, with its scalar arithmetic; so does a `memref.load`. The order in which a program states its
    loads then makes no difference.

    No load moves across a write to what it reads, across an ordered atomic, or across a loop. The loads of a loop body that move take at most 16
    registers of a thread together; larger ones stay where they are.

    ```mlir
    %a = cta.copy %A[%i, %k] …
    %b = cta.copy %B[%k, %j] …
    %p = cta.wgmma %a, %b …
    %s = cta.load %S[%k] …
    // becomes
    %a = cta.copy %A[%i, %k] …
    %b = cta.copy %B[%k, %j] …
    %s = cta.load %S[%k] …
    %p = cta.wgmma %a, %b …
    ```
  }];
}

def OrderTiles : CtaPass<"cta-order-tiles"> {
  let summary = "Order output tiles that do not take the same time";
  let description = [{
    Requires and ensures *placed*, before `cta-plan`, which chooses no rasterisation groups for a grid with an `order`. It looks at grids with one main loop whose
    number of iterations depends on the coordinates of the output tile, as the number of keys that a causal query sees does. If it grows, or
    falls, with one coordinate and depends on no other, that dimension becomes the slowest, from the longest output tiles to the shortest: a launch then ends with short
    ones, and its blocks end at about the same time. In all such grids blocks take output tiles from a queue (`dynamic`), as far as `cta-lower-grid` finds that they can.

    A kernel whose plan says `group`, `cluster`, `stream_k` or `replicate = blocks` keeps the order of its plan, and so does a grid whose blocks may wait for each other.

    ```mlir
    tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 128) { … scf.for %j = %c0 to min(%i + 128, %T) … }
    // becomes
    tile.grid (%b, %h, %i) = (0, 0, 0) to (%B, %H, %S) step (1, 1, 128) order = <slowest = 2, reverse, shared = 65536, dynamic> { … }
    ```
  }];
}

def Plan : CtaPass<"cta-plan"> {
  let summary = "Choose the entries that the kernel's plan leaves open";
  let description = [{
    Requires *placed* with decomposed ops (cta-decompose) and grids, not launches; ensures *planned*. It completes the kernel's `#cta.plan`;
    given entries are kept.

    A kernel whose main loops TMA or cp.async feeds is pipelined:

    * `persistent = 1`.
    * `producers`: one warp, if the math threads need no more registers than a thread has at entry. Otherwise it is a warpgroup, and
      `registers` of the roles are redistributed.
    * `stages` (2 to 5; 4 with cp.async) and `blocks_per_sm` (1 or 2): those for which the model predicts the fewest cycles, among those
      that fit. Products that wait for nothing but their operands get up to 12 slots in short iterations and in clusters.
    * `pending = 1` if products need each other's results through registers and `cta-rotate-loops` has the registers to run them
      concurrently with later iterations; and for products that wait for nothing but their operands, with five slots or more.
    * `cluster` (1, 2 or 4): for a single grid of products whose rows may lie off the cache lines, where L2 then limits an iteration.
    * `group`: by what blocks that run at the same time share. It is none, or the largest of 8, 12 and 16 rows (not 16 with ping-pong) that
      reads at most 3 % more from memory than the best one. A grid whose group is chosen here gets `cta.panel`, by which `cta-lower-grid`
      makes groups of fewer rows where the main loop is long.

    With `replicate = blocks` it is a producer warpgroup, 232 registers, `pending = 1` and up to 5 slots; a plan that does not fit is
    refused. All other kernels, and those for which no plan fits (a remark says why), get `stages = 0`, `producers = 0`, `persistent = 0`.
    Every pipelined grid gets the attribute `cta.prediction` (cycles, see `tessera/Plan/Model.h`). A plan that cannot work is an error with
    the numbers: registers (at entry, redistributed, of one product: C7602), shared memory (bytes), threads.

    ```mlir
    tile.kernel @gemm(…) attributes {plan = #cta.plan<stages = 3>, …}
    // becomes
    tile.kernel @gemm(…) attributes {plan = #cta.plan<replicate = split, warpgroups = 2, producers = 1, stages = 3, persistent = 1, group = 16,
      blocks_per_sm = 1, cluster = 1, registers = 0, pending = 0, epilogue = 0, stream_k = 0, least_group = 8>, …}
    ```
  }];
  let options = [Option<"derive", "derive", "bool", "true", "Choose the entries that plans leave open; else plans are what the kernel says.">];
}

def PredictCost : CtaPass<"cta-predict-cost"> {
  let summary = "Predict the time of a kernel as a function of its sizes";
  let description = [{
    Requires and ensures *planned*, with grids. Fires on members of a family only (`tile.member_of` and `tile.member`, which binding the
    parameters of a kernel sets), or with `all` on every kernel, but not on those that have a `tile.cost`. It ends the kernel's body with `tile.cost`: the nanoseconds that
    all grids take, one after the other. They become an expression of the launch contract, so they are computed from sizes and strides of arguments and
    `tile.num_cores` alone.

    * A pipelined grid takes what `cta.prediction` says: `launch + waves · (lines_round + iterations · i)` cycles, where `i` is the largest of `iteration`,
      `lines_alone`, and `lines` times the part of the SMs that have output tiles in that wave. Where at most two thirds of the SMs have an output tile,
      `few`, if there is one, replaces `iteration` and `lines_alone`: blocks on SMs of different TPCs get more of L2. In a last wave of at most one block an SM also `by_itself`, if
      the plan has room for several. The first `slots` iterations do not take `by_itself`: their loads are on their way together. `slots` is 0 where threads shift pieces into the slots, one slot
      after another; then parts of divided output tiles take as long by themselves as beside others. Or it takes what memory needs, for the bytes that the grid moves once, if that is more; and a fifth of the other, for which an iteration takes `working`, if there is one: without
      waiting for memory. The iterations are
      those of the main loop. With `stream_k` the iterations of the last wave are fewer, and each part of an output tile hands its partial
      sums on, one after the other, `sums` bytes through memory; in clusters, such an iteration takes `lines`, or `lines_one_row` where the grid has one
      row of output tiles along the cluster. `trimmed` has a number for each dimension of the grid: the cycles of `lines` for copies that leave
      out rows outside of the array along it, less where the tensor cores take about as long. As many of them are subtracted as the part of the rows that is outside, also from
      `lines_alone` where it is the same number as `lines`; those of `trimmed_one_row` from `lines_one_row`. Memory takes the bytes at the rate of all
      SMs, or, if that is longer, at the rate of an SM by itself for those that have an output tile.
    * In clusters the output tiles are those of all clusters, also of clusters that reach beyond the end of the grid: seven output tiles along
      clusters of two take as long as eight.
    * `whole_lines` has those of these numbers that may be different where the rows of all operands are whole cache lines apart, and
      `whole_lines_of` the arguments whose last sizes, or, with a strided layout, whose strides decide that. The launcher asks, unless `lines` is false.
    * Of another grid an SM takes its share of the output tiles one after the other. Each takes as long as the slowest of the instructions
      of its warpgroups, its bytes at the SM's share of the memory, and its latency, divided by the blocks that the registers admit.

    A loop with bounds that depend on coordinates of the grid counts the mean of its iterations in four output tiles, which lie in different quarters of each dimension. One that the launcher cannot compute counts
    64 iterations. A kernel with a grid whose bounds are read from memory gets no prediction.

    ```mlir
    tile.kernel @gemm_BM128_BN256(…) attributes {phase = #tile.phase<planned>, tile.member_of = "gemm", tile.member = "BM=128,BN=256"} {
      tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) attributes {cta.prediction = {launch = 5000, round = 2000, iteration = 512, …}} {…}
      // is added
      %places = arith.muli %cores, %blocks_per_sm : index
      %waves = arith.ceildivsi %output_tiles, %places : index
      …
      tile.cost %nanoseconds
      tile.return
    ```
  }];
  let options = [Option<"lines", "lines", "bool", "true",
                        "Let the launcher ask whether rows are whole cache lines apart, if that is not known.">,
                 Option<"all", "all", "bool", "false", "Predict the time of every kernel.">];
}

def HintCaches : CtaPass<"cta-hint-caches"> {
  let summary = "Set L2 cache hints of TMA copies and stores";
  let description = [{
    Requires and ensures *planned*. A `cta.copy_out` by TMA to an array that nothing in the kernel reads gets `cache = stream`. So does a
    `cta.copy` by TMA if no two blocks or iterations read the same elements and it reads whole cache lines of 128 bytes. A cache line that
    is read in two parts must stay in L2 until the second read.

    ```mlir
    cta.copy_out %s, %C[%i, %j] {mechanism = #cta.mechanism<tma>} : …
    // becomes
    cta.copy_out %s, %C[%i, %j] {cache = #tile.cache<stream>, mechanism = #cta.mechanism<tma>} : …
    ```

    Loads get conditional hints in a persistent grid of rank two, with rasterisation groups and one main loop, that reads nothing but tiles
    by TMA. Loads whose coordinates depend on the row get `cache = last`, those whose coordinates depend on the column `cache = first`. The
    condition is computed before the grid: the rows of a group (of as many as there will be) read at most 18 MiB, all columns read more than
    L2 holds, and a group has at least two waves of blocks. If the source IR has a `cache` for one of these loads, none of them is changed;
    `cache = no_alloc` on one keeps the default for all.

    ```mlir
    %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : …
    %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : …
    // becomes
    %a = cta.copy %A[%i, %k] cache_if = %keep {cache = #tile.cache<last>, mechanism = #cta.mechanism<tma>} : …
    %b = cta.copy %B[%k, %j] cache_if = %keep {cache = #tile.cache<first>, mechanism = #cta.mechanism<tma>} : …
    ```

    A hint that the source IR gives is kept.
  }];
}

#endif
