// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/LaneParts.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
enum Kind { None, Register, Lane };

/// Neighbouring bits of one kind in the coordinate along the dimension.
struct Run {
  Kind kind;
  int64_t extent;
};
} // namespace

/// The bits of the dimension in runs, from the highest. The repeats of the base tile are registers.
static SmallVector<Run> runsOf(const layout::RegisterLayout &l, int64_t dim, int64_t extent) {
  const int64_t base = l.baseShape()[dim];
  if (extent % base || l.wgDim == dim)
    return {};
  // Each bit moves one bit of one coordinate.
  SmallVector<Kind> bits(llvm::Log2_64(base), None);
  auto note = [&](const std::vector<layout::Coord> &vectors, Kind kind) {
    return llvm::all_of(vectors, [&](const layout::Coord &vector) {
      if (!vector[dim])
        return true;
      bool alone = llvm::count_if(vector, [](int64_t x) { return x != 0; }) == 1 &&
                   llvm::isPowerOf2_64(vector[dim]);
      if (!alone || kind == None)
        return false;
      bits[llvm::Log2_64(vector[dim])] = kind;
      return true;
    });
  };
  if (!note(l.regs, Register) || !note(l.lanes, Lane) || !note(l.warps, None) ||
      llvm::is_contained(bits, None))
    return {};
  SmallVector<Run> runs;
  auto add = [&](Kind kind, int64_t times) {
    if (runs.empty() || runs.back().kind != kind)
      runs.push_back({kind, 1});
    runs.back().extent *= times;
  };
  for (Kind kind : bits)
    add(kind, 2);
  if (extent > base)
    add(Register, extent / base);
  std::reverse(runs.begin(), runs.end());
  return runs;
}

std::optional<LaneParts> tessera::cta::lanePartsOf(ReduceOp op) {
  if (op.getInputs().size() != 1 || op.getPartial() || op.getDims().size() != 1)
    return std::nullopt;
  auto type = cast<RankedTensorType>(op.getInputs().front().getType());
  const int64_t dim = op.getDims().front();
  FragAttr frag = FragAttr::of(type);
  if (!frag)
    return std::nullopt;
  layout::RegisterLayout l = frag.layout();
  SmallVector<Run> runs = runsOf(l, dim, type.getDimSize(dim));
  if (runs.size() < 2 || type.getRank() - 1 + static_cast<int64_t>(runs.size()) > layout::kMaxRank)
    return std::nullopt;

  auto split = [&](const layout::Coord &vector) {
    layout::Coord result(vector.begin(), vector.begin() + dim);
    int64_t below = type.getDimSize(dim);
    for (const Run &run : runs) {
      below /= run.extent;
      result.push_back(vector[dim] / below % run.extent);
    }
    result.insert(result.end(), vector.begin() + dim + 1, vector.end());
    return result;
  };
  layout::RegisterLayout parts = l;
  for (auto *vectors : {&parts.regs, &parts.lanes, &parts.warps})
    for (layout::Coord &vector : *vectors)
      vector = split(vector);
  if (l.wgDim > dim)
    parts.wgDim += static_cast<int>(runs.size()) - 1;
  SmallVector<int64_t> shape(type.getShape().take_front(dim));
  LaneParts result;
  for (const Run &run : runs) {
    if (run.kind == Register)
      result.regs.push_back(static_cast<int64_t>(shape.size()));
    else
      result.lanes.push_back(static_cast<int64_t>(shape.size() - result.regs.size()));
    shape.push_back(run.extent);
  }
  llvm::append_range(shape, type.getShape().drop_front(dim + 1));
  if (!reshapeKeepsRegisters(l, type.getShape(), parts, shape))
    return std::nullopt;
  result.whole =
      RankedTensorType::get(shape, type.getElementType(), FragAttr::get(type.getContext(), parts));
  result.part = ReduceOp::reducedType(result.whole, result.regs);
  // The type of the result is that of the parts without the dimensions of lanes.
  if (ReduceOp::reducedType(result.part, result.lanes) != op.getResult(0).getType())
    return std::nullopt;
  for (int64_t d = 0; d < result.part.getRank(); ++d)
    if (!llvm::is_contained(result.lanes, d))
      result.others.push_back(d);
  return result;
}

Value tessera::cta::reduceLike(OpBuilder &b, ReduceOp op, Type type, Value source,
                               ArrayRef<int64_t> dims) {
  auto made = ReduceOp::create(b, op.getLoc(), TypeRange{type}, ValueRange{source}, op.getInits(),
                               dims, /*partial=*/false);
  IRMapping mapping;
  op.getCombiner().cloneInto(&made.getCombiner(), mapping);
  return made.getResult(0);
}

Value tessera::cta::reduceInLanes(OpBuilder &b, ReduceOp op, const LaneParts &parts) {
  Value whole = ReshapeOp::create(b, op.getLoc(), parts.whole, op.getInputs().front());
  return reduceLike(b, op, parts.part, whole, parts.regs);
}
