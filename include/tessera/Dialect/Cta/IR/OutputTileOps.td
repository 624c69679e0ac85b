// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// How the output tiles of a persistent launch are divided: replicas of a role take turns (ping-pong), blocks take numbers from a queue. And the
// scalars that one role hands to another.
#ifndef TESSERA_CTA_OUTPUT_TILE_OPS
#define TESSERA_CTA_OUTPUT_TILE_OPS

include "tessera/Dialect/Cta/IR/ChannelOps.td"
include "mlir/Interfaces/InferIntRangeInterface.td"

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

//===--- queues -----------------------------------------------------------------------------===//

def Cta_QueueMemRef : MemRefRankOf<[I32], [1]>;

def Cta_QueuedOp : Cta_Op<"queued", [Pure, Cta_NoCost, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the number of the output tile that the queue of a launch gives";
  let opDocGroup = Cta_LaunchOps;
  let description = [{
    `%t` is the number that this iteration of a `cta.for_output_tiles` would have if each of n blocks took every n-th output tile. The result is the number
    that the block computes instead. All blocks of the launch take numbers from one queue, in ascending order, each whenever it is free. So
    blocks whose output tiles are short compute more of them. Each number is given once, so the iterations of all blocks together compute what they would without
    the queue; the op without the queue is its operand, and that is what `convert-cta-to-tile` makes of it.

    `%queue` is workspace of one number, which is 0 when a launch begins and when it ends (`tile.init = 0`, `tile.restored`).

    Lifespan: made by `cta-lower-grid`; `cta-lower-queues` replaces it. Without roles it becomes its operand.

    ```mlir
    cta.for_output_tiles %t = %block to %count step %blocks : i32 {
      %number = cta.queued %t from %queue : memref<1xi32>
      …
    }
    ```

    Constraints:
    1. the operand is the number of the `cta.for_output_tiles` in which the op stands, directly.
    2. the loop begins with the number of the block, and its step is the number of blocks.
  }];
  let arguments = (ins I32:$number, Cta_QueueMemRef:$queue);
  let results = (outs I32:$result);
  let assemblyFormat = "$number `from` $queue attr-dict `:` type($queue)";
  let builders = [OpBuilder<(ins "mlir::Value":$number, "mlir::Value":$queue), [{
    build($_builder, $_state, $_builder.getI32Type(), number, queue); }]>];
  let hasVerifier = 1;
}

def Cta_TakeNumberOp : Cta_Op<"take_number", [DeclareOpInterfaceMethods<Cta_MemoryAccessOpInterface>]> {
  let summary = "take the next number from the queue of a launch";
  let opDocGroup = Cta_LaunchOps;
  let description = [{
    One thread adds 1 to the word of the queue (`atom.relaxed.gpu`). The result is what was there plus `first`, the number of blocks, which have begun with
    the numbers below it. A block takes numbers until one is not below the number of output tiles.

    Lifespan: made by `cta-lower-queues`; lowered by `convert-cta-to-nvvm`.

    ```mlir
    %next = cta.take_number %queue first = %blocks : memref<1xi32>
    ```

    Constraints:
    1. it is in a `cta.elect`.
  }];
  let arguments = (ins Cta_QueueMemRef:$queue, I32:$first);
  let results = (outs I32:$result);
  let assemblyFormat = "$queue `first` `=` $first attr-dict `:` type($queue)";
  let builders = [OpBuilder<(ins "mlir::Value":$queue, "mlir::Value":$first), [{
    build($_builder, $_state, $_builder.getI32Type(), queue, first); }]>];
  let hasVerifier = 1;
}

def Cta_CloseQueueOp : Cta_Op<"close_queue", [DeclareOpInterfaceMethods<Cta_MemoryAccessOpInterface>]> {
  let summary = "leave a queue as the next launch needs it";
  let opDocGroup = Cta_LaunchOps;
  let description = [{
    `last` is the last number that the block has taken, the first one that is not below `count`. The blocks that have an output tile take one number more than they compute
    output tiles, so all blocks together take `count` numbers. Who has the greatest of them, `first + count - 1`, sets the word to 0: nobody takes another one.

    Lifespan: made by `cta-lower-queues`; lowered by `convert-cta-to-nvvm`.

    ```mlir
    cta.close_queue %queue last = %number first = %blocks count = %count : memref<1xi32>
    ```

    Constraints:
    1. it is in a `cta.elect`.
  }];
  let arguments = (ins Cta_QueueMemRef:$queue, I32:$last, I32:$first, I32:$count);
  let assemblyFormat = "$queue `last` `=` $last `first` `=` $first `count` `=` $count attr-dict `:` type($queue)";
  let hasVerifier = 1;
}

def Cta_PutScalarOp : Cta_Op<"put_scalar", [DeclareOpInterfaceMethods<Cta_MemoryAccessOpInterface>]> {
  let summary = "write a scalar into a slot of a ring";
  let opDocGroup = Cta_BarrierOps;
  let description = [{
    The elected thread writes the scalar to shared memory. Its arrival on the *full* mbarrier of the slot, which follows, hands it over.

    Lifespan: made by `cta-lower-channels`, of a `cta.commit` of a channel of scalars.

    ```mlir
    cta.put_scalar %n, %slot : i32, !cta.smem<1xi32, #cta.swizzle<linear>>
    ```

    Constraints:
    1. the slot holds one element, of the scalar's type, of 32 bits.
    2. it is in a `cta.elect`.
  }];
  let arguments = (ins AnyType:$value, Cta_SmemType:$slot);
  let assemblyFormat = "$value `,` $slot attr-dict `:` type($value) `,` type($slot)";
  let hasVerifier = 1;
}

def Cta_GetScalarOp : Cta_Op<"get_scalar", [DeclareOpInterfaceMethods<Cta_MemoryAccessOpInterface>]> {
  let summary = "read a scalar from a slot of a ring";
  let opDocGroup = Cta_BarrierOps;
  let description = [{
    Every thread reads the scalar. The wait for the *full* mbarrier of the slot precedes it.

    Lifespan: made by `cta-lower-channels`, of a `cta.wait` of a channel of scalars.

    ```mlir
    %n = cta.get_scalar %slot : !cta.smem<1xi32, #cta.swizzle<linear>> -> i32
    ```

    Constraints:
    1. the slot holds one element, of the scalar's type, of 32 bits.
  }];
  let arguments = (ins Cta_SmemType:$slot);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$slot attr-dict `:` type($slot) `->` type($result)";
  let hasVerifier = 1;
}

#endif
