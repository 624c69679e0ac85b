// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elements at indices, elements of another width, output: verifiers, and what the interfaces ask.
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/TakeRules.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using layout::RegisterLayout;

//===--- verifiers ---------------------------------------------------------------------------===//

template <typename Op>
static LogicalResult verifyTakeOp(Op op) {
  Type source = op.getSource().getType();
  SmallVector<RankedTensorType> indices;
  for (Value index : op.getIndices())
    indices.push_back(tensorOf(index));
  return tile::verifyTake(op, {tileShape(source), tileElementType(source), op.getDims(), indices,
                               tensorOf(op.getResult())});
}
LogicalResult TakeOp::verify() { return verifyTakeOp(*this); }
LogicalResult ReadAtOp::verify() { return verifyTakeOp(*this); }

template <typename Op>
static std::optional<int64_t> bitsOf(Op op) {
  return op.getBits() ? std::optional<int64_t>(static_cast<int64_t>(*op.getBits())) : std::nullopt;
}
LogicalResult UnpackOp::verify() {
  if (failed(tile::verifyPack(*this, "unpack", tensorOf(getSource()), tensorOf(getResult()),
                              bitsOf(*this))))
    return failure();
  if (getIsSigned() && !getBits())
    return emitOpError("unpack_c4: 'signed' needs 'bits': without it no bit is added");
  return success();
}
LogicalResult PackOp::verify() {
  return tile::verifyPack(*this, "pack", tensorOf(getResult()), tensorOf(getSource()),
                          bitsOf(*this));
}
int64_t UnpackOp::getFactor() {
  return tile::packFactor(tensorOf(getSource()).getElementType(),
                          tensorOf(getResult()).getElementType(), bitsOf(*this));
}
int64_t PackOp::getFactor() {
  return tile::packFactor(tensorOf(getResult()).getElementType(),
                          tensorOf(getSource()).getElementType(), bitsOf(*this));
}

LogicalResult PrintOp::verify() {
  Type type = getValue().getType();
  const bool isTile = isa<RankedTensorType, SmemType>(type);
  return tile::verifyPrint(*this, getMessage(), isTile ? tileElementType(type) : type,
                           isTile ? tileShape(type) : ArrayRef<int64_t>{});
}

//===--- layouts -----------------------------------------------------------------------------===//

RegisterLayout tessera::cta::unpackedLayout(const RegisterLayout &packed, int64_t factor) {
  RegisterLayout result = packed;
  for (auto *basis : {&result.regs, &result.lanes, &result.warps})
    for (layout::Coord &vector : *basis)
      vector.back() *= factor;
  std::vector<layout::Coord> parts;
  for (int64_t part = 1; part < factor; part *= 2) {
    parts.emplace_back(packed.rank(), 0);
    parts.back().back() = part;
  }
  result.regs.insert(result.regs.begin(), parts.begin(), parts.end());
  return result;
}

std::optional<RegisterLayout> tessera::cta::packedLayout(const RegisterLayout &unpacked,
                                                         int64_t factor) {
  RegisterLayout result = unpacked;
  for (int64_t part = 1; part < factor; part *= 2) {
    layout::Coord wanted(unpacked.rank(), 0);
    wanted.back() = part;
    if (result.regs.empty() || result.regs.front() != wanted)
      return std::nullopt;
    result.regs.erase(result.regs.begin());
  }
  for (auto *basis : {&result.regs, &result.lanes, &result.warps})
    for (layout::Coord &vector : *basis) {
      if (vector.back() % factor)
        return std::nullopt;
      vector.back() /= factor;
    }
  return result;
}

Packing tessera::cta::packing(Operation *op) {
  if (auto unpack = dyn_cast<UnpackOp>(op))
    return {unpack.getSource(), unpack.getResult(), unpack.getFactor()};
  if (auto pack = dyn_cast<PackOp>(op))
    return {pack.getResult(), pack.getSource(), pack.getFactor()};
  return {};
}

RegisterLayout tessera::cta::indexLayout(const RegisterLayout &result, int64_t indexRank,
                                         int64_t dim) {
  return indexRank == result.rank() ? result : maskLayout(result, dim);
}

//===--- memory ------------------------------------------------------------------------------===//

MemoryAccesses ReadAtOp::getMemoryAccesses() { return {MemoryAccess{getSource()}}; }

MemoryAccesses PrintOp::getMemoryAccesses() {
  if (!isa<SmemType>(getValue().getType()))
    return {};
  // One thread reads all of it. For hazards that is no less than if all threads did.
  return {MemoryAccess{getValue()}};
}

//===--- costs -------------------------------------------------------------------------------===//

/// Each element has an address of its own, which takes some instructions, and bank conflicts are
/// likely: four accesses of a warp are counted for each of its registers.
static OpCost readAtCost(Value result) {
  constexpr int64_t kAddress = 6, kConflicts = 4, kBytesOfBanks = 128;
  const int64_t elements = elementsOfThread(result.getType());
  OpCost cost = sharedAccessCost(4 * elements * kConflicts * kBytesOfBanks);
  cost.work.alu = kOverheadAlu + elements * kAddress;
  return cost;
}
WorkClass TakeOp::getWorkClass() { return WorkClass::Memory; }
OpCost TakeOp::getCost(const CostContext &) { return readAtCost(getResult()); }
WorkClass ReadAtOp::getWorkClass() { return WorkClass::Memory; }
OpCost ReadAtOp::getCost(const CostContext &) { return readAtCost(getResult()); }

/// About two instructions for each narrow element that does not have a register of its own.
static OpCost packCost(Value wide, Value narrow) {
  OpCost cost;
  cost.work.alu = 2 * std::max(elementsOfThread(narrow.getType()), registersOf(wide));
  return cost;
}
WorkClass UnpackOp::getWorkClass() { return WorkClass::Arith; }
OpCost UnpackOp::getCost(const CostContext &) { return packCost(getSource(), getResult()); }
WorkClass PackOp::getWorkClass() { return WorkClass::Arith; }
OpCost PackOp::getCost(const CostContext &) { return packCost(getResult(), getSource()); }

WorkClass PrintOp::getWorkClass() { return WorkClass::Memory; }
OpCost PrintOp::getCost(const CostContext &context) {
  OpCost cost;
  cost.wait = context.table.machine.copyLatency; // much more, but nobody prints for speed
  return cost;
}

//===--- back to L0 --------------------------------------------------------------------------===//

using Erased = FailureOr<SmallVector<Value>>;

static RankedTensorType erasedTensor(Value value) {
  return cast<RankedTensorType>(erasedType(value.getType()));
}

/// One tile.take for each dimension. An index tile that is not of rank 1 is the only one.
template <typename Op>
static Erased eraseTake(Op op, OpBuilder &b, ValueRange operands) {
  Value value = operands.front();
  RankedTensorType result = erasedTensor(op.getResult());
  for (auto [dim, index] : llvm::zip_equal(op.getDims(), operands.drop_front())) {
    SmallVector<int64_t> shape(cast<RankedTensorType>(value.getType()).getShape());
    shape[dim] = result.getDimSize(dim);
    value = tile::TakeOp::create(b, op.getLoc(), result.clone(shape), value, index, dim);
  }
  return SmallVector<Value>{value};
}
Erased TakeOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return eraseTake(*this, b, operands);
}
Erased ReadAtOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return eraseTake(*this, b, operands);
}

Erased UnpackOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return SmallVector<Value>{tile::UnpackOp::create(b, getLoc(), erasedTensor(getResult()),
                                                   operands[0], getBitsAttr(), getIsSignedAttr())};
}
Erased PackOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return SmallVector<Value>{
      tile::PackOp::create(b, getLoc(), erasedTensor(getResult()), operands[0], getBitsAttr())};
}
Erased PrintOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  tile::PrintOp::create(b, getLoc(), getMessageAttr(), operands[0],
                        getCondition() ? operands.back() : Value{});
  return SmallVector<Value>{};
}
