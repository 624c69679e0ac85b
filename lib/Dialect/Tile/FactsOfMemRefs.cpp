// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Facts about memrefs: arguments, workspaces and views of them.
#include "FactsArithmetic.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

using namespace mlir;
using namespace tessera::tile;
using namespace tessera::tile::facts;

//===--- memrefs ------------------------------------------------------------===//

/// The source dimension of dimension `dim` of a view that may drop some.
static unsigned keptDim(const llvm::SmallBitVector &dropped, unsigned dim) {
  for (unsigned d = 0; d < dropped.size(); ++d)
    if (!dropped[d] && dim-- == 0)
      return d;
  return 0;
}

/// The source dimension that dimension `dim` of a collapsed memref is, if all others that went into
/// it have one element.
static std::optional<unsigned> collapsedDim(memref::CollapseShapeOp view, unsigned dim) {
  std::optional<unsigned> only;
  const ReassociationIndices group = view.getReassociationIndices()[dim];
  for (int64_t d : group) {
    if (view.getSrcType().getDimSize(d) == 1)
      continue;
    if (only)
      return std::nullopt;
    only = d;
  }
  return only ? *only : group.back();
}

namespace {
/// What the text says about an array at an address from memory.
struct ArrayInMemory {
  SmallVector<OpFoldResult> sizes, strides;
  int64_t align;
};
} // namespace

template <typename Op>
static ArrayInMemory shapeOf(Op op) {
  return {op.getMixedSizes(), op.getMixedStrides(),
          static_cast<int64_t>(op.getAlign().value_or(1))};
}

static std::optional<ArrayInMemory> arrayInMemory(Value memref) {
  if (auto at = memref.getDefiningOp<ArrayAtOp>())
    return shapeOf(at);
  if (auto from = memref.getDefiningOp<ArrayFromOp>())
    return shapeOf(from);
  return std::nullopt;
}

std::optional<unsigned> Facts::sizeClass(Value memref, unsigned dim) {
  Size size = sizeOf(memref, dim);
  if (size.kind != Size::Argument)
    return std::nullopt;
  return size.number;
}

Facts::Size Facts::sizeOf(Value memref, unsigned dim) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type || dim >= type.getRank())
    return {};
  auto folded = [](OpFoldResult x) -> Size {
    if (auto value = dyn_cast<Value>(x))
      return {Size::Dynamic, 0, value};
    return {Size::Constant, cast<IntegerAttr>(cast<Attribute>(x)).getInt(), {}};
  };
  if (auto argument = dyn_cast<BlockArgument>(memref)) {
    if (argument.getOwner() == &kernel.getBody().front())
      return {Size::Argument, classOfArg[argument.getArgNumber()][dim], {}};
  } else if (!type.isDynamicDim(dim)) {
    return {Size::Constant, type.getDimSize(dim), {}};
  } else if (auto alloc = memref.getDefiningOp<memref::AllocOp>()) {
    Value size = alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)];
    // A workspace as large as an argument shares its class of sizes.
    if (auto named = size.getDefiningOp<DimOp>())
      if (auto it = classOfName.find(named.getName()); it != classOfName.end())
        return {Size::Argument, it->second, {}};
    if (auto other = size.getDefiningOp<memref::DimOp>())
      if (std::optional<int64_t> index = other.getConstantIndex())
        if (Size same = sizeOf(other.getSource(), *index); same.kind == Size::Argument)
          return same;
    return {Size::Dynamic, 0, size};
  } else if (auto cast = memref.getDefiningOp<memref::CastOp>()) {
    return sizeOf(cast.getSource(), dim);
  } else if (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    return folded(view.getMixedSizes()[keptDim(view.getDroppedDims(), dim)]);
  } else if (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>()) {
    return folded(view.getMixedSizes()[dim]);
  } else if (std::optional<ArrayInMemory> array = arrayInMemory(memref)) {
    return folded(array->sizes[dim]);
  } else if (auto view = memref.getDefiningOp<memref::ExpandShapeOp>()) {
    return folded(view.getMixedOutputShape()[dim]);
  } else if (auto view = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    if (std::optional<unsigned> d = collapsedDim(view, dim))
      return sizeOf(view.getSrc(), *d);
  }
  if (!type.isDynamicDim(dim))
    return {Size::Constant, type.getDimSize(dim), {}};
  return {};
}

Facts::Known Facts::know(const Size &size) {
  Known known{1, {0, kHigh}};
  if (size.kind == Size::Constant)
    known = {size.number, point(size.number)};
  else if (size.kind == Size::Argument)
    known = classes[size.number];
  else if (size.kind == Size::Dynamic)
    known = know(size.value);
  known.range.min = std::max<int64_t>(known.range.min, 0);
  if (known.range.min == known.range.max)
    known.divisor = known.range.min;
  return known;
}

int64_t Facts::sizeDivisibility(Value memref, unsigned dim) {
  return know(sizeOf(memref, dim)).divisor;
}
IntRange Facts::sizeRange(Value memref, unsigned dim) { return know(sizeOf(memref, dim)).range; }

int64_t Facts::strideDivisibility(Value memref, unsigned dim) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || dim >= type.getRank() || failed(type.getStridesAndOffset(strides, offset)))
    return 1;
  if (!ShapedType::isDynamic(strides[dim]))
    return magnitude(strides[dim]);
  auto folded = [&](OpFoldResult x) -> int64_t {
    if (auto value = dyn_cast<Value>(x))
      return divisibility(value);
    return magnitude(cast<IntegerAttr>(cast<Attribute>(x)).getInt());
  };
  int64_t divisor = 1;
  if (type.getLayout().isIdentity())
    for (unsigned d = dim + 1; d < type.getRank(); ++d)
      divisor = product(divisor, sizeDivisibility(memref, d));
  if (auto argument = dyn_cast<BlockArgument>(memref)) {
    if (argument.getOwner() == &kernel.getBody().front()) {
      auto fact = kernel.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(),
                                                             TileDialect::kStrideDivisible);
      if (fact)
        divisor = lcm(divisor, fact[dim]);
      if (auto guards = kernel.getGuards())
        for (auto guard : guards->getAsRange<GuardAttr>())
          if (guard.getFact() == FactKind::StrideDivisible &&
              guard.getArg() == argument.getArgNumber() && guard.getDim() == dim)
            divisor = lcm(divisor, guard.getValue());
    }
  } else if (auto alloc = memref.getDefiningOp<memref::AllocOp>()) {
    if (!type.getLayout().isIdentity())
      divisor = divisibility(alloc.getSymbolOperands()[llvm::count(
          ArrayRef(strides).take_front(dim), ShapedType::kDynamic)]);
  } else if (auto cast = memref.getDefiningOp<memref::CastOp>()) {
    divisor = lcm(divisor, strideDivisibility(cast.getSource(), dim));
  } else if (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    unsigned d = keptDim(view.getDroppedDims(), dim);
    divisor = product(strideDivisibility(view.getSource(), d), folded(view.getMixedStrides()[d]));
  } else if (auto view = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    if (std::optional<unsigned> d = collapsedDim(view, dim))
      divisor = strideDivisibility(view.getSrc(), *d);
  } else if (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>()) {
    divisor = folded(view.getMixedStrides()[dim]);
  } else if (std::optional<ArrayInMemory> array = arrayInMemory(memref);
             array && array->strides[dim]) {
    divisor = folded(array->strides[dim]);
  }
  return divisor;
}

int64_t Facts::alignment(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type)
    return 1;
  int64_t bytes = elementBytes(type.getElementType());
  auto folded = [&](OpFoldResult x) -> int64_t {
    if (auto value = dyn_cast<Value>(x))
      return divisibility(value);
    return magnitude(cast<IntegerAttr>(cast<Attribute>(x)).getInt());
  };
  if (auto argument = dyn_cast<BlockArgument>(memref)) {
    if (argument.getOwner() != &kernel.getBody().front())
      return bytes;
    int64_t align = bytes;
    if (auto fact =
            kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), TileDialect::kAlign))
      align = std::max(align, fact.getInt());
    if (auto guards = kernel.getGuards())
      for (auto guard : guards->getAsRange<GuardAttr>())
        if (guard.getFact() == FactKind::Align && guard.getArg() == argument.getArgNumber())
          align = std::max(align, guard.getValue());
    return align;
  }
  if (memref.getDefiningOp<memref::AllocOp>())
    return 128; // an allocation of its own
  if (std::optional<ArrayInMemory> array = arrayInMemory(memref))
    return std::max(bytes, array->align);
  if (auto cast = memref.getDefiningOp<memref::CastOp>())
    return alignment(cast.getSource());
  if (auto view = memref.getDefiningOp<memref::ExpandShapeOp>())
    return alignment(view.getSrc());
  if (auto view = memref.getDefiningOp<memref::CollapseShapeOp>())
    return alignment(view.getSrc());
  if (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    int64_t align = alignment(view.getSource());
    for (auto [d, offset] : llvm::enumerate(view.getMixedOffsets()))
      align = gcd(align,
                  product(bytes, product(folded(offset), strideDivisibility(view.getSource(), d))));
    return align;
  }
  if (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>())
    return gcd(alignment(view.getSource()), product(bytes, folded(view.getMixedOffsets().front())));
  return bytes;
}

bool Facts::isSize(Value value, Value memref, unsigned dim) {
  Size size = sizeOf(memref, dim);
  if (size.kind == Size::Dynamic && size.value == value)
    return true;
  if (size.kind == Size::Argument)
    if (auto named = value.getDefiningOp<DimOp>())
      if (auto it = classOfName.find(named.getName()); it != classOfName.end())
        return it->second == size.number;
  if (auto other = value.getDefiningOp<memref::DimOp>())
    if (std::optional<int64_t> index = other.getConstantIndex()) {
      if (other.getSource() == memref && *index == dim)
        return true;
      Size theirs = sizeOf(other.getSource(), *index);
      if (size.kind == Size::Argument && theirs.kind == Size::Argument)
        return theirs.number == size.number;
    }
  IntRange number = range(value), extent = know(size).range;
  return number.min == number.max && extent.min == extent.max && number.min == extent.min;
}

bool Facts::isWithinSize(Value memref, unsigned dim, Value other, unsigned otherDim) {
  const Size size = sizeOf(memref, dim), most = sizeOf(other, otherDim);
  if (size.kind == most.kind && ((size.kind == Size::Argument && size.number == most.number) ||
                                 (size.kind == Size::Dynamic && size.value == most.value)))
    return true;
  return know(size).range.max <= know(most).range.min;
}

bool Facts::coversSize(Value value, Value memref, unsigned dim) {
  return isSize(value, memref, dim) || range(value).min >= sizeRange(memref, dim).max;
}
