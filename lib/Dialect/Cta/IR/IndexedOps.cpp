// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Accesses to elements of global memory that lie anywhere: gather, scatter, and atomics; and the
// private tables in which a block makes atomics.
#include "AccessSyntax.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/PrivateTables.h"
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
      getDimsAttr(), getLimitedAttr(), getMaskDimsAttr(), getIndexedAttr(), getPadAttr(),
      tile::RequireAttr{}, getStagesAttr(), getCacheAttr());
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

/// What `cta.atomic` has besides `tile.atomic`: `into %t : type`.
static ParseResult parseInto(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand table;
  Type type;
  const bool hasTable = succeeded(parser.parseOptionalKeyword("into"));
  if (hasTable && (parser.parseOperand(table) || parser.parseColonType(type) ||
                   parser.resolveOperand(table, type, state.operands)))
    return failure();
  StringAttr name = parser.getBuilder().getStringAttr("operandSegmentSizes");
  SmallVector<int32_t> segments(cast<DenseI32ArrayAttr>(state.attributes.get(name)).asArrayRef());
  segments.push_back(hasTable);
  state.attributes.set(name, parser.getBuilder().getDenseI32ArrayAttr(segments));
  return success();
}

ParseResult AtomicOp::parse(OpAsmParser &parser, OperationState &result) {
  return failure(tile::parseAtomic(parser, result, {AccessKind::Store, /*indices=*/true},
                                   /*takesScalars=*/false, sliceOfLayout) ||
                 parseInto(parser, result));
}

void AtomicOp::print(OpAsmPrinter &p) {
  tile::printAtomic(p, *this, sliceOfLayout);
  if (getInto())
    p << " into " << getInto() << " : " << getInto().getType();
}

/// Verifies the constraints of an atomic whose steps are made in a table.
static LogicalResult verifyInto(AtomicOp op) {
  auto refuse = [&](const Twine &why) { return op.emitOpError("atomic_c15: ") << why; };
  TableOp table = op.getTable();
  if (!table)
    return refuse("'into' is no cta.table");
  if (table.getOf() != op.getDest() || table.getKind() != op.getKind())
    return refuse("the table is for '" + tile::stringifyAtomicKind(table.getKind()) +
                  "' on another memref or of another kind");
  if (op.isOrdered() || op.getOld() || op.getScope() != tile::MemoryScope::Device)
    return refuse("what other blocks and the host see of steps in a table is their sum: the op is "
                  "relaxed, of the device, and returns nothing");
  const tile::AccessParts parts = tile::partsOf(op, op.getDest());
  for (int64_t dim = 0, rank = op.getMemRefType().getRank(); dim < rank; ++dim)
    if (!llvm::is_contained(table.getDims(), dim) &&
        (!parts.coordOf(dim) || llvm::is_contained(op.getDims(), dim)))
      return refuse("the table does not have dimension " + Twine(dim) +
                    ", in which the op accesses several coordinates");
  if (!op.getIndices().empty() && !op.hasSharedSteps())
    return op.emitOpError("atomic_c16: shared memory has no steps of '")
           << tile::stringifyAtomicKind(op.getKind()) << "' of "
           << op.getTileType().getElementType() << ", but elements of an index tile may meet";
  return success();
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
  if (getInto() && failed(verifyInto(*this)))
    return failure();
  return verifyVector(*this, getVector(), type.getElementType());
}

void AtomicOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getInto()) {
    effects.emplace_back(MemoryEffects::Read::get(), SharedMemory::get());
    effects.emplace_back(MemoryEffects::Write::get(), SharedMemory::get());
    return;
  }
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
bool AtomicOp::hasSharedSteps() {
  return tile::hasSharedSteps(getKind(), getTileType().getElementType());
}
TableOp AtomicOp::getTable() { return getInto() ? getInto().getDefiningOp<TableOp>() : TableOp(); }

/// True if the box of an access is the same whenever the op runs in a block.
static bool isAlwaysSameBox(AtomicOp op) {
  return llvm::all_of(op.getCoords(), [&](Value coord) {
    Operation *around = coord.getParentBlock()->getParentOp();
    return isa<tile::KernelOp>(around) || getConstantIntValue(coord);
  });
}

/// What orders other accesses counts as one to all memory, so that none passes it.
MemoryAccesses AtomicOp::getMemoryAccesses() {
  if (getInto()) {
    MemoryAccess read{getInto()}, write{getInto(), /*write=*/true};
    write.commutes = hasSharedSteps();
    if (write.commutes)
      return {write};
    if (isAlwaysSameBox(*this))
      read.byOwners = write.byOwners = *this;
    return {read, write};
  }
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

//===--- private tables ----------------------------------------------------------------------===//

ParseResult TableOp::parse(OpAsmParser &parser, OperationState &result) {
  StringRef word;
  const SMLoc loc = parser.getCurrentLocation();
  OpAsmParser::UnresolvedOperand of, copies;
  Type memref, table;
  Attribute dims;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<tile::AtomicKind> kind = tile::symbolizeAtomicKind(word);
  if (!kind)
    return parser.emitError(loc) << "expected a kind of atomic, got '" << word << "'";
  if (parser.parseOperand(of) || parser.parseKeyword("dims") || parser.parseEqual())
    return failure();
  dims = DenseI64ArrayAttr::parse(parser, Type());
  const bool hasCopies = dims && succeeded(parser.parseOptionalKeyword("copies"));
  if (!dims || (hasCopies && (parser.parseEqual() || parser.parseOperand(copies))) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(memref) ||
      parser.parseArrow() || parser.parseType(table) ||
      parser.resolveOperand(of, memref, result.operands) ||
      (hasCopies &&
       parser.resolveOperand(copies, parser.getBuilder().getIndexType(), result.operands)))
    return failure();
  result.addAttribute("kind", tile::AtomicKindAttr::get(parser.getContext(), *kind));
  result.addAttribute("dims", dims);
  result.addTypes(table);
  return success();
}

void TableOp::print(OpAsmPrinter &p) {
  p << ' ' << tile::stringifyAtomicKind(getKind()) << ' ' << getOf() << " dims = ";
  getDimsAttr().print(p);
  if (getCopies())
    p << " copies = " << getCopies();
  p.printOptionalAttrDict((*this)->getAttrs(), {"kind", "dims"});
  p << " : " << getOf().getType() << " -> " << getResult().getType();
}

LogicalResult TableOp::verify() {
  const Type element = getMemRefType().getElementType();
  if (!tile::identityOfAtomic(getKind(), element))
    return emitOpError("table_c1: '")
           << tile::stringifyAtomicKind(getKind()) << "' of " << element
           << " has no element that changes nothing, with which a table could begin";
  if (failed(tile::verifyAtomic(*this, getKind(), tile::MemoryOrder::Relaxed, element, Type(),
                                Type(), /*isScalar=*/true)))
    return failure();
  const int64_t rank = getMemRefType().getRank();
  int64_t before = -1;
  // The elements along dimensions of static size; 0 as soon as one has none.
  uint64_t elements = 1;
  for (int64_t dim : getDims()) {
    if (dim <= before || dim >= rank)
      return emitOpError("table_c2: 'dims' are dimensions of ")
             << getMemRefType() << ", ascending, got [" << getDims() << "]";
    before = dim;
    if (!getMemRefType().isDynamicDim(static_cast<unsigned>(dim)))
      elements = llvm::SaturatingMultiply<uint64_t>(
          elements, static_cast<uint64_t>(getMemRefType().getDimSize(dim)));
  }
  std::optional<int64_t> copies = getCopies() ? getConstantIntValue(getCopies()) : 1;
  if (copies && (*copies < 1 || *copies > kMostCopies || !llvm::isPowerOf2_64(*copies)))
    return emitOpError("table_c4: 'copies' is a power of two from 1 to ")
           << kMostCopies << ", got " << *copies;
  const SmemType type = getSmemType();
  if (type.getRank() != 1 || type.getElementType() != element || !type.getSwizzle().isLinear() ||
      type.getSwizzle().getPad())
    return emitOpError("table_c3: the table is a linear shared tile of rank 1 of ")
           << element << ", without padding, got " << type;
  elements = llvm::SaturatingMultiply<uint64_t>(elements, copies.value_or(1));
  if (elements > static_cast<uint64_t>(type.getShape()[0]))
    return emitOpError("table_c3: there are ")
           << elements << " places at least, but room for " << type.getShape()[0];
  for (Operation *user : getResult().getUsers())
    if (!isa<FlushOp>(user) &&
        !(isa<AtomicOp>(user) && cast<AtomicOp>(user).getInto() == getResult())) {
      InFlightDiagnostic error =
          emitOpError("table_c5: only cta.atomic (into) and cta.flush use a table");
      error.attachNote(user->getLoc()) << "here it is used otherwise";
      return error;
    }
  if ((*this)->getParentOfType<RoleOp>())
    return emitOpError("table_c6: stands in a role, but all threads of a block count in its table");
  return success();
}

MemoryAccesses TableOp::getMemoryAccesses() { return {MemoryAccess{getResult(), /*write=*/true}}; }
SmemType TableOp::getBufferType() { return getSmemType(); }

/// The cost of passing once over all places of a table.
static OpCost tableCost(SmemType table, const CostContext &context) {
  return sharedAccessCost(llvm::divideCeil(
      table.getShape()[0] * tile::elementBytes(table.getElementType()), context.warpgroups));
}

WorkClass TableOp::getWorkClass() { return WorkClass::Memory; }
OpCost TableOp::getCost(const CostContext &context) { return tableCost(getSmemType(), context); }

/// Its users do not need it at L0; the memref stands for it until they are gone.
Erased TableOp::eraseToTile(OpBuilder &, ValueRange operands) {
  return SmallVector<Value>{operands.front()};
}

TableOp FlushOp::getTableOp() { return getTable().getDefiningOp<TableOp>(); }

LogicalResult FlushOp::verify() {
  TableOp table = getTableOp();
  if (!table || table.getOf() != getDest())
    return emitOpError("flush_c1: adds a cta.table of the same memref to it");
  const size_t others = static_cast<size_t>(getMemRefType().getRank()) - table.getDims().size();
  if (getCoords().size() != others)
    return emitOpError("flush_c2: the table lacks ")
           << others << " dimensions of the memref, but there are " << getCoords().size()
           << " coordinates";
  return success();
}

void FlushOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), SharedMemory::get());
  effects.emplace_back(MemoryEffects::Read::get(), &getDestMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

MemoryAccesses FlushOp::getMemoryAccesses() {
  return {MemoryAccess{getTable()}, MemoryAccess{getDest()},
          MemoryAccess{getDest(), /*write=*/true}};
}

WorkClass FlushOp::getWorkClass() { return WorkClass::Memory; }
OpCost FlushOp::getCost(const CostContext &context) {
  return tableCost(cast<SmemType>(getTable().getType()), context);
}

Erased FlushOp::eraseToTile(OpBuilder &, ValueRange) { return SmallVector<Value>{}; }
