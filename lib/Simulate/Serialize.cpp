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
  llvm::DenseMap<int, Value> tiles; ///< what was last written to a range
};
} // namespace

FailureOr<Value> Serializer::valueOf(Operation *user, Value old, const Binding &binding) {
  if (isa<cta::SmemType>(old.getType())) {
    // Of one that blocks have fetched together any copy will do; that of the next block says that
    // they agree.
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
  // Arguments and what the kernel's body makes; but whole numbers are known.
  bool known = binding.scalar && !binding.drawn && !isa<FloatType>(old.getType());
  if (binding.outside && !known)
    return binding.outside;
  if (binding.scalar && binding.event < 0 && !binding.drawn)
    return arith::ConstantOp::create(b, user->getLoc(), cast<TypedAttr>(binding.scalar))
        .getResult();
  return user->emitOpError("uses a value that the trace has not made");
}

/// Without what the phases behind placed have added.
Operation *Serializer::clone(const Event &event, const IRMapping &mapping) {
  if (auto wgmma = dyn_cast<cta::WgmmaOp>(event.op)) {
    Value c = wgmma.getC() ? mapping.lookup(wgmma.getC()) : Value();
    return cta::WgmmaOp::create(b, wgmma.getLoc(), wgmma.getResultType(),
                                mapping.lookup(wgmma.getA()), mapping.lookup(wgmma.getB()), c,
                                wgmma.getTransposeAAttr(), wgmma.getTransposeBAttr(),
                                wgmma.getWhyAttr());
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
  IRMapping mapping;
  auto bind = [&](Value old, const Binding &binding) -> LogicalResult {
    // A constant is a constant of one kind of op at each use.
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
