// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/TmaRules.h"
#include "tessera/Machine/Hopper.h"

#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace tessera::tile;

std::optional<std::string> tessera::tile::whyNotTmaRoot(Value memref) {
  if (isArrayInMemory(rootOf(memref)))
    return std::string("the address of the array comes from memory: the host, which makes the "
                       "descriptors of TMA, does not know it");
  auto argument = dyn_cast<BlockArgument>(memref);
  Operation *owner =
      argument ? argument.getOwner()->getParentOp() : memref.getDefiningOp()->getParentOp();
  if (!isa<KernelOp>(owner) || (!argument && !isa<memref::AllocOp>(memref.getDefiningOp())))
    return "the memref is a view (" +
           (argument ? std::string("a block argument")
                     : memref.getDefiningOp()->getName().getStringRef().str()) +
           "); descriptors exist for arguments and workspaces: use those with coordinates";
  if (cast<MemRefType>(memref.getType()).getElementType().isInteger(1))
    return std::string("TMA has no elements of type i1");
  return std::nullopt;
}

std::optional<std::string> tessera::tile::whyNotTmaBounds(Facts &facts, Value memref,
                                                          ValueRange limits, ArrayRef<bool> limited,
                                                          ArrayRef<int64_t> dims, Value mask,
                                                          Attribute pad) {
  if (mask)
    return std::string("it has a mask; bounds are free with TMA, other masks are not: apply the "
                       "mask with arith.select");
  auto word = dyn_cast_or_null<PadAttr>(pad);
  if (pad && (!word || (word.getValue() != Pad::Zero && word.getValue() != Pad::Any)))
    return std::string("TMA pads with zero only; use pad = zero or any, and arith.select");
  for (unsigned d = 0, rank = dims.size(); d < rank; ++d)
    if (Value limit = limitOf(limits, limited, d);
        limit && !facts.coversSize(limit, memref, dims[d]))
      return "the limit of tile dimension " + std::to_string(d) +
             " may lie inside the memref; TMA stops at the memref's size only";
  return std::nullopt;
}

static std::string strideList(unsigned rank, unsigned dim, int64_t number) {
  std::string list = "tile.stride_divisible = array<i64: ";
  for (unsigned d = 0; d < rank; ++d)
    list += (d ? ", " : "") + std::to_string(d == dim ? number : 1);
  return list + ">";
}

std::optional<std::string> tessera::tile::whyNotTmaStrides(Facts &facts, Value memref,
                                                           unsigned inner) {
  auto type = cast<MemRefType>(memref.getType());
  std::string name = nameOfRoot(memref);
  int64_t units = std::max<int64_t>(1, kTmaGranule / elementBytes(type.getElementType()));
  auto [strides, offset] = type.getStridesAndOffset();
  if (strides[inner] != 1)
    return "dimension " + std::to_string(inner) + " of " + name +
           ", along which the shared tile is contiguous, is not known to have stride 1";
  if (facts.alignment(memref) % kTmaGranule)
    return "the base of " + name +
           " is not known to be a multiple of 16 bytes; add tile.align = 16 to it";
  for (unsigned d = 0, rank = type.getRank(); d < rank; ++d) {
    if (d == inner)
      continue;
    if (facts.strideDivisibility(memref, d) % units)
      return "the stride of dimension " + std::to_string(d) + " of " + name +
             " is not known to be a multiple of 16 bytes; add " + strideList(rank, d, units) +
             " to it";
  }
  return std::nullopt;
}

bool tessera::tile::hasRowsOfLines(Facts &facts, Value memref, unsigned inner) {
  auto type = cast<MemRefType>(memref.getType());
  const int64_t units =
      std::max<int64_t>(1, hopper::kL2LineBytes / elementBytes(type.getElementType()));
  for (unsigned d = 0, rank = type.getRank(); d < rank; ++d)
    if (d != inner && facts.strideDivisibility(memref, d) % units)
      return false;
  return true;
}

bool tessera::tile::beginsAtLines(Facts &facts, Value memref, unsigned inner) {
  return hasRowsOfLines(facts, memref, inner) &&
         facts.alignment(memref) % hopper::kL2LineBytes == 0;
}

/// True if `coord` only takes values below a bound that is at most the size: a coordinate of a grid
/// or loop over it. Where there is such a value, the size is not 0.
static bool runsOverSize(Facts &facts, Value coord, Value memref, unsigned dim) {
  Value upper;
  auto argument = dyn_cast<BlockArgument>(coord);
  if (!argument || facts.range(coord).min < 0)
    return false;
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto grid = dyn_cast<GridOp>(parent))
    upper = dyn_cast<Value>(grid.getMixedUpper()[argument.getArgNumber()]);
  else if (auto loop = dyn_cast<scf::ForOp>(parent); loop && coord == loop.getInductionVar())
    upper = loop.getUpperBound();
  return upper && facts.isSize(upper, memref, dim);
}

std::optional<std::string> tessera::tile::whyNotTmaExtents(Facts &facts, Value memref,
                                                           ValueRange coords) {
  std::string name = nameOfRoot(memref);
  for (auto [d, coord] : llvm::enumerate(coords)) {
    // A coordinate that an index tile gives is null.
    if (facts.sizeRange(memref, d).min < 1 && (!coord || !runsOverSize(facts, coord, memref, d)))
      return "dimension " + std::to_string(d) + " of " + name +
             " may be empty: TMA has no descriptor for it";
    if (facts.sizeRange(memref, d).max > INT32_MAX)
      return "the size of dimension " + std::to_string(d) + " of " + name +
             " is not known to fit 31 bits; tile.size_max can say so";
  }
  return std::nullopt;
}

std::optional<std::string> tessera::tile::whyNotTmaPlace(Facts &facts, Value memref,
                                                         ValueRange coords, unsigned inner,
                                                         bool isStore) {
  std::string name = nameOfRoot(memref);
  const int64_t bytes = elementBytes(cast<MemRefType>(memref.getType()).getElementType()),
                units = std::max<int64_t>(1, kTmaGranule / bytes);
  if (facts.divisibility(coords[inner]) % units)
    return "the coordinate of dimension " + std::to_string(inner) + " of " + name +
           ", along which it is contiguous, is not known to be a multiple of " +
           std::to_string(units) +
           " elements (16 bytes); tile.assume {divisible = " + std::to_string(units) +
           "} can say so";
  if (!isStore)
    return std::nullopt;
  for (auto [d, coord] : llvm::enumerate(coords)) {
    IntRange range = facts.range(coord);
    if (range.min < 0)
      return "the coordinate of dimension " + std::to_string(d) + " of " + name +
             " may be negative, where TMA cannot store; tile.assume {min = 0} can say that it is "
             "not";
    if (!range.fitsI32())
      return "the coordinate of dimension " + std::to_string(d) + " of " + name +
             " is not known to fit 32 bits; tile.size_max or tile.assume can say so";
  }
  return std::nullopt;
}

/// `name = array<i64: ...>` with the numbers of the attribute that the argument has, or `unsaid`.
static std::string mergedList(KernelOp kernel, unsigned arg, StringRef name,
                              const std::map<unsigned, int64_t> &added, int64_t unsaid) {
  auto old = kernel.getArgAttrOfType<DenseI64ArrayAttr>(arg, name);
  std::string list = (name + " = array<i64: ").str();
  const int64_t rank = cast<MemRefType>(kernel.getArgumentTypes()[arg]).getRank();
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t has = old ? old[d] : unsaid;
    auto it = added.find(d);
    const int64_t number = it == added.end()               ? has
                           : name == TileDialect::kSizeMax ? std::min(has, it->second)
                                                           : std::lcm(has, it->second);
    list += (d ? ", " : "") + std::to_string(number);
  }
  return list + ">";
}

std::string tessera::tile::missingTmaFacts(Facts &facts, Value memref, unsigned inner,
                                           bool isStore) {
  auto argument = dyn_cast<BlockArgument>(memref);
  auto kernel = argument ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp()) : KernelOp();
  if (!kernel)
    return "";
  auto type = cast<MemRefType>(memref.getType());
  const int64_t units = std::max<int64_t>(1, kTmaGranule / elementBytes(type.getElementType()));
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides[inner] != 1 ||
      llvm::is_contained(strides, 0))
    return "";
  const unsigned arg = argument.getArgNumber();
  SmallVector<std::string> missing;
  if (facts.alignment(memref) % kTmaGranule)
    missing.push_back("tile.align = 16");
  std::map<unsigned, int64_t> ofStrides, ofSizes, most;
  for (unsigned d = 0, rank = type.getRank(); d < rank; ++d) {
    if (d != inner && facts.strideDivisibility(memref, d) % units)
      ofStrides[d] = units;
    if (facts.sizeRange(memref, d).max > INT32_MAX)
      most[d] = INT32_MAX;
  }
  if (isStore && facts.sizeDivisibility(memref, inner) % units)
    ofSizes[inner] = units;
  if (!ofStrides.empty())
    missing.push_back(mergedList(kernel, arg, TileDialect::kStrideDivisible, ofStrides, 1));
  if (!ofSizes.empty())
    missing.push_back(mergedList(kernel, arg, TileDialect::kSizeDivisible, ofSizes, 1));
  if (!most.empty())
    missing.push_back(
        mergedList(kernel, arg, TileDialect::kSizeMax, most, std::numeric_limits<int64_t>::max()));
  return missing.empty() ? "" : "{" + llvm::join(missing, ", ") + "}";
}
