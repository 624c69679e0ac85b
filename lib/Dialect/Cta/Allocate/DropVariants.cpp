// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-drop-variants: what a variant assumes should change its plan.
//
// tile-specialize-facts cannot know for which products cta-plan has two plans, one where rows begin
// at lines of L2 and one where they may not. Where it has one, the variant `lines` would be the
// code of `aligned` once more, compiled for nothing.
#include "tessera/Dialect/Cta/Allocate/Passes.h"
#include "tessera/Dialect/Tile/Transforms.h"

namespace tessera::cta {
#define GEN_PASS_DEF_DROPVARIANTS
#include "tessera/Dialect/Cta/Allocate/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;

/// True if each launch that `lines` takes is one that `aligned` takes: what guards that one guards
/// this one, too.
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
          other.getPhase() == kernel.getPhase() && takesAllOf(other, kernel))
        kernel.erase();
    }
  }
};
} // namespace
