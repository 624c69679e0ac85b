// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Ops that exist in phase allocated only.
#ifndef TESSERA_CTA_ALLOCATED_OPS
#define TESSERA_CTA_ALLOCATED_OPS

include "tessera/Dialect/Cta/IR/MemoryOps.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"

def Cta_LaunchOp : Cta_Op<"launch", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "one launch of the kernel: what a block does";
  let description = [{
    Made by `cta-lower-grid` from a `tile.grid`. `blocks` are the numbers of blocks per grid dimension (zero or less: nothing is launched; their product
    is below 2³¹, which the launcher checks); inside, `cta.block_id` gives the linear number. `symbol` is the name of the GPU function.

    Decisions, all attributes: `shared`, the bytes of dynamic shared memory, and `mbarriers`, an arrival count for each mbarrier (`cta-allocate-shared`);
    mbarrier n lies at byte `shared - 8 * (number of mbarriers - n)`. They are initialised at entry, before all else, and a barrier follows. `threads`,
    `max_registers` (a thread's cap) and `min_blocks` (blocks that shall share an SM, 1 to 32) come from `cta-assign-registers`.

    With `cluster = c` each c blocks that follow each other form a cluster: they run at the same time, tiles that all of them need are fetched once
    (`multicast` of a `cta.copy`), and none ends before the others have done with its mbarriers. The number of blocks is a multiple of c.

    A `dependent` launch may be placed on the device while the one before it in the stream still runs. It lets the next one in at once, sets up what needs no
    global memory, and then every thread waits for the launch before it (docs/design/Launches.md, *Dependent launches*). `cta-lower-grid` decides it.

    The body may use scalars of the kernel's body; they are arguments, or cloned into the function by the lowering.

    Constraints:
    1. stands directly in a `tile.kernel`.
    2. the body has no arguments.
    3. `min_blocks` is 1 to 32.
    4. `symbol` is a name of PTX: letters, digits, `_` and `$`, beginning with no digit, at most 1000 characters.
    5. `threads` is what its roles have together; without roles, 128 a warpgroup of the kernel.

    ```mlir
    cta.launch @gemm_aligned_0 blocks(%m, %n) attributes {threads = 256, shared = 49152, mbarriers = array<i64: 2>} {
      %b = cta.block_id : index
      …
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$symbol, Variadic<Index>:$blocks, OptionalAttr<I64Attr>:$threads,
    OptionalAttr<I64Attr>:$shared, OptionalAttr<I64Attr>:$max_registers, OptionalAttr<I64Attr>:$min_blocks,
    OptionalAttr<DenseI64ArrayAttr>:$mbarriers, OptionalAttr<I64Attr>:$cluster, UnitAttr:$dependent);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$symbol `blocks` `(` $blocks `)` attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Cta_BlockIdOp : Cta_Op<"block_id", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the linear number of the block";
  let description = "```mlir\n%b = cta.block_id : index\n```";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cta_ClusterPlaceOp : Cta_Op<"cluster_place", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the number of the block's cluster, by place on the device";
  let description = [{
    The hardware deals clusters to the GPCs in turns, so that clusters with successive numbers are far from each other. If `many` holds the launcher may
    pass a table, a permutation of the clusters' numbers, after which clusters of one GPC have successive ones (docs/design/Clusters.md, *GPC-aware cluster numbering*); without
    table it is the cluster's own number, `cta.block_id / cluster`.

    Constraints:
    1. Stands in a `cta.launch` with a cluster of two or more.
    2. `many` is computed in front of the launch.

    Lifespan: made by `cta-lower-grid`; a parameter of the kernel, which may be null, in `convert-cta-to-nvvm`.

    ```mlir
    %c = cta.cluster_place if %many : index
    ```
  }];
  let arguments = (ins I1:$many);
  let results = (outs Index:$result);
  let assemblyFormat = "`if` $many attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Cta_BarrierOp : Cta_Op<"barrier", []> {
  let summary = "all threads of the block meet";
  let description = [{
    `bar.sync`: shared and global accesses before are visible to all threads of the block after; in a role, of the role. With `warpgroup` the threads of each warpgroup
    meet by themselves. Made by `cta-insert-barriers`.

    ```mlir
    cta.barrier
    cta.barrier warpgroup
    ```
  }];
  let arguments = (ins UnitAttr:$warpgroup);
  let assemblyFormat = "(`warpgroup` $warpgroup^)? attr-dict";
  let builders = [OpBuilder<(ins CArg<"bool", "false">:$warpgroup), [{
    if (warpgroup) $_state.addAttribute("warpgroup", $_builder.getUnitAttr()); }]>];
}

def Cta_FenceAsyncOp : Cta_Op<"fence_async", []> {
  let summary = "generic writes become visible to the async proxy";
  let description = [{
    `fence.proxy.async.shared::cta` by every thread, before the barrier that precedes a wgmma or TMA access to the data that they wrote. With
    `global`: `fence.proxy.async.global`, for plain stores to global memory. Made by `cta-insert-barriers`.

    ```mlir
    cta.fence_async
    cta.fence_async global
    ```
  }];
  let arguments = (ins UnitAttr:$global);
  let assemblyFormat = "(`global` $global^)? attr-dict";
}

def Cta_AwaitOp : Cta_Op<"await", [AttrSizedOperandSegments]> {
  let summary = "wait for a phase of an mbarrier";
  let description = [{
    All threads that get here wait for the phase with the given parity of mbarrier `mbarrier + slot` to end. Without `parity` it is the next phase, and the
    parity a variable that the lowering keeps and flips: `cta-insert-barriers` makes these and keeps one invariant: such an await stands in the block of
    the copies it waits for and runs once each time they do. `cta-lower-channels` makes the others.

    ```mlir
    cta.await 0
    cta.await 0[%slot] parity %p
    ```

    Constraints:
    1. `slot` and `parity` come together.
  }];
  let arguments = (ins I64Attr:$mbarrier, Optional<I32>:$slot, Optional<I32>:$parity);
  let assemblyFormat = "$mbarrier (`[` $slot^ `]`)? (`parity` $parity^)? attr-dict";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "int64_t":$mbarrier), [{ build($_builder, $_state, $_builder.getI64IntegerAttr(mbarrier), mlir::Value(), mlir::Value()); }]>];
}

def Cta_ExpectOp : Cta_Op<"expect", []> {
  let summary = "announce the bytes of a slot";
  let description = [{
    `mbarrier.arrive.expect_tx` on mbarrier `mbarrier + slot` by the elected thread: the phase ends when so many bytes have landed. Made by `cta-lower-channels`,
    before the copies of the slot.

    ```mlir
    cta.expect 0[%slot] bytes = 49152
    ```

    Constraints:
    1. `mbarrier` is 0 or more, `bytes` from 1 to 2²⁰ − 1 (what an mbarrier counts).
  }];
  let arguments = (ins I64Attr:$mbarrier, I32:$slot, I64Attr:$bytes);
  let assemblyFormat = "$mbarrier `[` $slot `]` `bytes` `=` $bytes attr-dict";
  let hasVerifier = 1;
}

def Cta_ArriveOp : Cta_Op<"arrive", []> {
  let summary = "say that a slot has been read";
  let description = [{
    One thread of each warpgroup of the role (with `per_warp`: of each warp, after the warp has met) arrives on mbarrier `mbarrier + slot`. Made by
    `cta-lower-channels` from a release: reads by wgmma are over for the warpgroup when they are for one warp, other reads only for the warp.

    ```mlir
    cta.arrive 3[%slot]
    cta.arrive 3[%slot] per_warp
    ```

    With `cluster = c` it arrives on that mbarrier of every block of the cluster: they all write into the slot.

    With `copies` every thread arrives for itself, and not now but when all that it has copied by cp.async so far has landed
    (`cp.async.mbarrier.arrive.noinc`):

    ```mlir
    cta.arrive 0[%slot] copies
    ```

    Constraints:
    1. `copies` stands alone: every thread arrives, in its own block.
  }];
  let arguments = (ins I64Attr:$mbarrier, I32:$slot, UnitAttr:$per_warp, UnitAttr:$copies, OptionalAttr<I64Attr>:$cluster);
  let assemblyFormat = "$mbarrier `[` $slot `]` (`per_warp` $per_warp^)? (`copies` $copies^)? attr-dict";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "mlir::IntegerAttr":$mbarrier, "mlir::Value":$slot, "mlir::UnitAttr":$per_warp, "mlir::IntegerAttr":$cluster), [{
    build($_builder, $_state, mbarrier, slot, per_warp, mlir::UnitAttr(), cluster); }]>];
}

def Cta_CommitCopiesOp : Cta_Op<"commit_copies", []> {
  let summary = "what was copied by cp.async since the last is a group";
  let description = [{
    `cp.async.commit_group` by every thread: a `cta.await_copies` with `pending` counts groups. Made by `cta-lower-channels`.

    ```mlir
    cta.commit_copies
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cta_AwaitCopiesOp : Cta_Op<"await_copies", []> {
  let summary = "wait for own copies by cp.async";
  let description = [{
    Every thread waits until what it has copied by cp.async itself is in shared memory; what others have copied it may read after the next `cta.barrier`. For
    the tensor cores a `cta.fence_async` comes between: cp.async writes through the generic proxy, and the fence must be the writer's.

    With `pending = n` the last n groups (`cta.commit_copies`) may still be on their way. Made by `cta-insert-barriers` (without `pending`) and `cta-lower-channels`.

    ```mlir
    cta.await_copies
    cta.await_copies pending = 2
    ```

    Constraints:
    1. `pending` is 0 or more.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$pending);
  let hasVerifier = 1;
  let assemblyFormat = "(`pending` `=` $pending^)? attr-dict";
}

def Cta_WgmmaWaitOp : Cta_Op<"wgmma_wait", [MemoryEffects<[MemRead, MemWrite]>,
    RangedTypesMatchWith<"the results are what was in flight", "sources", "results", "llvm::make_range($_self.begin(), $_self.end())">]> {
  let summary = "wait until at most so many products are in flight";
  let description = [{
    `wgmma.wait_group`: each `cta.wgmma` is one group, and groups retire in the order of their issue. All accumulators that may be in flight
    go through it, also those that stay there, so that nothing that touches them moves across. Afterwards a `cta.complete` of a result that has retired costs nothing.

    Lifespan: made by `cta-insert-waits`, which turns every `cta.complete` and `cta.release … after(…)` into such counts; lowered by
    `convert-cta-to-nvvm`.

    ```mlir
    %e = cta.wgmma_wait(%d) pending = 1 : !cta.async<tensor<128x256xf32, #acc>>
    ```

    Constraints:
    1. `pending` is 0 or more.
  }];
  let arguments = (ins Variadic<Cta_AsyncType>:$sources, I64Attr:$pending);
  let results = (outs Variadic<Cta_AsyncType>:$results);
  let hasVerifier = 1;
  let assemblyFormat = "`(` $sources `)` `pending` `=` $pending attr-dict (`:` type($sources)^)?";
  let builders = [OpBuilder<(ins "mlir::ValueRange":$sources, "int64_t":$pending), [{
    build($_builder, $_state, mlir::TypeRange(sources), sources, $_builder.getI64IntegerAttr(pending)); }]>];
}

def Cta_RingOp : Cta_Op<"ring", []> {
  let summary = "the storage of one payload of a channel";
  let description = [{
    `depth` shared tiles, one behind the other, each aligned as its swizzle wants. It stands directly in the `cta.launch` and lives as long as the block: its bytes
    are nobody else's. In phase allocated it has an `offset`.

    ```mlir
    %r = cta.ring {offset = 0} : !cta.ring<3, !cta.smem<128x64xbf16, #a>>
    ```

    Constraints:
    1. stands directly in a `cta.launch`.
    2. `offset` is 0 or more.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Res<Cta_RingType, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

// It reads: what a slot holds changes at awaits, so two slots with one number are not one value, and none leaves a loop.
def Cta_SlotOp : Cta_Op<"slot", [MemoryEffects<[MemRead]>,
    TypesMatchWith<"the result is a tile of the ring", "ring", "result", "llvm::cast<RingType>($_self).getTile()">]> {
  let summary = "one tile of a ring";
  let description = [{
    The tile number `index` (below the depth). The channel protocol says when it may be read and written: no barrier orders accesses to it.

    ```mlir
    %a = cta.slot %r[%s] : !cta.ring<3, !cta.smem<128x64xbf16, #a>>
    ```
  }];
  let arguments = (ins Cta_RingType:$ring, I32:$index);
  let results = (outs Cta_SmemType:$result);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` type($ring)";
  let builders = [OpBuilder<(ins "mlir::Value":$ring, "mlir::Value":$index), [{
    build($_builder, $_state, llvm::cast<RingType>(ring.getType()).getTile(), ring, index); }]>];
}

def Cta_NumBlocksOp : Cta_Op<"num_blocks", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the number of blocks of the launch";
  let description = "```mlir\n%n = cta.num_blocks : index\n```";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cta_MaxClustersOp : Cta_Op<"max_clusters", [Pure, Cta_Erasable, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the clusters that run at the same time";
  let description = [{
    How many clusters of a launch the device holds at a time: fewer than its SMs have room for, because a cluster lies within one GPC, whose number of SMs need not be a
    multiple of the cluster's. It stands in front of launches; each launch that uses it has an answer of its own, which the launcher gets from the driver. Where nobody
    knows, and in sizes of workspace, which no launch has for itself, it is 2^31 - 1: it is for upper bounds.

    Lifespan: made by `cta-lower-grid`; a parameter of the kernel in `convert-cta-to-nvvm`.

    ```mlir
    %n = cta.max_clusters : index
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cta_AwaitStoresOp : Cta_Op<"await_stores", []> {
  let summary = "wait for TMA stores";
  let description = [{
    The threads that issued them (the first of a role or of each warpgroup) wait until the sources of all `cta.copy_out` have been read (`read`) or until the stores are
    complete; others learn it at the next `cta.barrier`. The last `pending` stores of a thread may still be under way.

    ```mlir
    cta.await_stores read
    ```

    Constraints:
    1. `pending` is 0 to 7.
  }];
  let arguments = (ins UnitAttr:$read, DefaultValuedAttr<I64Attr, "0">:$pending);
  let assemblyFormat = "(`read` $read^)? attr-dict";
  let hasVerifier = 1;
}

#endif
