// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AccessSyntax.h"
#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

#include "tessera/Machine/Hopper.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

//===--- the access ops: load, store, copy, copy_out -----------------------------------------===//

/// The attributes that the clauses of an access already print.
static const StringRef kAccessAttrs[] = {"dims",    "limited", "maskDims",           "indexed",
                                         "strides", "pad",     "operandSegmentSizes"};

/// Asynchronous copies have no mask, and no list of mask dimensions.
static ParseResult takeNoMask(OpAsmParser &parser, const tile::ParsedAccess &access,
                              StringRef constraint, OperationState &result) {
  if (access.hasMask)
    return parser.emitError(parser.getNameLoc())
           << constraint << ": an asynchronous copy has no mask";
  result.attributes.erase("maskDims");
  return success();
}

/// `%M[...] clauses [cache_if = %c] [multicast_if = %m] [into %tile[%slot]] attrs : memref ->
/// tile`; the tile is the result.
static ParseResult parseSource(OpAsmParser &parser, OperationState &result, bool isCopy = false) {
  tile::ParsedAccess access;
  Type memref, tileType;
  SmallVector<int32_t> segments;
  OpAsmParser::UnresolvedOperand into, slot, cacheIf, multicastIf;
  if (parseAccess(parser, access, {tile::AccessKind::Load, /*indices=*/isCopy, /*strides=*/isCopy}))
    return failure();
  bool hasCondition = isCopy && succeeded(parser.parseOptionalKeyword("cache_if"));
  if (hasCondition && (parser.parseEqual() || parser.parseOperand(cacheIf)))
    return failure();
  bool isShared = isCopy && succeeded(parser.parseOptionalKeyword("multicast_if"));
  if (isShared && (parser.parseEqual() || parser.parseOperand(multicastIf)))
    return failure();
  bool hasInto = isCopy && succeeded(parser.parseOptionalKeyword("into"));
  if (hasInto && (parser.parseOperand(into) || parser.parseLSquare() || parser.parseOperand(slot) ||
                  parser.parseRSquare()))
    return failure();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(memref) ||
      parser.parseArrow() || parser.parseType(tileType))
    return failure();
  if (!isa<RankedTensorType, SmemType>(tileType))
    return parser.emitError(parser.getNameLoc())
           << "expected a ranked tensor or a shared tile, got " << tileType;
  if (resolveAccess(parser, access, memref, tileShape(tileType), Type(), result, segments,
                    maskEncodingOf(tileType)))
    return failure();
  SmallVector<int32_t> sizes{1, segments[0], segments[1]};
  if (!isCopy) {
    sizes.push_back(segments[2]);
  } else {
    if (takeNoMask(parser, access, "copy_c5", result))
      return failure();
    sizes.append({segments[3], hasInto, hasInto, hasCondition, isShared});
    Builder &b = parser.getBuilder();
    if (hasInto && (parser.resolveOperand(into, tileType, result.operands) ||
                    parser.resolveOperand(slot, b.getI32Type(), result.operands)))
      return failure();
    if (hasCondition && parser.resolveOperand(cacheIf, b.getI1Type(), result.operands))
      return failure();
    if (isShared && parser.resolveOperand(multicastIf, b.getI1Type(), result.operands))
      return failure();
  }
  result.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(sizes));
  result.addTypes(tileType);
  return success();
}

/// `%value, %M[...] clauses attrs : tile -> memref`.
static ParseResult parseDestination(OpAsmParser &parser, OperationState &result,
                                    bool isCopy = false) {
  OpAsmParser::UnresolvedOperand value;
  tile::ParsedAccess access;
  Type memref, tileType;
  SmallVector<int32_t> segments;
  if (parser.parseOperand(value) || parser.parseComma() ||
      parseAccess(parser, access, {tile::AccessKind::Store}) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(tileType) ||
      parser.parseArrow() || parser.parseType(memref))
    return failure();
  if (!isa<RankedTensorType, SmemType>(tileType))
    return parser.emitError(parser.getNameLoc())
           << "expected a ranked tensor or a shared tile, got " << tileType;
  if (parser.resolveOperand(value, tileType, result.operands) ||
      resolveAccess(parser, access, memref, tileShape(tileType), Type(), result, segments,
                    maskEncodingOf(tileType)))
    return failure();
  SmallVector<int32_t> sizes{1, 1, segments[0], segments[1]};
  if (!isCopy)
    sizes.push_back(segments[2]);
  else if (takeNoMask(parser, access, "copy_out_c5", result))
    return failure();
  result.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(sizes));
  return success();
}

template <typename Op>
static void printSource(Op op, OpAsmPrinter &p) {
  Type type = op.getResult().getType();
  p << ' ';
  tile::printAccess(p, tile::partsOf(op, op.getSource()), tileShape(type).size(),
                    maskEncodingOf(type));
  if constexpr (std::is_same_v<Op, CopyOp>) {
    if (op.getCacheIf())
      p << " cache_if = " << op.getCacheIf();
    if (op.getMulticastIf())
      p << " multicast_if = " << op.getMulticastIf();
    if (op.getInto())
      p << " into " << op.getInto() << '[' << op.getSlot() << ']';
  }
  p.printOptionalAttrDict(op->getAttrs(), kAccessAttrs);
  p << " : " << op.getSource().getType() << " -> " << type;
}

template <typename Op>
static void printDestination(Op op, OpAsmPrinter &p) {
  Type type = op.getValue().getType();
  p << ' ' << op.getValue() << ", ";
  tile::printAccess(p, tile::partsOf(op, op.getDest()), tileShape(type).size(),
                    maskEncodingOf(type));
  p.printOptionalAttrDict(op->getAttrs(), kAccessAttrs);
  p << " : " << type << " -> " << op.getDest().getType();
}

/// The mask has a layout of its own; the rules of an access look at shapes only.
template <typename Op>
static LogicalResult verifyBox(Op op, Value memref, Type type) {
  return tile::verifyAccess(op, tile::partsOf(op, memref), tileShape(type), tileElementType(type));
}

LogicalResult tessera::cta::verifyVector(Operation *op, std::optional<uint64_t> vector,
                                         Type elementType) {
  if (vector && (!llvm::isPowerOf2_64(*vector) || *vector * tile::elementBytes(elementType) > 16))
    return op->emitOpError("load_c11: 'vector' must be a power of two of at most 16 bytes, got ")
           << *vector << " elements of " << elementType;
  return success();
}

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseSource(parser, result);
}
void LoadOp::print(OpAsmPrinter &p) { printSource(*this, p); }
LogicalResult LoadOp::verify() {
  RankedTensorType type = getTileType();
  if (failed(verifyBox(*this, getSource(), type)) ||
      failed(tile::verifyPad(*this, getPadAttr(), type.getElementType())))
    return failure();
  return verifyVector(*this, getVector(), type.getElementType());
}
void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
}
Value LoadOp::getLimit(unsigned dim) { return tile::limitOf(getLimits(), getLimited(), dim); }

ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseDestination(parser, result);
}
void StoreOp::print(OpAsmPrinter &p) { printDestination(*this, p); }
LogicalResult StoreOp::verify() {
  RankedTensorType type = getTileType();
  if (failed(verifyBox(*this, getDest(), type)))
    return failure();
  return verifyVector(*this, getVector(), type.getElementType());
}
void StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}
Value StoreOp::getLimit(unsigned dim) { return tile::limitOf(getLimits(), getLimited(), dim); }

ParseResult CopyOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseSource(parser, result, /*isCopy=*/true);
}
void CopyOp::print(OpAsmPrinter &p) { printSource(*this, p); }

/// Constraint 13.
static LogicalResult verifyIndexTile(CopyOp op) {
  if (op.getIndices().empty())
    return success();
  const tile::AccessParts parts = tile::partsOf(op, op.getSource());
  if (parts.indices.size() > 1 || parts.isFlat())
    return op.emitOpError("copy_c13: there is at most one index tile, of rank 1, got ")
           << parts.indices.size() << " for the tile " << op.getSmemType();
  const int64_t dim = op.getIndexDim();
  // A tile whose layout is open has no contiguous dimension yet.
  if (SwizzleAttr swizzle = op.getSmemType().getSwizzle();
      !swizzle.isUnknown() && sharedLayout(op.getSmemType()).contiguousDim == dim)
    return op.emitOpError("copy_c13: the index tile is for dimension ")
           << dim << ", which is contiguous in shared memory: its elements would be single pieces";
  if (op.getMulticast())
    return op.emitOpError("copy_c13: blocks of a cluster do not share a tile that an index tile "
                          "gathers; leave out 'multicast'");
  if (op.isShifted())
    return op.emitOpError(
        "copy_c13: an index tile is for tma and cp_async: shifted pieces have one "
        "place in all");
  if (op.isByThreads())
    return success();
  if (auto type = cast<RankedTensorType>(op.getIndexTile().getType());
      !type.getElementType().isInteger(32))
    return op.emitOpError("copy_c13: TMA takes coordinates of i32, got ") << type;
  if (op.getLimited()[dim])
    return op.emitOpError("copy_c13: TMA stops at the memref's size only; where the index is at or "
                          "beyond the limit of dimension ")
           << dim << " make it -1, which is out of bounds";
  return success();
}

/// Constraint 15.
static LogicalResult verifySteps(CopyOp op) {
  if (!op.getStrides())
    return success();
  if (op.isByThreads())
    return op.emitOpError("copy_c15: 'strides' are for tma, the mechanism is ")
           << stringifyMechanism(op.getMechanism());
  if (op.getIndexTile() || op.getMulticast() || op.getTrim())
    return op.emitOpError("copy_c15: 'strides' come without an index tile, 'multicast' and 'trim'");
  if (llvm::all_of(*op.getStrides(), [](int64_t step) { return step == 1; }))
    return op.emitOpError("copy_c15: all 'strides' are 1: leave them out");
  // Before the layout is known no more can be said.
  const ArrayRef<int64_t> steps = *op.getStrides();
  for (int64_t step : steps)
    if (step > hopper::kTmaMaxStep)
      return op.emitOpError("copy_c15: TMA has element steps of at most ")
             << hopper::kTmaMaxStep << ", got " << step;
  if (op.getSmemType().getSwizzle().isUnknown())
    return success();
  if (auto why = whyNotTmaSteps(sharedLayout(op.getSmemType()), *op.getStrides()))
    return op.emitOpError("copy_c15: ") << *why;
  return success();
}

int64_t CopyOp::getIndexDim() {
  return getIndices().empty() ? -1
                              : llvm::find(getDims(), getIndexed().front()) - getDims().begin();
}

LogicalResult CopyOp::verify() {
  if (failed(verifyBox(*this, getSource(), getSmemType())) || failed(verifyIndexTile(*this)) ||
      failed(verifySteps(*this)))
    return failure();
  auto word = dyn_cast_or_null<tile::PadAttr>(getPadAttr());
  if (getPadAttr() &&
      (!word || (word.getValue() != tile::Pad::Zero && word.getValue() != tile::Pad::Any)))
    return emitOpError("copy_c7: an asynchronous copy pads with zero or any, got ") << getPadAttr();
  if (getFromZero() && !isShifted())
    return emitOpError("copy_c17: 'from_zero' comes with shifted");
  if (static_cast<bool>(getInto()) != static_cast<bool>(getSlot()))
    return emitOpError("copy_c8: needs both 'into' and a slot, or neither");
  if (getInto() && getInto().getType() != getResult().getType())
    return emitOpError("copy_c8: 'into' must be a tile of the result's type, got ")
           << getInto().getType();
  if (std::optional<uint64_t> vector = getVector()) {
    if (!isByThreads())
      return emitOpError("copy_c9: 'vector' is for cp_async and shifted, the mechanism is ")
             << stringifyMechanism(getMechanism());
    const uint64_t bytes = *vector * tile::elementBytes(getSmemType().getElementType());
    if (!llvm::isPowerOf2_64(*vector) || (bytes != 4 && bytes != 8 && bytes != 16))
      return emitOpError("copy_c9: 'vector' must be a power of two, of 4, 8 or 16 bytes, got ")
             << *vector << " elements of " << getSmemType().getElementType();
    if (isShifted() && bytes != 16)
      return emitOpError("copy_c9: shifted pieces have 16 bytes, got ")
             << *vector << " elements of " << getSmemType().getElementType();
  }
  if (getCacheIf() && (isByThreads() || !getCache() || *getCache() == tile::Cache::NoAlloc))
    return emitOpError("copy_c10: 'cache_if' is a condition for 'cache' = first, last or stream of "
                       "a copy by tma");
  if (std::optional<uint64_t> blocks = getMulticast();
      blocks && (isByThreads() || !llvm::isPowerOf2_64(*blocks) || *blocks < 2 ||
                 *blocks > hopper::kMaxCluster))
    return emitOpError("copy_c11: 'multicast' is for tma, and a power of two from 2 to ")
           << hopper::kMaxCluster << ", got " << *blocks;
  if (getMulticastIf() && !getMulticast())
    return emitOpError("copy_c11: 'multicast_if' is a condition for 'multicast'");
  if (getRequire() && llvm::any_of(getRequire()->getValues(), [](tile::Requirement demand) {
        return demand != tile::Requirement::Pipelined && demand != tile::Requirement::Peeled;
      }))
    return emitOpError("copy_c12: 'require' is pipelined or peeled, got ") << *getRequire();
  if (std::optional<uint64_t> dim = getTrim()) {
    if (*dim >= getSmemType().getShape().size())
      return emitOpError("copy_c14: 'trim' is a dimension of the tile ")
             << getSmemType() << ", got " << static_cast<int64_t>(*dim);
    if (isByThreads() || getIndexTile())
      return emitOpError("copy_c14: 'trim' is for tma, and for a tile without an index tile");
    const auto cannot = [&](const layout::TmaBox &box) {
      return boxTrim(sharedLayout(getSmemType()), box, static_cast<int64_t>(*dim)) == BoxTrim::None;
    };
    if (!getSmemType().getSwizzle().isUnknown() &&
        llvm::all_of(sharedLayout(getSmemType()).tmaBoxes(), cannot))
      return emitOpError("copy_c14: no box can be cut or left out along dimension ")
             << *dim << " of the tile " << getSmemType();
  }
  if (!isByThreads() && !getLimits().empty()) {
    if (getLimits().size() > 1)
      return emitOpError("copy_c16: a copy by tma has a limit for one dimension, not for ")
             << getLimits().size() << ": others must not lie inside the memref, and are left out";
    if (getIndexTile() || getStrides() || getMulticast() || getTrim())
      return emitOpError("copy_c16: a copy by tma with a limit has no index tile, no 'strides', no "
                         "'multicast' and no 'trim'");
    const auto dim = static_cast<int>(llvm::find(getLimited(), true) - getLimited().begin());
    if (!getSmemType().getSwizzle().isUnknown() && dim == sharedLayout(getSmemType()).contiguousDim)
      return emitOpError("copy_c16: a limit cuts rows off a copy by tma; dimension ")
             << dim << " is contiguous in the tile " << getSmemType();
  }
  return success();
}
Value CopyOp::getLimit(unsigned dim) { return tile::limitOf(getLimits(), getLimited(), dim); }
void CopyOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  if (getInto())
    effects.emplace_back(MemoryEffects::Write::get(), SharedMemory::get());
}

ParseResult CopyOutOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseDestination(parser, result, /*isCopy=*/true);
}
void CopyOutOp::print(OpAsmPrinter &p) { printDestination(*this, p); }
/// Of the other kinds TMA takes no NaN for an extreme of floats, and our descriptors do not tell
/// signed integers from unsigned ones.
bool CopyOutOp::reduces(tile::AtomicKind kind, Type element) {
  return kind == tile::AtomicKind::Add &&
         (isa<Float16Type, BFloat16Type, Float32Type>(element) || element.isInteger(32));
}
LogicalResult CopyOutOp::verify() {
  if (getMechanism() != Mechanism::Tma)
    return emitOpError("copy_out_c7: the mechanism is tma, which alone writes shared tiles to "
                       "global memory, got ")
           << stringifyMechanism(getMechanism());
  if (getReduce() && !reduces(*getReduce(), getSmemType().getElementType()))
    return emitOpError("copy_out_c8: TMA reduces by 'add' of f16, bf16, f32 or i32, not by '")
           << tile::stringifyAtomicKind(*getReduce()) << "' of " << getSmemType().getElementType();
  if (getPerWarpgroup() && !warpgroupParts(getValue()))
    return emitOpError(
        "copy_out_c6: 'per_warpgroup' needs a cta.stage of one tile, or a view of it, that the "
        "warpgroups split along a dimension which is not contiguous, into parts "
        "that TMA can move");
  return verifyBox(*this, getDest(), getSmemType());
}
void CopyOutOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getReduce())
    effects.emplace_back(MemoryEffects::Read::get(), &getDestMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

//===--- stage, view, read -------------------------------------------------------------------===//

/// The extents of tiles that are concatenated along `dim`, or an error.
static FailureOr<SmallVector<int64_t>> concatenated(Operation *op, ValueRange inputs, int64_t dim,
                                                    Type &element) {
  if (inputs.empty())
    return op->emitOpError("stage_c1: needs at least one input");
  SmallVector<int64_t> shape(tileShape(inputs.front().getType()));
  element = tileElementType(inputs.front().getType());
  if (inputs.size() > 1 && (dim < 0 || dim >= static_cast<int64_t>(shape.size())))
    return op->emitOpError("stage_c1: no dimension ") << dim << " to concatenate along";
  for (Value input : inputs.drop_front()) {
    ArrayRef<int64_t> other = tileShape(input.getType());
    if (other.size() != shape.size() || tileElementType(input.getType()) != element)
      return op->emitOpError("stage_c1: inputs must have one rank and element type");
    for (auto [d, extent] : llvm::enumerate(other)) {
      if (static_cast<int64_t>(d) == dim)
        shape[d] += extent;
      else if (shape[d] != extent)
        return op->emitOpError("stage_c1: inputs must agree in all dimensions but ") << dim;
    }
  }
  return shape;
}

LogicalResult StageOp::verify() {
  Type element;
  FailureOr<SmallVector<int64_t>> shape = concatenated(*this, getInputs(), getConcatDim(), element);
  if (failed(shape))
    return failure();
  if (ArrayRef<int64_t>(*shape) != tileShape(getResult().getType()) ||
      element != tileElementType(getResult().getType()))
    return emitOpError("stage_c1: the shared tile must be ")
           << RankedTensorType::get(*shape, element) << ", got " << getResult().getType();
  return success();
}

/// True if both tiles have the same bytes in row-major order: spans of the last dimension, and rows
/// in the order of the others.
static bool hasSameSpans(SmemType a, SmemType b) {
  const SwizzleAttr x = a.getSwizzle(), y = b.getSwizzle();
  auto isLast = [](SmemType type) {
    return type.getSwizzle().getDim() == static_cast<int64_t>(type.getShape().size()) - 1;
  };
  return !a.getShape().empty() && !b.getShape().empty() && x.getSpan() == y.getSpan() &&
         isLast(a) && isLast(b) && a.getShape().back() == b.getShape().back();
}

LogicalResult ViewOp::verify() {
  auto source = cast<SmemType>(getSource().getType()),
       result = cast<SmemType>(getResult().getType());
  const SwizzleAttr from = source.getSwizzle(), to = result.getSwizzle();
  const bool isOpen = from.isUnknown() && to.isUnknown();
  if (!from.isUnknown() && !to.isUnknown() && !from.isLinear() && !to.isLinear()) {
    if (!hasSameSpans(source, result))
      return emitOpError(
                 "view_c1: swizzled tiles must have one swizzle, and the same extent of the "
                 "last dimension, which is contiguous; got ")
             << source << " and " << result;
  } else if (!isOpen) {
    for (SmemType type : {source, result})
      if (!type.getSwizzle().isLinear() || type.getSwizzle().getPad())
        return emitOpError("view_c1: needs linear tiles without padding, or swizzled ones, got ")
               << type;
  }
  if (source.getElementType() != result.getElementType() ||
      ShapedType::getNumElements(source.getShape()) !=
          ShapedType::getNumElements(result.getShape()))
    return emitOpError("view_c1: ")
           << source << " and " << result << " do not hold the same elements";
  return success();
}

SmallVector<int64_t> ReadOp::offsetsOrZero() {
  if (getOffsets())
    return SmallVector<int64_t>(*getOffsets());
  // Operand 0 by index: while a kernel is turned back into L0 the source is a tensor already.
  return SmallVector<int64_t>(tileShape((*this)->getOperand(0).getType()).size(), 0);
}
SmallVector<int64_t> ReadOp::stridesOrOne() {
  if (getStrides())
    return SmallVector<int64_t>(*getStrides());
  return SmallVector<int64_t>(tileShape((*this)->getOperand(0).getType()).size(), 1);
}
SmallVector<int64_t> ReadOp::dimsOrIdentity() {
  if (getDims())
    return SmallVector<int64_t>(*getDims());
  return llvm::to_vector(llvm::seq<int64_t>(0, tileShape(getResult().getType()).size()));
}

LogicalResult ReadOp::verify() {
  ArrayRef<int64_t> from = tileShape(getSource().getType()), to = tileShape(getResult().getType());
  if (tileElementType(getSource().getType()) != tileElementType(getResult().getType()))
    return emitOpError("read_c1: the element types differ: ")
           << getSource().getType() << " and " << getResult().getType();
  SmallVector<int64_t> offsets = offsetsOrZero(), strides = stridesOrOne(), dims = dimsOrIdentity();
  if (offsets.size() != from.size() || strides.size() != from.size() || dims.size() != to.size() ||
      (!getDims() && from.size() != to.size()))
    return emitOpError("read_c2: 'offsets' and 'strides' need one entry for each of the ")
           << from.size() << " shared dimensions, 'dims' one for each of the " << to.size()
           << " tile dimensions";
  SmallVector<int64_t> extents(from.size(), 1);
  for (auto [d, s] : llvm::enumerate(dims)) {
    if (s < 0 || s >= static_cast<int64_t>(from.size()))
      return emitOpError("read_c2: 'dims' names dimension ")
             << s << " of a tile of rank " << from.size();
    extents[s] = to[d];
  }
  for (auto [d, extent] : llvm::enumerate(extents))
    if (strides[d] < 1)
      return emitOpError("read_c2: a stride must be positive, got ") << strides[d];
    else if (auto last = lastOfSlice(offsets[d], strides[d], extent); !last || *last >= from[d])
      return emitOpError("read_c1: reads [")
             << offsets[d] << ", " << (last ? *last + 1 : 0) << ") of dimension " << d
             << " with extent " << from[d];
  return success();
}
