// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All passes of the dialect, folder by folder, in the order in which a kernel passes through the folders.
#ifndef TESSERA_CTA_PASSES
#define TESSERA_CTA_PASSES

include "tessera/Dialect/Cta/Place/Passes.td"
include "tessera/Dialect/Cta/Plan/Passes.td"
include "tessera/Dialect/Cta/Pipeline/Passes.td"
include "tessera/Dialect/Cta/Specialize/Passes.td"
include "tessera/Dialect/Cta/Allocate/Passes.td"
include "tessera/Dialect/Cta/Verify/Passes.td"
include "tessera/Dialect/Cta/Erase/Passes.td"

#endif
