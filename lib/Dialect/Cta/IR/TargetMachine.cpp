// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/TargetMachine.h"

#include "tessera/Machine/Machines.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace tessera;

const Machine &tessera::cta::machineOf(Operation *op) {
  std::string error;
  for (; op; op = op->getParentOp())
    if (auto chip = op->getAttrOfType<StringAttr>(kTargetAttr))
      if (const Machine *machine = tessera::machineOf(chip.getValue(), error))
        return *machine;
  return kDefaultMachine;
}
