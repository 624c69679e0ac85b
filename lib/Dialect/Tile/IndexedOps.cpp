// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Accesses to elements that lie anywhere: gather, scatter, and atomics.
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace tessera::tile;

/// The attributes that the words and clauses already print.
static const StringRef kPrinted[] = {
    "dims", "limited", "maskDims", "indexed", "strides",
    "pad",  "kind",    "order",    "scope",   "operandSegmentSizes"};

static ParseResult emitNoTile(OpAsmParser &parser, Type type) {
  return parser.emitError(parser.getNameLoc()) << "expected a ranked tensor, got " << type;
}

/// Constraint 11: what has no index tile is a load or store.
static LogicalResult verifyIndexed(Operation *op, const AccessParts &parts, RankedTensorType type,
                                   StringRef box) {
  if (parts.indices.empty())
    return op->emitOpError("has no index tile; that is a ") << box;
  return verifyAccess(op, parts, type.getShape(), type.getElementType());
}

/// `indexed` is there also where no coordinate is a tile, so that the verifier can say so.
static void setNoIndexed(OpAsmParser &parser, OperationState &state) {
  if (!state.attributes.get("indexed"))
    state.addAttribute("indexed", parser.getBuilder().getDenseI64ArrayAttr({}));
}

//===--- gather ------------------------------------------------------------------------------===//

ParseResult GatherOp::parse(OpAsmParser &parser, OperationState &result) {
  ParsedAccess access;
  Type memref, tile;
  SmallVector<int32_t> segments;
  if (parseAccess(parser, access, {AccessKind::Load, /*indices=*/true}) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(memref) ||
      parser.parseArrow() || parser.parseType(tile))
    return failure();
  auto type = dyn_cast<RankedTensorType>(tile);
  if (!type)
    return emitNoTile(parser, tile);
  if (resolveAccess(parser, access, memref, type.getShape(), Type(), result, segments))
    return failure();
  setNoIndexed(parser, result);
  result.addAttribute("operandSegmentSizes",
                      parser.getBuilder().getDenseI32ArrayAttr(
                          {1, segments[0], segments[1], segments[2], segments[3]}));
  result.addTypes(type);
  return success();
}

void GatherOp::print(OpAsmPrinter &p) {
  p << ' ';
  printAccess(p, partsOf(*this, getSource()), getTileType().getRank());
  p.printOptionalAttrDict((*this)->getAttrs(), kPrinted);
  p << " : " << getSource().getType() << " -> " << getResult().getType();
}

LogicalResult GatherOp::verify() {
  if (failed(verifyIndexed(*this, partsOf(*this, getSource()), getTileType(), "tile.load")))
    return failure();
  return verifyPad(*this, getPadAttr(), getTileType().getElementType());
}

void GatherOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
}

Value GatherOp::getLimit(unsigned dim) { return limitOf(getLimits(), getLimited(), dim); }
SmallVector<int64_t> GatherOp::getIndexDims(unsigned number) {
  return partsOf(*this, getSource()).indexDims(number, getTileType().getRank());
}
TypedAttr GatherOp::getPadValue() {
  return padsAny() ? TypedAttr{} : padValue(getPadAttr(), getTileType().getElementType());
}
bool GatherOp::padsAny() { return padIsAny(getPadAttr()); }

//===--- scatter -----------------------------------------------------------------------------===//

ParseResult ScatterOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value;
  ParsedAccess access;
  Type memref, tile;
  SmallVector<int32_t> segments;
  if (parser.parseOperand(value) || parser.parseComma() ||
      parseAccess(parser, access, {AccessKind::Store, /*indices=*/true}) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(tile) ||
      parser.parseArrow() || parser.parseType(memref))
    return failure();
  auto type = dyn_cast<RankedTensorType>(tile);
  if (!type)
    return emitNoTile(parser, tile);
  if (parser.resolveOperand(value, type, result.operands) ||
      resolveAccess(parser, access, memref, type.getShape(), Type(), result, segments))
    return failure();
  setNoIndexed(parser, result);
  result.addAttribute("operandSegmentSizes",
                      parser.getBuilder().getDenseI32ArrayAttr(
                          {1, 1, segments[0], segments[1], segments[2], segments[3]}));
  return success();
}

void ScatterOp::print(OpAsmPrinter &p) {
  p << ' ' << getValue() << ", ";
  printAccess(p, partsOf(*this, getDest()), getTileType().getRank());
  p.printOptionalAttrDict((*this)->getAttrs(), kPrinted);
  p << " : " << getValue().getType() << " -> " << getDest().getType();
}

LogicalResult ScatterOp::verify() {
  if (failed(verifyIndexed(*this, partsOf(*this, getDest()), getTileType(), "tile.store")))
    return failure();
  return verifyStrideOfStores(*this, getMemRefType());
}

void ScatterOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

Value ScatterOp::getLimit(unsigned dim) { return limitOf(getLimits(), getLimited(), dim); }
SmallVector<int64_t> ScatterOp::getIndexDims(unsigned number) {
  return partsOf(*this, getDest()).indexDims(number, getTileType().getRank());
}

//===--- atomic ------------------------------------------------------------------------------===//

ParseResult tessera::tile::parseAtomicWords(OpAsmParser &parser, OperationState &state,
                                            bool &isReturning) {
  MLIRContext *context = parser.getContext();
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  std::optional<AtomicKind> kind;
  if (succeeded(parser.parseOptionalKeyword(&word)))
    kind = symbolizeAtomicKind(word);
  if (!kind)
    return parser.emitError(loc) << "expected a kind of atomic"
                                 << (word.empty() ? "" : ", got '" + word.str() + "'")
                                 << "; there are add, min, max, umin, umax, and, or, xor, "
                                    "exchange and cas";
  auto order = MemoryOrder::Relaxed;
  auto scope = MemoryScope::Device;
  if (succeeded(parser.parseOptionalKeyword(&word, {"relaxed", "acquire", "release", "acq_rel"})))
    order = *symbolizeMemoryOrder(word);
  if (succeeded(parser.parseOptionalKeyword(&word, {"device", "system"})))
    scope = *symbolizeMemoryScope(word);
  isReturning = succeeded(parser.parseOptionalKeyword("returning"));
  loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(&word)))
    return parser.emitError(loc) << "unknown word '" << word
                                 << "'; expected an order (relaxed, acquire, release, acq_rel), a "
                                    "scope (device, system), 'returning', in this order, or the "
                                    "value";
  state.addAttribute("kind", AtomicKindAttr::get(context, *kind));
  state.addAttribute("order", MemoryOrderAttr::get(context, order));
  state.addAttribute("scope", MemoryScopeAttr::get(context, scope));
  return success();
}

void tessera::tile::printAtomicWords(OpAsmPrinter &p, AtomicKind kind, MemoryOrder order,
                                     MemoryScope scope, bool isReturning) {
  p << ' ' << stringifyAtomicKind(kind);
  if (order != MemoryOrder::Relaxed)
    p << ' ' << stringifyMemoryOrder(order);
  if (scope != MemoryScope::Device)
    p << ' ' << stringifyMemoryScope(scope);
  if (isReturning)
    p << " returning";
}

LogicalResult tessera::tile::verifyAtomic(Operation *op, AtomicKind kind, MemoryOrder order,
                                          Type value, Type replacement, Type old, bool isScalar) {
  const Type element = getElementTypeOrSelf(value);
  const bool isInteger = element.isIntOrIndex();
  const unsigned bits = element.isIndex()                      ? 64
                        : isInteger || isa<FloatType>(element) ? element.getIntOrFloatBitWidth()
                                                               : 0;
  if (bits < 16 || (!isInteger && !isa<FloatType>(element)))
    return op->emitOpError("atomic_c12: elements of ")
           << element << " have no atomics; there are those of i16, i32, i64, index, f16, bf16, "
           << "f32 and f64";
  const bool needsIntegers = llvm::is_contained(
      {AtomicKind::UMin, AtomicKind::UMax, AtomicKind::And, AtomicKind::Or, AtomicKind::Xor}, kind);
  if (needsIntegers && !isInteger)
    return op->emitOpError("atomic_c12: '")
           << stringifyAtomicKind(kind) << "' is for integers, got " << element;
  if ((kind == AtomicKind::Cas) != static_cast<bool>(replacement))
    return op->emitOpError("atomic_c13: '")
           << stringifyAtomicKind(kind)
           << (replacement ? "' takes one value"
                           : "' takes two values: what is expected, and what replaces it");
  if (replacement && replacement != value)
    return op->emitOpError("atomic_c13: the two values have types ")
           << value << " and " << replacement;
  if (old && old != value)
    return op->emitOpError("atomic_c13: the result has the type of the value, ")
           << value << ", got " << old;
  if (order != MemoryOrder::Relaxed && !isScalar)
    return op->emitOpError("atomic_c14: orders (")
           << stringifyMemoryOrder(order)
           << "), but a tile is many steps in any order; use a scalar, or relaxed";
  return success();
}

ParseResult AtomicOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value, replacement;
  ParsedAccess access;
  Type memref, type;
  SmallVector<int32_t> segments;
  bool isReturning = false;
  if (parseAtomicWords(parser, result, isReturning))
    return failure();
  const bool isCas =
      cast<AtomicKindAttr>(result.attributes.get("kind")).getValue() == AtomicKind::Cas;
  if (parser.parseOperand(value) || parser.parseComma() ||
      (isCas && (parser.parseOperand(replacement) || parser.parseComma())) ||
      parseAccess(parser, access, {AccessKind::Store, /*indices=*/true, /*strides=*/true}) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.parseArrow() || parser.parseType(memref))
    return failure();
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile && !type.isIntOrIndexOrFloat())
    return parser.emitError(parser.getNameLoc())
           << "expected a ranked tensor or a number, got " << type;
  if (parser.resolveOperand(value, type, result.operands) ||
      (isCas && parser.resolveOperand(replacement, type, result.operands)) ||
      resolveAccess(parser, access, memref, tile ? tile.getShape() : ArrayRef<int64_t>(), Type(),
                    result, segments))
    return failure();
  setNoIndexed(parser, result);
  result.addAttribute("operandSegmentSizes",
                      parser.getBuilder().getDenseI32ArrayAttr(
                          {1, isCas, 1, segments[0], segments[1], segments[2], segments[3]}));
  if (isReturning)
    result.addTypes(type);
  return success();
}

void AtomicOp::print(OpAsmPrinter &p) {
  printAtomicWords(p, getKind(), getOrder(), getScope(), static_cast<bool>(getOld()));
  p << ' ' << getValue() << ", ";
  if (getReplacement())
    p << getReplacement() << ", ";
  printAccess(p, partsOf(*this, getDest()), getTileType().getRank());
  p.printOptionalAttrDict((*this)->getAttrs(), kPrinted);
  p << " : " << getValue().getType() << " -> " << getDest().getType();
}

LogicalResult AtomicOp::verify() {
  if (failed(verifyAtomic(*this, getKind(), getOrder(), getValue().getType(),
                          getReplacement() ? getReplacement().getType() : Type(),
                          getOld() ? getOld().getType() : Type(), getTileType().getRank() == 0)))
    return failure();
  RankedTensorType type = getTileType();
  if (failed(
          verifyAccess(*this, partsOf(*this, getDest()), type.getShape(), type.getElementType())))
    return failure();
  return verifyStrideOfStores(*this, getMemRefType());
}

void AtomicOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // What orders other accesses may not pass any of them, so it accesses all memory.
  if (isOrdered()) {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
  effects.emplace_back(MemoryEffects::Read::get(), &getDestMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

RankedTensorType AtomicOp::getTileType() {
  if (auto type = dyn_cast<RankedTensorType>(getValue().getType()))
    return type;
  return RankedTensorType::get({}, getValue().getType());
}
Value AtomicOp::getLimit(unsigned dim) { return limitOf(getLimits(), getLimited(), dim); }
SmallVector<int64_t> AtomicOp::getIndexDims(unsigned number) {
  return partsOf(*this, getDest()).indexDims(number, getTileType().getRank());
}
