// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Sums over a part of a point's iterations, which one block hands to another (stream-K).
#ifndef TESSERA_CTA_PARTIAL_OPS
#define TESSERA_CTA_PARTIAL_OPS

include "tessera/Dialect/Cta/IR/CtaDialect.td"

class Cta_PartialOp<string mnemonic, list<Trait> traits = []>
    : Cta_Op<mnemonic, !listconcat([Cta_Erasable, MemoryEffects<[MemRead, MemWrite]>], traits)> {
  let hasVerifier = 1;
}

def Cta_PutPartialOp : Cta_PartialOp<"put_partial"> {
  let summary = "a sum over some iterations, left for another block";
  let description = [{
    Writes the tile to slot `slot` of workspace, in the order of the threads and not of the elements, and raises a flag for each warp (`st.release.gpu`, PTX ISA, memory
    consistency model). `cta.add_partial` with the same slot takes it, in another block of the same launch, and lowers the flags: they must be 0 when a launch begins and are 0
    when it ends (`tile.init = 0`, `tile.restored`).

    Lifespan: made by `cta-stream-k`, lowered by `convert-cta-to-nvvm`.

    ```mlir
    cta.put_partial %acc, %sums[%block], %flags : tensor<128x256xf32, #acc>, memref<?x128x256xf32>, memref<?x8xi32>
    ```

    Constraints:
    1. the workspace has a slot of the tile's shape and element type, of 32 bits, for each block;
    2. `flags` has an i32 for each warp that computes;
    3. each thread holds as many elements as every other, and each element is held once;
    4. it stands in no `cta.role` with `replicas`.
  }];
  let arguments = (ins AnyRankedTensor:$value, Arg<AnyMemRef, "slots">:$slots, Index:$slot, Arg<AnyMemRef, "flags">:$flags);
  let assemblyFormat = "$value `,` $slots `[` $slot `]` `,` $flags attr-dict `:` type($value) `,` type($slots) `,` type($flags)";
}

def Cta_AddPartialOp : Cta_PartialOp<"add_partial", [AllTypesMatch<["value", "result"]>]> {
  let summary = "a tile and the sum that another block has left";
  let description = [{
    Waits until `cta.put_partial` has filled slot `slot` and adds what is in it; the slot is empty again. A block waits only for blocks with a lower number: those are placed
    no later, so that whatever else runs on the device, some block can always go on.

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
