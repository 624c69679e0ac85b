// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Partial sums of an output tile, which one block hands to another (stream-K).
#ifndef TESSERA_CTA_PARTIAL_OPS
#define TESSERA_CTA_PARTIAL_OPS

include "tessera/Dialect/Cta/IR/MemoryOps.td"

class Cta_PartialOp<string mnemonic, list<Trait> traits = []>
    : Cta_Op<mnemonic, !listconcat([Cta_Erasable, Cta_Accesses, MemoryEffects<[MemRead, MemWrite]>], traits)> {
  let hasVerifier = 1;
}

def Cta_PutPartialOp : Cta_PartialOp<"put_partial"> {
  let summary = "write partial sums to workspace for another block";
  let opDocGroup = Cta_PartialOps;
  let description = [{
    Writes the accumulators to slot `slot` of workspace, in the order of the threads and not of the elements. Then it raises a flag for each
    warp (`st.release.gpu`, PTX ISA, memory consistency model). A `cta.add_partial` with the same slot, in another block of the same launch,
    reads the slot and lowers the flags. The flags must be 0 when a launch begins, and are 0 again when it ends (`tile.init = 0`,
    `tile.restored`).

    Lifespan: made by `cta-stream-k`, lowered by `convert-cta-to-nvvm`.

    ```mlir
    cta.put_partial %acc, %sums[%block], %flags : tensor<128x256xf32, #acc>, memref<?x128x256xf32>, memref<?x8xi32>
    ```

    Constraints:
    1. the workspace has one slot for each block, of the tile's shape and element type; elements have 32 bits;
    2. `flags` has an i32 for each math warp of each block;
    3. all threads hold the same number of elements, and each element is held once;
    4. it is in no `cta.role` with `replicas`.
  }];
  let arguments = (ins AnyRankedTensor:$value, Arg<AnyMemRef, "slots">:$slots, Index:$slot, Arg<AnyMemRef, "flags">:$flags);
  let assemblyFormat = "$value `,` $slots `[` $slot `]` `,` $flags attr-dict `:` type($value) `,` type($slots) `,` type($flags)";
}

def Cta_AddPartialOp : Cta_PartialOp<"add_partial", [AllTypesMatch<["value", "result"]>]> {
  let summary = "add the partial sums that another block has written";
  let opDocGroup = Cta_PartialOps;
  let description = [{
    Waits until `cta.put_partial` has filled slot `slot`, and adds its contents to the tile. The slot is free again afterwards. A block
    waits only for blocks with a lower number, which the device places no later. So some block can always make progress, whatever else runs
    on the device.

    ```mlir
    %sum = cta.add_partial %acc, %sums[%other], %flags : tensor<128x256xf32, #acc>, memref<?x128x256xf32>, memref<?x8xi32>
    ```

    Constraints:
    1. as for `cta.put_partial`.
  }];
  let arguments = (ins AnyRankedTensor:$value, Arg<AnyMemRef, "slots">:$slots, Index:$slot, Arg<AnyMemRef, "flags">:$flags);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value `,` $slots `[` $slot `]` `,` $flags attr-dict `:` type($value) `,` type($slots) `,` type($flags)";
}

#endif
