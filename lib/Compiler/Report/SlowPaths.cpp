// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/SlowPaths.h"

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace mlir;
using namespace tessera;

/// How the units that compute products of these elements compare with the tensor cores.
static std::string compareUnits(const Machine &machine, Type element) {
  const double peak = element.isF64() ? machine.fmaFlops64 : machine.fmaFlops32;
  return "about " + std::to_string(std::lround(machine.tensorFlops16 / peak)) +
         " times slower than the tensor cores in bf16";
}

void tessera::warnOfSlowProducts(ModuleOp module) {
  const Machine &machine = cta::machineOf(module);
  llvm::StringSet<> seen;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    if (!seen.insert(kernel.getVariantOf().value_or(kernel.getSymName())).second)
      continue;
    // Passes make copies of a product; they have its location.
    DenseSet<Location> said;
    kernel.walk([&](cta::MmaOp product) {
      std::optional<StringRef> why = product.getWhy();
      if (!why || cta::isMmaSync(product) || !said.insert(product.getLoc()).second)
        return;
      emitWarning(product.getLoc())
          << "this product runs on the FMA units, which are "
          << compareUnits(machine, product.getAType().getElementType()) << ": " << *why;
    });
  }
}
