// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/CopyRules.h"
#include "tessera/Dialect/Cta/LayoutRules.h"
#include "tessera/Dialect/Cta/SharedMemory.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

Access::Access(LoadOp op)
    : isStore(false), memref(op.getSource()), mask(op.getMask()), type(op.getMemRefType()),
      tile(op.getTileType()), coords(op.getCoords()), limits(op.getLimits()), dims(op.getDims()),
      maskDims(op.getMaskDims()), limited(op.getLimited()), pad(op.getPadAttr()) {}

Access::Access(StoreOp op)
    : isStore(true), memref(op.getDest()), mask(op.getMask()), type(op.getMemRefType()),
      tile(op.getTileType()), coords(op.getCoords()), limits(op.getLimits()), dims(op.getDims()),
      maskDims(op.getMaskDims()), limited(op.getLimited()) {}

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

//===--- TMA
//----------------------------------------------------------------------------------------===//

/// How people name the argument that a memref is.
static std::string nameOf(Value memref) {
  if (auto argument = dyn_cast<BlockArgument>(memref))
    if (auto kernel = dyn_cast<tile::KernelOp>(argument.getOwner()->getParentOp()))
      return "%" + kernel.getArgName(argument.getArgNumber());
  return "the workspace";
}

/// True if `coord` only takes values below a bound that is at most the size: a coordinate of a grid
/// or loop over it. Where there is such a value, the size is not 0.
static bool runsOverSize(tile::Facts &facts, Value coord, Value memref, unsigned dim) {
  Value upper;
  auto argument = dyn_cast<BlockArgument>(coord);
  if (!argument || facts.range(coord).min < 0)
    return false;
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto grid = dyn_cast<tile::GridOp>(parent))
    upper = dyn_cast<Value>(grid.getMixedUpper()[argument.getArgNumber()]);
  else if (auto loop = dyn_cast<scf::ForOp>(parent); loop && coord == loop.getInductionVar())
    upper = loop.getUpperBound();
  return upper && facts.isSize(upper, memref, dim);
}

static std::string strideList(const Access &access, unsigned dim, int64_t number) {
  std::string list = "tile.stride_divisible = array<i64: ";
  for (unsigned d = 0, rank = access.type.getRank(); d < rank; ++d)
    list += (d ? ", " : "") + std::to_string(d == dim ? number : 1);
  return list + ">";
}

std::optional<std::string> tessera::cta::whyNotTma(tile::Facts &facts, const Access &access,
                                                   SmemType shared) {
  MemRefType type = access.type;
  std::string name = nameOf(access.memref);
  int64_t bytes = tile::elementBytes(type.getElementType());
  int64_t units = std::max<int64_t>(1, 16 / bytes);
  auto argument = dyn_cast<BlockArgument>(access.memref);
  Operation *owner =
      argument ? argument.getOwner()->getParentOp() : access.memref.getDefiningOp()->getParentOp();
  if (!isa<tile::KernelOp>(owner) ||
      (!argument && !isa<memref::AllocOp>(access.memref.getDefiningOp())))
    return "the memref is a view (" +
           (argument ? std::string("a block argument")
                     : access.memref.getDefiningOp()->getName().getStringRef().str()) +
           "); descriptors exist for arguments and workspaces: use those with coordinates";
  if (type.getElementType().isInteger(1))
    return std::string("TMA has no elements of type i1");
  if (access.mask)
    return std::string("it has a mask; bounds are free with TMA, other masks are not: apply the "
                       "mask with arith.select");
  auto word = dyn_cast_or_null<tile::PadAttr>(access.pad);
  if (access.pad &&
      (!word || (word.getValue() != tile::Pad::Zero && word.getValue() != tile::Pad::Any)))
    return std::string("TMA pads with zero only; use pad = zero or any, and arith.select");
  for (unsigned d = 0, rank = access.tile.getRank(); d < rank; ++d)
    if (Value limit = access.limit(d);
        limit && !facts.coversSize(limit, access.memref, access.dims[d]))
      return "the limit of tile dimension " + std::to_string(d) +
             " may lie inside the memref; TMA stops at the memref's size only";

  layout::SharedLayout image = sharedLayout(shared);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || access.dims.empty())
    return std::string("the memref has no strides");
  unsigned inner = access.dims[image.contiguousDim];
  if (strides[inner] != 1)
    return "dimension " + std::to_string(inner) + " of " + name +
           ", along which the shared tile is contiguous, is not known to have stride 1";
  if (facts.alignment(access.memref) % 16)
    return "the base of " + name +
           " is not known to be a multiple of 16 bytes; add tile.align = 16 to it";
  for (unsigned d = 0, rank = type.getRank(); d < rank; ++d) {
    if (d == inner)
      continue;
    if (strides[d] == 0)
      return "dimension " + std::to_string(d) + " of " + name + " has stride 0";
    if (facts.strideDivisibility(access.memref, d) % units)
      return "the stride of dimension " + std::to_string(d) + " of " + name +
             " is not known to be a multiple of 16 bytes; add " + strideList(access, d, units) +
             " to it";
  }
  for (unsigned d = 0, rank = type.getRank(); d < rank; ++d) {
    if (facts.sizeRange(access.memref, d).min < 1 &&
        !runsOverSize(facts, access.coords[d], access.memref, d))
      return "dimension " + std::to_string(d) + " of " + name +
             " may be empty: TMA has no descriptor for it";
    if (!facts.range(access.coords[d]).fitsI32())
      return "the coordinate of dimension " + std::to_string(d) + " of " + name +
             " is not known to fit 32 bits; tile.size_max or tile.assume can say so";
    if (facts.sizeRange(access.memref, d).max > INT32_MAX)
      return "the size of dimension " + std::to_string(d) + " of " + name +
             " is not known to fit 31 bits; tile.size_max can say so";
  }
  if (access.isStore && facts.sizeDivisibility(access.memref, inner) % units)
    return "the size of dimension " + std::to_string(inner) + " of " + name +
           " is not known to be a multiple of 16 bytes, at which TMA stores are clipped; add "
           "tile.size_divisible to it";
  if (layout::Error error = image.validateTma())
    return *error;
  return std::nullopt;
}

//===--- vectors
//------------------------------------------------------------------------------------===//

VectorChoice tessera::cta::chooseVector(tile::Facts &facts, const Access &access) {
  VectorChoice choice;
  FragAttr frag = FragAttr::of(access.tile);
  int64_t bytes = tile::elementBytes(access.tile.getElementType());
  if (!frag || access.tile.getRank() == 0)
    return choice;
  std::string name = nameOf(access.memref);
  int dim = contiguousTileDim(access.type, access.dims);
  if (dim < 0) {
    choice.why = "single elements: no dimension of the tile is known to have stride 1 in memory";
    return choice;
  }
  unsigned inner = access.dims[dim];
  layout::Coord shape = coordOf(access.tile.getShape());
  int64_t wanted =
      std::min(frag.layout().contiguousRegisters(shape, dim), std::max<int64_t>(1, 16 / bytes));
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
  // An access must be in bounds or out as a whole.
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
        (choice.elements == 1 ? std::string("single elements: ")
                              : std::to_string(choice.elements) + " elements at a time: ") +
        choice.why;
  else
    choice.why.clear();
  return choice;
}
