// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Accesses to elements that lie anywhere: gather, scatter, and atomics.
#include "tessera/Dialect/Tile/AtomicStep.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Syntax/AccessSyntax.h"
#include "tessera/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace tessera::tile;

/// Constraint 11: what has no index tile is a load or store.
static LogicalResult verifyIndexed(Operation *op, const AccessParts &parts, RankedTensorType type,
                                   StringRef box) {
  if (parts.indices.empty())
    return op->emitOpError(op->getName().stripDialect())
           << "_c11: has no index tile; that is a " << box;
  return verifyAccess(op, parts, type.getShape(), type.getElementType());
}

//===--- gather ------------------------------------------------------------------------------===//

ParseResult GatherOp::parse(OpAsmParser &parser, OperationState &result) {
  if (parseSource(parser, result,
                  {AccessKind::Load, /*indices=*/true, /*strides=*/false, /*padTile=*/false,
                   &result.attributes}))
    return failure();
  setNoIndexed(parser, result);
  return success();
}

void GatherOp::print(OpAsmPrinter &p) { printSource(p, *this, nullptr, hintNames()); }

LogicalResult GatherOp::verify() {
  if (failed(verifyIndexed(*this, partsOf(*this, getSource()), getTileType(), "tile.load")))
    return failure();
  if (failed(verifyLookahead(*this, getStages())))
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
  if (parseDestination(parser, result, {AccessKind::Store, /*indices=*/true}))
    return failure();
  setNoIndexed(parser, result);
  return success();
}

void ScatterOp::print(OpAsmPrinter &p) { printDestination(p, *this); }

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
  return parseAtomic(parser, result, {AccessKind::Store, /*indices=*/true, /*strides=*/true},
                     /*takesScalars=*/true);
}

void AtomicOp::print(OpAsmPrinter &p) { printAtomic(p, *this); }

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

Value tessera::tile::combineAtomic(OpBuilder &b, Location loc, AtomicKind kind, Value old,
                                   Value value) {
  const bool isFloat = isa<FloatType>(old.getType());
  switch (kind) {
  case AtomicKind::Add:
    if (isFloat)
      return arith::AddFOp::create(b, loc, old, value);
    return arith::AddIOp::create(b, loc, old, value);
  case AtomicKind::Min:
    if (isFloat)
      return arith::MinimumFOp::create(b, loc, old, value);
    return arith::MinSIOp::create(b, loc, old, value);
  case AtomicKind::Max:
    if (isFloat)
      return arith::MaximumFOp::create(b, loc, old, value);
    return arith::MaxSIOp::create(b, loc, old, value);
  case AtomicKind::UMin:
    return arith::MinUIOp::create(b, loc, old, value);
  case AtomicKind::UMax:
    return arith::MaxUIOp::create(b, loc, old, value);
  case AtomicKind::And:
    return arith::AndIOp::create(b, loc, old, value);
  case AtomicKind::Or:
    return arith::OrIOp::create(b, loc, old, value);
  case AtomicKind::Xor:
    return arith::XOrIOp::create(b, loc, old, value);
  case AtomicKind::Exchange:
  case AtomicKind::Cas:
    return value;
  }
  return value;
}
