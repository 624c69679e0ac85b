// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-hint-caches: what TMA moves once goes through the L2 cache without driving others out.
//
// The operands of a product are read by many blocks and by later waves of them; its result, and a
// residual, once. Under the default policy the latter take as many lines from the former as they
// have themselves.
#include "GlobalBox.h"
#include "tessera/Dialect/Cta/Passes.h"

namespace tessera::cta {
#define GEN_PASS_DEF_HINTCACHES
#include "tessera/Dialect/Cta/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// Bytes of a line of the L2 cache.
static constexpr int64_t kLineBytes = 128;

/// True if anything in the kernel may read what the op writes.
static bool isReadInKernel(CopyOutOp out) {
  std::optional<GlobalBox> written = globalBoxOf(out);
  return out->getParentOfType<tile::KernelOp>()
      ->walk([&](Operation *op) {
        if (!isa<LoadOp, CopyOp, memref::LoadOp>(op))
          return WalkResult::advance();
        std::optional<GlobalBox> read = globalBoxOf(op);
        return !written || !read || mayAlias(*written, *read) ? WalkResult::interrupt()
                                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The value without constants that are added to it.
static Value withoutOffset(Value value) {
  while (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    if (getConstantIntValue(sum.getRhs()))
      value = sum.getLhs();
    else if (getConstantIntValue(sum.getLhs()))
      value = sum.getRhs();
    else
      break;
  }
  return value;
}

/// True if boxes whose `number` differs have no element in common: it is a coordinate, and the next
/// box begins behind this one.
static bool separates(const GlobalBox &box, Value number, std::optional<int64_t> step) {
  for (auto [coord, extent] : llvm::zip_equal(box.coords, box.extents))
    if (withoutOffset(coord) == number && step && *step >= extent)
      return true;
  return false;
}

/// True if no two blocks, and no two iterations of loops around it, read the same element.
static bool isReadOnce(CopyOp copy) {
  std::optional<GlobalBox> box = globalBoxOf(copy);
  if (!box || !box->root)
    return false;
  for (Operation *parent = copy->getParentOp();; parent = parent->getParentOp()) {
    if (auto grid = dyn_cast<tile::GridOp>(parent))
      return llvm::all_of(
          llvm::zip_equal(grid.getBody().getArguments(), grid.getMixedStep()), [&](auto pair) {
            return separates(*box, std::get<0>(pair), getConstantIntValue(std::get<1>(pair)));
          });
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (!separates(*box, loop.getInductionVar(), getConstantIntValue(loop.getStep())))
        return false;
    } else if (!isa<scf::IfOp>(parent)) {
      return false;
    }
  }
}

/// True if rows of the box are whole lines, where rows of the array begin at lines.
static bool hasWholeLines(CopyOp copy) {
  std::optional<GlobalBox> box = globalBoxOf(copy);
  MemRefType type = copy.getMemRefType();
  return box && !box->extents.empty() &&
         box->extents.back() * type.getElementTypeBitWidth() % (8 * kLineBytes) == 0;
}

/// Another op of the kernel that reads the same array would find less of it.
static bool isOnlyReader(CopyOp copy) {
  std::optional<GlobalBox> box = globalBoxOf(copy);
  return !copy->getParentOfType<tile::KernelOp>()
              ->walk([&](Operation *op) {
                if (op == copy || !isa<LoadOp, CopyOp, memref::LoadOp>(op))
                  return WalkResult::advance();
                std::optional<GlobalBox> other = globalBoxOf(op);
                if (other && box && !mayAlias(*box, *other))
                  return WalkResult::advance();
                // Parts of one tile are disjoint.
                const bool isPart = other && box && provenDisjoint(*box, *other, {});
                return isPart ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

namespace {
struct HintCaches : cta::impl::HintCachesBase<HintCaches> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Placed, getArgument())))
      return signalPassFailure();
    auto stream = tile::CacheAttr::get(&getContext(), tile::Cache::Stream);
    kernel.walk([&](Operation *op) {
      if (!op->getParentOfType<tile::GridOp>())
        return;
      if (auto out = dyn_cast<CopyOutOp>(op); out && !out.getCacheAttr() && !isReadInKernel(out))
        out.setCacheAttr(stream);
      if (auto copy = dyn_cast<CopyOp>(op); copy && !copy.isCpAsync() && !copy.getCacheAttr() &&
                                            hasWholeLines(copy) && isReadOnce(copy) &&
                                            isOnlyReader(copy))
        copy.setCacheAttr(stream);
    });
  }
};
} // namespace
