// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_PIPELINE_PASSES
#define TESSERA_CTA_PIPELINE_PASSES

include "tessera/Dialect/Cta/PassBase.td"

def LowerGrid : CtaPass<"cta-lower-grid"> {
  let summary = "Turn grids into launches: persistent loops, clusters, the order of output tiles";
  let description = [{
    Requires and ensures *planned*. Each `tile.grid` becomes a `cta.launch` with the symbol `<kernel>_<number of the grid>`. The numbers of blocks, ceil((upper - lower) / step)
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
      } {cta.output_tiles}
    }
    ```
  }];
  let options = [Option<"dependent", "dependent", "bool", "false", "Make launches that may begin before the one in front of them has ended.">];
}

def StreamK : CtaPass<"cta-stream-k"> {
  let summary = "Divide the last wave of a persistent launch by iterations (stream-K)";
  let description = [{
    Requires and ensures *planned*, lowered grids. With `stream_k = m` in the kernel's plan the points that would fill the last round of a persistent launch only in part are dealt
    out to all blocks by their iterations, in parts of at least m of the same length, if that spares at least m iterations. A block computes the end of one point, whose sums it
    leaves in workspace (`cta.put_partial`), then the beginning of another, adds the sums of the blocks that have the rest (`cta.add_partial`) and does the epilogue. What is
    divided is decided when the launch begins, from sizes and the number of cores. Results do not depend on how fast blocks are.

    ```mlir
    scf.for %t = %id to %points step %n : i32 {
      …
      %acc = scf.for %k = %lb to %ub step %s iter_args(%c = %zero) { … }
      …                                                          // epilogue
    } {cta.output_tiles}
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
    } {cta.output_tiles}
    ```

    It is an error if a point has no single loop over products, if that carries anything but sums of products that begin with 0, if it stores, if something is
    stored before it, or if its bounds depend on the point.
  }];
}

def PipelineCopies : CtaPass<"cta-pipeline-copies"> {
  let summary = "Let loads in loops feed channels";
  let description = [{
    Requires *placed* with lowered grids and decomposed ops; ensures *scheduled*. Every `cta.copy` inside a loop, by TMA or cp.async, becomes the producing side of a
    channel of open depth; its readers get the tile from the consuming side, released behind the last of them. Copies of one block
    with the same first and last reader and one mechanism share a channel. With `stages = 0` in the kernel's plan nothing changes but the phase.

    In a launch with `cluster = c` a copy by TMA with the same coordinates in all blocks of a cluster gets `multicast = c`, and `multicast_if` if they are the same on one side of a select only.

    Left as it is, with the reason in the copy's `why`: a copy whose coordinates, or whose loop's bounds, depend on tiles; one of memory that the launch
    writes (a load never moves above a store that may alias it); one whose tile leaves its block; one by cp.async unless all threads (`producers = 0`) or a warpgroup
    (`producers = 4`) can make it.

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
  let summary = "Move the shuffles of a sum along rows out of the loop";
  let description = [{
    Requires and ensures *scheduled*. A loop that waits for slots and carries a sum along a dimension which lies in several lanes of a warp, from zero, itself or times a factor that all
    lanes have, and reads it nowhere else, carries the sum of each lane's elements instead; the shuffles happen behind the loop. The summed tile is reshaped, in the same registers, so that
    lanes have dimensions of their own. Only with `reassoc` of the kernel, and where a bit of the layout moves one bit of a coordinate and no warp moves along the dimension.

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
  let summary = "Run the iterations in which all masks hold without them";
  let description = [{
    Requires and ensures *scheduled*. In a loop that waits for slots, a comparison (`slt`, `sle`, `sgt`, `sge` on i32) of coordinates that are the induction variable and a `cta.iota`
    against what does not change (a scalar, coordinates, a constant) holds for all elements until the greatest coordinate reaches the least bound. The loop is cut there: the first part has
    no masks, the second (`cta.rest`, few iterations, if any; `cta-schedule` gives it one stage) has those that it had. Begin and step of the loop must be constants, not negative.

    Nothing is cut with `replicate = blocks` or `overlap` in the kernel's plan.

    A copy with `require = [peeled]` is an error if a mask is left in all iterations of the loop around it: a comparison of coordinates that change with
    the iteration which is of another form, or stands where nothing is cut. (Bounds of the copy itself are TMA's to check.)

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

def Schedule : CtaPass<"cta-schedule"> {
  let summary = "Solve the modulo schedule of each loop and choose the depth of channels";
  let description = [{
    Requires and ensures *scheduled*. Each `scf.for` whose body waits for slots becomes a problem of modulo scheduling for one warpgroup (`lib/Schedule`), inner
    loops first; one whose length the text does not say counts as 64 iterations of the loop around it. Operations of the problem are loads (acquire to commit),
    products, conditions, inner loops, effects, and the arithmetic between them, cut where what it needs or feeds changes and where the unit changes; what they
    cost follows from shapes, layouts and the machine table. With `pending` in the plan products may stay in flight, and an iteration may reach into the next.

    Depths that are open become, for channels of innermost loops, `stages` of the plan; without `stages`, and for channels of outer loops, what the schedule
    needs: ceil(R / II), R from the issue of a load to the end of its last reader. All that as far as shared memory goes: channels of inner loops first share what
    the tiles that the launch stages leave; every channel has a slot at least. A depth that cannot be is an error with the sum. Loops whose channels got less
    are solved again with what they got. Channels whose sides do not stand in one loop get one slot, in outer loops two if possible.

    The loop keeps the answer, which has no meaning but for `products` (the stage of each, in the order of the text) and `order` (the place of each in the pipelined loop, where earlier stages do
    not come first), which `cta-rotate-loops` asks:

    ```mlir
    scf.for … { … } {cta.modulo_schedule = {bound = "tensor", bounds = {tensor = 1024 : i64, …}, ii = 1024 : i64, products = array<i64: 0>}}
    ```

    Remarks of the category `cta-schedule` (`--remark-format=emitRemark --remarks-filter=cta-schedule`) name II, what binds, depths, and depths that were wanted.

    A loop that consists of `cta.step`s keeps them. A step whose stage lets it run before what it needs is an error.

    With `form-steps` loops become steps: loads first, then math in the order of the schedule. The passes behind take both forms; products stay in flight only
    in loops without steps, so with `pending` nothing is formed.
  }];
  let options = [
    Option<"formSteps", "form-steps", "bool", "false", "make loops with a schedule consist of cta.steps">,
    Option<"printProblems", "print-problems", "bool", "false", "print each loop's problem and schedule, in the text format of lib/Schedule">];
}

def OverlapEpilogue : CtaPass<"cta-overlap-epilogue"> {
  let summary = "Run the epilogue of an output tile concurrently with the next main loop";
  let description = [{
    Requires and ensures *scheduled*, channels with depths. With `overlap = 1` in the kernel's plan the loop over points of a persistent launch keeps the accumulators of
    the last point: its epilogue runs while the products of this one are in flight, a part (up to a store) between the issue and the completion of the products of one
    iteration; what was loaded before the loop (`cta-split-epilogue`) is loaded beside the first. The loop over points runs once more, to do the last epilogue. A loop with fewer iterations than there
    are parts begins after the epilogue. Behind the loop the accumulators are copied: ptxas lets nothing read registers that a product has written while others are in
    flight (C7517).

    ```mlir
    scf.for %t = %id to %points step %n {
      %acc = scf.for %k … iter_args(%c = %zero) { …; %d = cta.wgmma %a, %b, %c; … }
      …                                                      // parts
    }
    // becomes
    scf.for %t = %id to %end step %n iter_args(%last = %zero) {
      %acc = scf.if %apart {                                 // there is no last point, or too few iterations
        scf.if %any { … }                                    // all parts of %last
        scf.for %k … iter_args(%c = %zero) { … }
      } else {
        …                                                    // the first iteration:
        %d = cta.wgmma %a, %b, (cta.ready %zero)
        …                                                    // part 0 of %last
        %c0 = cta.complete %d
        …                                                    // as many as there are parts
        scf.for %k = %rest … iter_args(%c = %cp) { … }
      }
      scf.yield %acc
    }
    ```

    It is an error if the body has several loops with products, if the parts need a tile or a slot of a channel of the point they belong to other than what the loop
    over products leaves, or if the loop over products writes what they were loaded from before.
  }];
}

def RotateLoops : CtaPass<"cta-rotate-loops"> {
  let summary = "Run matrix products concurrently with later iterations";
  let description = [{
    Requires and ensures *scheduled*. With `pending` above 0 in the kernel's plan, loops whose products have different stages are software-pipelined. The stages are those of the
    schedule of the loop (`products` of its `cta.modulo_schedule`), or, without one, 1 more for each product that a product's `a` (in registers) depends on. With the greatest stage n an iteration
    of the new loop runs stage 0 of iteration k, stage 1 of k - 1, … and stage n of k - n: products that need no other of the same turn are issued together, in the `order` of the schedule
    or else earlier stages first, and what lies between products is computed while they are in flight. What else there is has the stage of what it needs, or a later one if only that needs it and
    fewer registers are carried. The loop carries what a later stage needs; stages of the first iterations stand in front of it, of the last ones behind it. With fewer than n
    iterations the loop runs as it was. Slots are released when what reads them has retired.

    In as many stages as fit: the registers of all tiles that live across a product, and 26 others, are no more than a thread has (`registers`, or what it has at entry). Left alone, with a
    remark of the category `cta-rotate-loops` that says why, if not even two stages fit, or if a later stage would have an effect, read a slot of an earlier one or more slots than the
    channel has, or read registers that no conversion makes.

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

def DeferWaits : CtaPass<"cta-defer-waits"> {
  let summary = "Let matrix products stay in flight over the end of an iteration";
  let description = [{
    Requires and ensures *scheduled*. With `pending` above 0 in the kernel's plan:

    * The products of a loop that only feed its accumulators stay in flight over the back edge: the loop carries `!cta.async` tiles, which `cta.complete` ends
      behind it. A slot that they read is released one iteration later, when the product of that iteration has retired; so its channel has a depth of 2 at least,
      and the first iteration, which has nothing to release, is peeled.
    * Products in a row that do not need each other are issued together and completed behind the last.

    Products stay synchronous whose `a` is in registers (the next iteration would overwrite it), or which read a tile that the loop stages.

    ```mlir
    %r = scf.for … iter_args(%c = %zero) {
      %q, %a, %b = cta.wait %ch
      %d = cta.wgmma %a, %b, %c
      cta.release %ch, %q
      scf.yield %d
    }
    // becomes, behind a copy of the first iteration that makes %d0 and %q0,
    %e, %last = scf.for … iter_args(%c = %d0, %old = %q0) {
      %q, %a, %b = cta.wait %ch
      %d = cta.wgmma %a, %b, %c
      cta.release %ch, %old after(%c)
      scf.yield %d, %q
    }
    cta.release %ch, %last after(%e)
    %r = cta.complete %e
    ```
  }];
}

#endif
