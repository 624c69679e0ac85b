// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_ERASE_PASSES
#define TESSERA_CTA_ERASE_PASSES

include "tessera/Dialect/Cta/PassBase.td"

def ConvertCtaToTile : CtaPass<"convert-cta-to-tile"> {
  let summary = "Erase placement and schedule: turn a kernel back into a tile program";
  let description = [{
    Requires *raw*, *placed* or *scheduled*; ensures L0. Every op becomes the L0 op it stands for (`EraseOpInterface`), layouts, shared memory, mechanisms, `phase` and
    `warpgroups` vanish, demands (`require`) and hints with them. A `cta.launch` becomes a grid over its blocks, steps are inlined, a `cta.wait` sees the
    tiles of the commit with its number, which must be known from the text: both in one block, or carried from one iteration to the next. What runs on the CPU afterwards is what the placed kernel means: a test of the passes that
    placed it.
  }];
}

#endif
