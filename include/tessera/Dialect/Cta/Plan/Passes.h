// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_DIALECT_CTA_PLAN_PASSES_H
#define TESSERA_DIALECT_CTA_PLAN_PASSES_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "mlir/Pass/Pass.h"

namespace tessera::cta {
#define GEN_PASS_DECL
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

#endif
