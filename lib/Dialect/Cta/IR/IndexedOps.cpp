// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Accesses to elements of global memory that lie anywhere: gather, scatter, and atomics.
#include "AccessSyntax.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Machine/Hopper.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

using tile::AccessKind;
using Erased = FailureOr<SmallVector<Value>>;

/// The attributes that the words and clauses already print.
static const StringRef kPrinted[] = {"dims",    "limited", "maskDims",
                                     "indexed", "pad",     "kind",
                                     "order",   "scope",   "operandSegmentSizes"};

static ParseResult requireTile(OpAsmParser &parser, Type type) {
  if (isa<RankedTensorType>(type))
    return success();
  return parser.emitError(parser.getNameLoc()) << "expected a ranked tensor, got " << type;
}

static void setSegments(OpAsmParser &parser, OperationState &state, ArrayRef<int32_t> sizes) {
  state.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(sizes));
}

/// An attribute list that is empty unless index tiles set it.
static void setNoIndexed(OpAsmParser &parser, OperationState &state) {
  if (!state.attributes.get("indexed"))
    state.addAttribute("indexed", parser.getBuilder().getDenseI64ArrayAttr({}));
}

/// What `convert-cta-to-tile` calls an element at L0.
static RankedTensorType erasedTensor(Value value) {
  return cast<RankedTensorType>(erasedType(value.getType()));
}

namespace {
/// The erased operands of an access: [value, [replacement,]] memref, coords, limits, mask, indices.
struct IndexedOperands {
  template <typename Op>
  IndexedOperands(Op op, ValueRange operands, unsigned values)
      : values(operands.take_front(values)), memref(operands[values]) {
    ValueRange rest = operands.drop_front(values + 1);
    auto take = [&](size_t count) {
      ValueRange taken = rest.take_front(count);
      rest = rest.drop_front(count);
      return taken;
    };
    coords = take(op.getCoords().size());
    limits = take(op.getLimits().size());
    if (op.getMask())
      mask = take(1).front();
    indices = take(op.getIndices().size());
  }
  ValueRange values;
  Value memref, mask;
  ValueRange coords, limits, indices;
};
} // namespace

/// The bytes of a register tile that the threads of a warpgroup hold.
static int64_t bytesOfWarpgroup(Value tile) {
  return elementsOfThread(tile.getType()) * tile::elementBytes(tileElementType(tile.getType())) *
         hopper::kWarpgroupSize;
}

/// Addresses and accesses: each access has an address of its own.
static OpCost accessCost(Value tile, std::optional<uint64_t> vector) {
  constexpr int64_t kPerAccess = 4;
  OpCost cost;
  const auto elements = static_cast<int64_t>(std::max<uint64_t>(vector.value_or(1), 1));
  cost.work.alu =
      kOverheadAlu + kPerAccess * llvm::divideCeil(elementsOfThread(tile.getType()), elements);
  return cost;
}

static OpCost withLatency(OpCost cost, Value tile, const CostContext &context) {
  cost.wait = context.table.machine.copyLatency +
              llvm::divideCeil(bytesOfWarpgroup(tile), context.table.machine.copyBytesPerCycle);
  return cost;
}

//===--- gather ------------------------------------------------------------------------------===//

ParseResult GatherOp::parse(OpAsmParser &parser, OperationState &result) {
  tile::ParsedAccess access;
  Type memref, type;
  SmallVector<int32_t> segments;
  if (parseAccess(parser, access, {AccessKind::Load, /*indices=*/true}) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(memref) ||
      parser.parseArrow() || parser.parseType(type) || requireTile(parser, type) ||
      resolveAccess(parser, access, memref, tileShape(type), Type(), result, segments,
                    maskEncodingOf(type)))
    return failure();
  setSegments(parser, result, {1, segments[0], segments[1], segments[2], segments[3]});
  setNoIndexed(parser, result);
  result.addTypes(type);
  return success();
}

void GatherOp::print(OpAsmPrinter &p) {
  p << ' ';
  printAccess(p, tile::partsOf(*this, getSource()), getTileType().getRank(),
              maskEncodingOf(getTileType()));
  p.printOptionalAttrDict((*this)->getAttrs(), kPrinted);
  p << " : " << getSource().getType() << " -> " << getResult().getType();
}

LogicalResult GatherOp::verify() {
  RankedTensorType type = getTileType();
  if (getIndices().empty())
    return emitOpError("has no index tile; that is a cta.load");
  if (failed(verifyAccess(*this, tile::partsOf(*this, getSource()), type.getShape(),
                          type.getElementType())) ||
      failed(tile::verifyPad(*this, getPadAttr(), type.getElementType())))
    return failure();
  return verifyVector(*this, getVector(), type.getElementType());
}

void GatherOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
}

Value GatherOp::getLimit(unsigned dim) { return tile::limitOf(getLimits(), getLimited(), dim); }
SmallVector<int64_t> GatherOp::getIndexDims(unsigned number) {
  return tile::partsOf(*this, getSource()).indexDims(number, getTileType().getRank());
}

MemoryAccesses GatherOp::getMemoryAccesses() { return {MemoryAccess{getSource()}}; }

WorkClass GatherOp::getWorkClass() { return WorkClass::Memory; }
OpCost GatherOp::getCost(const CostContext &context) {
  return withLatency(accessCost(getResult(), getVector()), getResult(), context);
}

Erased GatherOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  const IndexedOperands a(*this, operands, 0);
  Value result = tile::GatherOp::create(
      b, getLoc(), erasedTensor(getResult()), a.memref, a.coords, a.limits, a.mask, a.indices,
      getDimsAttr(), getLimitedAttr(), getMaskDimsAttr(), getIndexedAttr(), getPadAttr());
  return SmallVector<Value>{result};
}

//===--- scatter -----------------------------------------------------------------------------===//

ParseResult ScatterOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value;
  tile::ParsedAccess access;
  Type memref, type;
  SmallVector<int32_t> segments;
  if (parser.parseOperand(value) || parser.parseComma() ||
      parseAccess(parser, access, {AccessKind::Store, /*indices=*/true}) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.parseArrow() || parser.parseType(memref) || requireTile(parser, type) ||
      parser.resolveOperand(value, type, result.operands) ||
      resolveAccess(parser, access, memref, tileShape(type), Type(), result, segments,
                    maskEncodingOf(type)))
    return failure();
  setSegments(parser, result, {1, 1, segments[0], segments[1], segments[2], segments[3]});
  setNoIndexed(parser, result);
  return success();
}

void ScatterOp::print(OpAsmPrinter &p) {
  p << ' ' << getValue() << ", ";
  printAccess(p, tile::partsOf(*this, getDest()), getTileType().getRank(),
              maskEncodingOf(getTileType()));
  p.printOptionalAttrDict((*this)->getAttrs(), kPrinted);
  p << " : " << getValue().getType() << " -> " << getDest().getType();
}

LogicalResult ScatterOp::verify() {
  RankedTensorType type = getTileType();
  if (getIndices().empty())
    return emitOpError("has no index tile; that is a cta.store");
  if (failed(verifyAccess(*this, tile::partsOf(*this, getDest()), type.getShape(),
                          type.getElementType())) ||
      failed(tile::verifyStrideOfStores(*this, getMemRefType())))
    return failure();
  return verifyVector(*this, getVector(), type.getElementType());
}

void ScatterOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

Value ScatterOp::getLimit(unsigned dim) { return tile::limitOf(getLimits(), getLimited(), dim); }
SmallVector<int64_t> ScatterOp::getIndexDims(unsigned number) {
  return tile::partsOf(*this, getDest()).indexDims(number, getTileType().getRank());
}

MemoryAccesses ScatterOp::getMemoryAccesses() { return {MemoryAccess{getDest(), /*write=*/true}}; }

WorkClass ScatterOp::getWorkClass() { return WorkClass::Memory; }
OpCost ScatterOp::getCost(const CostContext &) { return accessCost(getValue(), getVector()); }

Erased ScatterOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  const IndexedOperands a(*this, operands, 1);
  tile::ScatterOp::create(b, getLoc(), a.values[0], a.memref, a.coords, a.limits, a.mask, a.indices,
                          getDimsAttr(), getLimitedAttr(), getMaskDimsAttr(), getIndexedAttr());
  return SmallVector<Value>{};
}

//===--- atomic ------------------------------------------------------------------------------===//

ParseResult AtomicOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value, replacement;
  tile::ParsedAccess access;
  Type memref, type;
  SmallVector<int32_t> segments;
  bool isReturning = false;
  if (tile::parseAtomicWords(parser, result, isReturning))
    return failure();
  const bool isCas =
      cast<tile::AtomicKindAttr>(result.attributes.get("kind")).getValue() == tile::AtomicKind::Cas;
  if (parser.parseOperand(value) || parser.parseComma() ||
      (isCas && (parser.parseOperand(replacement) || parser.parseComma())) ||
      parseAccess(parser, access, {AccessKind::Store, /*indices=*/true}) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.parseArrow() || parser.parseType(memref) || requireTile(parser, type) ||
      parser.resolveOperand(value, type, result.operands) ||
      (isCas && parser.resolveOperand(replacement, type, result.operands)) ||
      resolveAccess(parser, access, memref, tileShape(type), Type(), result, segments,
                    maskEncodingOf(type)))
    return failure();
  setSegments(parser, result, {1, isCas, 1, segments[0], segments[1], segments[2], segments[3]});
  setNoIndexed(parser, result);
  if (isReturning)
    result.addTypes(type);
  return success();
}

void AtomicOp::print(OpAsmPrinter &p) {
  tile::printAtomicWords(p, getKind(), getOrder(), getScope(), static_cast<bool>(getOld()));
  p << ' ' << getValue() << ", ";
  if (getReplacement())
    p << getReplacement() << ", ";
  printAccess(p, tile::partsOf(*this, getDest()), getTileType().getRank(),
              maskEncodingOf(getTileType()));
  p.printOptionalAttrDict((*this)->getAttrs(), kPrinted);
  p << " : " << getValue().getType() << " -> " << getDest().getType();
}

LogicalResult AtomicOp::verify() {
  RankedTensorType type = getTileType();
  if (failed(tile::verifyAtomic(*this, getKind(), getOrder(), type,
                                getReplacement() ? getReplacement().getType() : Type(),
                                getOld() ? getOld().getType() : Type(), type.getRank() == 0)) ||
      failed(verifyAccess(*this, tile::partsOf(*this, getDest()), type.getShape(),
                          type.getElementType())) ||
      failed(tile::verifyStrideOfStores(*this, getMemRefType())))
    return failure();
  return verifyVector(*this, getVector(), type.getElementType());
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

Value AtomicOp::getLimit(unsigned dim) { return tile::limitOf(getLimits(), getLimited(), dim); }
SmallVector<int64_t> AtomicOp::getIndexDims(unsigned number) {
  return tile::partsOf(*this, getDest()).indexDims(number, getTileType().getRank());
}

/// What orders other accesses counts as one to every array, so that none passes it.
MemoryAccesses AtomicOp::getMemoryAccesses() {
  SmallVector<Value> memory{getDest()};
  if (isOrdered()) {
    auto kernel = (*this)->getParentOfType<tile::KernelOp>();
    for (BlockArgument argument : kernel.getBody().getArguments())
      if (isa<MemRefType>(argument.getType()))
        memory.push_back(argument);
    for (auto workspace : kernel.getBody().getOps<memref::AllocOp>())
      memory.push_back(workspace);
  }
  MemoryAccesses accesses;
  for (const bool write : {false, true})
    for (Value memref : memory)
      accesses.push_back(MemoryAccess{memref, write});
  return accesses;
}

WorkClass AtomicOp::getWorkClass() { return WorkClass::Memory; }
OpCost AtomicOp::getCost(const CostContext &context) {
  const OpCost cost = accessCost(getValue(), getVector());
  return getOld() ? withLatency(cost, getValue(), context) : cost;
}

Erased AtomicOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  const bool isCas = static_cast<bool>(getReplacement());
  const IndexedOperands a(*this, operands, isCas ? 2 : 1);
  auto atomic = tile::AtomicOp::create(
      b, getLoc(), getOld() ? Type(erasedTensor(getOld())) : Type(), getKind(), getOrder(),
      getScope(), a.values[0], isCas ? a.values[1] : Value(), a.memref, a.coords, a.limits, a.mask,
      a.indices, getDimsAttr(), getLimitedAttr(), getMaskDimsAttr(), getIndexedAttr(),
      /*strides=*/DenseI64ArrayAttr{});
  return SmallVector<Value>(atomic->getResults());
}
