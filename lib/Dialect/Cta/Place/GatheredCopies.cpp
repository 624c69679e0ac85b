// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GatheredCopies.h"

#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// A gather as a box: without the mask and the limit that become a part of the index tile.
struct GatheredBox {
  GatheredBox(GatherOp gather, int64_t dim) : access(gather) {
    for (auto [d, limited] : llvm::enumerate(gather.getLimited())) {
      this->limited.push_back(limited && static_cast<int64_t>(d) != dim);
      if (this->limited.back())
        limits.push_back(gather.getLimit(static_cast<unsigned>(d)));
    }
    access.mask = {};
    access.limits = limits;
    access.limited = limited;
  }
  SmallVector<Value> limits;
  SmallVector<bool> limited;
  Access access;
};
} // namespace

/// The tile dimension of the only index tile, or -1.
static int64_t indexDimOf(GatherOp gather) {
  return gather.getIndices().size() == 1 && !gather.getDims().empty()
             ? gather.getIndexDims(0).front()
             : -1;
}

/// Why no copy fetches what the index tiles and the mask of a gather select.
static std::optional<std::string> whyNotIndices(GatherOp gather) {
  if (gather.getDims().empty())
    return std::string("each element has a place of its own");
  if (gather.getIndices().size() > 1)
    return std::to_string(gather.getIndices().size()) +
           " index tiles give its coordinates, and a copy has one";
  if (gather.getMask() && gather.getMaskDims() != ArrayRef<int64_t>{indexDimOf(gather)})
    return std::string("its mask varies along other dimensions than its index tile");
  if (auto why = whyNotComputedAgain(gather.getIndices().front()))
    return "its index tile " + *why;
  if (auto why = gather.getMask() ? whyNotComputedAgain(gather.getMask()) : std::nullopt)
    return "its mask " + *why;
  // The threads that copy do not keep what is demanded of a load of indices.
  SmallVector<Operation *> chain = chainOf(gather.getIndices().front());
  if (gather.getMask())
    llvm::append_range(chain, chainOf(gather.getMask()));
  for (Operation *op : chain)
    if (op->hasAttr("require"))
      return std::string("a load of its index tile has demands of its own");
  return std::nullopt;
}

/// Why TMA, although it could, should not fetch the boxes.
static std::optional<std::string> whyNotWorthBoxes(SmemType shared, int64_t dim, bool demandsTma) {
  const int64_t indices = shared.getShape()[dim],
                most = demandsTma ? kMostDemandedIndices : kMostIndices;
  int64_t least = kLeastBytesOfBox;
  for (const layout::TmaBox &box : sharedLayout(shared).tmaBoxes(static_cast<int>(dim))) {
    int64_t bytes = tile::elementBytes(shared.getElementType());
    for (int64_t extent : box.extents)
      bytes *= extent;
    least = std::min(least, bytes);
  }
  if (least < kLeastBytesOfBox && !demandsTma)
    return "an index selects boxes of " + std::to_string(least) +
           " bytes, and an instruction for each pays from " + std::to_string(kLeastBytesOfBox) +
           " on";
  if (indices > most)
    return "the thread that issues the boxes keeps at most " + std::to_string(most) +
           " indices in registers, and there are " + std::to_string(indices);
  return std::nullopt;
}

GatherChoice tessera::cta::chooseGather(tile::Facts &facts, GatherOp gather, SmemType shared,
                                        bool demandsTma) {
  GatherChoice choice;
  if (auto why = whyNotIndices(gather)) {
    choice.noTma = choice.noCpAsync = why;
    return choice;
  }
  const int64_t dim = indexDimOf(gather);
  const GatheredBox box(gather, dim);
  choice.noTma = whyNotTma(facts, box.access, shared);
  if (!choice.noTma)
    choice.noTma = whyNotWorthBoxes(shared, dim, demandsTma);
  if (!choice.noTma)
    return choice;
  // A limit of the indexed dimension stays as it is.
  CpAsyncChoice pieces = chooseCpAsync(facts, box.access, shared);
  if (pieces.elements && pieces.elements < chooseVector(facts, Access(gather)).elements)
    pieces = {0, "vectors of registers are wider than " + pieces.why};
  choice.vector = pieces.elements;
  if (pieces.elements)
    choice.narrow = pieces.why;
  else
    choice.noCpAsync = pieces.why;
  return choice;
}

SmallVector<Value> tessera::cta::fitCoordinates(RewriterBase &rewriter, tile::Facts &facts,
                                                Location loc, ValueRange scalars) {
  SmallVector<Value> coords(scalars);
  for (Value &coord : coords) {
    if (facts.range(coord).fitsI32())
      continue;
    Value half = arith::ConstantIndexOp::create(rewriter, loc, int64_t(1) << 31),
          whole = arith::ConstantIndexOp::create(rewriter, loc, int64_t(1) << 32),
          least = arith::ConstantIndexOp::create(rewriter, loc, INT32_MIN);
    Value shifted = arith::AddIOp::create(rewriter, loc, coord, half);
    Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, shifted, whole);
    coord = arith::SelectOp::create(rewriter, loc, fits, coord, least);
  }
  return coords;
}

namespace {
/// Arithmetic on tiles of the layout of an index tile.
struct TileArith {
  OpBuilder &b;
  Location loc;

  RankedTensorType like(Value tile, Type element) {
    auto type = cast<RankedTensorType>(tile.getType());
    return RankedTensorType::get(type.getShape(), element, type.getEncoding());
  }
  Value constant(Value tile, int64_t value) {
    auto type = cast<RankedTensorType>(tile.getType());
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), value)));
  }
  /// The index where the condition holds, else -1, which is out of every bound.
  Value indexIf(Value condition, Value index) {
    return arith::SelectOp::create(b, loc, condition, index, constant(index, -1));
  }
  /// The tile as one of i64.
  Value wide(Value tile) {
    Type element = cast<RankedTensorType>(tile.getType()).getElementType();
    if (element.isInteger(64))
      return tile;
    RankedTensorType type = like(tile, b.getI64Type());
    if (element.isIndex())
      return arith::IndexCastOp::create(b, loc, type, tile);
    return arith::ExtSIOp::create(b, loc, type, tile);
  }
  Value below(Value index, Value limit) {
    Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), limit), at = wide(index);
    Value bound = BroadcastOp::create(b, loc, at.getType(), number, ArrayRef<int64_t>{});
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at, bound);
  }
  /// The tile as one of i32; -1 where it does not fit, which is out of bounds as well, since sizes
  /// fit 31 bits.
  Value narrow(Value tile) {
    Type element = cast<RankedTensorType>(tile.getType()).getElementType(), i32 = b.getI32Type();
    if (element.isInteger(32))
      return tile;
    if (element.isInteger() && element.getIntOrFloatBitWidth() < 32)
      return arith::ExtSIOp::create(b, loc, like(tile, i32), tile);
    Value at = wide(tile);
    Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at,
                                       constant(at, int64_t(1) << 31));
    return arith::TruncIOp::create(b, loc, like(tile, i32), indexIf(fits, at));
  }
};
} // namespace

CopyOp tessera::cta::copyOfGather(RewriterBase &rewriter, tile::Facts &facts, IndexTiles &tiles,
                                  GatherOp gather, SmemType shared, const GatherChoice &choice) {
  rewriter.setInsertionPoint(gather);
  Location loc = gather.getLoc();
  const bool isTma = !choice.noTma;
  const int64_t dim = indexDimOf(gather);
  const auto warpgroups =
      static_cast<int64_t>(gather->getParentOfType<tile::KernelOp>().getWarpgroups().value_or(1));
  const layout::RegisterLayout layout =
      indexTileLayout(shared, dim, isTma ? 0 : choice.vector, warpgroups);
  TileArith a{rewriter, loc};
  Value index = tiles.inLayout(gather.getIndices().front(), layout);
  if (gather.getMask())
    index = a.indexIf(tiles.inLayout(gather.getMask(), layout), index);
  // Where indices are at or behind a limit they name nothing. Limits at or beyond the memref's size
  // are dropped.
  if (isTma) {
    if (Value limit = gather.getLimit(static_cast<unsigned>(dim));
        limit && !facts.coversSize(limit, gather.getSource(), gather.getDims()[dim]))
      index = a.indexIf(a.below(index, limit), index);
    index = a.narrow(index);
  }
  return CopyOp::create(
      rewriter, loc, shared, gather.getSource(),
      isTma ? fitCoordinates(rewriter, facts, loc, gather.getCoords())
            : SmallVector<Value>(gather.getCoords()),
      isTma ? ValueRange{} : gather.getLimits(), index, gather.getDimsAttr(),
      isTma ? rewriter.getDenseBoolArrayAttr(SmallVector<bool>(gather.getDims().size(), false))
            : gather.getLimitedAttr(),
      gather.getIndexedAttr(), /*strides=*/DenseI64ArrayAttr{}, gather.getPadAttr(),
      gather.getStagesAttr(), gather.getCacheAttr(),
      /*into=*/Value{}, /*slot=*/Value{}, /*cacheIf=*/Value{}, /*multicastIf=*/Value{},
      MechanismAttr::get(gather.getContext(), isTma ? Mechanism::Tma : Mechanism::CpAsync),
      isTma ? IntegerAttr{} : rewriter.getI64IntegerAttr(choice.vector),
      /*offset=*/IntegerAttr{}, /*mbarrier=*/IntegerAttr{}, /*multicast=*/IntegerAttr{},
      /*trim=*/IntegerAttr{}, /*why=*/StringAttr{}, /*require=*/tile::RequireAttr{});
}
