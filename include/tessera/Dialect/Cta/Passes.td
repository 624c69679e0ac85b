// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_PASSES
#define TESSERA_CTA_PASSES

include "mlir/Pass/PassBase.td"

class CtaPass<string flag> : Pass<flag, "tile::KernelOp"> {
  let dependentDialects = ["::tessera::cta::CtaDialect", "::tessera::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def PlanReplicas : CtaPass<"cta-plan-replicas"> {
  let summary = "Products with an epilogue that computes: two warpgroups, each with points of its own";
  let description = [{
    Requires and ensures L0, behind everything that changes tiles or where they are loaded from, in front of `convert-tile-to-cta`, which places tiles for the warpgroups
    that share a point. A kernel without a plan and `warpgroups` gets `replicate = blocks, warpgroups = 2` (ping-pong: the epilogue of a point runs beside the products of
    the next one, see docs/design/Epilogues.md), and `cluster = 2` if its grid can run in clusters and an iteration is long enough for two blocks to wait for each other. `cta-split-epilogue` and `cta-plan` decide the rest.

    Each grid, but for those that copy operands (`tile.copies`), must have one loop with one product, whose operands TMA fetches and whose accumulators nothing else in the loop
    touches; behind it elementwise arithmetic on its tile, broadcasts, loads and stores by TMA, more than a conversion, and before it scalars only. The model (`PlanModel.h`) says whether a warpgroup
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

def ConvertTileToCta : CtaPass<"convert-tile-to-cta"> {
  let summary = "L0 to cta ops on unencoded tensors";
  let description = [{
    Requires L0 (`tile-verify` clean, helpers inlined). Ensures *raw*. Named reductions become general ones; operands of products are
    staged (`cta.stage` to `#cta.swizzle<?>`) where they are made, so that one from outside a loop is staged once; products are `cta.mma`.

    `warpgroups` is chosen unless the kernel or its plan gives it. With products for the tensor cores: the largest of 1, 2, 3 that splits the rows of all of them into
    64s, if possible such that no thread has more than 128 accumulator registers of one product. Without: 1, 2 or 4, so that a thread has at most 32 elements of the
    largest tile (64 if all warps must meet to reduce it), or 4.
  }];
}

def FormWgmma : CtaPass<"cta-form-wgmma"> {
  let summary = "Products that the tensor cores can do become cta.wgmma";
  let description = [{
    Requires and ensures *raw*. Replaces `cta.mma` by `cta.wgmma` where types and extents allow it, inserts converts only (without an encoding: there the
    layout may change), and keeps `a` in registers where it is computed from the result of a product: shared memory would be a detour. What stays a `cta.mma` gets
    `why`; with `require = [wgmma]` on it or on the kernel that is an error.
  }];
}

def AssignLayouts : CtaPass<"cta-assign-layouts"> {
  let summary = "Give every tensor a register layout";
  let description = [{
    Requires *raw*; afterwards every tensor has a `#cta.frag`. Hard anchors are products, then accesses to memory (coalesced) and reductions; layouts
    propagate through elementwise ops, loops and shape ops; where two meet, the cheapest conversion is inserted.
  }];
}

def SwizzleShared : CtaPass<"cta-swizzle-shared"> {
  let summary = "Choose the layout of every shared tile";
  let description = [{
    Replaces `#cta.swizzle<?>`. Operands of `cta.wgmma` lie as their source does in memory (seen through arithmetic), else as a thread has neighbours, else
    K-major; in the widest swizzle that divides the contiguous extent. Operands of `cta.mma` are linear, padded by what makes the product's reads meet the fewest bank
    conflicts (counted).
  }];
}

def SelectCopies : CtaPass<"cta-select-copies"> {
  let summary = "Choose how data moves between global memory, shared memory and registers";
  let description = [{
    Ensures *placed*. `cta.stage` of a `cta.load` becomes a `cta.copy` by TMA when the facts of the variant make it legal, else by cp.async when they
    make pieces of 4, 8 or 16 bytes legal that are no narrower than vectors of registers would be; a `cta.store` becomes
    `cta.stage` and `cta.copy_out` if it stores an accumulator's layout (looking through a conversion), at most 128 KiB; what remains gets its `vector` width. The rules are in
    `tessera/Dialect/Cta/CopyRules.h`. A coordinate of a load by TMA that may need more than 32 bits is replaced where it does by one that lies outside, too. Every decision against a better mechanism is in `why`; with `require = [tma]` it is an error.
  }];
}

def ConvertCtaToTile : CtaPass<"convert-cta-to-tile"> {
  let summary = "Erase placement: back to L0";
  let description = [{
    Requires *raw*, *placed* or *scheduled*; ensures L0. Every op becomes the L0 op it stands for (`EraseOpInterface`), layouts, shared memory, mechanisms, `phase` and
    `warpgroups` vanish, demands (`require`) and hints with them. A `cta.launch` becomes a grid over its blocks, steps are inlined, a `cta.wait` sees the
    tiles of the commit with its number, which must be known from the text: both in one block, or carried from one iteration to the next. What runs on the CPU afterwards is what the placed kernel means: a test of the passes that
    placed it.
  }];
}

def CtaVerify : Pass<"cta-verify", "tile::KernelOp"> {
  let summary = "Check the invariant of the kernel's phase";
  let description = "Changes nothing. L0 kernels pass untouched.";
}

def Decompose : CtaPass<"cta-decompose"> {
  let summary = "Layout conversions, reductions and shape ops become register moves, shuffles and scratch";
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
    Requires and ensures *placed*; grids, not yet launches. It fills in the kernel's `#cta.plan`; what the plan says is kept.

    A kernel with products in a loop that TMA feeds is pipelined: `persistent = 1`, one producing warp if the math registers fit what a thread enters with, else a
    producing warpgroup and `registers` dealt anew; 2 to 5 `stages` (4 with cp.async), one or two blocks on an SM, whatever the model predicts to be fastest among what fits; `pending = 1` where products
    need each other's results through registers and `cta-rotate-loops` has the registers to run them beside later iterations;
    `group` by what blocks that run together share: none, or the most of 8, 12 and 16 rows (16 not where warpgroups take turns) that need
    at most 3 % more of the memory than the best; a grid whose group it has chosen gets `cta.panel`, by which `cta-lower-grid` makes groups less high where the loop is long. With
    `replicate = blocks` it is a producing warpgroup and 232 registers, `pending = 1` and up to 5 stages, and a plan that does not fit is refused. Any other kernel, and one that nothing fits (a remark says why), gets `stages = 0`, `producers = 0`, `persistent = 0`. Every pipelined grid gets the attribute
    `cta.prediction` (cycles, see `tessera/Dialect/Cta/PlanModel.h`). A plan that cannot work is an error with the numbers: registers (at entry, dealt, of one
    product: C7602), shared memory, threads.

    ```mlir
    tile.kernel @gemm(…) attributes {plan = #cta.plan<stages = 3>, …}
    // becomes
    tile.kernel @gemm(…) attributes {plan = #cta.plan<replicate = split, warpgroups = 2, producers = 1, stages = 3, persistent = 1, group = 16,
      blocks_per_sm = 1, cluster = 1, registers = 0, pending = 0, epilogue = 0, overlap = 0, stream_k = 0, least_group = 8>, …}
    ```
  }];
}

def DropVariants : Pass<"cta-drop-variants", "mlir::ModuleOp"> {
  let summary = "Drop variants whose plans do not differ";
  let description = [{
    Requires and ensures what there is: planned kernels, of any phase. The variant `lines` of a kernel, which assumes more than its variant `aligned`, is erased if both
    have the same plan and `aligned` takes all launches that it would take: its guards are among those of `lines`.

    ```mlir
    tile.kernel @gemm_lines(…) attributes {variant = "lines", variant_of = "gemm", plan = #cta.plan<…, cluster = 1, …>} {…}
    tile.kernel @gemm_aligned(…) attributes {variant = "aligned", variant_of = "gemm", plan = #cta.plan<…, cluster = 1, …>} {…}
    // becomes
    tile.kernel @gemm_aligned(…) attributes {variant = "aligned", variant_of = "gemm", plan = #cta.plan<…, cluster = 1, …>} {…}
    ```
  }];
}

def HintCaches : CtaPass<"cta-hint-caches"> {
  let summary = "What moves once goes through the L2 cache without driving others out; what the next wave reads stays";
  let description = [{
    Requires and ensures *placed*; planned grids, not yet launches. A `cta.copy_out` by TMA to an array that nothing in the kernel reads gets `cache = stream`, and so does a
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

def LowerGrid : CtaPass<"cta-lower-grid"> {
  let summary = "Grids become launches over a linear block number";
  let description = [{
    Requires and ensures *placed*. Each `tile.grid` becomes a `cta.launch` with the symbol `<kernel>_<number of the grid>`. The numbers of blocks, ceil((upper - lower) / step)
    and at least 0, are computed before it in the kernel's body; inside, the coordinates follow from `cta.block_id`, the last dimension fastest. With
    `order = <group = g>`, or without an order and with `group = g` in the kernel's plan, blocks go down g rows of the first dimension before they move
    to the next column. The arithmetic on block numbers is i32: a launch has less than 2³¹ blocks.

    With `persistent = 1` in the plan the launch has at most `tile.num_cores` times `blocks_per_sm` (1) blocks, and the body is in a loop over the numbers
    of the points of the grid, in the same order. Clusters are no more than `cta.max_clusters` either; points
    that they leave over along their dimension are clusters along another of the last two, with the last numbers, if these are fewer (docs/design/Clusters.md, *The remainder*). A grid of rank 0 stays as it is. What `t + blocks < 2³¹` needs of the number of points is a `tile.assume`.

    With the option `dependent` launches are `dependent`: each may begin before the one in front of it in the stream has ended.

    ```mlir
    tile.grid (%i) = (0) to (%n) step (128) { … }
    // becomes
    %blocks = …                       // max(0, ceildiv(%n, 128))
    cta.launch @k_0 blocks(%blocks) {
      %b = cta.block_id : index
      %i = …                          // 128 * %b
      …
    }
    // or, persistent:
    %ctas = …                          // min(%blocks, num_cores * blocks_per_sm)
    cta.launch @k_0 blocks(%ctas) {
      %b = cta.block_id : index
      %n = cta.num_blocks : index
      scf.for %t = %b to %blocks step %n : i32 {
        %i = …                        // 128 * %t
        …
      } {tile.disjoint}
    }
    ```
  }];
  let options = [Option<"dependent", "dependent", "bool", "false", "Make launches that may begin before the one in front of them has ended.">];
}

def StreamK : CtaPass<"cta-stream-k"> {
  let summary = "The last points of a persistent launch by iterations instead of points";
  let description = [{
    Requires and ensures *placed*, lowered grids. With `stream_k = m` in the kernel's plan the points that would fill the last round of a persistent launch only in part are dealt
    out to all blocks by their iterations, in parts of at least m of the same length, if that spares at least m iterations. A block computes the end of one point, whose sums it
    leaves in workspace (`cta.put_partial`), then the beginning of another, adds the sums of the blocks that have the rest (`cta.add_partial`) and does the epilogue. What is
    divided is decided when the launch begins, from sizes and the number of cores. Results do not depend on how fast blocks are.

    ```mlir
    scf.for %t = %id to %points step %n : i32 {
      …
      %acc = scf.for %k = %lb to %ub step %s iter_args(%c = %zero) { … }
      …                                                          // epilogue
    } {tile.disjoint}
    // becomes
    scf.for %item = 0 to %items step 1 : i32 {
      %t, %from, %count = …                                      // of a whole point: 0 and all
      %acc = scf.for %k = %lb + %from * %s to min(%ub, %lb + (%from + %count) * %s) step %s iter_args(%c = %zero) { … }
      scf.if %from == 0 {
        %sum = scf.for %i = 1 to %others + 1 step 1 iter_args(%x = %acc) {
          cta.add_partial %x, %slots[%block - %i], %flags
        }
        …                                                        // epilogue
      } else {
        cta.put_partial %acc, %slots[%block], %flags
      }
    } {tile.disjoint}
    ```

    It is an error if a point has no single loop over products, if that carries anything but sums of products that begin with 0, if it stores, if something is
    stored before it, or if its bounds depend on the point.
  }];
}

def FetchAhead : CtaPass<"cta-fetch-ahead"> {
  let summary = "Tiles that no channel brings are fetched before the one in front is read";
  let description = [{
    Requires *placed* or *specialized*, lowered grids and channels; ensures what it found. Where several `cta.copy` by TMA without a slot follow each other in a block (parts of a
    residual in the epilogue of warpgroups that take turns), up to three are under way beside the one that is awaited: each moves, with its scalar arithmetic, to where the
    third, second or first before it is needed; as far as the shared memory lets as many blocks share an SM as before, with each stored tile kept until the next
    store. No copy passes a loop, or a write to what it reads.

    ```mlir
    %r0 = cta.copy %R[%i, %j] …
    %0 = cta.read %r0 …
    cta.copy_out …
    %r1 = cta.copy %R[%i, %j1] …
    %1 = cta.read %r1 …
    // becomes
    %r0 = cta.copy %R[%i, %j] …
    %r1 = cta.copy %R[%i, %j1] …
    %0 = cta.read %r0 …
    cta.copy_out …
    %1 = cta.read %r1 …
    ```
  }];
}

def AllocateShared : CtaPass<"cta-allocate-shared"> {
  let summary = "Give shared tiles offsets and copies mbarriers";
  let description = [{
    Requires *placed*, lowered grids and decomposed ops; ensures *allocated*. Tiles that live at the same time get different bytes (`offset` on `cta.stage`
    and `cta.copy`; offsets that the text has are kept), aligned as their swizzle wants; `shared` of the launch is the sum. Copies by TMA with no use
    between them share an `mbarrier`. Tiles that nobody uses disappear. A block that needs more than 227 KiB is an error with the map.

    ```mlir
    %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>, mbarrier = 0, offset = 0} : …
    %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>, mbarrier = 0, offset = 16384} : …
    ```
  }];
}

def InsertBarriers : CtaPass<"cta-insert-barriers"> {
  let summary = "Barriers, fences and waits where one thread's access must follow another's";
  let description = [{
    Requires and ensures *allocated*. Inserts `cta.barrier`, `cta.fence_async`, `cta.await`, `cta.await_copies` and `cta.await_stores` where an access must follow another of
    the same bytes of shared memory, or of the same global memory if the launch writes it. The table of hazards is at the head of `InsertBarriers.cpp`. A data
    flow over `scf.for`, `if`, `while` and `index_switch`, through back edges. An await stands in the block of its copies, before the first op that
    needs one. Boxes of global memory that are provably disjoint (also between the iterations of a loop) and accesses in one layout need nothing. What the text
    has already is counted in.

    ```mlir
    scf.for … {
      cta.barrier                       // other warps have read the last tiles
      %a = cta.copy %A[…] {…, mbarrier = 0} : …
      %b = cta.copy %B[…] {…, mbarrier = 0} : …
      cta.await 0
      %d = cta.wgmma %a, %b, %c : …
    }
    ```
  }];
}

def AssignRegisters : CtaPass<"cta-assign-registers"> {
  let summary = "Threads and the register budget of each launch";
  let description = [{
    Requires and ensures *allocated*. Sets `threads` (128 a warpgroup), `max_registers` (what the threads of an SM have each when the
    block starts) and, for launches with tensor-core products whose accumulators and shared memory allow it, `min_blocks = 2`. A
    product whose accumulators and register operands cannot fit beside 26 other registers is an error with the sum by source line. `max_registers` and
    `min_blocks` of the text are kept.
  }];
}

//===--- asynchrony: docs/design/Overview.md ---===//

def SplitEpilogue : CtaPass<"cta-split-epilogue"> {
  let summary = "The code between a product and its store, some columns at a time";
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

include "tessera/Dialect/Cta/AsyncPasses.td"

#endif
