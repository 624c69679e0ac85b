// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.reduce within a warp: first the registers of a thread as a tree, then butterfly shuffles over
// the lanes.
#include "Lowering.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

namespace {
/// One partial result: a value per input.
using Tuple = Values;

/// The combiner on scalars.
FailureOr<Tuple> combine(Lowering &f, cta::ReduceOp op, const Tuple &x, const Tuple &y) {
  Block &body = op.getCombiner().front();
  size_t n = x.size();
  for (size_t i = 0; i < n; ++i) {
    f.set(body.getArgument(i), {x[i]});
    f.set(body.getArgument(n + i), {y[i]});
  }
  if (failed(f.lowerBlock(body)))
    return failure();
  f.loc = op.getLoc();
  Tuple result;
  for (Value v : body.getTerminator()->getOperands())
    result.push_back(f.scalar(v));
  return result;
}

/// A balanced tree, for short dependence chains and small rounding errors.
FailureOr<Tuple> reduceTree(Lowering &f, cta::ReduceOp op, std::vector<Tuple> items) {
  while (items.size() > 1) {
    std::vector<Tuple> next;
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      FailureOr<Tuple> sum = combine(f, op, items[i], items[i + 1]);
      if (failed(sum))
        return failure();
      next.push_back(*sum);
    }
    if (items.size() % 2)
      next.push_back(items.back());
    items = std::move(next);
  }
  return items.front();
}
} // namespace

static LogicalResult lowerReduce(Lowering &f, cta::ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getInputs().front().getType());
  layout::RegisterLayout layout = cta::FragAttr::of(type).layout();
  if (cta::ReduceOp::mixesDims(layout, op.getDims()))
    return f.error(op,
                   "a vector of the input's layout runs along reduced and other dimensions: run "
                   "cta-decompose before this pass");
  layout::ThreadBits along;
  for (int64_t d : op.getDims()) {
    layout::ThreadBits bits = layout.bitsAlong(static_cast<int>(d));
    along.lanes |= bits.lanes;
    along.warps |= bits.warps;
    along.wg |= bits.wg;
  }
  if (!op.getPartial() && (along.warps || along.wg))
    return f.error(op, "the reduction crosses warps: run cta-decompose before this pass");

  // The registers of the result are those of the input's layout without the reduced dimensions,
  // also with `partial`.
  layout::RegisterLayout sliced = layout;
  layout::Coord shape = cta::coordOf(type.getShape()), slicedShape = shape;
  for (int64_t d : llvm::reverse(op.getDims())) {
    sliced = sliced.sliceDim(static_cast<int>(d));
    slicedShape.erase(slicedShape.begin() + d);
  }
  layout::RegisterTile target(sliced, slicedShape);
  TileIndex index(f, type);
  Tuple identity;
  SmallVector<const Values *> inputs;
  for (auto [input, init] : llvm::zip(op.getInputs(), op.getInits())) {
    inputs.push_back(&f.registers(input));
    identity.push_back(f.scalar(init));
  }
  std::vector<std::vector<Tuple>> groups(target.numRegisters());
  for (int64_t r = 0; r < index.size(); ++r) {
    if (index.deadEverywhere(r))
      continue;
    layout::Coord c = index.first(r);
    layout::RegisterTile::Point p = {};
    int k = 0;
    for (int d = 0; d < index.rank(); ++d)
      if (!llvm::is_contained(op.getDims(), d))
        p[k++] = c[d];
    Value live = index.live(r);
    Tuple item;
    for (auto [i, regs] : llvm::enumerate(inputs))
      item.push_back(live ? f.select(live, (*regs)[r], identity[i]) : (*regs)[r]);
    groups[target.locate(p).reg].push_back(std::move(item));
  }
  std::vector<Values> results(inputs.size());
  for (std::vector<Tuple> &group : groups) {
    Tuple total = identity;
    if (!group.empty()) {
      FailureOr<Tuple> tree = reduceTree(f, op, std::move(group));
      if (failed(tree))
        return failure();
      total = *tree;
      for (int bit = layout::kLaneBits - 1; bit >= 0; --bit) {
        if (!(along.lanes >> bit & 1))
          continue;
        Tuple other;
        for (Value x : total)
          other.push_back(f.shuffleXor(x, int64_t(1) << bit));
        FailureOr<Tuple> sum = combine(f, op, total, other);
        if (failed(sum))
          return failure();
        total = *sum;
      }
    }
    for (auto [regs, x] : llvm::zip(results, total))
      regs.push_back(x);
  }
  for (auto [old, regs] : llvm::zip(op.getResults(), results))
    f.set(old, std::move(regs));
  return success();
}

void tessera::nvvm::populateReduceLowerings(LoweringSet &set) { addLowering(set, lowerReduce); }
