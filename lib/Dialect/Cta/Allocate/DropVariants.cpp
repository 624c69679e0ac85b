// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-drop-variants: removes a variant whose assumptions do not change its plan.
//
// For some products cta-plan has two plans: one if rows begin at cache lines of L2, and one if they
// may not. tile-specialize-facts cannot know which products those are. For other products the
// variant `lines` would be the same code as `aligned`, compiled for nothing. A member of a family
// keeps it if its predicted time is another one, because the launcher chooses by that.
#include "tessera/Dialect/Cta/Allocate/Passes.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Tile/Transforms.h"

namespace tessera::cta {
#define GEN_PASS_DEF_DROPVARIANTS
#include "tessera/Dialect/Cta/Allocate/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;

/// True if `aligned` takes every launch that `lines` takes, that is, if all guards of `aligned` are
/// guards of `lines`.
static bool takesAllOf(tile::KernelOp aligned, tile::KernelOp lines) {
  auto conditions = [](tile::KernelOp kernel) {
    return llvm::count_if(kernel.getBody().getOps<tile::AssumeOp>(),
                          [](tile::AssumeOp assume) { return assume.getGuard(); });
  };
  ArrayAttr all = lines.getGuardsAttr();
  return conditions(aligned) == 0 &&
         (!aligned.getGuards() || llvm::all_of(*aligned.getGuards(), [&](Attribute guard) {
           return all && llvm::is_contained(all, guard);
         }));
}

/// True if nobody compares predicted times of `aligned`, or they are the same if rows begin at
/// cache lines. They are not if L2 then bounds an iteration less.
static bool isPredictedAsLines(tile::KernelOp aligned) {
  if (aligned.getBody().getOps<tile::CostOp>().empty())
    return true;
  return !aligned
              .walk([](Operation *op) {
                // On grids, and on launches after those are lowered.
                auto prediction = op->getAttrOfType<DictionaryAttr>(cta::kPredictionAttr);
                auto cycles = [&](StringRef name) {
                  auto known = prediction ? prediction.getAs<IntegerAttr>(name) : IntegerAttr();
                  return known ? known.getInt() : 0;
                };
                return cycles("lines") > cycles("iteration") ? WalkResult::interrupt()
                                                             : WalkResult::advance();
              })
              .wasInterrupted();
}

namespace {
struct DropVariants : cta::impl::DropVariantsBase<DropVariants> {
  void runOnOperation() override {
    llvm::StringMap<tile::KernelOp> aligned;
    for (auto kernel : getOperation().getOps<tile::KernelOp>())
      if (kernel.getVariantOf() && kernel.getVariant() == tile::kAlignedVariant)
        aligned[*kernel.getVariantOf()] = kernel;
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>())) {
      if (!kernel.getVariantOf() || kernel.getVariant() != tile::kLinesVariant)
        continue;
      tile::KernelOp other = aligned.lookup(*kernel.getVariantOf());
      if (other && other.getPlanAttr() == kernel.getPlanAttr() &&
          other.getPhase() == kernel.getPhase() && takesAllOf(other, kernel) &&
          isPredictedAsLines(other))
        kernel.erase();
    }
  }
};
} // namespace
