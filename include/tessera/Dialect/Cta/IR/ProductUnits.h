// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which unit computes a product, as its types say.
#ifndef TESSERA_DIALECT_CTA_IR_PRODUCTUNITS_H
#define TESSERA_DIALECT_CTA_IR_PRODUCTUNITS_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

/// True if mma.sync computes the product: its result is of f64, in the layout of accumulators of
/// mma.sync. False before layouts are known.
bool isMmaSync(MmaOp op);

} // namespace tessera::cta

#endif
