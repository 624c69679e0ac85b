// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of tile-expand-ops: accesses that are no boxes become tile.gather and tile.scatter,
// element steps become index tiles, and a tile of pads becomes a select.
#include "ExpandTileOps.h"
#include "tessera/Dialect/Tile/Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tessera::tile;

namespace {
/// The coordinates of an access, with each element step written as an index tile.
struct Coordinates {
  SmallVector<Value> coords, indices;
  SmallVector<int64_t> indexed;
};
} // namespace

static Value splat(ImplicitLocOpBuilder &b, RankedTensorType type, Value scalar) {
  return BroadcastOp::create(b, type, scalar, ArrayRef<int64_t>{});
}

/// `from + step * i` for `extent` elements.
static Value steps(ImplicitLocOpBuilder &b, int64_t extent, Value from, int64_t step) {
  auto type = RankedTensorType::get({extent}, b.getIndexType());
  if (step == 1)
    return IotaOp::create(b, type, 0, from);
  Value numbers = IotaOp::create(b, type, 0, Value());
  Value factor = arith::ConstantOp::create(b, DenseElementsAttr::get(type, b.getIndexAttr(step)));
  Value scaled = arith::MulIOp::create(b, numbers, factor);
  return arith::AddIOp::create(b, scaled, splat(b, type, from));
}

static Coordinates withoutSteps(ImplicitLocOpBuilder &b, const AccessParts &parts,
                                ArrayRef<int64_t> shape) {
  Coordinates result;
  const int64_t rank = cast<MemRefType>(parts.memref.getType()).getRank();
  for (int64_t m = 0; m < rank; ++m) {
    if (std::optional<unsigned> index = parts.indexOf(m)) {
      result.indices.push_back(parts.indices[*index]);
      result.indexed.push_back(m);
      continue;
    }
    const auto *at = llvm::find(parts.dims, m);
    const int64_t dim = at - parts.dims.begin();
    const int64_t step = at == parts.dims.end() || !parts.strides ? 1 : (*parts.strides)[dim];
    if (step == 1) {
      result.coords.push_back(parts.coordOf(m));
      continue;
    }
    result.indices.push_back(steps(b, shape[dim], parts.coordOf(m), step));
    result.indexed.push_back(m);
  }
  return result;
}

/// A tile of i1: which elements are accessed.
static Value accessedOf(ImplicitLocOpBuilder &b, const AccessParts &parts, LoadOp op) {
  ArrayRef<int64_t> shape = op.getTileType().getShape();
  auto type = RankedTensorType::get(shape, b.getI1Type());
  Value all;
  auto require = [&](Value tile) {
    all = all ? arith::AndIOp::create(b, all, tile).getResult() : tile;
  };
  auto isInside = [&](Value at, Value bound) -> Value {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    if (auto tile = dyn_cast<RankedTensorType>(at.getType())) {
      zero = splat(b, tile, zero);
      bound = splat(b, tile, bound);
    }
    Value low = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, at, zero);
    return arith::AndIOp::create(b, low,
                                 arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at, bound));
  };
  auto asIndex = [&](Value tile) -> Value {
    auto from = cast<RankedTensorType>(tile.getType());
    return from.getElementType().isIndex()
               ? tile
               : arith::IndexCastOp::create(b, from.clone(b.getIndexType()), tile).getResult();
  };
  for (int64_t m = 0, rank = op.getMemRefType().getRank(); m < rank; ++m) {
    Value bound = memref::DimOp::create(b, parts.memref, m);
    const auto *at = llvm::find(parts.dims, m);
    const int64_t dim = at - parts.dims.begin();
    if (at != parts.dims.end())
      if (Value limit = op.getLimit(dim))
        bound = arith::MinSIOp::create(b, bound, limit);
    if (std::optional<unsigned> index = parts.indexOf(m))
      require(BroadcastOp::create(b, type, isInside(asIndex(parts.indices[*index]), bound),
                                  parts.indexDims(*index, shape.size())));
    else if (at != parts.dims.end())
      require(BroadcastOp::create(b, type,
                                  isInside(steps(b, shape[dim], parts.coordOf(m),
                                                 parts.strides ? (*parts.strides)[dim] : 1),
                                           bound),
                                  dim));
    else
      require(splat(b, type, isInside(parts.coordOf(m), bound)));
  }
  if (parts.mask)
    require(BroadcastOp::create(b, type, parts.mask, parts.maskDims));
  return all ? all : splat(b, type, arith::ConstantIntOp::create(b, 1, 1));
}

SmallVector<Value> tessera::tile::expandLoad(ImplicitLocOpBuilder &b, LoadOp op) {
  if (op.isBox() && !op.getPadTile())
    return {};
  const AccessParts parts = partsOf(op, op.getSource());
  Value loaded;
  if (op.isBox()) {
    auto box =
        LoadOp::create(b, op.getType(), op.getSource(), op.getCoords(), op.getLimits(),
                       op.getMask(), op.getDimsAttr(), op.getLimitedAttr(), op.getMaskDimsAttr(),
                       op.getPadAttr(), op.getRequireAttr(), op.getStagesAttr(), op.getCacheAttr());
    box->setDiscardableAttrs(llvm::to_vector(op->getDiscardableAttrs()));
    loaded = box;
  } else {
    const Coordinates at = withoutSteps(b, parts, op.getTileType().getShape());
    if (at.indices.empty()) // all steps are 1
      loaded = LoadOp::create(b, op.getType(), op.getSource(), at.coords, op.getLimits(),
                              op.getMask(), op.getDimsAttr(), op.getLimitedAttr(),
                              op.getMaskDimsAttr(), op.getPadAttr(), op.getRequireAttr(),
                              op.getStagesAttr(), op.getCacheAttr());
    else
      loaded =
          GatherOp::create(b, op.getType(), op.getSource(), at.coords, op.getLimits(), op.getMask(),
                           at.indices, op.getDimsAttr(), op.getLimitedAttr(), op.getMaskDimsAttr(),
                           b.getDenseI64ArrayAttr(at.indexed), op.getPadAttr(), op.getRequireAttr(),
                           op.getStagesAttr(), op.getCacheAttr());
  }
  if (!op.getPadTile())
    return {loaded};
  return {arith::SelectOp::create(b, accessedOf(b, parts, op), loaded, op.getPadTile())};
}

/// The address is read as a scalar, in program order with the stores to the table.
SmallVector<Value> tessera::tile::expandArray(ImplicitLocOpBuilder &b, ArrayAtOp op) {
  Value address = memref::LoadOp::create(b, op.getTable(), op.getIndices());
  auto array = ArrayFromOp::create(b, op.getResult().getType(), address, op.getSizes(),
                                   op.getStrides(), op.getStaticSizesAttr(),
                                   op.getStaticStridesAttr(), op.getAlignAttr(), op.getAliasAttr());
  array->setDiscardableAttrs(llvm::to_vector(op->getDiscardableAttrs()));
  return {array};
}

bool tessera::tile::expandStore(ImplicitLocOpBuilder &b, StoreOp op) {
  if (op.isBox())
    return false;
  const Coordinates at = withoutSteps(b, partsOf(op, op.getDest()), op.getTileType().getShape());
  if (at.indices.empty())
    StoreOp::create(b, op.getValue(), op.getDest(), at.coords, op.getLimits(), op.getMask(),
                    op.getDimsAttr(), op.getLimitedAttr(), op.getMaskDimsAttr(),
                    op.getRequireAttr(), op.getCacheAttr());
  else
    ScatterOp::create(b, op.getValue(), op.getDest(), at.coords, op.getLimits(), op.getMask(),
                      at.indices, op.getDims(), op.getLimited(), op.getMaskDims(), at.indexed);
  return true;
}

bool tessera::tile::expandAtomic(ImplicitLocOpBuilder &b, AtomicOp op) {
  if (!op.getStrides())
    return false;
  const Coordinates at = withoutSteps(b, partsOf(op, op.getDest()), op.getTileType().getShape());
  auto made = AtomicOp::create(b, op.getOld() ? op.getOld().getType() : Type(), op.getKind(),
                               op.getOrder(), op.getScope(), op.getValue(), op.getReplacement(),
                               op.getDest(), at.coords, op.getLimits(), op.getMask(), at.indices,
                               op.getDims(), op.getLimited(), op.getMaskDims(), at.indexed,
                               /*strides=*/DenseI64ArrayAttr{});
  op->replaceAllUsesWith(made->getResults());
  return true;
}
