// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many registers of a thread a loop needs if its products are waited for where their results
// are needed.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_PRODUCTREGISTERS_H
#define TESSERA_DIALECT_CTA_ANALYSIS_PRODUCTREGISTERS_H

#include "tessera/Dialect/Cta/Analysis/ProductWaits.h"

namespace tessera::cta {

/// The registers of a thread at the product of the new order that needs most, including 26 for
/// other values. `a` in registers is live until its product is waited for.
int64_t registersOf(CountedLoop loop, llvm::ArrayRef<FlightStep> steps);

} // namespace tessera::cta

#endif
