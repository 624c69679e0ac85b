// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: warnings about code that is right but slow.
#ifndef TESSERA_LIB_COMPILER_REPORT_SLOWPATHS_H
#define TESSERA_LIB_COMPILER_REPORT_SLOWPATHS_H

#include "mlir/IR/BuiltinOps.h"

namespace tessera {

/// Warns of each matrix product that runs on the FMA units, in the first variant of each kernel:
/// the variant that most launches use. The module is in phase allocated.
void warnOfSlowProducts(mlir::ModuleOp module);

} // namespace tessera

#endif
