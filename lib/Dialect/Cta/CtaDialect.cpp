// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Cta.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::cta;

#include "tessera/Dialect/Cta/CtaDialect.cpp.inc"
#include "tessera/Dialect/Cta/CtaEnums.cpp.inc"
#include "tessera/Dialect/Cta/CtaInterfaces.cpp.inc"

void CtaDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "tessera/Dialect/Cta/CtaOps.cpp.inc"
      >();
}
