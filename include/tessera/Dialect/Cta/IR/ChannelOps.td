// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Asynchrony: channels, steps of a schedule, warp-specialised roles, and matrix products in flight.
#ifndef TESSERA_CTA_CHANNEL_OPS
#define TESSERA_CTA_CHANNEL_OPS

include "tessera/Dialect/Cta/IR/MemoryOps.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

// Ops of the protocol change which slots are full, and with it what the bytes of a slot mean.
defvar Cta_ChannelEffects = MemoryEffects<[MemRead<Cta_MBarriers>, MemWrite<Cta_MBarriers>, MemRead<Cta_SharedMemory>,
                                           MemWrite<Cta_SharedMemory>]>;
// A product in flight reads shared memory until it retires; so the end of a product keeps its place before a release.
defvar Cta_RetireEffects = MemoryEffects<[MemRead<Cta_ProductsInFlight>, MemWrite<Cta_ProductsInFlight>, MemRead<Cta_SharedMemory>,
                                          MemWrite<Cta_SharedMemory>]>;

def Cta_ChannelOp : Cta_Op<"channel", []> {
  let summary = "a bounded queue of shared tiles between a producer and a consumer";
  let opDocGroup = Cta_ChannelOps;
  let description = [{
    Makes an empty channel. The op is directly in the `cta.launch`, before the loops and roles that use it.

    A producer *acquires* a slot, fills it with asynchronous copies and *commits* it. A consumer *waits* for the oldest committed slot,
    reads it and *releases* it. In program order, wait number i sees what commit number i handed over. A channel has one producing and one
    consuming role, so what they compute does not depend on their speed (a Kahn network). Whether they can deadlock depends on the depth
    alone.

    Lifespan: made by `cta-pipeline-copies` with an open depth (number of slots), which `cta-schedule` chooses. `cta-lower-channels`
    replaces it by `cta.ring`s and mbarriers.

    ```mlir
    %ch = cta.channel : !cta.channel<3, !cta.smem<128x64xbf16, #a>, !cta.smem<64x256xbf16, #b>>
    ```

    Constraints:
    1. it is directly in a `cta.launch`.
  }];
  let results = (outs Res<Cta_ChannelType, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Cta_AcquireOp : Cta_Op<"acquire", [Cta_ChannelEffects, Cta_NoCost]> {
  let summary = "wait for a free slot";
  let opDocGroup = Cta_ChannelOps;
  let description = [{
    The producer's side: returns when the next slot of the channel has been released. Exactly one `cta.commit` uses the credit.

    ```mlir
    %slot = cta.acquire %ch : !channel
    ```
  }];
  let arguments = (ins Cta_ChannelType:$channel);
  let results = (outs Cta_CreditType:$credit);
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
}

def Cta_CommitOp : Cta_Op<"commit", [Cta_ChannelEffects, Cta_NoCost]> {
  let summary = "hand a slot to the consumer";
  let opDocGroup = Cta_ChannelOps;
  let description = [{
    The tiles become the contents of the slot. They are results of `cta.copy` between the acquire and the commit, in the same block, and
    have no other use. The copies write into the slot, and the consumer waits until all their bytes have arrived.

    ```mlir
    cta.commit %ch, %slot (%a, %b) : !channel
    ```

    Constraints:
    1. the values have the channel's payload types.
    2. each is made by a `cta.copy` in the same block, after the acquire of the credit, and has no other use.
  }];
  let arguments = (ins Cta_ChannelType:$channel, Cta_CreditType:$credit, Variadic<AnyType>:$values);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Cta_WaitOp : Cta_Op<"wait", [Cta_ChannelEffects, Cta_NoCost]> {
  let summary = "wait for a filled slot";
  let opDocGroup = Cta_ChannelOps;
  let description = [{
    The consumer's side: returns when the oldest slot for which no wait has happened yet is full. The tiles may be read until the credit is
    released. `unless` names a test of this slot: if it has seen that the slot is full, nothing is left to wait for.

    ```mlir
    %slot, %a, %b = cta.wait %ch : !channel
    %next, %c, %d = cta.wait %ch unless %t : !channel
    ```

    Constraints:
    1. the results are a credit and the channel's payload.
  }];
  let arguments = (ins Cta_ChannelType:$channel, Optional<Cta_TokenType>:$unless);
  let results = (outs Cta_CreditType:$credit, Variadic<AnyType>:$values);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "mlir::Value":$channel), [{
    auto type = llvm::cast<ChannelType>(channel.getType());
    $_state.addOperands(channel);
    $_state.addTypes(CreditType::get($_builder.getContext()));
    $_state.addTypes(type.getPayload()); }]>];
}

def Cta_TestOp : Cta_Op<"test", [Cta_ChannelEffects, Cta_NoCost]> {
  let summary = "see whether the next slot is full";
  let opDocGroup = Cta_ChannelOps;
  let description = [{
    The consumer's side: looks, without waiting, whether the slot is full for which the next `cta.wait` of the channel waits. A wait that takes
    the token costs nothing if it was. If it was not, or the token is not used, the wait waits as always. So it changes no value, wherever it
    stands.

    A wait for an mbarrier costs its latency even if the slot has been full for long, and a product cannot be issued before. The test does not
    stop anything, so its latency passes beside the arithmetic behind it (docs/design/Channels.md, *Early tests*).

    Lifespan: made by `cta-test-early`, in phase specialized; `cta-lower-channels` makes it a `cta.test_wait`.

    ```mlir
    %t = cta.test %ch : !channel
    …
    %slot, %a, %b = cta.wait %ch unless %t : !channel
    ```

    Constraints (checked by `cta-verify`):
    1. the wait that takes the token is the next one of the same channel on every path.
    2. it is not in a role with replicas, which do not know before their turn which slot is their next.
  }];
  let arguments = (ins Cta_ChannelType:$channel);
  let results = (outs Cta_TokenType:$token);
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
  let builders = [OpBuilder<(ins "mlir::Value":$channel), [{
    build($_builder, $_state, TokenType::get($_builder.getContext()), channel); }]>];
}

def Cta_ReleaseOp : Cta_Op<"release", [Cta_ChannelEffects, Cta_NoCost]> {
  let summary = "give a slot back";
  let opDocGroup = Cta_ChannelOps;
  let description = [{
    All reads of the slot that precede the op have finished. `after` names products in flight that read the slot and must have retired
    first. `cta-insert-waits` inserts a wait for them before the release and removes `after`.

    ```mlir
    cta.release %ch, %slot after(%d : !cta.async<tensor<128x256xf32, #acc>>) : !channel
    ```

    Constraints:
    1. the credit comes from `cta.wait` of the same channel, directly or carried by a loop (checked by `cta-verify`).
  }];
  let arguments = (ins Cta_ChannelType:$channel, Cta_CreditType:$credit, Variadic<Cta_AsyncType>:$after);
  let assemblyFormat = "$channel `,` $credit (`after` `(` $after^ `:` type($after) `)`)? attr-dict `:` type($channel)";
}

def Cta_CompleteOp : Cta_Op<"complete", [Cta_RetireEffects, Cta_Erasable, Cta_NoCost,
    TypesMatchWith<"the result is the tile in flight", "source", "result", "llvm::cast<AsyncType>($_self).getTensor()">]> {
  let summary = "wait for a product in flight";
  let opDocGroup = Cta_ProductOps;
  let description = [{
    It is the only consumer of an asynchronous tile, other than a `cta.wgmma` that accumulates on it. How many products may stay in flight
    is not written here: `cta-insert-waits` counts it. After that pass a `cta.wgmma_wait` has waited for the source, and this op only
    changes the type.

    ```mlir
    %t = cta.complete %d : !cta.async<tensor<128x256xf32, #acc>>
    ```
  }];
  let arguments = (ins Cta_AsyncType:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let builders = [OpBuilder<(ins "mlir::Value":$source), [{
    build($_builder, $_state, llvm::cast<AsyncType>(source.getType()).getTensor(), source); }]>];
}

def Cta_ReadyOp : Cta_Op<"ready", [Pure, Cta_Erasable, Cta_NoCost,
    TypesMatchWith<"the result is the tile", "source", "result", "AsyncType::get($_ctxt, llvm::cast<mlir::RankedTensorType>($_self))">]> {
  let summary = "a register tile as the result of a product that has retired";
  let opDocGroup = Cta_ProductOps;
  let description = [{
    The initial value of a loop that carries products in flight. Nothing is in flight here, so the result may have several consumers.

    ```mlir
    %c = cta.ready %zero : tensor<128x256xf32, #acc>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs Cta_AsyncType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let builders = [OpBuilder<(ins "mlir::Value":$source), [{
    build($_builder, $_state, AsyncType::get($_builder.getContext(), llvm::cast<mlir::RankedTensorType>(source.getType())), source); }]>];
}

def Cta_StepOp : Cta_Op<"step", [SingleBlockImplicitTerminator<"cta::YieldOp">, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "a part of a loop body that the schedule moves as one";
  let opDocGroup = Cta_RoleOps;
  let description = [{
    A part of a loop body that one role executes, at a stage of the modulo schedule. The step with stage s of iteration i runs while stage 0
    runs iteration i + s. The order of the steps in the block is their order within a role. Their names are unique in the loop.

    Lifespan: written by the user in phase scheduled; `cta-expand-loops` inlines it.

    ```mlir
    %s = cta.step @qk role(math) stage(0) {
      %d = cta.wgmma %q, %k : !cta.smem<64x64xbf16, #a>, !cta.smem<64x128xbf16, #b> -> tensor<64x128xf32, #acc>
      cta.yield %d : tensor<64x128xf32, #acc>
    } : tensor<64x128xf32, #acc>
    ```

    Constraints:
    1. the yielded types are the result types.
    2. the parent is a loop (`scf.for`, `scf.while`) or a `cta.role` or `cta.launch`.
    3. the stage is 0 or more.
    4. only the first step of a block has a `schedule`: the `#cta.schedule` of all its steps.
  }];
  let arguments = (ins StrAttr:$sym_name, Cta_RoleKindAttr:$role, DefaultValuedAttr<I64Attr, "0">:$stage,
    OptionalAttr<Cta_ScheduleAttr>:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins "mlir::TypeRange":$results, "llvm::StringRef":$name, "RoleKind":$role, CArg<"int64_t", "0">:$stage), [{
    build($_builder, $_state, results, $_builder.getStringAttr(name), RoleKindAttr::get($_builder.getContext(), role),
          $_builder.getI64IntegerAttr(stage), ScheduleAttr()); }]>];
  let extraClassDeclaration = [{
    /// Replaces the step by the ops of its body.
    void inlineBody();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Cta_RoleOp : Cta_Op<"role", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "code that some warps of a block run concurrently with the others";
  let opDocGroup = Cta_RoleOps;
  let description = [{
    The warp-specialised roles of a launch run concurrently. They are the last ops of the launch. Before them are channels and scalar code,
    which all warps execute. Roles get their warps in program order. Math roles come first and have whole warpgroups. Roles communicate
    through channels only.

    `registers` is the number of registers of each thread of the role after `setmaxnreg`: a multiple of 8 from 24 to 256, for whole
    warpgroups only.

    With `replicas(n)` there are n groups of `warps` warps, one after the other, that run the same code (ping-pong). Each has its own
    `cta.replica` number and its own copy of the shared tiles that the role writes. `staged` is the bytes of one such copy, set by
    `cta-allocate-shared`.

    Lifespan: made by `cta-specialize-warps`; lowered by `convert-cta-to-nvvm`.

    ```mlir
    cta.role @math warps(8) { … }
    cta.role @producer warps(1) {
      cta.elect { … }
    }
    cta.role @pingpong warps(4) replicas(2) { … }
    ```

    Constraints:
    1. it is directly in a `cta.launch`, and only roles follow it.
    2. at least one warp; a role with `registers` has a multiple of four.
    3. there are 2 or more `replicas`, each of whole warpgroups, and at most 32 warps in all.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$warps, OptionalAttr<I64Attr>:$replicas,
    OptionalAttr<I64Attr>:$registers, OptionalAttr<I64Attr>:$staged);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `warps` `(` $warps `)` (`replicas` `(` $replicas^ `)`)? attr-dict-with-keyword $body";
  let extraClassDeclaration = [{
    /// The number of groups of warps that run this: 1 without `replicas`.
    int64_t numReplicas() { return static_cast<int64_t>(getReplicas().value_or(1)); }
    int64_t totalWarps() { return numReplicas() * static_cast<int64_t>(getWarps()); }
  }];
  let hasVerifier = 1;
}

def Cta_ElectOp : Cta_Op<"elect", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "code that one thread of the role runs";
  let opDocGroup = Cta_RoleOps;
  let description = [{
    The elected thread of the role runs the body. It holds only scalars and asynchronous operations, so every scalar is uniform (checked by
    `cta-verify`).

    ```mlir
    cta.elect {
      …
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

def Cta_YieldOp : Cta_Op<"yield", [Pure, ReturnLike, Terminator, ParentOneOf<["StepOp", "ForOutputTilesOp"]>]> {
  let summary = "end of a step, or of an iteration of a loop over output tiles";
  let opDocGroup = Cta_RoleOps;
  let description = "```mlir\ncta.yield %d : tensor<64x128xf32, #acc>\n```";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
}

#endif
