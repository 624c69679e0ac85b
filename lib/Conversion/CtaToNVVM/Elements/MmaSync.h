// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cta.mma of f64 by mma.sync.
#ifndef TESSERA_LIB_CONVERSION_CTATONVVM_ELEMENTS_MMASYNC_H
#define TESSERA_LIB_CONVERSION_CTATONVVM_ELEMENTS_MMASYNC_H

#include "../Lowering.h"

namespace tessera::nvvm {

/// The shared operands have offsets, and the layout of the result is one of mma.sync.
LogicalResult lowerMmaSync(Lowering &f, cta::MmaOp op);

} // namespace tessera::nvvm

#endif // TESSERA_LIB_CONVERSION_CTATONVVM_ELEMENTS_MMASYNC_H
