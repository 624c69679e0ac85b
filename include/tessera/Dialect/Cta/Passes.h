// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All passes of the dialect `cta`. The documentation of each is in the Passes.td of its folder.
#ifndef TESSERA_DIALECT_CTA_PASSES_H
#define TESSERA_DIALECT_CTA_PASSES_H

#include "tessera/Dialect/Cta/Allocate/Passes.h"
#include "tessera/Dialect/Cta/Erase/Passes.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"
#include "tessera/Dialect/Cta/Place/Passes.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"
#include "tessera/Dialect/Cta/Specialize/Passes.h"
#include "tessera/Dialect/Cta/Verify/Passes.h"

namespace tessera::cta {
/// Registers all of them.
inline void registerCtaPasses() {
  registerCtaVerifyPasses();
  registerCtaPlacePasses();
  registerCtaPlanPasses();
  registerCtaPipelinePasses();
  registerCtaSpecializePasses();
  registerCtaAllocatePasses();
  registerCtaErasePasses();
}
} // namespace tessera::cta

#endif
