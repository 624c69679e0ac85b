// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"

#include "tessera/Dialect/Tile/Access.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

GlobalBox tessera::cta::boxOf(Operation *op, const MemoryAccess &access) {
  GlobalBox box;
  box.op = op;
  box.memref = access.memory;
  if (access.everywhere)
    return box;
  box.root = tile::rootOf(access.memory);
  box.coords = access.coords;
  box.extents.assign(access.coords.size(), 1);
  if (!access.tile)
    return box;
  // With element steps the box is all that they reach over.
  for (auto [i, d, extent] : llvm::enumerate(access.dims, tileShape(access.tile)))
    box.extents[d] = access.strides.empty() ? extent : (extent - 1) * access.strides[i] + 1;
  if (isa<RankedTensorType>(access.tile))
    box.tile = access.tile;
  box.dims.assign(access.dims.begin(), access.dims.end());
  return box;
}

std::optional<GlobalBox> tessera::cta::globalBoxOf(Operation *op) {
  std::optional<MemoryAccess> only;
  for (const MemoryAccess &access : accessesOf(op)) {
    if (!access.isGlobal())
      continue;
    // What adds to memory reads and writes one box.
    const bool isSame = only && only->memory == access.memory && only->coords == access.coords &&
                        only->tile == access.tile && only->dims == access.dims &&
                        only->everywhere == access.everywhere;
    if (only && !isSame)
      return std::nullopt;
    only = access;
  }
  return only ? std::optional(boxOf(op, *only)) : std::nullopt;
}

bool tessera::cta::mayAlias(const GlobalBox &a, const GlobalBox &b) {
  return tile::rootsMayAlias(a.root, b.root);
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
      auto counted = dyn_cast<CountedLoop>(loop);
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
        auto overwrites = [&](const MemoryAccess &access) {
          return access.write && access.isGlobal() &&
                 (!box || mayAlias(*box, boxOf(inner, access)));
        };
        return llvm::any_of(accessesOf(inner), overwrites) ? WalkResult::interrupt()
                                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if `first` may run before `then` in the block of one output tile: it stands before it, or a
/// loop of the tile has both.
static bool mayRunBefore(Operation *first, Operation *then) {
  Region *region = then->getParentRegion();
  while (!region->isAncestor(first->getParentRegion()))
    region = region->getParentRegion();
  Operation *from = region->findAncestorOpInRegion(*first);
  Operation *to = region->findAncestorOpInRegion(*then);
  // Regions of one loop run one after the other, those of one condition do not.
  if (from == to ? isa<LoopLikeOpInterface>(from)
                 : from->getBlock() == to->getBlock() && from->isBeforeInBlock(to))
    return true;
  for (Operation *parent = region->getParentOp();
       parent && !isa<tile::GridOp, ForOutputTilesOp, LaunchOp>(parent);
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      return true;
  return false;
}

Operation *tessera::cta::whatKeepsInPlace(Operation *scope, Operation *reader) {
  const std::optional<GlobalBox> box = globalBoxOf(reader);
  // The reader, and who uses what it fetches, also under another name.
  SetVector<Operation *> parts;
  parts.insert(reader);
  for (unsigned i = 0; i < parts.size(); ++i)
    if (i == 0 || isa<ViewOp>(parts[i]))
      parts.insert_range(parts[i]->getUsers());
  Operation *keeper = nullptr;
  auto keeps = [&](Operation *inner, const MemoryAccess &access) {
    if (!access.write || !access.isGlobal())
      return false;
    if (!access.everywhere)
      return !box || mayAlias(*box, boxOf(inner, access));
    return llvm::any_of(parts, [&](Operation *part) { return mayRunBefore(inner, part); });
  };
  scope->walk([&](Operation *inner) {
    for (const MemoryAccess &access : accessesOf(inner))
      if (keeps(inner, access)) {
        keeper = inner;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return keeper;
}

std::string tessera::cta::whyItKeeps(Operation *keeper) {
  const bool orders = llvm::any_of(accessesOf(keeper),
                                   [](const MemoryAccess &access) { return access.everywhere; });
  if (!orders)
    return "the launch also writes memory that may be what it reads; a load never moves above such "
           "a store";
  auto atomic = dyn_cast<AtomicOp>(keeper);
  const std::string what =
      atomic
          ? ("an atomic that orders (" + tile::stringifyMemoryOrder(atomic.getOrder()) + ")").str()
          : "an op that orders memory";
  return what + " may come before it in a block, and nothing is fetched ahead of that: move the "
                "atomic behind the loop, or make it relaxed";
}

bool tessera::cta::provenDisjoint(const GlobalBox &a, const GlobalBox &b,
                                  const Iterations &iterations) {
  for (auto [loop, iteration] : iterations)
    if (iteration == Iteration::Earlier && isa<ForOutputTilesOp>(loop))
      return true;
  if (a.memref != b.memref || a.coords.size() != b.coords.size() ||
      variesWith(a.memref, iterations))
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
