// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Asynchrony: channels between roles, steps, roles, and what is in flight within a role.
#ifndef TESSERA_CTA_CHANNEL_OPS
#define TESSERA_CTA_CHANNEL_OPS

include "tessera/Dialect/Cta/IR/MemoryOps.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Cta_ChannelOp : Cta_Op<"channel", []> {
  let summary = "a ring of slots between roles";
  let description = [{
    Makes an empty channel. It stands directly in the `cta.launch`, before the loops and roles that use it.

    A producer *acquires* a slot, fills it with asynchronous copies and *commits* it; a consumer *waits* for the oldest committed slot, reads it and
    *releases* it. In the order of the program commit number i is what wait number i sees. The channel is a bounded queue with one producing
    and one consuming role: what the roles compute does not depend on their speed (a Kahn network), and whether it can stop for ever depends on the depth alone.

    Lifespan: made by `cta-pipeline-copies` with an open depth, which `cta-schedule` chooses; `cta-lower-channels` replaces it by
    `cta.ring`s and mbarriers.

    ```mlir
    %ch = cta.channel : !cta.channel<3, !cta.smem<128x64xbf16, #a>, !cta.smem<64x256xbf16, #b>>
    ```

    Constraints:
    1. stands directly in a `cta.launch`.
  }];
  let results = (outs Res<Cta_ChannelType, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Cta_AcquireOp : Cta_Op<"acquire", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait for a free slot";
  let description = [{
    The producing side: returns when the next slot of the channel has been released. The credit is used once, by `cta.commit`.

    ```mlir
    %slot = cta.acquire %ch : !channel
    ```
  }];
  let arguments = (ins Cta_ChannelType:$channel);
  let results = (outs Cta_CreditType:$credit);
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
}

def Cta_CommitOp : Cta_Op<"commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "hand a slot to the consumer";
  let description = [{
    The tiles become the contents of the slot. They are results of `cta.copy` between the acquire and the commit, in the same block and used by nothing
    else: the copies write into the slot, and the consumer waits for their bytes.

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

def Cta_WaitOp : Cta_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait for a filled slot";
  let description = [{
    The consuming side: returns when the oldest slot that was not yet waited for is full. The tiles may be read until the credit is released.

    ```mlir
    %slot, %a, %b = cta.wait %ch : !channel
    ```

    Constraints:
    1. the results are a credit and the channel's payload.
  }];
  let arguments = (ins Cta_ChannelType:$channel);
  let results = (outs Cta_CreditType:$credit, Variadic<AnyType>:$values);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "mlir::Value":$channel), [{
    auto type = llvm::cast<ChannelType>(channel.getType());
    $_state.addOperands(channel);
    $_state.addTypes(CreditType::get($_builder.getContext()));
    $_state.addTypes(type.getPayload()); }]>];
}

def Cta_ReleaseOp : Cta_Op<"release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "give a slot back";
  let description = [{
    All reads of the slot that precede it have happened; `after` names products in flight that read it and must have retired first (until `cta-insert-waits`, which
    puts a wait for them in front).

    ```mlir
    cta.release %ch, %slot after(%d : !cta.async<tensor<128x256xf32, #acc>>) : !channel
    ```

    Constraints:
    1. the credit comes from `cta.wait` of the same channel, directly or carried by a loop (checked by `cta-verify`).
  }];
  let arguments = (ins Cta_ChannelType:$channel, Cta_CreditType:$credit, Variadic<Cta_AsyncType>:$after);
  let assemblyFormat = "$channel `,` $credit (`after` `(` $after^ `:` type($after) `)`)? attr-dict `:` type($channel)";
}

def Cta_CompleteOp : Cta_Op<"complete", [MemoryEffects<[MemRead, MemWrite]>, Cta_Erasable,
    TypesMatchWith<"the result is the tile in flight", "source", "result", "llvm::cast<AsyncType>($_self).getTensor()">]> {
  let summary = "wait for a product in flight";
  let description = [{
    The only consumer of an asynchronous tile but a `cta.wgmma` that accumulates on it. How many groups may stay in flight is counted by
    `cta-insert-waits`, never written; behind that pass the source has been waited for by a `cta.wgmma_wait`, and only its type changes here.

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

def Cta_ReadyOp : Cta_Op<"ready", [Pure, Cta_Erasable,
    TypesMatchWith<"the result is the tile", "source", "result", "AsyncType::get($_ctxt, llvm::cast<mlir::RankedTensorType>($_self))">]> {
  let summary = "a tile in registers as one whose product has finished";
  let description = [{
    What a loop that carries products in flight starts from. Nothing is in flight: the result may have several consumers.

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

def Cta_StepOp : Cta_Op<"step", [SingleBlockImplicitTerminator<"cta::YieldOp">, RecursiveMemoryEffects]> {
  let summary = "what a schedule moves as one";
  let description = [{
    A part of the body of a loop that one role does, at a stage of the modulo schedule: with stage s the step of iteration i runs while
    stage 0 runs iteration i + s. The order of steps in the block is their order within a role. Names are unique in the loop.

    Lifespan: made by `cta-schedule` (or the user) in phase scheduled; gone after `cta-expand-loops`.

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
    4. only the first step of a block has a `schedule`, the `#cta.schedule` of all of them.
  }];
  let arguments = (ins StrAttr:$sym_name, Cta_RoleKindAttr:$role, DefaultValuedAttr<I64Attr, "0">:$stage,
    OptionalAttr<Cta_ScheduleAttr>:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins "mlir::TypeRange":$results, "llvm::StringRef":$name, "RoleKind":$role, CArg<"int64_t", "0">:$stage), [{
    build($_builder, $_state, results, $_builder.getStringAttr(name), RoleKindAttr::get($_builder.getContext(), role),
          $_builder.getI64IntegerAttr(stage), ScheduleAttr()); }]>];
  let extraClassDeclaration = [{
    /// Its ops take its place.
    void inlineBody();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Cta_RoleOp : Cta_Op<"role", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "what one group of warps does, beside the others";
  let description = [{
    The roles of a launch run concurrently. They are its last ops; before them stand channels and scalar code that all warps execute. Warps are dealt out in the order
    of the text; math roles come first and take whole warpgroups. Roles meet in channels only.

    `registers` is what each thread of the role has after `setmaxnreg` (whole warpgroups only; multiples of 8 from 24 to 256).

    With `replicas(n)` there are n groups of so many warps, one behind the other, that run the same code, each with its own `cta.replica` and its own copy of the tiles
    that the role stages (`staged` bytes of shared memory each, set by `cta-allocate-shared`).

    Lifespan: made by `cta-specialize-warps`; lowered by `convert-cta-to-nvvm`.

    ```mlir
    cta.role @math warps(8) { … }
    cta.role @producer warps(1) {
      cta.elect { … }
    }
    cta.role @pingpong warps(4) replicas(2) { … }
    ```

    Constraints:
    1. stands directly in a `cta.launch`; only roles follow it.
    2. at least one warp; a role with `registers` has a multiple of four.
    3. 2 or more `replicas`, of whole warpgroups; at most 32 warps together.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$warps, OptionalAttr<I64Attr>:$replicas,
    OptionalAttr<I64Attr>:$registers, OptionalAttr<I64Attr>:$staged);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `warps` `(` $warps `)` (`replicas` `(` $replicas^ `)`)? attr-dict-with-keyword $body";
  let extraClassDeclaration = [{
    /// How many groups of warps run this, 1 without `replicas`.
    int64_t numReplicas() { return static_cast<int64_t>(getReplicas().value_or(1)); }
    int64_t totalWarps() { return numReplicas() * static_cast<int64_t>(getWarps()); }
  }];
  let hasVerifier = 1;
}

def Cta_ElectOp : Cta_Op<"elect", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "one thread of the role";
  let description = [{
    The body runs in one thread. It holds scalars and asynchronous operations only, so every scalar is uniform (checked by `cta-verify`).

    ```mlir
    cta.elect {
      …
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

def Cta_YieldOp : Cta_Op<"yield", [Pure, ReturnLike, Terminator, HasParent<"StepOp">]> {
  let summary = "end of a step";
  let description = "```mlir\ncta.yield %d : tensor<64x128xf32, #acc>\n```";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
}

#endif
