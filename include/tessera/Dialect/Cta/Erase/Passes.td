// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_ERASE_PASSES
#define TESSERA_CTA_ERASE_PASSES

include "tessera/Dialect/Cta/PassBase.td"

def ConvertCtaToTile : CtaPass<"convert-cta-to-tile"> {
  let summary = "Erase placement and schedule: turn a kernel back into a tile program";
  let description = [{
    Requires a phase from *raw* to *scheduled*; ensures L0. Every op becomes the L0 op for which it stands (`EraseOpInterface`). Layouts,
    shared memory, mechanisms, `phase`, `warpgroups`, demands (`require`) and hints are dropped. A `cta.launch` becomes a grid over its
    blocks, and steps are inlined. A `cta.wait` gets the tiles of the commit with the same number. That commit must be evident from the IR:
    it is in the same block, or its tiles are carried from one iteration to the next. The result means what the placed kernel means, so
    running it on the CPU tests the passes that placed the kernel.
  }];
}

#endif
