// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/TmaRules.h"
#include "tessera/Layout/RegisterForms.h"
#include "tessera/Machine/Hopper.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

Access::Access(LoadOp op)
    : op(op), isStore(false), memref(op.getSource()), mask(op.getMask()), type(op.getMemRefType()),
      tile(op.getTileType()), coords(llvm::to_vector(op.getCoords())), limits(op.getLimits()),
      dims(op.getDims()), maskDims(op.getMaskDims()), limited(op.getLimited()),
      pad(op.getPadAttr()) {}

Access::Access(StoreOp op)
    : op(op), isStore(true), memref(op.getDest()), mask(op.getMask()), type(op.getMemRefType()),
      tile(op.getTileType()), coords(llvm::to_vector(op.getCoords())), limits(op.getLimits()),
      dims(op.getDims()), maskDims(op.getMaskDims()), limited(op.getLimited()) {}

Access::Access(tile::LoadOp op)
    : op(op), isStore(false), memref(op.getSource()), mask(op.getMask()), type(op.getMemRefType()),
      tile(op.getTileType()), coords(llvm::to_vector(op.getCoords())), limits(op.getLimits()),
      dims(op.getDims()), maskDims(op.getMaskDims()), limited(op.getLimited()),
      pad(op.getPadAttr()) {}

Access::Access(tile::StoreOp op)
    : op(op), isStore(true), memref(op.getDest()), mask(op.getMask()), type(op.getMemRefType()),
      tile(op.getTileType()), coords(llvm::to_vector(op.getCoords())), limits(op.getLimits()),
      dims(op.getDims()), maskDims(op.getMaskDims()), limited(op.getLimited()) {}

/// The coordinates in the order of the memref's dimensions; null where there is an index tile.
template <typename Op>
static SmallVector<Value> coordsOf(Op op, Value memref) {
  const tile::AccessParts parts = tile::partsOf(op, memref);
  SmallVector<Value> coords;
  for (int64_t d = 0, rank = op.getMemRefType().getRank(); d < rank; ++d)
    coords.push_back(parts.coordOf(d));
  return coords;
}

Access::Access(GatherOp op)
    : op(op), isStore(false), memref(op.getSource()), mask(op.getMask()), type(op.getMemRefType()),
      tile(op.getTileType()), coords(coordsOf(op, op.getSource())), limits(op.getLimits()),
      dims(op.getDims()), maskDims(op.getMaskDims()), limited(op.getLimited()),
      pad(op.getPadAttr()) {}

Access::Access(ScatterOp op)
    : op(op), isStore(true), memref(op.getDest()), mask(op.getMask()), type(op.getMemRefType()),
      tile(op.getTileType()), coords(coordsOf(op, op.getDest())), limits(op.getLimits()),
      dims(op.getDims()), maskDims(op.getMaskDims()), limited(op.getLimited()) {}

Access::Access(AtomicOp op)
    : op(op), isStore(true), memref(op.getDest()), mask(op.getMask()), type(op.getMemRefType()),
      tile(op.getTileType()), coords(coordsOf(op, op.getDest())), limits(op.getLimits()),
      dims(op.getDims()), maskDims(op.getMaskDims()), limited(op.getLimited()) {}

Value Access::limit(unsigned tileDim) const { return tile::limitOf(limits, limited, tileDim); }

SmemType tessera::cta::tmaImage(const Access &access) {
  int dim = contiguousTileDim(access.type, access.dims);
  int64_t rank = access.tile.getRank();
  if (dim < 0)
    return {};
  MLIRContext *context = access.tile.getContext();
  auto image = [&](SwizzleAttr swizzle) {
    return SmemType::get(context, access.tile.getShape(), access.tile.getElementType(), swizzle);
  };
  if (rank == 1)
    return image(SwizzleAttr::linear(context));
  if (dim < rank - 2)
    return {};
  for (int64_t span : {128, 64, 32, 0})
    if (SmemType type = image(SwizzleAttr::get(context, span, dim, 0));
        !sharedLayout(type).validateTma())
      return type;
  return image(SwizzleAttr::linear(context));
}

//===--- TMA ---------------------------------------------------------------------------------===//

/// The most boxes of a tile that a limit cuts, if it comes row by row: one thread issues an
/// instruction for each. It is fewer where parts of several rows are boxes, too. A guess.
static constexpr size_t kMostBoxesOfCut = 1024;

SmallVector<bool> tessera::cta::cuttingLimits(tile::Facts &facts, const Access &access) {
  const tile::Facts::Place place(facts, access.op);
  SmallVector<bool> cutting;
  for (auto [d, dim] : llvm::enumerate(access.dims)) {
    Value limit = access.limit(d);
    cutting.push_back(limit && !facts.coversSize(limit, access.memref, dim));
  }
  return cutting;
}

/// True if the value is the same in all iterations of the loop: defined outside of it, or computed
/// from such values.
static bool isInvariant(LoopLikeOpInterface loop, Value value) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(), [&](Value other) { return isInvariant(loop, other); });
}

/// True if the value moves on by `least` or more from iteration to iteration: the number of the
/// loop, plus or minus what is the same in all iterations.
static bool movesOn(scf::ForOp loop, Value value, int64_t least) {
  if (value == loop.getInductionVar())
    return getConstantIntValue(loop.getStep()).value_or(0) >= least;
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return (isInvariant(loop, sum.getRhs()) && movesOn(loop, sum.getLhs(), least)) ||
           (isInvariant(loop, sum.getLhs()) && movesOn(loop, sum.getRhs(), least));
  auto difference = value.getDefiningOp<arith::SubIOp>();
  return difference && isInvariant(loop, difference.getRhs()) &&
         movesOn(loop, difference.getLhs(), least);
}

/// Rule 2, for a limit along tile dimension `dim` that may end inside the memref.
static std::optional<std::string> whyNotTmaLimit(const Access &access, unsigned dim,
                                                 const layout::SharedLayout &shared) {
  const std::string limit =
      "the limit of tile dimension " + std::to_string(dim) + " may lie inside the memref";
  if (access.isStore || !access.strides.empty() || llvm::is_contained(access.coords, Value()))
    return limit + "; TMA stops at the memref's size only";
  if (static_cast<int>(dim) == shared.contiguousDim)
    return limit + "; TMA leaves out rows of the shared tile, but no columns";
  if (layout::Error error = shared.validateTma())
    return *error;
  if (layout::Error error = shared.validateTma(static_cast<int>(dim)))
    return limit + ", and its rows cannot be fetched one by one: " + *error;
  if (const size_t boxes = shared.tmaBoxes(static_cast<int>(dim)).size(); boxes > kMostBoxesOfCut)
    return limit + ", and a tile that it cuts would have " + std::to_string(boxes) + " boxes";
  auto loop = access.op->getParentOfType<LoopLikeOpInterface>();
  if (!loop)
    return std::nullopt;
  const std::string slow = "; TMA would fetch the rows of many tiles one by one";
  if (!isInvariant(loop, access.limit(dim)))
    return limit + ", and changes in the loop" + slow;
  auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
  if (!counted || !movesOn(counted, access.coords[access.dims[dim]], shared.shape[dim]))
    return limit + ", and may cut the tiles of several iterations" + slow;
  return std::nullopt;
}

std::optional<std::string> tessera::cta::whyNotTma(tile::Facts &facts, const Access &access,
                                                   SmemType shared) {
  const tile::Facts::Place place(facts, access.op);
  if (auto why = tile::whyNotTmaRoot(access.memref))
    return why;
  layout::SharedLayout image = sharedLayout(shared);
  const SmallVector<bool> cutting = cuttingLimits(facts, access);
  // Of one limit the copy takes care, of others nobody.
  if (llvm::count(cutting, true) == 1) {
    if (auto why = whyNotTmaLimit(access, llvm::find(cutting, true) - cutting.begin(), image))
      return why;
    const SmallVector<bool> none(access.dims.size(), false);
    if (auto why = tile::whyNotTmaBounds(facts, access.memref, /*limits=*/{}, none, access.dims,
                                         access.mask, access.pad))
      return why;
  } else if (auto why = tile::whyNotTmaBounds(facts, access.memref, access.limits, access.limited,
                                              access.dims, access.mask, access.pad))
    return why;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(access.type.getStridesAndOffset(strides, offset)) || access.dims.empty())
    return std::string("the memref has no strides");
  unsigned inner = access.dims[image.contiguousDim];
  if (!access.coords[inner])
    return std::string("an index tile gives the coordinates of the contiguous dimension");
  if (auto why = tile::whyNotTmaStrides(facts, access.memref, inner))
    return why;
  if (auto why = tile::whyNotTmaExtents(facts, access.memref, access.coords))
    return why;
  if (auto why = tile::whyNotTmaPlace(facts, access.memref, access.coords, inner, access.isStore))
    return why;
  int64_t units =
      std::max<int64_t>(1, tile::kTmaGranule / tile::elementBytes(access.type.getElementType()));
  if (access.isStore && facts.sizeDivisibility(access.memref, inner) % units)
    return "the size of dimension " + std::to_string(inner) + " of " +
           tile::nameOfRoot(access.memref) +
           " is not known to be a multiple of 16 bytes, at which TMA stores are clipped; add "
           "tile.size_divisible to it";
  const auto *indexed = llvm::find_if(access.dims, [&](int64_t d) { return !access.coords[d]; });
  // With element steps all of the window is one box, wherever index tiles say that it begins.
  const int sliced = indexed == access.dims.end() || !access.strides.empty()
                         ? -1
                         : static_cast<int>(indexed - access.dims.begin());
  if (layout::Error error = image.validateTma(sliced))
    return *error;
  return access.strides.empty() ? std::nullopt : whyNotTmaSteps(image, access.strides);
}

std::optional<std::string> tessera::cta::whyNotTmaSteps(const layout::SharedLayout &shared,
                                                        ArrayRef<int64_t> strides) {
  const auto inner = static_cast<size_t>(shared.contiguousDim);
  if (strides[inner] != 1)
    return "the element step of dimension " + std::to_string(inner) +
           " of the tile, which is contiguous in shared memory, is " +
           std::to_string(strides[inner]) + ": TMA has steps along the other dimensions only";
  for (auto [d, step] : llvm::enumerate(strides)) {
    if (step > hopper::kTmaMaxStep)
      return "the element step of dimension " + std::to_string(d) + " of the tile is " +
             std::to_string(step) + ", and TMA has steps of at most " +
             std::to_string(hopper::kTmaMaxStep);
    for (const layout::TmaBox &box : shared.tmaBoxes())
      if (const int64_t reach = (box.extents[d] - 1) * step + 1; reach > hopper::kTmaMaxBox)
        return "with an element step of " + std::to_string(step) + " a box reaches over " +
               std::to_string(reach) + " elements of dimension " + std::to_string(d) +
               " of the tile, and TMA takes at most " + std::to_string(hopper::kTmaMaxBox) +
               ": use a smaller tile";
  }
  return std::nullopt;
}

//===--- vectors -----------------------------------------------------------------------------===//

/// The widest vector of at most `wanted` elements along tile dimension `dim`.
static VectorChoice narrowVector(tile::Facts &facts, const Access &access, int dim,
                                 int64_t wanted) {
  const tile::Facts::Place place(facts, access.op);
  VectorChoice choice;
  int64_t bytes = tile::elementBytes(access.tile.getElementType());
  std::string name = tile::nameOfRoot(access.memref);
  unsigned inner = access.dims[dim];
  if (!access.coords[inner]) {
    choice.why = "no vectors: an index tile gives the coordinates of the contiguous dimension";
    return choice;
  }
  layout::Coord shape = coordOf(access.tile.getShape());
  auto divides = [](int64_t number) { return number ? layout::powerOf2Dividing(number) : 1 << 20; };
  wanted = std::min(wanted, divides(shape[dim]));
  choice.elements = wanted;
  auto narrow = [&](int64_t to, const std::string &why) {
    if (to >= choice.elements)
      return;
    choice.elements = std::max<int64_t>(to, 1);
    choice.why = why;
  };
  narrow(divides(facts.alignment(access.memref)) / bytes,
         "the base of " + name + " is not known to be a multiple of " +
             std::to_string(wanted * bytes) + " bytes (tile.align)");
  for (unsigned d = 0, rank = access.type.getRank(); d < rank; ++d)
    if (d != inner && access.type.getDimSize(d) != 1)
      narrow(divides(facts.strideDivisibility(access.memref, d)),
             "the stride of dimension " + std::to_string(d) + " of " + name +
                 " is not known to be a multiple of " + std::to_string(wanted) +
                 " (tile.stride_divisible)");
  narrow(divides(facts.divisibility(access.coords[inner])),
         "the coordinate of dimension " + std::to_string(inner) +
             " is not known to be a multiple of " + std::to_string(wanted));
  // A vector must lie completely inside the bounds or completely outside.
  tile::IntRange at = facts.range(access.coords[inner]);
  tile::IntRange size = facts.sizeRange(access.memref, inner);
  bool inside = at.min >= 0 && size.min >= shape[dim] && at.max <= size.min - shape[dim];
  if (!inside)
    narrow(divides(facts.sizeDivisibility(access.memref, inner)),
           "the size of dimension " + std::to_string(inner) + " of " + name +
               " is not known to be a multiple of " + std::to_string(wanted) +
               " (tile.size_divisible)");
  if (Value limit = access.limit(dim); limit && !facts.coversSize(limit, access.memref, inner))
    narrow(divides(facts.divisibility(limit)),
           "the limit of tile dimension " + std::to_string(dim) +
               " is not known to be a multiple of " + std::to_string(wanted));
  if (access.mask && llvm::is_contained(access.maskDims, static_cast<int64_t>(dim)))
    narrow(1, "the mask varies along the contiguous dimension");
  if (choice.elements < wanted)
    choice.why =
        (choice.elements == 1 ? std::string("no vectors: ")
                              : std::to_string(choice.elements) + " elements at a time: ") +
        choice.why;
  else
    choice.why.clear();
  return choice;
}

VectorChoice tessera::cta::chooseVector(tile::Facts &facts, const Access &access) {
  VectorChoice choice;
  FragAttr frag = FragAttr::of(access.tile);
  int64_t bytes = tile::elementBytes(access.tile.getElementType());
  if (!frag || access.tile.getRank() == 0)
    return choice;
  if (access.dims.empty()) {
    choice.why = "no vectors: each element has a place of its own";
    return choice;
  }
  int dim = contiguousTileDim(access.type, access.dims);
  if (dim < 0) {
    choice.why = "no vectors: no dimension of the tile is known to have stride 1 in memory";
    return choice;
  }
  layout::Coord shape = coordOf(access.tile.getShape());
  return narrowVector(
      facts, access, dim,
      std::min(frag.layout().contiguousRegisters(shape, dim), std::max<int64_t>(1, 16 / bytes)));
}

int64_t tessera::cta::widestVector(tile::Facts &facts, const Access &access) {
  int dim = access.tile.getRank() ? contiguousTileDim(access.type, access.dims) : -1;
  if (dim < 0)
    return 1;
  int64_t bytes = tile::elementBytes(access.tile.getElementType());
  return narrowVector(facts, access, dim, std::max<int64_t>(1, 16 / bytes)).elements;
}

//===--- cp.async ----------------------------------------------------------------------------===//

/// Rules 1, 2 and 4: why threads cannot copy pieces of the tile.
static std::optional<std::string> whyNotByThreads(const Access &access,
                                                  const layout::SharedLayout &image) {
  if (access.mask)
    return "it has a mask";
  auto word = dyn_cast_or_null<tile::PadAttr>(access.pad);
  if (access.pad &&
      (!word || (word.getValue() != tile::Pad::Zero && word.getValue() != tile::Pad::Any)))
    return "it pads with zero only";
  if (access.dims.empty() || image.validate() ||
      contiguousTileDim(access.type, access.dims) != image.contiguousDim)
    return "the shared tile is contiguous along a dimension that is not known to have stride 1 in "
           "memory";
  if (!access.coords[access.dims[image.contiguousDim]])
    return "an index tile gives the coordinates of the contiguous dimension";
  return std::nullopt;
}

CpAsyncChoice tessera::cta::chooseCpAsync(tile::Facts &facts, const Access &access,
                                          SmemType shared) {
  const tile::Facts::Place place(facts, access.op);
  CpAsyncChoice choice;
  const int64_t bytes = tile::elementBytes(access.tile.getElementType());
  const std::string name = tile::nameOfRoot(access.memref);
  layout::SharedLayout image = sharedLayout(shared);
  if (auto why = whyNotByThreads(access, image))
    return {0, *why};
  const unsigned inner = access.dims[image.contiguousDim];
  int64_t piece = 16;
  auto narrow = [&](int64_t to, const std::string &why) {
    to = to ? int64_t(1) << llvm::countr_zero(static_cast<uint64_t>(to)) : 16;
    if (to >= piece)
      return;
    piece = to;
    choice.why = why;
  };
  narrow(facts.alignment(access.memref), "the base of " + name + " (tile.align)");
  for (unsigned d = 0, rank = access.type.getRank(); d < rank; ++d)
    if (d != inner && access.type.getDimSize(d) != 1)
      narrow(facts.strideDivisibility(access.memref, d) * bytes,
             "the stride of dimension " + std::to_string(d) + " of " + name +
                 " (tile.stride_divisible)");
  narrow(facts.divisibility(access.coords[inner]) * bytes,
         "the coordinate of dimension " + std::to_string(inner));
  narrow(image.shape[image.contiguousDim] * bytes, "the extent of the tile");
  if (image.numRows() > 1)
    narrow(image.spanBytes(), "the rows of the shared tile");
  if (piece < 4 || piece < bytes)
    return {0,
            "no more than " + std::to_string(piece) + " bytes are known to divide " + choice.why};
  choice.elements = piece / bytes;
  if (piece < 16)
    choice.why = "cp.async of " + std::to_string(piece) + " bytes: no more are known to divide " +
                 choice.why;
  return choice;
}

bool tessera::cta::beginsFromZero(tile::Facts &facts, const Access &access, SmemType shared) {
  const tile::Facts::Place place(facts, access.op);
  return facts.range(access.coords[access.dims[sharedLayout(shared).contiguousDim]]).min >= 0;
}

std::optional<std::string> tessera::cta::whyNotShifted(tile::Facts &facts, const Access &access,
                                                       SmemType shared) {
  const tile::Facts::Place place(facts, access.op);
  const int64_t bytes = tile::elementBytes(access.tile.getElementType());
  layout::SharedLayout image = sharedLayout(shared);
  if (auto why = whyNotByThreads(access, image))
    return why;
  if (image.shape[image.contiguousDim] * bytes % kShiftedChunk)
    return "the extent of the tile along contiguous memory is no multiple of 16 bytes";
  if (image.numRows() > 1 && image.spanBytes() % kShiftedChunk)
    return "the rows of the shared tile are no multiples of 16 bytes";
  Value coord = access.coords[access.dims[image.contiguousDim]];
  if (!beginsFromZero(facts, access, shared) && facts.divisibility(coord) * bytes % kShiftedChunk)
    return "the coordinate along contiguous memory may be negative, and is not known to be a "
           "multiple of 16 bytes";
  return std::nullopt;
}

int64_t tessera::cta::shiftedPieces(CopyOp copy, int64_t warpgroups) {
  if (!copy.isShifted())
    return 0;
  const SmemType type = copy.getSmemType();
  const int64_t threads = (warpgroups << kWarpBits) * 32,
                bytes =
                    type.tensorType().getNumElements() * tile::elementBytes(type.getElementType());
  return llvm::divideCeil(bytes, kShiftedChunk * threads);
}

int64_t tessera::cta::shiftRegisters(CopyOp copy, int64_t warpgroups) {
  return kShiftedRegisters * std::min(shiftedPieces(copy, warpgroups), kMostShifted);
}

layout::RegisterLayout tessera::cta::pieceLayout(SmemType shared, int64_t elements,
                                                 int64_t warpgroups) {
  layout::SharedLayout image = sharedLayout(shared);
  const int64_t bytes = elements * (image.elementBits / 8);
  return layout::blockedFor(image.shape, image.elementBits / 8, image.contiguousDim, kWarpBits,
                            warpgroups, bytes, /*leastBytes=*/bytes);
}

layout::RegisterLayout tessera::cta::indexTileLayout(SmemType shared, int64_t dim, int64_t vector,
                                                     int64_t warpgroups) {
  if (!vector)
    return layout::splat(/*rank=*/1, kWarpBits, warpgroups);
  return maskLayout(pieceLayout(shared, vector, warpgroups), dim);
}

BoxTrim tessera::cta::boxTrim(const layout::SharedLayout &shared, const layout::TmaBox &box,
                              int64_t dim) {
  const int64_t extent = box.extents[dim], whole = shared.shape[dim];
  bool isOutermost = dim != shared.contiguousDim;
  for (int64_t outer = 0; outer < dim; ++outer)
    isOutermost &= outer == shared.contiguousDim || box.extents[outer] == 1;
  if (isOutermost && whole % extent == 0)
    return BoxTrim::Rows;
  return extent < whole ? BoxTrim::Whole : BoxTrim::None;
}
