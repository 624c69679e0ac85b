// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_PLAN_PASSES
#define TESSERA_CTA_PLAN_PASSES

include "tessera/Dialect/Cta/PassBase.td"

def PlanReplicas : CtaPass<"cta-plan-replicas"> {
  let summary = "Choose ping-pong for matrix products whose epilogue computes";
  let description = [{
    Requires and ensures L0, behind everything that changes tiles or where they are loaded from, in front of `convert-tile-to-cta`, which places tiles for the warpgroups
    that share a point. A kernel without a plan and `warpgroups` gets `replicate = blocks, warpgroups = 2` (ping-pong: the epilogue of a point runs beside the products of
    the next one, see docs/design/Epilogues.md), and `cluster = 2` if its grid can run in clusters and an iteration is long enough for two blocks to wait for each other. `cta-split-epilogue` and `cta-plan` decide the rest.

    Each grid, but for those that copy operands (`tile.copies`), must have one loop with one product, whose operands TMA fetches and whose accumulators nothing else in the loop
    touches; behind it elementwise arithmetic on its tile, broadcasts, loads and stores by TMA, more than a conversion, and before it scalars only. The model (`tessera/Plan/Model.h`) says whether a warpgroup
    has the registers for a whole tile (96 to 192 accumulators a thread; with fewer, blocks beside it on the SM hide the epilogue), an SM the shared memory for four stages and two parts of what each
    warpgroup stages, and, where the text has the number, whether there are two points for each warpgroup.

    ```mlir
    tile.kernel @gemm(…) {                         // 128x192 sums, bias
    // becomes
    tile.kernel @gemm(…) attributes {plan = #cta.plan<replicate = blocks, warpgroups = 2, cluster = 2>} {
    ```

    With `remarks` it says why not.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false", "Say why a kernel is left as it is.">];
}

def SplitEpilogue : CtaPass<"cta-split-epilogue"> {
  let summary = "Cut the epilogue of a matrix product into subtiles of some columns";
  let description = [{
    Requires and ensures *placed*, before `cta-decompose`. With `epilogue = n` in the kernel's plan a store of accumulators, by TMA or by threads, and the arithmetic, loads and conversions
    that lead to it in its block, are done for n columns after the other: fewer values live at a time, staged tiles and scratch are smaller, and the first columns
    are on their way while the others are computed. Slices of accumulators are other names for registers. Stores of memory that does not overlap, with nothing in between that
    could see it, are split together. A store stays whole if n does not divide its columns; a tile that is loaded from memory that is written in between is loaded as a whole.
    Of stores by TMA, what a part loads by threads in few registers (a bias) is loaded before the part in front of it, that of the first part before the loop with the products.

    With `derive` a plan that says nothing gets `epilogue = 64` if what leads to a store of more columns loads tiles, evaluates functions or has a scalar that is no constant,
    32 if threads make all such stores; else 0. That keeps the accumulators and the operands of such an epilogue within the registers of a thread.
    Less, 64 or 32 (16 if nothing is pipelined otherwise), where products in front of the store would wait for slots that its staged tiles leave no room for (a result of f32; long iterations): that is tried on a copy of the kernel.

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

def Decompose : CtaPass<"cta-decompose"> {
  let summary = "Turn layout conversions, reductions and shape ops into register moves, shuffles and explicit scratch";
  let description = [{
    Requires and ensures *placed*. Afterwards every `cta.convert_layout` has its `how` (nothing, register moves, cheap shuffles), every `cta.reshape` is the same
    registers under another shape, and every `cta.reduce` stays within warps; there is no `cta.slice` and `cta.concat`. The rest goes
    through scratch: `cta.stage`, `cta.view`, `cta.read` of linear tiles, padded where that avoids bank conflicts. A reduction across warps becomes
    a partial one, a stage, a read with the parts in registers, and the reduction of these. A `how` that the text has is kept, if it is possible.

    ```mlir
    %b = cta.convert_layout %a : tensor<64x64xf32, #acc> -> tensor<64x64xf32, #rows>
    // becomes
    %s = cta.stage %a : tensor<64x64xf32, #acc> -> !cta.smem<64x64xf32, #cta.swizzle<linear, pad = 32>>
    %b = cta.read %s : !cta.smem<64x64xf32, #cta.swizzle<linear, pad = 32>> -> tensor<64x64xf32, #rows>
    ```
  }];
}

def Plan : CtaPass<"cta-plan"> {
  let summary = "Decide what the kernel's plan leaves open";
  let description = [{
    Requires *placed*, decomposed (cta-decompose), with grids, not yet launches; ensures *planned*. It fills in the kernel's `#cta.plan`; what the plan says is kept.

    A kernel with products in a loop that TMA feeds is pipelined: `persistent = 1`, one producing warp if the math registers fit what a thread enters with, else a
    producing warpgroup and `registers` dealt anew; 2 to 5 `stages` (4 with cp.async), one or two blocks on an SM, whatever the model predicts to be fastest among what fits; `pending = 1` where products
    need each other's results through registers and `cta-rotate-loops` has the registers to run them beside later iterations;
    `group` by what blocks that run together share: none, or the most of 8, 12 and 16 rows (16 not where warpgroups take turns) that need
    at most 3 % more of the memory than the best; a grid whose group it has chosen gets `cta.panel`, by which `cta-lower-grid` makes groups less high where the loop is long. With
    `replicate = blocks` it is a producing warpgroup and 232 registers, `pending = 1` and up to 5 stages, and a plan that does not fit is refused. Any other kernel, and one that nothing fits (a remark says why), gets `stages = 0`, `producers = 0`, `persistent = 0`. Every pipelined grid gets the attribute
    `cta.prediction` (cycles, see `tessera/Plan/Model.h`). A plan that cannot work is an error with the numbers: registers (at entry, dealt, of one
    product: C7602), shared memory, threads.

    ```mlir
    tile.kernel @gemm(…) attributes {plan = #cta.plan<stages = 3>, …}
    // becomes
    tile.kernel @gemm(…) attributes {plan = #cta.plan<replicate = split, warpgroups = 2, producers = 1, stages = 3, persistent = 1, group = 16,
      blocks_per_sm = 1, cluster = 1, registers = 0, pending = 0, epilogue = 0, overlap = 0, stream_k = 0, least_group = 8>, …}
    ```
  }];
  let options = [Option<"derive", "derive", "bool", "true", "Decide what plans leave open; else they are what the kernel says.">];
}

def HintCaches : CtaPass<"cta-hint-caches"> {
  let summary = "Say what the L2 cache keeps and what passes through it";
  let description = [{
    Requires and ensures *planned*. A `cta.copy_out` by TMA to an array that nothing in the kernel reads gets `cache = stream`, and so does a
    `cta.copy` by TMA of which no two blocks or iterations read the same elements, in whole lines of 128 bytes: lines that are read in two parts must stay until the second.

    ```mlir
    cta.copy_out %s, %C[%i, %j] {mechanism = #cta.mechanism<tma>} : …
    // becomes
    cta.copy_out %s, %C[%i, %j] {cache = #tile.cache<stream>, mechanism = #cta.mechanism<tma>} : …
    ```

    Of a persistent grid of rank two in groups of rows, with one loop over products, which reads nothing but tiles by TMA: those whose coordinates depend on the row get `cache = last`, those that
    depend on the column `cache = first`, on a condition computed in front of the grid: the rows of a group (as many as there will be) read at most 18 MiB, all columns more than L2 holds, and a group
    has at least two waves of blocks. If the text has a `cache` for one of these loads, they stay as they are: `cache = no_alloc` on one is the default for all.

    ```mlir
    %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : …
    %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : …
    // becomes
    %a = cta.copy %A[%i, %k] cache_if = %keep {cache = #tile.cache<last>, mechanism = #cta.mechanism<tma>} : …
    %b = cta.copy %B[%k, %j] cache_if = %keep {cache = #tile.cache<first>, mechanism = #cta.mechanism<tma>} : …
    ```

    A hint that the text gives stays as it is.
  }];
}

#endif
