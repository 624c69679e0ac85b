// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_PLACE_PASSES
#define TESSERA_CTA_PLACE_PASSES

include "tessera/Dialect/Cta/PassBase.td"

def ConvertTileToCta : CtaPass<"convert-tile-to-cta"> {
  let summary = "Turn a tile program into cta ops on tensors without layouts";
  let description = [{
    Requires L0 (`tile-verify` clean, helpers inlined). Ensures *raw*. Named reductions become general ones; operands of products are
    staged (`cta.stage` to `#cta.swizzle<?>`) where they are made, so that one from outside a loop is staged once; products are `cta.mma`.

    `warpgroups` is chosen unless the kernel or its plan gives it. With products for the tensor cores: the largest of 1, 2, 3 that splits the rows of all of them into
    64s, if possible such that no thread has more than 128 accumulator registers of one product. Without: 1, 2 or 4, so that a thread has at most 32 elements of the
    largest tile (64 if all warps must meet to reduce it), or 4.
  }];
}

def FormWgmma : CtaPass<"cta-form-wgmma"> {
  let summary = "Choose the matrix products that the tensor cores do (cta.wgmma)";
  let description = [{
    Requires and ensures *raw*. Replaces `cta.mma` by `cta.wgmma` where types and extents allow it, inserts converts only (without an encoding: there the
    layout may change), and keeps `a` in registers where it is computed from the result of a product: shared memory would be a detour. What stays a `cta.mma` gets
    `why`; with `require = [wgmma]` on it or on the kernel that is an error.
  }];
}

def AssignLayouts : CtaPass<"cta-assign-layouts"> {
  let summary = "Give every tensor a register layout";
  let description = [{
    Requires *raw*; afterwards every tensor has a `#cta.frag`. Hard anchors are products, then accesses to memory (coalesced) and reductions; layouts
    propagate through elementwise ops, loops and shape ops; where two meet, the cheapest conversion is inserted.
  }];
}

def SwizzleShared : CtaPass<"cta-swizzle-shared"> {
  let summary = "Choose the layout of every shared tile";
  let description = [{
    Replaces `#cta.swizzle<?>`. Operands of `cta.wgmma` lie as their source does in memory (seen through arithmetic), else as a thread has neighbours, else
    K-major; in the widest swizzle that divides the contiguous extent. Operands of `cta.mma` are linear, padded by what makes the product's reads meet the fewest bank
    conflicts (counted).
  }];
}

def SelectCopies : CtaPass<"cta-select-copies"> {
  let summary = "Choose how data moves between global memory, shared memory and registers";
  let description = [{
    Ensures *placed*. `cta.stage` of a `cta.load` becomes a `cta.copy` by TMA when the facts of the variant make it legal, else by cp.async when they
    make pieces of 4, 8 or 16 bytes legal that are no narrower than vectors of registers would be; a `cta.store` becomes
    `cta.stage` and `cta.copy_out` if it stores an accumulator's layout (looking through a conversion), at most 128 KiB; what remains gets its `vector` width. The rules are in
    `tessera/Dialect/Cta/IR/CopyRules.h`. A coordinate of a load by TMA that may need more than 32 bits is replaced where it does by one that lies outside, too. Every decision against a better mechanism is in `why`; with `require = [tma]` it is an error.
  }];
}

#endif
