// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Replicas of a role, which deal out the points of a persistent loop among themselves (ping-pong).
#ifndef TESSERA_CTA_REPLICA_OPS
#define TESSERA_CTA_REPLICA_OPS

include "tessera/Dialect/Cta/IR/ChannelOps.td"

def Cta_ReplicaOp : Cta_Op<"replica", [Pure]> {
  let summary = "the number of this replica of the role";
  let description = [{
    0 to `replicas` - 1; uniform over the warps of the replica.

    Lifespan: made by `cta-specialize-warps`; lowered by `convert-cta-to-nvvm`.

    ```mlir
    %r = cta.replica
    ```

    Constraints:
    1. stands in a `cta.role` with `replicas`.
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, $_builder.getI32Type()); }]>];
  let hasVerifier = 1;
}

class Cta_TurnOp<string mnemonic, list<Trait> traits = []>
    : Cta_Op<mnemonic, !listconcat([MemoryEffects<[MemRead, MemWrite]>], traits)> {
  let hasVerifier = 1;
}

def Cta_TakeTurnOp : Cta_TurnOp<"take_turn"> {
  let summary = "wait until the replica before has passed on the reading side of a channel";
  let description = [{
    The replicas of a role read one channel in the order of the points that they take: replica 0, 1, …, and again. `round` counts how often every replica had
    a turn before. Between its `cta.take_turn` and its `cta.pass_turn` a replica waits for the slots of its own point; for those of the others it has a `cta.skip`.

    The turn is more than an order that keeps the tensor cores fed: an mbarrier tells the phase it is in from the next, but not from the one after that. A
    replica that waited for its first slot while another still reads the ring many slots before would take an old phase for its own.

    Lifespan: made by `cta-specialize-warps`; `cta-lower-channels` makes an mbarrier a replica of it.

    ```mlir
    cta.take_turn %ch, %round : !channel
    ```

    Constraints:
    1. stands in a `cta.role` with `replicas`.
  }];
  let arguments = (ins Cta_ChannelType:$channel, I32:$round);
  let assemblyFormat = "$channel `,` $round attr-dict `:` type($channel)";
}

def Cta_PassTurnOp : Cta_TurnOp<"pass_turn"> {
  let summary = "let the next replica read the channel";
  let description = [{
    All slots of this replica's point have been waited for; they may still be in use. See `cta.take_turn`.

    ```mlir
    cta.pass_turn %ch : !channel
    ```

    Constraints:
    1. stands in a `cta.role` with `replicas`.
  }];
  let arguments = (ins Cta_ChannelType:$channel);
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
}

def Cta_SkipOp : Cta_TurnOp<"skip"> {
  let summary = "slots that another replica reads";
  let description = [{
    Moves the reading position of this replica over the next `count` slots of the channel without waiting for them.

    ```mlir
    cta.skip %ch, %count : !channel
    ```

    Constraints:
    1. stands in a `cta.role` with `replicas`.
  }];
  let arguments = (ins Cta_ChannelType:$channel, I32:$count);
  let assemblyFormat = "$channel `,` $count attr-dict `:` type($channel)";
}

#endif
