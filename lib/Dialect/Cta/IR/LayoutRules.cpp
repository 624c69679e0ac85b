// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/LayoutRules.h"

#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using layout::RegisterLayout;

RankedTensorType tessera::cta::tensorOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

RegisterLayout tessera::cta::layoutOf(Value tile) { return FragAttr::of(tile.getType()).layout(); }

layout::Coord tessera::cta::coordOf(ArrayRef<int64_t> shape) {
  return layout::Coord(shape.begin(), shape.end());
}

RankedTensorType tessera::cta::registerTile(Type type) {
  auto async = dyn_cast<AsyncType>(type);
  return async ? async.getTensor() : dyn_cast<RankedTensorType>(type);
}

int64_t tessera::cta::elementsOfThread(Type type) {
  RankedTensorType tile = registerTile(type);
  FragAttr frag = tile ? FragAttr::of(tile) : FragAttr();
  return frag ? frag.layout().numRegisters(coordOf(tile.getShape())) : 0;
}

int64_t tessera::cta::registersOf(Value value) { return registersOf(value.getType()); }

int64_t tessera::cta::registersOf(Type type) {
  const int64_t elements = elementsOfThread(type);
  if (!elements)
    return 0;
  Type element = registerTile(type).getElementType();
  return llvm::divideCeil(elements * tile::elementBytes(element), 4);
}

RegisterLayout tessera::cta::reducedLayout(const RegisterLayout &input, ArrayRef<int64_t> dims) {
  RegisterLayout result = input;
  for (int64_t d : llvm::reverse(dims))
    result = result.sliceDim(static_cast<int>(d));
  return result;
}

RegisterLayout tessera::cta::broadcastSourceLayout(const RegisterLayout &result,
                                                   ArrayRef<int64_t> dims,
                                                   ArrayRef<int64_t> sourceShape,
                                                   ArrayRef<int64_t> resultShape) {
  RegisterLayout source = result;
  for (int d = static_cast<int>(resultShape.size()) - 1; d >= 0; --d)
    if (!llvm::is_contained(dims, static_cast<int64_t>(d)))
      source = source.sliceDim(d);
  for (auto [i, d] : llvm::enumerate(dims))
    if (sourceShape[i] == 1 && resultShape[d] != 1)
      source = source.sliceDim(static_cast<int>(i)).expandDim(static_cast<int>(i));
  return source;
}

RegisterLayout tessera::cta::transposedLayout(const RegisterLayout &source,
                                              ArrayRef<int64_t> dims) {
  return source.permute(std::vector<int>(dims.begin(), dims.end()));
}

RegisterLayout tessera::cta::untransposedLayout(const RegisterLayout &result,
                                                ArrayRef<int64_t> dims) {
  std::vector<int> inverse(dims.size());
  for (auto [i, d] : llvm::enumerate(dims))
    inverse[d] = static_cast<int>(i);
  return result.permute(inverse);
}

RegisterLayout tessera::cta::maskLayout(const RegisterLayout &tile, ArrayRef<int64_t> maskDims) {
  RegisterLayout mask = tile;
  for (int d = tile.rank() - 1; d >= 0; --d)
    if (!llvm::is_contained(maskDims, static_cast<int64_t>(d)))
      mask = mask.sliceDim(d);
  return mask;
}

std::optional<RegisterLayout> tessera::cta::unitReshapeLayout(const RegisterLayout &source,
                                                              ArrayRef<int64_t> sourceShape,
                                                              ArrayRef<int64_t> resultShape) {
  auto isUnit = [](int64_t e) { return e == 1; };
  SmallVector<int64_t> a, b;
  llvm::copy_if(sourceShape, std::back_inserter(a), std::not_fn(isUnit));
  llvm::copy_if(resultShape, std::back_inserter(b), std::not_fn(isUnit));
  if (a != b)
    return std::nullopt;
  RegisterLayout result = source;
  for (int d = static_cast<int>(sourceShape.size()) - 1; d >= 0; --d)
    if (sourceShape[d] == 1)
      result = result.sliceDim(d);
  for (auto [d, extent] : llvm::enumerate(resultShape))
    if (extent == 1)
      result = result.expandDim(static_cast<int>(d));
  return result;
}

bool tessera::cta::reshapeKeepsRegisters(const RegisterLayout &source,
                                         ArrayRef<int64_t> sourceShape,
                                         const RegisterLayout &result,
                                         ArrayRef<int64_t> resultShape) {
  layout::Coord from(sourceShape.begin(), sourceShape.end()),
      to(resultShape.begin(), resultShape.end());
  if (source.validateFor(from) || result.validateFor(to) ||
      source.warps.size() != result.warps.size() || source.wgCount != result.wgCount)
    return false;
  layout::RegisterTile a(source, from), b(result, to);
  if (a.numRegisters() != b.numRegisters())
    return false;
  auto number = [](const layout::RegisterTile::Point &p, const layout::Coord &shape) {
    int64_t n = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      n = n * shape[d] + p[d];
    return n;
  };
  for (int64_t wg = 0; wg < result.wgCount; ++wg)
    for (int64_t warp = 0; warp < result.warpsPerGroup(); ++warp)
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t reg = 0; reg < b.numRegisters(); ++reg) {
          layout::RegisterTile::Point p, q;
          b.coord(reg, lane, warp, wg, q);
          if (b.isDead(q))
            continue;
          a.coord(reg, lane, warp, wg, p);
          if (a.isDead(p) || number(p, from) != number(q, to))
            return false;
        }
  return true;
}

/// True if the slice consists of whole base tiles. Then it is a slice of registers, and single
/// elements need no check.
static bool cutsBaseTiles(SliceOp op, const RegisterLayout &source, const RegisterLayout &result,
                          const layout::Coord &from, const layout::Coord &to) {
  if (source != result || op.getStrides())
    return false;
  const layout::Coord base = source.baseShape(), many = source.repeats(from),
                      few = source.repeats(to);
  for (auto [d, offset] : llvm::enumerate(op.getOffsets())) {
    const bool ofGroups = source.wgDim == static_cast<int>(d);
    if (offset % base[d] || (ofGroups && (offset || many[d] != few[d])))
      return false;
  }
  return true;
}

bool tessera::cta::sliceKeepsRegisters(SliceOp op) {
  FragAttr fromFrag = FragAttr::of(op.getSource().getType()),
           toFrag = FragAttr::of(op.getResult().getType());
  if (!fromFrag || !toFrag)
    return false;
  RegisterLayout source = fromFrag.layout(), result = toFrag.layout();
  ArrayRef<int64_t> fromShape = tileShape(op.getSource().getType()),
                    toShape = tileShape(op.getResult().getType());
  layout::Coord from(fromShape.begin(), fromShape.end()), to(toShape.begin(), toShape.end());
  if (source.validateFor(from) || result.validateFor(to) ||
      source.warps.size() != result.warps.size() || source.wgCount != result.wgCount)
    return false;
  if (cutsBaseTiles(op, source, result, from, to))
    return true;
  ArrayRef<int64_t> offsets = op.getOffsets();
  SmallVector<int64_t> strides(to.size(), 1);
  if (op.getStrides())
    strides.assign(op.getStrides()->begin(), op.getStrides()->end());
  layout::RegisterTile a(source, from), b(result, to);
  for (int64_t reg = 0; reg < b.numRegisters(); ++reg) {
    int64_t same = -1;
    for (int64_t wg = 0; wg < result.wgCount; ++wg)
      for (int64_t warp = 0; warp < result.warpsPerGroup(); ++warp)
        for (int64_t lane = 0; lane < 32; ++lane) {
          layout::RegisterTile::Point p = {}, q = {};
          b.coord(reg, lane, warp, wg, q);
          if (b.isDead(q))
            continue;
          for (size_t d = 0; d < to.size(); ++d)
            p[d] = offsets[d] + strides[d] * q[d];
          layout::Location at = a.locate(p);
          if (!a.holds(at, lane, warp, wg) || (same >= 0 && at.reg != same))
            return false;
          same = at.reg;
        }
  }
  return true;
}

bool tessera::cta::isElementwise(Operation *op) {
  return (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
          !isa<arith::ConstantOp>(op)) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

RankedTensorType tessera::cta::withLayout(Type tensor, const RegisterLayout &layout) {
  auto type = cast<RankedTensorType>(tensor);
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               FragAttr::get(type.getContext(), layout));
}

int tessera::cta::contiguousTileDim(MemRefType memref, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return -1;
  for (auto [tileDim, d] : llvm::enumerate(dims))
    if (strides[d] == 1)
      return static_cast<int>(tileDim);
  return -1;
}
