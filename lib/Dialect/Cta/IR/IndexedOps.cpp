// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Accesses to elements of global memory that lie anywhere: gather, scatter, and atomics.
#include "AccessSyntax.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Syntax/AccessSyntax.h"
#include "tessera/Machine/Hopper.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

using tile::AccessKind;
using Erased = FailureOr<SmallVector<Value>>;

/// Masks and index tiles have the layout of the tile, sliced to their dimensions.
static Attribute sliceOfLayout(Type tile, ArrayRef<int64_t> dims) {
  return maskEncodingOf(tile)(dims);
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
  if (tile::parseSource(parser, result, {AccessKind::Load, /*indices=*/true}, sliceOfLayout))
    return failure();
  tile::setNoIndexed(parser, result);
  return success();
}

void GatherOp::print(OpAsmPrinter &p) { tile::printSource(p, *this, sliceOfLayout); }

LogicalResult GatherOp::verify() {
  RankedTensorType type = getTileType();
  if (getIndices().empty())
    return emitOpError("gather_c11: has no index tile; that is a cta.load");
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
  if (tile::parseDestination(parser, result, {AccessKind::Store, /*indices=*/true}, sliceOfLayout))
    return failure();
  tile::setNoIndexed(parser, result);
  return success();
}

void ScatterOp::print(OpAsmPrinter &p) { tile::printDestination(p, *this, sliceOfLayout); }

LogicalResult ScatterOp::verify() {
  RankedTensorType type = getTileType();
  if (getIndices().empty())
    return emitOpError("scatter_c11: has no index tile; that is a cta.store");
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
  return tile::parseAtomic(parser, result, {AccessKind::Store, /*indices=*/true},
                           /*takesScalars=*/false, sliceOfLayout);
}

void AtomicOp::print(OpAsmPrinter &p) { tile::printAtomic(p, *this, sliceOfLayout); }

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

/// What orders other accesses counts as one to all memory, so that none passes it.
MemoryAccesses AtomicOp::getMemoryAccesses() {
  MemoryAccess read{getDest()}, write{getDest(), /*write=*/true};
  read.everywhere = write.everywhere = isOrdered();
  return {read, write};
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
