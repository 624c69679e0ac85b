// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of cta-assign-layouts: values that every user can make for itself.
#ifndef TESSERA_LIB_DIALECT_CTA_PLACE_CHEAPVALUES_H
#define TESSERA_LIB_DIALECT_CTA_PLACE_CHEAPVALUES_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

/// Gives every user of a constant a copy of its own. A shared constant would tie the classes of
/// layouts of its users together for no reason.
void rematerializeCheapValues(tile::KernelOp kernel);

} // namespace tessera::cta

#endif
