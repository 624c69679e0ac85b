// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_ALLOCATE_PASSES
#define TESSERA_CTA_ALLOCATE_PASSES

include "tessera/Dialect/Cta/PassBase.td"

def ExpandLoops : CtaPass<"cta-expand-loops"> {
  let summary = "Run loads ahead in the threads that compute, where there are no roles";
  let description = [{
    Requires and ensures *specialized*. Inlines every `cta.step`. In a launch without roles (`producers = 0` in the plan) acquire, copies and commit of a loop's channel of
    depth D move D - 1 iterations ahead: those of the first iterations come in front of the loop, those of iteration k + D - 1 into iteration k, both on
    condition that there are so many. With steps in the text it is the stage of the step that waits less that of the step which acquires. If the slot is released one iteration
    later (`cta-defer-waits`) they come behind that release, else they stay where they are.

    A loop stays as it is if the copies need what it carries or loads, if they read what the launch writes, or if an iteration uses several slots; with stages in the
    text that is an error.

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

def InsertWaits : CtaPass<"cta-insert-waits"> {
  let summary = "Insert counted waits for matrix products in flight";
  let description = [{
    Requires and ensures *specialized*. In front of every `cta.complete` and every `cta.release` with `after` comes a `cta.wgmma_wait` with the number of groups that were
    surely issued behind the product in question on every path to there: as many may stay in flight. What may be in flight at a wait goes through
    it. Releases lose their `after`.

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
    Requires and ensures *specialized*. See docs/design/Channels.md for the IR. Slot and parity of each side are i32 values that the loops of its role carry; a credit is the
    number of its slot.

    A slot that cp.async fills is full when all threads have arrived with their copies (without roles), or when the warps of the producing role say that theirs have
    landed and are fenced, some iterations later (`CopiedSlots.h`).
  }];
}

def FetchAhead : CtaPass<"cta-fetch-ahead"> {
  let summary = "Start copies outside channels before the tile ahead of them is read";
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
  let summary = "Insert barriers, fences and waits where one thread's access must follow another's";
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
  let summary = "Set the threads and the register budget of each launch";
  let description = [{
    Requires and ensures *allocated*. Sets `threads` (128 a warpgroup), `max_registers` (what the threads of an SM have each when the
    block starts) and, for launches with tensor-core products whose accumulators and shared memory allow it, `min_blocks = 2`. A
    product whose accumulators and register operands cannot fit beside 26 other registers is an error with the sum by source line. `max_registers` and
    `min_blocks` of the text are kept.
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

#endif
