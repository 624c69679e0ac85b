// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constants, and ops that treat every element alike, as one scalar op per register. If two 16-bit
// floats fit one register, pairs are computed together.
#include "Elements/IntegersToFloats.h"
#include "Lowering.h"

#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Rounding/Rounding.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

/// Clones the op with other operands. Results have the shape of the operands and their own element
/// types.
static Values cloneWith(Lowering &f, Operation *op, ValueRange operands, VectorType shape = {}) {
  IRMapping mapping;
  for (auto [old, value] : llvm::zip(op->getOperands(), operands))
    mapping.map(old, value);
  Operation *copy = op->cloneWithoutRegions(mapping);
  for (OpResult result : copy->getResults()) {
    Type element = f.registerType(getElementTypeOrSelf(result.getType()));
    result.setType(shape ? Type(VectorType::get(shape.getShape(), element)) : element);
  }
  f.b.insert(copy);
  return Values(copy->getResults());
}

static bool isDirected(arith::TruncFOp op) {
  return tile::modeOf(op) != arith::RoundingMode::to_nearest_even;
}

static Values emitScalarOp(Lowering &f, Operation *op, ValueRange operands) {
  if (operands.empty())
    return cloneWith(f, op, operands);
  if (auto rounded = dyn_cast<tile::RoundedOp>(op))
    return {lowerRounded(f, rounded, operands)};
  if (auto truncate = dyn_cast<arith::TruncFOp>(op); truncate && isDirected(truncate))
    return {lowerTruncation(f, truncate, operands.front())};
  if (auto converted = f.convertFloat8(op, operands.front(), Value()))
    return {converted->first};
  return cloneWith(f, op, operands);
}

/// Ops that NVPTX has in packed form, or (truncf) that round two numbers at a time.
static bool isPacked(Operation *op) {
  auto half = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isF16() || element.isBF16();
  };
  if (op->getNumResults() != 1 || !half(op->getResult(0).getType()))
    return false;
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    return getElementTypeOrSelf(truncate.getIn().getType()).isF32() && !isDirected(truncate);
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, math::FmaOp>(op);
}

/// The word of which the two numbers are the halves, or null.
static Value wordOf(Lowering &f, Value low, Value high) {
  auto x = low.getDefiningOp<LLVM::ExtractElementOp>();
  auto y = high.getDefiningOp<LLVM::ExtractElementOp>();
  if (!x || !y || x.getVector() != y.getVector() || !isConstantIntValue(x.getPosition(), 0) ||
      !isConstantIntValue(y.getPosition(), 1))
    return {};
  return f.bitcast(x.getVector(), f.b.getI32Type());
}

/// A bf16 is the upper half of an f32. Of two in a word, one is shifted up and the other is masked.
static std::optional<std::pair<Value, Value>> widenPair(Lowering &f, Operation *op, Value low,
                                                        Value high) {
  if (!isa<arith::ExtFOp>(op) || !low.getType().isBF16() ||
      !getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    return std::nullopt;
  Value word = wordOf(f, low, high);
  if (!word)
    return std::nullopt;
  Type f32 = f.b.getF32Type();
  Value first = arith::ShLIOp::create(f.b, f.loc, word, f.i32(16));
  Value second = f.bitAnd(word, f.i32(static_cast<int32_t>(0xffff0000)));
  return std::make_pair(f.bitcast(first, f32), f.bitcast(second, f32));
}

/// Computes two numbers in one register.
static std::pair<Value, Value> emitPacked(Lowering &f, Operation *op, ValueRange low,
                                          ValueRange high) {
  Values pairs;
  VectorType pairType;
  for (auto [x, y] : llvm::zip(low, high)) {
    pairType = VectorType::get({2}, x.getType());
    Value pair = LLVM::PoisonOp::create(f.b, f.loc, pairType);
    pair = LLVM::InsertElementOp::create(f.b, f.loc, pair, x, f.i32(0));
    pairs.push_back(LLVM::InsertElementOp::create(f.b, f.loc, pair, y, f.i32(1)));
  }
  Value pair = cloneWith(f, op, pairs, pairType).front();
  return {LLVM::ExtractElementOp::create(f.b, f.loc, pair, f.i32(0)),
          LLVM::ExtractElementOp::create(f.b, f.loc, pair, f.i32(1))};
}

namespace {
/// One op of a chain, and its registers as they are computed.
struct Link {
  Operation *op;
  bool packed;
  std::vector<Values> results;
};
} // namespace

/// Computes a chain of ops two registers at a time, so that few values are live. Op by op, all
/// registers of every step would be live.
LogicalResult tessera::nvvm::lowerElementwise(Lowering &f, ArrayRef<Operation *> chain) {
  std::vector<Link> links;
  DenseMap<Value, std::pair<size_t, unsigned>> inside; // index of the link, and of the result
  for (Operation *op : chain) {
    bool packed =
        isPacked(op) && llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
    for (OpResult result : op->getResults())
      inside[result] = {links.size(), result.getResultNumber()};
    links.push_back({op, packed, std::vector<Values>(op->getNumResults())});
  }
  const size_t count = f.registerTypes(chain.front()->getResult(0).getType()).size();
  auto operandsAt = [&](Operation *op, size_t i) {
    Values scalars;
    for (Value operand : op->getOperands()) {
      auto it = inside.find(operand);
      const Values &regs = it == inside.end() ? f.registers(operand)
                                              : links[it->second.first].results[it->second.second];
      scalars.push_back(regs.size() == 1 ? regs.front() : regs[i]);
    }
    return scalars;
  };
  for (size_t i = 0; i < count; i += 2) {
    const bool two = i + 1 < count;
    for (Link &link : links) {
      f.loc = link.op->getLoc();
      Values low = operandsAt(link.op, i);
      if (!two) {
        for (auto [list, value] : llvm::zip(link.results, emitScalarOp(f, link.op, low)))
          list.push_back(value);
        continue;
      }
      Values high = operandsAt(link.op, i + 1);
      std::optional<std::pair<Value, Value>> pair =
          f.convertFloat8(link.op, low.front(), high.front());
      if (!pair && link.packed && count % 2 == 0)
        pair = emitPacked(f, link.op, low, high);
      else if (!pair && low.size() == 1)
        pair = widenPair(f, link.op, low.front(), high.front());
      if (!pair && low.size() == 1)
        pair = convertIntegers(f, link.op, i, low.front(), high.front());
      if (pair) {
        link.results.front().append({pair->first, pair->second});
        continue;
      }
      for (Values *operands : {&low, &high})
        for (auto [list, value] : llvm::zip(link.results, emitScalarOp(f, link.op, *operands)))
          list.push_back(value);
    }
  }
  for (Link &link : links)
    for (auto [old, regs] : llvm::zip(link.op->getResults(), link.results))
      f.set(old, std::move(regs));
  return success();
}

/// A constant tile with different elements becomes a table in constant memory that is read by
/// coordinate.
static LogicalResult lowerTable(Lowering &f, arith::ConstantOp op, DenseElementsAttr elements) {
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType(), stored = f.memoryType(element);
  SmallVector<Attribute> values;
  for (Attribute value : elements.getValues<Attribute>()) {
    if (tile::isFloat8(element))
      value = IntegerAttr::get(stored, cast<FloatAttr>(value).getValue().bitcastToAPInt());
    else if (auto integer = dyn_cast<IntegerAttr>(value))
      value =
          IntegerAttr::get(stored, integer.getValue().zextOrTrunc(stored.getIntOrFloatBitWidth()));
    values.push_back(value);
  }
  int64_t count = type.getNumElements();
  auto table = DenseElementsAttr::get(RankedTensorType::get({count}, stored), values);
  std::string name;
  for (unsigned i = 0;; ++i) {
    name = ("__tessera_table_" + Twine(i)).str();
    if (!f.module.lookupSymbol(name))
      break;
  }
  OpBuilder top = OpBuilder::atBlockBegin(f.module.getBody());
  int64_t bytes = tile::elementBytes(element);
  LLVM::GlobalOp::create(top, f.loc, LLVM::LLVMArrayType::get(stored, count), /*isConstant=*/true,
                         LLVM::Linkage::Internal, name, table, /*alignment=*/16, /*addrSpace=*/4);
  Value base =
      LLVM::AddressOfOp::create(f.b, f.loc, LLVM::LLVMPointerType::get(f.context, 4), name);
  TileIndex index(f, type);
  Values regs;
  for (int64_t r = 0; r < index.size(); ++r) {
    if (index.deadEverywhere(r)) {
      regs.push_back(f.zero(element));
      continue;
    }
    Value linear = f.i32(0);
    for (int d = 0; d < index.rank(); ++d)
      linear = f.add(f.mul(linear, f.i32(type.getDimSize(d))), index.value(index.at(r, d)));
    if (Value live = index.live(r))
      linear = f.select(live, linear, f.i32(0));
    Value at = f.gep(base, f.mul(linear, f.i32(bytes)));
    Value loaded = LLVM::LoadOp::create(f.b, f.loc, stored, at, static_cast<unsigned>(bytes));
    regs.push_back(f.fromMemory(loaded, element));
  }
  f.set(op.getResult(), std::move(regs));
  return success();
}

static LogicalResult lowerConstant(Lowering &f, arith::ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements) {
    if (!op.getType().isIntOrIndexOrFloat())
      return f.error(op, "a constant of type ") << op.getType() << " has no lowering to the GPU";
    f.set(op.getResult(), {f.constant(op.getValue())});
    return success();
  }
  if (!elements.isSplat())
    return lowerTable(f, op, elements);
  Value splat = f.constant(cast<TypedAttr>(elements.getSplatValue<Attribute>()));
  f.set(op.getResult(), Values(f.registerTypes(op.getType()).size(), splat));
  return success();
}

//===--- ops that are lowered alike -----------------------------------------------------------===//

bool tessera::nvvm::isTileArithmetic(Operation *op) {
  return (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
          isa<tile::RoundedOp>(op)) &&
         op->getNumResults() && op->getNumRegions() == 0 && !isa<arith::ConstantOp>(op) &&
         cta::FragAttr::of(op->getResult(0).getType()) && OpTrait::hasElementwiseMappableTraits(op);
}

/// True for ops on scalars that the passes after this conversion know.
static bool isScalarOp(Operation *op) {
  auto scalarType = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return (isa_and_nonnull<arith::ArithDialect, math::MathDialect, ub::UBDialect, LLVM::LLVMDialect,
                          NVVM::NVVMDialect>(op->getDialect()) ||
          isa<tile::RoundedOp>(op)) &&
         op->getNumRegions() == 0 && llvm::all_of(op->getOperandTypes(), scalarType) &&
         llvm::all_of(op->getResultTypes(), scalarType);
}

/// A scalar op stays what it is.
static LogicalResult lowerScalarOp(Lowering &f, Operation *op) {
  Values operands;
  for (Value operand : op->getOperands())
    operands.push_back(f.scalar(operand));
  for (auto [old, result] : llvm::zip(op->getResults(), emitScalarOp(f, op, operands)))
    f.set(old, {result});
  return success();
}

void tessera::nvvm::populateElementwiseLowerings(LoweringSet &set) {
  addLowering(set, lowerConstant);
  addFallback(set, isScalarOp, lowerScalarOp);
  addFallback(set, isTileArithmetic,
              [](Lowering &f, Operation *op) { return lowerElementwise(f, op); });
}
