// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Conversion/CtaToNVVM.h"

using namespace mlir;

LogicalResult tessera::expandMathForNVVM(Operation *root) { return success(); }
