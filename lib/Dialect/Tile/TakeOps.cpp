// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elements and slices at places that are known at run time only: take, extract, insert.
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/TakeRules.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera::tile;

//===--- take --------------------------------------------------------------------------------===//

static bool isIndexElement(Type type) {
  return type.isIndex() || type.isSignlessInteger(8) || type.isSignlessInteger(16) ||
         type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

LogicalResult tessera::tile::verifyTake(Operation *op, const TakeShape &take) {
  const auto rank = static_cast<int64_t>(take.source.size());
  RankedTensorType result = take.result;
  if (take.dims.empty() || take.dims.size() != take.indices.size())
    return op->emitOpError("take_c1: needs one index tile for each dimension in 'dims', got ")
           << take.indices.size() << " for " << take.dims.size() << " dimensions";
  for (auto [n, dim] : llvm::enumerate(take.dims)) {
    if (dim < 0 || dim >= rank)
      return op->emitOpError("take_c1: dim = ")
             << dim << " is not a dimension of a tile of rank " << rank;
    if (n && take.dims[n - 1] >= dim)
      return op->emitOpError("take_c1: 'dims' must ascend");
  }
  SmallVector<int64_t> shape(take.source);
  if (result.getRank() == rank)
    for (int64_t dim : take.dims)
      shape[dim] = result.getDimSize(dim);
  if (!shapesAgree(result.getShape(), shape) || result.getElementType() != take.element)
    return op->emitOpError("take_c4: the result must have elements of type ")
           << take.element << " and the source's extents but along the dimension that is indexed, "
           << "got " << result;
  for (auto [dim, index] : llvm::zip_equal(take.dims, take.indices)) {
    if (!isIndexElement(index.getElementType()))
      return op->emitOpError("take_c2: indices are i8, i16, i32, i64 or index, got ") << index;
    const bool ofSlices =
        index.getRank() == 1 && extentsAgree(index.getDimSize(0), result.getDimSize(dim));
    const bool ofElements =
        take.dims.size() == 1 && shapesAgree(index.getShape(), result.getShape());
    if (!ofSlices && !ofElements)
      return op->emitOpError("take_c3: the index tile must have the result's shape, or rank 1 and "
                             "its extent ")
             << result.getDimSize(dim) << " along dimension " << dim << ", got " << index;
  }
  return success();
}

LogicalResult TakeOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  const auto dim = static_cast<int64_t>(getDim());
  return verifyTake(*this, {source.getShape(),
                            source.getElementType(),
                            dim,
                            {cast<RankedTensorType>(getIndex().getType())},
                            cast<RankedTensorType>(getResult().getType())});
}

/// True if the value is a splat constant or a scalar that was made a tile.
static bool isSplat(Attribute value) { return isa_and_nonnull<SplatElementsAttr>(value); }

OpFoldResult TakeOp::fold(FoldAdaptor adaptor) {
  // Indices that are all in range take equal elements from a tile of them; all others give zeros.
  auto type = cast<RankedTensorType>(getResult().getType());
  auto indices = dyn_cast_or_null<DenseIntElementsAttr>(adaptor.getIndex());
  const int64_t extent = cast<RankedTensorType>(getSource().getType()).getDimSize(getDim());
  if (type.getEncoding() || !indices || !type.hasStaticShape() || ShapedType::isDynamic(extent))
    return {};
  auto inRange = [&](const APInt &i) { return !i.isNegative() && i.slt(extent); };
  if (extent >= (int64_t(1) << 31))
    return {};
  SmallVector<bool> good;
  for (const APInt &i : indices.isSplat() ? SmallVector<APInt>{indices.getSplatValue<APInt>()}
                                          : llvm::to_vector(indices.getValues<APInt>()))
    good.push_back(inRange(i.sext(64)));
  if (llvm::none_of(good, [](bool g) { return g; }))
    return DenseElementsAttr::get(type, Builder(getContext()).getZeroAttr(type.getElementType()));
  if (llvm::all_of(good, [](bool g) { return g; }) && isSplat(adaptor.getSource()))
    return DenseElementsAttr::get(
        type, cast<SplatElementsAttr>(adaptor.getSource()).getSplatValue<Attribute>());
  return {};
}

//===--- extract and insert ------------------------------------------------------------------===//

/// `tile` is cut into slices of type `slice`; `name` is the op's.
static LogicalResult verifySlices(Operation *op, StringRef name, RankedTensorType tile,
                                  RankedTensorType slice, size_t indices) {
  if (tile.getRank() == 0 || static_cast<int64_t>(indices) != tile.getRank())
    return op->emitOpError(name) << "_c1: needs one index for each dimension of " << tile
                                 << ", which has rank 1 or more; got " << indices;
  if (slice.getRank() != tile.getRank() || slice.getElementType() != tile.getElementType())
    return op->emitOpError(name) << "_c2: rank and element type of the slice must be those of "
                                 << tile << ", got " << slice;
  for (int64_t d = 0; d < tile.getRank(); ++d)
    if (!tile.isDynamicDim(d) && !slice.isDynamicDim(d) &&
        (slice.getDimSize(d) < 1 || tile.getDimSize(d) % slice.getDimSize(d)))
      return op->emitOpError(name)
             << "_c2: the extent " << slice.getDimSize(d) << " of the slice must divide the extent "
             << tile.getDimSize(d) << " of the tile along dimension " << d;
  return success();
}

/// For each dimension the number of slices, and whether the index is known.
namespace {
struct KnownSlice {
  bool all = true;      ///< every index is known
  bool outside = false; ///< a known index is out of range
  SmallVector<int64_t> indices;
};
} // namespace
static KnownSlice knownSlice(RankedTensorType tile, RankedTensorType slice,
                             ArrayRef<Attribute> indices) {
  KnownSlice known;
  if (!tile.hasStaticShape() || !slice.hasStaticShape()) {
    known.all = false;
    return known;
  }
  for (auto [d, attr] : llvm::enumerate(indices)) {
    auto index = dyn_cast_or_null<IntegerAttr>(attr);
    known.all &= static_cast<bool>(index);
    known.indices.push_back(index ? index.getInt() : 0);
    if (index && (index.getInt() < 0 || index.getInt() >= tile.getDimSize(d) / slice.getDimSize(d)))
      known.outside = true;
  }
  return known;
}

LogicalResult ExtractOp::verify() {
  auto slice = cast<RankedTensorType>(getResult().getType());
  if (failed(verifySlices(*this, "extract", cast<RankedTensorType>(getSource().getType()), slice,
                          getIndices().size())))
    return failure();
  return verifyExtents(*this, "extract_c3", slice, getExtents());
}

OpFoldResult ExtractOp::fold(FoldAdaptor adaptor) {
  auto tile = cast<RankedTensorType>(getSource().getType()),
       slice = cast<RankedTensorType>(getResult().getType());
  if (slice.getEncoding())
    return {};
  KnownSlice known = knownSlice(tile, slice, adaptor.getIndices());
  if (known.outside)
    return DenseElementsAttr::get(slice, Builder(getContext()).getZeroAttr(slice.getElementType()));
  if (known.all && tile == slice)
    return getSource();
  if (known.all && isSplat(adaptor.getSource()))
    return DenseElementsAttr::get(
        slice, cast<SplatElementsAttr>(adaptor.getSource()).getSplatValue<Attribute>());
  return {};
}

namespace {
/// A slice at constant indices is one at a static place.
struct ExtractAtConstants : OpRewritePattern<ExtractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ExtractOp op, PatternRewriter &rewriter) const override {
    auto tile = cast<RankedTensorType>(op.getSource().getType()),
         slice = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<Attribute> indices;
    for (Value index : op.getIndices()) {
      Attribute constant;
      matchPattern(index, m_Constant(&constant));
      indices.push_back(constant);
    }
    KnownSlice known = knownSlice(tile, slice, indices);
    if (!known.all || known.outside)
      return failure();
    SmallVector<OpFoldResult> offsets, sizes, strides(tile.getRank(), rewriter.getIndexAttr(1));
    for (auto [index, extent] : llvm::zip_equal(known.indices, slice.getShape())) {
      offsets.push_back(rewriter.getIndexAttr(index * extent));
      sizes.push_back(rewriter.getIndexAttr(extent));
    }
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(op, slice, op.getSource(), offsets, sizes,
                                                        strides);
    return success();
  }
};
} // namespace

void ExtractOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ExtractAtConstants>(context);
}

LogicalResult InsertOp::verify() {
  return verifySlices(*this, "insert", cast<RankedTensorType>(getDest().getType()),
                      cast<RankedTensorType>(getSlice().getType()), getIndices().size());
}

OpFoldResult InsertOp::fold(FoldAdaptor adaptor) {
  auto tile = cast<RankedTensorType>(getDest().getType()),
       slice = cast<RankedTensorType>(getSlice().getType());
  KnownSlice known = knownSlice(tile, slice, adaptor.getIndices());
  if (known.outside)
    return getDest();
  if (known.all && tile == slice)
    return getSlice();
  return {};
}
