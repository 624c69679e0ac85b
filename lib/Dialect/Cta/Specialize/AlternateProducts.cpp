// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-alternate-products: warpgroups that compute with the results of products in each iteration
// issue them in turn, so that some have products while others compute.
#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Specialize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
static bool isComputedWith(Operation *product) {
  return llvm::any_of(product->getUsers(), [&](Operation *user) {
    return product->getBlock()->findAncestorOpInBlock(*user) &&
           !user->hasTrait<OpTrait::IsTerminator>() && CostModel::classOf(user) != WorkClass::Free;
  });
}

/// True if an op, with all in it, computes in the registers of a thread.
static bool isInRegisters(Operation *op) {
  return !op->walk([](Operation *inner) {
              const bool isArithmetic =
                  isa_and_nonnull<arith::ArithDialect, math::MathDialect>(inner->getDialect());
              return isArithmetic || isa<scf::IfOp, scf::YieldOp, BroadcastOp, ReshapeOp>(inner)
                         ? WalkResult::advance()
                         : WalkResult::interrupt();
            }).wasInterrupted();
}

/// True if an op may stand between products of one turn: no warpgroup waits in it for another one.
/// What accesses shared memory would get a barrier of the role, at which all warpgroups meet. A
/// wait for a slot may: it is filled when the iterations before have released theirs, and all turns
/// of those are over.
static bool staysInTurn(Operation *op) {
  return isa<WaitOp, ReadyOp, CompleteOp, WgmmaOp>(op) || isInRegisters(op);
}

/// True if the operands of a product are in registers, in slots, or in shared memory since before
/// the loop: no barrier is needed in front of it.
static bool readsNothingStaged(WgmmaOp product, CountedLoop loop) {
  return llvm::all_of(ValueRange{product.getA(), product.getB()}, [&](Value operand) {
    return isa<RankedTensorType>(operand.getType()) || operand.getDefiningOp<WaitOp>() ||
           !loop.getRegion().isAncestor(operand.getParentRegion());
  });
}

/// The asynchronous products in the body itself that are issued before one of them is waited for,
/// if the loop has no products elsewhere. Empty if something between them might wait for another
/// warpgroup.
static SmallVector<WgmmaOp> issuedTogether(CountedLoop loop) {
  bool others = false;
  loop->walk([&](Operation *op) {
    others |= op != loop.getOperation() && isa<LoopLikeOpInterface, MmaOp>(op);
    if (auto product = dyn_cast<WgmmaOp>(op))
      others |= product->getBlock() != loop.getBody() || !product.isAsync();
  });
  if (others)
    return {};
  SmallVector<WgmmaOp> products;
  for (Operation &op : *loop.getBody()) {
    if (auto complete = dyn_cast<CompleteOp>(op))
      if (llvm::is_contained(products, complete.getSource().getDefiningOp()))
        break;
    if (auto product = dyn_cast<WgmmaOp>(op))
      products.push_back(product);
  }
  if (products.empty())
    return {};
  for (Operation *op = products.front(); op != products.back(); op = op->getNextNode())
    if (!staysInTurn(op))
      return {};
  if (!llvm::all_of(products, [&](WgmmaOp product) { return readsNothingStaged(product, loop); }))
    return {};
  return products;
}

/// True if arithmetic of the loop needs the result of an asynchronous product.
static bool isAwaited(WgmmaOp product) {
  return llvm::any_of(product->getUsers(), [](Operation *user) {
    auto complete = dyn_cast<CompleteOp>(user);
    return complete && isComputedWith(complete);
  });
}

/// The cycles of the tensor cores for a product of all warpgroups from which it is issued in turn:
/// a turn costs two barriers of warpgroups and a wait for half of a product. Source:
/// docs/performance/constants.md.
static constexpr double kLeastCycles = 256;

/// The warpgroups from which several products that are issued together are issued in turn. Two take
/// turns by themselves, and the barriers cost them more than the order brings. Source:
/// docs/performance/log.md (2026-11-28).
static constexpr uint64_t kLeastWarpgroups = 3;

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
      SmallVector<WgmmaOp> together = issuedTogether(loop);
      auto role = loop->getParentOfType<RoleOp>();
      if (together.size() > 1 && role && role.getWarps() >= 4 * kLeastWarpgroups &&
          llvm::any_of(together, isAwaited)) {
        for (WgmmaOp issued : together)
          issued.setInTurn(true);
        // They are asked together, as they would share the turn.
        if (together.front().whyNotInTurn())
          for (WgmmaOp issued : together)
            issued.setInTurn(false);
      }
    });
  }
};
} // namespace
