// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"

#include "tessera/Dialect/Tile/Access.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

std::optional<GlobalBox> tessera::cta::globalBoxOf(Operation *op) {
  GlobalBox box;
  box.op = op;
  auto fill = [&](Value memref, ValueRange coords, Type tile, ArrayRef<int64_t> dims) {
    box.memref = memref;
    box.root = tile::rootOf(memref);
    box.coords = coords;
    box.extents.assign(coords.size(), 1);
    if (!tile)
      return;
    for (auto [d, extent] : llvm::zip_equal(dims, tileShape(tile)))
      box.extents[d] = extent;
    if (isa<RankedTensorType>(tile))
      box.tile = tile;
    box.dims.assign(dims.begin(), dims.end());
  };
  if (auto load = dyn_cast<LoadOp>(op))
    fill(load.getSource(), load.getCoords(), load.getResult().getType(), load.getDims());
  else if (auto store = dyn_cast<StoreOp>(op))
    fill(store.getDest(), store.getCoords(), store.getValue().getType(), store.getDims());
  else if (auto copy = dyn_cast<CopyOp>(op))
    fill(copy.getSource(), copy.getCoords(), copy.getResult().getType(), copy.getDims());
  else if (auto out = dyn_cast<CopyOutOp>(op))
    fill(out.getDest(), out.getCoords(), out.getValue().getType(), out.getDims());
  else if (auto scalarLoad = dyn_cast<memref::LoadOp>(op))
    fill(scalarLoad.getMemRef(), scalarLoad.getIndices(), {}, {});
  else if (auto scalarStore = dyn_cast<memref::StoreOp>(op))
    fill(scalarStore.getMemRef(), scalarStore.getIndices(), {}, {});
  else
    return std::nullopt;
  return box;
}

bool tessera::cta::mayAlias(const GlobalBox &a, const GlobalBox &b) {
  if (!a.root || !b.root || a.root == b.root)
    return true;
  auto x = dyn_cast<BlockArgument>(a.root), y = dyn_cast<BlockArgument>(b.root);
  if (!x || !y)
    return false;
  auto kernel = cast<tile::KernelOp>(x.getOwner()->getParentOp());
  auto group = [&](BlockArgument arg) {
    auto name = kernel.getArgAttrOfType<StringAttr>(arg.getArgNumber(), tile::TileDialect::kAlias);
    return name ? name.getValue() : StringRef();
  };
  return !group(x).empty() && group(x) == group(y);
}

//===--- differences of coordinates ----------------------------------------------------------===//

namespace {
/// constant + sum of coefficient * value.
struct Affine {
  int64_t constant = 0;
  llvm::SmallMapVector<Value, int64_t, 4> terms;
};
} // namespace

static void addTo(Affine &form, Value value, int64_t factor, int depth = 0) {
  if (std::optional<int64_t> c = getConstantIntValue(value)) {
    form.constant += factor * *c;
    return;
  }
  Operation *op = depth < 8 && value.getType().isIndex() ? value.getDefiningOp() : nullptr;
  if (isa_and_nonnull<arith::AddIOp>(op)) {
    addTo(form, op->getOperand(0), factor, depth + 1);
    return addTo(form, op->getOperand(1), factor, depth + 1);
  }
  if (isa_and_nonnull<arith::SubIOp>(op)) {
    addTo(form, op->getOperand(0), factor, depth + 1);
    return addTo(form, op->getOperand(1), -factor, depth + 1);
  }
  if (isa_and_nonnull<arith::MulIOp>(op))
    for (unsigned i : {0u, 1u})
      if (std::optional<int64_t> c = getConstantIntValue(op->getOperand(i)))
        return addTo(form, op->getOperand(1 - i), factor * *c, depth + 1);
  form.terms[value] += factor;
}

namespace {
/// a - b = constant - step * k, for some k >= 1 (step 0: exactly `constant`).
struct Difference {
  int64_t constant = 0, step = 0;
};
} // namespace

static std::optional<Difference> difference(Value a, Value b, const Iterations &iterations) {
  Affine x, y;
  addTo(x, a, 1);
  addTo(y, b, 1);
  Difference result{x.constant - y.constant, 0};
  llvm::SmallMapVector<Value, int64_t, 4> values = x.terms;
  for (auto [value, factor] : y.terms)
    values.insert({value, 0});
  for (auto [value, ignored] : values) {
    int64_t factor = x.terms.lookup(value);
    if (factor != y.terms.lookup(value))
      return std::nullopt;
    if (!factor)
      continue;
    // The forms are equal, but the value may differ between iterations.
    Region *region = value.getParentRegion();
    for (auto [loop, iteration] : iterations) {
      if (!loop->isAncestor(region->getParentOp()))
        continue;
      auto counted = dyn_cast<scf::ForOp>(loop);
      std::optional<int64_t> step = counted ? getConstantIntValue(counted.getStep()) : std::nullopt;
      if (iteration != Iteration::Earlier || !counted || value != counted.getInductionVar() ||
          !step || result.step)
        return std::nullopt;
      result.step = factor * *step;
    }
  }
  return result;
}

/// True if `memref` may be a different view in another iteration, because its SSA value is defined
/// inside one of the loops. Then equal values do not mean equal addresses, and equal coordinates do
/// not mean equal elements.
static bool variesWith(Value memref, const Iterations &iterations) {
  return llvm::any_of(iterations, [&](const auto &entry) {
    return entry.first->isAncestor(memref.getParentRegion()->getParentOp());
  });
}

bool tessera::cta::mayOverwrite(Operation *op, const std::optional<GlobalBox> &box) {
  return op
      ->walk([&](Operation *inner) {
        auto meets = [&](std::optional<GlobalBox> to) {
          return !box || !to || mayAlias(*box, *to);
        };
        auto meetsAny = [&](ValueRange memrefs) {
          return llvm::any_of(memrefs, [&](Value memref) {
            GlobalBox whole;
            whole.root = tile::rootOf(memref);
            return meets(whole);
          });
        };
        bool overwrites = false;
        if (isa<StoreOp, CopyOutOp, memref::StoreOp>(inner))
          overwrites = meets(globalBoxOf(inner));
        else if (auto put = dyn_cast<PutPartialOp>(inner))
          overwrites = meetsAny({put.getSlots(), put.getFlags()});
        else if (auto add = dyn_cast<AddPartialOp>(inner))
          overwrites = meetsAny({add.getSlots(), add.getFlags()});
        return overwrites ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tessera::cta::provenDisjoint(const GlobalBox &a, const GlobalBox &b,
                                  const Iterations &iterations) {
  for (auto [loop, iteration] : iterations)
    if (iteration == Iteration::Earlier && isLoopOverOutputTiles(loop))
      return true;
  if (a.memref != b.memref || variesWith(a.memref, iterations))
    return false;
  for (unsigned d = 0; d < a.coords.size(); ++d) {
    std::optional<Difference> diff = difference(a.coords[d], b.coords[d], iterations);
    if (!diff)
      continue;
    // The smallest distance between the two: with no step, or with one.
    int64_t nearest = diff->constant - diff->step;
    if ((diff->step >= 0 && nearest <= -a.extents[d]) ||
        (diff->step <= 0 && nearest >= b.extents[d]))
      return true;
  }
  return false;
}

bool tessera::cta::sameThreads(const GlobalBox &a, const GlobalBox &b,
                               const Iterations &iterations) {
  if (!a.tile || !b.tile)
    return false;
  FragAttr frag = FragAttr::of(a.tile);
  if (!frag || FragAttr::of(b.tile) != frag || tileShape(a.tile) != tileShape(b.tile) ||
      a.memref != b.memref || variesWith(a.memref, iterations) || a.dims != b.dims ||
      frag.layout().isReplicated())
    return false;
  for (auto [x, y] : llvm::zip_equal(a.coords, b.coords)) {
    std::optional<Difference> diff = difference(x, y, iterations);
    if (!diff || diff->constant || diff->step)
      return false;
  }
  return true;
}
