// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SteppedCopies.h"
#include "GatheredCopies.h"

#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Tile/Access.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// The elements offset + step · i + Σ factor · scalar of an index tile.
struct Progression {
  int64_t offset = 0, step = 0;
  SmallVector<std::pair<Value, int64_t>> terms; ///< scalars and their factors
};
} // namespace

static std::optional<Progression> sumOf(Progression x, const Progression &y) {
  if (llvm::AddOverflow(x.offset, y.offset, x.offset) || llvm::AddOverflow(x.step, y.step, x.step))
    return std::nullopt;
  x.terms.append(y.terms);
  return x;
}

static std::optional<Progression> timesOf(Progression x, int64_t factor) {
  if (llvm::MulOverflow(x.offset, factor, x.offset) || llvm::MulOverflow(x.step, factor, x.step))
    return std::nullopt;
  for (auto &[scalar, times] : x.terms)
    if (llvm::MulOverflow(times, factor, times))
      return std::nullopt;
  return x;
}

/// Deeper expressions than this are no windows.
static constexpr unsigned kMostSteps = 16;

static std::optional<Progression> progressionOf(Value tile, unsigned depth = 0) {
  Operation *op = tile.getDefiningOp();
  const auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!op || !type || type.getRank() != 1 || depth > kMostSteps)
    return std::nullopt;
  Progression made;
  DenseIntElementsAttr elements;
  if (matchPattern(tile, m_Constant(&elements))) {
    if (!elements.isSplat())
      return std::nullopt;
    made.offset = elements.getSplatValue<APInt>().getSExtValue();
    return made;
  }
  if (auto iota = dyn_cast<IotaOp>(op)) {
    made.step = 1;
    if (iota.getFrom())
      made.terms.push_back({iota.getFrom(), 1});
    return made;
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    if (isa<RankedTensorType>(broadcast.getSource().getType()))
      return std::nullopt;
    made.terms.push_back({broadcast.getSource(), 1});
    return made;
  }
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    return progressionOf(convert.getSource(), depth + 1);
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<Progression> x = progressionOf(op->getOperand(0), depth + 1),
                             y = progressionOf(op->getOperand(1), depth + 1);
  if (!x || !y)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return sumOf(*x, *y);
  if (isa<arith::SubIOp>(op)) {
    std::optional<Progression> negative = timesOf(*y, -1);
    return negative ? sumOf(*x, *negative) : std::nullopt;
  }
  auto isNumber = [](const Progression &p) { return p.step == 0 && p.terms.empty(); };
  if (isNumber(*y))
    return timesOf(*x, y->offset);
  return isNumber(*x) ? timesOf(*y, x->offset) : std::nullopt;
}

/// The progression of each index tile, if that is what all of them are. Narrower integers than the
/// coordinates would wrap where those do not. A single element has no step.
static std::optional<SmallVector<Progression>> progressionsOf(GatherOp gather) {
  SmallVector<Progression> found;
  for (Value tile : gather.getIndices()) {
    auto type = cast<RankedTensorType>(tile.getType());
    Type element = type.getElementType();
    std::optional<Progression> progression =
        element.isIndex() || element.isInteger(64) ? progressionOf(tile) : std::nullopt;
    if (progression && type.getNumElements() == 1)
      progression->step = 1;
    if (!progression || progression->step < 1)
      return std::nullopt;
    found.push_back(std::move(*progression));
  }
  return found;
}

/// Where a progression begins, as a coordinate.
static Value beginOf(OpBuilder &b, Location loc, const Progression &progression) {
  Value sum;
  auto add = [&](Value value) {
    sum = sum ? arith::AddIOp::create(b, loc, sum, value).getResult() : value;
  };
  for (auto [scalar, factor] : progression.terms) {
    Value value = scalar.getType().isIndex()
                      ? scalar
                      : arith::IndexCastOp::create(b, loc, b.getIndexType(), scalar).getResult();
    if (factor != 1)
      value = arith::MulIOp::create(b, loc, value, arith::ConstantIndexOp::create(b, loc, factor));
    add(value);
  }
  if (progression.offset || !sum)
    add(arith::ConstantIndexOp::create(b, loc, progression.offset));
  return sum;
}

SteppedChoice tessera::cta::steppedCopyOf(RewriterBase &rewriter, tile::Facts &facts,
                                          GatherOp gather, SmemType shared) {
  if (gather.getDims().empty())
    return {};
  std::optional<SmallVector<Progression>> progressions = progressionsOf(gather);
  if (!progressions)
    return {};
  const tile::AccessParts parts = tile::partsOf(gather, gather.getSource());
  SmallVector<int64_t> strides(gather.getDims().size(), 1);
  for (auto [dim, memrefDim] : llvm::enumerate(gather.getDims()))
    if (std::optional<unsigned> index = parts.indexOf(memrefDim))
      strides[dim] = (*progressions)[*index].step;

  // The coordinates that index tiles give are not made before the copy is known to be legal.
  Access access(gather);
  access.strides = strides;
  if (std::optional<std::string> why = whyNotTma(facts, access, shared))
    return {{}, why};
  rewriter.setInsertionPoint(gather);
  for (auto [d, coord] : llvm::enumerate(access.coords))
    if (!coord)
      coord = beginOf(rewriter, gather.getLoc(),
                      (*progressions)[*parts.indexOf(static_cast<int64_t>(d))]);
  // A window without steps is a plain box.
  const bool isBox = llvm::all_of(strides, [](int64_t step) { return step == 1; });
  auto copy = CopyOp::create(
      rewriter, gather.getLoc(), shared, gather.getSource(),
      fitCoordinates(rewriter, facts, gather.getLoc(), access.coords), /*limits=*/ValueRange{},
      /*indices=*/ValueRange{}, gather.getDimsAttr(),
      rewriter.getDenseBoolArrayAttr(SmallVector<bool>(gather.getDims().size(), false)),
      /*indexed=*/DenseI64ArrayAttr{},
      isBox ? DenseI64ArrayAttr{} : rewriter.getDenseI64ArrayAttr(strides), gather.getPadAttr(),
      gather.getStagesAttr(), gather.getCacheAttr(), /*into=*/Value{}, /*slot=*/Value{},
      /*cacheIf=*/Value{}, /*multicastIf=*/Value{},
      MechanismAttr::get(gather.getContext(), Mechanism::Tma), /*vector=*/IntegerAttr{},
      /*offset=*/IntegerAttr{}, /*mbarrier=*/IntegerAttr{}, /*multicast=*/IntegerAttr{},
      /*trim=*/IntegerAttr{}, /*why=*/StringAttr{}, /*require=*/tile::RequireAttr{});
  return {copy, {}};
}
