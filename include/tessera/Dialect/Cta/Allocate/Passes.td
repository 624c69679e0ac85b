// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_ALLOCATE_PASSES
#define TESSERA_CTA_ALLOCATE_PASSES

include "tessera/Dialect/Cta/PassBase.td"

def LowerQueues : CtaPass<"cta-lower-queues"> {
  let summary = "Let the producing role take the numbers of output tiles from the queue of a launch";
  let description = [{
    Requires and ensures *specialized*. It replaces `cta.queued`, of which each role has one. The thread that issues the loads takes the number of the block's next
    output tile at the beginning of the one before, and hands it over at its end, when its loads are issued, by a channel of scalars (4 slots). The other role
    receives it at the end of the output tile. The loops carry the number (`drawn`). The first number of a block is its own.

    A launch without roles, or whose loads all threads of a role issue (cp.async), has no thread that could run ahead. There each block takes every n-th of n
    output tiles, which is what the kernel computed in the phases before.

    ```mlir
    cta.for_output_tiles %t = %block to %count step %blocks : i32 {
      %number = cta.queued %t from %queue : memref<1xi32>
      …
    // becomes, in the role of the products
    %r = cta.for_output_tiles %t = %block to %count step %blocks iter_args(%number = %block) -> (i32) : i32 {
      …
      %q, %next = cta.wait %numbers : !cta.channel<4, i32>
      cta.release %numbers, %q : !cta.channel<4, i32>
      cta.yield %next : i32
    } {drawn = 0 : i64}
    // and in the elected thread of the producing role
    %r = cta.for_output_tiles %t = %block to %count step %blocks iter_args(%number = %block) -> (i32) : i32 {
      …
      %next = cta.take_number %queue first = %blocks : memref<1xi32>
      %p = cta.acquire %numbers : !cta.channel<4, i32>
      cta.commit %numbers, %p (%next) : !cta.channel<4, i32>
      cta.yield %next : i32
    } {drawn = 0 : i64}
    cta.close_queue %queue last = %r first = %blocks count = %count : memref<1xi32>
    ```
  }];
}

def ExpandLoops : CtaPass<"cta-expand-loops"> {
  let summary = "Prefetch tiles in the math threads, in launches without roles";
  let description = [{
    Requires and ensures *specialized*. Inlines every `cta.step`. In a launch without roles (`producers = 0` in the plan) the math threads
    issue the loads themselves, ahead of time. For a channel of depth D, the acquire, copies and commit of a loop move D - 1 iterations
    ahead. Those of the first D - 1 iterations come before the loop, and those of iteration k + D - 1 into iteration k, both on the
    condition that there are that many iterations. If the source IR has steps, the distance is the stage of the step that waits minus the
    stage of the step that acquires. If the slot is released one iteration later (`cta-defer-waits`) they come after that release; otherwise
    they stay at their place in the body.

    Index tiles that the loop computes are computed as far ahead. A loop stays as it is if the copies need a value that it carries, if they
    read memory that the launch writes, or if an iteration uses several slots of the channel. If the source IR gives stages, that is an
    error.

    ```mlir
    scf.for %j = %lb to %first step %s { %p = cta.acquire %ch … cta.commit … }   // %first = min(%ub, %lb + (D - 1) * %s)
    scf.for %k = %lb to %ub step %s … {
      scf.if %more { %p = cta.acquire %ch … cta.commit … }                       // of iteration %k + (D - 1) * %s
      %q, %a = cta.wait %ch
      …
      cta.release %ch, %q
    }
    ```
  }];
}

def TestEarly : CtaPass<"cta-test-early"> {
  let summary = "Test the slot of the next iteration while this one computes";
  let description = [{
    Requires and ensures *specialized*. A wait that stands in a loop before all products of an iteration gets a token (`cta.test`), which the loop carries, if all
    products in flight retire in the iteration that issues them, as in rotated loops. There the latency of the wait would lie between the last product of
    an iteration and the first one of the next. The test stands in front of the last product that the iteration waits for or, if tiles
    are computed behind that wait, in front of the conversions at the end.

    Where a product of the last iteration is in flight when an iteration waits, the tensor cores have work meanwhile, and nothing is tested. Nor is it if an iteration
    computes nothing from its products, if it waits for several slots of the channel, and in roles with replicas.

    ```mlir
    scf.for … {
      %q, %k = cta.wait %ch
      %s = cta.wgmma %a, %k
      %u = cta.wgmma %p, %v, %o
      %d = cta.complete %s
      cta.release %ch, %q
      …
      %o1 = cta.complete %u
    // becomes
    %first = cta.test %ch
    scf.for … iter_args(%seen = %first) {
      %q, %k = cta.wait %ch unless %seen
      %s = cta.wgmma %a, %k
      %u = cta.wgmma %p, %v, %o
      %d = cta.complete %s
      cta.release %ch, %q
      …
      %next = cta.test %ch
      %o1 = cta.complete %u
      scf.yield %next
    ```
  }];
}

def InsertWaits : CtaPass<"cta-insert-waits"> {
  let summary = "Insert counted waits for matrix products in flight";
  let description = [{
    Requires and ensures *specialized*. Inserts a `cta.wgmma_wait` before every `cta.complete` and every `cta.release` with `after`. Its
    `pending` is the number of groups that were issued after the product in question on every path to that place: that many may stay in
    flight. All accumulators that may be in flight pass through the wait. Releases lose their `after`.

    ```mlir
    cta.release %ch, %old after(%c)
    // becomes
    %e = cta.wgmma_wait(%d) pending = 1
    cta.release %ch, %old
    ```
  }];
}

def LowerChannels : CtaPass<"cta-lower-channels"> {
  let summary = "Turn channels into rings of shared tiles and mbarriers";
  let description = [{
    Requires and ensures *specialized*. docs/design/Channels.md describes the resulting IR. The slot and the parity of each side are i32
    values that the loops of its role carry. A credit becomes the number of its slot.

    A slot that cp.async fills becomes full in one of two ways. Without roles, all threads arrive with their copies. With roles, the warps
    of the producer arrive some iterations later, when their copies have arrived and are fenced (`CopiedSlots.h`).
  }];
}

def FetchAhead : CtaPass<"cta-fetch-ahead"> {
  let summary = "Prefetch TMA copies that no channel carries";
  let description = [{
    Requires and ensures *specialized*, with lowered channels. It considers several `cta.copy` by TMA, without
    a slot, that follow each other in a block: for instance the epilogue subtiles of a residual in ping-pong. Each copy moves, with its
    scalar arithmetic, to the place where the third, second or first copy before it is needed. So up to three copies are in flight while one
    is awaited. They move only as far as the shared memory lets as many blocks share an SM as before, with each stored tile kept until the
    next store. No copy moves across a loop, or across a write to what it reads.

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
  let summary = "Assign offsets to shared tiles and mbarriers to TMA copies";
  let description = [{
    Requires *specialized*; ensures *allocated*. Tiles that live at the same time get different bytes:
    `offset`, in bytes, on `cta.stage` and `cta.copy`, aligned as the tile's swizzle requires. Offsets that the source IR gives are kept.
    `shared` of the launch is the total. Copies by TMA with no use between them share an `mbarrier`. Tiles without a use are erased. A block
    that needs more than 227 KiB is an error, which shows the map of its shared memory.

    ```mlir
    %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>, mbarrier = 0, offset = 32768} : …   // 128x64xbf16
    %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>, mbarrier = 0, offset = 0} : …       // 64x256xbf16: larger, so it comes first
    ```
  }];
}

def InsertBarriers : CtaPass<"cta-insert-barriers"> {
  let summary = "Insert the barriers, fences and waits that order conflicting accesses";
  let description = [{
    Requires and ensures *allocated*. Inserts `cta.barrier`, `cta.fence_async`, `cta.await`, `cta.await_copies` and `cta.await_stores` where
    an access must come after another one to the same bytes of shared memory, or to the same global memory if the launch writes it. The
    table of hazards is at the head of `InsertBarriers.cpp`. The analysis is a data flow over `cta.for_output_tiles` and `scf.for`, `if`, `while` and `index_switch`,
    including back edges. An await is in the block of its copies, before the first op that needs one of them. Boxes of global memory that
    are provably disjoint, also between iterations of a loop, need no barrier; neither do accesses in one layout. Barriers and waits that
    the source IR has already are taken into account. A product in flight reads until a `cta.wgmma_wait` has waited for it: an op that
    would overwrite what it reads before that is an error.

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
  let summary = "Set the threads and the register budget of each launch";
  let description = [{
    Requires and ensures *allocated*. Sets three attributes of each launch: `threads` (those of its roles, or 128 for each warpgroup),
    `max_registers` (the registers of each thread when the block starts) and, for launches with tensor-core products whose accumulators and
    shared memory allow it, `min_blocks = 2`. A product whose accumulators and register operands do not fit together with 26 other registers
    is an error, which lists the registers by source line.

    A launch without products, whose loads into registers stand outside of loops, gets the `min_blocks` with which enough loads are under way in an SM
    ([Plans](../design/Plans.md#without-pipelining)), and the attribute `cta.blocks_for_memory`: if ptxas spills with so many, `tilec` compiles the
    function again with one.

    `max_registers` and `min_blocks` that the source IR gives are kept.
  }];
}

def DropVariants : Pass<"cta-drop-variants", "mlir::ModuleOp"> {
  let summary = "Drop variants whose plans do not differ";
  let description = [{
    Takes planned kernels of any phase, and keeps the phase. The variant `lines` of a kernel assumes more than its variant `aligned`. It is
    erased if both have the same plan and `aligned` takes all launches that it would take, which means that the guards of `aligned` are
    among those of `lines`. A member of a family keeps it where the two have other predictions (`cta.prediction`), as where L2 takes longer
    for `aligned`: the launcher chooses by predicted times (`tile.cost`).

    ```mlir
    tile.kernel @gemm_lines(…) attributes {variant = "lines", variant_of = "gemm", plan = #cta.plan<…, cluster = 1, …>} {…}
    tile.kernel @gemm_aligned(…) attributes {variant = "aligned", variant_of = "gemm", plan = #cta.plan<…, cluster = 1, …>} {…}
    // becomes
    tile.kernel @gemm_aligned(…) attributes {variant = "aligned", variant_of = "gemm", plan = #cta.plan<…, cluster = 1, …>, cta.stands_for = "lines"} {…}
    ```
  }];
}

#endif
