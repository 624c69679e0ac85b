// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families under which docs/dialects/Cta.md shows the ops. Each op names its family in `opDocGroup`.
#ifndef TESSERA_CTA_FAMILIES
#define TESSERA_CTA_FAMILIES

include "mlir/IR/OpBase.td"

def Cta_LaunchOps : OpDocGroup {
  let summary = "Launches";
  let description = [{
    A launch holds the code of one block. The other ops say which block it is, of how many, and how many clusters the GPU runs at the same
    time: what a persistent launch needs to divide its output tiles. Made by `cta-lower-grid` (docs/design/Launches.md,
    docs/design/Clusters.md).
  }];
}

def Cta_CopyOps : OpDocGroup {
  let summary = "Global memory and copies";
  let description = [{
    The four ways between global memory and a block: `cta.load` and `cta.store` to and from registers, `cta.copy` and `cta.copy_out` to and
    from shared memory. Which of them an access of the tile program becomes is decided by `cta-select-copies` (docs/design/Copies.md).
  }];
}

def Cta_SharedOps : OpDocGroup {
  let summary = "Shared tiles";
  let description = [{
    Between registers and shared memory. A shared tile is an immutable value of type `!cta.smem`: `cta.stage` makes one, `cta.read` brings
    it back, and `cta.view` names the same bytes otherwise. Bytes and barriers come in phase *allocated* (docs/design/SharedMemory.md).
  }];
}

def Cta_ProductOps : OpDocGroup {
  let summary = "Matrix products";
  let description = [{
    Products on the tensor cores and on the FMA units. A wgmma is asynchronous: its result may be a product in flight, of type `!cta.async`,
    which enters by `cta.ready`, ends by `cta.complete` and is counted by `cta.wgmma_wait` (docs/design/ProductsInFlight.md).
  }];
}

def Cta_ShapeOps : OpDocGroup {
  let summary = "Reductions, layouts and shapes";
  let description = [{
    What a block does with register tiles beside arithmetic. In phase *placed* the layouts say what each of these ops costs: nothing, moves
    between the registers of a thread, shuffles, or a way through shared memory. `cta-decompose` makes that way explicit. Element-wise
    arithmetic is `arith` and `math` on tensors with a layout.
  }];
}

def Cta_ChannelOps : OpDocGroup {
  let summary = "Channels";
  let description = [{
    A channel is a bounded queue of shared tiles; CUTLASS calls it a pipeline. The producer acquires a slot, copies into it and commits it;
    the consumer waits for the slot, reads it and releases it. `cta-pipeline-copies` makes channels, `cta-lower-channels` turns them into
    rings and mbarriers (docs/design/Channels.md).
  }];
}

def Cta_RoleOps : OpDocGroup {
  let summary = "Roles, steps and turns";
  let description = [{
    Which threads run what, and when. Roles are the warps of a block that run concurrently (docs/design/Roles.md). Steps are the parts of a
    loop body that a schedule moves as one (docs/design/Schedules.md). Turns let the replicas of a role, in ping-pong kernels, read a
    channel one after the other (docs/design/Epilogues.md).
  }];
}

def Cta_BarrierOps : OpDocGroup {
  let summary = "Rings, mbarriers, barriers and fences";
  let description = [{
    What makes a block's threads, copies and products wait for each other in phase *allocated*. `cta-lower-channels` makes the rings and the
    ops on mbarriers of channels, `cta-insert-barriers` everything else (docs/design/SharedMemory.md).
  }];
}

def Cta_PartialOps : OpDocGroup {
  let summary = "Partial sums";
  let description = [{
    Stream-K divides an output tile among blocks by iterations of the main loop. One block writes its accumulators to workspace, another one
    adds them to its own (docs/design/Launches.md).
  }];
}

def Cta_TableOps : OpDocGroup {
  let summary = "Private tables";
  let description = [{
    Where the atomics of a launch meet few elements, each block makes them on a copy of its own, in shared memory, and at last adds the copy
    to the elements (docs/design/Atomics.md).
  }];
}

#endif
