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
#include "tessera/Dialect/Tile/Params/Members.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include <array>

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

/// By what the times of a kernel's grids are predicted, or of their launches after those are
/// lowered.
static SmallVector<std::array<int64_t, 6>> predictionsOf(tile::KernelOp kernel) {
  SmallVector<std::array<int64_t, 6>> found;
  kernel.walk([&](Operation *op) {
    auto prediction = op->getAttrOfType<DictionaryAttr>(cta::kPredictionAttr);
    if (!prediction)
      return;
    auto cycles = [&](StringRef name) {
      auto known = prediction.getAs<IntegerAttr>(name);
      return known ? known.getInt() : 0;
    };
    const int64_t iteration = cycles("iteration");
    found.push_back({cycles("launch"), cycles("lines_round"), std::max(iteration, cycles("lines")),
                     std::max(iteration, cycles("lines_alone")), cycles("blocks_per_sm"),
                     cycles("cluster")});
  });
  return found;
}

/// True if nobody compares predicted times of the two, or they are the same.
static bool isPredictedAsLines(tile::KernelOp aligned, tile::KernelOp lines) {
  return tile::memberText(aligned).empty() || aligned.getBody().getOps<tile::CostOp>().empty() ||
         predictionsOf(aligned) == predictionsOf(lines);
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
          isPredictedAsLines(other, kernel)) {
        other->setAttr(cta::kStandsForAttr, kernel.getVariantAttr());
        kernel.erase();
      }
    }
  }
};
} // namespace
