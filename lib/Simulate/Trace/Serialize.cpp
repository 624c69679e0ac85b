// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Serialize.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

namespace {
class Serializer {
public:
  Serializer(const Program &program, OpBuilder &b) : program(program), b(b) {}
  LogicalResult emit(int number);

private:
  FailureOr<Value> valueOf(Operation *user, Value old, const Binding &binding);
  Operation *clone(const Event &event, const IRMapping &mapping);
  void set(int event, unsigned result, Value value) { values[{event, result}] = value; }

  const Program &program;
  OpBuilder &b;
  llvm::DenseMap<std::pair<int, unsigned>, Value> values;
  llvm::DenseMap<int, Value> tiles; ///< the tile that was last written to each range
};
} // namespace

FailureOr<Value> Serializer::valueOf(Operation *user, Value old, const Binding &binding) {
  if (isa<cta::SmemType>(old.getType())) {
    // Blocks that fetch a tile together must all fetch the same tile. So this takes what the next
    // block has fetched: if that differs, the result of the trace shows it.
    const simulate::Range &range = program.ranges[binding.range];
    int part = isa_and_nonnull<cta::RingOp>(range.whole) ? (range.block + 1) % range.parts : 0;
    Value tile = tiles.lookup(binding.range + part);
    if (!tile)
      return user->emitOpError("reads shared memory that the trace has not written");
    if (tile.getType() != old.getType())
      tile = cta::ViewOp::create(b, user->getLoc(), old.getType(), tile);
    return tile;
  }
  if (binding.event >= 0)
    if (Value value = values.lookup({binding.event, binding.result}))
      return value;
  // Arguments and values of the kernel's body stay as they are. Integers whose value is known
  // become constants.
  bool known = binding.scalar && !binding.drawn && !isa<FloatType>(old.getType());
  if (binding.outside && !known)
    return binding.outside;
  if (binding.scalar && binding.event < 0 && !binding.drawn)
    return arith::ConstantOp::create(b, user->getLoc(), cast<TypedAttr>(binding.scalar))
        .getResult();
  return user->emitOpError("uses a value that the trace has not made");
}

/// Clones the op without the attributes and operands that the phases after placed have added.
Operation *Serializer::clone(const Event &event, const IRMapping &mapping) {
  if (auto wgmma = dyn_cast<cta::WgmmaOp>(event.op)) {
    Value c = wgmma.getC() ? mapping.lookup(wgmma.getC()) : Value();
    return cta::WgmmaOp::create(b, wgmma.getLoc(), wgmma.getResultType(),
                                mapping.lookup(wgmma.getA()), mapping.lookup(wgmma.getB()), c,
                                wgmma.getTransposeAAttr(), wgmma.getTransposeBAttr(),
                                wgmma.getLhsUnsignedAttr(), wgmma.getRhsUnsignedAttr(),
                                /*in_turn=*/UnitAttr(), wgmma.getWhyAttr());
  }
  IRMapping copy = mapping;
  Operation *op = b.clone(*event.op, copy);
  if (auto made = dyn_cast<cta::SharedBufferOpInterface>(op))
    made.setByteOffset(std::nullopt);
  if (auto load = dyn_cast<cta::CopyOp>(op)) {
    load.getIntoMutable().clear();
    load.getSlotMutable().clear();
    load.removeMbarrierAttr();
    load.getMulticastIfMutable().clear();
    load.removeMulticastAttr();
  } else if (auto store = dyn_cast<cta::CopyOutOp>(op)) {
    store.removePerWarpgroupAttr();
  }
  return op;
}

LogicalResult Serializer::emit(int number) {
  const Event &event = program.events[number];
  Operation *op = event.op;
  if (isa<cta::CompleteOp, cta::ReadyOp>(op)) {
    FailureOr<Value> value = valueOf(op, op->getOperand(0), event.operands.front());
    if (failed(value))
      return failure();
    set(number, 0, *value);
    return success();
  }
  // The numbers of output tiles are constants of the trace.
  if (isa<cta::PutScalarOp, cta::GetScalarOp>(op))
    return success();
  IRMapping mapping;
  auto bind = [&](Value old, const Binding &binding) -> LogicalResult {
    // A constant may have been cloned already for another use.
    if (mapping.contains(old))
      return success();
    FailureOr<Value> value = valueOf(op, old, binding);
    if (succeeded(value))
      mapping.map(old, *value);
    return value;
  };
  auto copy = dyn_cast<cta::CopyOp>(op);
  for (auto [old, binding] : llvm::zip_equal(op->getOperands(), event.operands)) {
    bool dropped = copy && (old == copy.getInto() || old == copy.getSlot());
    if (!dropped && failed(bind(old, binding)))
      return failure();
  }
  for (const auto &[old, binding] : event.captures)
    if (failed(bind(old, binding)))
      return failure();
  Operation *made = clone(event, mapping);
  for (auto [i, result] : llvm::enumerate(made->getResults()))
    set(number, static_cast<unsigned>(i), result);
  if (copy) {
    for (const Target &to : event.targets)
      for (int range = to.range; range < to.range + to.ranges; ++range)
        tiles[range] = made->getResult(0);
  } else if (event.range >= 0) {
    tiles[event.range] = made->getResult(0);
  }
  return success();
}

LogicalResult tessera::simulate::serialize(const Program &program, ArrayRef<int> trace,
                                           OpBuilder &builder) {
  Serializer serializer(program, builder);
  for (int number : trace)
    if (failed(serializer.emit(number)))
      return failure();
  return success();
}
