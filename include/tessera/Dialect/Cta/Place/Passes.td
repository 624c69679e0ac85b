// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_PLACE_PASSES
#define TESSERA_CTA_PLACE_PASSES

include "tessera/Dialect/Cta/PassBase.td"

def ConvertTileToCta : CtaPass<"convert-tile-to-cta"> {
  let summary = "Turn a tile program into cta ops on tensors without layouts";
  let description = [{
    Requires L0 (accepted by `tile-verify`, helpers inlined). Ensures *raw*. Named reductions become general ones. Operands of products are
    written to shared memory (`cta.stage` with the swizzle `#cta.swizzle<?>`) where they are made, so an operand from outside a loop is
    written once. Products become `cta.mma`.

    `warpgroups` is chosen unless the kernel or its plan gives it. With products for the tensor cores it is the largest of 1, 2, 3 that
    divides the rows of all of them into multiples of 64; if possible, such that no thread has more than 128 accumulator registers of one
    product. Without such products it is 1, 2 or 4: the smallest with which a thread has at most 32 elements of the largest tile (64 if all
    warps must cooperate to reduce it), or 4.
  }];
}

def FormWgmma : CtaPass<"cta-form-wgmma"> {
  let summary = "Choose the matrix products that the tensor cores compute (cta.wgmma)";
  let description = [{
    Requires and ensures *raw*. Replaces `cta.mma` by `cta.wgmma` where types and extents allow it. It inserts layout conversions without an
    encoding, as places where the layout may change. `a` stays in registers if it is computed from the result of a product, because a way
    through shared memory would be a detour. Operands that are not of 16 bits must be K-major: a shared tile that products need both ways
    becomes two. An operand that is loaded under another shape (pages of rows) is staged under that shape, and products read a `cta.view` of it.
    A remaining `cta.mma` gets `why`; with `require = [wgmma]` on it or on the kernel that is an
    error.
  }];
}

def AssignLayouts : CtaPass<"cta-assign-layouts"> {
  let summary = "Give every tensor a register layout";
  let description = [{
    Requires *raw*. Afterwards every tensor has a `#cta.frag`. Layouts start from products first, then from accesses to memory (coalesced)
    and reductions. They propagate through elementwise ops, loops and shape ops. Where two layouts meet, the cheapest conversion is
    inserted.
  }];
}

def SwizzleShared : CtaPass<"cta-swizzle-shared"> {
  let summary = "Choose the layout of shared tiles that products read";
  let description = [{
    Requires and ensures *raw*. Replaces `#cta.swizzle<?>`. Operands of `cta.wgmma` that are not of 16 bits have K as their contiguous dimension; if it is not
    that of their source in memory, threads turn the tile, and `why` of the product says so. Others have the contiguous dimension of their
    source in memory, which is followed through arithmetic. Otherwise it is the dimension along which a thread has neighbouring elements, otherwise K. They get the widest swizzle that
    the product accepts. Operands of `cta.mma` are linear, with the padding for which the product's reads have the fewest bank conflicts
    (counted). The tile that a view shows is swizzled as the view. Tiles of TMA stores and of residuals get their layout from `cta-select-copies`.
  }];
}

def SelectCopies : CtaPass<"cta-select-copies"> {
  let summary = "Choose how data moves between global memory, shared memory and registers";
  let description = [{
    Requires *raw*; ensures *placed*. A `cta.stage` of a `cta.load` becomes a `cta.copy`: by TMA if the facts of the variant make that
    legal; otherwise by cp.async if they allow pieces of 4, 8 or 16 bytes that are no narrower than register vectors would be. So does that
    of a `cta.gather` with one index tile of rank 1: by TMA, with a box for each index, if an index selects 1 KiB or more, otherwise by
    cp.async. The ops that compute the index tile are cloned in the layout of the threads that copy; a mask, and for TMA a limit, makes an
    index -1. If threads use the tile of a `cta.load` in a loop, too, and TMA can fetch it, they read it from where the product does
    (`cta.read`). A `cta.store` of a tile with an accumulator's layout (conversions are looked through), of at most 128 KiB, becomes `cta.stage`
    and `cta.copy_out`. So does that of a `cta.reshape` of such a tile which keeps its rows (pixels of images, whose channels lie along contiguous
    memory): TMA stores a `cta.view` of what is staged. The tile of such a store, and that of a residual that TMA loads, gets the widest
    swizzle with which TMA can move it (`tmaImage`). Other accesses get their `vector` width. The rules are in `tessera/Dialect/Cta/IR/CopyRules.h`. TMA coordinates have 32
    bits: a coordinate of a load that may need more is replaced, where it does, by one that is out of bounds too. `why` records each
    decision against a better mechanism; with `require = [tma]` such a decision is an error.
  }];
}

def TrimCopies : CtaPass<"cta-trim-copies"> {
  let summary = "Let copies by TMA leave out what lies outside of the array and nobody reads";
  let description = [{
    Requires and ensures *placed*. The last output tiles of a product often hang over the end of an array. TMA writes zeros for what lies
    outside, and seems to read memory for it nevertheless, the same few cache lines for all rows outside. Where many blocks do this at once,
    a copy takes up to six times as long (docs/performance/constants.md).

    A `cta.copy` by TMA gets `trim = d` if nothing depends on what it brings from outside of the array along dimension d of the tile. This
    is so if a value depends on row r of the copied tile only in its own row r, and no store writes that row where it lies outside of the
    copied array:

    1. From the copy the pass follows dimension d through products (a row of `a`, or a column of `b`, makes that row or column of the result
       alone), elementwise ops, changes of layout, broadcasts, transposes, shared memory, loops and branches.
    2. Each way ends at a store with the coordinate of the copy. The array that is stored to has no more rows along that dimension than the
       copied one. A loop carries a value to its next iteration only if the coordinate is the same there.
    3. The extent is at least 32: zeros for fewer rows take no time. The coordinate is a multiple of the extent and not negative, the size is
       not known to be one, and a box can be cut or left out along d.

    Any other use, for instance a reduction along d, an assertion, or a product that sums over d, keeps the zeros: the copy stays as it is.

    ```mlir
    // Before; the product's rows go to %C[%i, %j].
    %before = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
    // After.
    %after = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>, trim = 0 : i64} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
    ```
  }];
  let statistics = [Statistic<"numTrimmed", "trimmed", "copies that leave out what lies outside">];
}

#endif
