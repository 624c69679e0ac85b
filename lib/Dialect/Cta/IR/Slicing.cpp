// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How ops compute some columns of their results.
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Layout/RegisterForms.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

//===--- types and coordinates ---------------------------------------------------------------===//

RankedTensorType tessera::cta::slicedType(Type tile, TileSlice slice) {
  auto tensor = cast<RankedTensorType>(tile);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[slice.dim] = slice.width;
  return RankedTensorType::get(shape, tensor.getElementType(), tensor.getEncoding());
}

RankedTensorType tessera::cta::slicedAccessType(MemRefType memref, ArrayRef<int64_t> dims,
                                                Type tile, TileSlice slice) {
  RankedTensorType narrow = slicedType(tile, slice);
  const int contiguous = contiguousTileDim(memref, dims);
  FragAttr frag = FragAttr::of(tile);
  if (contiguous < 0 || !frag)
    return narrow;
  const int64_t bytes = tile::elementBytes(narrow.getElementType());
  const int64_t vector =
      frag.layout().contiguousRegisters(coordOf(tileShape(tile)), contiguous) * bytes;
  return withLayout(narrow, layout::blockedFor(coordOf(narrow.getShape()), static_cast<int>(bytes),
                                               contiguous, kWarpBits, frag.getWgCount(),
                                               std::min<int64_t>(vector, 16)));
}

SmemType tessera::cta::slicedShared(SmemType tile, int64_t dim, int64_t width) {
  SmallVector<int64_t> shape(tile.getShape());
  shape[dim] = width;
  SwizzleAttr swizzle = tile.getSwizzle();
  auto narrowed = SmemType::get(tile.getContext(), shape, tile.getElementType(), swizzle);
  for (int64_t span = swizzle.getSpan(); sharedLayout(narrowed).validateTma();) {
    // The spans are 128, 64, 32 and 0, which stands for panels of 16 bytes.
    span = span > 32 ? span / 2 : span - 32;
    if (span < 0)
      return {};
    narrowed = SmemType::get(tile.getContext(), shape, tile.getElementType(),
                             SwizzleAttr::get(tile.getContext(), span, swizzle.getDim(), 0));
  }
  return narrowed;
}

bool tessera::cta::keepsVectors(std::optional<uint64_t> vector, MemRefType memref,
                                ArrayRef<int64_t> dims, RankedTensorType type) {
  const int contiguous = contiguousTileDim(memref, dims);
  return !vector || contiguous < 0 ||
         FragAttr::of(type).layout().contiguousRegisters(coordOf(type.getShape()), contiguous) >=
             static_cast<int64_t>(*vector);
}

SmallVector<Value> tessera::cta::slicedCoords(OpBuilder &b, Location loc, ValueRange coords,
                                              ArrayRef<int64_t> dims, TileSlice slice) {
  SmallVector<Value> moved(coords);
  Value &coord = moved[dims[slice.dim]];
  if (slice.from)
    coord = b.createOrFold<arith::AddIOp>(loc, coord,
                                          arith::ConstantIndexOp::create(b, loc, slice.from));
  return moved;
}

//===--- ops ---------------------------------------------------------------------------------===//

Value BroadcastOp::sliceResult(OpBuilder &b, OpResult result, TileSlice slice, TileSlicer &slicer) {
  Value source = getSource();
  for (auto [i, d] : llvm::enumerate(getDims()))
    if (d == slice.dim && tileShape(source.getType())[i] != 1)
      source = slicer.sliceOf(source, {static_cast<int64_t>(i), slice.from, slice.width});
  return BroadcastOp::create(b, getLoc(), slicedType(result.getType(), slice), source,
                             getDimsAttr());
}

Value IotaOp::sliceResult(OpBuilder &b, OpResult result, TileSlice slice, TileSlicer &) {
  auto copy = cast<IotaOp>(b.clone(**this));
  RankedTensorType type = slicedType(result.getType(), slice);
  copy.getResult().setType(type);
  if (static_cast<int64_t>(getDim()) != slice.dim || slice.from == 0)
    return copy;
  auto first = DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), slice.from));
  return arith::AddIOp::create(b, getLoc(), copy,
                               arith::ConstantOp::create(b, getLoc(), type, first));
}

/// A load of the slice, with result type `type`. It has no mask.
static Value slicedLoad(OpBuilder &b, LoadOp load, RankedTensorType type, TileSlice slice) {
  SmallVector<Value> coords =
      slicedCoords(b, load.getLoc(), load.getCoords(), load.getDims(), slice);
  auto copy = cast<LoadOp>(b.clone(*load));
  copy.getCoordsMutable().assign(coords);
  copy.getResult().setType(type);
  return copy.getResult();
}

Value LoadOp::sliceResult(OpBuilder &b, OpResult result, TileSlice slice, TileSlicer &slicer) {
  if (getMask() || !slicer.mayRepeat(*this))
    return {};
  return slicedLoad(b, *this, slicedType(result.getType(), slice), slice);
}

/// Of a tile that is loaded in a layout of its own and then converted. Other conversions are kept
/// whole, because a slice in the source's layout may need another kind of conversion.
Value ConvertLayoutOp::sliceResult(OpBuilder &b, OpResult result, TileSlice slice,
                                   TileSlicer &slicer) {
  auto load = getSource().getDefiningOp<LoadOp>();
  if (!load || !load->hasOneUse() || load.getMask() || !slicer.mayRepeat(load))
    return {};
  RankedTensorType type =
      slicedAccessType(load.getMemRefType(), load.getDims(), load.getType(), slice);
  if (!keepsVectors(load.getVector(), load.getMemRefType(), load.getDims(), type))
    return {};
  Value loaded = slicedLoad(b, load, type, slice);
  RankedTensorType converted = slicedType(result.getType(), slice);
  return type == converted
             ? loaded
             : ConvertLayoutOp::create(b, loaded.getLoc(), converted, loaded).getResult();
}

/// Of a tile that a copy of the same block brings to shared memory for this read alone.
Value ReadOp::sliceResult(OpBuilder &b, OpResult result, TileSlice slice, TileSlicer &slicer) {
  auto fetched = getSource().getDefiningOp<CopyOp>();
  if (!fetched || fetched.getIndexTile() || fetched.getStrides() || getOffsets() || getDims() ||
      getStrides() || !fetched->hasOneUse() || !slicer.mayRepeat(fetched))
    return {};
  SmemType type = slicedShared(fetched.getSmemType(), slice.dim, slice.width);
  if (!type)
    return {};
  SmallVector<Value> coords =
      slicedCoords(b, fetched.getLoc(), fetched.getCoords(), fetched.getDims(), slice);
  auto copy = cast<CopyOp>(b.clone(*fetched));
  copy.getCoordsMutable().assign(coords);
  copy.getResult().setType(type);
  // A slice need not begin at a multiple of its extent (copy_c14).
  if (copy.getTrim() == slice.dim)
    copy.removeTrimAttr();
  return ReadOp::create(b, getLoc(), slicedType(result.getType(), slice), copy.getResult(),
                        /*offsets=*/{}, /*dims=*/{}, /*strides=*/{});
}
