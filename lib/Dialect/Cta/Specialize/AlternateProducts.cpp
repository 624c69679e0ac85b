// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-alternate-products: warpgroups that compute with the result of a product in each iteration
// issue it in turn, so that some have products while others compute.
#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Specialize/Passes.h"

namespace tessera::cta {
#define GEN_PASS_DEF_ALTERNATEPRODUCTS
#include "tessera/Dialect/Cta/Specialize/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// The only product of the loop, if it is synchronous, in the body itself and not on accumulators;
/// else null.
static WgmmaOp onlyProduct(CountedLoop loop) {
  WgmmaOp only;
  bool several = false;
  loop->walk([&](Operation *op) {
    if (isa<LoopLikeOpInterface>(op) && op != loop.getOperation())
      several = true;
    if (!isa<WgmmaOp, MmaOp>(op))
      return;
    several |= only || !isa<WgmmaOp>(op);
    only = dyn_cast<WgmmaOp>(op);
  });
  if (several || !only || only->getBlock() != loop.getBody() || only.getC() ||
      only.aInRegisters() || only.isAsync())
    return {};
  return only;
}

/// True if arithmetic of the loop needs the product's result.
static bool isComputedWith(WgmmaOp product) {
  return llvm::any_of(product->getUsers(), [&](Operation *user) {
    return product->getBlock()->findAncestorOpInBlock(*user) &&
           !user->hasTrait<OpTrait::IsTerminator>() && CostModel::classOf(user) != WorkClass::Free;
  });
}

/// The cycles of the tensor cores for a product of all warpgroups from which it is issued in turn:
/// a turn costs two barriers of warpgroups and a wait for half of a product. Source:
/// docs/performance/constants.md.
static constexpr double kLeastCycles = 256;

namespace {
struct AlternateProducts : cta::impl::AlternateProductsBase<AlternateProducts> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Specialized, getArgument())))
      return signalPassFailure();
    const Machine &machine = machineOf(kernel);
    kernel.walk([&](CountedLoop loop) {
      WgmmaOp product = onlyProduct(loop);
      if (product && tensorCycles(machine, product) >= kLeastCycles && isComputedWith(product) &&
          !product.whyNotInTurn())
        product.setInTurn(true);
    });
  }
};
} // namespace
