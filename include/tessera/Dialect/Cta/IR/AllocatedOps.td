// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Ops of launches, barriers, mbarriers and rings: most of them exist in phase allocated only.
#ifndef TESSERA_CTA_ALLOCATED_OPS
#define TESSERA_CTA_ALLOCATED_OPS

include "tessera/Dialect/Cta/IR/ChannelOps.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"

def Cta_LaunchOp : Cta_Op<"launch", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "one launch of the kernel: the code of a block";
  let opDocGroup = Cta_LaunchOps;
  let description = [{
    Made by `cta-lower-grid` from a `tile.grid`. `blocks` are the numbers of blocks along the dimensions of the grid. If one is zero or
    less, nothing is launched. Their product is below 2³¹, which the launcher checks. Inside, `cta.block_id` gives the linear number of the
    block. `symbol` is the name of the GPU function.

    These decisions are attributes:

    * `shared`: the bytes of dynamic shared memory (`cta-allocate-shared`).
    * `mbarriers`: an arrival count for each mbarrier (`cta-allocate-shared`). mbarrier n is at byte `shared - 8 * (number of mbarriers -
      n)`. They are initialised at entry, before everything else, and a barrier follows.
    * `threads` of a block, `max_registers` (the most registers of a thread) and `min_blocks` (blocks that should share an SM, 1 to 32): set
      by `cta-assign-registers`.

    With `cluster = c` each c consecutive blocks form a cluster. They run at the same time. A tile that all of them need is fetched once
    (`multicast` of a `cta.copy`). No block ends before the others have finished with its mbarriers. The number of blocks is a multiple of
    c.

    A `dependent` launch may be placed on the device while the launch before it in the stream still runs. Its blocks permit the next launch
    at once, set up what needs no global memory, and then every thread waits for the launch before it (docs/design/Launches.md, *Dependent
    launches*). `cta-lower-grid` decides which launches are dependent.

    The body may use scalars of the kernel's body. The lowering makes them arguments of the function, or clones them into it.

    Constraints:
    1. it is directly in a `tile.kernel`.
    2. the body has no arguments.
    3. `min_blocks` is 1 to 32.
    4. `symbol` is a PTX identifier: letters, digits, `_` and `$`, no digit at the start, at most 1000 characters.
    5. `threads` is the sum of its roles' threads; without roles, 128 for each of the kernel's warpgroups.

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

def Cta_ForOutputTilesOp : Cta_Op<"for_output_tiles", [AllTypesMatch<["lowerBound", "upperBound", "step"]>, SingleBlockImplicitTerminator<"cta::YieldOp">, RecursiveMemoryEffects,
    ConditionallySpeculatable, DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, ["getInitsMutable", "getLoopResults", "getRegionIterArgs", "getLoopInductionVars",
      "getLoopLowerBounds", "getLoopSteps", "getLoopUpperBounds", "getYieldedValuesMutable", "replaceWithAdditionalYields"]>]> {
  let summary = "a loop over output tiles of a persistent launch";
  let opDocGroup = Cta_LaunchOps;
  let description = [{
    Runs its body for each number of an output tile from `lowerBound` to below `upperBound` in steps of `step`, compared as signed
    numbers. They are of type i32, which `cta-lower-grid` makes, or index. Values are carried from iteration to iteration, and the text is
    written, as in `scf.for`.

    The op says what no analysis could find out: an iteration computes output tiles that no other iteration and no other block of the launch
    computes. So no access to global memory in one iteration has to wait for an access in another one (`cta-insert-barriers`), an operand
    of the next output tile may be loaded before this one is stored (`cta-pipeline-copies`), and iterations may be divided among the
    warpgroups of a block (`replicate = blocks`). Accesses to shared memory and channels are ordered as in any loop.

    The bounds say which output tiles a block computes. For a persistent launch they are the number of the block or its cluster
    (`cta.block_id`, a permutation of it, or `cta.cluster_place`), the number of output tiles, and the number of blocks or clusters
    (`cta.num_blocks`). Stream-K counts a block's own pieces of work instead.

    With `drawn = i` the numbers come from a queue instead (`cta.queued`): the i-th carried value is the number of the iteration's output tile, its initial
    value is the first number of the block, and the loop ends when it is not below `upperBound`. The body does not use the number that it has as an argument.

    Constraints:
    1. it is in a `cta.launch`, and not in another loop.
    2. the arguments of the body are the number, of the bounds' type, and one for each carried value, with its type. The results and the
       operands of `cta.yield` have the types of the carried values, too, which `RegionBranchOpInterface` verifies.
    3. a constant step is at least 1.
    4. `drawn` names a carried value of the bounds' type, and the number in the argument of the body has no use.

    Lifespan: made by `cta-lower-grid`; `cta-lower-queues` sets `drawn`; `convert-cta-to-nvvm` makes it a loop, `convert-cta-to-tile` an `scf.for`.

    ```mlir
    %sum = cta.for_output_tiles %t = %first to %count step %stride iter_args(%x = %zero) -> (i32) : i32 {
      %next = arith.addi %x, %t : i32
      cta.yield %next : i32
    }
    ```
  }];
  let arguments = (ins AnyTypeOf<[I32, Index]>:$lowerBound, AnyTypeOf<[I32, Index]>:$upperBound, AnyTypeOf<[I32, Index]>:$step,
    Variadic<AnyType>:$initArgs, OptionalAttr<I64Attr>:$drawn);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "mlir::Value":$lowerBound, "mlir::Value":$upperBound, "mlir::Value":$step,
    CArg<"mlir::ValueRange", "{}">:$initArgs)>];
  let extraClassDeclaration = [{
    mlir::Value getInductionVar() { return getBody()->getArgument(0); }
    cta::YieldOp getYield();
    /// The carried value that is the number of the output tile, or null.
    mlir::BlockArgument getDrawnNumber() { return getDrawn() ? getRegionIterArgs()[*getDrawn()] : mlir::BlockArgument(); }
    /// A loop whose step may be 0 may run for ever, so it must not run where the program does not run it.
    mlir::Speculation::Speculatability getSpeculatability();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Cta_BlockIdOp : Cta_Op<"block_id", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the linear number of the block";
  let opDocGroup = Cta_LaunchOps;
  let description = "```mlir\n%b = cta.block_id : index\n```";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cta_ClusterPlaceOp : Cta_Op<"cluster_place", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the number of the block's cluster, numbered GPC by GPC";
  let opDocGroup = Cta_LaunchOps;
  let description = [{
    GPC-aware cluster numbering. The hardware distributes clusters over the GPCs in turn, so that clusters with successive numbers are on
    different GPCs. If `many` holds, the launcher may pass a table, which is a permutation of the clusters' numbers: by it, clusters of one
    GPC have successive numbers (docs/design/Clusters.md, *GPC-aware cluster numbering*). Without a table the result is the cluster's own
    number, `cta.block_id / cluster`.

    Constraints:
    1. it is in a `cta.launch` with clusters of two or more blocks.
    2. `many` is computed before the launch.

    Lifespan: made by `cta-lower-grid`. `convert-cta-to-nvvm` makes the table a parameter of the kernel, which may be null.

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
  let summary = "a barrier of all threads of the block or role";
  let opDocGroup = Cta_BarrierOps;
  let description = [{
    `bar.sync`: shared and global accesses before it are visible to all threads of the block after it. In a role it is for the threads of
    that role. With `warpgroup` each warpgroup has a barrier of its own. Made by `cta-insert-barriers`.

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
  let summary = "make writes of the generic proxy visible to the async proxy";
  let opDocGroup = Cta_BarrierOps;
  let description = [{
    `fence.proxy.async.shared::cta` by every thread. It precedes the barrier that stands between the threads' writes and a wgmma or TMA
    access to what they wrote. With `global` it is `fence.proxy.async.global`, for ordinary stores to global memory. Made by
    `cta-insert-barriers`.

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
  let opDocGroup = Cta_BarrierOps;
  let description = [{
    All threads that execute it wait until mbarrier `mbarrier + slot` has completed the phase with the given parity. Without `parity` it
    waits for the next phase, and the lowering keeps the parity in a variable and flips it. `cta-insert-barriers` makes the ops without
    `parity`, under one invariant: such an await is in the block of the copies for which it waits, and runs once each time they run.
    `cta-lower-channels` makes the others.

    ```mlir
    cta.await 0
    cta.await 0[%slot] parity %p
    cta.await 0[%slot] parity %p unless %t
    ```

    With `unless` the threads go on at once if the condition holds: a `cta.test_wait` has seen the end of the phase.

    Constraints:
    1. `slot` and `parity` come together.
    2. `unless` comes with a slot.
  }];
  let arguments = (ins I64Attr:$mbarrier, Optional<I32>:$slot, Optional<I32>:$parity, Optional<I1>:$unless);
  let assemblyFormat = "$mbarrier (`[` $slot^ `]`)? (`parity` $parity^)? (`unless` $unless^)? attr-dict";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "int64_t":$mbarrier), [{
      build($_builder, $_state, $_builder.getI64IntegerAttr(mbarrier), mlir::Value(), mlir::Value(), mlir::Value()); }]>,
    OpBuilder<(ins "mlir::IntegerAttr":$mbarrier, "mlir::Value":$slot, "mlir::Value":$parity), [{
      build($_builder, $_state, mbarrier, slot, parity, mlir::Value()); }]>];
}

def Cta_TestWaitOp : Cta_Op<"test_wait", [MemoryEffects<[MemRead<Cta_MBarriers>, MemWrite<Cta_MBarriers>]>, Cta_NoCost]> {
  let summary = "see whether a phase of an mbarrier is over";
  let opDocGroup = Cta_BarrierOps;
  let description = [{
    `mbarrier.test_wait`: looks, without waiting, whether mbarrier `mbarrier + slot` has completed the phase with the given parity. What is visible
    after a `cta.await` of this phase is visible after a test that has seen its end. Made by `cta-lower-channels` from a `cta.test`.

    ```mlir
    %t = cta.test_wait 0[%slot] parity %p
    cta.await 0[%slot] parity %p unless %t
    ```

    Only an await of the same phase may take the result, on every path: `cta-verify` checks that it names the same mbarriers, and
    `cta-simulate` the slot and the parity.
  }];
  let arguments = (ins I64Attr:$mbarrier, I32:$slot, I32:$parity);
  let results = (outs I1:$over);
  let assemblyFormat = "$mbarrier `[` $slot `]` `parity` $parity attr-dict";
}

def Cta_ExpectOp : Cta_Op<"expect", []> {
  let summary = "announce the bytes that copies will write to a slot";
  let opDocGroup = Cta_BarrierOps;
  let description = [{
    `mbarrier.arrive.expect_tx` on mbarrier `mbarrier + slot` by the elected thread. The mbarrier's phase completes when that many bytes
    have arrived. Made by `cta-lower-channels`, before the copies of the slot.

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
  let summary = "arrive on an mbarrier: a slot has been read, or filled by cp.async";
  let opDocGroup = Cta_BarrierOps;
  let description = [{
    One thread of each warpgroup of the role arrives on mbarrier `mbarrier + slot`. With `per_warp` one thread of each warp does, after the
    warp has synchronised. Made by `cta-lower-channels` from a release: a read by wgmma has finished for the whole warpgroup when it has for
    one warp; other reads have finished only for the warp itself.

    ```mlir
    cta.arrive 3[%slot]
    cta.arrive 3[%slot] per_warp
    ```

    With `cluster = c` it arrives on that mbarrier of every block of the cluster, because all of them write into the slot.

    With `copies` every thread arrives for itself. The arrival happens not at once but when all copies that the thread has issued by
    cp.async so far have arrived in shared memory (`cp.async.mbarrier.arrive.noinc`):

    ```mlir
    cta.arrive 0[%slot] copies
    ```

    Constraints:
    1. `copies` comes without `per_warp` and `cluster`: every thread arrives, in its own block.
  }];
  let arguments = (ins I64Attr:$mbarrier, I32:$slot, UnitAttr:$per_warp, UnitAttr:$copies, OptionalAttr<I64Attr>:$cluster);
  let assemblyFormat = "$mbarrier `[` $slot `]` (`per_warp` $per_warp^)? (`copies` $copies^)? attr-dict";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "mlir::IntegerAttr":$mbarrier, "mlir::Value":$slot, "mlir::UnitAttr":$per_warp, "mlir::IntegerAttr":$cluster), [{
    build($_builder, $_state, mbarrier, slot, per_warp, mlir::UnitAttr(), cluster); }]>];
}

def Cta_CommitCopiesOp : Cta_Op<"commit_copies", []> {
  let summary = "close a group of cp.async copies";
  let opDocGroup = Cta_BarrierOps;
  let description = [{
    `cp.async.commit_group` by every thread: the copies that it has issued since the last such op form a group. `cta.await_copies` with
    `pending` counts these groups. Made by `cta-lower-channels`.

    ```mlir
    cta.commit_copies
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cta_AwaitCopiesOp : Cta_Op<"await_copies", []> {
  let summary = "wait for the thread's own cp.async copies";
  let opDocGroup = Cta_BarrierOps;
  let description = [{
    Every thread waits until all its own cp.async copies are in shared memory. It may read what other threads have copied after the next
    `cta.barrier`. If the tensor cores read the data, a `cta.fence_async` comes between the two: cp.async writes through the generic proxy,
    and the thread that wrote must execute the fence.

    With `pending = n` the last n groups (`cta.commit_copies`) may still be in flight. Made by `cta-insert-barriers` (without `pending`) and
    by `cta-lower-channels`.

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

def Cta_WgmmaWaitOp : Cta_Op<"wgmma_wait", [Cta_RetireEffects,
    RangedTypesMatchWith<"the results are what was in flight", "sources", "results", "llvm::make_range($_self.begin(), $_self.end())">]> {
  let summary = "wait until at most `pending` matrix products are in flight";
  let opDocGroup = Cta_ProductOps;
  let description = [{
    `wgmma.wait_group`. Each `cta.wgmma` is one group, and groups retire in the order in which they were issued. All accumulators that may
    be in flight pass through this op, also those that stay in flight, so that nothing that touches them can move across it. Afterwards a
    `cta.complete` of a result that has retired costs nothing.

    Lifespan: made by `cta-insert-waits` for every `cta.complete` and every `cta.release … after(…)`; lowered by `convert-cta-to-nvvm`.

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

def Cta_RingOp : Cta_Op<"ring", [Cta_Buffer]> {
  let summary = "the shared memory of one tile type of a channel";
  let opDocGroup = Cta_BarrierOps;
  let description = [{
    `depth` shared tiles, one after the other, each aligned as its swizzle requires. The op is directly in the `cta.launch` and lives as
    long as the block: nothing else uses its bytes. In phase allocated it has an `offset`, in bytes.

    ```mlir
    %r = cta.ring {offset = 0} : !cta.ring<3, !cta.smem<128x64xbf16, #a>>
    ```

    Constraints:
    1. it is directly in a `cta.launch`.
    2. `offset` is 0 or more.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Res<Cta_RingType, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

// Its effect is a read: the contents of a slot change at awaits, so two ops with one index must not be merged or hoisted.
def Cta_SlotOp : Cta_Op<"slot", [MemoryEffects<[MemRead<Cta_SharedMemory>]>, Cta_Accesses, Cta_NoCost,
    TypesMatchWith<"the result is a tile of the ring", "ring", "result", "llvm::cast<RingType>($_self).getTile()">]> {
  let summary = "one tile of a ring";
  let opDocGroup = Cta_BarrierOps;
  let description = [{
    Tile `index` of the ring; `index` is below the depth. The channel protocol says when the tile may be read and written; no barrier orders
    accesses to it.

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
  let opDocGroup = Cta_LaunchOps;
  let description = "```mlir\n%n = cta.num_blocks : index\n```";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cta_MaxClustersOp : Cta_Op<"max_clusters", [Pure, Cta_Erasable, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the number of clusters that run at the same time";
  let opDocGroup = Cta_LaunchOps;
  let description = [{
    The number of clusters of a launch that the device can hold at a time. It may be less than its SMs have room for: a cluster lies within
    one GPC, and the number of SMs of a GPC need not be a multiple of the cluster's size. The op is before the launches. Each launch that
    uses it has its own value, which the launcher gets from the driver. It is 2^31 - 1 where nobody knows it, and in sizes of workspace,
    which are not of one launch: use it for upper bounds only.

    Lifespan: made by `cta-lower-grid`; `convert-cta-to-nvvm` makes it a parameter of the kernel.

    ```mlir
    %n = cta.max_clusters : index
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cta_AwaitStoresOp : Cta_Op<"await_stores", []> {
  let summary = "wait for TMA stores";
  let opDocGroup = Cta_BarrierOps;
  let description = [{
    The threads that issued TMA stores (the first thread of a role or of each warpgroup) wait for them. With `read` they wait until the
    sources of all `cta.copy_out` have been read, otherwise until the stores are complete. Other threads know this after the next
    `cta.barrier`. The last `pending` stores of a thread may stay in flight.

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
