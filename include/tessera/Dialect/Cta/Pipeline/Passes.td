// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_PIPELINE_PASSES
#define TESSERA_CTA_PIPELINE_PASSES

include "tessera/Dialect/Cta/PassBase.td"

def LowerGrid : CtaPass<"cta-lower-grid"> {
  let summary = "Turn grids into launches: persistent loops, clusters, the order of output tiles";
  let description = [{
    Requires and ensures *planned*. Each `tile.grid` becomes a `cta.launch` with the symbol `<kernel>_<number of the grid>`. The numbers of
    blocks, ceil((upper - lower) / step) and at least 0, are computed before it in the kernel's body. Inside the launch the coordinates
    follow from `cta.block_id`, the last dimension fastest. With `order = <group = g>` on the grid, or with `group = g` in the kernel's plan
    where the grid has no order, output tiles are numbered in rasterisation groups: down g rows of the first dimension, then the next
    column. The arithmetic on block numbers is i32, because a launch has less than 2³¹ blocks.

    With `persistent = 1` in the plan the launch has `tile.num_cores` times `blocks_per_sm` (default 1) blocks, or none if there are no output
    tiles. If launches are not dependent and the last wave is not divided, it has no more blocks than output tiles. The body is in a loop over
    the numbers of the grid's output tiles, in the same order. There are at most `cta.max_clusters` clusters. Clusters may leave a
    remainder of output tiles along their dimension. If that takes fewer clusters, the remainder is covered by clusters along another one of
    the last two dimensions, which come behind those of the same columns (docs/design/Clusters.md, *The remainder*). A grid of rank 0 stays as it is. The
    loop needs `t + blocks < 2³¹`; a `tile.assume` on the number of output tiles says so.

    The blocks of a persistent launch that is dependent begin with the numbers of a permutation, by which few output tiles are on as many TPCs
    as possible (docs/design/Launches.md, *Few output tiles*). They do not with `spread = 0` in the plan, with clusters, a queue, a divided
    last wave or `cta.persistent`, where blocks wait for others, and on a machine whose TPCs do not have two SMs.

    A grid with `cta.persistent = n` is persistent with n blocks on an SM, whatever the plan says. A `cta.table` of a grid whose coordinates
    come from outside of it is made once, before the loop over output tiles, and flushed after the loop.

    With the option `dependent` launches are `dependent`: each may begin before the launch before it in the stream has ended.

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
    %ctas = …                          // num_cores * blocks_per_sm
    cta.launch @k_0 blocks(%ctas) {
      %b = …                          // cta.block_id, or a permutation
      %n = cta.num_blocks : index
      cta.for_output_tiles %t = %b to %blocks step %n : i32 {
        %i = …                        // 128 * %t
        …
      }
    }
    ```
  }];
  let options = [Option<"dependent", "dependent", "bool", "false", "Make dependent launches, which may begin before the launch before them has ended.">];
}

def StreamK : CtaPass<"cta-stream-k"> {
  let summary = "Divide the last wave of a persistent launch by iterations (stream-K)";
  let description = [{
    Requires and ensures *planned*, with lowered grids. It takes effect with `stream_k = m` in the kernel's plan. The output tiles that
    would fill the last wave of a persistent launch only in part are divided among all blocks by iterations of the main loop. Parts have
    at least m iterations, but for the last one of an output tile, and the division is made only if it saves at least m iterations.

    * If at most half of a wave is left, each output tile is cut into up to eight equal parts (split K).
    * If it is more, and the grid has one row or one column of output tiles and no clusters, their iterations are put in one sequence,
      which is cut into equal parts (stream-K). A block then computes the end of one output tile and the beginning of the next one.
    * If it is more otherwise, nothing is divided.

    The block with the first iterations of an output tile adds the partial sums of the others (`cta.add_partial`), which have left them in
    workspace (`cta.put_partial`), and does the epilogue. The division is decided when the launch begins, from sizes and the number of
    cores. Results do not depend on the speed of blocks.

    ```mlir
    cta.for_output_tiles %t = %id to %tiles step %n : i32 {
      …
      %acc = scf.for %k = %lb to %ub step %s iter_args(%c = %zero) { … }
      …                                                          // epilogue
    }
    // becomes
    cta.for_output_tiles %item = 0 to %items step 1 : i32 {
      %t, %from, %count = …                                      // of a whole output tile: 0 and all
      %acc = scf.for %k = %lb + %from * %s to min(%ub, %lb + (%from + %count) * %s) step %s iter_args(%c = %zero) { … }
      scf.if %from == 0 {
        %sum = scf.for %i = 1 to %others + 1 step 1 iter_args(%x = %acc) {
          cta.add_partial %x, %slots[%block - %i], %flags
        }
        …                                                        // epilogue
      } else {
        cta.put_partial %acc, %slots[%block], %flags
      }
    }
    ```

    It is an error if an output tile does not have exactly one main loop; if that loop carries anything but accumulators that begin with 0;
    if the loop stores; if something is stored before the loop; or if its bounds depend on the output tile.
  }];
}

def PipelineCopies : CtaPass<"cta-pipeline-copies"> {
  let summary = "Make loads in loops producers of channels";
  let description = [{
    Requires *planned* with lowered grids; ensures *scheduled*. Every `cta.copy` inside a loop, by TMA or cp.async, becomes the producer's
    side of a channel of open depth. Its readers get the tile from the consumer's side, which releases the slot after the last of them.
    Copies of one block share a channel if they have the same first and last reader and the same mechanism. With `stages = 0` in the
    kernel's plan only the phase changes.

    In a launch with `cluster = c` a copy by TMA gets `multicast = c` if its coordinates are the same in all blocks of a cluster. If they
    are the same only on one side of a select, it gets `multicast_if` too.

    These copies stay as they are, and their `why` gives the reason: a copy whose coordinates, or whose loop's bounds, depend on tiles,
    unless it is an index tile that the threads that copy can compute for themselves, from memory that the launch does not write; a copy of
    memory that the launch writes (a load never moves above a store that may alias it); a copy whose tile leaves its block; a copy by
    cp.async, unless all threads (`producers = 0`) or a producer warpgroup (`producers = 4`) can make it.

    ```mlir
    %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : …
    %d = cta.wgmma %a, %b, %c : …
    // becomes
    %p = cta.acquire %ch : …
    %a0 = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : …
    cta.commit %ch, %p (%a0) : …
    %q, %a = cta.wait %ch : …
    %d = cta.wgmma %a, %b, %c : …
    cta.release %ch, %q : …
    ```
  }];
}

def DeferSums : CtaPass<"cta-defer-sums"> {
  let summary = "Move the shuffles of row reductions out of the main loop";
  let description = [{
    Requires and ensures *scheduled*. It considers a loop that waits for slots and carries a sum along a dimension that several lanes of a
    warp hold. The sum starts from zero, each iteration adds to it or scales it by a factor that all lanes have, and nothing else in the
    loop reads it. Such a loop carries instead the sum of each lane's own elements, and the shuffles come after the loop. The summed tile is
    reshaped in the same registers, so that the lanes have dimensions of their own. The pass requires `reassoc` of the kernel, a layout in
    which each bit moves one bit of a coordinate, and no warp bits along the dimension.

    ```mlir
    %l = scf.for … iter_args(%l0 = %zero) -> tensor<128xf32, #rows> {
      %part = cta.reduce (%p) dims = [1] init(%z) { … addf … } : tensor<128x128xf32, #acc> -> tensor<128xf32, #rows>
      %l1 = math.fma %l0, %a, %part
    // becomes
    %lanes = scf.for … iter_args(%l0 = %zeros) -> tensor<128x4xf32, #lanes> {
      %q = cta.reshape %p : tensor<128x128xf32, #acc> -> tensor<128x16x4x2xf32, #split>
      %part = cta.reduce (%q) dims = [1, 3] init(%z) { … } : tensor<128x16x4x2xf32, #split> -> tensor<128x4xf32, #lanes>
      %as = cta.broadcast %a dims = [0]
      %l1 = math.fma %l0, %as, %part
    }
    %l = cta.reduce (%lanes) dims = [1] init(%z) { … } : tensor<128x4xf32, #lanes> -> tensor<128xf32, #rows>
    ```
  }];
}

def PeelMasks : CtaPass<"cta-peel-masks"> {
  let summary = "Peel the iterations that need masks off the others";
  let description = [{
    Requires and ensures *scheduled*. In a loop that waits for slots, a mask is a comparison (`slt`, `sle`, `sgt`, `sge` on i32) of
    coordinates with a bound. The coordinates are computed from the induction variable and a `cta.iota`; the bound does not change (a
    scalar, coordinates, a constant). The comparison holds for all elements until the greatest coordinate reaches the least bound. The loop
    is cut there. The first part has no masks. The second part (`cta.rest`) has the original masks; it has few iterations, if any, and
    `cta-schedule` gives it one stage. The step of the loop must be a positive constant. Coordinates below 0 could wrap: a lower bound that is
    a negative constant is refused, and one that turns out to be negative leaves no iterations to the first part.

    No loop is cut with `replicate = blocks` in the kernel's plan.

    Between two loops products in flight would come to an end. So a loop whose chained products the plan keeps in flight (`pending` above 0) may stay
    whole, if masks serve nothing but selects. There a branch selects (`scf.if`, marked `cta.rest`), which only the iterations of the rest take. If it
    is marked `cta.cut`, too, `cta-cut-rest` cuts the loop behind the rotation. *Short* arithmetic takes at most one and a half times as long as the
    tensor cores. A rest is *shared* if its first iteration does not depend on the output tile.

    | arithmetic | rest shared | rest of each output tile, masks at the end only | masks at the begin, too |
    |---|---|---|---|
    | short | `cta.rest`, `cta.cut` | `cta.rest` | `cta.rest` |
    | long | cut here | `cta.rest`, `cta.cut` | cut here |

    A copy with `require = [peeled]` is an error if a mask remains in all iterations of the loop around it: a comparison of coordinates that
    change with the iteration, in another form, or in a loop that is not cut. The bounds of the copy itself do not count, because TMA checks
    them.

    ```mlir
    %r = scf.for %j = %c0 to %T step %c128 iter_args(%o = %init) {
      …
      %key = cta.iota dim = 1 from %j32
      %exists = arith.cmpi slt, %key, %keys        // %keys: %T in all elements
      %s = arith.select %exists, %qk, %never
      …
    }
    // becomes
    %full = min(%T, %T - 127), rounded up to a multiple of 128
    %m = scf.for %j = %c0 to min(%T, %T - 127) step %c128 iter_args(%o = %init) { … }   // %qk instead of %s
    %r = scf.for %j = %full to %T step %c128 iter_args(%o = %m) { … } {cta.rest}        // as it was
    ```
  }];
}

def MergeMasks : CtaPass<"cta-merge-masks"> {
  let summary = "Compare coordinates with one bound instead of two";
  let description = [{
    Requires and ensures *scheduled*. A tile may be compared with two bounds from the same side. The conjunction becomes one comparison, with the lesser upper or
    the greater lower bound. That pays where the bounds are cheap: elements of both must be the same along one dimension, so that there is at most one for
    each row. Of `<` and `<=` the latter becomes `<`, by an addition of one that leaves the greatest number as it is. So the result is the same for all
    numbers. Comparisons that something else needs stay. The pass runs behind `cta-peel-masks`, which looks for single masks.

    ```mlir
    %exists = arith.cmpi slt, %key, %keys
    %before = arith.cmpi sle, %key, %own
    %seen = arith.andi %exists, %before
    // becomes
    %next = arith.addi %own, %ones
    %behind = arith.maxsi %own, %next
    %end = arith.minsi %keys, %behind
    %seen = arith.cmpi slt, %key, %end
    ```
  }];
}

def Schedule : CtaPass<"cta-schedule"> {
  let summary = "Solve the modulo schedule of each loop and choose the depth of channels";
  let description = [{
    Requires and ensures *scheduled*. Each loop with bounds whose body waits for slots becomes a problem of modulo scheduling for one warpgroup
    (`lib/Schedule`), inner loops first. An inner loop whose number of iterations the IR does not give counts as 64 iterations. The
    operations of the problem are loads (acquire to commit), matrix products, conditions, inner loops, ops with effects, and the arithmetic
    between them. Arithmetic is cut where its inputs, its users or its unit change. Costs follow from shapes, layouts and the machine table.
    With `pending` in the plan, products may stay in flight, and an iteration may reach into the next one.

    Channels of open depth get one. docs/design/Channels.md, *The depth*, says whether the plan or the schedule decides it, and how shared
    memory is dealt out. A given depth that does not fit is an error, which gives the sum.

    The result is recorded on the loop. Two of its entries are used later, by `cta-rotate-loops`: `products`, the stage of each product in
    program order, and `order`, the position of each product in the pipelined loop (only where earlier stages do not come first). The others
    are for the report:

    ```mlir
    scf.for … { … } {cta.modulo_schedule = {bound = "tensor", bounds = {tensor = 1024 : i64, …}, ii = 1024 : i64, products = array<i64: 0>}}
    ```

    Remarks of the category `cta-schedule` (`--remark-format=emitRemark --remarks-filter=cta-schedule`) give the II, what limits it, the
    depths, and depths that were wanted but did not fit.

    A loop that consists of `cta.step`s keeps them. It is an error if the stage of a step lets it run before a value that it needs.
  }];
  let options = [
    Option<"printProblems", "print-problems", "bool", "false", "print each loop's problem and schedule, in the text format of lib/Schedule">];
}

def RotateLoops : CtaPass<"cta-rotate-loops"> {
  let summary = "Run matrix products concurrently with later iterations";
  let description = [{
    Requires and ensures *scheduled*. With `pending` above 0 in the kernel's plan, loops whose products have different stages are
    software-pipelined. The stages are those of the loop's schedule (`products` of its `cta.modulo_schedule`). Without a schedule, the stage of a
    product is the number of products on which its `a` (in registers) depends, one after the other. If n is the greatest stage, an iteration
    of the new loop runs stage 0 of iteration k, stage 1 of k - 1, …, and stage n of k - n. Products that need no other product of the same
    new iteration are issued together, in the `order` of the schedule, or earlier stages first. The ops between products are computed while
    those are in flight. Every other op has the stage of its inputs, or a later one if only that stage needs it and the loop then carries
    fewer registers. The loop carries the values that later stages need. The first iterations' early stages are before the loop, the last
    iterations' late stages after it. With fewer than n iterations the original loop runs. A slot is released when the products that read it
    have retired.

    The last wait of an iteration stands at its end. If the iteration has a branch, and the products that are still in flight behind it take at
    most 1.6 times as long as the arithmetic up to it, the wait stands behind the branch, and a small tile from which all that follows is
    computed passes through it.

    The loop gets as many stages as fit. The registers of all tiles that live across a product, and 26 others, must not exceed what a thread
    has (`registers` of the plan, or the registers at entry). The loop stays as it is, with a remark of the category `cta-rotate-loops` that
    says why, if not even two stages fit, or if a later stage would have an effect, read a slot of an earlier stage, need more slots than
    the channel has, or read registers that no conversion makes.

    ```mlir
    scf.for … iter_args(%o = %zero, %p = %p0, %a = %a0) {
      %s = cta.wgmma %q, %k                      // of this iteration, in flight
      %t = arith.mulf %o, %a
      %u = cta.wgmma %p, %v, %t                  // of the last, in flight
      cta.complete %s
      …                                          // %p1, %a1 of this iteration
      cta.complete %u
    }
    ```
  }];
}

def CutRest : CtaPass<"cta-cut-rest"> {
  let summary = "Cut a loop with products in flight where its masks begin to fail";
  let description = [{
    Requires and ensures *scheduled*. A loop whose branches (`scf.if`, marked `cta.cut` by `cta-peel-masks`) have the condition `sge` of the induction
    variable and a scalar from outside is cut where the condition begins to hold. The first part takes the `else` of these branches, the second one
    their `then`, and neither branches. The second part goes on with what the loop carries. So products stay in flight over an iteration, as
    `cta-rotate-loops` has made them, which runs before: at the border between the parts nothing is in flight that is not in flight at the end of an iteration.

    A loop stays whole if it does not count in signed indices, if its step is no positive constant, if marked branches have other conditions or several, or with
    `replicate = blocks` in the kernel's plan. A remark of the category `cta-cut-rest` says which. A loop over output tiles is never cut. The marks are removed.

    ```mlir
    %r = scf.for %j = %a to %b step %c128 iter_args(%o = %init) {
      %rest = arith.cmpi sge, %j, %end
      %s = scf.if %rest { … } else { scf.yield %qk } {cta.cut, cta.rest}
      …
    }
    // becomes
    %cut = min(%end, %b), but not below %a; %next = %cut, rounded up to an iteration
    %m = scf.for %j = %a to %cut step %c128 iter_args(%o = %init) { … }                  // %qk instead of %s
    %r = scf.for %j = %next to %b step %c128 iter_args(%o = %m) { … }                    // the then instead of %s
    ```
  }];
}

def DeferWaits : CtaPass<"cta-defer-waits"> {
  let summary = "Wait for matrix products where their results are needed, or an iteration later";
  let description = [{
    Requires and ensures *scheduled*. With `pending` above 0 in the kernel's plan:

    * Products that only feed the accumulators of a loop stay in flight over the end of an iteration: the loop carries `!cta.async` tiles,
      and a `cta.complete` comes after it. A slot that they read is released one iteration later, when the product of the earlier iteration
      has retired. So its channel needs a depth of at least 2, and the first iteration, which has nothing to release, is peeled.
      Products whose `a` is in registers never do, because the next iteration would overwrite it, nor do those that read a tile that the
      loop writes to shared memory.
    * All other products of a block stay in flight up to the first op that needs the result, or that would change what they read: a
      shared tile that is written. The release of a slot that they read moves behind their end. While any product is in flight, no
      registers of an `a` are written, and no accumulators of the iteration before are read. Products, tiles that are staged for them, and
      rows that are read beside them change their places where more is in flight then, or fewer registers are live (docs/design/ProductsInFlight.md, *Within an iteration*). Blocks change
      only if two products are in flight together, or if they are the bodies of loops that compute with the results of at least two
      products.

    ```mlir
    %r = scf.for … iter_args(%c = %zero) {
      %q, %a, %b = cta.wait %ch
      %d = cta.wgmma %a, %b, %c
      cta.release %ch, %q
      scf.yield %d
    }
    // becomes, after a copy of the first iteration that makes %d0 and %q0,
    %e, %last = scf.for … iter_args(%c = %d0, %old = %q0) {
      %q, %a, %b = cta.wait %ch
      %d = cta.wgmma %a, %b, %c
      cta.release %ch, %old after(%c)
      scf.yield %d, %q
    }
    cta.release %ch, %last after(%e)
    %r = cta.complete %e

    %s = cta.wgmma %a, %b
    %d = cta.wgmma %a, %c
    cta.release %ch, %q
    %p = math.exp2 %s
    %x = arith.mulf %p, %d
    // becomes
    %s = cta.wgmma %a, %b
    %d = cta.wgmma %a, %c
    %sd = cta.complete %s
    %p = math.exp2 %sd                  // while %d is in flight
    %dd = cta.complete %d
    cta.release %ch, %q
    %x = arith.mulf %p, %dd
    ```
  }];
}

#endif
