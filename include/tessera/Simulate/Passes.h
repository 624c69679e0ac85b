// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The simulator's passes. The documentation of each is in Passes.td.
#ifndef TESSERA_SIMULATE_PASSES_H
#define TESSERA_SIMULATE_PASSES_H

#include "mlir/Pass/Pass.h"
#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::simulate {
#define GEN_PASS_DECL
#include "tessera/Simulate/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tessera/Simulate/Passes.h.inc"
} // namespace tessera::simulate

#endif
