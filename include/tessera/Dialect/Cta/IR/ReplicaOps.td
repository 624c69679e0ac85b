// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Replicas of a role, which divide the output tiles of a persistent launch among themselves (ping-pong).
#ifndef TESSERA_CTA_REPLICA_OPS
#define TESSERA_CTA_REPLICA_OPS

include "tessera/Dialect/Cta/IR/ChannelOps.td"

def Cta_ReplicaOp : Cta_Op<"replica", [Pure]> {
  let summary = "the number of this replica of the role";
  let opDocGroup = Cta_RoleOps;
  let description = [{
    0 to `replicas` - 1, uniform over the warps of the replica.

    Lifespan: made by `cta-specialize-warps`; lowered by `convert-cta-to-nvvm`.

    ```mlir
    %r = cta.replica
    ```

    Constraints:
    1. it is in a `cta.role` with `replicas`.
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, $_builder.getI32Type()); }]>];
  let hasVerifier = 1;
}

class Cta_TurnOp<string mnemonic, list<Trait> traits = []>
    : Cta_Op<mnemonic, !listconcat([Cta_ChannelEffects], traits)> {
  let hasVerifier = 1;
}

def Cta_TakeTurnOp : Cta_TurnOp<"take_turn"> {
  let summary = "wait until it is this replica's turn to read a channel";
  let opDocGroup = Cta_RoleOps;
  let description = [{
    The replicas of a role read one channel in the order of the output tiles that they compute: replica 0, 1, …, and again. `round` counts
    how many turns every replica has had before this one. Between its `cta.take_turn` and its `cta.pass_turn` a replica waits for the slots
    of its own output tile. For the slots of the others' output tiles it has a `cta.skip`.

    Turns keep the tensor cores busy, but they are also needed for correctness. By its parity a waiting thread can tell a phase of an
    mbarrier from the next one, but not from the one after that. Without turns, a replica might wait for its first slot while another one is
    still reading many slots earlier in the ring. It would then take an old phase for its own.

    Lifespan: made by `cta-specialize-warps`; `cta-lower-channels` turns it into one mbarrier for each replica.

    ```mlir
    cta.take_turn %ch, %round : !channel
    ```

    Constraints:
    1. it is in a `cta.role` with `replicas`.
  }];
  let arguments = (ins Cta_ChannelType:$channel, I32:$round);
  let assemblyFormat = "$channel `,` $round attr-dict `:` type($channel)";
}

def Cta_PassTurnOp : Cta_TurnOp<"pass_turn"> {
  let summary = "give the turn to read a channel to the next replica";
  let opDocGroup = Cta_RoleOps;
  let description = [{
    This replica has waited for all slots of its output tile; it may still be reading them. See `cta.take_turn`.

    ```mlir
    cta.pass_turn %ch : !channel
    ```

    Constraints:
    1. it is in a `cta.role` with `replicas`.
  }];
  let arguments = (ins Cta_ChannelType:$channel);
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
}

def Cta_SkipOp : Cta_TurnOp<"skip"> {
  let summary = "skip slots that other replicas read";
  let opDocGroup = Cta_RoleOps;
  let description = [{
    Advances this replica's read position in the channel by `count` slots, without waiting for them.

    ```mlir
    cta.skip %ch, %count : !channel
    ```

    Constraints:
    1. it is in a `cta.role` with `replicas`.
  }];
  let arguments = (ins Cta_ChannelType:$channel, I32:$count);
  let assemblyFormat = "$channel `,` $count attr-dict `:` type($channel)";
}

#endif
