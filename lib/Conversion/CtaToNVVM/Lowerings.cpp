// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The set of lowerings, and what those of other dialects see of the state.
#include "Lowering.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

//===--- the set -----------------------------------------------------------------------------===//

const LoweringSet::Function *LoweringSet::find(Operation *op) const {
  if (auto own = byName.find(op->getName().getStringRef()); own != byName.end())
    return &own->second;
  for (const auto &[accepts, lower] : fallbacks)
    if (accepts(op))
      return &lower;
  return nullptr;
}

void tessera::nvvm::populateCtaToNVVMLowerings(LoweringSet &set) {
  populateAssertLowerings(set);
  populateAtomicLowerings(set);
  populateControlLowerings(set);
  populateCopyByThreadsLowerings(set);
  populateElementwiseLowerings(set);
  populateGlobalAccessLowerings(set);
  populateLaunchLowerings(set);
  populateMemRefLowerings(set);
  populateMmaLowerings(set);
  populatePackLowerings(set);
  populatePartialLowerings(set);
  populatePrintLowerings(set);
  populateReadAtLowerings(set);
  populateReduceLowerings(set);
  populateRoleLowerings(set);
  populateShapeLowerings(set);
  populateSharedAccessLowerings(set);
  populateTableLowerings(set);
  populateTmaLowerings(set);
  populateWgmmaLowerings(set);
}

//===--- the context -------------------------------------------------------------------------===//

OpBuilder &LoweringContext::builder() { return state.b; }

ValueRange LoweringContext::registers(Value operand) { return state.registers(operand); }
Value LoweringContext::scalar(Value operand) { return state.scalar(operand); }
SmallVector<Type> LoweringContext::registerTypes(Type type) { return state.registerTypes(type); }

LogicalResult LoweringContext::setRegisters(Value result, ValueRange values) {
  SmallVector<Type> types = state.registerTypes(result.getType());
  if (llvm::equal(values.getTypes(), types)) {
    state.setAll(result, values);
    return success();
  }
  InFlightDiagnostic wrong =
      state.error(result.getDefiningOp(), "its lowering sets other registers than ")
      << result.getType() << " has: ";
  llvm::interleaveComma(values.getTypes(), wrong);
  wrong << " instead of ";
  llvm::interleaveComma(types, wrong);
  return wrong;
}

SmallVector<Value> LoweringContext::coordinates(Value tile, unsigned dim) {
  TileIndex index(state, cast<RankedTensorType>(tile.getType()));
  SmallVector<Value> result;
  for (int64_t reg = 0; reg < index.size(); ++reg)
    result.push_back(index.value(index.at(reg, static_cast<int>(dim))));
  return result;
}

SmallVector<Value> LoweringContext::holdsElement(Value tile) {
  TileIndex index(state, cast<RankedTensorType>(tile.getType()));
  SmallVector<Value> result;
  for (int64_t reg = 0; reg < index.size(); ++reg)
    result.push_back(index.deadEverywhere(reg) ? state.boolean(false) : index.live(reg));
  return result;
}

Value LoweringContext::inlinePtx(Location loc, Type result, StringRef text, ValueRange operands) {
  return NVVM::InlinePtxOp::create(builder(), loc, result, operands, {}, text,
                                   /*predicate=*/Value())
      ->getResult(0);
}
Value LoweringContext::threadId() { return state.threadId(); }
Value LoweringContext::lane() { return state.lane(); }
Value LoweringContext::shuffleXor(Value value, int64_t laneMask) {
  return state.shuffleXor(value, laneMask);
}
Value LoweringContext::shuffle(Value value, Value lane) { return state.shuffleIndex(value, lane); }
